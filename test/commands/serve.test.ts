/** `nonet serve`: its output, its addresses, its stored data, and how it stops. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { type TestContext, test } from "node:test";
import { addressOf, finished, finishedHere, nonet, type Running, root, temporaryFolder } from "./process.ts";
import { shelf } from "./shelf.ts";

const printShop = join(root, "examples", "print-shop.md");
const weatherStations = join(root, "examples", "weather-stations.md");

function shelfIn(t: TestContext, ...options: readonly string[]): { folder: string; running: Running } {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "shelf.md"), shelf());
  return { folder, running: nonet(t, ["serve", "shelf.md", "--port", "0", ...options], { folder }) };
}

function addBook(address: string, title: string): Promise<Response> {
  const headers = { "Content-Type": "application/json" };
  return fetch(`${address}/books`, { method: "POST", headers, body: JSON.stringify({ title }) });
}

async function titles(address: string): Promise<readonly string[]> {
  const response = await fetch(`${address}/books`);
  return ((await response.json()) as { items: { title: string }[] }).items.map(({ title }) => title).sort();
}

test("says where, what, by whom, what was taken by default and what is open", async (t) => {
  const folder = temporaryFolder(t);
  const running = nonet(t, ["serve", printShop, "--port", "0", "--data", "memory"], { folder });
  const address = await addressOf(running);
  await running.says(/Still open:\n(?: {2}.*\n){3}/);
  const { output } = running;
  assert.ok(output.includes(`  data: memory; document: ${address}/; OpenAPI: ${address}/openapi.json\n`), output);
  assert.match(output, /^ {2}POST \/orders {2,}placeOrder {2,}customer$/m);
  assert.match(output, /^ {2}GET \/orders\/\{number\} {2,}getOrder {2,}printer \| packer \| customer if own$/m);
  assert.match(output, /^Defaults:\n {2}\w+\/\w+: /m);
  assert.match(output, /^Still open:\n {2}events: How are events delivered/m);
  running.signal("SIGTERM");
  assert.equal(await running.ended, 0);
});

test("keeps its data in a file across restarts, in .nonet where nothing is said", async (t) => {
  const { folder, running } = shelfIn(t);
  assert.equal((await addBook(await addressOf(running), "Momo")).status, 201);
  assert.match(running.output, /data: \.nonet\/shelf\.db;/);
  running.signal("SIGTERM");
  assert.equal(await running.ended, 0);
  const again = nonet(t, ["serve", "shelf.md", "--port", "0"], { folder });
  assert.deepEqual(await titles(await addressOf(again)), ["Momo"]);
  again.signal("SIGINT");
  assert.equal(await again.ended, 0);
  const other = nonet(t, ["serve", "shelf.md", "--port", "0", "--data", "memory"], { folder });
  assert.deepEqual(await titles(await addressOf(other)), []);
});

test("an answered record is there after the process was killed", async (t) => {
  const { folder, running } = shelfIn(t);
  assert.equal((await addBook(await addressOf(running), "Momo")).status, 201);
  running.signal("SIGKILL");
  assert.equal(await running.ended, "SIGKILL");
  const again = nonet(t, ["serve", "shelf.md", "--port", "0"], { folder });
  assert.deepEqual(await titles(await addressOf(again)), ["Momo"]);
});

test("--base-url is what callers are told", async (t) => {
  const { running } = shelfIn(t, "--base-url", "https://books.example/v2/");
  const address = await addressOf(running);
  assert.match(running.output, /Shelf at https:\/\/books\.example\/v2\n/);
  const made = await addBook(address, "Momo");
  assert.match(made.headers.get("location") ?? "", /^\/v2\/books\/book_/);
  for (let count = 0; count < 20; count += 1) await addBook(address, `Book ${count}`);
  const listed = await fetch(`${address}/books`);
  assert.match(listed.headers.get("link") ?? "", /<https:\/\/books\.example\/v2\/books\?/);
  const described = (await (await fetch(`${address}/openapi.json`)).json()) as { servers: unknown };
  assert.deepEqual(described.servers, [{ url: "https://books.example/v2" }]);
  const problem = (await (await fetch(`${address}/nothing`)).json()) as { type: string };
  assert.match(problem.type, /^https:\/\/books\.example\/v2\/errors\//);
});

test("SIGTERM lets a request under way finish, and takes no new one", async (t) => {
  const { running } = shelfIn(t);
  const address = await addressOf(running);
  const body = JSON.stringify({ title: "Momo" });
  const headers = { "Content-Type": "application/json", "Content-Length": body.length };
  const slow = request(`${address}/books`, { method: "POST", headers });
  const answered = Promise.withResolvers<number | undefined>();
  slow.on("response", (response) => {
    response.resume();
    answered.resolve(response.statusCode);
  });
  slow.on("error", answered.reject);
  slow.write(body.slice(0, 5));
  // The service has the request once it answers another one on a later connection.
  await titles(address);
  running.signal("SIGTERM");
  const { port, hostname } = new URL(address);
  for (;;) {
    const refused = await new Promise<boolean>((resolve) => {
      const socket = connect(Number(port), hostname, () => resolve(socket.destroy() === undefined));
      socket.on("error", () => resolve(true));
    });
    if (refused) break;
  }
  slow.end(body.slice(5));
  assert.equal(await answered.promise, 201);
  assert.equal(await running.ended, 0);
});

test("a second Ctrl-C does not wait", async (t) => {
  const { running } = shelfIn(t);
  const address = await addressOf(running);
  const slow = request(`${address}/books`, { method: "POST", headers: { "Content-Length": 10 } });
  slow.on("error", () => {});
  slow.write("{");
  await titles(address);
  running.signal("SIGINT");
  const { port, hostname } = new URL(address);
  for (let refused = false; !refused; ) {
    refused = await new Promise((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.destroy();
        resolve(false);
      });
      socket.on("error", () => resolve(true));
    });
  }
  running.signal("SIGINT");
  assert.equal(await running.ended, "SIGINT");
});

test("keys are made, listed and revoked while the service runs", async (t) => {
  const folder = temporaryFolder(t);
  const options = { folder };
  const running = nonet(t, ["serve", printShop, "--port", "0"], options);
  const address = await addressOf(running);
  const made = await finishedHere(["key", "create", printShop, "--user", "kim", "--role", "printer"], options);
  assert.equal(made.code, 0, made.output);
  const [secret = ""] = /^ps_\w+$/m.exec(made.output) ?? [];
  const orders = async () => (await fetch(`${address}/orders`, { headers: { "Print-Key": secret } })).status;
  assert.equal(await orders(), 200);
  const revoked = await finishedHere(["key", "revoke", printShop, "--user", "kim"], options);
  assert.match(revoked.output, /^revoked 1 key: key_/);
  // The service looks at its keys again within a second.
  let status = await orders();
  // Not as fast as it can be asked: the document has a rate.
  for (; status === 200; status = await orders()) await pass(50);
  assert.equal(status, 401);
});

test("a password of a basic credential is a key as well", async (t) => {
  const folder = temporaryFolder(t);
  const options = { folder, environment: { STATION_SECRET: "a secret of at least 32 bytes, for the tests" } };
  const made = await finishedHere(["key", "create", weatherStations, "--user", "ann", "--role", "keeper"], options);
  const [secret = ""] = /^[0-9A-Za-z]{33}$/m.exec(made.output) ?? assert.fail(made.output);
  const address = await addressOf(nonet(t, ["serve", weatherStations, "--port", "0"], options));
  const put = (password: string) => {
    const Authorization = `Basic ${Buffer.from(`ann:${password}`).toString("base64")}`;
    const headers = { Authorization, "Content-Type": "application/json" };
    return fetch(`${address}/stations/oslo-1`, { method: "PUT", headers, body: "{}" });
  };
  assert.equal((await put("wrong")).status, 401);
  assert.notEqual((await put(secret)).status, 401);
});

test("data that a changed document would lose is left as it is", async (t) => {
  const { folder, running } = shelfIn(t);
  await addBook(await addressOf(running), "Momo");
  running.signal("SIGTERM");
  await running.ended;
  writeFileSync(join(folder, "shelf.md"), shelf({ fields: ["author: string(1..80)"] }));
  const refused = await finished(t, ["serve", "shelf.md", "--port", "0"], { folder });
  assert.equal(refused.code, 1, refused.output);
  assert.match(refused.output, /^Shelf cannot be served with \.nonet\/shelf\.db: [^]*title/);
  // Keys are had whatever the document says.
  const listed = await finishedHere(["key", "list", "shelf.md"], { folder });
  assert.equal(listed.code, 0, listed.output);
  writeFileSync(join(folder, "shelf.md"), shelf());
  const again = nonet(t, ["serve", "shelf.md", "--port", "0"], { folder });
  assert.deepEqual(await titles(await addressOf(again)), ["Momo"]);
});
