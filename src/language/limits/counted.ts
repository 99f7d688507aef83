/** Decides what a limit counts by: the user, address or record of a request. */
import { inputOf } from "../endpoints/input.ts";
import { partsOf } from "../endpoints/model.ts";
import type { ResourceEndpoint } from "../endpoints/resolve.ts";
import type { Model } from "../model.ts";
import { fieldsOf, referenceOf, referencesTo } from "../resources/fields.ts";

export type CountedBy =
  | { readonly kind: "user" }
  | { readonly kind: "ip" }
  /** A path parameter identifies the record, alone or with those before it. */
  | { readonly kind: "parameter"; readonly parameter: string; readonly before?: readonly string[] }
  /** A member of the body refers to the record. */
  | { readonly kind: "member"; readonly member: string };

/** The facts about an operation that its rate depends on. */
export type RatedEndpoint = Pick<ResourceEndpoint, "operation" | "resource" | "key" | "parents">;

/**
 * Returns what a rate counts by. A rate is counted before the body is read; undefined if the path identifies no record of the
 * resource.
 */
export function rateCountedBy(ratedEndpoint: RatedEndpoint, per: string): CountedBy | undefined {
  if (per === "user" || per === "ip") return { kind: per };
  const { resource, key, parents } = ratedEndpoint;
  const index =
    key !== undefined && resource === per ? parents.length : parents.findIndex((one) => one.resource === per);
  const keys = [...parents, ...(key === undefined ? [] : [key])];
  const named = keys[index];
  if (named === undefined) return undefined;
  // What is unique only below a parent has a name only together with the parent's.
  const start = keys.slice(0, index + 1).findLastIndex(({ scoped }) => scoped !== true);
  const before = keys
    .slice(Math.max(start, 0), index + 1)
    .flatMap(partsOf)
    .map(({ parameter }) => parameter)
    .slice(0, -1);
  return { kind: "parameter", parameter: named.parameter, ...(before.length === 0 ? {} : { before }) };
}

/**
 * Returns what a quota in a window counts by; undefined if neither the path nor exactly one member of the body identifies a
 * record of the resource.
 */
export function windowCountedBy(model: Model, ratedEndpoint: ResourceEndpoint, per: string): CountedBy | undefined {
  const inPath = rateCountedBy(ratedEndpoint, per);
  if (inPath !== undefined) return inPath;
  const [member, ...others] = inputOf(model, ratedEndpoint).filter(
    ({ field }) => referenceOf(model, field.type) === per,
  );
  return member === undefined || others.length > 0 ? undefined : { kind: "member", member: member.name };
}

/**
 * Returns the fields that may identify the owner of a live record: for a user the fields with the default `caller`, else those
 * that refer to the resource. A quota needs exactly one such field.
 */
export function ownerFields(model: Model, resource: string, per: string): readonly string[] {
  if (per !== "user") return referencesTo(model, resource, per);
  const fields = Object.entries(fieldsOf(model, resource));
  return fields.filter(([, field]) => field.default?.kind === "caller").map(([name]) => name);
}
