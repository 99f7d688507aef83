/**
 * Imports webhooks and callbacks as outgoing events, with the requests that receivers know. No description declares their
 * triggers, so each trigger is a gap.
 */
import { uniqueName } from "../base/case.ts";
import { isObject, type Json } from "../base/json.ts";
import { methods } from "../language/endpoints/model.ts";
import type { SentRequest } from "../language/events/model.ts";
import { contractOf, type ImportContext } from "./contracts.ts";
import { type ImportedOperation, longSummary, shortText } from "./operations.ts";
import { below, entriesOf, itemsOf, textsOf } from "./report.ts";
import type { Found } from "./schemas.ts";

export interface ImportedEvents {
  /** The requests by name of their event. */
  readonly requests: Readonly<Record<string, SentRequest>>;
}

export function eventsOf(source: ImportContext, operations: readonly ImportedOperation[]): ImportedEvents {
  const { root, schemas } = source;
  const requests: Record<string, SentRequest> = {};
  const usedNames = new Set<string>();
  const add = (written: string, item: Json, pointer: string, callback: Pick<SentRequest, "of" | "to"> = {}): void => {
    const found = schemas.resolve(item, pointer);
    for (const [method, value] of found === undefined ? [] : requestsIn(source, found)) {
      const name = eventName(written, usedNames);
      if (name !== written)
        source.notices.renamed(pointer, "an event by a name that a document cannot have", `${written} is ${name}`);
      requests[name] = sentRequest(source, method, value, found as Found, callback);
      source.notices.lost(pointer, "what makes the service send an event", name);
    }
  };
  for (const at of ["webhooks", "x-webhooks"]) {
    const { [at]: webhooks } = root;
    for (const [name, item] of entriesOf(webhooks)) add(name, item, below("", at, name));
  }
  for (const { name, pointer, endpoint } of operations) {
    const found = schemas.resolve({ $ref: `#${pointer}` }, pointer)?.value["callbacks"];
    for (const [event, callback] of entriesOf(found)) {
      const at = below(pointer, "callbacks", event);
      const items = schemas.resolve(callback, at);
      for (const [to, item] of Object.entries(items?.value ?? {})) {
        const itemAt = below(items?.pointer ?? at, to);
        if (to.startsWith("x-")) source.notices.lost(itemAt, "an extension of a callback", to);
        else add(`${name}.${event}`, item, itemAt, endpoint === undefined ? {} : { of: name, to });
      }
    }
  }
  return { requests };
}

/** Returns the requests of a path item by method. */
function requestsIn(
  { notices, schemas }: ImportContext,
  { value, pointer }: Found,
): readonly (readonly [string, Found])[] {
  return Object.entries(value).flatMap(([key, one]): readonly (readonly [string, Found])[] => {
    const at = below(pointer, key);
    const operation =
      isObject(one) && methods.includes(key.toUpperCase() as never) ? schemas.resolve(one, at) : undefined;
    if (operation !== undefined) return [[key.toUpperCase(), operation]];
    if (key !== "parameters") notices.lost(at, "a member of an event that is no request", key);
    return [];
  });
}

function sentRequest(
  source: ImportContext,
  method: string,
  operation: Found,
  item: Found,
  callback: Pick<SentRequest, "of" | "to">,
): SentRequest {
  const { value, pointer } = operation;
  const { operationId, security, summary } = value;
  const required = itemsOf(security).length === 0 ? undefined : security;
  for (const [key, member] of Object.entries({ operationId, security: required, deprecated: value["deprecated"] }))
    if (member !== undefined) source.notices.lost(below(pointer, key), `\`${key}\` of an event`);
  const [text] = textsOf(summary);
  const note = text === undefined ? undefined : shortText(text);
  if (text?.trim() !== note) source.notices.lost(below(pointer, "summary"), longSummary);
  return {
    ...(method === "POST" ? {} : { method: method as NonNullable<SentRequest["method"]> }),
    ...callback,
    ...(note === undefined ? {} : { note }),
    ...contractOf(source, operation, item, () => undefined),
  };
}

export function eventName(written: string, usedNames: Set<string>): string {
  const words = written
    .split(/[^A-Za-z0-9_-]+/)
    .filter((word) => word !== "")
    .join(".");
  return uniqueName(usedNames, /^[A-Za-z]/.test(words) ? words : `event.${words || "x"}`, ".");
}
