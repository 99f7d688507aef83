/** Proofs of further writes (`also`), and of events that move the records which they select. */
import type { Json } from "../../src/base/json.ts";
import { signatureField } from "../../src/runtime/auth/hmac.ts";
import type { Block } from "./document.ts";
import { documentOf } from "./document.ts";
import type { Proof, Step } from "./proof.ts";
import { ask } from "./proof.ts";

/** Boxes that are opened and shut, each with notes; a note is kept until its box is shut. */
function boxes({
  add = {},
  open = {},
  kept = { by: "drop" },
  events = {},
}: {
  readonly add?: Block;
  readonly open?: Block;
  readonly kept?: Json;
  readonly events?: Block;
}): string {
  return documentOf({
    resources: {
      Box: { id: "id(box)", size: "integer = 1", "room?": "Box" },
      Note: { id: "id(not)", box: "Box, delete with", rank: "integer = 0, sort", text: "string(..20) = none" },
    },
    states: {
      Box: { states: ["shut", "open"], start: "shut", moves: { "shut -> open": { by: "openBox", ...open } } },
      Note: { states: ["kept", "gone"], start: "kept", moves: { "kept -> gone": kept } },
    },
    endpoints: {
      endpoints: {
        addBox: { at: "POST /boxes", ...add },
        listBoxes: "GET /boxes",
        openBox: { at: "POST /boxes/{id}/open", takes: { "words?": "string(..20)[](..9)" } },
        addNote: "POST /notes",
        listNotes: "GET /notes",
        drop: "POST /notes/{id}/drop",
      },
    },
    authentication: {
      credentials: {
        key: { kind: "api-key", lasts: "365d", revoked: "at once" },
        door: { kind: "hmac-sha256", sent: "header Door-Signature", secret: "env DOOR_SECRET" },
      },
    },
    events: { out: { "box.opened": "Box -> open" }, ...events },
    errors: { errors: { "no-note": "409 The box has no note", full: "409 No box is free" } },
  });
}

const environment = { DOOR_SECRET: "a-secret-of-the-doors" };
const create = { create: "Note", with: { box: "id", rank: "size" } };

/** With this `also` of the transition, and without the member that is proved. */
function opening(also: Json, without: Json, member: string, play: readonly Step[]): Proof {
  return {
    of: [`states/moves/triggers/also/${member}`],
    with: boxes({ open: { also } }),
    without: boxes({ open: { also: without } }),
    environment,
    play,
  };
}

const box = ask("POST /boxes", { size: 3 }, "201");
const opened = ask("POST /boxes/{1}/open", {}, "200");
const note = (rank: number, text = "none"): Step => ask("POST /notes", { box: "{1}", rank, text }, "201");
const change = { change: "Note", where: "box == this.id", set: { text: "'new'" } };

const writes: readonly Proof[] = [
  {
    of: ["states/moves/triggers/also", "states/moves/triggers/also/create", "states/moves/triggers/also/with"],
    with: boxes({ open: { also: create } }),
    without: boxes({}),
    environment,
    play: [box, ask("GET /notes", { items: 0 }), opened, ask("GET /notes", { items: [{ rank: 3, state: "kept" }] })],
  },
  opening(change, { ...change, where: "false" }, "change", [
    box,
    note(1),
    opened,
    ask("GET /notes", { items: [{ text: "new" }] }),
  ]),
  opening(change, { ...change, set: { rank: "2" } }, "set", [
    box,
    note(1),
    opened,
    ask("GET /notes", { items: [{ text: "new", rank: 1 }] }),
  ]),
  opening({ delete: "Note", where: "box == this.id" }, change, "delete", [
    box,
    note(1),
    opened,
    ask("GET /notes", { items: 0 }),
  ]),
  opening(
    { create: "Note", each: "word in input.words", with: { box: "id", text: "word" } },
    { create: "Note", with: { box: "id" } },
    "each",
    [
      box,
      ask("POST /boxes/{1}/open", { words: ["a", "b"] }, "200"),
      ask("GET /notes?sort=rank", { items: [{ text: "a" }, { text: "b" }] }),
    ],
  ),
  opening({ ...create, if: "size > 5" }, create, "if", [box, opened, ask("GET /notes", { items: 0 })]),
  opening(change, { ...change, where: "true" }, "where", [
    box,
    ask("POST /boxes", {}, "201"),
    ask("POST /notes", { box: "{2}", rank: 5 }, "201"),
    note(6),
    opened,
    ask("GET /notes?sort=rank", { items: [{ text: "none" }, { text: "new" }] }),
  ]),
  opening({ ...change, first: 1 }, change, "first", [
    box,
    note(1),
    note(2),
    opened,
    ask("GET /notes?sort=rank", { items: [{ text: "new" }, { text: "none" }] }),
  ]),
  opening({ ...change, first: 1, sort: "-rank" }, { ...change, first: 1 }, "sort", [
    box,
    note(1),
    note(2),
    opened,
    ask("GET /notes?sort=rank", { items: [{ text: "none" }, { text: "new" }] }),
  ]),
  opening({ ...change, else: "no-note" }, change, "else", [
    box,
    ask("POST /boxes/{1}/open", {}, "409 no-note"),
    ask("GET /boxes", { items: [{ state: "shut" }] }),
    note(1),
    opened,
  ]),
];

