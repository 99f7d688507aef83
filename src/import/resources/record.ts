/** Derives the record of a group of operations: its fields, its key, and who sets each field. */
import { camelCase, wordsOf } from "../../base/case.ts";
import { isWrittenAlike, type Json, type JsonObject } from "../../base/json.ts";
import { bareType, lookup } from "../../language/resources/fields.ts";
import type { Field, FieldType, Modifier, Rule } from "../../language/resources/model.ts";
import type { NoticeKind } from "../report.ts";
import { allowsNull, fieldType, literalOf, descriptionOf } from "./fields.ts";
import { fits, type Member, type NamedSchemas, plainSchema, type Shape } from "./schema.ts";
import { isReason, type Reason } from "./answers.ts";

/** The objects in the bodies and answers of a group, as far as it has them. */
export interface RecordShapes {
  /** Whether an action creates the records. Else a function, an import of rows or existing tables do, and set every field. */
  readonly isCreated: boolean;
  readonly create?: Shape;
  /** Whether the creation is a `PUT` to the path of a record, which has its key. */
  readonly isUpsert: boolean;
  /** The bodies of changes and replacements. */
  readonly changes: readonly Shape[];
  /** The answers, the most complete one first. */
  readonly answers: readonly Shape[];
  /** The parameter of the path that names one record. */
  readonly parameter?: string;
  /** The last segment of the path of the collection. */
  readonly segment: string;
  readonly parent?: ParentRecord;
  /** The parameters before the collection, if no record is above it, with the segments above them and their schemas. */
  readonly pathFields: readonly { readonly parameter: string; readonly above: string; readonly schema: Json }[];
}

/** The record that a path names before the collection. */
export interface ParentRecord {
  readonly resource: string;
  /** The name of the parameter in the source. */
  readonly parameter: string;
  /** The schema of its id, if paths name it by its id. */
  readonly id?: Json;
}

export interface RecordDraft {
  readonly fields: Readonly<Record<string, Field>>;
  /** The schema of each field in the source. */
  readonly schemas: Readonly<Record<string, Json>>;
  /** The field that a path names a record by; `id` if none does. */
  readonly key: string;
  readonly isCreated: boolean;
  /** Who chooses the key: the service, the body of a creation, or the path of a `PUT`. */
  readonly chosenBy: "service" | "body" | "path";
  /** Whether the source has the member `id`. Else the id is Nonet's own, and no answer has it. */
  readonly hasId: boolean;
  /** The field that refers to the parent, and the member of answers that means it. */
  readonly parent?: { readonly field: string; readonly resource: string; readonly member?: string };
  /** The fields that the parameters before the collection mean. An answer has those that are members of the source. */
  readonly pathFields: readonly { readonly parameter: string; readonly field: string; readonly isMember: boolean }[];
  readonly rules: readonly Rule[];
  readonly guesses: readonly { readonly kind: NoticeKind; readonly what: string; readonly detail: string }[];
}

/** Returns the member that the path parameter means; undefined if no member is certain. */
export function keyOf(shape: Shape, parameter: string, segment: string): string | undefined {
  const names = [...shape.members.keys()];
  const written = joined(parameter);
  // Of `copilot-spaces` the parameter may also be `space_number`.
  const thing = [segment, wordsOf(segment).at(-1) ?? segment].flatMap((one) => singulars(joined(one)));
  const has = (wanted: string): string | undefined => names.find((name) => joined(name) === wanted);
  const exact = names.find((name) => name === parameter) ?? has(written);
  if (exact !== undefined) return exact;
  if (/^(?:.*[a-z0-9]_?id|.*I[dD])$/.test(parameter) && has("id") !== undefined) return has("id");
  for (const one of thing) {
    if (written === "id" && has(`${one}id`) !== undefined) return has(`${one}id`);
    if (written.startsWith(one) && has(written.slice(one.length)) !== undefined) return has(written.slice(one.length));
  }
  // `secret_name` of `private-registries` is the name.
  const [last = "", ...before] = wordsOf(parameter).toReversed();
  return before.length > 0 ? has(last) : undefined;
}

