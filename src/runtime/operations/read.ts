/** Performs `GET /xs/{id}`: reads one record, or an aggregate (R4.15, R4.16, R2.12). */
import type { Value, Variables } from "../../expression/evaluate.ts";
import { after } from "../../base/after.ts";
import type { Awaitable, Found } from "../../store/port/store.ts";
import { emptyResponse, wrapped, extended } from "./responses.ts";
import { entityTag, shapedTag, textTag } from "../records/entity-tag.ts";
import { revalidationFields } from "../../http/compression.ts";
import { type Call, tableOf } from "../context/context.ts";
import type { HttpResponse } from "../../http/message.ts";
import { checkRead } from "./guard.ts";
import { splitHeaders, withFields } from "./headers.ts";
import { matchesWeakly } from "../../http/entity-tags.ts";
import { absent, absentParent, keyOf, namesOf, tagsOf, variablesFor } from "../records/find-and-authorise.ts";
import type { ForKind } from "../context/compiled.ts";
import { ApiError } from "../errors/api-error.ts";
import { unmarked } from "../auth/token-placeholders.ts";
import { versionedText } from "../versions/request.ts";

export function read(call: Call): Awaitable<HttpResponse> {
  return call.compiled.operation.aggregate === true ? readAll(call) : readRecord(call);
}

function readRecord(call: Call): Awaitable<HttpResponse> {
  const key = keyOf(call);
  return after(parentOf(call), (parent) => {
    if (parent === undefined) throw absentParent(call);
    if (key === undefined) throw absent(call);
    return after(findVisible(call, key, parent, call.own?.reads?.read), (found) => {
      if (call.compiled.operation.guard === undefined) return recordResponse(call, found);
      return checkRead(call, key, parent).then(() => recordResponse(call, found));
    });
  });
}

function recordResponse(call: Call, found: Found): HttpResponse {
  const { compiled, kind } = call;
  const { text: body, fields } = splitHeaders(kind.headers, found.text);
  if (compiled.operation.response.kind === "none") return emptyResponse(compiled.operation.response.status, fields);
  const text = call.own?.reads === undefined ? versionedText(call, body) : body;
  // Header fields can change without the record, as members of another shape can.
  const tag =
    kind.own === undefined && fields.length === 0
      ? entityTag(call, found.revision, text)
      : shapedTag(call, found.revision, withFields(unmarked(call, text), fields));
  return extended(compiled.extension, readResponse(call, wrapped(call, text), tag, fields));
}

/** Returns the record with this key and parent; throws 403 for a caller who may only see it. */
export function findVisible(call: Call, key: Value, parent: Value, read?: ForKind["read"]): Awaitable<Found> {
  const variables = variablesFor(call, parent);
  return after((read ?? call.kind.read)(key, variables), (found) => found ?? rejectUnreadable(call, key, variables));
}

async function rejectUnreadable(call: Call, key: Value, variables: Variables): Promise<never> {
  const { kind } = call;
  const visibleRecord = kind.visible !== kind.allowed && (await kind.visibleRecord(key, variables)) !== undefined;
  throw visibleRecord ? new ApiError("forbidden") : absent(call);
}

/** Returns the response of a read with its tag: private, revalidated (R1.6), without ranges (R4.23). Or a 304 (R4.16). */
export function readResponse(call: Call, text: string, tag: string, extra: readonly string[] = none): HttpResponse {
  const known = tagsOf(call, "if-none-match");
  if (known !== undefined && matchesWeakly(known, tag)) {
    const fields = revalidationFields(text, tag, call.httpRequest.headers.get("accept-encoding"));
    return { status: 304, headers: ["Cache-Control", "private, no-cache", ...fields] };
  }
  return {
    status: call.compiled.operation.response.status,
    headers: [
      "Content-Type",
      "application/json",
      "Cache-Control",
      "private, no-cache",
      "Accept-Ranges",
      "none",
      "ETag",
      tag,
      ...extra,
    ],
    body: text,
  };
}

const none: readonly string[] = [];

/** Returns the id of the parent in the path: null without one, undefined if it is absent or hidden. */
export function parentOf(call: Call): Awaitable<Value | undefined> {
  const { parents } = call.compiled.operation;
  if (parents.length === 0) return null;
  const names = parents.map((parent) => namesOf(call, tableOf(call.context, parent.resource), parent));
  return call.kind.parents(names, call.variables);
}

/** Reads an aggregate with one prepared query, without a record (R4.15, R4.16). */
async function readAll(call: Call): Promise<HttpResponse> {
  const { kind, compiled, variables } = call;
  const { guard } = compiled.operation;
  const aggregate = await kind.aggregate(variables);
  if (aggregate === undefined) throw new ApiError("forbidden");
  if (guard !== undefined && (await kind.readAggregate(variables)) === undefined) throw new ApiError(guard.else);
  const { text: body, fields } = splitHeaders(kind.headers, aggregate);
  const text = versionedText(call, body);
  return readResponse(call, text, textTag(call, withFields(text, fields)), fields);
}
