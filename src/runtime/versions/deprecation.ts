/** The deprecation of versions and of operations: the header fields that announce it, and the error after the sunset (R9.5). */
import { dateOf } from "../../base/unix-time.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import type { DeprecationPlan } from "../../plan/versioning/conversion-types.ts";
import { ApiError } from "../errors/api-error.ts";

export function hasEnded(deprecated: DeprecationPlan | undefined, now: number): boolean {
  return deprecated?.sunset !== undefined && now >= deprecated.sunset;
}

/** @throws ApiError 410 after the sunset of the operation */
export function assertServed({ deprecated }: Operation, now: number): void {
  if (deprecated?.sunset === undefined || !hasEnded(deprecated, now)) return;
  throw new ApiError("operation-gone", { detail: `This operation ended on ${dateOf(deprecated.sunset)}` });
}

/** Returns the deprecated operations by name; undefined if there are none. */
export function deprecatedOperations(
  operations: readonly Operation[],
): ReadonlyMap<string, DeprecationPlan> | undefined {
  const found = operations.flatMap(({ name, deprecated }) =>
    deprecated === undefined ? [] : [[name, deprecated] as const],
  );
  return found.length === 0 ? undefined : new Map(found);
}

/**
 * Returns the header fields of a response to which these deprecations apply: the earliest dates, and all guides. Names and
 * values alternate. `Deprecation` is a date of structured fields (RFC 9745), `Sunset` an HTTP date (RFC 8594).
 */
export function deprecationHeaders(all: readonly DeprecationPlan[]): readonly string[] {
  const since = Math.min(...all.map((one) => one.since ?? Number.POSITIVE_INFINITY));
  const sunset = Math.min(...all.map((one) => one.sunset ?? Number.POSITIVE_INFINITY));
  const guides = new Set(all.flatMap(({ guide }) => guide ?? []));
  return [
    ...(Number.isFinite(since) ? ["Deprecation", `@${Math.floor(since / 1000)}`] : []),
    ...(Number.isFinite(sunset) ? ["Sunset", new Date(sunset).toUTCString()] : []),
    ...[...guides].flatMap((guide) => ["Link", `<${guide}>; rel="deprecation"; type="text/html"`]),
  ];
}
