/** Declares the operations of a group, as far as their bodies and answers lie within its record. */
import { camelCase, kebabCase, plural, snakeCase } from "../../base/case.ts";
import type { Json } from "../../base/json.ts";
import type { Endpoint, Method, ResponseTemplate } from "../../language/endpoints/model.ts";
import { isChangeable, isNeverReturned, isServerSet } from "../../language/resources/fields.ts";
import type { Field, ViewDefinition } from "../../language/resources/model.ts";
import {
  type Answer,
  answerOf,
  bodyOf,
  isReason,
  itemsIn,
  type Reason,
  recordIn,
  severalAnswers,
  type WrappedRecord,
} from "./answers.ts";
import type { ContractOperation } from "./groups.ts";
import { constantOf, listOf } from "./lists.ts";
import { headerReason, type Ignored, ignoredParameters, type SelectingParameter } from "./parameters.ts";
import { keyOf, type RecordDraft } from "./record.ts";
import { fits, type Member, type NamedSchemas, plainSchema, type Shape, shapeOf } from "./schema.ts";

export interface Declaration {
  readonly endpoint: Endpoint;
  readonly filters: readonly string[];
  readonly sorts: readonly string[];
  /** The optional members of the answer that it leaves out. */
  readonly omitted: readonly string[];
  /** The query parameters that it accepts without effect. */
  readonly ignored: readonly string[];
  readonly guesses: readonly string[];
  /** Whether clients may send a form. */
  readonly form: boolean;
  /** Whether the body may contain members that the operation does not take. */
  readonly open: boolean;
}

export interface Context {
  readonly resource: string;
  readonly record: RecordDraft;
  readonly named: NamedSchemas;
  readonly parameter?: string;
  readonly segment: string;
  /** The operation that creates the records. */
  readonly creation: ContractOperation | undefined;
  /** The path of the parent in the source, and in the document. */
  readonly parentPath?: { readonly written: string; readonly declared: string };
  /** The header fields and cookies in which clients send credentials. */
  readonly credentials: ReadonlySet<string>;
  /** Returns the name of a view of these fields. */
  readonly view: (definition: ViewDefinition) => string;
}

export type Action = "create" | "list" | "read" | "update" | "replace" | "delete" | "part";

export const actionsOfAll: Readonly<Partial<Record<Method, Action>>> = { POST: "create", GET: "list" };
export const actionsOfOne: Readonly<Partial<Record<Method, Action>>> = {
  GET: "read",
  POST: "update",
  PATCH: "update",
  PUT: "replace",
  DELETE: "delete",
};

/**
 * Declares an operation. A `PUT` that cannot replace a record, since its body need not have all of it or since a replacement
 * would also create records, is a change of one.
 */
export function declare(operation: ContractOperation, action: Action, context: Context): Declaration | Reason {
  const declared = declareAs(operation, action, context);
  const isChange = action === "replace" && isReason(declared) && operation !== context.creation;
  if (!isChange || Object.hasOwn(operation.wire.answers ?? {}, "201")) return declared;
  const left = membersLeftOut(operation, context);
  // A member that is left out has its default then, and not the value from before.
  if (left.some(({ schema }) => plainSchema(schema, context.named)["default"] !== undefined)) return declared;
  const changed = declareAs(operation, "update", context);
  if (isReason(changed) || left.length === 0) return changed;
  return { ...changed, guesses: [...changed.guesses, "that a `PUT` leaves unchanged what it does not contain"] };
}

/** Returns the members that a body need not contain. */
function membersLeftOut({ wire }: ContractOperation, context: Context): readonly Member[] {
  const body = bodyOf(wire);
  const found = body === undefined || isReason(body) ? undefined : bodyRecord(body.schema, context);
  return [...(found?.shape.members.values() ?? [])].filter(({ required }) => !required);
}

