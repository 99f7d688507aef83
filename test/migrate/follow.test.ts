/** Migrations of data when the document changes: documents and records in, records out. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { obstacleText, MigrationRejected } from "../../src/store/migration/migration.ts";
import { planMigration } from "../../src/store/sqlite/migrate.ts";
import { followingOf } from "../../src/server/open-store.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { Row } from "../../src/store/port/store.ts";
import {
  bring,
  contentOf,
  copiesOf,
  fill,
  newFile,
  now,
  openBy,
  type Parts,
  planOfParts,
  type Records,
  recordsIn,
} from "./data.ts";

function note(...fields: readonly string[]): string {
  return `Note:\n  id: id\n${fields.map((field) => `  ${field}`).join("\n")}`;
}

type Versions = NonNullable<Parts["versions"]>;

interface Example {
  readonly what: string;
  readonly before: Parts;
  readonly records: Records;
  readonly after: Parts;
  /** What is there afterwards. */
  readonly gives: Records;
  /** Whether what was stored has changed, so that there is a copy of it. */
  readonly copied?: boolean;
}

const v = (...changes: readonly string[]): Versions => ({ "2026-01-01": changes });

const done: readonly Example[] = [
  {
    what: "a renamed field",
    before: { resources: note("reference: string", "n?: integer") },
    records: { Note: [{ id: "a", reference: "x", n: 1 }] },
    after: {
      resources: note("trackingNumber: string", "n?: integer"),
      versions: v("rename Note.reference -> trackingNumber"),
    },
    gives: { Note: [{ id: "a", trackingNumber: "x", n: 1 }] },
    copied: true,
  },
  {
    what: "two names exchanged",
    before: { resources: note("x: string", "y: string") },
    records: { Note: [{ id: "a", x: "1", y: "2" }] },
    after: { resources: note("x: string", "y: string"), versions: v("rename Note.x -> y", "rename Note.y -> x") },
    gives: { Note: [{ id: "a", x: "2", y: "1" }] },
    copied: true,
  },
  {
    what: "a renamed resource with its references, and a field of it",
    before: { resources: `${note("name: string")}\nTag:\n  id: id\n  note: Note\n  other?: Note` },
    records: { Note: [{ id: "a", name: "x" }], Tag: [{ id: "t", note: "a" }] },
    after: {
      resources: `Paper:\n  id: id\n  title: string\nTag:\n  id: id\n  paper: Paper\n  other?: Paper`,
      versions: v("rename Note -> Paper", "rename Paper.name -> title", "rename Tag.note -> paper"),
    },
    gives: { Paper: [{ id: "a", title: "x" }], Tag: [{ id: "t", paper: "a" }] },
    copied: true,
  },
  {
    what: "several versions one after another, whatever the names were between them",
    before: { resources: note("a: string") },
    records: { Note: [{ id: "a", a: "x" }] },
    after: {
      resources: "Paper:\n  id: id\n  c: string\n  n: integer",
      versions: {
        "2026-03-01": ["rename Note -> Paper", "rename Paper.b -> c", "require Paper.n, taken as 5 before"],
        "2026-02-01": ["rename Note.a -> b"],
      },
    },
    gives: { Paper: [{ id: "a", c: "x", n: 5 }] },
    copied: true,
  },
  {
    what: "types without a loss",
    before: {
      resources: note(
        "i: integer",
        "j: integer",
        "b: boolean",
        "t: string",
        "d: date",
        "m: datetime",
        "s: string",
        "l: string[]",
      ),
    },
    records: {
      Note: [
        { id: "a", i: 1, j: -20, b: true, t: "42", d: "2026-01-02", m: "2026-01-02T00:00:00.000Z", s: "x", l: ["y"] },
      ],
    },
    after: {
      resources: note(
        "i: number",
        "j: string",
        "b: string",
        "t: integer",
        "d: datetime",
        "m: date",
        "s: string[]",
        "l: string",
      ),
    },
    gives: {
      Note: [
        {
          id: "a",
          i: 1,
          j: "-20",
          b: "true",
          t: 42,
          d: "2026-01-02T00:00:00.000Z",
          m: "2026-01-02",
          s: '["x"]',
          l: "y",
        },
      ],
    },
    copied: true,
  },
  {
    what: "a type as part 9 says, over what there was and over the record",
    before: { resources: note("size: integer", "weight: number", "name: string") },
    records: {
      Note: [
        { id: "a", size: 1, weight: 0.5, name: "x" },
        { id: "b", size: 9, weight: 2, name: "y" },
      ],
    },
    after: {
      resources: note("size: small | large", "weight: integer", "name: string"),
      versions: v(
        "retype Note.size, was integer, taken as value > 2 ? 'large' : 'small' before",
        "retype Note.weight, was number, taken as name == 'x' ? 1 : 2 before",
      ),
    },
    gives: {
      Note: [
        { id: "a", size: "small", weight: 1, name: "x" },
        { id: "b", size: "large", weight: 2, name: "y" },
      ],
    },
    copied: true,
  },
  {
    what: "what records get that have nothing",
    before: { resources: note("a?: integer", "b?: string", "c?: string") },
    records: {
      Note: [
        { id: "a", a: 1, b: "x" },
        { id: "b", c: "y" },
      ],
    },
    after: {
      resources: note(
        "a: integer = 7",
        "b: string",
        "c?: string",
        "d: string",
        "e: datetime = now",
        "f?: low | high = low",
        "g: integer = counter",
      ),
      versions: v("require Note.b, taken as 'none' before", "add Note.d, taken as c == null ? 'no' : c before"),
    },
    gives: {
      Note: [
        { id: "a", a: 1, b: "x", d: "no", e: "2026-06-01T12:00:00.000Z", f: "low", g: 1 },
        { id: "b", a: 7, b: "none", c: "y", d: "y", e: "2026-06-01T12:00:00.000Z", f: "low", g: 2 },
      ],
    },
    copied: true,
  },
  {
    what: "what is only added, looser or checked needs no copy",
    before: { resources: note("a: string(1..5)", "b: x | y") },
    records: { Note: [{ id: "a", a: "abc", b: "x" }] },
    after: {
      resources: `${note("a: string(1..3), unique", "b?: x | y | z", "c: integer = 3")}\nOther:\n  id: id\nrules:\n  Note: [ size(a) == 3 else wrong ]`,
    },
    gives: { Note: [{ id: "a", a: "abc", b: "x", c: 3 }], Other: [] },
  },
  {
    what: "absent values are equal from now on, and none are there twice",
    before: { resources: `${note("a?: string(1..5)", "b: x | y")}\nrules:\n  Note: unique a + b` },
    records: {
      Note: [
        { id: "a", b: "x" },
        { id: "b", b: "y" },
        { id: "c", a: "a", b: "x" },
      ],
    },
    after: { resources: `${note("a?: string(1..5)", "b: x | y")}\nrules:\n  Note: unique a + b, absent equal` },
    gives: {
      Note: [
        { id: "a", b: "x" },
        { id: "b", b: "y" },
        { id: "c", a: "a", b: "x" },
      ],
    },
  },
  {
    what: "absent values are distinct again",
    before: { resources: `${note("a?: string(1..5)", "b: x | y")}\nrules:\n  Note: unique a + b, absent equal` },
    records: { Note: [{ id: "a", b: "x" }] },
    after: { resources: `${note("a?: string(1..5)", "b: x | y")}\nrules:\n  Note: unique a + b, absent distinct` },
    gives: { Note: [{ id: "a", b: "x" }] },
  },
  {
    what: "what is computed and stored",
    before: { resources: note("a: integer", "twice: integer := a * 2, filter") },
    records: { Note: [{ id: "a", a: 2, twice: 4 }] },
    after: { resources: note("a: integer", "twice: integer := a * 20, filter", "label: string := id + '!', unique") },
    gives: { Note: [{ id: "a", a: 2, twice: 40, label: "a!" }] },
    copied: true,
  },
];

