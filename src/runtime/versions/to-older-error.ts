/**
 * A refusal in the words of the version that it is told in: pointers, the names in its sentences, its members (R7.2). Its code
 * is brought down where it becomes an answer, since many are refused before their operation is known.
 */
import { fragmentTo, unescapeSegment } from "../../base/json-pointer.ts";
import type { Call } from "../context/context.ts";
import { type Violation, type ApiErrorDetails, ApiError, referredTo, stateConflict } from "../errors/api-error.ts";
import { fieldOf } from "../errors/body.ts";
import { alreadyExists } from "../validation/messages.ts";
import type { VersionConverter } from "../context/version.ts";
import { segmentsToOlder } from "./request.ts";

/** What is refused in the newest terms, for a call of an older version. */
export function toOlderError(call: Call, error: ApiError): ApiError {
  const { own } = call;
  if (own === undefined || error.details.own === true) return error;
  const { code, details } = error;
  const violations = details.violations && toOlderViolations(call, own.converter, code, details.violations);
  // What one fault says the refusal says, too.
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

/** Names of limits contain those of operations and resources (`collect-per-Parcel`). Gives a 429 the names of the older version. */
export function limitsToOlder(converter: VersionConverter, details: ApiErrorDetails): ApiErrorDetails {
  const { members } = details;
  const names = members?.["violated-policies"];
  if (!Array.isArray(names)) return details;
  const converted = (names as readonly string[]).map((name) => limitToOlder(converter, name));
  return { ...details, members: { ...members, "violated-policies": converted } };
}

/** The same for the fields `RateLimit-Policy` and `RateLimit`, whose items begin with a name in quotes. */
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

/** Violations of members that the caller's version does not have become one general violation. */
function visibleViolations(downgrade: readonly (Violation | undefined)[]): Pick<ApiErrorDetails, "violations"> {
  const known = downgrade.filter((violation) => violation !== undefined);
  return { violations: known.length === 0 ? [unfit] : known };
}

/** Undefined where it is about a member that the caller's version does not have. */
function toOlderViolation(call: Call, converter: VersionConverter, violation: Violation): Violation | undefined {
  if (violation.pointer === undefined || violation.pointer === "#") return violation;
  const segments = violation.pointer
    .slice(2)
    .split("/")
    .map((one) => unescapeSegment(decodeURIComponent(one)));
  const downgrade = segmentsToOlder(call, converter, segments);
  if (downgrade === undefined) return undefined;
  return { ...violation, pointer: fragmentTo(downgrade), detail: detailToOlder(violation, segments, downgrade) };
}

/** A sentence about a member begins with its name (fault-texts.ts), and names no other. */
function detailToOlder({ code, detail }: Violation, now: readonly string[], then: readonly string[]): string {
  const name = (path: readonly string[], length: number): string => path.slice(0, length).join(".");
  // The newest version's values need not be those of the caller's.
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
