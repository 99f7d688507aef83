/**
 * Converts an error to the caller's version: pointers, field names in messages, members (R7.2). The response code is converted
 * later, because many errors occur before the operation is known.
 */
import { fragmentTo, pathOf } from "../../base/json-pointer.ts";
import type { Call } from "../context/context.ts";
import { type Violation, type ApiErrorDetails, ApiError, referredTo, stateConflict } from "../errors/api-error.ts";
import { fieldOf } from "../errors/body.ts";
import { alreadyExists } from "../validation/messages.ts";
import type { VersionConverter } from "../context/version.ts";
import { segmentsToOlder } from "./request.ts";

/** Converts an error in terms of the newest version for a request of an older version. */
export function toOlderError(call: Call, error: ApiError): ApiError {
  const { own } = call;
  if (own === undefined || error.details.own === true) return error;
  const { code, details } = error;
  const violations = details.violations && toOlderViolations(call, own.converter, code, details.violations);
  // The error's detail may repeat the detail of a violation, which then replaces it.
  const same = details.violations?.findIndex(({ detail }) => detail === details.detail) ?? -1;
  const converted: ApiErrorDetails = {
    ...details,
    ...(violations === undefined ? {} : visibleViolations(violations)),
    ...(same < 0 ? {} : { detail: violations?.[same]?.detail ?? unfit.detail }),
    ...membersToOlder(call, own.converter, code, details),
    own: true,
  };
  return new ApiError(code, converted);
}

/** Renames limits in a 429 error: their names contain operations and resources (`collect-per-Parcel`). */
export function limitsToOlder(converter: VersionConverter, details: ApiErrorDetails): ApiErrorDetails {
  const { members } = details;
  const names = members?.["violated-policies"];
  if (!Array.isArray(names)) return details;
  const converted = (names as readonly string[]).map((name) => limitToOlder(converter, name));
  return { ...details, members: { ...members, "violated-policies": converted } };
}

/** Renames limits in `RateLimit-Policy` and `RateLimit`, whose items start with a quoted name. */
export function limitFieldsToOlder(converter: VersionConverter, fields: readonly string[]): readonly string[] {
  return fields.map((field) =>
    field.replaceAll(/"([^"]+)"/g, (_, name: string) => `"${limitToOlder(converter, name)}"`),
  );
}

function limitToOlder(converter: VersionConverter, name: string): string {
  const [, of = "", per = "", rest = ""] = /^(\w+)-per-(\w+)(.*)$/.exec(name) ?? [];
  const downgrade = (one: string): string =>
    /^[A-Z]/.test(one) ? converter.olderDefinition(one) : converter.olderOperation(one);
  return of === "" ? name : `${downgrade(of)}-per-${downgrade(per)}${rest}`;
}

const unfit = { pointer: "#", code: "does-not-fit", detail: "The result is not a valid record" } as const;

function toOlderViolations(
  call: Call,
  converter: VersionConverter,
  code: string,
  violations: readonly Violation[],
): readonly (Violation | undefined)[] {
  const downgrade = violations.map((violation) => toOlderViolation(call, converter, violation));
  if (code !== "already-exists") return downgrade;
  const detail = alreadyExists(downgrade.flatMap((violation) => (violation === undefined ? [] : [fieldOf(violation)])));
  return downgrade.map((violation) => violation && { ...violation, detail });
}

/** Drops violations of members that the caller's version does not have; if none is left, reports a general violation. */
function visibleViolations(downgrade: readonly (Violation | undefined)[]): Pick<ApiErrorDetails, "violations"> {
  const known = downgrade.filter((violation) => violation !== undefined);
  return { violations: known.length === 0 ? [unfit] : known };
}

/** Converts a violation; undefined for a member that the caller's version does not have. */
function toOlderViolation(call: Call, converter: VersionConverter, violation: Violation): Violation | undefined {
  if (violation.pointer === undefined || violation.pointer === "#") return violation;
  const segments = pathOf(violation.pointer);
  const downgrade = segmentsToOlder(call, converter, segments);
  if (downgrade === undefined) return undefined;
  return { ...violation, pointer: fragmentTo(downgrade), detail: detailToOlder(violation, segments, downgrade) };
}

/** Converts a message. Messages start with the name of their member (validation/messages.ts) and contain no other name. */
function detailToOlder({ code, detail }: Violation, now: readonly string[], then: readonly string[]): string {
  const name = (path: readonly string[], length: number): string => path.slice(0, length).join(".");
  // The allowed values may differ between versions, so the message does not list them.
  if (code === "not-one-of") return `${name(then, then.length)} is not an allowed value`;
  for (let length = now.length; length > 0; length -= 1) {
    for (const start of ["", "The name of "]) {
      const prefix = `${start}${name(now, length)} `;
      if (detail.startsWith(prefix)) return `${start}${name(then, length)} ${detail.slice(prefix.length)}`;
    }
  }
  return detail;
}

function membersToOlder(
  call: Call,
  converter: VersionConverter,
  code: string,
  { members }: ApiErrorDetails,
): Partial<ApiErrorDetails> {
  if (members === undefined) return {};
  if (code === "state-conflict") {
    const { state, moves } = members;
    const { resource } = call.compiled.operation;
    const record = converter.downgrade({ kind: "record", resource }, { state: state ?? null });
    const known = new Set(call.own?.compiled.siblings.map(({ name }) => name));
    const allowed = ((moves ?? []) as readonly string[])
      .map((name) => converter.olderOperation(name))
      .filter((name) => known.has(name));
    const converted = record["state"] ?? state;
    return stateConflict(typeof converted === "string" ? converted : "", allowed);
  }
  if (code === "still-referenced") {
    const { resource, field } = members as { readonly resource: string; readonly field: string };
    const [older] = converter.pointerToOlder({ kind: "record", resource }, [field]) ?? [];
    const definition = converter.olderDefinition(resource);
    const isKnown = call.version.plan.tables.some((table) => table.resource === definition);
    return older === undefined || !isKnown ? referredTo() : referredTo({ resource: definition, field: older });
  }
  return {};
}
