/** Runs the functions of one request's operation; each may run across several transactions. */
import { getOrMake } from "../../base/once.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Transaction } from "../../store/port/store.ts";
import type { Call, Context } from "../context/context.ts";
import { ApiError } from "../errors/api-error.ts";
import { withSecrets } from "../records/secrets.ts";
import { announcesBody } from "../validation/read-body.ts";
import { Uploaded } from "../validation/upload.ts";
import { suggestion } from "../../base/suggest.ts";
import type { FailDetails, FunctionContext, ServiceFunction } from "./functions.ts";
import { type Inside, innerOf } from "./operations.ts";
import { plain, recordsFor } from "./records.ts";
import { type RunStep, createRun, type Run } from "./transaction.ts";
import type { About, CallFunctions } from "../context/functions.ts";

export interface OperationFunctions {
  readonly handler?: ServiceFunction | undefined;
  readonly before?: ServiceFunction | undefined;
  readonly after?: ServiceFunction | undefined;
}

export type Replayed = Pick<CallFunctions, "chance" | "rewind">;

/** The dependencies of functions. */
export interface FunctionDependencies {
  readonly inside: Inside;
  /** Writes a log line for the operator. */
  readonly log: (message: string) => void;
  /** Called with a function's name when it starts; the returned callback is called when it ends or is aborted. */
  readonly began?: ((name: string) => () => void) | undefined;
}

export function functionsOfCall(
  { handler, before, after }: OperationFunctions,
  context: Context,
  dependencies: FunctionDependencies,
): CallFunctions {
  const runs = new Map<string, Run>();
  const { chance, rewind } = replayed(context);
  /** Runs a function in a transaction; when the request is repeated in another transaction, continues the same run. */
  const runIn = (
    name: string,
    supplied: ServiceFunction,
    call: Call,
    tx: Transaction,
    about: About,
  ): Promise<unknown> => {
    return getOrMake(runs, name, () => runOf(supplied, call, about, dependencies)).runIn(tx);
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
      if (handler === undefined) throw new Error(`no handler does \`${call.compiled.operation.name}\``);
      return runIn("handler", handler, call, tx, about);
    },
    async before(call, tx, input) {
      if (before === undefined) return { call, input };
      const { observation, compiled } = call;
      const id = compiled.operation.key === undefined ? undefined : observation.record;
      const row = id === undefined ? undefined : await tx.get(compiled.table.resource, "id", id);
      const supplied = await runIn("before", before, call, tx, { input, row });
      if (supplied === undefined || supplied === null) return { call, input };
      const changed = { ...plain(supplied), ...uploadsAmong(supplied) };
      const violations = call.compiled.validate?.(changed) ?? [];
      if (violations.length > 0) throw wrong(call, "the function before", violations);
      const { own: _, ...newest } = call;
      return { call: await withSecrets({ ...newest, input: changed }), input: changed };
    },
    async after(call, tx, about) {
      if (after !== undefined) await runIn("after", after, call, tx, about);
    },
  };
}

/** Returns the uploads in a function's result, since the conversion to JSON would lose their hidden members. */
function uploadsAmong(supplied: unknown): JsonObject {
  return Object.fromEntries(Object.entries(supplied as JsonObject).filter(([, value]) => value instanceof Uploaded));
}

/**
 * Returns the error if a function returned something that the document does not allow: an error of the service, not of its
 * caller.
 */
export function wrong(
  { compiled: { operation } }: Call,
  who: string,
  violations: readonly { readonly pointer?: string; readonly detail: string }[],
): Error {
  const details = violations.map(({ pointer = "#", detail }) => `${pointer}: ${detail}`).join("; ");
  return new Error(`${who} \`${operation.name}\` gave what the document does not say: ${details}`);
}

/** How a function is started: for a request, or by the scheduler. */
export interface Started {
  /** The function's name in the log. */
  readonly name: string;
  readonly call: Call;
  /** When the function times out, in epoch milliseconds. */
  readonly deadline: number;
  /** Loads further members of the context, in the first transaction. */
  supplied(runStep: RunStep): Promise<Partial<FunctionContext>>;
  /** Whether the function runs as the system, without permissions. */
  readonly system: boolean;
}

