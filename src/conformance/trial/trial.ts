/**
 * What a case can do with the implementation: send requests for operations, make records, bring them into states, look at them. Each
 * response is compared with everything that the document says of any response of its operation.
 *
 * The files of this folder are the methods of a trial, by subject. They call one another through the trial: making a record needs
 * requests, and a request may need records.
 */
import { parseClockDuration } from "../../base/duration.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import { lookup } from "../../language/resources/fields.ts";
import { Broken, NotTried } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import type { Around } from "../permissions.ts";
import { type Contract, type Operation, sunsetOf } from "../contract.ts";
import type { TriggeredTransition } from "../effects.ts";
import type { Scope } from "../expressions.ts";
import { type Interaction, isResponse, type Request, type Response } from "../interaction.ts";
import { baseAddress } from "../request.ts";
import type { Random } from "../random.ts";
import { type BuiltRequest, call, type CallOptions, requestFor } from "./calls.ts";
import { callerFor, callers, lentCallers } from "./callers.ts";
import type { Doubts } from "./doubts.ts";
import { makeTrue } from "./guards.ts";
import { type IncomingOptions, sendIncoming } from "./incoming.ts";
import { type Input, inputFor, inputWhere } from "./inputs.ts";
import type { KnownRecord } from "./known.ts";
import { look, readAs } from "./looking.ts";
import { make, reference, type Wish } from "./records.ts";
import { type MadeTransition, makeTransition } from "./states.ts";
import { findRecord, isOver, presentOf, stopped, syncClock, timeIsOver, type World, worldAt } from "./world.ts";

export interface Trial {
  readonly contract: Contract;
  readonly world: World;
  readonly random: Random;
  /** The requests of this case, in their order. */
  readonly interactions: readonly Interaction[];
  /** The records that the case uses. */
  readonly used: Set<KnownRecord>;
  /** By request: why the service may reject it although it is valid. */
  readonly doubts: WeakMap<Interaction, Doubts>;
  /** The accounts of the callers of the case. */
  readonly accounts: Set<KnownRecord>;
  /** The resources of the records that are being made, the outermost first: each of them for the one before. */
  readonly making: readonly string[];
  /** By what the waits of the case are multiplied: more than 1 if a case runs again because something did not come in time. */
  readonly patience: number;
  /** The index of the first request that is needed to show what follows. */
  readonly start: number;
  /** For a case that tries one value after the other: what came before is not needed to show what follows. */
  startOver(): void;
  /** Returns an operation. @throws NotTried if the document has no endpoint for it */
  operation(name: string): Operation;

  /** Sends a request for an operation, and compares the response with all that the document says of any response of it. */
  call(operation: string, options?: CallOptions): Promise<Interaction>;
  /** Sends an incoming event with its credential. @throws NotTried if the test has none */
  sendIncoming(event: string, payload: JsonObject, options?: IncomingOptions): Promise<Interaction>;
  /** Returns the request that `call` would send, after whatever has to be sent before it. */
  build(operation: string, options?: CallOptions): Promise<BuiltRequest>;
  /** Sends any request, without comparing its response. */
  send(request: Request, caller?: Caller, operation?: string): Promise<Interaction>;
  /** Adds a request that the case has sent by other means than `send`. */
  record(interaction: Interaction): void;
  /** Returns an interaction's response. @throws Broken if there is none */
  responseOf(interaction: Interaction): Response;

  /** Makes a record. @throws NotTried if that does not succeed */
  make(resource: string, wish?: Wish): Promise<KnownRecord>;
  /**
   * Returns a record to which others can refer and that the caller sees; other cases may use it too. `inner`: the resources of which
   * records are being made, which it need not refer to.
   */
  reference(resource: string, caller: Caller, inner?: readonly string[]): Promise<KnownRecord>;
  /** Makes a transition of the record by its operation. @throws NotTried if no input makes its guard true */
  makeTransition(
    record: KnownRecord,
    transition: TriggeredTransition,
    options?: Parameters<typeof makeTransition>[3],
  ): Promise<MadeTransition>;
  /** Changes a record, or one to which it refers, until a condition about it is true. Returns whether it is. */
  makeTrue(record: KnownRecord, condition: TypedExpression): Promise<boolean>;
  /** Reads everything of a record that some caller of the test sees. Returns whether somebody could read it. */
  look(record: KnownRecord): Promise<boolean>;
  /** Reads a record as one caller. Returns whether that caller could. */
  readAs(record: KnownRecord, caller: Caller): Promise<boolean>;

