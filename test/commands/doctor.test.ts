/** `nonet doctor`: its findings about each possible error, the remedies it names, and that it changes nothing. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { addressOf, finishedHere, nonet, root, temporaryFolder } from "./process.ts";
import { shelf } from "./shelf.ts";

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly found: string;
  readonly fix?: string;
}

test("each thing that can be wrong is found, with what to do", async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "shelf.md"), shelf());
  writeFileSync(join(folder, "broken.md"), shelf().replace("POST /books", "BOIL /books"));
  writeFileSync(join(folder, "none.db"), "this is no database, and never was one".repeat(40));
  writeFileSync(join(folder, "functions.ts"), "export default { nobody() {} };\n");
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  t.after(() => probe.close());
  const taken = String((probe.address() as AddressInfo).port);
  const locker = join(root, "examples", "parcel-lockers.md");
  type Row = readonly [
    args: readonly string[],
    environment: Record<string, string>,
    check: string,
    status: string,
    found: RegExp,
  ];
  const rows: readonly Row[] = [
    [["shelf.md"], {}, "document", "pass", /can be served/],
    [["broken.md"], {}, "document", "fail", /error/],
    [["shelf.md"], {}, "node", "pass", /version 2\d/],
    [["shelf.md", "--port", taken], {}, "port", "warn", /EADDRINUSE/],
    [["shelf.md", "--host", "192.0.2.1"], {}, "port", "fail", /EADDRNOTAVAIL/],
    [["shelf.md", "--host", "0.0.0.0"], {}, "trust-proxy", "warn", /no proxy is trusted/],
    [["shelf.md", "--trust-proxy", "0.0.0.0/0"], {}, "trust-proxy", "fail", /every proxy is trusted/],
    [["shelf.md", "--base-url", "http://api.example.com"], {}, "base-url", "warn", /not https/],
    [
      ["shelf.md", "--host", "0.0.0.0", "--webhooks-to-loopback"],
      {},
      "webhooks-to-loopback",
      "fail",
      /only on this machine/,
    ],
    [["shelf.md", "--test-clock"], {}, "test-clock", "warn", /can move the time/],
    [["shelf.md", "--admin-port", "0", "--admin-host", "0.0.0.0"], {}, "operator-token", "warn", /without a token/],
    [["shelf.md", "--data", "none.db"], {}, "data", "fail", /not a database/],
    [["shelf.md", "--data", "memory"], {}, "data", "warn", /lost when the service stops/],
    [["shelf.md", "--data", "postgres://a:hunter22@127.0.0.1:1/x"], {}, "data", "fail", /ECONNREFUSED/],
    [["shelf.md", "--data", "mysql://a@b/c"], {}, "data", "fail", /--data is a file/],
    [["shelf.md", "--data", "nowhere/a.db"], {}, "data", "pass", /nothing in nowhere/],
    [["shelf.md", "--handlers", "functions.ts"], {}, "functions", "fail", /nobody/],
    [[locker], {}, "secret DOOR_SECRET", "fail", /not set/],
    [[locker], { DOOR_SECRET: "short" }, "secret DOOR_SECRET", "warn", /5 characters/],
    [[locker], { DOOR_SECRET_FILE: "nowhere" }, "secret DOOR_SECRET", "fail", /nowhere/],
    [[locker], { DOOR_SECRET_FILE: "shelf.md" }, "secret DOOR_SECRET", "pass", /in shelf\.md/],
  ];
  for (const [args, environment, check, status, found] of rows) {
    const { code, output } = await finishedHere(["doctor", ...args, "--port", "0", ...args.slice(1), "--format", "json"], { folder, environment }); // biome-ignore format: short
    const { failed, findings } = JSON.parse(output) as { failed: number; findings: readonly Finding[] };
    const what = `${args.join(" ")}: ${output}`;
    const own = findings.filter((one) => one.check === check);
    const [finding] = own.filter((one) => one.status === status);
    assert(finding !== undefined, what);
    assert.match(finding.found, found, what);
    assert.equal(finding.fix === undefined, status === "pass", what);
    assert.equal(code, failed > 0 ? 1 : 0, what);
    assert.doesNotMatch(output, /hunter22/);
  }
  assert(!existsSync(join(folder, ".nonet")), "nothing was made");
});

test("a file that cannot be read is told apart from one that is damaged: only that is to be restored", async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "shelf.md"), shelf());
  writeFileSync(join(folder, "none.db"), "this is no database, and never was one".repeat(40));
  const made = nonet(t, ["serve", "shelf.md", "--port", "0", "--data", "held.db"], { folder });
  await addressOf(made);
  made.signal("SIGTERM");
  await made.ended;
  const pages = readFileSync(join(folder, "held.db"));
  writeFileSync(join(folder, "damaged.db"), Buffer.concat([pages.subarray(0, 100), Buffer.alloc(pages.length - 100)]));
  const holder = new DatabaseSync(join(folder, "held.db"));
  t.after(() => holder.close());
  holder.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
  for (const [data, found, fix] of [
    ["none.db", "none.db is not a database", "--data names another file"],
    ["held.db", "another process is writing to held.db", "try again when it has ended"],
    ["damaged.db", "damaged.db is damaged", "nonet restore, from the newest backup"],
  ] as const) {
    const { output } = await finishedHere(["doctor", "shelf.md", "--port", "0", "--data", data], { folder });
    assert.match(output, new RegExp(`^fail {2}data: ${found}\n {6}${fix}$`, "m"), data);
    assert.doesNotMatch(output, /migration/, data);
  }
});

test("beside a service that runs it is asked for nothing; a migration is told of before it is done", async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "shelf.md"), shelf({ fields: ["title: string(1..80)", "note?: string(1..9)"] }));
  const running = nonet(t, ["serve", "shelf.md", "--port", "0", "--data", "a.db"], { folder });
  const address = await addressOf(running);
  const reply = await fetch(`${address}/books`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: '{"title":"Emma","note":"lost"}',
  });
  assert.equal(reply.status, 201);
  const ask = async (...more: string[]): Promise<readonly [code: number | string, output: string]> => {
    const { code, output } = await finishedHere(["doctor", "shelf.md", "--port", "0", "--data", "a.db", ...more], { folder }); // biome-ignore format: short
    return [code, output];
  };
  const [code, output] = await ask("--strict");
  assert.equal(code, 0, output);
  assert.match(output, /^pass {2}journal mode: wal$/m);
  assert.match(output, /^pass {2}migration: the data fits the document$/m);
  assert.match(output, /^0 failures, 0 warnings$/m);
  running.signal("SIGTERM");
  await running.ended;
  writeFileSync(join(folder, "shelf.md"), shelf({ fields: ["title: string(1..80)", "year?: integer"] }));
  const [wrong, told] = await ask();
  assert.equal(wrong, 1);
  assert.match(
    told,
    /^fail {2}migration: 1 step would lose data or is impossible\n {6}nonet migrate --plan shows them$/m,
  );
  if (process.getuid?.() === 0) return;
  chmodSync(join(folder, "a.db"), 0o400);
  assert.match((await ask())[1], /^fail {2}data is writable: EACCES/m);
});
