/** What an import has to say of itself: what was not carried over, what was guessed from what, what was given another name. */
import { escapeSegment, unescapeSegment } from "../base/json-pointer.ts";
import type { Json } from "../base/json.ts";

/**
 * `lost`: the source says it and the document does not. `guessed`: the document says it, and the source only hints at it.
 * `renamed`: the document has it by another name, which is not on the wire. `hint`: what the source looks like, which the document does not say.
 */
export type NoticeKind = "lost" | "guessed" | "renamed" | "hint";

export interface ImportNotice {
  readonly kind: NoticeKind;
  /** Where in the source it stands (RFC 6901). */
  readonly pointer: string;
  /** The same words for the same sort of thing, so that many can be told as one. */
  readonly what: string;
  /** What is meant at this place, where `what` does not say it. */
  readonly detail?: string;
}

/** Notes are collected while everything else is pure: handing lists back through every call would hide the work. */
export interface ImportNotices {
  readonly all: ImportNotice[];
  lost(pointer: string, what: string, detail?: string): void;
  guessed(pointer: string, what: string, detail?: string): void;
  renamed(pointer: string, what: string, detail?: string): void;
  hint(pointer: string, what: string, detail?: string): void;
}

export function createNotices(): ImportNotices {
  const all: ImportNotice[] = [];
  const adding = (kind: NoticeKind) => (pointer: string, what: string, detail?: string) => {
    all.push({ kind, pointer, what, ...(detail === undefined ? {} : { detail }) });
  };
  return { all, lost: adding("lost"), guessed: adding("guessed"), renamed: adding("renamed"), hint: adding("hint") };
}

/** A pointer to a member of what `pointer` leads to. */
export function below(pointer: string, ...keys: readonly (string | number)[]): string {
  return keys.reduce<string>((at, key) => `${at}/${escapeSegment(String(key))}`, pointer);
}

/** The keys of a pointer. */
export function keysOf(pointer: string): readonly string[] {
  return pointer.split("/").slice(1).map(unescapeSegment);
}

/** A text, a number or a truth value as text; nothing for what is no single value, as it is not where one is expected. */
export function textOf(value: Json | undefined): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
