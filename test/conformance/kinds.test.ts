/** What the cases about kinds of incoming events catch: two addresses, whose kinds are in members and in a header field. */
import { test } from "node:test";
import { type Block, documentOf, things } from "../enforced/document.ts";
import { type Altered, expectBroken } from "./altered.ts";

const doors = { at: "POST /hooks/doors", with: "door" };
const gates = { at: "POST /hooks/gates", with: "gate" };

/** Things that doors and gates shut and open. */
function heard(events: Block, credentials: Block = {}): string {
  const endpoints = {
    addThing: "POST /things",
    getThing: "GET /things/{id}",
    shut: "POST /things/{id}/shut",
    open: "POST /things/{id}/open",
  };
  return documentOf({
    resources: things({ "name?": "string(1..9)" }),
    states: {
      Thing: {
        states: ["open", "shut", "broken"],
        start: "open",
        final: ["broken"],
        moves: {
          "open -> shut": ["by shut", "when door.shut", "when gate.shut"],
          "shut -> open": ["by open", "when door.opened"],
          "shut -> broken": "when door.broken",
        },
      },
    },
    endpoints: { endpoints },
    authentication: {
      credentials: {
        key: { kind: "api-key", lasts: "365d", revoked: "at once" },
        door: { kind: "hmac-sha256", sent: "header Door-Signature", secret: "env DOOR_SECRET" },
        gate: { kind: "hmac-sha256", scheme: "github", secret: "env GATE_SECRET" },
        ...credentials,
      },
    },
    events: { envelope: "plain", out: "none", in: events, delivery: "none" },
  });
}

const events = {
  "door.shut": {
    ...doors,
    is: { type: "shut" },
    carries: { id: "string(1..40)", thing: "Thing" },
    unknown: "ignored",
    once: "id",
  },
  "door.opened": {
    ...doors,
    is: { type: "status", "detail.open": "true" },
    carries: { thing: "Thing" },
    unknown: "ignored",
  },
  "door.broken": { ...doors, is: { type: "broken" }, carries: { thing: "Thing", type: "string" }, unknown: "rejected" },
  "door.other": { ...doors, unknown: "ignored" },
  "gate.shut": {
    ...gates,
    is: { "header X-GitHub-Event": "gate" },
    carries: { thing: "Thing" },
    once: "header X-Gate-Id",
  },
};

function altered(name: keyof typeof events, change: Block): string {
  return heard({ ...events, [name]: { ...events[name], ...change } });
}

const { "door.other": _, ...named } = events;

const rows: readonly Altered[] = [
  {
    what: "an event of another kind",
    true: heard(events),
    served: altered("door.shut", { is: { type: "closed" } }),
    broken: "events/in/door.shut/at",
  },
  {
    what: "an event that needs fewer values",
    true: heard(events),
    served: altered("door.opened", { is: { type: "status" } }),
    broken: "events/in/door.opened/is",
  },
  {
    what: "a kind that is in a member",
    true: heard(events),
    served: altered("gate.shut", { is: { thing: "gate" } }),
    broken: "events/in/gate.shut/at",
  },
  {
    what: "one kind for all",
    true: heard(events),
    served: heard({ ...events, "gate.shut": { ...gates, carries: { thing: "Thing" }, once: "header X-Gate-Id" } }),
    broken: "events/in/gate.shut/is",
  },
  {
    what: "unknown kinds that are rejected",
    true: heard(events),
    served: heard(named),
    broken: "events/in/door.shut/is",
  },
  {
    what: "unknown kinds that are accepted",
    true: heard(named),
    served: heard(events),
    broken: "events/in/door.shut/is",
  },
  {
    what: "unknown members that are rejected",
    true: heard(events),
    served: altered("door.opened", {
      unknown: "rejected",
      carries: { thing: "Thing", type: "string", detail: "json" },
    }),
    broken: "events/in/door.opened/unknown",
  },
  {
    what: "unknown members that are ignored",
    true: heard(events),
    served: altered("door.broken", { unknown: "ignored" }),
    broken: "events/in/door.broken/unknown",
  },
  {
    what: "every delivery counts",
    true: heard(events),
    served: heard({
      ...events,
      "door.shut": { ...doors, is: { type: "shut" }, carries: events["door.shut"].carries, unknown: "ignored" },
    }),
    broken: "events/in/door.shut/once",
  },
  {
    what: "every delivery with an id in a header field counts",
    true: heard(events),
    served: heard({ ...events, "gate.shut": { ...gates, is: events["gate.shut"].is, carries: { thing: "Thing" } } }),
    broken: "events/in/gate.shut/once",
  },
  {
    what: "one delivery of each thing",
    true: heard(events),
    served: altered("door.shut", { once: "thing" }),
    broken: "events/in/door.shut/once",
  },
  {
    what: "signatures by another scheme",
    true: heard(events),
    served: heard(events, { door: { kind: "hmac-sha256", scheme: "github", secret: "env DOOR_SECRET" } }),
    broken: "events/in/door.shut/at",
  },
];

void test("kinds of incoming events", (context) => expectBroken(context, rows));
