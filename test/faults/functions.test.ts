/** Functions of the service's owner that never end, or leak resources: the service reports them, and loses no confirmed write. */
import assert from "node:assert/strict";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { root, temporaryFolder } from "../commands/process.ts";
import { type Service, serve } from "./service.ts";

/** What is done to a sack, after half of the work is written. */
const ways = {
  "for ever": "for (;;);",
  "a pattern that tries everything": `/^(a+)+$/.test("a".repeat(60) + "b");`,
  "never settled": "await new Promise(() => {});",
  "never let go": "for (const all = []; ; ) all.push(new Array(100_000).fill(all.length));",
};

const module = `const ways = {
${Object.entries(ways)
  .map(([name, code]) => `  async ${JSON.stringify(name)}() { ${code} },`)
  .join("\n")}
};
export default {
  async grind({ record, input, records }) {
    await records.system.Sack.update(record.id, { flour: 1 });
    await ways[input.how]();
  },
};
`;

function millIn(t: TestContext): string {
  const folder = temporaryFolder(t);
  copyFileSync(join(root, "test/faults/mill.md"), join(folder, "mill.md"));
  writeFileSync(join(folder, "handlers.ts"), module);
  return folder;
}

const start = (t: TestContext, folder: string, environment: Readonly<Record<string, string>> = {}): Promise<Service> =>
  serve(t, ["mill.md", "--data", "mill.db", "--handlers", "handlers.ts"], { folder, environment });

async function bring(service: Service, label: string): Promise<string> {
  const reply = await service.send("POST", "/sacks", { label });
  assert.equal(reply.status, 201, reply.text);
  return reply.json["id"] as string;
}

/** Undefined where the process ended before it answered. */
async function grind(service: Service, id: string, how: keyof typeof ways): Promise<number | undefined> {
  const reply = await service.send("POST", `/sacks/${id}/grind`, { how }).catch(() => undefined);
  return reply?.status;
}

/** What was answered is there, and of what was not there is no half. */
async function holds(service: Service, labels: readonly string[]): Promise<void> {
  const { json } = await service.send("GET", "/sacks");
  const sacks = json["items"] as readonly { label: string; flour: number }[];
  assert.deepEqual(sacks.map(({ label }) => label).toSorted(), labels.toSorted());
  assert.deepEqual(new Set(sacks.map(({ flour }) => flour)), new Set([0]));
}

test("R4.21 R8.8 a function that never settles is a 503, and nobody else notices", async (t) => {
  const service = await start(t, millIn(t));
  const id = await bring(service, "one");
  const [status] = await Promise.all([grind(service, id, "never settled"), bring(service, "two")]);
  assert.equal(status, 503);
  await holds(service, ["one", "two"]);
  await service.stop();
  assert.doesNotMatch(service.output, /stands/);
});

/** How each ends the process, and what is said of it. */
const ends: readonly (readonly [how: keyof typeof ways, signal: RegExp, said: RegExp])[] = [
  [
    "for ever",
    /^SIGKILL$/,
    /"functions":"grind req_\w+","stack":"for ever \(file:[^)]*handlers\.ts:2:\d+\)\\ngrind .*the event loop stands/,
  ],
  [
    "a pattern that tries everything",
    /^SIGKILL$/,
    /"functions":"grind req_\w+","stack":"a pattern [^"]*handlers\.ts:3:\d+/,
  ],
  // Where a slow machine takes long to have no memory left, the loop stands for too long before.
  ["never let go", /^SIGABRT$|^SIGKILL$/, /heap out of memory|the event loop stands/],
];

test("R1.8 a function that comes to no end ends the process, is named, and the next process has all that was answered", async (t) => {
  const folder = millIn(t);
  const labels: string[] = [];
  const next = (): Promise<Service> => start(t, folder, { NODE_OPTIONS: "--max-old-space-size=150" });
  let service = await next();
  for (const [how, signal, said] of ends) {
    const id = await bring(service, how);
    labels.push(how);
    assert.equal(await grind(service, id, how), undefined);
    assert.match(String(await service.ended), signal, how);
    assert.match(service.output, said);
    service = await next();
    await holds(service, labels);
  }
  await service.stop();
});
