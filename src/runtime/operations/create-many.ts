/** Creates all records of an array, or none. Each violation has the index of its record: `#/3/weight`. */
import { fragmentTo } from "../../base/json-pointer.ts";
import type { BatchPlan } from "../../plan/endpoints/types.ts";
import type { HttpResponse } from "../../http/message.ts";
import type { Transaction } from "../../store/port/store.ts";
import type { Call, ItemInput } from "../context/context.ts";
import { ApiError, invalid, type Violation } from "../errors/api-error.ts";
import { findParents } from "../records/find-and-authorise.ts";
import { toVersionedRequest, upgradeRequest, versionedText } from "../versions/request.ts";
import { isUnknown } from "../validation/messages.ts";
import { toOlderError } from "../versions/to-older-error.ts";
import { errorInEnvelope } from "./envelope.ts";
import { inserted, validateNew } from "./insert-record.ts";
import { pageText } from "./page-text.ts";
import { emptyResponse } from "./responses.ts";

/** The most violations of one response. */
const mostViolations = 100;

export async function createMany(call: Call, tx: Transaction, batch: BatchPlan): Promise<HttpResponse> {
  const parents = await findParents(call, tx);
  const items = itemsOf(call, batch).map((item) => {
    const one = callFor(call, item);
    return { one, own: toVersionedRequest(one) };
  });
  const violations = items.flatMap(({ one, own }, index) =>
    violationsAt(batch, one, index, invalid(validateNew(own, own.input))),
  );
  if (violations.length > 0) throw new ApiError("invalid-request", located(violations));
  const texts: string[] = [];
  for (const [index, { one, own }] of items.entries()) {
    try {
      const { text } = await inserted(upgradeRequest(one, own.input), tx, parents, {});
      texts.push(text);
    } catch (thrown) {
      throw thrown instanceof ApiError ? errorAt(batch, one, index, thrown) : thrown;
    }
  }
  return { ...response(call, batch, texts), made: texts.length };
}

function response(call: Call, batch: BatchPlan, texts: readonly string[]): HttpResponse {
  const { kind, status } = call.compiled.operation.response;
  if (kind === "none") return emptyResponse(status);
  const variables = () => ({ ...call.variables, count: texts.length, next: null });
  const items = versionedText(call, texts.join(","));
  const body = pageText(batch, { items, next: "null", count: String(texts.length), variables });
  return { status, headers: ["Content-Type", "application/json", "Cache-Control", "no-store"], body };
}

/** Returns the records in the body. @throws ApiError 422 if the body has no array, or one of another length */
function itemsOf(call: Call, batch: BatchPlan): readonly ItemInput[] {
  const { items = [] } = call;
  const violations = arrayViolations(call, batch);
  if (violations.length > 0) throw new ApiError("invalid-request", located(violations));
  return items;
}

function arrayViolations({ compiled, input, items }: Call, { max, member, min }: BatchPlan): readonly Violation[] {
  // A body that is no object is stored under an empty name.
  const isBare = Object.hasOwn(input, "");
  if (member !== undefined && isBare)
    return [{ pointer: "#", code: "wrong-type", detail: "The body must be an object" }];
  const pointer = member === undefined ? "#" : fragmentTo([member]);
  const name = member ?? "The body";
  const others = Object.keys(input).filter((one) => member !== undefined && one !== member);
  const unknown = others.map((one): Violation => {
    return { pointer: fragmentTo([one]), code: "unknown-field", detail: isUnknown(one) };
  });
  const found = (code: string, detail: string): readonly Violation[] => [
    { pointer, code, detail: `${name} ${detail}` },
  ];
  const isMissing = member !== undefined && !Object.hasOwn(input, member);
  return [
    ...(isMissing
      ? found("required", "is required")
      : items === undefined
        ? found("wrong-type", "must be an array")
        : []),
    ...(items !== undefined && items.length < min ? found("too-few", `needs at least ${min} items`) : []),
    ...(items !== undefined && items.length > max ? found("too-many", `may have at most ${max} items`) : []),
    ...(compiled.operation.ignoresUnknown === true ? [] : unknown),
  ];
}

/** Returns the call that creates one of the records. */
function callFor(call: Call, { envelope, input, validate }: ItemInput): Call {
  const { envelope: _, items: __, ...rest } = call;
  const compiled = validate === undefined ? call.compiled : { ...call.compiled, validate };
  const own = call.own && {
    ...call.own,
    input,
    compiled: validate === undefined ? call.own.compiled : { ...call.own.compiled, validate },
  };
  return {
    ...rest,
    compiled,
    input,
    ...(envelope === undefined ? {} : { envelope }),
    ...(own === undefined ? {} : { own }),
    variables: { ...call.variables, input: { ...input, ...call.received } },
  };
}

/** Returns the error of one of the records, with the pointers of the body. */
function errorAt(batch: BatchPlan, call: Call, index: number, thrown: ApiError): ApiError {
  const { details } = thrown;
  const violations = violationsAt(batch, call, index, toOlderError(call, thrown));
  const isOfRecord = thrown.code === "already-exists" || call.compiled.operation.errors.includes(thrown.code);
  const detail = details.detail ?? "The record cannot be created";
  if (violations.length === 0 && !isOfRecord)
    return new ApiError(thrown.code, { ...details, detail: `${pointerAt(batch, index)}: ${detail}` });
  const full = { pointer: pointerAt(batch, index), code: "does-not-fit", detail };
  return new ApiError(thrown.code, {
    ...details,
    own: true,
    violations: violations.length === 0 ? [full] : violations,
  });
}

function violationsAt(batch: BatchPlan, { envelope }: Call, index: number, error: ApiError): readonly Violation[] {
  const sent = envelope === undefined ? error : errorInEnvelope(error, envelope.paths);
  const { violations = [] } = sent.details;
  return violations.map(({ isLocated: _, ...violation }): Violation => {
    const { pointer } = violation;
    return pointer === undefined
      ? violation
      : { ...violation, pointer: `${pointerAt(batch, index)}${pointer.slice(1)}` };
  });
}

function pointerAt({ member }: BatchPlan, index: number): string {
  return fragmentTo([...(member === undefined ? [] : [member]), String(index)]);
}

/** The violations are already in the names of the caller's version. */
function located(violations: readonly Violation[]) {
  return { ...invalid(violations.slice(0, mostViolations)).details, own: true };
}
