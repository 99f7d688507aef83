/** The counter of a limit: the user, address or record that a request counts for. */
import { inputOf } from "../endpoints/input.ts";
import type { ResourceEndpoint } from "../endpoints/resolve.ts";
import type { Model } from "../model.ts";
import { fieldsOf, referenceOf, referencesTo } from "../resources/fields.ts";

export type CountedBy =
  | { readonly kind: "user" }
  | { readonly kind: "ip" }
  /** The record that a parameter of the path names. */
  | { readonly kind: "parameter"; readonly parameter: string }
  /** The record that a member of the body refers to. */
  | { readonly kind: "member"; readonly member: string };

/** The facts about an operation that its rate uses. */
export type Rated = Pick<ResourceEndpoint, "operation" | "resource" | "key" | "parents">;

/** For a rate, which is counted before the body is read; undefined if the path names no record of the resource. */
export function rateCountedBy(resolvedRate: Rated, per: string): CountedBy | undefined {
  if (per === "user" || per === "ip") return { kind: per };
  const { resource, key, parents } = resolvedRate;
  const parameter =
    key !== undefined && resource === per ? key.parameter : parents.find((one) => one.resource === per)?.parameter;
  return parameter === undefined ? undefined : { kind: "parameter", parameter };
}

/** For a quota in a window; undefined where neither the path nor exactly one member of the body names a record of it. */
export function windowCountedBy(model: Model, resolvedRate: ResourceEndpoint, per: string): CountedBy | undefined {
  const inPath = rateCountedBy(resolvedRate, per);
  if (inPath !== undefined) return inPath;
  const [member, ...others] = inputOf(model, resolvedRate).filter(
    ({ field }) => referenceOf(model, field.type) === per,
  );
  return member === undefined || others.length > 0 ? undefined : { kind: "member", member: member.name };
}

/**
 * The fields that may name the owner of a live record: for a user those with the default `caller`, else those that refer to the
 * resource. A quota needs exactly one.
 */
export function ownerFields(model: Model, resource: string, per: string): readonly string[] {
  if (per !== "user") return referencesTo(model, resource, per);
  const fields = Object.entries(fieldsOf(model, resource));
  return fields.filter(([, field]) => field.default?.kind === "caller").map(([name]) => name);
}
