/** What counts as a difference, and whether it breaks clients: a table with one edit of a document per row. */
import assert from "node:assert/strict";
import test from "node:test";
import { differencesOf } from "../../src/diff/differences.ts";
import { check } from "../../src/language/check.ts";
import type { Model } from "../../src/language/model.ts";
import { clinic, clinicWith } from "./clinic.ts";
import { rows } from "./rows.ts";

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

test("an address for agents is an addition", () => {
  const none = modelOf(clinicWith(["mcp: { at: /mcp, for: signed-in }", "mcp: none"]));
  const found = differencesOf(none, old).map(({ effect, kind, message }) => `${effect} ${kind}: ${message}`);
  assert.deepEqual(found, ["additive mcp-added: Agents may call operations at /mcp"]);
});

test("a limit of a calendar window and a summary name the callers whom a change breaks", () => {
  const rows: readonly (readonly [from: string, to: string, message: string])[] = [
    [
      "100/day in Europe/Oslo",
      "90/day in Europe/Oslo",
      "The rate of `finish` is `90/day in Europe/Oslo per user`, and was `100/day in Europe/Oslo per user`: it rejects callers who need more than 90 in a day",
    ],
    [
      "100/day in Europe/Oslo",
      "100/day in Europe/Paris",
      "The rate of `finish` is `100/day in Europe/Paris per user`, and was `100/day in Europe/Oslo per user`: its windows begin at other times for callers who use up the old ones",
    ],
    [
      "100/day in Europe/Oslo",
      "100/week in Europe/Oslo",
      "The rate of `finish` is `100/week in Europe/Oslo per user`, and was `100/day in Europe/Oslo per user`: it rejects callers who need more than 100 in a week",
    ],
    [
      ", urgency: urgency }",
      " }",
      "`load` no longer has the group `urgency`: its callers get numbers of larger groups",
    ],
    ["visits: count, heavy", "heavy", "`load` no longer has `visits`: its callers do not find the number"],
    [
      "sum(weight)",
      "max(weight)",
      "`load.heavy` is `max(weight)`, and was `sum(weight)`: its callers get another number",
    ],
    [
      "does: summary, gives",
      "group: urgency, gives",
      "`countVisits` responds with a page of groups, and responded with one object: its callers find no number where it was",
    ],
  ];
  for (const [from, to, message] of rows)
    assert.deepEqual(
      differencesOf(old, modelOf(clinicWith([from, to]))).map((one) => one.message),
      [message],
    );
});

test("limits in another order are the same limits", () => {
  const withRates = (...rates: readonly string[]): Model =>
    modelOf(clinicWith(["100/day in Europe/Oslo per user", `[${rates.join(", ")}]`]));
  const [day, month, fast] = ["100/day in Europe/Oslo per user", "900/month in Europe/Oslo per user", "5/min per user"];
  const kinds = (from: Model, to: Model): readonly string[] =>
    differencesOf(from, to).map(({ effect, kind }) => `${effect} ${kind}`);
  assert.deepEqual(kinds(withRates(day, month, fast), withRates(fast, month, day)), []);
  assert.deepEqual(kinds(withRates(day, month), withRates(month)), ["additive rate-removed"]);
  assert.deepEqual(kinds(withRates(month), withRates(fast, day, month)), [
    "breaking rate-added",
    "breaking rate-added",
  ]);
});

test("where a credential is sent", () => {
  const sentIn = (places: string): Model => modelOf(clinicWith(["sent: Authorization Bearer,", places]));
  const rows: readonly (readonly [from: string, to: string, ...effects: readonly string[]])[] = [
    ["sent: header api_key,", "sent: query api_key,", "breaking"],
    ["sent: header api_key,", "sent: cookie api_key,", "breaking"],
    ["sent: query apiKey,", "sent: query apikey,", "breaking"],
    ["sent: cookie Session,", "sent: cookie session,", "breaking"],
    ["sent: header X-Key,", "sent: header x-key,", "neutral"],
    ["sent: header X-Key,", "sent: [header X-Key, query key],", "additive"],
    ["sent: [header X-Key, query key],", "sent: header X-Key,", "breaking"],
    ["", "sent: [Authorization Bearer, cookie session],", "additive"],
    ["", "sent: Authorization Bearer,", "neutral"],
    ["", "sent: Authorization Token,", "breaking"],
    ["sent: [Authorization Bearer, cookie session],", "", "breaking"],
  ];
  for (const [from, to, ...expected] of rows) {
    const found = differencesOf(sentIn(from), sentIn(to));
    assert.deepEqual(
      found.map(({ effect, kind, subject }) => `${effect} ${kind} ${subject}`),
      expected.map((effect) => `${effect} credential-changed key`),
      `${from} -> ${to}`,
    );
  }
});

