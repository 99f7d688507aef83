/** Expects the values that a transition sets. */
import type { Json, JsonObject } from "../../base/json.ts";
import type { Caller } from "../caller.ts";
import type { TriggeredTransition } from "../effects.ts";
import { brokenBy } from "../expect.ts";
import { evaluate } from "../expressions.ts";
import { expressionValue, type KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { isAbout } from "../values/same.ts";

/** Expects the values that `set` assigns, as far as the test can compute them. */
export function expectSet(
  trial: Trial,
  { trigger, path, resource }: TriggeredTransition,
  {
    before,
    record,
    input,
    caller,
  }: {
    readonly before: ReadonlyMap<string, Json>;
    readonly record: KnownRecord;
    readonly input: JsonObject;
    /** Who has made the transition. */
    readonly caller: Caller;
  },
): void {
  const { contract } = trial;
  for (const field of Object.keys(trigger.set ?? {})) {
    const typed = contract.typed.get(`${path}/set/${field}`);
    const found = record.values.get(field);
    if (typed === undefined || found === undefined) continue;
    const scope = { ...trial.scope(caller, record, input), record: before, old: before };
    const expected = evaluate(typed, scope)?.value;
    if (expected === undefined) continue;
    const got = expressionValue(contract.model, resource, field, found);
    if (isAbout(expected, got)) continue;
    throw brokenBy(trial, `\`${field}\` with ${JSON.stringify(expected)}`, JSON.stringify(got), `${path}/set/${field}`);
  }
}