function inOrder(records: Records): Records {
  return Object.fromEntries(
    Object.entries(records).map(([resource, rows]) => [
      resource,
      rows.map((row) => Object.fromEntries(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1))) as Row),
    ]),
  );
}

for (const { what, before, records, after, gives, copied = false } of done) {
  test(`done: ${what}`, async (t) => {
    const file = newFile(t);
    const [first, second] = [planOfParts(before), planOfParts(after)];
    await fill(first, file, records);
    const original = recordsIn(first, file);
    const migrated = await bring(second, file);
    assert.deepEqual(inOrder(recordsIn(second, file)), inOrder(gives));
    assert.equal(copiesOf(file).length, copied ? 1 : 0);
    assert.equal(await bring(second, file), undefined, "it is done once");
    if (migrated?.backup !== undefined) assert.deepEqual(recordsIn(first, migrated.backup), original);
  });
}

interface ApiError {
  readonly what: string;
  readonly before: Parts;
  readonly records: Records;
  readonly after: Parts;
  readonly says: readonly string[];
  /** What is there when a loss is allowed; absent: that does not help. */
  readonly loses?: Records;
}

const two: Records = {
  Note: [
    { id: "a", n: "1", s: "x" },
    { id: "b", n: "many", s: "y" },
  ],
};