  /** Returns a valid input for an operation. `fixed`: members that must have these values. */
  inputFor(
    operation: string,
    caller: Caller,
    record?: KnownRecord,
    fixed?: Readonly<Record<string, Json>>,
    inner?: readonly string[],
  ): Promise<Input>;
  /** Returns an input with which the condition at a path has this value; undefined if the test finds none. */
  inputWhere(
    operation: string,
    caller: Caller,
    record: KnownRecord | undefined,
    path: string,
    wanted: boolean,
  ): Promise<Input | undefined>;

  /** Returns a caller who may run the operation on the record. @throws NotTried if the test has none */
  callerFor(operation: string, record?: KnownRecord): Promise<Caller>;
  /** Returns all callers that the test has, the anonymous one last. */
  callers(): Promise<readonly Caller[]>;

  /** Returns what the expressions of an operation on the record may read. Without `input`, its members are unknown. */
  scope(caller: Caller, record?: KnownRecord, input?: JsonObject): Scope;
  around(record?: KnownRecord): Around;
  /** Returns the same trial as a client of another version; its requests are among those of this trial. */
  at(version: string): Trial;
  /** Returns the same trial, in which a record of a resource is made. @throws NotTried if too many are being made already */
  trialMaking(resource: string): Trial;
  /**
   * Lets the implementation's time pass. `isExpiryMeant`: even if the test's credentials expire. @throws NotTried without a test
   * clock
   */
  pass(milliseconds: number, options?: { readonly isExpiryMeant?: boolean }): Promise<void>;
}

/** What all trials of one case have in common. */
interface Log {
  readonly interactions: Interaction[];
  readonly used: Set<KnownRecord>;
  readonly accounts: Set<KnownRecord>;
  readonly doubts: WeakMap<Interaction, Doubts>;
  readonly patience: number;
  start: number;
  /** How many records have been made for others since the last one that was made for the case itself. */
  nested: number;
}

export function newLog(patience = 1): Log {
  const known = { interactions: [], used: new Set<KnownRecord>(), accounts: new Set<KnownRecord>() };
  return { ...known, doubts: new WeakMap(), patience, start: 0, nested: 0 };
}

/** How many records of a resource are made at most for one another: a record of a tree, one above it, and one that is chosen for it. */
const mostOfResource = 3;
/** How many records are made at most for one. */
const mostNested = 200;

/** The deviation that the server does not listen any more, or has closed a connection without a response. */
const end = "the end of the server";

