/** Events for receivers of an older version: names, payloads, and events that this version does not have. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createValidators } from "../../../src/runtime/validation/validator.ts";
import { createVersionConverter, createStepConverters } from "../../../src/runtime/versions/compose-steps.ts";
import { createEventConverter } from "../../../src/runtime/versions/events.ts";
import type { Served } from "../../../src/runtime/context/version.ts";
import { planOf } from "../running.ts";
import { notes } from "./document.ts";

const text = notes({})
  .replace(
    "events: none",
    "events:\n  out:\n    note.added: addNote\n    note.shown: { when: addNote, carries: Shown }\n    note.named: { when: addNote, carries: [text, id] }\n    note.new: addNote",
  )
  .replace("states: {", "  views:\n    Shown: { of: Note, fields: [text], loud: string := text + '!' }\nstates: {")
  .replace("add readNote", "add readNote, event note.new, rename Shown.shout -> loud")
  .replace("3: [rename Note.body", '3: ["event note.added, was note.made", rename Note.body');

test("an event in the names of each version", () => {
  const { versions } = planOf(text);
  const linkOf = createStepConverters(createValidators());
  const steps = (versions?.list ?? []).map(({ older }) => older?.step);
  const served = (versions?.list ?? []).map(({ name }, index) => {
    const links = steps
      .slice(1, index + 1)
      .toReversed()
      .flatMap((step) => (step === undefined ? [] : [linkOf(step)]));
    return { name, ...(index === 0 ? {} : { converter: createVersionConverter(links) }) } as Served;
  });
  const down = createEventConverter(served);
  const data = { id: "note_1", text: "hello" };
  const rows = [
    ["3", "note.added", "note.added", data],
    ["2", "note.added", "note.made", { id: "note_1", body: "hello" }],
    ["1", "note.added", "note.made", { id: "note_1", words: "hello" }],
    ["1", "note.named", "note.named", { id: "note_1", words: "hello" }],
    ["3", "note.new", "note.new", data],
  ] as const;
  const told = (version: string, type: string): unknown => {
    const event = down(version, { type, resource: "Note", data: JSON.stringify(data) });
    return event && [event.type, JSON.parse(event.data)];
  };
  const named = down("1", { type: "note.named", resource: "Note", data: JSON.stringify({ text: "hello", id: "note_1" }) }); // biome-ignore format: short
  assert.equal(named?.data, '{"words":"hello","id":"note_1"}', "R9.2 in the order of `carries`");
  const shown = (version: string): unknown => {
    const inView = JSON.stringify({ text: "hello", loud: "hello!" });
    return JSON.parse(down(version, { type: "note.shown", resource: "Note", view: "Shown", data: inView })?.data ?? "");
  };
  assert.deepEqual(shown("3"), { text: "hello", loud: "hello!" });
  assert.deepEqual(shown("2"), { body: "hello", shout: "hello!" });
  assert.deepEqual(shown("1"), { words: "hello", shout: "hello!" });
  for (const [version, name, older, carried] of rows) assert.deepEqual(told(version, name), [older, carried]);
  assert.equal(told("2", "note.new"), undefined);
  assert.equal(
    told("0", "note.added"),
    undefined,
    "a version that is no longer served is told nothing, not the newest",
  );
  assert.equal(told("1", "note.new"), undefined);
});