const refused: readonly ApiError[] = [
  {
    what: "a name that part 9 says nothing of",
    before: { resources: note("n: string", "s: string") },
    records: two,
    after: { resources: note("n: string", "t?: string") },
    says: [
      "Note.s is gone from the document, and 2 records would lose it: a, b; if it was renamed, say so in part 9: rename Note.s -> t",
    ],
    loses: {
      Note: [
        { id: "a", n: "1" },
        { id: "b", n: "many" },
      ],
    },
  },
  {
    what: "an entry of a version that the data has followed already",
    before: { resources: note("n: string", "s: string"), versions: { "2026-02-01": [], "2026-01-01": [] } },
    records: two,
    after: {
      resources: note("n: string", "t?: string"),
      versions: { "2026-02-01": [], "2026-01-01": ["rename Note.s -> t"] },
    },
    says: [
      "Note.s is gone from the document, and 2 records would lose it: a, b; if it was renamed, say so in part 9: rename Note.s -> t",
    ],
    loses: {
      Note: [
        { id: "a", n: "1" },
        { id: "b", n: "many" },
      ],
    },
  },
  {
    what: "a value without an equal, where there may be none",
    before: { resources: note("n?: string", "s: string") },
    records: two,
    after: { resources: note("n?: integer", "s: string") },
    says: [
      "Note.n changes from text to integer, and 1 record has a value that does not fit: b; say in part 9 what becomes of it: retype Note.n, was …, taken as … before",
    ],
    loses: {
      Note: [
        { id: "a", n: 1, s: "x" },
        { id: "b", s: "y" },
      ],
    },
  },
  {
    what: "values that become the same one, whatever they were",
    before: { resources: note("n: string", "s: string") },
    records: two,
    after: {
      resources: note("n: integer", "s: string"),
      versions: v("retype Note.n, was string, taken as 1 before"),
    },
    says: [
      "Note.n becomes the same in all records, and 1 record would lose its own: b; say what becomes of each value: retype Note.n, was …, taken as … `value` … before",
    ],
    loses: {
      Note: [
        { id: "a", n: 1, s: "x" },
        { id: "b", n: 1, s: "y" },
      ],
    },
  },
  {
    what: "a value that is gone, where there is a default",
    before: { resources: note("n: string", "s: x | y") },
    records: two,
    after: { resources: note("n: string", "s: x | z = z") },
    says: ["Note.s is now x | z, and 1 record has another value: b"],
    loses: {
      Note: [
        { id: "a", n: "1", s: "x" },
        { id: "b", n: "many", s: "z" },
      ],
    },
  },
  {
    what: "a resource that is gone, with all that refers to it",
    before: { resources: `${note("n: string")}\nTag:\n  id: id\n  note: Note` },
    records: { Note: [{ id: "a", n: "1" }], Tag: [{ id: "t", note: "a" }] },
    after: { resources: "Tag:\n  id: id" },
    says: [
      "Tag.note is gone from the document, and 1 record would lose it: t",
      "Note is gone from the document, and 1 record would be lost: a",
    ],
    loses: { Tag: [{ id: "t" }] },
  },
  {
    what: "a state that records are in",
    before: {
      resources: note("n: string"),
      states: "Note:\n  states: [open, shut]\n  moves: { open -> shut: by close }",
    },
    records: {
      Note: [
        { id: "a", n: "1", state: "open" },
        { id: "b", n: "1", state: "shut" },
      ],
    },
    after: {
      resources: note("n: string"),
      states: "Note:\n  states: [open, gone]\n  moves: { open -> gone: by close }",
    },
    says: ["Note.state is now open | gone, and 1 record has another value: b"],
    loses: {
      Note: [
        { id: "a", n: "1", state: "open" },
        { id: "b", n: "1", state: "open" },
      ],
    },
  },
  {
    what: "a reference to nothing, where there may be none",
    before: { resources: `${note("n?: string", "s: string")}\nTag:\n  id: string` },
    records: { ...two, Tag: [{ id: "many" }] },
    after: { resources: `${note("n?: Tag, clear", "s: string")}\nTag:\n  id: string` },
    says: ["Note.n now refers to Tag, and 1 record to nothing there: a"],
    loses: {
      Note: [
        { id: "a", s: "x" },
        { id: "b", n: "many", s: "y" },
      ],
      Tag: [{ id: "many" }],
    },
  },
  {
    what: "what is computed now and was given before",
    before: { resources: note("n: string", "s: string") },
    records: two,
    after: { resources: note("n: string", "s: string := n, unique") },
    says: ["Note.s is computed now, and 2 records would lose what was given: a, b"],
    loses: {
      Note: [
        { id: "a", n: "1", s: "1" },
        { id: "b", n: "many", s: "many" },
      ],
    },
  },
  {
    what: "rules, ranges, uniqueness and what has to be there, all at once; nothing of it is a loss",
    before: { resources: note("n: string", "s: string", "k?: integer", "l?: integer") },
    records: {
      Note: [
        { id: "a", n: "1", s: "x", k: 1 },
        { id: "b", n: "many", s: "x", l: 2 },
        ...["c", "d", "e", "f"].map((one) => ({ id: one, n: "1", s: one })),
      ],
    },
    after: {
      resources: `${note("n: string(2..9)", "s: string, unique", "k: integer", "l?: integer", "m: string")}\nrules:\n  Note: [ l == null else wrong ]`,
    },
    says: [
      "Note.n takes less than before, and 5 records have another value: a, c, d, e, f",
      "Note.k is now required, and 5 records have none: b, c, d, e, f; leave it optional (`?`), give it a default, or say in part 9 what it is: require Note.k, taken as … before",
      "Note.m is new and required, and 6 records have none: a, b, c, d, e, …; make it optional (`?`), give it a default, or say in part 9 what it is: add Note.m, taken as … before",
      "Note is now unique by s, and 2 records share theirs with another: a, b",
      "Note has a rule (else wrong), and 1 record breaks it: b",
    ],
  },
  {
    what: "records that are the same where absent values are equal",
    before: { resources: `${note("a?: string(1..5)", "b: integer")}\nrules:\n  Note: unique a + b` },
    records: {
      Note: [
        { id: "a", b: 1 },
        { id: "b", b: 1 },
        { id: "c", b: 2 },
        { id: "d", a: "x", b: 1 },
      ],
    },
    after: { resources: `${note("a?: string(1..5)", "b: integer")}\nrules:\n  Note: unique a + b, absent equal` },
    says: ["Note is now unique by a + b with absent values equal, and 2 records share theirs with another: a, b"],
  },
  {
    what: "records above themselves where a tree is to be",
    before: { resources: note("above?: Note") },
    records: { Note: [{ id: "a", above: "a" }, { id: "b", above: "a" }, { id: "c" }, { id: "d", above: "c" }] },
    after: { resources: note("above?: Note, tree") },
    says: ["Note.above has to make a tree, and 1 record is above itself: a"],
  },
];

