/** In charge of what counts as a difference, and of whether it breaks clients: one edit of a document a row. */
import assert from "node:assert/strict";
import test from "node:test";
import { differencesOf } from "../../src/diff/differences.ts";
import { check } from "../../src/parts/check.ts";
import type { Model } from "../../src/parts/model.ts";
import { clinic, clinicWith } from "./clinic.ts";

type Row = readonly [from: string, to: string, ...expected: readonly string[]];

const rows: Readonly<Record<string, readonly Row[]>> = {
  "what clients do not see": [
    ["domain: health", "domain: care", "neutral domain-changed domain"],
    ["users: { nurse: books,", "users: { nurse: books visits,", "neutral user-changed nurse"],
    ["    book: Book a visit\n", "    book: Book one visit\n", "neutral operation-described book"],
    ["{ booked: expected,", "{ booked: to come,", "neutral sentence-changed Visit.booked"],
    ["wrong-pin: 403 Not the pin", "wrong-pin: 403 Another pin", "neutral error-sentence-changed error wrong-pin"],
    ["secret: env DOOR", "secret: env GATE", "neutral credential-changed door"],
  ],
  requests: [
    [
      "    reason: string(1..80)\n",
      "    reason: string(1..80)\n    age: integer(0..150)\n",
      "breaking field-added Visit.age",
    ],
    [
      "    reason: string(1..80)\n",
      "    reason: string(1..80)\n    age?: integer(0..150)\n",
      "additive field-added Visit.age",
    ],
    [
      "    reason: string(1..80)\n",
      "    reason: string(1..80)\n    age: integer(0..150) = 0\n",
      "additive field-added Visit.age",
    ],
    [
      "note?: string(0..200)",
      "note: string(0..200)",
      "breaking field-required Visit.note",
      "additive field-always-given Visit.note",
    ],
    ["urgency: low | high = low", "urgency: low | high", "breaking field-required Visit.urgency"],
    ["urgency: low | high = low", "urgency: low | high = high", "breaking default-changed Visit.urgency"],
    [
      "reason: string(1..80)",
      "reason: string(1..80) = check",
      "additive field-not-required Visit.reason",
      "additive default-changed Visit.reason",
    ],
    ["reason: string(1..80)", "reason: string(1..40)", "breaking range-narrower Visit.reason"],
    ["reason: string(1..80)", "reason: string(1..120)", "additive range-wider Visit.reason"],
    ["reason: string(1..80)", "reason: text(1..80)"],
    ["reason: string(1..80)", "reason: string(1..80) /^[a-z]/", "breaking pattern-narrower Visit.reason"],
    ["reason: string(1..80)", "reason: string(1..80), create-only", "breaking field-not-taken Visit.reason"],
    ["reason: string(1..80)", "reason: string(1..80), write-only", "breaking field-not-given Visit.reason"],
    ["reason: string(1..80)", "reason: string(1..80), unique", "breaking unique-added Visit.reason"],
    ["weight: integer(1..300), create-only", "weight: integer(1..300)", "additive field-taken Visit.weight"],
    ["weight: integer(1..300)", "weight: decimal(1..300)", "breaking type-wider Visit.weight"],
    ["weight: integer(1..300)", "weight: string(1..300)", "breaking type-other Visit.weight"],
    [
      "takes: { pin: string(4), helper?: string(1..40) }",
      "takes: { pin: string(4), helper: string(1..40) }",
      "breaking field-required admit.helper",
    ],
    [
      "takes: { pin: string(4), helper?: string(1..40) }",
      "takes: { pin: string(4) }",
      "breaking field-removed admit.helper",
    ],
    [
      "takes: { pin: string(4)",
      "takes: { pin: string(6)",
      "breaking range-narrower admit.pin",
      "additive range-wider admit.pin",
    ],
    [
      "{ name: string(1..80), phone?: phone }",
      "{ name: string(1..80), phone: phone }",
      "breaking field-required Patient.phone",
      "additive field-always-given Patient.phone",
    ],
    ["weight < 250 ||", "weight < 200 ||", "breaking rule-tighter Visit"],
    ["weight < 250 ||", "weight < 270 ||", "additive rule-looser Visit"],
    ["weight < 250 || urgency == 'high'", "urgency == 'high' || weight < 250"],
    ["    Room: unique name\n", "", "additive rule-removed Room"],
    ["Room: unique name", "Room: [unique name, unique name + size]", "breaking rule-added Room"],
    [
      "choose: { room: { from: Room, if: size == 'large'",
      "choose: { room: { from: Room, if: size == 'large' && name != 'A'",
      "breaking choice-tighter book.room",
    ],
  ],
  answers: [
    ["    pin: string(4) = digits(4), read-only\n", "", "breaking field-removed Visit.pin"],
    ["    createdAt: datetime = now", "    bookedAt: datetime = now", "breaking field-renamed Visit.createdAt"],
    ["pin: string(4) =", "pin?: string(4) =", "breaking field-may-be-absent Visit.pin"],
    ["reason: string(1..80)", "reason: string(1..80) | null", "breaking null-wider Visit.reason"],
    ["urgency: low | high = low", "urgency: low | high | highest = low", "breaking value-wider Visit.urgency"],
    ["urgency: low | high = low", 'urgency: "low" = low', "breaking value-narrower Visit.urgency"],
    ["kind: first | repeated | string", "kind: first | repeated | last | string", "additive value-wider Visit.kind"],
    ["kind: first | repeated | string", "kind: first | repeated", "breaking type-narrower Visit.kind"],
    ["gives: { room: room, until: until }", "gives: { room: room }", "breaking answer-removed admit.until"],
    [
      "gives: { room: room, until: until }",
      "gives: { room: room, until: until, pin: pin }",
      "additive answer-added admit.pin",
    ],
    ["gives: { room: room, until: until }", "gives: { room: pin, until: until }", "breaking answer-changed admit.room"],
  ],
  lists: [
    [
      "createdAt: datetime = now, read-only, filter, sort",
      "createdAt: datetime = now, read-only, sort",
      "breaking filter-removed Visit.createdAt",
    ],
    [
      "createdAt: datetime = now, read-only, filter, sort",
      "createdAt: datetime = now, read-only, filter",
      "breaking sort-removed Visit.createdAt",
    ],
    ["note?: string(0..200)", "note?: string(0..200), filter", "additive filter-added Visit.note"],
    ["cursor, 50 per page, at most 200", "cursor, 40 per page, at most 200", "breaking page-size-changed lists"],
    ["cursor, 50 per page, at most 200", "cursor, 50 per page, at most 100", "breaking page-maximum-changed lists"],
    ["cursor, 50 per page, at most 200", "cursor, 50 per page, at most 500", "additive page-maximum-changed lists"],
    ["cursor, 50 per page, at most 200", "offset, 50 per page, at most 200", "breaking list-kind-changed lists"],
    ["where: state != 'missed'", "where: state != 'missed' && urgency == 'high'", "breaking where-tighter listVisits"],
  ],
  operations: [
    ["    finish: POST /visits/{id}/finish\n", "    finish: POST /visits/{id}/end\n", "breaking route-changed finish"],
    ["    dropRoom: DELETE /rooms/{id}\n", "", "breaking operation-removed dropRoom"],
    [
      "    dropRoom: DELETE /rooms/{id}\n",
      "    dropRoom: DELETE /rooms/{id}\n    getRoom: GET /rooms/{id}\n",
      "additive operation-added getRoom",
    ],
    [
      "    dropRoom: DELETE /rooms/{id}\n",
      '    dropRoom: { at: "DELETE /rooms/{id}", status: 200 }\n',
      "breaking status-changed dropRoom",
    ],
    ["edits: If-Match required", "edits: If-Match optional", "additive edits-changed edits"],
    ["edits: If-Match required", "edits: none", "breaking edits-changed edits"],
    [
      "repeats: Idempotency-Key on every POST, kept 24h",
      "repeats: Idempotency-Key required on every POST, kept 24h",
      "breaking repeats-changed repeats",
    ],
    ["kept 24h", "kept 1d"],
    ["kept 24h", "kept 12h", "breaking repeats-kept-changed repeats"],
    ['base: "{base_url}"', "base: https://clinic.example", "breaking base-changed base"],
  ],
  states: [
    ["missed: nobody came }", "missed: nobody came, ill: sent home }", "breaking state-added Visit.ill"],
    ["start: booked", "start: inside", "breaking start-changed Visit"],
    ["final: [done, missed]", "final: [done]", "neutral final-changed Visit"],
    ["after 48h", "after 24h", "breaking timer-changed Visit"],
    ["after 48h", "after 72h", "additive timer-changed Visit"],
    ["[by finish, at until, when door.closed]", "[by finish, when door.closed]", "breaking timer-removed Visit"],
    ["[by finish, at until, when door.closed]", "[by finish, at until]", "breaking move-removed Visit"],
    ["if: input.pin == pin,", "if: input.pin == pin && urgency == 'low',", "breaking guard-tighter Visit"],
    ["if: input.pin == pin,", "if: input.pin == pin || urgency == 'high',", "additive guard-looser Visit"],
    ["if: input.pin == pin,", "if: (input.pin   ==   pin),"],
    ["duration('1h')", "duration('2h')", "neutral set-changed Visit"],
  ],
  rights: [
    ["book: nurse\n", "book: nurse | doctor\n", "additive right-widened book"],
    ["book: nurse\n", "book: signed-in\n", "additive right-widened book"],
    [
      "listRooms, listVisits: signed-in",
      "listRooms, listVisits: doctor",
      "breaking right-narrowed listRooms",
      "breaking right-narrowed listVisits",
    ],
    ["show: { Visit.pin: doctor }", "show: {}", "additive sight-widened Visit.pin"],
    [
      "show: { Visit.pin: doctor }",
      "show: { Visit.pin: doctor, Visit.note: doctor }",
      "breaking sight-narrowed Visit.note",
    ],
    ["nurse == caller.id", "nurse == caller.id && urgency == 'low'", "breaking own-changed Visit"],
    ["unseen: 404", "unseen: 403", "breaking unseen-changed unseen"],
    ["lasts: 365d", "lasts: 90d", "breaking credential-lasts-changed key"],
    ["sent: Authorization Bearer", "sent: header X-Key", "breaking credential-changed key"],
    [
      "    key: { kind: api-key",
      "    token: { kind: api-key",
      "additive credential-added token",
      "breaking credential-removed key",
    ],
  ],
  events: [
    ["envelope: cloudevents", "envelope: plain", "breaking envelope-changed envelope"],
    ["    visit.booked: Visit -> booked\n", "", "breaking event-removed event visit.booked"],
    [
      "    visit.booked: Visit -> booked\n",
      "    visit.expected: Visit -> booked\n",
      "breaking event-renamed event visit.booked",
    ],
    [
      "    visit.booked: Visit -> booked\n",
      "    visit.booked: Visit -> booked\n    visit.missed: Visit -> missed\n",
      "additive event-added event visit.missed",
    ],
    ["carries: [id, room, reason]", "carries: [id, reason]", "breaking payload-removed event visit.done"],
    ["carries: [id, room, reason]", "carries: [id, room, reason, note]", "additive payload-added event visit.done"],
    [
      "visit: Visit, code?: string(1..9)",
      "visit: Visit, code: string(1..9)",
      "breaking field-required door.closed.code",
    ],
    ["at: POST /hooks/doors", "at: POST /hooks/door", "breaking inbound-changed event door.closed"],
    ["promise: at least once", "promise: at most once", "breaking webhook-changed webhook"],
    ["timeout: 15s", "timeout: 10s", "breaking webhook-timeout-changed webhook"],
    ["retry: 5s 5m 30m", "retry: 5s 5m", "breaking webhook-retry-changed webhook"],
    ["retry: 5s 5m 30m", "retry: 5s 5m 30m 2h", "additive webhook-retry-changed webhook"],
    ["resume: Last-Event-ID, keep: 7d", "resume: Last-Event-ID, keep: 3d", "breaking stream-keep-changed stream"],
  ],
  errors: [
    ["too-heavy: 422", "too-heavy: 400", "breaking error-status-changed error too-heavy"],
    ["wrong-pin", "bad-pin", "breaking refusal-changed error wrong-pin", "breaking error-renamed error wrong-pin"],
    ["retry after 10m", "retry after 20m", "neutral error-retry-changed error no-room"],
    ["body: problem+json", 'body: { error: "{code}" }', "breaking error-body-changed body"],
    ["standard: all", "standard: [not-found]", ...standardGone()],
  ],
  limits: [
    ["all: 600/min per user", "all: 500/min per user", "breaking rate-changed all"],
    ["all: 600/min per user", "all: 1200/2min per user", "additive rate-changed all"],
    ["all: 600/min per user", "all: 700/min per user", "additive rate-changed all"],
    ["all: 600/min per user", "all: [600/min per user, 900/min per ip]", "breaking rate-added all"],
    ["10 in booked | inside per user", "5 in booked | inside per user", "breaking quota-changed Visit"],
    ["10 in booked | inside per user", "10 in booked per user", "additive quota-changed Visit"],
    ["request: 256KB", "request: 128KB", "breaking size-changed request"],
    ["request: 256KB", "request: 1MB", "additive size-changed request"],
    ["request: 10s", "request: 5s", "breaking time-changed request"],
    ["Visit: 90d after final", "Visit: 30d after final", "breaking keep-changed Visit"],
    ["Visit: 90d after final", "Visit: 1y after final", "additive keep-changed Visit"],
  ],
  versions: [
    ["sent: header Clinic-Version", "sent: query version", "breaking sent-changed sent"],
    ["absent: pinned", "absent: refuse", "breaking absent-changed absent"],
    ["notice: 180d", "notice: 90d", "breaking notice-changed policy"],
    ["support: 12mo", "support: 2y", "additive support-changed policy"],
    ["sunset 2027-06-01", "sunset 2027-09-01", "additive sunset-changed version 2026-03-01"],
    ["    2026-06-01:\n", "    2026-09-01: none\n    2026-06-01:\n", "additive version-added version 2026-09-01"],
    ["rename Visit.cause -> reason", "rename Visit.why -> reason", "breaking version-rewritten version 2026-06-01"],
  ],
};

function standardGone(): readonly string[] {
  return ["invalid-request", "unauthenticated", "forbidden", "method-not-allowed", "not-acceptable", "state-conflict", "already-exists", "still-referenced", "version-gone", "stale", "too-large", "unsupported-media", "precondition-needed", "rate-limited", "quota-exceeded", "internal", "overloaded", "timed-out"].map((code) => `breaking standard-error-removed error ${code}`); // biome-ignore format: a list
}

function modelOf(text: string): Model {
  return check("clinic.yaml", text).model;
}

const old = modelOf(clinic);

test("the clinic is sound", () => {
  const found = check("clinic.yaml", clinic).diagnostics.filter(({ severity }) => severity === "error");
  assert.deepEqual(
    found.map(({ code, message }) => `${code}: ${message}`),
    [],
  );
});

for (const [about, table] of Object.entries(rows)) {
  test(about, () => {
    const found = table.map(([from, to]) => {
      const now = modelOf(clinicWith([from, to]));
      return [from, to, ...differencesOf(old, now).map(({ effect, kind, subject }) => `${effect} ${kind} ${subject}`)];
    });
    assert.deepEqual(found, table);
  });
}