function declareAs(operation: ContractOperation, action: Action, context: Context): Declaration | Reason {
  const answer = answerOf(operation.wire, operation.endpoint.method);
  if (isReason(answer)) return answer;
  const header = headerReason(operation.wire, context.credentials, context.named);
  if (header !== undefined) return header;
  if (action === "list" || action === "part") return declaredList(operation, action, answer, context);
  if (answer.kind !== "unspecified" && answer.created !== undefined && action !== "replace")
    return severalAnswers([answer.status, answer.created]);
  const ignored = ignoredParameters(operation.wire.query, context.credentials, context.named);
  if (isReason(ignored)) return ignored;
  const body =
    action === "create" || action === "update" || action === "replace"
      ? inputOf(operation, action, context)
      : noBody(operation);
  if (isReason(body)) return body;
  const output = outputOf(answer, action, context);
  if (isReason(output)) return output;
  return {
    endpoint: {
      method: operation.endpoint.method,
      path: pathOf(operation.endpoint.path, context),
      of: context.resource,
      ...(operation.endpoint.method !== "PATCH" && action === "update" ? { does: action } : {}),
      ...body.takes,
      ...output.gives,
      ...queryOf(ignored),
    },
    filters: [],
    sorts: [],
    omitted: output.omitted,
    ignored: Object.keys(ignored),
    guesses: [...body.guesses, ...output.guesses],
    form: body.form,
    open: body.open,
  };
}

interface Input {
  readonly takes: Pick<Endpoint, "takes" | "nesting">;
  readonly guesses: readonly string[];
  readonly form: boolean;
  readonly open: boolean;
}

function noBody({ wire }: ContractOperation): Input | Reason {
  if (wire.body !== undefined) return { what: "it has a body, which no such operation takes" };
  return { takes: {}, guesses: [], form: false, open: false };
}

/** Returns what a creation, a change or a replacement takes. */
function inputOf(
  operation: ContractOperation,
  action: "create" | "update" | "replace",
  context: Context,
): Input | Reason {
  const { record, named } = context;
  const body = bodyOf(operation.wire);
  if (isReason(body)) return body;
  const found = body === undefined ? { shape: { members: new Map(), open: true } } : bodyRecord(body.schema, context);
  if (found === undefined) return { what: "its body is no record" };
  const { shape, around, isOptional = false }: WrappedRecord = found;
  const fields = Object.entries(record.fields).filter(([name]) => !isFromPath(name, record));
  const expected = fields.filter(([name, field]) =>
    action === "create" ? !isServerSet(withIdentity(name, field)) : isChangeable(name, withIdentity(name, field)),
  );
  for (const [name, member] of shape.members) {
    // Clients should not send a member that is only in answers.
    if (plainSchema(member.schema, named)["readOnly"] === true) continue;
    const field = Object.hasOwn(record.fields, name) ? record.fields[name] : undefined;
    if (field === undefined) return { what: "its body has a member that no record has", detail: name };
    const schema = record.schemas[name];
    if (schema !== undefined && expected.some(([one]) => one === name) && !fits(member.schema, schema, named))
      return { what: "a member of its body has another type than in the record", detail: name };
  }
  const isOfPath = (name: string) => action === "replace" && name === record.key && record.chosenBy === "path";
  const isRequired = (field: Field) => action !== "update" && !field.optional && field.default === undefined;
  const lacking = expected.find(
    ([name, field]) => isRequired(field) && !isOfPath(name) && shape.members.get(name)?.required !== true,
  );
  if (lacking !== undefined) return { what: "its body may lack a member that a record needs", detail: lacking[0] };
  const inputs = expected.filter(([name]) => shape.members.has(name));
  if (inputs.length === 0 && action !== "create") return { what: "its body has no member that it could change" };
  const takes = Object.fromEntries(inputs.map(([name, field]) => [name, inputField(field, action === "update")]));
  const hasAllFields = inputs.length === expected.length && around === undefined;
  const needs = Object.values(takes).some(({ default: value, optional }) => !optional && value === undefined);
  const path = around === undefined || needs || !isOptional ? around : `${around}?`;
  return {
    takes: hasAllFields
      ? {}
      : {
          takes,
          ...(path === undefined ? {} : { nesting: Object.fromEntries(inputs.map(([name]) => [name, [path]])) }),
        },
    guesses:
      body?.optional === true || (isOptional && needs)
        ? ["that a request has a body, which the source allows to leave out"]
        : [],
    form: body?.form ?? false,
    open: shape.open,
  };
}

/** Returns a field as a member of a body: a value that the service makes can be left out, and so can all members of a change. */
function inputField({ type, optional, default: value }: Field, isChange: boolean): Field {
  const literal = value?.kind === "literal" && !isChange ? value : undefined;
  const isOptional = literal === undefined && (optional || value !== undefined || isChange);
  return { type, optional: isOptional, ...(literal === undefined ? {} : { default: literal }), marks: [] };
}

