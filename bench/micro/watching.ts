/**
 * What it costs a request to be watched: `nonet serve` with its log off, at its default, with a line for each request, with
 * figures, and with both, in turn; processor time of the server for each read of one record over HTTP.
 * Run: node bench/micro/watching.ts (needs two cores; the server gets one, the generator the other)
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "../child.ts";
import { killAll, pinSelf, processorSeconds, ready, start, stop } from "../contestants.ts";
import type { Outcome } from "../load.ts";
import { median } from "../median.ts";

const ROUNDS = 9;
const SECONDS = 1;
const MODES: Readonly<Record<string, readonly string[]>> = {
  off: ["--log", "off"],
  "off, again": ["--log", "off"],
  "warn, the default": [],
  "info, a line for each": ["--log", "info"],
  figures: ["--log", "off", "--admin-port", "0"],
  "info and figures": ["--log", "info", "--admin-port", "0"],
};

const document = `# Shelf
## Purpose
\`\`\`yaml
nonet: 1
service: shelf
purpose: Keep books.
operations: { addBook: Put a book on the shelf, getBook: See a book }
\`\`\`
## Resources and their fields
\`\`\`yaml
Book:
  id: id(book)
  title: string(1..80)
\`\`\`
## States and transitions
\`\`\`yaml
none
\`\`\`
## Endpoints
\`\`\`yaml
base: "{base_url}"
endpoints:
  addBook: POST /books
  getBook: GET /books/{id}
\`\`\`
## Authentication
\`\`\`yaml
allow:
  addBook, getBook: anyone   # ok anyone-may-write: a measurement
\`\`\`
## Events
none
## Errors
\`\`\`yaml
standard: all
\`\`\`
## Limits
none
## Versioning
\`\`\`yaml
none
\`\`\`
`;

const folder = mkdtempSync(join(tmpdir(), "nonet-watching-"));
try {
  await compare();
} finally {
  killAll();
  rmSync(folder, { recursive: true, force: true });
}

async function compare(): Promise<void> {
  pinSelf();
  const file = join(folder, "shelf.md");
  writeFileSync(file, document);
  const load = start(["bench/load.ts"], "load", true);
  const servers = [];
  for (const [i, [name, options]] of Object.entries(MODES).entries()) {
    const port = 18_500 + i;
    const data = join(folder, `${i}.db`);
    const child = start(
      ["src/cli.mjs", "serve", file, "--port", `${port}`, "--data", data, ...options],
      "server",
      false,
    );
    await ready(child, port);
    const made = await fetch(`http://127.0.0.1:${port}/books`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: '{"title":"Emma"}',
    });
    const { id } = (await made.json()) as { id: string };
    const requests = [`GET /books/${id} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n\r\n`];
    servers.push({ name, port, child, requests, used: [] as number[] });
  }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { port, child, requests, used } of round % 2 === 0 ? servers : servers.toReversed()) {
      const before = processorSeconds(child.pid as number);
      const job = { port, connections: 32, seconds: SECONDS, requests, cycle: true, expect: 200, keepIds: false };
      const outcome = await ask<Outcome>(load, "the load generator", job);
      if (outcome.failure !== undefined) throw new Error(outcome.failure);
      if (round > 0) used.push(((processorSeconds(child.pid as number) - before) / outcome.done) * 1e6);
    }
  }
  const medians = servers.map(({ name, used }) => ({
    name,
    micros: median(used),
  }));
  const [first] = medians;
  for (const { name, micros } of medians) {
    const ratio = micros / (first?.micros ?? micros);
    console.log(`${name.padEnd(24)} ${micros.toFixed(1)} µs of processor for each read, ${ratio.toFixed(3)} of off`);
  }
  for (const { child } of servers) await stop(child);
  await stop(load);
}
