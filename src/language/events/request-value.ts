/**
 * Where a request of an incoming event has a value, as `is` and `once` name it: a member of the body (`type`, `event.type`), or a
 * header field (`header X-GitHub-Event`).
 */
import type { InEvent } from "./model.ts";

export type RequestValue =
  | { readonly kind: "member"; readonly path: readonly string[] }
  /** `name` is in lower case. */
  | { readonly kind: "header"; readonly name: string };

export const requestValuePattern: RegExp = /^(?:header +[\w-]+|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)$/;

export function requestValueOf(written: string): RequestValue {
  const header = /^header +(.+)$/.exec(written)?.[1];
  return header === undefined
    ? { kind: "member", path: written.split(".") }
    : { kind: "header", name: header.toLowerCase() };
}

/** Whether no request matches both events. One of them may have no `is`: it receives the rest. */
export function areDistinct({ is: one }: InEvent, { is: other }: InEvent): boolean {
  if (one === undefined || other === undefined) return one !== other;
  const values = new Map(Object.entries(other).map(([key, value]) => [keyOf(key), value]));
  return Object.entries(one).some(([key, value]) => (values.get(keyOf(key)) ?? value) !== value);
}

function keyOf(written: string): string {
  return JSON.stringify(requestValueOf(written));
}