/** The type of an id says whether clients choose it; the reader of documents derives this from its default. */
function withIdentity(name: string, field: Field): Field {
  if (name !== "id" || field.type.kind === "id") return field;
  return { ...field, type: { kind: "id", made: field.default === undefined ? "client" : "server", of: field.type } };
}

/** Returns the record in a body: the body itself, or its only member if that is an object with fields of the record. */
function bodyRecord(schema: Json, { record, named }: Context): WrappedRecord | undefined {
  const shape = shapeOf(schema, named);
  const hasFields = ({ members }: Shape) => [...members.keys()].some((name) => Object.hasOwn(record.fields, name));
  const wrapped = shape?.members.size === 1 && !hasFields(shape) ? recordIn(schema, named, hasFields) : undefined;
  return wrapped ?? (shape && { shape });
}

interface Output {
  readonly gives: Pick<Endpoint, "gives" | "status" | "statuses">;
  readonly omitted: readonly string[];
  readonly guesses: readonly string[];
}

const usualStatus: Readonly<Record<Action, number>> = {
  create: 201,
  list: 200,
  part: 200,
  read: 200,
  update: 200,
  replace: 200,
  delete: 204,
};

function outputOf(answer: Answer, action: Action, context: Context): Output | Reason {
  const { record } = context;
  if (answer.kind === "unspecified") {
    const guesses = ["what the operation answers when it succeeds: the source does not say it"];
    return {
      gives: action === "delete" ? {} : recordTemplate(fieldsOf(record), undefined, context),
      omitted: [],
      guesses,
    };
  }
  const statuses = statusesOf(answer, action, record);
  if (isReason(statuses)) return statuses;
  if (answer.kind === "empty") {
    if (action === "read") return { what: "its answer has no schema" };
    return { gives: { ...statuses, ...(action === "delete" ? {} : { gives: "none" }) }, omitted: [], guesses: [] };
  }
  const found = answerRecord(answer.schema, context);
  if (found === undefined) {
    const other = action === "read" ? undefined : otherTemplate(answer.schema, action, context);
    if (other === undefined) return { what: "its answer is no record" };
    return { ...other, gives: { ...statuses, gives: other.gives } };
  }
  const answered = answerFields(found.shape, context);
  const other = action === "delete" ? otherTemplate(answer.schema, action, context) : undefined;
  // The answer of a deletion may be more than a record: `{ "id": 7, "deleted": true }`.
  if (other !== undefined && (isReason(answered) || answered.omitted.length > other.omitted.length))
    return { ...other, gives: { ...statuses, gives: other.gives } };
  if (isReason(answered)) return answered;
  const gives = recordTemplate(answered.fields, found.around, context, action === "delete");
  return { gives: { ...statuses, ...gives }, omitted: answered.omitted, guesses: [] };
}

/** Returns the statuses of an answer that are not those of the action; a reason if the action cannot have them. */
function statusesOf(
  answer: Exclude<Answer, { readonly kind: "unspecified" }>,
  action: Action,
  record: RecordDraft,
): Pick<Endpoint, "status" | "statuses"> | Reason {
  const usual = answer.kind === "empty" && action !== "create" ? 204 : usualStatus[action];
  const status = answer.status === usual ? {} : { status: answer.status };
  if (action !== "replace" || record.chosenBy === "service")
    return answer.created === undefined ? status : severalAnswers([answer.status, answer.created]);
  if (record.chosenBy === "path") return { ...status, statuses: { created: answer.created ?? answer.status } };
  return answer.created === undefined || !record.isCreated
    ? { what: "it would create a record whose key clients choose, which the source does not say" }
    : status;
}

/**
 * Returns the shape of an answer that is no record but has only empty objects, `{ "data": {} }`, or of a deletion also some
 * fields and constants, `{ "id": 7, "deleted": true }`. Undefined if it requires anything else.
 */
