/** The functions of one request: those of its operation, each of which may go on through several transactions. */
import type { Json, JsonObject } from "../../base/json.ts";
import type { Row, Transaction } from "../../store/store.ts";
import type { Call, Context } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { withSecrets } from "../secrets.ts";
import { Uploaded } from "../upload.ts";
import { didYouMean } from "../../base/suggest.ts";
import type { FailDetails, FunctionContext, ServiceFunction } from "./functions.ts";
import { type Inside, innerOf } from "./inner.ts";
import { plain, recordsFor } from "./records.ts";
import { type Ask, createRun, type Run } from "./run.ts";

export interface OperationFunctions {
  readonly handler?: ServiceFunction | undefined;
  readonly before?: ServiceFunction | undefined;
  readonly after?: ServiceFunction | undefined;
}

/** What a call has of them. */
export interface CallFunctions {
  /** What the handler gives. */
  handle(call: Call, tx: Transaction, about: About): Promise<unknown>;
  /** The input as the function before the operation leaves it, and the call that has it. */
  before(call: Call, tx: Transaction, input: JsonObject): Promise<Before>;
  after(call: Call, tx: Transaction, about: About): Promise<void>;
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
  /** Chance, the same in each transaction that the call is done in. */
  readonly chance: Pick<Context, "newId" | "random">;
  /** The next transaction begins. */
  rewind(): void;
  /** There is none: those that still run are told. */
  end(reason: unknown): void;
}

export type Replayed = Pick<CallFunctions, "chance" | "rewind">;

export interface Before {
  readonly call: Call;
  readonly input: JsonObject;
}

export interface About {
  readonly input?: JsonObject;
  readonly row?: Row | undefined;
  readonly answer?: Json;
}

/** What functions use of a service. */
export interface Surroundings {
  readonly inside: Inside;
  /** Told to the operator. */
  readonly log: (sentence: string) => void;
  /** Told of each function that begins; gives what is called when it has ended, or nobody waits for it any more. */
  readonly began?: ((name: string) => () => void) | undefined;
}

export function functionsOfCall(
  { handler, before, after }: OperationFunctions,
  context: Context,
  surroundings: Surroundings,
): CallFunctions {
  const runs = new Map<string, Run>();
  const { chance, rewind } = replayed(context);
  /** The same run in each transaction. */
  const within = (
    name: string,
    given: ServiceFunction,
    call: Call,
    tx: Transaction,
    about: About,
  ): Promise<unknown> => {
    let run = runs.get(name);
    if (run === undefined) {
      run = runOf(given, call, about, surroundings);
      runs.set(name, run);
    }
    return run.within(tx);
  };
  return {
    chance,
    rewind,
    end: (reason) => {
      for (const run of runs.values()) run.end(reason);
    },
    hasBefore: before !== undefined,
    hasAfter: after !== undefined,
    handle: (call, tx, about) => {
      if (handler === undefined) throw new Error(`no handler does \`${call.prepared.operation.name}\``);
      return within("handler", handler, call, tx, about);
    },
    async before(call, tx, input) {
      if (before === undefined) return { call, input };
      const { noted, prepared } = call;
      const id = prepared.operation.key === undefined ? undefined : noted.record;
      const row = id === undefined ? undefined : await tx.get(prepared.table.resource, "id", id);
      const given = await within("before", before, call, tx, { input, row });
      if (given === undefined || given === null) return { call, input };
      const changed = { ...plain(given), ...uploadsAmong(given) };
      const faults = call.prepared.judge?.(changed) ?? [];
      if (faults.length > 0) throw wrong(call, "the function before", faults);
      const { own: _, ...newest } = call;
      return { call: await withSecrets({ ...newest, input: changed }), input: changed };
    },
    async after(call, tx, about) {
      if (after !== undefined) await within("after", after, call, tx, about);
    },
  };
}

/** The files that a function gives on as it was given them: they are more than what is told of them. */
function uploadsAmong(given: unknown): JsonObject {
  return Object.fromEntries(Object.entries(given as JsonObject).filter(([, value]) => value instanceof Uploaded));
}

/** A function that does not keep to the document: Nonet's side of the service is wrong, and not its caller's. */
export function wrong(
  { prepared: { operation } }: Call,
  who: string,
  faults: readonly { readonly pointer?: string; readonly detail: string }[],
): Error {
  const told = faults.map(({ pointer = "#", detail }) => `${pointer}: ${detail}`).join("; ");
  return new Error(`${who} \`${operation.name}\` gave what the document does not say: ${told}`);
}

