/** Proofs of part 3. */
import type { Json } from "../../src/base/json.ts";
import type { Block } from "./document.ts";
import { crud, documentOf } from "./document.ts";
import type { Proof } from "./proof.ts";
import { ask, pass } from "./proof.ts";

const operations: Block = {
  ...crud,
  close: { at: "POST /things/{id}/close", takes: { "code?": "string(1..9)" } },
  open: "POST /things/{id}/open",
  lose: "POST /things/{id}/lose",
};

/** Things that are open, closed or lost, with every operation making some move. */
function lived(life: Block, more: Block = {}): string {
  return documentOf({
    resources: { Thing: { id: "id(thi)", "name?": "string(1..9)", count: "integer = 0, read-only" } },
    states: { Thing: { states: ["open", "closed", "lost"], start: "open", moves, ...life } },
    endpoints: { endpoints: operations },
    errors: { errors: { "not-so": "409 Not so" } },
    ...more,
  });
}

const moves: Block = { "open -> closed": "by close", "closed -> open": "by open", "open -> lost": "by lose" };

const own: readonly Proof[] = [
  {
    of: ["states/states"],
    with: lived({}),
    without: lived({ states: ["open", "closed", "lost", "broken"] }),
    play: [
      ask("POST /things", {}, { has: { state: "open" } }),
      ask("GET /things?state=broken", "400"),
      ask("GET /things?state=open", { items: [{ state: "open" }] }),
      ask("POST /things", { state: "closed" }, "422 #/state read-only"),
    ],
  },
  {
    of: ["states/none"],
    with: documentOf({ resources: { Thing: { id: "id(thi)", name: "string(1..9)" } }, states: { Thing: "none" } }),
    without: documentOf({
      resources: { Thing: { id: "id(thi)", name: "string(1..9)" } },
      states: { Thing: { states: ["open"], start: "open", moves: {} } },
    }),
    play: [
      ask("POST /things", { name: "a" }, { status: "201", lacks: ["state"] }),
      ask("POST /things", { name: "a", state: "open" }, "422 #/state unknown-field"),
      ask("GET /things?state=open", "400"),
    ],
  },
  {
    of: ["states/start"],
    with: lived({ start: "closed" }),
    without: lived({}),
    play: [ask("POST /things", {}, { has: { state: "closed" } })],
  },
  {
    of: ["states/final"],
    with: lived({
      final: ["lost"],
      moves: { "open -> lost": "by lose", "any -> closed": "by close", "closed -> open": "by open" },
    }),
    without: lived({ moves: { "open -> lost": "by lose", "any -> closed": "by close", "closed -> open": "by open" } }),
    play: [
      ask("POST /things", {}, "201"),
      ask("POST /things/{1}/lose", { has: { state: "lost" } }),
      ask("POST /things/{1}/close", {}, "409 state-conflict"),
      ask("GET /things/{1}", { has: { state: "lost" } }),
    ],
  },
  {
    of: ["states/moves", "states/moves/triggers", "states/moves/triggers/by"],
    with: lived({}),
    without: lived({ moves: { ...moves, "lost -> closed": "by close" } }),
    play: [
      ask("POST /things", {}, "201"),
      ask("POST /things/{1}/open", "409 state-conflict"),
      ask("POST /things/{1}/close", {}, { has: { state: "closed" } }),
      ask("POST /things/{1}/close", {}, "409 state-conflict"),
      ask("POST /things/{1}/open", { has: { state: "open" } }),
      ask("POST /things/{1}/lose", { has: { state: "lost" } }),
      ask("POST /things/{1}/close", {}, "409 state-conflict"),
    ],
  },
  {
    of: ["states/moves/from/any"],
    with: lived({ moves: { "any -> lost": "by lose", "open -> closed": "by close", "closed -> open": "by open" } }),
    without: lived({}),
    play: [
      ask("POST /things", {}, "201"),
      ask("POST /things/{1}/close", {}, "200"),
      ask("POST /things/{1}/lose", { has: { state: "lost" } }),
      ask("POST /things/{1}/lose", "409 state-conflict"),
    ],
  },
  {
    of: ["states/moves/triggers/if", "states/moves/triggers/else"],
    with: lived({ moves: { ...moves, "open -> closed": { by: "close", if: "input.code == 'yes'", else: "not-so" } } }),
    without: lived({}),
    play: [
      ask("POST /things", {}, "201"),
      ask("POST /things/{1}/close", { code: "no" }, "409 not-so"),
      ask("POST /things/{1}/close", {}, "409 not-so"),
      ask("GET /things/{1}", { has: { state: "open" } }),
      ask("POST /things/{1}/close", { code: "yes" }, { has: { state: "closed" } }),
    ],
  },
  {
    of: ["states/moves/triggers/by"],
    with: lived({
      moves: {
        ...moves,
        "open -> closed": ["by close", { by: "addThing", if: "name == 'shut'", set: { count: "7" } }],
      },
    }),
    without: lived({}),
    play: [
      ask("POST /things", { name: "shut" }, { status: "201", has: { state: "closed", count: 7 } }),
      ask("POST /things", { name: "other" }, { status: "201", has: { state: "open", count: 0 } }),
      ask("POST /things/{1}/open", { has: { state: "open" } }),
    ],
  },
  {
    of: ["states/moves/triggers/set"],
    with: lived({ moves: { ...moves, "open -> closed": { by: "close", set: { count: "count + 1" } } } }),
    without: lived({}),
    play: [
      ask("POST /things", {}, "201"),
      ask("POST /things/{1}/close", {}, { has: { state: "closed", count: 1 } }),
      ask("GET /things/{1}", { has: { count: 1 } }),
      ask("POST /things/{1}/open", { has: { count: 1 } }),
      ask("POST /things/{1}/close", {}, { has: { count: 2 } }),
    ],
  },
];