function otherTemplate(
  schema: Json,
  action: Action,
  context: Context,
):
  | { readonly gives: ResponseTemplate; readonly omitted: readonly string[]; readonly guesses: readonly string[] }
  | undefined {
  const { named, record } = context;
  const shape = shapeOf(schema, named);
  if (shape === undefined) return undefined;
  const isEmpty = (member: Member) => shapeOf(member.schema, named)?.members.size === 0;
  if (action !== "delete" && ![...shape.members.values()].every(isEmpty)) return undefined;
  const gives: Record<string, ResponseTemplate> = {};
  const omitted: string[] = [];
  const guesses: string[] = [];
  for (const [name, member] of shape.members) {
    const plain = plainSchema(member.schema, named);
    const own = fieldsOf(record).includes(name) ? record.schemas[name] : undefined;
    const constant = constantOf(plain);
    if (constant !== undefined) gives[name] = constant;
    else if (isEmpty(member)) {
      gives[name] = {};
      guesses.push("that an object whose members the source does not say is empty");
    } else if (plain["type"] === "boolean" && plain["enum"] === undefined && /^(?:deleted|success|ok)$/.test(name)) {
      gives[name] = "true";
      guesses.push("that the answer of a deletion says that it succeeded");
    } else if (own !== undefined && fits(own, member.schema, named) && record.fields[name]?.optional === false)
      gives[name] = name;
    else if (member.required) return undefined;
    else omitted.push(name);
  }
  // An answer without any member would have less than the source describes.
  return shape.members.size > 0 && Object.keys(gives).length === 0 ? undefined : { gives, omitted, guesses };
}

function answerRecord(schema: Json, { named, parameter, record, segment }: Context): WrappedRecord | undefined {
  return recordIn(schema, named, (shape) =>
    parameter === undefined ? shape.members.has(record.key) : keyOf(shape, parameter, segment) === record.key,
  );
}

/** Whether the path of a creation gives a field its value. */
function isFromPath(name: string, { parent, pathFields }: RecordDraft): boolean {
  return name === parent?.field || pathFields.some(({ field }) => field === name);
}

/** Returns the names of the fields that answers may have. */
function fieldsOf({ fields, hasId, parent, pathFields }: RecordDraft): readonly string[] {
  const hidden = pathFields.flatMap(({ field, isMember }) => (isMember ? [] : [field]));
  return Object.entries(fields).flatMap(([name, field]) =>
    isNeverReturned(field) || (name === "id" && !hasId) || name === parent?.field || hidden.includes(name)
      ? []
      : [name],
  );
}

/** Returns the fields of a record that an answer has, and its members that no record has. */
export function answerFields(
  shape: Shape,
  { record, named }: Context,
): { readonly fields: readonly string[]; readonly omitted: readonly string[] } | Reason {
  const returned = fieldsOf(record);
  const omitted: string[] = [];
  for (const [name, { required, schema }] of shape.members) {
    if (name === record.parent?.member) continue;
    const field = record.fields[name];
    if (!returned.includes(name) || field === undefined) {
      if (required) return { what: "its answer requires a member that no record has", detail: name };
      omitted.push(name);
      continue;
    }
    if (required && field.optional)
      return { what: "its answer requires a member that a request may leave out", detail: name };
    const own = record.schemas[name];
    if (own !== undefined && !fits(own, schema, named))
      return { what: "a member of its answer has another type than in the record", detail: name };
  }
  const { member } = record.parent ?? {};
  const fields = returned.filter((name) => shape.members.has(name));
  return { fields: member !== undefined && shape.members.has(member) ? [...fields, member] : fields, omitted };
}

/** Returns the `gives` of a record: nothing for all its fields, else a view, and the object around it. */
function recordTemplate(
  fields: readonly string[],
  around: string | undefined,
  context: Context,
  always = false,
): Pick<Endpoint, "gives"> {
  const name = templateName(fields, context);
  if (around !== undefined) return { gives: { [around]: name } };
  return name === context.resource && !always ? {} : { gives: name };
}

/** Returns the name of the resource, or of a view of these fields. */
function templateName(fields: readonly string[], { record, resource, view }: Context): string {
  const { parent, pathFields } = record;
  const hasAllMembers =
    record.hasId && fields.length === fieldsOf(record).length && pathFields.every(({ isMember }) => isMember);
  if (parent === undefined) return hasAllMembers ? resource : view({ of: resource, fields });
  const { field, member } = parent;
  const named: Field = { type: { kind: "named", name: parent.resource }, optional: false, computed: field, marks: [] };
  return view({
    of: resource,
    fields: fields.filter((name) => name !== member),
    ...(member !== undefined && fields.includes(member) ? { members: { [member]: named } } : {}),
  });
}