function singulars(thing: string): readonly string[] {
  return [thing, thing.replace(/ies$/, "y"), thing.replace(/(s|x|ch|sh)es$/, "$1"), thing.replace(/s$/, "")];
}

function joined(name: string): string {
  return wordsOf(name).join("");
}

/** Derives the record. The reason says why there is none. */
export function recordOf(shapes: RecordShapes, named: NamedSchemas): RecordDraft | Reason {
  const { create, parameter, segment, answers } = shapes;
  const [main] = answers;
  const known = main ?? create;
  if (known === undefined) return { what: "neither its body nor its answer is a record" };
  const key = parameter === undefined ? "id" : keyOf(known, parameter, segment);
  if (key === undefined || !isFieldName(key))
    return { what: "no member of its record is the parameter of its path", detail: parameter ?? "" };
  const names = new Set([create, ...shapes.changes, ...answers].flatMap((one) => [...(one?.members.keys() ?? [])]));
  const fields: Record<string, Field> = {};
  const schemas: Record<string, Json> = {};
  const guesses: RecordDraft["guesses"][number][] = [];
  const hasId = names.has("id");
  const parent = shapes.parent && parentOf(shapes.parent, names, shapes, named);
  if (shapes.parent !== undefined && parent !== undefined) {
    if (key === "id" && hasId && sitesOf("id", shapes, named).create?.required === true)
      return { what: "clients choose its key, which may be unique only below another record", detail: key };
    const type: FieldType = { kind: "named", name: parent.resource };
    fields[parent.field] = { type, optional: false, marks: ["create-only"] };
  }
  const pathFields: RecordDraft["pathFields"][number][] = [];
  for (const one of shapes.pathFields) {
    const found = fieldInPath(one, key, names, shapes, named);
    if (isReason(found)) return found;
    fields[found.field] = found.declared;
    if (found.isMember) schemas[found.field] = one.schema;
    pathFields.push(found);
  }
  if (pathFields.length > 0 && key === "id" && hasId && sitesOf("id", shapes, named).create?.required === true)
    return { what: "clients choose its key, which may be unique only below another record", detail: key };
  for (const name of new Set(["id", ...names])) {
    if (name === parent?.member || pathFields.some(({ field }) => field === name)) continue;
    const sites = sitesOf(name, shapes, named);
    const found =
      name === "id" || name === key
        ? keyField(name, sites, { hasId, isInPath: shapes.isUpsert && name === key }, shapes, named)
        : memberField(name, sites, shapes, named);
    if (found === undefined) continue;
    if ("what" in found) return found;
    // Fields are columns, whose names differ not only in capitals.
    if (Object.keys(fields).some((other) => other.toLowerCase() === name.toLowerCase())) continue;
    fields[name] = found.field;
    if (sites.schema !== undefined) schemas[name] = sites.schema;
    if (found.guess !== undefined) guesses.push({ kind: "guessed", what: found.guess, detail: name });
  }
  const sent = [...(create?.members.keys() ?? []), ...(shapes.isUpsert ? [key] : [])];
  if (sent.length > 0 && !sent.some((name) => lookup(fields, name)?.marks.includes("write-only") === false))
    return { what: "its answers have no member that its creation takes" };
  const above = [...(parent === undefined ? [] : [parent.field]), ...pathFields.map(({ field }) => field)];
  const isBelow = above.length > 0 && key !== "id";
  const own = fields[key];
  // Below another record, a key need be unique only there.
  if (isBelow && own !== undefined)
    fields[key] = { ...own, marks: own.marks.filter((modifier) => modifier !== "unique") };
  return {
    fields,
    schemas,
    isCreated: shapes.isCreated,
    key,
    chosenBy:
      shapes.isUpsert && key !== "id"
        ? "path"
        : fields[key]?.default === undefined && (key === "id" ? hasId : shapes.isCreated)
          ? "body"
          : "service",
    hasId,
    guesses,
    pathFields,
    rules: isBelow ? [{ kind: "unique", fields: [...above, key] }] : [],
    ...(parent === undefined ? {} : { parent }),
  };
}

