/** The callers of the test that receive events, which events the document allows them, and which have arrived. */
import { typeCondition } from "../../language/analysis/expressions.ts";
import type { Grant } from "../../language/authentication/model.ts";
import { Broken, NotTried } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import { admits, anyOf } from "../permissions.ts";
import type { Contract } from "../contract.ts";
import { truth } from "../expressions.ts";
import type { KnownRecord } from "../trial/known.ts";
import { patienceOf } from "../trial/patience.ts";
import type { Trial } from "../trial/trial.ts";
import { type ArrivedEvent, type Channel, isAbout, outPath } from "./event.ts";

/** Somebody who receives events through a channel. */
export interface Observer {
  readonly channel: Channel;
  readonly receiver: Caller;
  /** Returns what has arrived so far. @throws Broken if something is no event of the document, or is not signed */
  events(): readonly ArrivedEvent[];
  /** Waits until something arrives, at most this long. */
  next(milliseconds: number): Promise<void>;
  /** Returns why nothing may have arrived although the implementation has sent it; undefined if that is impossible. */
  obstacle(): Promise<string | undefined>;
  /** What the implementation shows of what it has not delivered yet: it has not tried to, or an attempt has failed. */
  pending(): Promise<"untried" | "failed" | undefined>;
  close(): Promise<void>;
}

/** Returns whom the document lets receive events through a channel. */
export function grantsOf({ model }: Contract, channel: Channel): readonly Grant[] {
  return model.events.delivery?.[channel]?.for ?? [];
}

/**
 * Returns callers who may receive events: one whom no condition restricts, and two for whom a condition decides about each record.
 *
 * @throws NotTried if the test has none
 */
export async function receivers(trial: Trial, channel: Channel): Promise<readonly Caller[]> {
  const grants = grantsOf(trial.contract, channel);
  const all = (await trial.callers()).filter((caller) => channel === "stream" || caller.signedIn);
  const admitted = all.filter((caller) => grants.some((grant) => admits(grant, caller)));
  const isFree = (caller: Caller): boolean => grants.some((grant) => grant.if === undefined && admits(grant, caller));
  const [free] = admitted.filter(isFree);
  const bound = admitted.filter((caller) => !isFree(caller));
  const pair = bound.filter(({ roles }) => roles.join() === bound[0]?.roles.join()).slice(0, 2);
  if (free !== undefined || pair.length > 0) return [...(free === undefined ? [] : [free]), ...pair];
  const roles = grants.flatMap(({ who }) => (who.kind === "role" ? [who.role] : []));
  throw new NotTried(
    "no caller of the test may receive events",
    roles.length === 0 ? "a credential" : `a credential with the role ${roles.join(" or ")}`,
  );
}

/** Returns who should make records, so that callers for whom a condition decides receive their events. */
export function creatorAmong(contract: Contract, channel: Channel, receivers: readonly Caller[]): Caller | undefined {
  const grants = grantsOf(contract, channel);
  return receivers.find(
    (caller) => caller !== anonymous && !grants.some((grant) => grant.if === undefined && admits(grant, caller)),
  );
}

/** Returns whether the document lets a caller receive the events about a record; undefined if the test cannot know that. */
export function receives(
  trial: Trial,
  channel: Channel,
  caller: Caller,
  { resource, values }: Pick<KnownRecord, "resource" | "values">,
): boolean | undefined {
  const { contract } = trial;
  return anyOf(
    grantsOf(contract, channel).map((grant) => {
      if (!admits(grant, caller)) return false;
      if (grant.if === undefined) return true;
      const condition = conditionFor(contract, grant.if, resource);
      const scope = { ...trial.scope(caller), resource, record: values };
      return condition === undefined ? undefined : truth(condition, scope);
    }),
  );
}

/** Types a condition for a resource: the word `own` means another condition for each. */
function conditionFor({ model, typed }: Contract, text: string, resource: string) {
  try {
    return typeCondition(model, text, resource, { typed });
  } catch {
    // An older version may lack what the condition of the newest one needs.
    return undefined;
  }
}

/** Waits until the condition is true of the events that have arrived. Returns false if it is not true in time. */
export async function arrives(
  trial: Trial,
  observer: Observer,
  isEnough: (events: readonly ArrivedEvent[]) => boolean,
  milliseconds: number = patienceOf(trial),
): Promise<boolean> {
  const { now } = trial.world.target;
  const end = now() + milliseconds;
  while (!isEnough(observer.events())) {
    const left = end - now();
    if (left <= 0) return false;
    await observer.next(left);
  }
  return true;
}

/** How much longer the test waits if the implementation shows that it is late. */
const lateFactor = 5;

/** Waits for an event about a record. @throws Broken if it does not arrive */
export async function expectEvent(
  trial: Trial,
  observer: Observer,
  type: string,
  record: KnownRecord,
  path: string = outPath(trial.contract, type),
): Promise<ArrivedEvent> {
  const matching = (): readonly ArrivedEvent[] =>
    eventsAbout(trial, observer, record).filter((one) => one.type === type);
  const isThere = (): boolean => matching().length > 0;
  if (await arrives(trial, observer, isThere)) return matching()[0] as ArrivedEvent;
  const obstacle = await observer.obstacle();
  if (obstacle !== undefined) throw new NotTried(obstacle, receiverRemedy);
  const isLate = (await observer.pending()) !== undefined;
  if (isLate) await arrives(trial, observer, isThere, lateFactor * patienceOf(trial));
  // It may have arrived while the test asked whether it is late.
  const [event] = matching();
  if (event !== undefined) return event;
  // A receiver on a busy machine may answer too late.
  if (isLate && (await observer.pending()) === "failed")
    throw new NotTried("an attempt to deliver the event has failed");
  const others = eventsAbout(trial, observer, record).map((one) => one.type);
  const seconds = patienceOf(trial) / 1000;
  throw new Broken(
    `the event ${type} by ${observer.channel} for ${observer.receiver.name}`,
    `none within ${seconds} s${others.length === 0 ? "" : `, only ${[...new Set(others)].join(", ")}`}`,
    undefined,
    path,
  );
}

/** Returns what has arrived about a record, and what may be about it. */
export function eventsAbout({ contract }: Trial, observer: Observer, record: KnownRecord): readonly ArrivedEvent[] {
  return observer.events().filter((event) => isAbout(contract, event, record) !== false);
}

export const receiverRemedy = "a receiver that the implementation can reach: --receiver";
