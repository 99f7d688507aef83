/**
 * Well-known databases, imported and served in place. `NONET_DATABASES` is a folder with files of these names; the test needs no
 * more of them than a table with a counted or a text key, so other databases can be added.
 *
 * `chinook.db`, `chinook.sql` (https://github.com/lerocha/chinook-database), `northwind.sqlite.sql`
 * (https://github.com/jpwhite3/northwind-SQLite3, src/create.sql), `northwind.sql` (https://github.com/pthom/northwind_psql),
 * `pagila.sql` (https://github.com/devrimgunduz/pagila, pagila-schema.sql).
 */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import pg from "pg";
import { finishedHere, temporaryFolder } from "../commands/process.ts";
import { startPostgres } from "../postgres/server.ts";
import { run } from "../serve/running.ts";

const source = process.env["NONET_DATABASES"];

interface Case {
  readonly file: string;
  readonly edit?: (document: string) => string;
  /** What stands in the way; absent if the database is served. */
  readonly obstacles?: readonly RegExp[];
  readonly read?: string;
  readonly create?: readonly [path: string, body: object];
  readonly change?: readonly [path: string, body: object];
}

const withoutPictures = (document: string): string =>
  document.replaceAll(/^ {2}(?:Picture|Photo)\?: bytes\n|, (?:Picture|Photo)\?: bytes/gm, "");

const cases: readonly Case[] = [
  { file: "chinook.db", read: "/tracks/1", create: ["/artists", { Name: "X" }], change: ["/tracks/1", { UnitPrice: 1.25 }] },
  { file: "chinook.sql", read: "/tracks/1", create: ["/artists", { id: 9000, name: "X" }], change: ["/tracks/1", { unit_price: 1.25 }] },
  { file: "northwind.sqlite.sql", obstacles: [/Employees\.Photo is of the type BLOB/, /Categories\.Picture is of the type BLOB/] },
  { file: "northwind.sqlite.sql", edit: withoutPictures, read: "/orders/10248", create: ["/customers", { id: "ZZZZZ", CompanyName: "Z" }], change: ["/products/1", { UnitPrice: 12.5 }] },
  { file: "northwind.sql", read: "/orders/10248", create: ["/customers", { id: "ZZZZZ", company_name: "Z" }], change: ["/products/1", { unit_price: 12.5 }] },
  { file: "pagila.sql", obstacles: [/the trigger last_updated of actor/, /film\.special_features is text\[\]/, /payment is a partitioned table/] },
]; // biome-ignore format: a table

/** Returns the data, and the options with which it is served. */
async function open(t: TestContext, file: string, folder: string) {
  const path = join(source ?? "", file);
  if (/\.db$|\.sqlite\./.test(file)) {
    const data = join(folder, "real.db");
    if (file.endsWith(".db")) copyFileSync(path, data);
    else {
      using database = new DatabaseSync(data);
      database.exec("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY");
      database.exec(readFileSync(path, "utf8"));
    }
    return { data, place: { store: "sqlite-only", file: data } } as const;
  }
  const server = await startPostgres();
  t.after(() => server[Symbol.asyncDispose]());
  const client = new pg.Client({ connectionString: server.address });
  await client.connect();
  await client.query("CREATE SCHEMA real; SET search_path = real");
  await client.query(withoutDatabase(readFileSync(path, "utf8")));
  await client.end();
  const data = `${server.address}?schema=real&connections=4`;
  return { data, place: { store: "postgres", address: data } } as const;
}

/** Leaves out what a dump says about its own database, and the extension that not every server has. */
function withoutDatabase(sql: string): string {
  const own =
    /^\\|^(?:DROP|CREATE) DATABASE|set_config|^SET (?:transaction_timeout|search_path)|EXTENSION|^(?:CREATE|ALTER) SCHEMA|ON SCHEMA|USING hnsw/;
  const lines = sql.split("\n").filter((line) => !own.test(line));
  return lines
    .join("\n")
    .replaceAll("public.", "")
    .replaceAll(/\bvector\(\d+\)/g, "text");
}

for (const { change, create, edit = (document: string) => document, file, obstacles, read } of cases) {
  const skip =
    source !== undefined && existsSync(join(source, file)) ? false : `set NONET_DATABASES to a folder with ${file}`;
  test(`${file}: ${obstacles === undefined ? "served in place" : "named"}`, { skip }, async (t) => {
    const folder = temporaryFolder(t);
    const { data, place } = await open(t, file, folder);
    const command = (...args: readonly string[]) => finishedHere(args, { folder });
    assert.equal((await command("import", data, "--out", "real.md")).code, 0);
    const document = edit(readFileSync(join(folder, "real.md"), "utf8"));
    writeFileSync(join(folder, "real.md"), document);
    assert.equal((await command("check", "real.md")).code, 0);
    const { code, output } = await command("migrate", "real.md", "--data", data, "--plan");
    for (const obstacle of obstacles ?? []) assert.match(output, obstacle);
    assert.equal(code, obstacles === undefined ? 0 : 1, output);
    if (obstacles !== undefined || read === undefined || create === undefined || change === undefined) return;
    await using running = await run(document, place);
    const headers = {
      authorization: `Bearer ${await running.key("me", "operator")}`,
      "content-type": "application/json",
    };
    const call = async (method: string, path: string, body?: object): Promise<Response> =>
      fetch(running.url + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    assert.equal((await call("GET", read)).status, 200);
    const created = await call("POST", ...create);
    assert.equal(created.status, 201);
    const made = (await created.json()) as { id: string };
    assert.deepEqual(await (await call("GET", `${create[0]}/${made.id}`)).json(), made);
    const changed = await call("PATCH", ...change);
    assert.equal(changed.status, 200);
    const now = (await changed.json()) as object;
    assert.deepEqual({ ...now, ...change[1] }, now);
    assert.deepEqual(await (await call("GET", change[0])).json(), now);
    assert.deepEqual(running.failures, []);
  });
}
