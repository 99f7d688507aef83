/** Builds successful responses of operations: status, entity tag, Location, body. */
import { segmentText } from "../../plan/endpoints/segments.ts";
import type { Call } from "../context/context.ts";
import type { HttpResponse } from "../../http/message.ts";
import { unmarked } from "../auth/token-placeholders.ts";
import { versionedText } from "../versions/request.ts";
import { type Names, namesFor } from "../records/find-and-authorise.ts";
import { entityTag, shapedTag } from "../records/entity-tag.ts";
import type { Extension } from "../context/compiled.ts";
import { after } from "../../base/after.ts";
import { partsOf } from "../../plan/endpoints/path-keys.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import type { Awaitable, Row, Transaction } from "../../store/port/store.ts";

/** Returns the body inside the member that the caller's version declares. */
export function wrapped(call: Call, text: string): string {
  const { wrap } = (call.own ?? call).compiled.operation.response;
  return wrap === undefined ? text : `{${JSON.stringify(wrap)}:${text}}`;
}

/** Returns the response of a write: the record with its tag; private, revalidated (R1.6). */
export function representation(
  call: Call,
  status: number,
  text: string,
  revision: number,
  extra: readonly string[] = [],
): HttpResponse {
  const versioned = versionedText(call, text);
  return {
    status,
    headers: [
      "Content-Type",
      "application/json",
      "Cache-Control",
      "private, no-cache",
      "ETag",
      entityTag(call, revision, versioned),
      ...extra,
    ],
    body: wrapped(call, versioned),
  };
}

/** Returns a response with a custom shape and no tag, because no record remains that a client could edit. */
export function textResponse(call: Call, status: number, text: string, extra: readonly string[] = []): HttpResponse {
  const headers = ["Content-Type", "application/json", "Cache-Control", "no-store", ...extra];
  return { status, headers, body: wrapped(call, versionedText(call, text)) };
}

/** Returns the response of a write with a custom shape, and the tag for the next edit (R4.16). */
export function shapedResponse(
  call: Call,
  status: number,
  text: string,
  revision: number,
  extra: readonly string[],
): HttpResponse {
  const versioned = versionedText(call, text);
  const tag = ["ETag", shapedTag(call, revision, unmarked(call, versioned))];
  const headers = ["Content-Type", "application/json", "Cache-Control", "no-store", ...tag, ...extra];
  return { status, headers, body: wrapped(call, versioned) };
}

export function emptyResponse(status: number, extra: readonly string[] = []): HttpResponse {
  return { status, headers: ["Cache-Control", "no-store", ...extra] };
}

/**
 * Returns the `Location` of a created record (R4.7): the path of its read operation; if there is none, its id below the
 * request's path, where its transitions and edits are.
 */
export function locationOf(call: Call, tx: Transaction, row: Row): Awaitable<string[]> {
  const { context, compiled } = call;
  const { reading: read } = compiled;
  // The path as clients see it: a proxy may have removed its prefix.
  const base = new URL(context.baseUrl()).pathname.replace(/\/$/, "");
  if (read === undefined) {
    const [target = ""] = call.httpRequest.target.split("?");
    const path = target.slice(context.prefix.length).replace(/\/$/, "");
    // A PUT names the record that it creates.
    const id =
      compiled.operation.key === undefined ? `/${encodeURIComponent(String(row["id"] as string | number))}` : "";
    return ["Location", `${base}${path}${id}`];
  }
  return after(namesIn(call, tx, read, row), (names) => {
    if (names === undefined) return [];
    const segments = read.path.map((segment) => segmentText(segment, (name) => encodeURIComponent(names[name] ?? "")));
    return ["Location", `${base}${call.version.prefix}/${segments.join("/")}`];
  });
}

/** Returns the parameters in the path of a record; undefined if it refers to no parent that the path names. */
function namesIn(call: Call, tx: Transaction, { key, parents }: Operation, row: Row): Awaitable<Names | undefined> {
  const own = key === undefined ? {} : namesFor(key, row);
  if (own === undefined) return undefined;
  const names = { ...call.parameters, ...own };
  const isComplete = parents.every((parent) =>
    partsOf(parent).every(({ parameter }) => Object.hasOwn(call.parameters, parameter)),
  );
  return isComplete ? names : withParents(tx, parents, row, names);
}

/** Adds the names of parents that the path of the creation does not have. */
async function withParents(
  tx: Transaction,
  parents: Operation["parents"],
  row: Row,
  known: Names,
): Promise<Names | undefined> {
  let names = known;
  let child = row;
  for (const above of parents.toReversed()) {
    const parent = await tx.lockShared(above.resource, "id", child[above.field] ?? null);
    const own = parent && namesFor(above, parent);
    if (parent === undefined || own === undefined) return undefined;
    names = { ...names, ...own };
    child = parent;
  }
  return names;
}

/** Returns the response after the extension has changed its body. */
export function extended(extension: Extension | undefined, result: HttpResponse): HttpResponse {
  if (extension?.transformBody === undefined || result.status >= 300 || typeof result.body !== "string") return result;
  const headers = result.headers.map((text, index) =>
    index % 2 === 1 && result.headers[index - 1] === "Cache-Control" ? "no-store" : text,
  );
  return { ...result, headers, body: extension.transformBody(result.body) };
}
