/** Cases of part 3: a service whose records live as the document says breaks nothing, and one with other transitions is found. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type Block, crud, documentOf, type Parts } from "../enforced/document.ts";
import { documentsOfWrites } from "./mutants/further-writes.ts";
import { type Altered, expectBroken } from "./altered.ts";
import { testServed } from "./served.ts";

const operations: Block = {
  ...crud,
  close: { at: "POST /things/{id}/close", takes: { "code?": "string(1..9)", more: "integer(1..9) = 1" } },
  open: "POST /things/{id}/open",
  lose: "POST /things/{id}/lose",
};

const moves: Block = { "open -> closed": "by close", "closed -> open": "by open", "open -> lost": "by lose" };

const usual: Block = { states: ["open", "closed", "lost"], start: "open", final: ["lost"], moves };

/** Things that are open, closed or lost. */
function living(life: Block): string {
  return documentOf({
    resources: {
      Thing: {
        ...{ id: "id(thi)", key: "string(1..9)", "name?": "string(1..9)", count: "integer = 0, read-only" },
        "due?": "datetime",
      },
    },
    states: { Thing: { ...usual, ...life } },
    endpoints: { endpoints: operations },
    errors: { errors: { "not-so": "409 Not so", other: "409 Other" } },
  });
}

/** A row whose documents differ in the lifecycle of things. */
function life(what: string, broken: string, stated: Block, served: Block): Altered {
  return { what, true: living(stated), served: living(served), broken: `states/Thing/${broken}` };
}

/** Notes of their creators, whose state shows in `status` alone, and entries of a log, which each user lists for themselves. */
function noting(by: Block, more: Block = {}): string {
  const also = { create: "Entry", if: "state == 'sent'", with: { note: "id" } };
  const mine = Object.fromEntries(["getNote", "listEntries"].map((name) => [name, "signed-in if own"]));
  return documentOf({
    resources: {
      Note: {
        id: "id(not)",
        by: "user = caller, read-only",
        "to?": "Note",
        send: "boolean = false",
        urgent: "boolean = false",
      },
      Entry: { id: "id(ent)", by: "user = caller, read-only", note: "Note, read-only" },
      views: {
        NoteOut: {
          ...{ of: "Note", fields: ["id", "send", "urgent"], to: "NoteRef, expand" },
          status: "string := state != 'draft' ? state : urgent ? 'hurried' : 'idle'",
        },
        NoteRef: { of: "Note", fields: ["id"] },
      },
    },
    states: {
      Note: {
        states: ["draft", "sent"],
        start: "draft",
        final: "sent",
        moves: { "draft -> sent": { by: "addNote", ...by } },
      },
    },
    endpoints: {
      expand: "expand",
      endpoints: {
        addNote: { at: "POST /notes", gives: "NoteOut", also, ...more },
        getNote: { at: "GET /notes/{id}", gives: "NoteOut" },
        listEntries: "GET /entries",
      },
    },
    authentication: {
      own: { Note: "by == caller.id", Entry: "by == caller.id" },
      allow: { addNote: "signed-in", ...mine },
    },
  });
}

const sending: Block = { if: "send" };

/** Payments by cards, each with a charge. `rules`: of charges. */
function paying(rules: Block): string {
  const charge: Block = { create: "Charge", with: { pay: "id" } };
  return documentOf({
    resources: {
      Card: { id: "id(car)", token: "string(4..12)" },
      Pay: { id: "id(pay)", card: "Card" },
      Charge: { id: "id(cha)", pay: "Pay, read-only" },
      ...rules,
    },
    endpoints: {
      endpoints: {
        ...{ addCard: "POST /cards", getCard: "GET /cards/{id}", addPay: { at: "POST /pays", also: charge } },
        ...{ getPay: "GET /pays/{id}", listCharges: "GET /charges" },
      },
    },
    errors: { errors: { declined: "402 Declined" } },
  });
}

