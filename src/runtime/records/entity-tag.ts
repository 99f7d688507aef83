/** Computes entity tags of records and of responses derived from them (R4.15). */
import type { Call } from "../context/context.ts";
import { hash } from "node:crypto";

/** Returns the entity tag of a record for this caller (R4.15): strong, from revision and view, or from the text. */
export function entityTag(call: Call, revision: number, text: string): string {
  const { record } = call.own?.kind ?? call.kind;
  if (record.derived) return textTag(call, text);
  const { tag } = call.version;
  return record.tag === "" ? `"${revision.toString(36)}${tag}"` : `"${revision.toString(36)}.${record.tag}${tag}"`;
}

/**
 * Returns the entity tag of a response with a custom shape: the record's revision and a hash of the text. With the revision in
 * it, a client can send the tag in If-Match (R4.16) even after other data in the response has changed.
 */
export function shapedTag(call: Call, revision: number, text: string): string {
  return `"${revision.toString(36)}~${textTag(call, text).slice(1)}`;
}

/** Returns the revision in a tag from `shapedTag`; undefined for other tags. */
export function revisionOf(tag: string): number | undefined {
  const [, revision] = /^"([0-9a-z]+)~/.exec(tag) ?? [];
  return revision === undefined ? undefined : Number.parseInt(revision, 36);
}

/** Returns the entity tag of a text without a revision: strong, a hash of the text. */
export function textTag(call: Call, text: string): string {
  return `"${hash("sha1", text, "base64url").slice(0, 20)}${call.version.tag}"`;
}
