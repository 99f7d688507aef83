/** Successful answers of operations: status, entity tag, Location, body. */
import { hash } from "node:crypto";
import { segmentText } from "../../plan/endpoints/segments.ts";
import type { Call } from "../context.ts";
import type { HttpResponse } from "../../http/message.ts";
import { encodeKey } from "../records/keys-in-path.ts";
import { unmarked } from "../auth/token-placeholders.ts";
import { versionedText } from "../versions/request.ts";

/** The entity tag of a record as this caller sees it (R4.15): strong, from revision and view, or from the text itself. */
export function entityTag(call: Call, revision: number, text: string): string {
  const { record } = call.own?.kind ?? call.kind;
  if (record.derived) return textTag(call, text);
  const { tag } = call.version;
  return record.tag === "" ? `"${revision.toString(36)}${tag}"` : `"${revision.toString(36)}.${record.tag}${tag}"`;
}

/**
 * The entity tag of a record in the operation's own shape: the text's, which may change without the record, and before it
 * the revision, so that who read the record in this shape can say in If-Match which one was read (R4.16).
 */
export function shapedTag(call: Call, revision: number, text: string): string {
  return `"${revision.toString(36)}~${textTag(call, text).slice(1)}`;
}

/** The revision that a tag of a record in some shape is of. */
export function revisionOf(tag: string): number | undefined {
  const [, revision] = /^"([0-9a-z]+)~/.exec(tag) ?? [];
  return revision === undefined ? undefined : Number.parseInt(revision, 36);
}

/** The entity tag of what has no revision: strong, from the text itself. */
export function textTag(call: Call, text: string): string {
  return `"${hash("sha1", text, "base64url").slice(0, 20)}${call.version.tag}"`;
}

/** The answer's body: what is given, in the member that the caller's version holds it in. */
export function wrapped(call: Call, text: string): string {
  const { wrap } = (call.own ?? call).compiled.operation.response;
  return wrap === undefined ? text : `{${JSON.stringify(wrap)}:${text}}`;
}

/** Writes: the record with its tag; private to the caller, to be revalidated (R1.6). */
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

/** What is answered in the operation's own shape where no record is left that an edit could be of, and so no tag. */
export function textResponse(call: Call, status: number, text: string, extra: readonly string[] = []): HttpResponse {
  const headers = ["Content-Type", "application/json", "Cache-Control", "no-store", ...extra];
  return { status, headers, body: wrapped(call, versionedText(call, text)) };
}

/** What a write of a record answers in the operation's own shape, with the tag that the next edit needs (R4.16). */
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
 * `Location` of a record that was created (R4.7): where its read operation finds it; where there is none, its id below the
 * path that made it, which is where its moves and edits are.
 */
export function locationOf(call: Call, row: Readonly<Record<string, unknown>>): string[] {
  const { context, compiled, parameters } = call;
  const { reading: read } = compiled;
  // The path that callers know: a proxy may have taken off its start.
  const base = new URL(context.baseUrl()).pathname.replace(/\/$/, "");
  if (read === undefined) {
    const [target = ""] = call.httpRequest.target.split("?");
    return [
      "Location",
      `${base}${target.slice(context.prefix.length).replace(/\/$/, "")}/${encodeKey(String(row["id"]))}`,
    ];
  }
  const segments = read.path.map((segment) =>
    segmentText(segment, (name) =>
      encodeKey(name === read.key?.parameter ? String(row[read.key.column]) : (parameters[name] ?? "")),
    ),
  );
  return ["Location", `${base}${call.version.prefix}/${segments.join("/")}`];
}