export function start(
  supplied: ServiceFunction,
  { call, deadline, name, system, ...started }: Started,
  { began, inside, log }: FunctionDependencies,
): Run {
  const { caller, context, observation, now, parameters } = call;
  const traceparent = observation.observer?.traceparent?.();
  return createRun({
    left: () => deadline - context.clock.now(),
    async start(runStep, signal) {
      const ended = began?.(`${name} ${observation.requestId}`);
      if (ended !== undefined) signal.addEventListener("abort", ended);
      try {
        return await supplied({
          input: {},
          ...(await started.supplied(runStep)),
          params: parameters,
          caller: { id: caller.id, roles: caller.roles, claims: caller.claims },
          records: recordsFor(context.plan, runStep, (asSystem) => innerOf(inside, call, system || asSystem)),
          fail: (code, details = {}) => fail(context, code, details),
          now: new Date(now),
          log: (message, details) =>
            log(
              `${name} ${observation.requestId}: ${message}${details === undefined ? "" : ` ${JSON.stringify(details)}`}`,
            ),
          request: requestOf(call, traceparent),
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

/** `rawBody` is not enumerable, so that a logged or copied request does not contain the body. */
function requestOf(
  { httpRequest, observation, sent }: Call,
  traceparent: string | undefined,
): FunctionContext["request"] {
  const request = { id: observation.requestId, ...(traceparent === undefined ? {} : { traceparent }) };
  if (sent === undefined) return request;
  return Object.defineProperty(request, "rawBody", {
    get: (): Uint8Array => {
      if (sent.bytes === undefined && announcesBody(httpRequest))
        throw new Error("`rawBody` is not there: the files of the body went to the store as they arrived");
      return sent.bytes ?? new Uint8Array();
    },
  });
}

function runOf(
  supplied: ServiceFunction,
  call: Call,
  { input = {}, row, answer }: About,
  around: FunctionDependencies,
): Run {
  const { operation } = call.compiled;
  const { view } = call.kind.record;
  return start(
    supplied,
    {
      name: operation.name,
      call,
      deadline: call.now + operation.limits.requestMilliseconds,
      system: false,
      async supplied(runStep) {
        const base = { input, ...(answer === undefined ? {} : { answer }) };
        if (row === undefined) return base;
        const perform = async (tx: Transaction): Promise<JsonObject> => {
          const present = await tx.get(view.resource, "id", row["id"] ?? null);
          return JSON.parse(await tx.view(present ?? row, view, call.variables)) as JsonObject;
        };
        return { ...base, record: await runStep({ writes: false, perform }) };
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
    const violations = errors.map(({ pointer, detail: why }) => ({ pointer, code, detail: why }));
    const about = violations.length === 0 ? {} : { violations };
    throw new ApiError(code, { ...about, ...(detail === undefined ? {} : { detail }) });
  }
  throw new TypeError(`\`${code}\` is no error of the document${suggestion(code, Object.keys(plan.errors))}`);
}

/**
 * Converts errors of the function itself to server errors, such as invalid values that it wrote: the caller did not cause them.
 */
function ours(thrown: unknown, name: string): unknown {
  if (thrown instanceof ApiError) {
    if (thrown.code !== "invalid-request") return thrown;
    const details = (thrown.details.violations ?? [])
      .map(({ pointer = "#", detail }) => `${pointer}: ${detail}`)
      .join("; ");
    return new Error(`\`${name}\` asked for what the document does not allow: ${details}`, { cause: thrown });
  }
  return thrown instanceof Error ? thrown : new Error(`\`${name}\` threw what is no error: ${String(thrown)}`);
}

/** Returns random values and ids that are the same in each attempt, so that an id that a function has seen stays valid. */
export function replayed(context: Context): Replayed {
  const drawn = new Map<string, unknown[]>();
  const at = new Map<string, number>();
  const draw = <Drawn>(kind: string, make: () => Drawn): Drawn => {
    const before = getOrMake(drawn, kind, () => []);
    const index = at.get(kind) ?? 0;
    if (index === before.length) before.push(make());
    at.set(kind, index + 1);
    return before[index] as Drawn;
  };
  return {
    chance: {
      newId: (prefix) => draw(prefix, () => context.newId(prefix)),
      random: (bytes) => draw(String(bytes), () => context.random(bytes)),
    },
    rewind: () => at.clear(),
  };
}
