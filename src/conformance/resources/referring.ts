/** Makes records that refer to a certain record. */
import { withArticle } from "../../base/case.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { boundFields } from "../../language/endpoints/input.ts";
import { innermost } from "../../language/resources/fields.ts";
import type { Field } from "../../language/resources/model.ts";
import { NotTried } from "../case.ts";
import { expectSuccess } from "../expect.ts";
import type { KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { expectAccepted } from "./outcome.ts";
import { creationsOf, sendWrite, sets } from "./writing.ts";

/** A field that refers to records of another resource. */
export interface Reference {
  readonly resource: string;
  readonly name: string;
  readonly field: Field;
  /** Whether the reference is inside a list or a map. */
  readonly isInside: boolean;
}

/** Makes a record that refers to another one. Returns undefined if it exists, but no operation is about it. */
export async function makeReferring(
  trial: Trial,
  reference: Reference,
  target: KnownRecord,
): Promise<KnownRecord | undefined> {
  return (await createReferring(trial, reference, target)) ?? link(trial, reference, target);
}

/** Creates a record that refers to another one, with these values; undefined if no operation does that. */
export async function createReferring(
  trial: Trial,
  { field, isInside, name, resource }: Reference,
  target: KnownRecord,
  values: JsonObject = {},
): Promise<KnownRecord | undefined> {
  const { contract } = trial;
  const id = target.values.get("id");
  for (const write of creationsOf(contract, resource)) {
    const { called } = write;
    const isBound = called.parents.at(-1)?.field === name && boundFields(contract.model, called).includes(name);
    const isSet = sets(write, name);
    if (!isBound && (!isSet || id === undefined)) continue;
    const value: Json = isInside && id !== undefined ? valueAround(field, id) : (id as Json);
    const written = await sendWrite(trial, write, {
      ...(isBound ? { parent: target, values } : { values: { ...values, [name]: value } }),
      isValid: true,
    });
    // Another record may have the chosen values already.
    if (Object.keys(values).length > 0 && written.response.status >= 300)
      throw new NotTried(`the test has no ${resource} with these values`);
    expectAccepted(trial, written, `${withArticle(resource)} with this reference to be accepted`);
    if (written.record !== undefined) return written.record;
  }
  return undefined;
}

/** Returns a value of a field that contains the id, inside lists and maps if necessary. */
export function valueAround({ type }: Pick<Field, "type">, id: Json): Json {
  return innermost(type).enclosing.reduceRight<Json>(
    (inner, kind) => (kind === "list" ? [inner] : { name: inner }),
    id,
  );
}

/** Makes a record by an operation that links one to the target. */
async function link(
  trial: Trial,
  { name, resource }: Pick<Reference, "name" | "resource">,
  target: KnownRecord,
): Promise<undefined> {
  const found = [...trial.contract.operations.values()].find(
    ({ endpoint, resource: of }) =>
      of === target.resource && endpoint.link?.in === resource && endpoint.link.with[name] === "id",
  );
  if (found === undefined)
    throw new NotTried(`no operation creates ${withArticle(resource)} that refers to a chosen record`);
  expectSuccess(trial, await trial.call(found.operation, { record: target }));
  return undefined;
}