/** What a function is started with: a call of an operation, or work of the service's own. */
export interface Started {
  /** For whoever reads the log. */
  readonly name: string;
  readonly call: Call;
  /** Epoch milliseconds. */
  readonly deadline: number;
  /** Members of its context beside those that all have; asked for in its first transaction. */
  given(ask: Ask): Promise<Partial<FunctionContext>>;
  /** Whether nothing is asked of its caller. */
  readonly system: boolean;
}

export function start(
  given: ServiceFunction,
  { call, deadline, name, system, ...started }: Started,
  { began, inside, log }: Surroundings,
): Run {
  const { caller, context, noted, now, parameters } = call;
  const traceparent = noted.observer?.traceparent?.();
  return createRun({
    left: () => deadline - context.clock.now(),
    async start(ask, signal) {
      const ended = began?.(`${name} ${noted.requestId}`);
      if (ended !== undefined) signal.addEventListener("abort", ended);
      try {
        return await given({
          input: {},
          ...(await started.given(ask)),
          params: parameters,
          caller: { id: caller.id, roles: caller.roles, claims: caller.claims },
          records: recordsFor(context.plan, ask, (asSystem) => innerOf(inside, call, system || asSystem)),
          fail: (code, details = {}) => fail(context, code, details),
          now: new Date(now),
          log: (message, details) =>
            log(`${name} ${noted.requestId}: ${message}${details === undefined ? "" : ` ${JSON.stringify(details)}`}`),
          request: { id: noted.requestId, ...(traceparent === undefined ? {} : { traceparent }) },
          signal,
        });
      } catch (thrown) {
        throw ours(thrown, name);
      } finally {
        ended?.();
      }
    },
  });
}

function runOf(given: ServiceFunction, call: Call, { input = {}, row, answer }: About, around: Surroundings): Run {
  const { operation } = call.prepared;
  const { view } = call.kind.record;
  return start(
    given,
    {
      name: operation.name,
      call,
      deadline: call.now + operation.limits.requestMilliseconds,
      system: false,
      async given(ask) {
        const said = { input, ...(answer === undefined ? {} : { answer }) };
        if (row === undefined) return said;
        const perform = async (tx: Transaction): Promise<JsonObject> => {
          const present = await tx.get(view.resource, "id", row["id"] ?? null);
          return JSON.parse(await tx.view(present ?? row, view, call.variables)) as JsonObject;
        };
        return { ...said, record: await ask({ writes: false, perform }) };
      },
    },
    around,
  );
}

function fail({ plan }: Context, code: string, { detail, errors = [] }: FailDetails): never {
  const odd = errors.find(({ pointer }) => !/^#(?:\/|$)/.test(pointer));
  if (odd !== undefined) throw new TypeError(`\`${odd.pointer}\` is no pointer into the body, such as \`#/name\``);
  if (Object.hasOwn(plan.errors, code)) {
    if (errors.length > 0 && plan.errors[code]?.source !== "document")
      throw new TypeError(`\`${code}\` names no values: it is no error of part 7`);
    const faults = errors.map(({ pointer, detail: why }) => ({ pointer, code, detail: why }));
    const about = faults.length === 0 ? {} : { faults };
    throw new Refusal(code, { ...about, ...(detail === undefined ? {} : { detail }) });
  }
  const near = didYouMean(code, Object.keys(plan.errors));
  throw new TypeError(
    `\`${code}\` is no error of the document${near === undefined ? "" : `; did you mean \`${near}\`?`}`,
  );
}

/**
 * What the function did wrong is no fault of its caller: values that it made up and that do not fit, what is no error at all.
 */
function ours(thrown: unknown, name: string): unknown {
  if (thrown instanceof Refusal) {
    if (thrown.code !== "invalid-request") return thrown;
    const told = (thrown.details.faults ?? []).map(({ pointer = "#", detail }) => `${pointer}: ${detail}`).join("; ");
    return new Error(`\`${name}\` asked for what the document does not allow: ${told}`, { cause: thrown });
  }
  return thrown instanceof Error ? thrown : new Error(`\`${name}\` threw what is no error: ${String(thrown)}`);
}

/** What one attempt has drawn the next one draws again, so that ids that a function knows stay what they are. */
export function replayed(context: Context): Replayed {
  const drawn = new Map<string, unknown[]>();
  const at = new Map<string, number>();
  const draw = <Drawn>(kind: string, make: () => Drawn): Drawn => {
    const before = drawn.get(kind) ?? [];
    const place = at.get(kind) ?? 0;
    if (place === before.length) before.push(make());
    drawn.set(kind, before);
    at.set(kind, place + 1);
    return before[place] as Drawn;
  };
  return {
    chance: {
      newId: (prefix) => draw(prefix, () => context.newId(prefix)),
      random: (bytes) => draw(String(bytes), () => context.random(bytes)),
    },
    rewind: () => at.clear(),
  };
}
