/** Manages the protocol connections of pooled clients, and runs statements outside transactions on them. */
import type pg from "pg";
import type { Bindable, SqlRow } from "./connection.ts";
import { isConsequence } from "./failure.ts";
import type { PendingQuery } from "./query-batch.ts";
import { PgConnection } from "./protocol.ts";

export interface PgConnections {
  /** Takes over a client: from now on only the protocol connection uses it. */
  attach(client: pg.ClientBase): void;
  of(client: pg.ClientBase): PgConnection;
  /** Runs one statement in a separate transaction. */
  run<Row extends SqlRow>(
    client: pg.ClientBase,
    statement: string,
    values: readonly Bindable[],
  ): Promise<readonly Row[]>;
  /** Runs a batch in one round trip. Returns the error of a failed query; the queries after it must run again. */
  executeAll(client: pg.ClientBase, batch: readonly PendingQuery[]): Promise<unknown>;
  close(): void;
}

export interface PgConnectionsOptions {
  /** After how many milliseconds a connection that has pending responses and receives nothing is closed. */
  readonly idleMilliseconds: number;
  readonly exchanged?: (statements: readonly string[]) => void;
}

const watchMilliseconds = 500;

export function openPgConnections({ exchanged, idleMilliseconds }: PgConnectionsOptions): PgConnections {
  const connections = new WeakMap<pg.ClientBase, PgConnection>();
  const open = new Set<PgConnection>();
  const watching = setInterval(() => {
    for (const connection of open) connection.watch(idleMilliseconds / watchMilliseconds);
  }, watchMilliseconds).unref();
  const of = (client: pg.ClientBase): PgConnection => {
    const connection = connections.get(client);
    if (connection === undefined) throw new Error("a connection was given out before it was ready");
    return connection;
  };
  return {
    of,
    attach: (client) => {
      const connection = new PgConnection(client, exchanged);
      connections.set(client, connection);
      open.add(connection);
      client.once("end", () => open.delete(connection));
    },
    close: () => clearInterval(watching),
    run: async <Row extends SqlRow>(client: pg.ClientBase, statement: string, values: readonly Bindable[]) => {
      const connection = of(client);
      const result = connection.execute(statement, values);
      // The result counts only after the commit at the end of the exchange.
      const [{ rows }] = await Promise.all([result, connection.end()]);
      return rows as readonly Row[];
    },
    executeAll: async (client, batch) => {
      const connection = of(client);
      let failure: unknown;
      for (const query of batch) {
        const { before } = query;
        // If the statement fails, the server skips the query after it, which then reports this error.
        let unsaid: unknown;
        if (before !== undefined) {
          connection.execute(before.text, before.values).catch((thrown: unknown) => {
            if (!isConsequence(thrown)) unsaid = failure = thrown;
          });
        }
        connection.execute(query.text, query.values).then(
          ({ rows }) => query.resolve(rows),
          (thrown: unknown) => {
            if (unsaid !== undefined) return query.reject(unsaid);
            if (isConsequence(thrown)) return query.again();
            failure = thrown;
            query.reject(thrown);
          },
        );
      }
      await connection.end().catch((thrown: unknown) => {
        failure ??= thrown;
      });
      return failure;
    },
  };
}