test("what restricts only what is new breaks nobody", () => {
  const now = modelOf(
    clinicWith(
      ["    note?: string(0..200)\n", "    note?: string(0..200)\n    mood?: string(0..20)\n"],
      ["show: { Visit.pin: doctor }", "show: { Visit.pin: doctor, Visit.mood: doctor }"],
      ["    dropRoom: DELETE /rooms/{id}\n", "    dropRoom: DELETE /rooms/{id}\n    getRoom: GET /rooms/{id}\n"],
      ["admit: 5/15min per Visit", "admit: 5/15min per Visit, getRoom: 1/min per user"],
    ),
  );
  assert.deepEqual(
    differencesOf(old, now).filter(({ effect }) => effect === "breaking"),
    [],
  );
});

test("where nothing was said of a part, nothing was promised", () => {
  const silent = clinic.replace(/^limits:\n(?: .*\n)+/m, "limits: not shown\n");
  const effects = (from: string, to: string) =>
    new Set(differencesOf(modelOf(from), modelOf(to)).map(({ effect }) => effect));
  assert.deepEqual(effects(silent, clinic), new Set(["additive", "neutral"]));
  assert.ok(effects(silent.replace("limits: not shown", "limits: none"), clinic).has("breaking"));
});

test("whether absent values are equal under a rule of uniqueness", () => {
  const line = "Visit: weight < 250 || urgency == 'high' else too-heavy";
  const withAbsent = (word: string): Model => modelOf(clinicWith([line, `Visit: "unique room + note${word}"`]));
  const rows: readonly (readonly [from: string, to: string, ...differences: readonly string[]])[] = [
    ["", ", absent distinct"],
    ["", ", absent equal", "breaking rule-tighter Visit"],
    [", absent distinct", ", absent equal", "breaking rule-tighter Visit"],
    [", absent equal", "", "additive rule-looser Visit"],
    [", absent equal", ", absent distinct", "additive rule-looser Visit"],
    [", absent equal", ", absent equal"],
  ];
  for (const [from, to, ...expected] of rows) {
    const found = differencesOf(withAbsent(from), withAbsent(to));
    assert.deepEqual(
      found.map(({ effect, kind, subject }) => `${effect} ${kind} ${subject}`),
      expected,
      `${from} -> ${to}`,
    );
  }
});

test("a named schema of a field counts in requests and responses", () => {
  const withSchema = (schema: string): Model =>
    modelOf(
      clinicWith(
        ["    note?: string(0..200)\n", '    note?: { schema: { $ref: "#/schemas/Note" } }\n'],
        ["  types:\n    Patient:", `  schemas: { Note: ${schema} }\n  types:\n    Patient:`],
      ),
    );
  const [short, long] = [withSchema("{ type: string, maxLength: 5 }"), withSchema("{ type: string, maxLength: 9 }")];
  const found = ([from, to]: readonly [Model, Model]) =>
    differencesOf(from, to).map(({ effect, kind, message }) => `${effect} ${kind}: ${message}`);
  const users = "(`Visit.note`)";
  assert.deepEqual(found([short, long]), [
    `breaking range-wider: \`Note\` has the length 0..9, and had 0..5: may break readers who rely on the old range ${users}`,
  ]);
  assert.deepEqual(found([long, short]), [
    `breaking range-narrower: \`Note\` has the length 0..5, and had 0..9: breaks callers outside of it ${users}`,
  ]);
});