function declaredList(
  operation: ContractOperation,
  action: Action,
  answer: Answer,
  context: Context,
): Declaration | Reason {
  const { named, record, resource } = context;
  if (operation.wire.body !== undefined) return { what: "it has a body, which no such operation takes" };
  if (answer.kind !== "value") return { what: "its answer has no schema" };
  const listed = itemsIn(answer.schema, named);
  const shape = listed && shapeOf(listed.item, named);
  if (listed === undefined || shape === undefined) return { what: "its answer is no list of records" };
  const { parameter, segment } = context;
  if (parameter !== undefined && keyOf(shape, parameter, segment) !== record.key)
    return { what: "the items of its answer lack the key of a record" };
  const answered = answerFields(shape, context);
  if (isReason(answered)) return answered;
  const list = listOf(operation, listed, `${templateName(answered.fields, context)}[]`, context);
  if (isReason(list)) return list;
  const { selecting } = list;
  if (action === "part" && list.filters.length + selecting.length === 0)
    return { what: "which records it selects is not said" };
  const { gives, style } = list;
  return {
    endpoint: {
      method: "GET",
      path: pathOf(operation.endpoint.path, context),
      of: resource,
      ...(action === "part" ? { does: "list" } : {}),
      lists: style,
      gives,
      ...(answer.status === 200 ? {} : { status: answer.status }),
      ...(list.order.length === 0 ? {} : { order: list.order }),
      ...queryOf({ ...list.ignored, ...Object.fromEntries(selecting.map(({ field, name }) => [name, field])) }),
      ...whereOf(selecting),
    },
    filters: list.filters,
    sorts: list.sorts,
    omitted: [...answered.omitted, ...list.omitted],
    ignored: Object.keys(list.ignored),
    guesses:
      selecting.length === 0 ? [] : ["that a parameter with the name of a field selects the records with its value"],
    form: false,
    open: true,
  };
}

function queryOf(ignored: Ignored): Pick<Endpoint, "query"> {
  return Object.keys(ignored).length === 0 ? {} : { query: ignored };
}

function whereOf(selecting: readonly SelectingParameter[]): Pick<Endpoint, "where"> {
  const [only, ...more] = selecting.map(({ where }) => where);
  if (only === undefined) return {};
  return {
    where:
      more.length === 0 ? only : [only, ...more].map((one) => (one.includes("||") ? `(${one})` : one)).join(" && "),
  };
}

/** Returns the path with a name of the key as its parameter, and with the names of the parents' keys. */
export function pathOf(written: string, context: Context): string {
  const { parameter, parentPath, record } = context;
  const below = parentPath === undefined ? written : parentPath.declared + written.slice(parentPath.written.length);
  const path = record.pathFields.reduce((text, one) => text.replace(`{${one.parameter}}`, `{${one.field}}`), below);
  if (parameter === undefined || !path.includes(`{${parameter}}`)) return path;
  const known = keyNames(context);
  const name = known.includes(parameter) ? parameter : known.find((one) => !path.includes(`{${one}}`));
  return path.replace(`{${parameter}}`, `{${name ?? parameter}}`);
}

/**
 * Returns the path of a record as the beginning of paths below it. Where the resource has not the name of its collection,
 * `{id}` would be the id of the record below.
 */
export function parentPathOf(written: string, context: Context): string {
  const path = pathOf(written, context);
  const { resource, segment } = context;
  const isNamed = [kebabCase, snakeCase, camelCase].some((write) => write(plural(resource)) === segment);
  const other = keyNames(context).find((name) => name !== "id" && !path.includes(`{${name}}`));
  return isNamed || other === undefined ? path : path.replace(/\{id\}$/, `{${other}}`);
}

/** Returns the names of the parameter that means the key, the usual one first. A parameter with the name of a field means the field. */
function keyNames({ record, resource }: Context): readonly string[] {
  if (record.key !== "id") return [record.key];
  const usual = [`${camelCase(resource)}Id`, `${snakeCase(resource)}_id`, camelCase(resource)];
  return [...usual.filter((name) => !Object.hasOwn(record.fields, name)), "id"];
}
