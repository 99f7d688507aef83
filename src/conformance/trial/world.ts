/** What the test has made in the implementation, and what it knows of it: records, callers, entity tags. */
import type { Json } from "../../base/json.ts";
import { getOrMake } from "../../base/once.ts";
import type { Caller } from "../caller.ts";
import { NotTried } from "../case.ts";
import { type Contract, contractOf } from "../contract.ts";
import type { Interaction } from "../interaction.ts";
import type { KnownRecord } from "./known.ts";
import type { Target } from "../target.ts";

/** What all worlds of a run have in common. */
export interface RunState {
  readonly target: Target;
  /** The callers who sign their requests, by credential: a signature counts once, whichever worker sends it. */
  readonly signers: Map<string, Caller>;
  /** Counts everything that has to be distinct. */
  readonly count: () => number;
  /** All requests of the run in this version with their responses, those of other workers too. */
  readonly all: Interaction[];
  /** The deviations that were reported, as `deviation` of `Broken` names them: cases go on in spite of them. */
  readonly deviations: Set<string>;
  /** How many optional members the bodies of an operation have, if the implementation rejects bodies with only some. */
  readonly memberSets: Map<string, "all" | "required">;
  /** The interactions in which an error came as a case expected it, by its code and by the path of its body. */
  readonly provoked: Map<string, Interaction[]>;
  /** The resources of which no record appears, whatever the test does. */
  readonly notAppearing: Set<string>;
  /** The records of which a caller may create one alone, by resource and id. */
  readonly onlyRecords: Map<string, OnlyRecord>;
  /** The implementation's clock. */
  readonly clock: ClockState;
  /** Called for each request and its response. */
  readonly observed: (interaction: Interaction) => void;
  /** Until when a case may run, or wait for a rate limit, in milliseconds since 1970. */
  readonly deadline: number;
}

/** A record that one world alone may change at a time, since all worlds have the same callers; undefined before its creation. */
interface OnlyRecord {
  readonly world: World;
  readonly record: KnownRecord | undefined;
}

/** The callers of a world, whatever the version. */
interface Accounts {
  /** Callers that the test signed up itself, by credential, roles and number. */
  readonly signedUp: Map<string, Promise<Caller | undefined>>;
  /** The callers with tokens of the clients that the target lends. */
  readonly clients: Map<Caller, Promise<Caller | undefined>>;
  /** The records of callers that the test signed up itself. */
  readonly accounts: Map<Caller, KnownRecord>;
  /** The sessions of callers that the test signed up itself. */
  readonly sessions: Map<Caller, Session>;
}

export interface World extends RunState, Accounts {
  readonly contract: Contract;
  /** All records that the test has made, the oldest first. */
  readonly records: KnownRecord[];
  /** Records that were made so that others can refer to them. */
  readonly references: KnownRecord[];
  /** Records that time brought into a state together with another one, for cases that need one in that state. */
  readonly stock: KnownRecord[];
  /** The last entity tag of each record, by caller. */
  readonly tags: WeakMap<KnownRecord, Map<Caller, string>>;
  /** Whether a broken case runs again for a short list of requests: records that have been changed are not changed again then. */
  readonly isAgain?: true;
  /** The worlds of other versions, by name. */
  readonly versions: Map<string, World>;
}

export interface Session {
  token: string;
  /** When the session began, in milliseconds since 1970 by the service's clock. */
  since: number;
  /** How long a token lasts, in milliseconds. */
  readonly milliseconds: number;
  /** Whether the token is certainly not accepted any more. */
  isOver: boolean;
  /** Gets another token; undefined if the service issues none. */
  readonly renew: () => Promise<string | undefined>;
  /** The trial that sends the requests of `renew`. */
  readonly madeBy: object;
  /** The renewal that runs now, for the trials of other cases. */
  renewal?: Promise<void> | undefined;
}

export interface ClockState {
  /** The first value of `ahead` in this run. */
  readonly start: number;
  /** How far the implementation's clock is ahead of this machine's, in milliseconds. */
  ahead: number;
  /** Whether no case may let time pass now, because others run at the same time. */
  isStopped: boolean;
}

/** The reason of a case that has to wait until it may let time pass. */
export const stopped = "other cases run at the same time";

