/** Plans request bodies: their schema, their members and the fields that the members set. */
import type { JsonObject } from "../../base/json.ts";
import { boundFields, createdKeys, creates, type InputMember, inputOf } from "../../language/endpoints/input.ts";
import { type ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { bodilessActions, readingActions, inputOnlyActions } from "../../language/endpoints/model.ts";
import { type InputShape, inputShapeOf } from "../../language/endpoints/shape.ts";
import { bareType, fieldsOf, isNullable, lookup, referenceOf } from "../../language/resources/fields.ts";
import { closedObject, fieldSchema, orNull } from "../../language/resources/json-schema.ts";
import { defaultValue } from "../../language/resources/default-value.ts";
import type { Field, FieldType } from "../../language/resources/model.ts";
import { adaptedBody } from "./requests.ts";
import { wrapOf } from "./responses.ts";
import { columnTypeOf } from "../resources/columns.ts";
import { type Envelope, withNullable } from "./envelope.ts";
import { settersOf, visibleOf } from "../authentication/permissions.ts";
import type { BodyPlan, InputField, InputForm } from "./types.ts";
import type { GrantPlan } from "../authentication/types.ts";
import type { Table } from "../resources/types.ts";
import { type PlanInput } from "../input.ts";

export function bodyPlan(planInput: PlanInput, resolved: ResourceEndpoint, table: Table): BodyPlan | undefined {
  const { action } = resolved;
  if (readingActions.has(action) || bodilessActions.has(action)) return undefined;
  const isLink = action === "link" || action === "unlink";
  if (isLink && inputShapeOf(planInput.model, resolved) === undefined) return undefined;
  const members = inputOf(planInput.model, resolved);
  const required = members.filter((member) => member.required).map(({ name }) => name);
  const properties = members.map((member) => [member.name, memberSchema(planInput, resolved, member)] as const);
  // The key of a record that a PUT creates comes from the path; the body may repeat it.
  const named = Object.fromEntries(
    createdKeys(planInput.model, resolved).flatMap((name) => {
      const field = lookup(fieldsOf(planInput.model, resolved.resource), name);
      return field === undefined ? [] : [[name, fieldSchema(planInput.model, field, "input")] as const];
    }),
  );
  const names = Object.keys({ ...named, ...Object.fromEntries(properties) });
  const nullable = members.filter(({ field }) =>
    action === "update" ? isNullable(field) : field.type.kind === "nullable",
  );
  const around = envelopeOf(planInput, resolved, members, names);
  const envelope =
    around === undefined ? undefined : withNullable(around, (name) => nullable.some((one) => one.name === name));
  const files = members.flatMap(({ name, field: { type } }) => {
    const bare = bareType(type);
    return bare.kind === "file" ? [[name, { maxBytes: bare.max, media: bare.media }] as const] : [];
  });
  const { mediaTypes: json, ...adapted } = adaptedBody(planInput, resolved.endpoint, action === "update");
  const [singleMedia] =
    resolved.file === undefined ? [] : files.map(([, { media }]) => (media.length === 0 ? ["*/*"] : media));
  return {
    schema: closedObject({ ...named, ...Object.fromEntries(properties) }, required),
    mediaTypes: singleMedia ?? (files.length === 0 ? json : [...json, "multipart/form-data"]),
    ...(singleMedia === undefined ? adapted : {}),
    ...(files.length === 0 ? {} : { files: Object.fromEntries(files) }),
    required:
      !(inputOnlyActions.has(action) || action === "logout" || (action === "create" && names.length === 0)) ||
      required.length > 0,
    ...(envelope === undefined ? {} : { envelope }),
    ...(inputShapeOf(planInput.model, resolved) === undefined ? {} : { own: true as const }),
    fields: members
      .filter((member) => member.sets)
      .map((member) => {
        const setBy = settersOf(planInput, resolved.resource, member.name);
        const field = inputField(planInput, resolved, member);
        return setBy === undefined ? field : { ...field, setBy };
      }),
    others: members.filter((member) => !member.sets).map((member) => inputField(planInput, resolved, member)),
    fixed:
      resolved.file === undefined && (action === "update" || action === "replace")
        ? fixedFields(planInput, resolved, table, members)
        : [],
  };
}

/** Plans the objects around the members of a body: as declared with a custom `takes`, else as declared by `wrap`. */
function envelopeOf(
  planInput: PlanInput,
  resolved: ResourceEndpoint,
  members: readonly InputMember[],
  names: readonly string[],
): Envelope | undefined {
  const { endpoint, action } = resolved;
  const accepted = inputShapeOf(planInput.model, resolved);
  if (accepted === undefined || endpoint.takesView !== undefined) {
    const { wrap } = inputOnlyActions.has(action) ? {} : wrapOf(planInput, resolved);
    const inner = accepted === undefined ? undefined : shapedEnvelope(names, accepted);
    if (wrap === undefined) return inner;
    return { members: [], objects: { [wrap]: inner ?? { members: names, objects: {} } } };
  }
  // The member with the current secret is in the same object as the member with the new secret.
  const provedBy = new Map(members.map(({ name, proves }) => [name, proves ?? name]));
  return shapedEnvelope(names, accepted, (name) => provedBy.get(name) ?? name);
}

/** Returns the envelope of a body with this shape. `siblingOf`: the member beside which a member is, if it has no place itself. */
export function shapedEnvelope(
  names: readonly string[],
  { nesting, names: sent }: InputShape,
  siblingOf: (name: string) => string = (name) => name,
): Envelope | undefined {
  if (Object.keys(nesting).length === 0 && Object.keys(sent).length === 0) return undefined;
  return envelopeAround(names, (name) => lookup(nesting, siblingOf(name)) ?? [], sent);
}

/** Builds an envelope. `around`: returns the names of the objects around a member, outermost first; `user?` is optional. */
function envelopeAround(
  names: readonly string[],
  around: (name: string) => readonly string[],
  sent: InputShape["names"],
): Envelope {
  const inner = Map.groupBy(
    names.filter((name) => around(name).length > 0),
    (name) => around(name)[0] ?? "",
  );
  const here = names.filter((name) => around(name).length === 0);
  const renamed = here.flatMap((name): [string, string][] => {
    const other = lookup(sent, name);
    return other === undefined ? [] : [[name, other]];
  });
  return {
    members: here,
    ...(renamed.length === 0 ? {} : { names: Object.fromEntries(renamed) }),
    objects: Object.fromEntries(
      [...inner].map(([written, some]) => {
        const envelope = envelopeAround(some, (name) => around(name).slice(1), sent);
        const optional = written.endsWith("?");
        return [
          optional ? written.slice(0, -1) : written,
          optional ? { ...envelope, optional: true as const } : envelope,
        ];
      }),
    ),
  };
}

/** Returns the schema of a body member. In a merge patch null removes a member (RFC 7396), so optional fields accept null. */
function memberSchema({ model }: PlanInput, { action }: ResourceEndpoint, { field }: InputMember): JsonObject {
  const schema = fieldSchema(model, field, "input");
  if (action === "update") return isNullable(field) && field.type.kind !== "nullable" ? orNull(schema) : schema;
  const value = defaultValue(model, field);
  return value === undefined ? schema : { ...schema, default: value };
}

function inputField(
  planInput: PlanInput,
  { action, resource }: ResourceEndpoint,
  { name, field, sets }: InputMember,
): InputField {
  const { model } = planInput;
  // A member of `takes` may set the record's field of the same name, whose modifiers then decide how it is stored.
  const kept = sets ? (lookup(fieldsOf(model, resource), name) ?? field) : field;
  return bodyField(planInput, name, field, {
    visible: visibleOf,
    defaults: action !== "update",
    secret: kept.marks.includes("secret"),
  });
}

interface BodyFieldOptions {
  /** Returns the grants to see the records of a resource: only callers who see a record may refer to it. */
  readonly visible: (planInput: PlanInput, resource: string) => readonly GrantPlan[];
  /** Whether an omitted member gets the field's default. */
  readonly defaults: boolean;
  /** Whether the sent value is a secret, which is a text whatever the field's type. */
  readonly secret: boolean;
}

/** Plans a member of a body: its conversion and its default. */
export function bodyField(
  planInput: PlanInput,
  name: string,
  field: Field,
  { visible, defaults, secret }: BodyFieldOptions,
): InputField {
  const form = inputForm(planInput, field.type, visible);
  const value = defaults ? defaultValue(planInput.model, field) : undefined;
  return {
    name,
    type: secret ? "text" : columnTypeOf(planInput.model, field.type),
    ...(form === undefined ? {} : { form }),
    ...(value === undefined ? {} : { default: value }),
    ...(secret ? { secret } : {}),
  };
}

/**
 * Plans how a value is converted. `visible`: the grants to see the records of a resource. `around`: the enclosing embedded
 * types; a recursive type is not followed.
 */
export function inputForm(
  planInput: PlanInput,
  type: FieldType,
  visible: (planInput: PlanInput, resource: string) => readonly GrantPlan[],
  around: readonly string[] = [],
): InputForm | undefined {
  const { model } = planInput;
  const bare = bareType(type);
  if (bare.kind === "scalar") {
    if (bare.name !== "datetime") return undefined;
    return { kind: "timestamp", ...(bare.unix === undefined ? {} : { unix: bare.unix }) };
  }
  if (bare.kind === "list" || bare.kind === "map") {
    const of = inputForm(planInput, bare.of, visible, around);
    return of === undefined ? undefined : { kind: bare.kind, of };
  }
  if (bare.kind !== "named") return undefined;
  const target = referenceOf(model, bare);
  if (target !== undefined) return { kind: "reference", resource: target, visible: visible(planInput, target) };
  if (around.includes(bare.name)) return undefined;
  const members = Object.entries(lookup(model.resources.types, bare.name) ?? {}).flatMap(([name, field]) => {
    const form = inputForm(planInput, field.type, visible, [...around, bare.name]);
    const value = defaultValue(model, field);
    if (form === undefined && value === undefined) return [];
    return [
      [name, { ...(form === undefined ? {} : { form }), ...(value === undefined ? {} : { default: value }) }] as const,
    ];
  });
  return members.length === 0 ? undefined : { kind: "object", members: Object.fromEntries(members) };
}

function fixedFields(
  planInput: PlanInput,
  resolved: ResourceEndpoint,
  table: Table,
  members: readonly InputMember[],
): readonly string[] {
  const upsert = creates(planInput.model, resolved);
  const fields = fieldsOf(planInput.model, resolved.resource);
  const changeable = members.filter(({ name }) => {
    // A PUT that creates accepts create-only fields, which must be unchanged for an existing record.
    return !(upsert && lookup(fields, name)?.marks.includes("create-only"));
  });
  const open = new Set(changeable.map(({ name }) => name));
  const visible = [...table.columns, ...table.virtual].filter(
    ({ visibleTo }) => visibleTo === undefined || visibleTo.length > 0,
  );
  const bound = boundFields(planInput.model, resolved);
  return visible.map(({ name }) => name).filter((name) => !open.has(name) || bound.includes(name));
}
