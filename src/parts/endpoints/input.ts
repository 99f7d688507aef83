/** What an operation takes: the members of its body, and which of them are fields of the record. */
import { loginsOf, presentSecret } from "../authentication/login.ts";
import type { Model } from "../model.ts";
import { perModel } from "../per-model.ts";
import { bareType, fieldsOf, hasClientId, isChangeable, isServerSet, own } from "../resources/fields.ts";
import type { Field } from "../resources/model.ts";
import type { ResourceEndpoint } from "./meaning.ts";
import { bodilessDeeds, readingDeeds, sessionDeeds, tellingDeeds } from "./model.ts";
import { takenShape } from "./shape.ts";

export interface InputMember {
  readonly name: string;
  readonly field: Field;
  /** Whether a body without it is refused. */
  readonly required: boolean;
  /** Whether it is the field of the record with this name that it sets; others are `input.name` in expressions only. */
  readonly sets: boolean;
  /** The field whose present value it proves, where it does that (`changed` of a credential). */
  readonly proves?: string;
}

/**
 * The members that a body may have: those of `takes`, else the fields that the deed implies. A create takes all fields but
 * those that the server sets, `choose` finds or the path binds; an update those that may change; a replace the same, and
 * where it can also create (`creates`) the create-only ones and not the id, which the path gives. A move and a link take nothing
 * unless `takes` says so, and its members set no field by themselves: `set` and `with` do. Reads and deletes take nothing. What a login takes sets nothing either.
 */
export const inputOf: (model: Model, meaning: ResourceEndpoint) => readonly InputMember[] = perModel(
  (model, meaning) => {
    const { deed, endpoint } = meaning;
    if (readingDeeds.has(deed) || bodilessDeeds.has(deed)) return [];
    const fields = fieldsOf(model, meaning.resource);
    const taken = takenShape(model, endpoint)?.fields;
    const named = taken === undefined ? impliedFields(model, meaning) : Object.entries(taken);
    const members = named.map(([name, field]): InputMember => {
      const target = tellingDeeds.has(deed) || sessionDeeds.has(deed) ? undefined : own(fields, name);
      return {
        name,
        field,
        required: deed !== "update" && !field.optional && field.default === undefined,
        sets:
          target !== undefined &&
          !isServerSet(target) &&
          (deed === "create" || creates(model, meaning) || isChangeable(name, target)),
      };
    });
    return [...members, ...proofsOf(model, meaning, members)];
  },
);

/** Where a caller may change a secret that somebody logs in with, and the document asks for the present one. */
function proofsOf(
  model: Model,
  { deed, resource }: ResourceEndpoint,
  members: readonly InputMember[],
): readonly InputMember[] {
  if (deed !== "update" && deed !== "replace") return [];
  return loginsOf(model, resource).flatMap((login) => {
    const { changed, secret } = login;
    if (changed === undefined || !members.some(({ name, sets }) => sets && name === secret)) return [];
    if (members.some(({ name }) => name === changed)) return [];
    return [{ name: changed, field: presentSecret(model, login), required: false, sets: false, proves: secret }];
  });
}

/** Whether a PUT to a name that is not taken creates the record: where the client gives the id that the path has. */
export function creates(model: Model, { deed, resource, key }: ResourceEndpoint): boolean {
  return deed === "replace" && key?.column === "id" && hasClientId(model, resource);
}

function impliedFields(model: Model, meaning: ResourceEndpoint): readonly (readonly [name: string, field: Field])[] {
  if (tellingDeeds.has(meaning.deed)) return [];
  const bound = boundFields(model, meaning);
  const create = meaning.deed === "create";
  if (meaning.file !== undefined) return [[meaning.file, fieldsOf(model, meaning.resource)[meaning.file] as Field]];
  const upsert = creates(model, meaning);
  return Object.entries(fieldsOf(model, meaning.resource)).filter(([name, field]) => {
    if (isServerSet(field) || bound.includes(name)) return false;
    // A PUT of JSON cannot send a file and should not delete it: the value, if there is one, is compared with the record.
    if (meaning.deed === "replace" && !upsert && bareType(field.type).kind === "file") return false;
    return create || (upsert && name !== "id") || isChangeable(name, field);
  });
}

/** The fields of the record that the path or `choose` gives a value. */
export function boundFields(model: Model, meaning: ResourceEndpoint): readonly string[] {
  const { endpoint, parents, deed } = meaning;
  const parent = deed === "create" || creates(model, meaning) ? parents.at(-1)?.field : undefined;
  return [...(parent === undefined ? [] : [parent]), ...Object.keys(endpoint.choose ?? {})];
}