for (const { what, before, records, after, says, loses } of refused) {
  test(`refused: ${what}`, async (t) => {
    const file = newFile(t);
    const [first, second] = [planOfParts(before), planOfParts(after)];
    await fill(first, file, records);
    const content = contentOf(file);
    await assert.rejects(bring(second, file), { name: "StoreError", kind: "incompatible", differences: says });
    assert.deepEqual(contentOf(file), content, "nothing was changed");
    assert.deepEqual(copiesOf(file), []);
    const { steps } = await planned(second, file);
    assert.deepEqual(
      steps.flatMap(({ obstacle }) => (obstacle === undefined ? [] : [obstacleText(obstacle)])),
      says,
      "the plan says the same",
    );
    if (loses === undefined) {
      await assert.rejects(bring(second, file, { allowLoss: true }), MigrationRejected);
      assert.deepEqual(contentOf(file), content);
      return;
    }
    const migrated = await bring(second, file, { allowLoss: true });
    assert.deepEqual(inOrder(recordsIn(second, file)), inOrder(loses));
    assert.deepEqual(inOrder(recordsIn(first, migrated?.backup ?? "")), inOrder(stored(first, records)));
  });
}

/** Records as SQLite has them. */
function stored({ tables }: Plan, records: Records): Records {
  return Object.fromEntries(tables.map(({ resource }) => [resource, records[resource] ?? []]));
}

