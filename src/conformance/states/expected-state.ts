/** What the next reading of a record has to show of its state. */
import { withArticle } from "../../base/case.ts";
import type { Json } from "../../base/json.ts";
import { NotTried } from "../case.ts";
import { brokenBy } from "../expect.ts";
import { type KnownRecord, textOf } from "../trial/known.ts";
import { isSoon, momentOf } from "../trial/patience.ts";
import type { Trial } from "../trial/trial.ts";

/** Expects the record in a state, as the next reading shows it. @throws NotTried if no response shows the state */
export async function expectState(trial: Trial, record: KnownRecord, state: string): Promise<void> {
  return expectStateIn(trial, record, [state]);
}

/** States in which a record may be; a function if they depend on the time of the reading. */
type States = readonly string[] | (() => readonly string[]);

export async function expectStateIn(trial: Trial, record: KnownRecord, states: States): Promise<void> {
  if (!(await expectObservedState(trial, record, states)))
    throw new NotTried(`no response shows the state of ${withArticle(record.resource)}`);
}

/** Expects one of the states to which time moves the record: this may be the task of another process. */
export async function expectStateSoon(trial: Trial, record: KnownRecord, states: States): Promise<void> {
  await isSoon(
    trial,
    async () => {
      record.values.delete("state");
      await trial.look(record);
      const found = record.values.get("state");
      return found === undefined || expectedOf(states).includes(textOf(found));
    },
    momentOf(trial),
  );
  await expectStateIn(trial, record, states);
}

function expectedOf(states: States): readonly string[] {
  return typeof states === "function" ? states() : states;
}

/** Expects one of the states, if some response shows the state; returns whether one does. */
export async function expectObservedState(trial: Trial, record: KnownRecord, states: States): Promise<boolean> {
  const before = record.values.get("state");
  record.values.delete("state");
  await trial.look(record);
  const found: Json | undefined = record.values.get("state");
  if (found === undefined) {
    if (before !== undefined) record.values.set("state", before);
    return false;
  }
  const expected = expectedOf(states);
  if (expected.includes(textOf(found))) return true;
  throw brokenBy(trial, `the state ${expected.join(" or ")}`, textOf(found));
}