/** Things with a note, of which the service writes a log: an error of a creation may be one of the log. */
function logged(note: string): string {
  return documentOf({
    resources: { Thing: { id: "id(thi)", note }, Log: { id: "id(log)", thing: "Thing, read-only" } },
    endpoints: {
      endpoints: {
        addThing: { at: "POST /things", also: { create: "Log", with: { thing: "id" } } },
        ...{ getThing: "GET /things/{id}", listLogs: "GET /logs" },
      },
    },
    errors: { body: { error: { code: "{fault}", param: "{field}" } } },
  });
}

type Triggers = Block | string | (Block | string)[];

/** A row whose documents differ in what makes one transition; undefined: nothing does. */
function transition(what: string, name: string, stated: Triggers, served: Triggers): Altered {
  const written = (one: Triggers): Block => ({ moves: { ...moves, [name]: one } });
  return life(what, `moves/${name}`, written(stated), written(served));
}

const fromAny: Block = { "open -> lost": "by lose", "any -> closed": "by close", "closed -> open": "by open" };

const hurried: Block = { after: "1h", if: "name == 'go'" };

/** A state that things reach by a timer whose guard is false of most of them, and leave by another one. */
function late(after: string, more: Block = { "open -> late": hurried }): Block {
  const timers = { ...more, "late -> lost": { after } };
  return { states: ["open", "closed", "late", "lost"], moves: { ...moves, ...timers } };
}

const guarded: Block = { by: "close", if: "input.code == 'yes'", else: "not-so" };

const keyed: Block = { "open -> closed": { ...guarded, if: "input.code == key" }, "open -> lost": "by lose" };

/** Transitions of which one adds to a sum, up to its limit. */
function summed(guard: string): Block {
  const add = { by: "close", if: guard, else: "not-so", set: { count: "count + input.more" } };
  return { moves: { "open -> open": add, "open -> closed": "by open", "open -> lost": "by lose" } };
}

const begins: Block = { by: "addThing", set: { count: "count + 1" } };
const started: Block = { ...begins, if: "name != null" };

const rows: readonly Altered[] = [
  {
    what: "a transition of a state that a view computes with",
    true: noting(sending),
    served: noting({ if: "send && urgent" }),
    broken: "states/Note/moves/draft -> sent",
  },
  {
    what: "no further record in the list of its creator",
    true: noting(sending),
    served: noting(sending, { also: { create: "Entry", if: "state == 'draft'", with: { note: "id" } } }),
    broken: "endpoints/endpoints/addNote/also/0",
  },
  {
    what: "no rule of records that another request creates",
    true: paying({ rules: { Charge: ["pay.card.token != 'declined' else declined"] } }),
    served: paying({}),
    broken: "resources/rules/Charge/0",
  },
  {
    what: "a required member in place of an optional one, beside a further write",
    true: logged("string(1..9) | null = null"),
    served: logged("string(1..9) | null"),
    broken: "resources/Thing/note",
  },
  life("another start", "start", {}, { start: "closed" }),
  life("another final state", "final", { moves: fromAny }, { moves: fromAny, final: "none" }),
  life(
    "a transition from another state, too",
    "moves/open -> closed",
    {},
    { moves: { ...moves, "lost -> closed": "by close" }, final: "none" },
  ),
  life(
    "another target",
    "moves/open -> closed",
    {},
    { moves: { "open -> lost": ["by close", "by lose"], "closed -> open": "by open" } },
  ),
  transition("no guard", "open -> closed", guarded, "by close"),
  transition("another guard", "open -> closed", guarded, { ...guarded, if: "input.code == 'no'" }),
  life(
    "a transition behind a guard that compares a field with the input",
    "moves/closed -> open",
    { moves: { ...keyed, "closed -> open": "by open" } },
    { moves: { ...keyed, "closed -> lost": "by open" } },
  ),
  transition("a guard with another error", "open -> closed", guarded, { ...guarded, else: "other" }),
  transition(
    "a guard that counts",
    "open -> open",
    { by: "open", if: "count < 2", else: "not-so", set: { count: "count + 1" } },
    { by: "open", if: "count < 3", else: "not-so", set: { count: "count + 1" } },
  ),
  life(
    "a higher limit of a sum",
    "moves/open -> open",
    summed("count + input.more <= 9"),
    summed("count + input.more <= 10"),
  ),
  life(
    "a lower limit of a sum",
    "moves/open -> open",
    summed("count + input.more <= 9"),
    summed("count + input.more <= 8"),
  ),
  life(
    "a lower limit of a difference",
    "moves/open -> open",
    summed("9 - input.more >= count"),
    summed("9 - input.more > count"),
  ),
  transition("no value that is set", "open -> closed", { by: "close", set: { count: "count + 1" } }, "by close"),
  transition(
    "another value that is set",
    "open -> closed",
    { by: "close", set: { count: "count + 1" } },
    { by: "close", set: { count: "count + 2" } },
  ),
  transition("no timer", "open -> lost", ["by lose", "after 48h"], "by lose"),
  transition("a later timer", "open -> lost", ["by lose", "after 48h"], ["by lose", "after 49h"]),
  transition("an earlier timer", "open -> lost", ["by lose", "after 48h"], ["by lose", "after 47h"]),
  transition("no due time", "open -> lost", ["by lose", "at due"], "by lose"),
  life("a timer after a guarded one", "moves/late -> lost", late("2h"), late("3h")),
  life("a timer of another state, too", "moves/open -> late", late("2h"), {
    ...late("2h"),
    moves: { ...moves, "open -> late": hurried, "open | late -> lost": { after: "2h" } },
  }),
  life(
    "a state that is skipped",
    "moves/open -> late",
    late("2h"),
    late("2h", { "open -> lost": ["by lose", hurried] }),
  ),
  transition("a creation that moves no record", "open -> closed", ["by close", started], "by close"),
  transition("a creation that always moves", "open -> closed", ["by close", started], ["by close", begins]),
  transition(
    "a creation with another guard",
    "open -> closed",
    ["by close", started],
    ["by close", { ...started, if: "name == null" }],
  ),
  transition(
    "a creation that sets nothing",
    "open -> closed",
    ["by close", started],
    ["by close", { by: "addThing", if: "name != null" }],
  ),
];