async function planned(plan: Plan, file: string): Promise<ReturnType<typeof planMigration>> {
  const following = await followingOf(plan);
  return planMigration({ file, tables: plan.tables, following, clock: () => now }, 200);
}

test("an entry that the newest version is given later is followed too", async (t) => {
  const file = newFile(t);
  await fill(planOfParts({ resources: note("n: string", "s: string"), versions: v() }), file, two);
  const first = planOfParts({ resources: note("n: string", "t: string"), versions: v("rename Note.s -> t") });
  await bring(first, file);
  const second = planOfParts({
    resources: note("m: string", "t: string"),
    versions: v("rename Note.s -> t", "rename Note.n -> m"),
  });
  await bring(second, file);
  assert.deepEqual(recordsIn(second, file), {
    Note: [
      { id: "a", m: "1", t: "x" },
      { id: "b", m: "many", t: "y" },
    ],
  });
});

test("a value is converted once, however its entry is written later", async (t) => {
  const file = newFile(t);
  const by = (version: string, taken: string): Plan =>
    planOfParts({
      resources: note("s: string"),
      versions: { [version]: [`retype Note.s, was integer, taken as ${taken} before`] },
    });
  await fill(planOfParts({ resources: note("s: integer") }), file, { Note: [{ id: "a", s: 3 }] });
  const rows = async (plan: Plan): Promise<unknown> => {
    await bring(plan, file);
    return recordsIn(plan, file)["Note"];
  };
  assert.deepEqual(await rows(by("2026-01-01", "value > 2 ? 'many' : 'few'")), [{ id: "a", s: "many" }]);
  assert.deepEqual(
    await rows(by("2026-01-01", "value > 1 ? 'lots' : 'few'")),
    [{ id: "a", s: "many" }],
    "written anew",
  );
  assert.deepEqual(await rows(by("2026-02-01", "value > 1 ? 'lots' : 'few'")), [{ id: "a", s: "many" }], "dated anew");
  assert.deepEqual(await rows(planOfParts({ resources: note("s: string") })), [{ id: "a", s: "many" }]);
});

test("values are converted through several versions", async (t) => {
  const file = newFile(t);
  await fill(planOfParts({ resources: note("s: integer") }), file, {
    Note: [
      { id: "a", s: 3 },
      { id: "b", s: 1 },
    ],
  });
  const after = planOfParts({
    resources: note("size: small | large"),
    versions: {
      "2026-03-01": [
        "rename Note.s -> size",
        "retype Note.size, was boolean, taken as value ? 'large' : 'small' before",
      ],
      "2026-02-01": ["retype Note.s, was integer, taken as value > 2 before"],
    },
  });
  await bring(after, file);
  assert.deepEqual(recordsIn(after, file)["Note"], [
    { id: "a", size: "large" },
    { id: "b", size: "small" },
  ]);
});

test("a plan of a file that is in use changes nothing, and tables are not made anew under whoever uses it", async (t) => {
  const file = newFile(t);
  const [first, second] = [
    planOfParts({ resources: note("n: string", "s: string") }),
    planOfParts({ resources: note("n: string", "s: string", "o?: string") }),
  ];
  await fill(first, file, two);
  const store = await openBy(first, file);
  const content = contentOf(file);
  const writing = store.transaction(async (tx) =>
    tx.insert("Note", { id: "c", n: "3", s: "z" }, 9, { resource: "Note", members: [] }, {}),
  );
  const { steps } = await planned(second, file);
  assert.deepEqual(
    steps.map(({ description }) => description),
    ["Note.o is new"],
  );
  await writing;
  await assert.rejects(bring(second, file), { name: "StoreError", kind: "busy" });
  await store.transaction(async (tx) => tx.delete("Note", (await tx.get("Note", "id", "c")) as Row));
  assert.deepEqual(contentOf(file), content);
  await store.close();
  await bring(second, file);
  assert.equal(recordsIn(second, file)["Note"]?.length, 2);
});

