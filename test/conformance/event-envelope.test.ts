/** How the tester recognizes the type of an event in a custom envelope. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/base/json.ts";
import { Broken, NotTried } from "../../src/conformance/case.ts";
import { readEvent } from "../../src/conformance/events/event.ts";
import { type Block, documentOf } from "../enforced/document.ts";
import { contractFrom } from "./values-contract.ts";

const dotted: Block = { "thing.added": "addThing", "other.removed": "removeThing" };

interface Row {
  readonly what: string;
  readonly out: Block;
  /** The members of the envelope that identify the event. */
  readonly shape: JsonObject;
  readonly sent: JsonObject;
  /** What the header fields show. */
  readonly headers?: { readonly type?: string; readonly topic?: string };
  /** The type of the event, or the error. */
  readonly expected: string;
}

const both: JsonObject = { topic: "{topic}", action: "{action}" };
const rows: readonly Row[] = [
  { what: "topic and action", out: dotted, shape: both, sent: { topic: "thing", action: "added" }, expected: "thing.added" },
  { what: "topic and action of an undotted event", out: { added: "addThing" }, shape: both, sent: { topic: "added", action: "added" }, expected: "added" },
  { what: "topic and action of an unknown event", out: dotted, shape: both, sent: { topic: "thing", action: "lost" }, expected: "Broken" },
  { what: "the action", out: dotted, shape: { action: "{action}" }, sent: { action: "removed" }, expected: "other.removed" },
  { what: "the action of an unknown event", out: dotted, shape: { action: "{action}" }, sent: { action: "lost" }, expected: "Broken" },
  { what: "the action of several events", out: { "a.added": "addThing", "b.added": "addThing" }, shape: { action: "{action}" }, sent: { action: "added" }, expected: "NotTried" },
  { what: "the topic", out: dotted, shape: { topic: "{topic}" }, sent: { topic: "other" }, expected: "other.removed" },
  { what: "the topic in the header", out: dotted, shape: { action: "{action}" }, sent: { action: "added" }, headers: { topic: "thing" }, expected: "thing.added" },
  { what: "the type in the header", out: dotted, shape: {}, sent: {}, headers: { type: "thing.added" }, expected: "thing.added" },
  { what: "nothing", out: dotted, shape: {}, sent: {}, expected: "NotTried" },
]; // biome-ignore format: a table

for (const { expected, headers, out, sent, shape, what } of rows) {
  test(`an event identified by ${what}`, () => {
    const envelope = { id: "{id}", data: "{data}", ...shape };
    const contract = contractFrom("events.md", documentOf({ events: { out, envelope } as Block }));
    const json = { id: "1", data: {}, ...sent };
    assert.equal(
      typeIn(() => readEvent(contract, "stream", { json, arrivedAt: 0, ...headers }).type),
      expected,
    );
  });
}

function typeIn(read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (error instanceof Broken) return "Broken";
    if (error instanceof NotTried) return "NotTried";
    throw error;
  }
}