/** Boxes, and slots that are in one or between two. */
function boxes(trigger: string, slot: Block = { box: "Box" }, from = "free"): string {
  const parts: Parts = {
    resources: { Box: { id: "id(box)", "label?": "string(1..9)" }, Slot: { id: "id(slo)", ...slot } },
    states: {
      Box: {
        states: ["free", "full", "worn"],
        start: "free",
        final: ["worn"],
        moves: { [`${from} -> full`]: trigger, "any -> worn": "by wear" },
      },
      Slot: {
        states: ["empty", "used", "gone"],
        start: "empty",
        final: ["gone"],
        moves: { "empty -> used": "by use", "empty | used -> gone": "by drop" },
      },
    },
    endpoints: {
      endpoints: {
        addBox: "POST /boxes",
        getBox: "GET /boxes/{id}",
        wear: "POST /boxes/{id}/wear",
        addSlot: "POST /slots",
        getSlot: "GET /slots/{id}",
        use: "POST /slots/{id}/use",
        drop: "POST /slots/{id}/drop",
      },
    },
    events: { out: { "slot.used": "Slot -> used", "slot.gone": "Slot -> gone" } },
  };
  return documentOf(parts);
}

function event(stated: string, served: string, slot?: Block): Altered {
  return {
    what: `${served} for ${stated}`,
    true: boxes(stated, slot),
    served: boxes(served, slot),
    broken: "states/Box/moves/free -> full",
  };
}

const events: readonly Altered[] = [
  {
    what: "an event that moves a worn box, too",
    true: boxes("when slot.used"),
    served: boxes("when slot.used", { box: "Box" }, "free | worn").replace("final: [worn]", "final: none"),
    broken: "states/Box/moves/free -> full",
  },
  event("when slot.used", "when slot.gone"),
  event("when slot.used | slot.gone", "when slot.used"),
  event("when slot.used at below", "when slot.used at above", { above: "Box", below: "Box" }),
];

/** A row whose event selects other records than the document states. */
function selection(what: string, broken: string, stated: string, served: string): Altered {
  const { queue = "" } = documentsOfWrites;
  assert(queue.includes(stated), stated);
  return { what, true: queue, served: queue.replace(stated, served), broken: `states/Seat/moves/${broken}` };
}