test("moments are worked out anew from when the state was entered", async (t) => {
  const file = newFile(t);
  const states = (after: string): string => `Note:\n  states: [open, shut]\n  moves: { open -> shut: after ${after} }`;
  const parts = (after: string): Parts => ({ resources: note("n: string"), states: states(after) });
  const untimed = {
    resources: note("n: string"),
    states: "Note:\n  states: [open, shut]\n  moves: { open -> shut: by close }",
  };
  const due = (): unknown => {
    const database = new DatabaseSync(file, { readOnly: true });
    const row = database.prepare("SELECT _entered, _due FROM notes").get() ?? {};
    database.close();
    return { ...row };
  };
  await fill(planOfParts(untimed), file, { Note: [{ id: "a", n: "1", state: "open" }] });
  await bring(planOfParts(parts("48h")), file);
  assert.deepEqual(
    due(),
    { _entered: 7, _due: 7 + 48 * 3_600_000 },
    "of a record without a time, when it last changed",
  );
  await bring(planOfParts(parts("24h")), file);
  assert.deepEqual(due(), { _entered: 7, _due: 7 + 24 * 3_600_000 });
  assert.deepEqual(copiesOf(file), []);
});

test("what counts goes on counting under its new name, and what begins to, above what there is", async (t) => {
  const file = newFile(t);
  const before = planOfParts({ resources: note("n: integer = counter", "m?: integer") });
  await fill(before, file, {
    Note: [
      { id: "a", m: 40 },
      { id: "b", m: 41 },
    ],
  });
  const after = planOfParts({
    resources: note("number: integer = counter", "m: integer = counter"),
    versions: v("rename Note.n -> number"),
  });
  await fill(after, file, { Note: [{ id: "c" }] });
  assert.deepEqual(recordsIn(after, file)["Note"]?.at(-1), { id: "c", number: 3, m: 42 });
});

test("a file of the first edition is brought along", async (t) => {
  const file = newFile(t);
  const plan = planOfParts({ resources: note("n: string", "s: string") });
  await fill(plan, file, two);
  const database = new DatabaseSync(file);
  database.exec(`
    ALTER TABLE nonet_schema DROP COLUMN step;
    UPDATE nonet_schema SET edition = 1;
    DROP TABLE nonet_journal;
    DROP TABLE nonet_bookmarks;
    DROP TABLE nonet_counts;
    DROP TABLE nonet_pins;
  `);
  database.close();
  const store = await openBy(plan, file);
  assert.equal(await store.journal.last(), 0);
  await store.close();
  assert.equal(recordsIn(plan, file)["Note"]?.length, 2);
  const later = planOfParts({ resources: note("n: string", "t: string"), versions: v("rename Note.s -> t") });
  await bring(later, file);
  assert.equal(recordsIn(later, file)["Note"]?.[1]?.["t"], "y");
});

test("what events that have happened carry follows too", async (t) => {
  const file = newFile(t);
  const first = planOfParts({ resources: "Note:\n  id: id\n  a: integer\n  at: Spot\ntypes:\n  Spot: { x: integer }" });
  const next = planOfParts({
    resources: "Note:\n  id: id\n  b: string\n  c: integer\n  at: Spot\ntypes:\n  Spot: { y: integer }",
    versions: {
      "2026-03-01": ["retype Note.b, was integer, taken as value > 0 ? 'some' : 'none' before"],
      "2026-02-01": ["rename Note.a -> b", "add Note.c, taken as 7 before", "rename Spot.x -> y"],
    },
  });
  const data = { id: "n1", a: 1, at: { x: 2 }, _rev: 5 };
  const made = { at: now, resource: "Note", record: "n1", by: "ann", cause: "addNote", event: "note.added", data };
  const old = await openBy(first, file);
  await old.transaction(async (tx) => tx.record(made));
  await old.close();
  const store = await openBy(next, file);
  const [entry] = await store.journal.events(0, 1);
  await store.close();
  assert.deepEqual(entry?.data, { _rev: 5, id: "n1", b: "some", c: 7, at: { y: 2 } });
});