/** Boxes, and slots that each stand in one, or between two. */
function boxes(lifeOfBox: Json, slot: Block = { box: "Box" }): string {
  return documentOf({
    resources: { Box: { id: "id(box)" }, Slot: { id: "id(slo)", ...slot } },
    states: {
      Box: { states: ["free", "full", "worn"], start: "free", moves: lifeOfBox },
      Slot: {
        states: ["empty", "taken", "gone"],
        start: "empty",
        moves: { "empty -> taken": "by take", "empty | taken -> gone": "by drop" },
      },
    },
    endpoints: {
      endpoints: {
        addBox: "POST /boxes",
        getBox: "GET /boxes/{id}",
        wear: "POST /boxes/{id}/wear",
        addSlot: "POST /slots",
        getSlot: "GET /slots/{id}",
        take: "POST /slots/{id}/take",
        drop: "POST /slots/{id}/drop",
      },
    },
    events: { out: { "slot.taken": "Slot -> taken", "slot.gone": "Slot -> gone" } },
  });
}

const worn = { "any -> worn": "by wear" };

const caused: readonly Proof[] = [
  {
    of: ["states/moves/triggers/when"],
    with: boxes({ "free -> full": "when slot.taken", ...worn }),
    without: boxes({ "free -> full": "when slot.gone", ...worn }),
    play: [
      ask("POST /boxes", {}, "201"),
      ask("POST /boxes", {}, "201"),
      ask("POST /slots", { box: "{1}" }, "201"),
      ask("POST /slots/{3}/take", "200"),
      ask("GET /boxes/{1}", { has: { state: "full" } }),
      ask("GET /boxes/{2}", { has: { state: "free" } }),
    ],
  },
  {
    of: ["states/moves/triggers/when/events"],
    with: boxes({ "free -> full": "when slot.taken | slot.gone", ...worn }),
    without: boxes({ "free -> full": "when slot.taken", ...worn }),
    play: [
      ask("POST /boxes", {}, "201"),
      ask("POST /slots", { box: "{1}" }, "201"),
      ask("POST /slots/{2}/drop", "200"),
      ask("GET /boxes/{1}", { has: { state: "full" } }),
    ],
  },
  {
    of: ["states/moves/triggers/when/field"],
    with: boxes({ "free -> full": "when slot.taken at below", ...worn }, { above: "Box", below: "Box" }),
    without: boxes({ "free -> full": "when slot.taken at above", ...worn }, { above: "Box", below: "Box" }),
    play: [
      ask("POST /boxes", {}, "201"),
      ask("POST /boxes", {}, "201"),
      ask("POST /slots", { above: "{1}", below: "{2}" }, "201"),
      ask("POST /slots/{3}/take", "200"),
      ask("GET /boxes/{1}", { has: { state: "free" } }),
      ask("GET /boxes/{2}", { has: { state: "full" } }),
    ],
  },
];

const hour = 3_600_000;

const timed: readonly Proof[] = [
  {
    of: ["states/moves/triggers/after"],
    with: lived({ moves: { ...moves, "open -> lost": ["by lose", "after 48h"] } }),
    without: lived({}),
    play: [
      ask("POST /things", {}, "201"),
      pass(47 * hour),
      ask("GET /things/{1}", { has: { state: "open" } }),
      ask("POST /things", {}, "201"),
      ask("POST /things/{3}/close", {}, "200"),
      pass(2 * hour),
      ask("GET /things/{1}", { has: { state: "lost" } }),
      pass(48 * hour),
      ask("GET /things/{3}", { has: { state: "closed" } }),
    ],
  },
  {
    of: ["states/moves/triggers/at"],
    with: dueAt({ "open -> lost": ["by lose", "at due"] }),
    without: dueAt({ "open -> lost": "by lose" }),
    play: [
      ask("POST /things", { due: new Date(Date.now() + 2 * hour).toISOString() }, "201"),
      ask("POST /things", { due: new Date(Date.now() + 9 * hour).toISOString() }, "201"),
      ask("POST /things", {}, "201"),
      pass(3 * hour),
      ask("GET /things/{1}", { has: { state: "lost" } }),
      ask("GET /things/{2}", { has: { state: "open" } }),
      ask("GET /things/{3}", { has: { state: "open" } }),
    ],
  },
];

function dueAt(some: Block): string {
  return lived(
    { moves: { ...moves, ...some } },
    {
      resources: {
        Thing: { id: "id(thi)", "name?": "string(1..9)", count: "integer = 0, read-only", "due?": "datetime" },
      },
    },
  );
}

export const stateProofs: readonly Proof[] = [...own, ...caused, ...timed];
