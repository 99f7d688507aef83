/** The input of an operation: the members of its body, and which of them set fields of the record. */
import { loginsOf, presentSecret } from "../authentication/login.ts";
import type { Model } from "../model.ts";
import { perModel } from "../analysis/per-model.ts";
import { bareType, fieldsOf, hasClientId, isChangeable, isNullable, isServerSet, lookup } from "../resources/fields.ts";
import type { Field } from "../resources/model.ts";
import type { ResourceEndpoint } from "./resolve.ts";
import { bodilessActions, partsOf, readingActions, sessionActions, inputOnlyActions } from "./model.ts";
import { inputShapeOf } from "./shape.ts";

export interface InputMember {
  readonly name: string;
  readonly field: Field;
  /** Whether a body without this member is invalid. */
  readonly required: boolean;
  /** Whether the member sets the record's field of the same name; other members only are `input.name` in expressions. */
  readonly sets: boolean;
  /** The field whose current value the caller proves with this member (`changed` of a credential). */
  readonly proves?: string;
}

/**
 * Returns the members of an operation's body: those of `takes`, else the action's default fields. A create takes all fields
 * except those that the server sets, `choose` finds or the path contains. An update takes the changeable fields; a replace
 * too, and, if it can also create (`creates`), the create-only fields except the key, which is in the path. Transitions and
 * links take only `takes`, which sets no fields: `set` and `with` do. A login sets no fields either. Reads and deletes take
 * nothing.
 */
export const inputOf: (model: Model, resolved: ResourceEndpoint) => readonly InputMember[] = perModel(
  (model, resolved) => {
    const { action } = resolved;
    if (readingActions.has(action) || bodilessActions.has(action)) return [];
    const fields = fieldsOf(model, resolved.resource);
    const accepted = inputShapeOf(model, resolved)?.fields;
    const named = accepted === undefined ? impliedFields(model, resolved) : Object.entries(accepted);
    const members = named.map(([name, field]): InputMember => {
      const target = inputOnlyActions.has(action) || sessionActions.has(action) ? undefined : lookup(fields, name);
      return {
        name,
        field,
        required: action !== "update" && !field.optional && field.default === undefined,
        sets:
          target !== undefined &&
          !isServerSet(target) &&
          (action === "create" || creates(model, resolved) || isChangeable(name, target)),
      };
    });
    return [...members, ...proofsOf(model, resolved, members)];
  },
);

/** Returns the member with the current secret, if callers may change a login secret and must prove the current one. */
function proofsOf(
  model: Model,
  { action, resource }: ResourceEndpoint,
  members: readonly InputMember[],
): readonly InputMember[] {
  if (action !== "update" && action !== "replace") return [];
  return loginsOf(model, resource).flatMap((login) => {
    const { changed, secret } = login;
    if (changed === undefined || !members.some(({ name, sets }) => sets && name === secret)) return [];
    if (members.some(({ name }) => name === changed)) return [];
    return [{ name: changed, field: presentSecret(model, login), required: false, sets: false, proves: secret }];
  });
}

/** Whether a PUT to an unused name creates the record (`createdKeys`). */
export function creates(model: Model, resolved: ResourceEndpoint): boolean {
  return createdKeys(model, resolved).length > 0;
}

/**
 * Returns the fields whose values the path of a PUT gives to a record that the PUT creates: an id from clients, or, if the
 * document declares the status of the outcome `created`, the unique fields of the path, which every record gets from its client.
 */
export function createdKeys(model: Model, { action, endpoint, key, resource }: ResourceEndpoint): readonly string[] {
  if (action !== "replace" || key === undefined) return [];
  if (key.column === "id") return hasClientId(model, resource) ? ["id"] : [];
  if (endpoint.statuses?.created === undefined || hasClientId(model, resource)) return [];
  const columns = partsOf(key).map(({ column }) => column);
  const isFromClient = columns.every((column) => {
    const field = lookup(fieldsOf(model, resource), column);
    return field !== undefined && !isServerSet(field) && !isNullable(field) && field.default === undefined;
  });
  return isFromClient ? columns : [];
}

function impliedFields(model: Model, resolved: ResourceEndpoint): readonly (readonly [name: string, field: Field])[] {
  if (inputOnlyActions.has(resolved.action)) return [];
  const bound = boundFields(model, resolved);
  const create = resolved.action === "create";
  if (resolved.file !== undefined) return [[resolved.file, fieldsOf(model, resolved.resource)[resolved.file] as Field]];
  const createdBy = createdKeys(model, resolved);
  const upsert = createdBy.length > 0;
  return Object.entries(fieldsOf(model, resolved.resource)).filter(([name, field]) => {
    if (isServerSet(field) || bound.includes(name)) return false;
    // A PUT of JSON cannot send a file and should not delete it: if the body has the member, its value is compared with the
    // record.
    if (resolved.action === "replace" && !upsert && bareType(field.type).kind === "file") return false;
    return create || (upsert ? !createdBy.includes(name) : isChangeable(name, field));
  });
}

/** Returns the fields of the record whose value comes from the path or from `choose`. */
export function boundFields(model: Model, resolved: ResourceEndpoint): readonly string[] {
  const { endpoint, parents, action, pathFields = [] } = resolved;
  const parent = action === "create" || creates(model, resolved) ? parents.at(-1)?.field : undefined;
  const plain = action === "create" ? pathFields.map(({ column }) => column) : [];
  return [...(parent === undefined ? [] : [parent]), ...plain, ...Object.keys(endpoint.choose ?? {})];
}