const selections: readonly Altered[] = [
  selection("an event that moves two", "waiting -> taken", "first: 1", "first: 2"),
  selection("an event that moves the oldest", "waiting -> taken", ', sort: "-priority"', ""),
  selection("an event that moves the lowest", "waiting -> taken", '"-priority"', "priority"),
  selection(
    "an event that moves none",
    "waiting -> left",
    "{ when: course.closed, where: course == input.id }",
    "by leave",
  ),
  selection("an event that moves all others", "waiting -> left", "course == input.id", "course != input.id"),
];

void test("a service with other transitions breaks the statement, and one with the same breaks none", (context) =>
  expectBroken(context, [...rows, ...events, ...selections]));

const relay = readFileSync(new URL("../serve/documents/relay.md", import.meta.url), "utf8");

void test("a guard that reads the record is made true before its transition is tried", async () => {
  for (const seed of [1, 2, 3]) {
    const { cases } = await testServed(relay, { only: ["finishJob", "failJob"], seed });
    assert.deepEqual(
      cases.flatMap((one) => (one.kind === "holds" ? [] : [[one.id, one.kind]])),
      [],
    );
  }
});

void test("a guard that is never false is found", async () => {
  const served = relay.replace("by: finishJob, if: steps > 0, else: nothing-done", "by: finishJob");
  const { cases } = await testServed(relay, { served, only: ["finishJob"] });
  const broken = cases.flatMap((one) => (one.kind === "broken" ? one.aspects.map(({ path }) => path) : []));
  assert.deepEqual(broken, ["states/Job/moves/running | rushed -> done/0/if"]);
});

void test("a creation's transition before one without a guard is tried", async () => {
  const text = living({
    moves: {
      "open -> closed": ["by close", started],
      "open -> lost": ["by lose", "by addThing"],
      "closed -> open": "by open",
    },
  });
  const { cases } = await testServed(text, { only: ["addThing"] });
  assert.deepEqual(
    cases.flatMap(({ id, kind }) => (id.endsWith(": new") ? [[id, kind]] : [])),
    [
      ["states/Thing/moves/open -> closed/1: new", "holds"],
      ["states/Thing/moves/open -> lost/1: new", "holds"],
    ],
  );
});

void test("of two timers of a state the one that is due first is tried", async () => {
  const text = documentOf({
    resources: { Thing: { id: "id(thi)", due: "datetime" } },
    states: {
      Thing: {
        ...{ states: ["open", "lost", "old"], start: "open", final: ["lost", "old"] },
        moves: { "open -> lost": "at due", "open -> old": "after 10d" },
      },
    },
    endpoints: { endpoints: { addThing: "POST /things", getThing: "GET /things/{id}" } },
  });
  for (const seed of [1, 2, 3]) {
    const { cases } = await testServed(text, { only: ["states"], seed });
    assert.deepEqual(
      cases.flatMap((one) => (one.kind === "broken" ? [one.id] : [])),
      [],
    );
  }
});

for (const type of ["datetime", "datetime(seconds)"])
  void test(`a timer at a ${type}, and records that are stored from one, are tried`, async () => {
    const text = documentOf({
      resources: {
        Thing: { id: "id(thi)", due: type },
        Note: { id: "id(not)", madeAt: `${type} = now, read-only` },
      },
      states: {
        Note: "none",
        Thing: { states: ["open", "lost"], start: "open", final: ["lost"], moves: { "open -> lost": "at due" } },
      },
      endpoints: {
        endpoints: {
          ...{ addThing: "POST /things", getThing: "GET /things/{id}" },
          ...{ addNote: "POST /notes", getNote: "GET /notes/{id}" },
        },
      },
      limits: { keep: { Note: "2d after madeAt" } },
    });
    const { statements } = await testServed(text, { only: ["states", "limits"] });
    const tried = ["states/Thing/moves/open -> lost", "limits/keep/Note"];
    assert.deepEqual(
      statements.flatMap(({ kind, statement: { path } }) => (tried.includes(path) ? [[path, kind]] : [])),
      tried.map((path) => [path, "holds"]),
    );
  });
