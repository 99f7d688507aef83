/** What the newer version writes, as the older one reads it: both read the same record, and the entry says how the readings differ. */
import { isWrittenAlike, type Json, type JsonObject } from "../../base/json.ts";
import { lookup } from "../../language/resources/fields.ts";
import { fieldAt } from "../../language/versioning/conversions.ts";
import { typeOf } from "../../language/versioning/model-at-version.ts";
import { firstResult } from "../attempts.ts";
import { Broken, NotTried, shortText } from "../case.ts";
import type { KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { converted, isSame, rounded, valuesIn } from "./conversions.ts";
import { type Entry, fieldsAt, hasField, isExclusive, targetOf } from "./entry.ts";
import { valuesBeyond } from "./former-type.ts";
import { type Pair, type Reading, readings, type Spot, spotsOf } from "./readings.ts";
import { olderField, olderName } from "./steps.ts";
import { createWith, makeWith, type Path, putAt } from "./writings.ts";

/** What a reading of one version has to be, and what it is; undefined if it is as it has to be. */
type Difference = { readonly expected: string; readonly got: string } | undefined;

/** Thrown if the test does not know what a reading has to be. */
class Unknown extends Error {}

export async function readByOlder(entry: Entry, pair: Pair): Promise<void> {
  const { of, field } = targetOf(entry.change);
  const read = async (spot: Spot): Promise<true | undefined> => {
    const record = await makeVisible(entry, pair, spot, field);
    await pair.newer.look(record);
    const all = await readings(pair, record, spot);
    return all.filter((reading) => expectOlder(entry, pair, reading)).length > 0 || undefined;
  };
  await firstResult(spotsOf(pair.newer.contract, of), read, "no response of both versions shows it");
}

/** Makes a record of the newer version in which the change shows. */
async function makeVisible({ change }: Entry, { newer, older }: Pair, spot: Spot, field: string): Promise<KnownRecord> {
  const { resource } = spot;
  const [top = field, ...inner] = spot.path.map((one) => one.field);
  const path: Path = spot.path.length === 0 ? [field] : [top, ...inner, field];
  switch (change.kind) {
    case "add-value":
      return makeWith(newer, resource, path, change.value);
    case "relax": {
      const was = change.was === undefined ? undefined : typeOf(change.was);
      if (was === undefined) return makeWithout(newer, resource, path);
      const now = fieldAt(newer.contract.model, { of: change.target.of, field });
      const values = now === undefined ? [] : valuesBeyond(newer, older.contract, now, was);
      const attempt = (value: Json): Promise<KnownRecord> => makeWith(newer, resource, path, value);
      return firstResult(values, attempt, "the test finds no value that the older version does not know");
    }
    default:
      return makeWith(newer, resource, path);
  }
}

async function makeWithout(trial: Trial, resource: string, path: Path): Promise<KnownRecord> {
  const { interaction, record } = await createWith(
    trial,
    resource,
    (body) => putAt(body, path, undefined) as JsonObject,
  );
  if (record !== undefined) return record;
  throw new NotTried(`${interaction.operation ?? resource} rejects a record without the field`);
}

/** Compares a reading of the older version with that of the newer one. Returns whether the test knows what it has to be. */
function expectOlder(entry: Entry, pair: Pair, reading: Reading): boolean {
  try {
    const difference = olderDifference(entry, pair, reading);
    if (difference === undefined) return true;
    throw new Broken(
      `${difference.expected} in version ${pair.step.older}`,
      difference.got,
      reading.interaction,
      entry.path,
    );
  } catch (thrown) {
    if (thrown instanceof Unknown) return false;
    throw thrown;
  }
}

function olderDifference(entry: Entry, pair: Pair, { newer, older }: Reading): Difference {
  const { change, path, step } = entry;
  const { of, field } = targetOf(change);
  const now = lookup(newer, field);
  const isOtherThere = hasField(pair.older.contract, olderName(step, of), field);
  if (change.kind === "add") return isOtherThere ? undefined : without(older, field);
  const name = change.kind === "remove" ? field : (olderField(step, { of, field }) ?? field);
  const then = lookup(older, name);
  const seen = "seen" in change ? change.seen : undefined;
  const side = { trial: pair.newer, of, values: valuesIn(newer, fieldsAt(pair.newer.contract, of)) };
  const expectObservation = (): Difference => {
    const value = converted(entry.contract, `${path}/seen`, side);
    const was = fieldAt(pair.older.contract.model, { of: olderName(step, of), field: name });
    if (value === undefined || was === undefined) throw new Unknown();
    const expected = rounded(was, value.value);
    if (isSame(pair.older.contract, olderName(step, of), name, then, expected)) return undefined;
    return { expected: `\`${name}\` with ${shortText(expected as Json)}`, got: shortText(then) };
  };
  switch (change.kind) {
    case "rename":
      if (now === undefined) throw new Unknown();
      if (then === undefined) return { expected: `the member \`${name}\``, got: "no such member" };
      if (isExclusive(entry) && !isWrittenAlike(now, then))
        return { expected: `\`${name}\` with ${shortText(now)}`, got: shortText(then) };
      return isOtherThere ? undefined : without(older, field);
    case "remove":
      if (seen === undefined) throw new Unknown();
      return expectObservation();
    case "retype":
      if (now === undefined || now === null) throw new Unknown();
      if (seen !== undefined) return expectObservation();
      return typeof now === "number" ? expectNumber(entry, pair, name, now, then) : same(name, now, then);
    case "relax":
      if (seen === undefined) return same(name, now, then);
      return expectObservation();
    case "add-value": {
      if (now === change.value) return expectObservation();
      throw new Unknown();
    }
    default:
      throw new Unknown();
  }
}

function expectNumber(entry: Entry, pair: Pair, name: string, now: number, then: Json | undefined): Difference {
  const { of } = targetOf(entry.change);
  const was = fieldAt(pair.older.contract.model, { of: olderName(pair.step, of), field: name });
  return same(name, was === undefined ? now : (rounded(was, now) as Json), then);
}

function same(name: string, now: Json | undefined, then: Json | undefined): Difference {
  if (isWrittenAlike(now ?? null, then ?? null)) return undefined;
  return { expected: `\`${name}\` with ${shortText(now)}`, got: shortText(then) };
}

function without(observed: JsonObject, name: string): Difference {
  const found = lookup(observed, name);
  return found === undefined ? undefined : { expected: `no member \`${name}\``, got: shortText(found) };
}
