/** Every way to start a service on PostgreSQL reports whether the database itself enforces permissions. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createService } from "nonet";
import { postgresForFile } from "../postgres/for-file.ts";
import { addressOf, finished, nonet, temporaryFolder } from "./process.ts";
import { shelf } from "./shelf.ts";

const { server, admin } = await postgresForFile();
await admin.query("CREATE ROLE plain LOGIN; CREATE SCHEMA shelf AUTHORIZATION plain; CREATE SCHEMA program AUTHORIZATION plain"); // biome-ignore format: short

const told =
  /^permissions are in the statements alone: there is no role nonet_reads_postgres_\w+, and plain may not make one \(CREATE ROLE .*\)\n/m;

const as = (role: string, schema = "shelf"): string =>
  `${server.address.replace("postgres@", `${role}@`)}?schema=${schema}`;

test("a command says so at its start, and wherever `--watch` opens the data again", async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, "shelf.md");
  writeFileSync(file, shelf());
  const watching = nonet(t, ["serve", "shelf.md", "--port", "0", "--watch", "--data", as("plain")], { folder });
  await watching.says(told);
  const address = await addressOf(watching);
  writeFileSync(file, shelf({ fields: ["title: string(1..80)", "pages?: integer(1..9999)"] }));
  await watching.says(told);
  await watching.says(/has changed and is served as it is now/);
  const headers = { "Content-Type": "application/json" };
  const made = await fetch(`${address}/books`, { method: "POST", headers, body: '{"title":"Momo"}' });
  assert.equal(made.status, 201);
  // Does not fit the data, which is opened again with the document before.
  writeFileSync(file, shelf({ fields: ["name: string(1..80)", "pages?: integer(1..9999)"] }));
  await watching.says(/shelf\.md is still served as it was before\n/);
  await watching.says(told);
  watching.signal("SIGTERM");
  assert.equal(await watching.ended, 0);

  const migrating = await finished(t, ["migrate", "shelf.md", "--data", as("plain")], { folder });
  assert.equal(migrating.code, 1, "the document does not fit");
  writeFileSync(file, shelf({ fields: ["title: string(1..80)", "pages?: integer(1..9999)"] }));
  const logging = nonet(t, ["serve", "shelf.md", "--port", "0", "--log", "info", "--log-format", "json", "--data", as("postgres")], { folder }); // biome-ignore format: short
  await logging.says(/"role":"nonet_reads_postgres_shelf","msg":"row-level security"/);
  assert.doesNotMatch(logging.output, /alone/);
});

test("a program that embeds the service is told by `notice`", async () => {
  const notices: string[] = [];
  const document = shelf();
  const open = async (store: string): Promise<void> => {
    const service = await createService({ document, store, notice: (sentence) => notices.push(sentence) });
    await service.close();
  };
  await open(as("plain", "program"));
  assert.equal(notices.length, 1);
  assert.match(`${notices[0]}\n`, told);
  await open(`${as("plain", "program")}&row_security=off`);
  assert.equal(notices.length, 1);
});
