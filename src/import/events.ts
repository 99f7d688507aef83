/** Imports webhooks and callbacks as outgoing events. No description declares their triggers, so each trigger is a gap. */
import { uniqueName } from "../base/case.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import type { ImportedOperation } from "./operations.ts";
import { quoted } from "./prose.ts";
import { below, entriesOf, type ImportNotices, textsOf } from "./report.ts";
import type { Schemas } from "./schemas.ts";

export interface ImportedEvents {
  readonly names: readonly string[];
  readonly prose: readonly string[];
}

export function webhooksOf(
  root: JsonObject,
  operations: readonly ImportedOperation[],
  schemas: Schemas,
  notices: ImportNotices,
): ImportedEvents {
  const names: string[] = [];
  const prose: string[] = [];
  const usedNames = new Set<string>();
  const add = (written: string, item: unknown, pointer: string): void => {
    const found = schemas.resolve(item as never, pointer);
    if (found === undefined) return;
    const name = eventName(written, usedNames);
    names.push(name);
    const payload = payloadOf(found.value, found.pointer, name, schemas);
    const texts = Object.values(found.value).flatMap((operation) =>
      isObject(operation) ? [operation["summary"], operation["description"]] : [],
    );
    prose.push(
      `#### ${name}`,
      payload === undefined ? "What it carries is not shown." : `It carries a \`${payload}\`.`,
      ...textsOf(...texts).map(quoted),
    );
    notices.lost(pointer, "what makes the service send an event, and how it is sent", name);
  };
  for (const at of ["webhooks", "x-webhooks"]) {
    const { [at]: webhooks } = root;
    for (const [name, item] of entriesOf(webhooks)) add(name, item, below("", at, name));
  }
  for (const { name, pointer } of operations) {
    const found = schemas.resolve({ $ref: `#${pointer}` }, pointer)?.value["callbacks"];
    for (const [event, callback] of entriesOf(found)) {
      const at = below(pointer, "callbacks", event);
      const items = schemas.resolve(callback, at);
      for (const [expression, item] of Object.entries(items?.value ?? {}))
        if (!expression.startsWith("x-")) add(`${name}.${event}`, item, below(items?.pointer ?? at, expression));
    }
  }
  return { names, prose };
}

export function eventName(written: string, usedNames: Set<string>): string {
  const words = written
    .split(/[^A-Za-z0-9_-]+/)
    .filter((word) => word !== "")
    .join(".");
  return uniqueName(usedNames, /^[A-Za-z]/.test(words) ? words : `event.${words || "x"}`, ".");
}

/** Returns the name of the payload's schema. */
function payloadOf(item: JsonObject, pointer: string, event: string, schemas: Schemas): string | undefined {
  for (const [method, operation] of Object.entries(item)) {
    if (!isObject(operation)) continue;
    const body = schemas.resolve(operation["requestBody"], below(pointer, method, "requestBody"));
    const content = body?.value["content"];
    if (body === undefined || !isObject(content)) continue;
    for (const [media, entry] of Object.entries(content)) {
      if (!isObject(entry) || entry["schema"] === undefined) continue;
      const at = below(body.pointer, "content", media, "schema");
      const type = schemas.typeOf(entry["schema"], at);
      return type.kind === "named" ? type.name : schemas.named(entry["schema"], at, `${event} event`);
    }
  }
  return undefined;
}
