/** Tests the migration of a file's data to a changed document, and unsuitable files. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import type { Column, Table } from "../../plan/resources/types.ts";
import { createValidators } from "../../runtime/validation/validator.ts";
import { tables, sampleRow, fullView } from "../../../test/store/contract-tables.ts";
import type { Row, Store, View } from "../port/store.ts";
import type { Following } from "../migration/migration.ts";
import { dueQuery } from "./due.ts";
import { openSqliteStore } from "./open.ts";

const folder = mkdtempSync(join(tmpdir(), "nonet-migrate-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function newFile(): string {
  files += 1;
  return join(folder, `${files}.db`);
}

const clock = (): number => Date.parse("2026-06-01T12:00:00.000Z");

const judges = createValidators();
const following: Following = {
  history: [],
  validate: (schema) => {
    const validate = judges(schema);
    return (value) => validate(value).length === 0;
  },
};

function open(file: string, wanted: readonly Table[]): Promise<Store> {
  return openSqliteStore({ file, tables: wanted, following, clock, waitMilliseconds: 100 });
}

function copiesOf(file: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.startsWith(`${basename(file)}.backup`));
}

function column(name: string, more: Partial<Column> = {}): Column {
  return { name, type: "text", nullable: false, absent: "left out", marks: [], schema: {}, ...more };
}

function table(columns: readonly Column[], more: Partial<Table> = {}): Table {
  const none = { virtual: [], uniques: [], conflicts: [], indexes: [], rules: [] };
  return {
    resource: "Note",
    name: "notes",
    id: { made: "client" },
    columns: [column("id"), ...columns],
    ...none,
    ...more,
  };
}

function viewOf({ columns, resource }: Table): View {
  return {
    resource,
    members: columns.map(({ absent, name, type }) => ({
      name,
      type,
      absent,
      source: { kind: "column", column: name },
    })),
  };
}

async function fill(
  file: string,
  wanted: readonly Table[],
  rows: readonly (readonly [resource: string, row: Row])[],
): Promise<void> {
  const store = await open(file, wanted);
  for (const [resource, row] of rows) {
    const view = viewOf(wanted.find((one) => one.resource === resource) as Table);
    await store.transaction(async (tx) => assert.equal((await tx.insert(resource, row, 7, view, {})).kind, "written"));
  }
  await store.close();
}

async function texts(file: string, wanted: readonly Table[], resource: string): Promise<readonly string[]> {
  const store = await open(file, wanted);
  const view = viewOf(wanted.find((one) => one.resource === resource) as Table);
  const list = store.list({ resource, view, sort: [{ column: "id", descending: false }], filters: [], from: "start" });
  const { text } = await list({ limit: 100, filters: [] }, {});
  await store.close();
  return (JSON.parse(`[${text}]`) as unknown[]).map((one) => JSON.stringify(one));
}

const before = table(
  [
    column("name"),
    column("size", { values: ["s", "l"] }),
    column("note", { nullable: true }),
    column("n", { type: "integer", nullable: true }),
  ],
  { uniques: [["name"]], indexes: [["size"]] },
);
const rows: readonly (readonly [string, Row])[] = [
  ["Note", { id: "a", name: "one", size: "s", note: "x", n: 1 }],
  ["Note", { id: "b", name: "two", size: "l", n: 1 }],
];

const without = (name: string): readonly Column[] =>
  before.columns.filter((one) => one.name !== name && one.name !== "id");
const changing = (name: string, more: Partial<Column>): readonly Column[] =>
  before.columns.filter((one) => one.name !== "id").map((one) => (one.name === name ? { ...one, ...more } : one));
const grown = { uniques: [["name"]], indexes: [["size"]] };

test("what fits is done, and the records stay", async () => {
  const a = '"id":"a","name":"one","size":"s"';
  const b = '"id":"b","name":"two","size":"l"';
  const cases: readonly [what: string, after: readonly Table[], texts: readonly string[]][] = [
    ["nothing", [before], [`{${a},"note":"x","n":1}`, `{${b},"n":1}`]],
    [
      "a nullable column",
      [table([...without("id"), column("extra", { nullable: true, absent: "null" })], grown)],
      [`{${a},"note":"x","n":1,"extra":null}`, `{${b},"n":1,"extra":null}`],
    ],
    [
      "columns with defaults",
      [
        table(
          [
            ...without("id"),
            column("kind", { default: { kind: "literal", text: "o'clock", value: "o'clock" } }),
            column("on", { type: "boolean", default: { kind: "literal", text: "true", value: true } }),
            column("made", { type: "timestamp", default: { kind: "now" } }),
          ],
          grown,
        ),
      ],
      [
        `{${a},"note":"x","n":1,"kind":"o'clock","on":true,"made":"2026-06-01T12:00:00.000Z"}`,
        `{${b},"n":1,"kind":"o'clock","on":true,"made":"2026-06-01T12:00:00.000Z"}`,
      ],
    ],
    [
      "a wider list, a looser column, other indexes, another order",
      [
        table(
          [
            ...changing("size", { values: ["s", "m", "l"] }).map((one) =>
              one.name === "name" ? { ...one, nullable: true } : one,
            ),
          ].toReversed(),
          { uniques: [["name", "size"]], indexes: [["n"], ["note", "n"]] },
        ),
      ],
      ['{"id":"a","n":1,"note":"x","size":"s","name":"one"}', '{"id":"b","n":1,"size":"l","name":"two"}'],
    ],
    [
      "another name for the table, and a new one beside it",
      [
        { ...before, name: "papers" },
        { ...table([column("x")]), resource: "Other", name: "notes" },
      ],
      [`{${a},"note":"x","n":1}`, `{${b},"n":1}`],
    ],
    [
      "what becomes stricter where the records allow it",
      [table(changing("n", { nullable: false }), { ...grown, uniques: [["name"], ["size"]] })],
      [`{${a},"note":"x","n":1}`, `{${b},"n":1}`],
    ],
  ];
  for (const [what, wanted, expected] of cases) {
    const file = newFile();
    await fill(file, [before], rows);
    assert.deepEqual(await texts(file, wanted, "Note"), expected, what);
    assert.deepEqual(await texts(file, wanted, "Note"), expected, `${what}, opened again`);
    const store = await open(file, wanted);
    const read = store.read({ resource: "Note", key: "id", view: viewOf(wanted[0] as Table) });
    assert.equal((await read("a", {}))?.revision, 7, `${what}: same revision`);
    await store.close();
  }
});

test("what would lose data or does not fit is refused, each difference with its records, and nothing is changed", async () => {
  const required = "leave it optional (`?`), give it a default, or say in part 9 what it is: require";
  const cases: readonly [what: string, after: readonly Table[], differences: readonly string[]][] = [
    ["a dropped table", [], ["Note is gone from the document, and 2 records would be lost: a, b"]],
    [
      "a dropped column",
      [table(without("note"), grown)],
      ["Note.note is gone from the document, and 1 record would lose it: a"],
    ],
    [
      "a dropped column, and a new one",
      [table([...without("note"), column("remark", { nullable: true })], grown)],
      [
        "Note.note is gone from the document, and 1 record would lose it: a; if it was renamed, say so in part 9: rename Note.note -> remark",
      ],
    ],
    [
      "another type",
      [table(changing("name", { type: "integer" }), grown)],
      [
        "Note.name changes from text to integer, and 2 records have a value that does not fit: a, b; say in part 9 what becomes of it: retype Note.name, was …, taken as … before",
      ],
    ],
    [
      "a new required column",
      [table([...without("id"), column("extra")], grown)],
      [
        "Note.extra is new and required, and 2 records have none: a, b; make it optional (`?`), give it a default, or say in part 9 what it is: add Note.extra, taken as … before",
      ],
    ],
    [
      "a required column",
      [table(changing("note", { nullable: false }), grown)],
      [`Note.note is now required, and 1 record has none: b; ${required} Note.note, taken as … before`],
    ],
    [
      "a narrower list",
      [table(changing("size", { values: ["s", "m"] }), grown)],
      ["Note.size is now s | m, and 1 record has another value: b"],
    ],
    [
      "a narrower range",
      [table(changing("n", { schema: { type: "integer", minimum: 2 } }), grown)],
      ["Note.n takes less than before, and 2 records have another value: a, b"],
    ],
    [
      "more that is unique",
      [table(without("id"), { ...grown, uniques: [["name"], ["n"]] })],
      ["Note is now unique by n, and 2 records share theirs with another: a, b"],
    ],
    [
      "a reference",
      [table(changing("name", { references: { resource: "Note", onDelete: "refuse" } }), grown)],
      ["Note.name now refers to Note, and 2 records to nothing there: a, b"],
    ],
    [
      "several at once",
      [
        table(
          without("note").filter(({ name }) => name !== "n"),
          grown,
        ),
      ],
      [
        "Note.note is gone from the document, and 1 record would lose it: a",
        "Note.n is gone from the document, and 2 records would lose it: a, b",
      ],
    ],
  ];
  for (const [what, wanted, differences] of cases) {
    const file = newFile();
    await fill(file, [before], rows);
    await assert.rejects(open(file, wanted), { name: "StoreError", kind: "incompatible", differences }, what);
    assert.equal((await texts(file, [before], "Note")).length, 2, `${what}: as before`);
    assert.deepEqual(copiesOf(file), [], `${what}: nothing was to be backed up`);
  }
});

test("without records nothing can stand in the way", async () => {
  const file = newFile();
  await fill(file, [before], []);
  await fill(file, [table(changing("n", { type: "text", nullable: false }), grown)], []);
  await fill(file, [], []);
  await fill(file, [before], rows);
});

test("tables that refer to each other change under their references", async () => {
  const file = newFile();
  await fill(file, tables, [
    ["Site", { id: "s1", name: "x" }],
    ["Locker", { id: "l1", site: "s1", door: 1, state: "free" }],
    ["Thing", sampleRow("a", { site: "s1" })],
    ["Thing", sampleRow("b", { parent: "a" })],
  ]);
  const wider = tables.map((one) =>
    one.resource === "Order" ? one : { ...one, columns: [...one.columns, column("extra", { nullable: true })] },
  );
  const store = await open(file, wider);
  await store.transaction(async (tx) => {
    const site = (await tx.get("Site", "id", "s1")) as Row;
    assert.deepEqual(await tx.delete("Site", site), { kind: "referenced", resource: "Locker", field: "site" });
    await assert.rejects(async () =>
      tx.insert("Thing", sampleRow("c", { parent: "nobody" }), 1, fullView("Thing"), {}),
    );
  });
  await store.close();
});

test("the file can be read with sqlite3: plain columns under the document's names", async () => {
  const file = newFile();
  await fill(file, tables, [["Thing", sampleRow("a", { count: 3, flag: true, tags: ["x"], ratio: 1 / 3 })]]);
  const database = new DatabaseSync(file);
  const row = database.prepare("SELECT id, owner, size, count, ratio, flag, tags, secret FROM things").get();
  assert.deepEqual(
    { ...row },
    { id: "a", owner: "ann", size: "small", count: 3, ratio: 1 / 3, flag: 1, tags: '["x"]', secret: null },
  );
  // The cached JSON follows a manual change, so that responses do too.
  database.exec("UPDATE things SET name = 'by hand' WHERE id = 'a'");
  assert.throws(() => database.exec("UPDATE things SET size = 'huge' WHERE id = 'a'"), /CHECK/);
  assert.throws(() => database.exec("UPDATE things SET tags = '[' WHERE id = 'a'"), /CHECK/);
  database.close();
  assert.match((await texts(file, tables, "Thing")).join(""), /"name":"by hand"/);
});

test("lists use the indexes that the document asks for", async () => {
  const file = newFile();
  await fill(file, tables, []);
  const database = new DatabaseSync(file);
  const plans: readonly [sql: string, expected: RegExp][] = [
    [
      "SELECT * FROM things AS t WHERE t.owner = ? ORDER BY t._seq DESC LIMIT 5",
      /SEARCH t USING INDEX things by owner/,
    ],
    [
      "SELECT * FROM things AS t WHERE t.at = ? AND t._seq < ? ORDER BY t.at DESC, t._seq DESC LIMIT 5",
      /SEARCH t USING INDEX things by at \(at=\? AND rowid</,
    ],
    [
      "SELECT * FROM things AS t WHERE t.at < ? ORDER BY t.at DESC, t._seq DESC LIMIT 5",
      /SEARCH t USING INDEX things by at \(at</,
    ],
  ];
  for (const [sql, expected] of plans) {
    const plan = database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((step) => step["detail"] as string)
      .join("; ");
    assert.match(plan, expected);
    assert.doesNotMatch(plan, /TEMP B-TREE/);
  }
  database.close();
});

test("R3.5 what is due is found in the index of what time does, whatever else there is", async () => {
  const file = newFile();
  const timed = { since: { kind: "entered" }, after: { milliseconds: 1, months: 0 }, cause: "keep 1ms", action: { kind: "delete" } } as const; // biome-ignore format: short
  await fill(file, [table([], { timed: [timed] })], []);
  const database = new DatabaseSync(file);
  const [step, ...more] = database.prepare(`EXPLAIN QUERY PLAN ${dueQuery('"notes"')}`).all(1, 1);
  assert.match(String(step?.["detail"]), /^SEARCH notes USING INDEX notes by _due/);
  assert.deepEqual(more, [], "and nothing is sorted");
  database.close();
});

test("a file that cannot be used is said to be so", async () => {
  const notes = newFile();
  writeFileSync(notes, "# Notes\n".repeat(1000));
  const foreign = newFile();
  new DatabaseSync(foreign).exec("CREATE TABLE customers (id)");
  const newer = newFile();
  await fill(newer, [before], []);
  new DatabaseSync(newer).exec("UPDATE nonet_schema SET edition = 99");
  const damaged = newFile();
  await fill(damaged, [before], rows);
  writeFileSync(damaged, readFileSync(damaged).fill(0xff, 100, 8000));
  const inside = join(folder, "a folder");
  mkdirSync(inside);
  const cases: readonly [file: string, kind: string, message: RegExp][] = [
    [join(folder, "no", "such.db"), "missing-folder", /there is no folder .*no/],
    [inside, "not-accessible", /is not a file/],
    [notes, "not-ours", /is not a database/],
    [foreign, "not-ours", /something else made: it holds customers/],
    [newer, "too-new", /newer release/],
    [damaged, "corrupt", /is damaged/],
  ];
  for (const [file, kind, message] of cases) {
    await assert.rejects(open(file, [before]), { name: "StoreError", kind, message });
  }
  assert.deepEqual(readFileSync(notes, "utf8"), "# Notes\n".repeat(1000), "and left as it was");
});

test("a file that may not be written is said to be so", async () => {
  const file = newFile();
  await fill(file, [before], rows);
  chmodSync(folder, 0o555);
  chmodSync(file, 0o444);
  // Root may write any file, so the test runs as `nobody`.
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    await assert.rejects(open(file, [before]), { name: "StoreError", kind: "not-accessible" });
    await assert.rejects(open(newFile(), [before]), { name: "StoreError", kind: "not-accessible" });
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(folder, 0o755);
  }
});

test("another process's lock is waited for, without holding up reads, and then said to be there", async () => {
  const file = newFile();
  await fill(file, [before], rows);
  const store = await open(file, [before]);
  const read = store.read({ resource: "Note", key: "id", view: viewOf(before) });
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  const change = (note: string): Promise<unknown> =>
    store.transaction(async (tx) =>
      tx.update("Note", (await tx.get("Note", "id", "a")) as Row, { note }, viewOf(before), {}),
    );
  const waiting = change("late");
  assert.ok(await read("a", {}));
  setImmediate(() => other.exec("COMMIT"));
  await waiting;
  assert.match((await read("a", {}))?.text ?? "", /late/);
  other.exec("BEGIN IMMEDIATE");
  await assert.rejects(Promise.all([change("never"), change("neither")]), { name: "StoreError", kind: "busy" });
  other.exec("ROLLBACK");
  await change("again");
  other.close();
  await store.close();
});

test("keys that another process makes are noticed", async () => {
  const file = newFile();
  const store = await open(file, [before]);
  const other = await open(file, [before]);
  const key = { id: "k", credential: "key", hash: "h", hint: "x", user: "u", roles: [], created: 1 };
  await other.keys.create(key);
  assert.deepEqual(await store.keys.find("h"), key);
  await other.close();
  await store.close();
});

test("a journal that was made before its last column has it when it is opened again, with what was in it", async () => {
  const file = newFile();
  const entry = { at: 1, resource: "Thing", record: "a", by: "ann", cause: "addThing", event: "thing.added" };
  const before = await open(file, tables);
  await before.transaction(async (tx) => tx.record(entry));
  await before.close();
  const earlier = new DatabaseSync(file);
  earlier.exec("ALTER TABLE nonet_journal DROP COLUMN trace");
  earlier.close();
  const after = await open(file, tables);
  await after.transaction(async (tx) => tx.record({ ...entry, trace: "00-1" }));
  const entries = await after.journal.events(0, 9);
  assert.deepEqual(entries, [
    { ...entry, position: 1 },
    { ...entry, trace: "00-1", position: 2 },
  ]);
  await after.close();
});