/** Returns the field that a parameter before the collection means: a member that only answers have, or one that no answer has. */
function fieldInPath(
  { above, parameter, schema }: RecordShapes["pathFields"][number],
  key: string,
  names: ReadonlySet<string>,
  shapes: RecordShapes,
  named: NamedSchemas,
): (RecordDraft["pathFields"][number] & { readonly declared: Field }) | Reason {
  const found = fieldType(schema, named);
  const isPlain =
    found.kind === "one-of" || (found.kind === "scalar" && ["string", "integer", "uuid"].includes(found.name));
  if (!isPlain)
    return { what: "its path has a parameter that is neither a text nor a whole number", detail: parameter };
  const isText = found.kind === "scalar" && found.name === "string";
  const type = isText ? { ...found, min: Math.max(found.min ?? 1, 1), max: found.max ?? 255 } : found;
  const declared: Field = { type, optional: false, marks: ["create-only"] };
  const member = [...names].find((name) => {
    const { answer } = sitesOf(name, shapes, named);
    const isMeant =
      joined(name) === joined(parameter) && name !== key && isFieldName(name) && !isSent(name, shapes, named);
    return isMeant && answer !== undefined && fits(schema, answer.schema, named);
  });
  if (member !== undefined) return { parameter, field: member, isMember: true, declared };
  const words = [...names].map((name) => name.toLowerCase());
  // Of `/services/{id}/rules` it is `serviceId`.
  const ofAbove = camelCase(`${singulars(joined(above)).at(-1) ?? ""} ${parameter}`);
  const field = [parameter, ofAbove, `${parameter}InPath`].find(
    (name) => !["id", "state", ...words].includes(name.toLowerCase()),
  );
  return field === undefined
    ? { what: "its path has a parameter with the name of a member", detail: parameter }
    : { parameter, field, isMember: false, declared };
}

/** Returns the field that refers to the parent, and the member that only answers have and that means the parent's id. */
function parentOf(
  { id, parameter, resource }: ParentRecord,
  names: ReadonlySet<string>,
  shapes: RecordShapes,
  named: NamedSchemas,
): NonNullable<RecordDraft["parent"]> {
  const words = [...names].map((name) => name.toLowerCase());
  const wanted = [camelCase(resource), `parent${resource}`, `parentRecord${resource}`];
  const field = wanted.find((name) => !words.includes(name.toLowerCase())) ?? `parentRecordOf${resource}`;
  const member = [...names].find((name) => {
    const { answer } = sitesOf(name, shapes, named);
    const means = [parameter, `${resource}Id`].some((one) => joined(name) === joined(one));
    const isMeant = means && name !== "id" && !isSent(name, shapes, named);
    return isMeant && answer !== undefined && id !== undefined && fits(id, answer.schema, named);
  });
  return { field, resource, ...(member === undefined ? {} : { member }) };
}

/** Whether a body may contain the member. */
function isSent(name: string, shapes: RecordShapes, named: NamedSchemas): boolean {
  const { change, create } = sitesOf(name, shapes, named);
  return [create, change].some((one) => one !== undefined && plainSchema(one.schema, named)["readOnly"] !== true);
}

interface Sites {
  readonly schema: Json | undefined;
  readonly create: Member | undefined;
  readonly change: Member | undefined;
  readonly answer: Member | undefined;
}

function sitesOf(name: string, { create, changes, answers, isCreated }: RecordShapes, named: NamedSchemas): Sites {
  const all = (some: readonly Shape[]) => some.flatMap(({ members }) => members.get(name) ?? []);
  const [change] = all(changes);
  const answered = all(answers);
  const sites = { create: create?.members.get(name), change, answer: answered[0] };
  if (isCreated) return { ...sites, schema: (sites.create ?? change ?? sites.answer)?.schema };
  // Of records that no action creates, each value has to fit all answers.
  const narrow =
    answered.find(({ schema }) => answered.every((one) => fits(schema, one.schema, named))) ?? sites.answer;
  const answer = narrow && { ...narrow, required: answered.some(({ required }) => required) };
  return { ...sites, answer, schema: (answer ?? change)?.schema };
}

