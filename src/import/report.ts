/** Collects the notices of an import: what it omitted, guessed or renamed. */
import { escapeSegment, unescapeSegment } from "../base/json-pointer.ts";
import { isObject, type Json } from "../base/json.ts";

/**
 * What a notice is about. `401`: an operation that rejects requests without a credential, and how to get one. `empty`: a
 * resource without records, and where they come from. `handler`: an operation that stays a handler, and why. `lost`: in the source, but not in the document. `guessed`: in the document, but the source only
 * suggests it. `renamed`: has another name in the document, which requests do not contain. `hint`: the source suggests it, and
 * the document omits it.
 */
export type NoticeKind = "401" | "empty" | "handler" | "lost" | "guessed" | "renamed" | "hint";

export interface ImportNotice {
  readonly kind: NoticeKind;
  /** A JSON pointer into the source (RFC 6901). */
  readonly pointer: string;
  /** The message, constant for each kind of notice, so that notices can be grouped. */
  readonly what: string;
  /** The specific item, if `what` does not name it. */
  readonly detail?: string;
}

/**
 * Collects notices. It is the only mutable state of the import: returning lists of notices from every function would clutter
 * it.
 */
export interface ImportNotices {
  readonly all: ImportNotice[];
  needs(pointer: string, what: string, detail?: string): void;
  empty(pointer: string, what: string, detail?: string): void;
  handler(pointer: string, what: string, detail?: string): void;
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
  return {
    all,
    needs: adding("401"),
    empty: adding("empty"),
    handler: adding("handler"),
    lost: adding("lost"),
    guessed: adding("guessed"),
    renamed: adding("renamed"),
    hint: adding("hint"),
  };
}

/** Appends keys to a pointer. */
export function below(pointer: string, ...keys: readonly (string | number)[]): string {
  return keys.reduce<string>((at, key) => `${at}/${escapeSegment(String(key))}`, pointer);
}

export function keysOf(pointer: string): readonly string[] {
  return pointer.split("/").slice(1).map(unescapeSegment);
}

/** Returns the items of a list; none of any other value. */
export function itemsOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the members of a map; none of any other value. */
export function entriesOf(value: Json | undefined): readonly (readonly [string, Json])[] {
  return isObject(value) ? Object.entries(value) : [];
}

/** Returns those of the values that are texts and not blank. */
export function textsOf(...values: readonly (Json | undefined)[]): readonly string[] {
  return values.filter((one) => typeof one === "string" && one.trim() !== "") as readonly string[];
}

/** Returns a text, number or boolean as text; an empty text for any other value, which is invalid where this is used. */
export function textOf(value: Json | undefined): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
