/** Describes a deprecated operation: that it is, until when, and the header fields of its responses. */
import { dateOf } from "../../base/unix-time.ts";
import { isObject, type Json, type JsonObject, mapMembers } from "../../base/json.ts";
import { withDeprecation } from "../../language/versioning/deprecated.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import type { DeprecationPlan } from "../../plan/versioning/conversion-types.ts";

/** Returns the description of the operation. `shared`: the responses that several operations share, by component name. */
export function deprecatedOperation(
  { deprecated }: Operation,
  description: JsonObject,
  shared: ReadonlyMap<string, JsonObject>,
): JsonObject {
  if (deprecated === undefined) return description;
  const { since, sunset, guide } = deprecated;
  const fields = deprecationFields("operation", deprecated);
  const written = withDeprecation(description, {
    ...(since === undefined ? {} : { since: dateOf(since) }),
    ...(sunset === undefined ? {} : { sunset: dateOf(sunset) }),
    ...(guide === undefined ? {} : { guide }),
  });
  const responses = mapMembers(description["responses"] as JsonObject, (response) => {
    // Other operations that share the response are not deprecated.
    const inline = inlined(response, shared);
    return { ...inline, headers: { ...fields, ...(inline["headers"] as JsonObject | undefined) } };
  });
  return { ...written, responses };
}

/** Returns a response in place of a reference to it. `shared`: the responses by component name. */
export function inlined(response: Json, shared: ReadonlyMap<string, JsonObject>): JsonObject {
  if (!isObject(response)) return {};
  const { $ref: reference } = response;
  return typeof reference === "string" ? (shared.get(reference.split("/").at(-1) ?? "") ?? {}) : response;
}

/** Returns the header fields that announce a deprecation, of responses of a version or of an operation. */
export function deprecationFields(
  what: "version" | "operation",
  { guide, since, sunset }: DeprecationPlan,
): Readonly<Record<string, JsonObject>> {
  const field = (description: string): JsonObject => ({ description, schema: { type: "string" } });
  return {
    ...(since === undefined ? {} : { Deprecation: field(`Since when the ${what} is deprecated (RFC 9745).`) }),
    ...(sunset === undefined ? {} : { Sunset: field(`When the ${what} is removed (RFC 8594).`) }),
    ...(guide === undefined ? {} : { Link: field('The migration guide, as `rel="deprecation"`, and the next page.') }),
  };
}