export function createTrial(world: World, random: Random, log: Log = newLog(), making: readonly string[] = []): Trial {
  const { contract, target } = world;
  const { interactions, used, accounts, doubts, patience } = log;
  const trial: Trial = {
    ...{ contract, world, random, interactions, used, accounts, doubts, making, patience },
    get start() {
      return log.start;
    },
    operation(name) {
      const found = contract.operations.get(name);
      if (found === undefined) throw new NotTried(`the document has no endpoint for ${name}`);
      return found;
    },
    startOver() {
      log.start = interactions.length;
      used.clear();
    },
    async send(request, caller = anonymous, operation) {
      if (isOver(world)) throw new NotTried(timeIsOver, "a larger --budget");
      const startedAt = target.now();
      const response = await target.send(request);
      const interaction: Interaction = {
        ...{ request, response, startedAt, milliseconds: target.now() - startedAt, caller: caller.name },
        ...(operation === undefined ? {} : { operation }),
      };
      trial.record(interaction);
      return interaction;
    },
    record(interaction) {
      interactions.push(interaction);
      world.all.push(interaction);
      world.observed(interaction);
    },
    responseOf(interaction) {
      const { response, operation } = interaction;
      if (isResponse(response)) return response;
      // A server that has ended is one finding, not one for each request after that.
      const hasEnded = /connection was (?:refused|closed)/.test(response.problem);
      if (hasEnded && response.problem.endsWith("refused") && world.deviations.has(end))
        throw new NotTried("the server has ended");
      if (hasEnded) world.deviations.add(end);
      throw new Broken(
        "a response",
        response.problem,
        interaction,
        operation === undefined ? undefined : `endpoints/endpoints/${operation}`,
      );
    },
    call: (name, options) => call(trial, name, options),
    sendIncoming: (event, payload, options) => sendIncoming(trial, event, payload, options),
    build: (name, options) => requestFor(trial, trial.operation(name), options),
    make: (resource, wish) => make(trial, resource, wish),
    reference: (resource, caller, inner) => reference(trial, resource, caller, inner),
    makeTransition: (record, transition, options) => makeTransition(trial, record, transition, options),
    makeTrue: (record, condition) => makeTrue(trial, record, condition),
    look: (record) => look(trial, record),
    readAs: (record, caller) => readAs(trial, record, caller),
    inputFor: (name, caller, record, fixed, inner) => inputFor(trial, name, caller, record, fixed, inner),
    inputWhere: (name, caller, record, path, wanted) => inputWhere(trial, name, { caller, record, path, wanted }),
    callerFor: (name, record) => callerFor(trial, name, record),
    callers: () => callers(trial),
    around: (record) => ({
      resource: record?.resource,
      record: record?.values,
      find: (resource, id) => findRecord(world, resource, id)?.values,
      now: presentOf(world),
      base: baseAddress(contract, target.address),
    }),
    scope: (caller, record, input) => ({
      ...trial.around(record),
      model: contract.model,
      caller,
      ...(input && { input: input as Readonly<Record<string, Value>> }),
    }),
    at: (version) => createTrial(worldAt(world, version), random, log, making),
    trialMaking(resource) {
      if (isOver(world)) throw new NotTried(timeIsOver, "a larger --budget");
      log.nested = making.length === 0 ? 0 : log.nested + 1;
      // To make a record may need another one, which may need the first one again.
      if (making.filter((one) => one === resource).length >= mostOfResource || log.nested > mostNested)
        throw new NotTried(`to make a record of ${resource}, the test needs another one first`);
      return createTrial(world, random, log, [...making, resource]);
    },
    async pass(time, { isExpiryMeant = false } = {}) {
      // Clocks have whole milliseconds.
      const milliseconds = Math.ceil(time);
      if (target.clock === undefined) throw new NotTried("the case needs time to pass", "a test clock");
      if (world.clock.isStopped) throw new NotTried(stopped);
      if (isOver(world)) throw new NotTried(timeIsOver, "a larger --budget");
      const sunset = contract.version === undefined ? undefined : sunsetOf(contract, contract.version);
      if (sunset !== undefined && presentOf(world) + milliseconds >= sunset)
        throw new NotTried(`the version ${contract.version} ends before that time`);
      const passed = world.clock.ahead - world.clock.start + milliseconds;
      if (!isExpiryMeant && passed >= lifetimeOf(contract, await lentCallers(trial)))
        throw new NotTried("the credentials of the test would expire before that time", "credentials that last longer");
      // A clock counts whole milliseconds.
      await target.clock.advance(Math.ceil(milliseconds));
      await syncClock(world);
    },
  };
  return trial;
}

/** Returns how long new credentials of callers are valid, in milliseconds. */
function lifetimeOf({ model }: Contract, callers: readonly Caller[]): number {
  const credentials = new Set(
    callers.flatMap(({ credential, isRenewed }) => (isRenewed === true ? [] : (credential ?? []))),
  );
  const durations = [...credentials].map((name) => lookup(model.authentication.credentials, name)?.lasts ?? "");
  return Math.min(...durations.map((text) => parseClockDuration(text) ?? Number.POSITIVE_INFINITY));
}