interface Derived {
  readonly field: Field;
  readonly guess?: string;
}

/** Returns the field of an id or of another key. */
function keyField(
  name: string,
  { schema, create, ...sites }: Sites,
  { hasId, isInPath }: { readonly hasId: boolean; readonly isInPath: boolean },
  { changes, isCreated }: RecordShapes,
  named: NamedSchemas,
): Derived | Reason {
  if (name === "id" && !hasId) return { field: { type: { kind: "id", made: "server" }, optional: false, marks: [] } };
  const isSentIn = (one: Member | undefined) =>
    one !== undefined && plainSchema(one.schema, named)["readOnly"] !== true;
  const change = isSentIn(sites.change) ? sites.change : undefined;
  const plain = plainSchema(schema ?? {}, named);
  const found = bareType(fieldType(schema ?? {}, named));
  // Of numbers, the service makes whole ones.
  const isMade = found.kind === "scalar" && found.name === "number" && create?.required !== true && !isInPath;
  const type: FieldType = isMade ? { ...found, name: "integer" } : found;
  const isText = type.kind === "scalar" && (type.name === "string" || type.name === "uuid");
  const isNumber = type.kind === "scalar" && type.name === "integer";
  if (!isText && !isNumber) return { what: "its key is neither a text nor a whole number", detail: name };
  const description = descriptionOf(plain, type);
  const isSent = create !== undefined && plain["readOnly"] !== true;
  const isFixed = isInPath || (change === undefined && changes.length > 0);
  const unique: readonly Modifier[] = name === "id" ? [] : isFixed ? ["unique", "create-only"] : ["unique"];
  if ((isSent && create.required) || isInPath) {
    const isBounded = isNumber || type.name === "uuid";
    const key = isBounded ? type : { ...type, min: Math.max(type.min ?? 1, 1), max: type.max ?? 255 };
    const guess =
      isBounded || isWrittenAlike({ ...key }, { ...type })
        ? {}
        : { guess: "that a key which clients choose has 1 to 255 characters" };
    return { field: { type: key, optional: false, marks: unique, ...description }, ...guess };
  }
  // Who creates the record chooses its key, too.
  if (!isCreated && (name !== "id" || (isText && type.name === "string"))) {
    const marks: readonly Modifier[] = name === "id" ? [] : change === undefined ? ["unique", "read-only"] : ["unique"];
    return { field: { type, optional: false, marks, ...description } };
  }
  if (isText && type.name === "string" && !fitsUuid(type))
    return { what: "its key has no value that Nonet makes", detail: name };
  const isSettable = isSent && name !== "id" && !isNumber;
  const field: Field = {
    type,
    optional: false,
    default: { kind: isNumber ? "counter" : "uuid" },
    marks: isSettable ? unique : name === "id" ? [] : ["unique", "read-only"],
    ...description,
  };
  return isSent && !isSettable
    ? { field, guess: "that the service sets a key which a creation may contain: it ignores the sent value" }
    : { field };
}

function fitsUuid({ min = 0, max = 255, pattern }: FieldType & { readonly kind: "scalar" }): boolean {
  return pattern === undefined && min <= 36 && max >= 36;
}

