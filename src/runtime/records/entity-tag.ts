/** Entity tags of records and of texts (R4.15). */
import type { Call } from "../context/context.ts";
import { hash } from "node:crypto";

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
