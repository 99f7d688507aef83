/**
 * Handles a request of an older version. It is validated in its own version (`toVersionedRequest`), so violations, tags,
 * cursors and keys are those of that version. Then it is upgraded and performed in the newest version, and the response is
 * downgraded.
 */
import type { Json, JsonObject } from "../../base/json.ts";
import type { Row } from "../../store/port/store.ts";
import type { Call } from "../context/context.ts";
import { invalid, ApiError, type Violation } from "../errors/api-error.ts";
import type { VersionConverter, Subject, FullRecord } from "../context/version.ts";
import { membersOfJson } from "./requested-members.ts";
import { textToOlder } from "./compose-steps.ts";

/** Returns the call in the caller's version; for the newest version the same call. */
export function toVersionedRequest(call: Call): Call {
  if (call.own === undefined) return call;
  const { own, ...rest } = call;
  return { ...rest, compiled: own.compiled, kind: own.kind, input: own.input };
}

/** Returns the body's value for a member, by the member's name in the newest version. */
export function sentFor(call: Call, name: string): Json | undefined {
  const { own, input } = call;
  const [callerName = name] = (own && segmentsToOlder(call, own.converter, [name])) ?? [];
  return Object.hasOwn(input, callerName) ? input[callerName] : undefined;
}

/**
 * Converts the segments of a pointer. A custom body has its own names; other members are the record's. Returns undefined like
 * `VersionConverter.pointerToOlder`.
 */
export function segmentsToOlder(
  call: Call,
  converter: VersionConverter,
  segments: readonly string[],
): readonly string[] | undefined {
  const { operation } = call.compiled;
  const [first = ""] = segments;
  const { body } = operation;
  const isCustom = body?.own === true && [...body.fields, ...body.others].some(({ name }) => name === first);
  const subject: Subject = isCustom
    ? { kind: "takes", operation: operation.name }
    : { kind: "record", resource: operation.resource };
  return converter.pointerToOlder(subject, segments);
}

/** Returns the error for violations in the caller's version, which are not downgraded again. */
export function versionedError(call: Call, violations: readonly Violation[]): ApiError {
  return asVersioned(call, invalid(violations));
}

/** Runs the task in the caller's version; its errors are not downgraded again. */
export function withVersionedRequest<Result>(call: Call, task: (own: Call) => Result): Result {
  if (call.own === undefined) return task(call);
  try {
    return task(toVersionedRequest(call));
  } catch (thrown) {
    throw thrown instanceof ApiError ? asVersioned(call, thrown) : thrown;
  }
}

function asVersioned(call: Call, error: ApiError): ApiError {
  return call.own === undefined ? error : new ApiError(error.code, { ...error.details, own: true });
}

/** Upgrades input that is valid in the caller's version. */
export function inputToNewer(call: Call, input: JsonObject, how: FullRecord = { isFull: true }): JsonObject {
  const { own } = call;
  if (own === undefined) return input;
  const { operation } = own.compiled;
  // The input of a transition is no record, so it is converted as the operation's own.
  const subject: Subject =
    operation.body?.own === true || operation.action === "move"
      ? { kind: "takes", operation: operation.name }
      : { kind: "record", resource: operation.resource };
  return own.converter.upgrade(subject, input, how);
}

/** Returns the call with a full body, upgraded to the newest version and validated. */
export function upgradeRequest(call: Call, input: JsonObject, how?: FullRecord): Call {
  if (call.own === undefined) return call;
  const upgrade = inputToNewer(call, input, how);
  const violations = call.compiled.validate?.(upgrade) ?? [];
  if (violations.length > 0) throw invalid(violations);
  return { ...call, input: upgrade };
}

/** Returns the call with its full body, validated in the caller's version and upgraded. */
export function validatedRequest(call: Call): Call {
  const versioned = toVersionedRequest(call);
  const violations = versioned.compiled.validate?.(versioned.input) ?? [];
  if (violations.length > 0) throw versionedError(call, violations);
  return upgradeRequest(call, versioned.input);
}

/** Downgrades a record of the newest version for the caller. */
export function recordToOlder(call: Call, record: JsonObject): JsonObject {
  const { own } = call;
  if (own === undefined) return record;
  return own.converter.downgrade({ kind: "record", resource: call.compiled.operation.resource }, record);
}

/** Downgrades a row for the caller, including members that may be hidden. */
export function rowToOlder(call: Call, row: Row): Row {
  if (call.own === undefined) return row;
  const { _seq, _rev, ...members } = row;
  const downgrade = recordToOlder(call, members as Readonly<Record<string, Json>>);
  return { ...downgrade, ...(_seq === undefined ? {} : { _seq }), ...(_rev === undefined ? {} : { _rev }) } as Row;
}

/** Returns the text of a response's record or page in the caller's version. */
export function versionedText(call: Call, text: string): string {
  const { olderFields } = call;
  const older = textInVersion(call, text);
  if (olderFields === undefined || older === "") return older;
  const items = JSON.parse(`[${older}]`) as readonly Json[];
  return items.map((item) => JSON.stringify(membersOfJson(item, olderFields))).join(",");
}

function textInVersion(call: Call, text: string): string {
  const { own } = call;
  if (own === undefined) return text;
  const { operation } = call.compiled;
  if (operation.response.kind === "members" || operation.response.kind === "shape")
    return textToOlder(own.converter, { kind: "gives", operation: operation.name }, text);
  return recordText(call, text);
}

/** Returns the text of records in the caller's version, even for operations with another response. */
export function recordText(call: Call, text: string): string {
  const { own } = call;
  if (own === undefined) return text;
  const { tag, known } = own.kind.record;
  const subject: Subject = { kind: "record", resource: call.compiled.operation.resource };
  // Members hidden from this caller are hidden in the older version too.
  return textToOlder(own.converter, subject, text, tag === "" ? undefined : known);
}
