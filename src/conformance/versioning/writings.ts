/** What callers of a version write: creations with or without a certain field. */
import { withArticle } from "../../base/case.ts";
import { ifPossible } from "../attempts.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { fieldsOf, isDistinguishing, isServerSet, lookup, referenceOf } from "../../language/resources/fields.ts";
import type { Field } from "../../language/resources/model.ts";
import { Broken, NotTried } from "../case.ts";
import { anonymous } from "../caller.ts";
import { isError, statusText } from "../errors/expected.ts";
import type { Interaction } from "../interaction.ts";
import { supplyFor } from "../trial/inputs.ts";
import { type KnownRecord, textOf } from "../trial/known.ts";
import { membersOf } from "../trial/learning.ts";
import { type Creation, creatorFor, creatorsOf, sendCreation } from "../trial/records.ts";
import type { Trial } from "../trial/trial.ts";
import { distinctValue, validValue } from "../values/valid.ts";

/** A member of a body: the fields that lead to it, the innermost last. */
export type Path = readonly [string, ...string[]];

/** Sends a creation whose body is changed. */
export async function createWith(
  trial: Trial,
  resource: string,
  change: (body: JsonObject) => JsonObject,
): Promise<Creation> {
  const called = creatorOf(trial, resource);
  const caller = await creatorFor(trial, called, {});
  if (caller === undefined) throw new NotTried(`no caller of the test can create ${withArticle(resource)}`);
  return sendCreation(trial, called, caller, { change });
}

function creatorOf(trial: Trial, resource: string): ResourceEndpoint {
  const [called] = creatorsOf(trial, resource);
  if (called === undefined) throw new NotTried(`no operation creates ${withArticle(resource)}`);
  return called;
}

/** Whether a creation of the resource takes the field. */
export function accepts(trial: Trial, resource: string, field: string): boolean {
  return membersOf(trial.contract, creatorOf(trial, resource)).some(({ name, sets }) => name === field && sets);
}

/** Makes a record whose value at a path is there, if a client can set it. `value`: the value that it has to have. */
export async function makeWith(
  trial: Trial,
  resource: string,
  [top, ...inner]: Path,
  value?: Json,
): Promise<KnownRecord> {
  const field = lookup(fieldsOf(trial.contract.model, resource), top);
  const isSettable =
    field !== undefined && !isServerSet(field) && referenceOf(trial.contract.model, field.type) === undefined;
  const filled = isSettable ? fullValue(trial, resource, top, field) : undefined;
  const [last] = inner;
  const wanted =
    value === undefined ? filled : last === undefined ? value : putAt(filled, inner as unknown as Path, value);
  const record =
    wanted === undefined ? undefined : await ifPossible(() => trial.make(resource, { values: { [top]: wanted } }));
  if (record !== undefined) return record;
  if (value !== undefined)
    throw new NotTried(`the test cannot make ${withArticle(resource)} whose ${top} has the value`);
  return trial.make(resource);
}

/** Returns a value of the field with all the members that it can have. */
export function fullValue(trial: Trial, resource: string, name: string, { type }: Field): Json | undefined {
  const { contract, world } = trial;
  const supply = supplyFor(trial, anonymous);
  return isDistinguishing(contract.model, resource, name)
    ? distinctValue(contract, type, supply, world.count())
    : validValue(contract, type, supply, "all");
}

/** Returns a copy of an object with a value at a path, or without one; in a list, in its first item. */
export function putAt(around: Json | undefined, [first, ...rest]: Path, value: Json | undefined): Json {
  if (Array.isArray(around)) {
    const [item, ...others] = around as readonly Json[];
    return item === undefined ? around : [putAt(item, [first, ...rest], value), ...others];
  }
  const object: JsonObject = isObject(around) ? around : {};
  const [next] = rest;
  const inner = next === undefined ? value : putAt(lookup(object, first), rest as unknown as Path, value);
  const others = Object.entries(object).filter(([name]) => name !== first);
  return Object.fromEntries(inner === undefined ? others : [...others, [first, inner]]);
}

// ── Deviations that are about a change ─────────────────────────────────────────────────────────────────────────────

/** What a change is about: the path of its statement, and the names of its member in both versions. */
export interface Subject {
  readonly path: string;
  readonly names: readonly string[];
}

/** Runs a part of a case. A response that is otherwise in a member of the change breaks the change. */
export async function about<Result>({ names, path }: Subject, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (thrown) {
    if (!(thrown instanceof Broken) || thrown.path === undefined) throw thrown;
    const text = `${thrown.path} ${thrown.expected} ${thrown.got}`;
    if (!names.some((name) => text.includes(`\`${name}\``) || thrown.path?.endsWith(`/${name}`) === true)) throw thrown;
    throw new Broken(thrown.expected, thrown.got, thrown.interaction, path);
  }
}

/** The errors of a member that a change is about. */
const aboutMember: ReadonlySet<unknown> = new Set([
  "unknown-field",
  "required",
  "read-only",
  "wrong-type",
  "not-one-of",
]);

/**
 * Expects success of a request with the names and values of a version. `isValid`: whether the newer version accepts the value too, so
 * that no error of the member is right.
 *
 * @throws Broken if a member of the change is rejected
 */
export function expectAccepted(
  trial: Trial,
  interaction: Interaction,
  { names, path }: Subject,
  isValid = false,
): void {
  const { json, status } = trial.responseOf(interaction);
  if (status < 300) return;
  const got = statusText(trial.contract, trial.responseOf(interaction));
  const errors = isObject(json) ? lookup(json, "errors") : undefined;
  const entries = Array.isArray(errors) ? (errors as readonly Json[]).filter(isObject) : [];
  const isInvalid = isError(trial.contract, trial.responseOf(interaction), "invalid-request", interaction.operation);
  const entry = (isInvalid ? entries : []).find(
    ({ code, pointer }) =>
      (isValid || aboutMember.has(code)) && names.some((name) => textOf(pointer).endsWith(`/${name}`)),
  );
  const operation = interaction.operation ?? "the service";
  if (entry === undefined) throw new NotTried(`${operation} answered ${got} in version ${trial.contract.version}`);
  throw new Broken(
    `success of ${operation} in version ${trial.contract.version}`,
    `${got}: ${textOf(entry["code"])} at ${textOf(entry["pointer"])}`,
    interaction,
    path,
  );
}
