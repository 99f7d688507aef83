/** Entity tags of records and of what is derived from them (R4.15). */
import type { Call } from "../context/context.ts";
import { hash } from "node:crypto";

/** The entity tag of a record for this caller (R4.15): strong, from revision and view, or from the text. */
export function entityTag(call: Call, revision: number, text: string): string {
  const { record } = call.own?.kind ?? call.kind;
  if (record.derived) return textTag(call, text);
  const { tag } = call.version;
  return record.tag === "" ? `"${revision.toString(36)}${tag}"` : `"${revision.toString(36)}.${record.tag}${tag}"`;
}

/**
 * The entity tag of a record in an operation's custom shape: revision and a hash of the text. The revision lets the client send
 * the tag in If-Match (R4.16), even if other data in the text has changed.
 */
export function shapedTag(call: Call, revision: number, text: string): string {
  return `"${revision.toString(36)}~${textTag(call, text).slice(1)}`;
}

/** The revision in a tag from `shapedTag`; undefined for other tags. */
export function revisionOf(tag: string): number | undefined {
  const [, revision] = /^"([0-9a-z]+)~/.exec(tag) ?? [];
  return revision === undefined ? undefined : Number.parseInt(revision, 36);
}

/** The entity tag of a text without a revision: strong, a hash of the text. */
export function textTag(call: Call, text: string): string {
  return `"${hash("sha1", text, "base64url").slice(0, 20)}${call.version.tag}"`;
}