const places: readonly Proof[] = [
  {
    of: ["endpoints/endpoints/also"],
    with: boxes({ add: { also: create } }),
    without: boxes({}),
    environment,
    play: [box, ask("GET /notes", { items: [{ rank: 3 }] })],
  },
  {
    of: ["events/in/also"],
    with: boxes({ events: heard({ also: { create: "Note", with: { box: "input.box", text: "'heard'" } } }) }),
    without: boxes({ events: heard({}) }),
    environment,
    play: [
      box,
      async (scene) => {
        const text = scene.filled(JSON.stringify({ box: "{1}" }));
        const signed = { method: "POST", target: "/hooks/doors", body: Buffer.from(text) };
        const field = signatureField(environment.DOOR_SECRET, Math.floor(scene.running.now() / 1000), signed);
        await ask(`POST /hooks/doors\nDoor-Signature: ${field}`, JSON.parse(text) as Json, "202")(scene);
      },
      ask("GET /notes", { items: [{ text: "heard" }] }),
    ],
  },
  {
    of: ["endpoints/endpoints/choose/else"],
    with: boxes({ add: { choose: { room: { from: "Box", if: "size > this.size", else: "full" } } } }),
    without: boxes({ add: { choose: { room: { from: "Box", if: "size > this.size" } } } }),
    environment,
    play: [ask("POST /boxes", { size: 1 }, "409 full"), ask("GET /boxes", { items: 0 })],
  },
];

function heard(more: Block): Block {
  return { in: { "door.shut": { at: "POST /hooks/doors", with: "door", carries: { box: "Box" }, ...more } } };
}

/** Notes that an opened box loses, by these selections. */
function losing(kept: Block, without: Block, member: string, items: readonly string[]): Proof {
  return {
    of: [`states/moves/triggers/${member}`],
    with: boxes({ kept: [{ by: "drop" }, { when: "box.opened", ...kept }] }),
    without: boxes({ kept: [{ by: "drop" }, { when: "box.opened", ...without }] }),
    environment,
    play: [
      box,
      ask("POST /boxes", {}, "201"),
      ask("POST /notes", { box: "{2}", rank: 0 }, "201"),
      note(1),
      note(2),
      opened,
      ask("GET /notes?sort=rank", { items: items.map((state) => ({ state })) }),
    ],
  };
}

const mine = "box == input.id";

const selections: readonly Proof[] = [
  losing({ where: mine }, { where: "true" }, "where", ["kept", "gone", "gone"]),
  losing({ where: mine, first: 1 }, { where: mine }, "first", ["kept", "gone", "kept"]),
  losing({ where: mine, first: 1, sort: "-rank" }, { where: mine, first: 1 }, "sort", ["kept", "kept", "gone"]),
];

export const alsoProofs: readonly Proof[] = [...writes, ...places, ...selections];
