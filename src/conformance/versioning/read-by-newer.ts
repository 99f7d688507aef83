/** What the older version writes, as the newer one reads it. */
import { withArticle } from "../../base/case.ts";
import { isWrittenAlike, type Json, type JsonObject } from "../../base/json.ts";
import { lookup } from "../../language/resources/fields.ts";
import { fieldAt } from "../../language/versioning/conversions.ts";
import { firstResult } from "../attempts.ts";
import { Broken, NotTried, shortText } from "../case.ts";
import { anonymous } from "../caller.ts";
import { supplyFor } from "../trial/inputs.ts";
import type { Trial } from "../trial/trial.ts";
import { validValue } from "../values/valid.ts";
import { converted, isSame, valuesIn } from "./conversions.ts";
import { type Entry, fieldsAt, hasField, isExclusive, subjectOf, targetOf } from "./entry.ts";
import { newerRecord, type Pair, type Reading, readings, spotsOf, type Spot } from "./readings.ts";
import { olderField, olderName } from "./steps.ts";
import { accepts, createWith, expectAccepted, type Path, putAt } from "./writings.ts";

export async function readByNewer(entry: Entry, pair: Pair): Promise<void> {
  const { change, step } = entry;
  const { of, field } = targetOf(change);
  const { newer, older } = pair;
  const subject = subjectOf(entry);
  const name = change.kind === "remove" ? field : olderField(step, { of, field });
  const read = async (spot: Spot): Promise<true | undefined> => {
    const resource = olderName(step, spot.resource);
    const outer = spot.path.map((one) => olderField(step, one) ?? one.field);
    const path = [...outer, ...(name === undefined ? [] : [name])] as unknown as Path;
    const [top] = path;
    if (top === undefined ? name !== undefined : !accepts(older, resource, top))
      throw new NotTried(`no creation of version ${step.older} takes \`${top}\``);
    const { body, interaction, record } = await createWith(
      older,
      resource,
      writingOf(entry, older, resource, path, name),
    );
    expectAccepted(older, interaction, subject);
    if (record === undefined) throw new NotTried(`the test cannot create ${withArticle(resource)}`);
    const written = objectAt(body, outer);
    if (written === undefined) throw new NotTried(`no body of the older version contains ${of}`);
    const all = await readings({ ...pair, newer }, newerRecord(pair, record, spot.resource), spot);
    return all.filter((reading) => expectNewer(entry, pair, reading, written)).length > 0 || undefined;
  };
  const spots = spotsOf(newer.contract, of).filter(({ view }) => view === undefined);
  await firstResult(spots, read, "no creation of the older version shows it");
}

/** Returns how a valid body of the older version becomes one in which the change shows. */
function writingOf(
  { change }: Entry,
  older: Trial,
  resource: string,
  path: Path,
  name: string | undefined,
): (body: JsonObject) => JsonObject {
  if (change.kind === "require") return (body) => putAt(body, path, undefined) as JsonObject;
  if (name === undefined) return (body) => body;
  const of = path.length === 1 ? resource : change.kind === "rename" ? change.from.of : change.target.of;
  const declared = fieldAt(older.contract.model, { of, field: name });
  return (body) => {
    if (declared === undefined || objectAt(body, path.slice(0, -1)) === undefined) return body;
    if (lookup(objectAt(body, path.slice(0, -1)) ?? {}, name) !== undefined) return body;
    const value = validValue(older.contract, declared.type, supplyFor(older, anonymous), "all");
    return value === undefined ? body : (putAt(body, path, value) as JsonObject);
  };
}

function objectAt(value: Json | undefined, path: readonly string[]): JsonObject | undefined {
  const at = Array.isArray(value) ? (value[0] as Json | undefined) : value;
  if (typeof at !== "object" || at === null) return undefined;
  const [first, ...rest] = path;
  return first === undefined ? (at as JsonObject) : objectAt(lookup(at as JsonObject, first), rest);
}

/** Compares a reading of the newer version with what the older one wrote. Returns whether the test knows what it has to be. */
function expectNewer(entry: Entry, pair: Pair, { interaction, newer }: Reading, written: JsonObject): boolean {
  const { change, path, step } = entry;
  const { of, field } = targetOf(change);
  const now = lookup(newer, field);
  const broken = (expected: string): Broken =>
    new Broken(`${expected} in version ${step.newer}`, shortText(now), interaction, path);
  const before = olderField(step, { of, field });
  const sent = before === undefined ? undefined : lookup(written, before);
  switch (change.kind) {
    case "rename":
      if (sent === undefined || !isExclusive(entry)) return now !== undefined;
      if (!isWrittenAlike(sent, now)) throw broken(`\`${field}\` with ${shortText(sent)}`);
      return true;
    case "remove":
      if (!hasField(pair.newer.contract, of, field) && now !== undefined) throw broken(`no member \`${field}\``);
      return true;
    default: {
      if (!("taken" in change) || change.taken === undefined) return change.kind === "add";
      const olderOf = olderName(step, of);
      const values = new Map(valuesIn(written, fieldsAt(pair.older.contract, olderOf)));
      if (sent !== undefined) values.set("value", sent);
      if (sent === undefined && change.kind === "retype") return false;
      const value = converted(entry.contract, `${path}/taken`, { trial: pair.older, of: olderOf, values });
      // A field that the caller does not see shows nothing.
      if (value === undefined || now === undefined) return false;
      if (!isSame(pair.newer.contract, of, field, now, value.value))
        throw broken(`\`${field}\` with ${shortText(value.value as Json)}`);
      return true;
    }
  }
}