/** Returns the field of another member; undefined if the record does without it: nothing sets it. */
function memberField(name: string, sites: Sites, shapes: RecordShapes, named: NamedSchemas): Derived | undefined {
  if (!isFieldName(name)) return undefined;
  const { schema = {}, create, change, answer } = sites;
  const plain = plainSchema(schema, named);
  const type = fieldType(schema, named);
  const description = descriptionOf(plain, type);
  const literal = literalOf(plain["default"] ?? onlyValueOf(plain), type);
  const isReadOnly = [create, change, answer].some(
    (one) => one !== undefined && plainSchema(one.schema, named)["readOnly"] === true,
  );
  if ((create === undefined && change === undefined) || isReadOnly) {
    if (answer === undefined) return undefined;
    const made = madeValue(name, type, literal, allowsNull(schema, named));
    const ofAnswers = addressType(type, plain);
    if (made === undefined)
      return shapes.isCreated
        ? undefined
        : { field: { type: ofAnswers, optional: !answer.required, marks: ["read-only"], ...description } };
    return {
      field: { type: ofAnswers, optional: false, ...made.value, marks: ["read-only"], ...description },
      ...made.guess,
    };
  }
  const isWritten = plain["writeOnly"] === true || (answer === undefined && shapes.answers.length > 0);
  const marks: readonly Modifier[] = [
    ...(isWritten ? (["write-only"] as const) : []),
    ...(change === undefined && shapes.changes.length > 0 ? (["create-only"] as const) : []),
  ];
  if (create?.required === true || (!shapes.isCreated && answer?.required === true))
    return { field: { type, optional: false, marks, ...description } };
  if (literal !== undefined)
    return { field: { type, optional: false, default: { kind: "literal", text: literal }, marks, ...description } };
  // An answer that requires the member has null if a request leaves it out.
  if (type.kind === "nullable" || (type.kind === "schema" && allowsNull(schema, named)))
    return { field: { type, optional: false, default: { kind: "literal", text: "null" }, marks, ...description } };
  const isNeeded = shapes.answers.some(({ members }) => members.get(name)?.required === true);
  if (isNeeded && allowsEmptyList(plain))
    return {
      field: { type, optional: false, default: { kind: "literal", text: "[]" }, marks, ...description },
      guess: "that a list which a creation leaves out is empty",
    };
  return { field: { type, optional: true, marks, ...description } };
}

/** Returns the type of addresses for a text that answers have in the format of addresses, and that no request contains. */
function addressType(type: FieldType, plain: JsonObject): FieldType {
  if (plain["x-format"] !== "uri") return type;
  if (type.kind === "nullable") return { ...type, of: addressType(type.of, plain) };
  return type.kind === "scalar" && type.name === "string" ? { ...type, name: "url" } : type;
}

function allowsEmptyList({ minItems = 0, type }: JsonObject): boolean {
  return type === "array" && minItems === 0;
}

/** Returns the only value that a schema allows. */
function onlyValueOf({ const: only, enum: values }: JsonObject): Json | undefined {
  return only ?? (Array.isArray(values) && values.length === 1 ? values[0] : undefined);
}

function isFieldName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_]*$/.test(name) && !(name in Object.prototype);
}

interface MadeValue {
  readonly value: Pick<Field, "default">;
  readonly guess?: { readonly guess: string };
}

/** Returns the value of a member that no request sets: its default, its only value, null, or a moment by its name. */
function madeValue(
  name: string,
  type: FieldType,
  literal: string | undefined,
  isNullable: boolean,
): MadeValue | undefined {
  if (literal !== undefined) return { value: { default: { kind: "literal", text: literal } } };
  const base = bareType(type);
  if (base.kind === "scalar" && base.name === "datetime") {
    const moment = moments[camelCase(name)];
    if (moment !== undefined)
      return {
        value: { default: { kind: moment } },
        guess: { guess: "the time of a creation or change, from the name of a member" },
      };
  }
  const hasNull = type.kind === "nullable" || (type.kind === "schema" && isNullable);
  return hasNull ? { value: { default: { kind: "literal", text: "null" } } } : undefined;
}

const moments: Readonly<Record<string, "now" | "now-on-change">> = {
  created: "now", createdAt: "now", createdOn: "now", creationDate: "now", createTime: "now", dateCreated: "now",
  updated: "now-on-change", updatedAt: "now-on-change", updatedOn: "now-on-change", updateTime: "now-on-change",
  modified: "now-on-change", modifiedAt: "now-on-change", lastModified: "now-on-change", dateUpdated: "now-on-change",
}; // biome-ignore format: a table