/** The reason of what the budget has no time for. */
export const timeIsOver = "the test ran out of time";

/** Whether no case may send more requests. */
export function isOver({ deadline, target }: Pick<RunState, "deadline" | "target">): boolean {
  return target.now() > deadline;
}

/** Returns a world without records. `accounts`: its callers, if it has some already. */
export function newWorld(
  contract: Contract,
  run: RunState,
  { signedUp, clients, accounts, sessions }: Accounts = noAccounts(),
): World {
  const made = { records: [], references: [], stock: [], tags: new WeakMap(), versions: new Map() };
  return { ...run, contract, signedUp, clients, accounts, sessions, ...made };
}

function noAccounts(): Accounts {
  return { signedUp: new Map(), clients: new Map(), accounts: new Map(), sessions: new Map() };
}

/** Returns the world of another version: with the same callers and the same clock, but with records of its own. */
export function worldAt(world: World, version: string): World {
  const { contract, versions } = world;
  if (version === contract.version) return world;
  // The names of errors may be others, so what is said of all responses of the run is not said of these.
  return getOrMake(versions, version, () =>
    newWorld(contractOf(contract.model, contract.places, version), { ...world, all: [], provoked: new Map() }, world),
  );
}

/** Finds the record with an id among those that the test made; of some records the test does not know the id. */
export function findRecord(world: World, resource: string, id: Json | undefined): KnownRecord | undefined {
  if (id === undefined) return undefined;
  return recordsOf(world, resource).findLast(({ values }) => values.get("id") === id);
}

/** Returns the only record with an id, if a world has made it. @throws NotTried if another world that runs now makes or changes it */
export function findOnlyRecord(world: World, resource: string, id: string): KnownRecord | undefined {
  const known = world.onlyRecords.get(`${resource} ${id}`);
  if (known === undefined || known.record?.isDeleted === true) return undefined;
  if (known.world === world) return known.record;
  if (world.clock.isStopped) throw new NotTried(stopped);
  if (known.record !== undefined) {
    reserveOnlyRecord(world, resource, id, known.record);
    if (!world.records.includes(known.record)) world.records.push(known.record);
  }
  return known.record;
}

/** Makes the world the one that may change the only record with an id. */
export function reserveOnlyRecord(world: World, resource: string, id: string, record?: KnownRecord): void {
  world.onlyRecords.set(`${resource} ${id}`, { world, record });
}

/** Records by their resources, up to a number of all records. Records are only added, and a record stays of its resource. */
interface Index {
  readonly byResource: Map<string, KnownRecord[]>;
  count: number;
}

const indexes = new WeakMap<readonly KnownRecord[], Index>();

/** Returns the records of a resource that the test made, the oldest first. A large document has many others. */
export function recordsOf({ records }: World, resource: string): readonly KnownRecord[] {
  const index = indexes.get(records) ?? { byResource: new Map<string, KnownRecord[]>(), count: 0 };
  indexes.set(records, index);
  for (const record of records.slice(index.count)) getOrMake(index.byResource, record.resource, () => []).push(record);
  index.count = records.length;
  return index.byResource.get(resource) ?? [];
}

/** Returns the service's present. */
export function presentOf({ target, clock }: World): number {
  return target.now() + clock.ahead;
}

/** How often the test reads the clock of the implementation while the response takes longer than this, in milliseconds. */
const quickly = { mostReadings: 3, milliseconds: 50 };

/** Reads the clock of the implementation, which another worker may have moved. */
export async function syncClock(world: World): Promise<void> {
  if (world.target.clock !== undefined) world.clock.ahead = await aheadOf(world.target);
}

/** Returns how far the clock of the implementation is ahead, at least: a slow response shows a time of the past. */
export async function aheadOf({ clock, now }: Target): Promise<number> {
  let ahead = clock === undefined ? 0 : Number.NEGATIVE_INFINITY;
  for (let count = 0; clock !== undefined && count < quickly.mostReadings; count += 1) {
    const before = now();
    const time = await clock.now();
    ahead = Math.max(ahead, time - now());
    if (now() - before <= quickly.milliseconds) break;
  }
  return ahead;
}
