/** The wires of pooled connections, and what is run on one of them outside of a transaction. */
import type pg from "pg";
import type { Bindable, Cells } from "./connection.ts";
import { isConsequence } from "./failure.ts";
import type { Question } from "./questions.ts";
import { Wire } from "./wire.ts";

export interface Wires {
  /** From now on the client is asked by its wire alone. */
  take(client: pg.ClientBase): void;
  of(client: pg.ClientBase): Wire;
  /** One statement, in a transaction of its own. */
  run<Row extends Cells>(
    client: pg.ClientBase,
    statement: string,
    values: readonly Bindable[],
  ): Promise<readonly Row[]>;
  /** In one round trip. Gives what one of them has failed with; those after it are left to be asked again. */
  askAll(client: pg.ClientBase, questions: readonly Question[]): Promise<unknown>;
  close(): void;
}

export interface WiresOptions {
  /** A connection on which nothing comes for so long although something is awaited is ended. */
  readonly silentMilliseconds: number;
  readonly exchanged?: (statements: readonly string[]) => void;
}

const watchMilliseconds = 500;

export function openWires({ exchanged, silentMilliseconds }: WiresOptions): Wires {
  const wires = new WeakMap<pg.ClientBase, Wire>();
  const open = new Set<Wire>();
  const watching = setInterval(() => {
    for (const wire of open) wire.watch(silentMilliseconds / watchMilliseconds);
  }, watchMilliseconds).unref();
  const of = (client: pg.ClientBase): Wire => {
    const wire = wires.get(client);
    if (wire === undefined) throw new Error("a connection was given out before it was ready");
    return wire;
  };
  return {
    of,
    take: (client) => {
      const wire = new Wire(client, exchanged);
      wires.set(client, wire);
      open.add(wire);
      client.once("end", () => open.delete(wire));
    },
    close: () => clearInterval(watching),
    run: async <Row extends Cells>(client: pg.ClientBase, statement: string, values: readonly Bindable[]) => {
      const wire = of(client);
      const asked = wire.ask(statement, values);
      // It is not done before it is committed.
      const [{ rows }] = await Promise.all([asked, wire.end()]);
      return rows as readonly Row[];
    },
    askAll: async (client, questions) => {
      const wire = of(client);
      let failure: unknown;
      for (const question of questions) {
        const { before } = question;
        // Where it fails the question after it is passed over, and tells.
        let unsaid: unknown;
        if (before !== undefined) {
          wire.ask(before.text, before.values).catch((thrown: unknown) => {
            if (!isConsequence(thrown)) unsaid = failure = thrown;
          });
        }
        wire.ask(question.text, question.values).then(
          ({ rows }) => question.resolve(rows),
          (thrown: unknown) => {
            if (unsaid !== undefined) return question.reject(unsaid);
            if (isConsequence(thrown)) return question.again();
            failure = thrown;
            question.reject(thrown);
          },
        );
      }
      await wire.end().catch((thrown: unknown) => {
        failure ??= thrown;
      });
      return failure;
    },
  };
}
