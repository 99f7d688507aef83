/** Tests the exchanges with a real server. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type PostgresServer, startPostgres } from "../../../test/postgres/server.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import { type Bindable, type Connections, openConnections, usualOptions } from "./connection.ts";

let server: PostgresServer;
let connections: Connections;
let exchanges: (readonly string[])[] = [];

before(async () => {
  server = await startPostgres();
  const exchanged = (statements: readonly string[]): void => void exchanges.push(statements);
  connections = openConnections(parseDatabaseUrl(`${server.address}?connections=3`), { ...usualOptions, exchanged });
  await connections.rows("CREATE TABLE pairs (id integer PRIMARY KEY, twin integer)");
});

after(async () => {
  await connections.close();
  await server[Symbol.asyncDispose]();
});

test("values arrive as they were sent", async () => {
  const long = 'ü€\u{1f600}"\\\n'.repeat(40_000);
  const rows: readonly (readonly [type: string, sent: Bindable, given: unknown])[] = [
    ["text", "Größe \u{1f600} \"'\\ $1", "Größe \u{1f600} \"'\\ $1"],
    ["text", "", ""],
    ["text", "one\0two", "one\ufffdtwo"],
    ["text", long, long],
    ["text", null, null],
    ["bigint", Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ["bigint", -7n, -7],
    ["double precision", 5e-324, 5e-324],
    ["double precision", 1.7976931348623157e308, 1.7976931348623157e308],
    ["boolean", true, true],
    ["boolean", false, false],
    ["timestamptz", "2026-11-22T10:00:00.120Z", "2026-11-22T10:00:00.120Z"],
    ["json", '{"a": [1, "ü"]}', '{"a": [1, "ü"]}'],
    ["bytea", new Uint8Array([0, 1, 92, 255]), Buffer.from([0, 1, 92, 255])],
    ["bytea", new Uint8Array(100_000).fill(7), Buffer.alloc(100_000, 7)],
    ["bytea", new Uint8Array(), Buffer.alloc(0)],
  ];
  for (const [type, sent, given] of rows) {
    assert.deepEqual(await connections.rows(`SELECT $1::${type}, 1`, [sent]), [[given, 1]], type);
  }
  const hard = ['a"b', "c\\d", "{}", "", "NULL", "e,f", " ", null];
  const many = await connections.rows("SELECT * FROM unnest($1::text[], $2::bigint[])", [hard, [1, null, -3]]);
  assert.deepEqual(
    many,
    hard.map((text, index) => [text, [1, null, -3][index] ?? null]),
  );
});

test("what fails is told with its code, and the connection can be used on", async () => {
  await assert.rejects(connections.rows("SELECT 1 / $1::integer", [0]), { code: "22012" });
  await assert.rejects(connections.rows("SELECT nothing"), { code: "42703" });
  assert.deepEqual(await connections.rows("SELECT 1 / $1::integer", [1]), [[1]]);
});

test("of a transaction only what is waited for is a round trip, and its end", async () => {
  exchanges = [];
  await connections.transaction(async (work) => {
    work.send("INSERT INTO pairs VALUES (1, 2)");
    await work.rows("SELECT 1");
    work.send("INSERT INTO pairs VALUES (2, 1)");
    work.send("INSERT INTO pairs VALUES (3, NULL)");
  });
  assert.deepEqual(
    exchanges.map((statements) => statements.map((statement) => statement.split(" ")[0])),
    [
      ["BEGIN", "INSERT", "SELECT"],
      ["INSERT", "INSERT", "COMMIT"],
    ],
  );
});

test("a statement that was passed over when it was first sent is known later", async () => {
  const failing = connections.transaction(async (work) => {
    work.send("SELECT 1 / $1::integer", [0]);
    work.send("SELECT 'first sent after a failure'");
    await work.rows("SELECT 'waited for after a failure'");
  });
  await assert.rejects(failing);
  for (let turn = 0; turn < 4; turn += 1) {
    const found = await connections.transaction((work) => work.rows("SELECT 'waited for after a failure'"));
    assert.deepEqual(found, [["waited for after a failure"]]);
  }
});

test("questions of one turn go out together, and one that fails costs the others nothing", async () => {
  await connections.execute("SELECT 1");
  exchanges = [];
  const answers = await Promise.allSettled(
    Array.from({ length: 8 }, (_, index) => connections.execute("SELECT 12 / $1::integer", [index])),
  );
  assert.deepEqual(
    answers.map((one) => (one.status === "fulfilled" ? one.value[0]?.[0] : (one.reason as { code?: string }).code)),
    ["22012", 12, 6, 4, 3, 2, 2, 1],
  );
  // One for all of them, and one that repeats those after the failed one.
  assert.equal(exchanges.length, 2);
});

test("what is said before a question holds for it alone", async () => {
  const name = "SELECT set_config('nonet.name', $1, true)";
  const mine = "SELECT current_setting('nonet.name', true)";
  const named = ["ann", "bo", "cy"].map((value) => connections.execute(mine, [], { text: name, values: [value] }));
  const plain = connections.execute(mine);
  assert.deepEqual(await Promise.all(named), [[["ann"]], [["bo"]], [["cy"]]]);
  assert.ok([null, ""].includes((await plain)[0]?.[0] as string | null));
  assert.ok([null, ""].includes((await connections.rows(mine))[0]?.[0] as string | null));
  const wrong = connections.execute(mine, [], {
    text: "SELECT set_config('role', $1, true)",
    values: ["nobody there"],
  });
  await assert.rejects(wrong, { code: "22023" });
});

test("a question that is lost with its connection is asked once more", async () => {
  const [found] = await connections.execute<[number]>("SELECT pg_backend_pid()");
  const [again] = await Promise.all([
    connections.execute<[number]>("SELECT pg_backend_pid() FROM pg_sleep(0.3)"),
    connections.transaction((work) => work.rows("SELECT pg_terminate_backend($1)", [found?.[0] ?? 0])),
  ]);
  assert.notEqual(again[0]?.[0], found?.[0]);
});

test("of as many statements as callers think up, the server keeps about a thousand on a connection", async () => {
  type Prepared = [name: string, statement: string];
  const kept = () => connections.execute<Prepared>("SELECT name, statement FROM pg_prepared_statements");
  const nameOf = (all: readonly Prepared[], text: string) => all.find(([, statement]) => statement === text)?.[0];
  const usual = "SELECT 'asked for all the time'";
  await connections.execute(usual);
  const before = nameOf(await kept(), usual);
  assert.ok(before !== undefined);
  for (let turn = 0; turn < 3000; turn += 10) {
    // One of ten fails, and the server skips those sent with it.
    const numbers = Array.from({ length: 10 }, (_, index) => turn + index);
    const asked = numbers.map((number) => connections.execute(`SELECT ${number} / $1::integer`, [number % 10]));
    const answers = await Promise.allSettled([...asked, connections.execute(usual)]);
    assert.deepEqual(answers.filter(({ status }) => status === "rejected").length, 1);
  }
  const all = await kept();
  assert.ok(all.length <= 1020, `${all.length}`);
  assert.ok(all.length >= 900, `${all.length}`);
  assert.equal(nameOf(all, usual), before);
  // Closed statements are prepared again when needed, also in the same round trip.
  const again = await Promise.all(
    [1, 2, 1, 3].map((number) => connections.execute(`SELECT ${number} / $1::integer`, [1])),
  );
  assert.deepEqual(again, [[[1]], [[2]], [[1]], [[3]]]);
  const written = await connections.transaction(async (work) => {
    for (let turn = 0; turn < 1500; turn += 1) work.send(`SELECT ${turn} AS written`);
    await work.rows("SELECT 1");
    for (let turn = 0; turn < 1500; turn += 1) await work.rows(`SELECT ${turn} AS waited_for`);
    return work.rows<[number]>("SELECT count(*) FROM pg_prepared_statements");
  });
  assert.ok((written[0]?.[0] ?? Infinity) <= 1020, `${written[0]?.[0]}`);
});
