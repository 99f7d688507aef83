/**
 * What a read costs above the database: the hand-written Fastify service beside bare node:http doing the same read with
 * the same headers, as columns put into a template and as a ready text, and node:http answering constant bytes.
 * Run: node bench/micro/http-read.ts (needs two cores; the server gets one, the generator the other)
 */
import { hash, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "../child.ts";
import { createKey as makeKey } from "../handwritten/access.ts";
import { openDatabase } from "../handwritten/database.ts";
import { buildServer } from "../handwritten/server.ts";
import { killAll, pinSelf, processorSeconds, ready, start, stop } from "../contestants.ts";
import type { Outcome } from "../load.ts";
import { median } from "../median.ts";

const ROWS = 10_000;
const ROUNDS = 5;
const SECONDS = 1.5;
const MODES = ["fastify", "http-template", "http-array-head", "http-text", "http-constant"];
const [mode, port, data] = process.argv.slice(2);

if (mode !== undefined) await serve(mode, Number(port), data as string);
else {
  const folder = mkdtempSync(join(tmpdir(), "parcel-http-"));
  try {
    await compare(folder);
  } finally {
    killAll();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(folder: string): Promise<void> {
  pinSelf();
  const file = join(folder, "parcels.db");
  const key = seed(file);
  const requests = Array.from(
    { length: 5000 },
    (_, i) =>
      `GET /parcels/${idOf((i * 7919) % ROWS)} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nAccept: application/json\r\n\r\n`,
  );
  const load = start(["bench/load.ts"], "load", true);
  const servers = [];
  for (const [i, name] of MODES.entries()) {
    const at = 18400 + i;
    const child = start(["bench/micro/http-read.ts", name, String(at), file], "server", false);
    await ready(child, at);
    servers.push({ name, at, child, rates: [] as number[], cpu: [] as number[] });
  }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { at, child, rates, cpu } of round % 2 === 0 ? servers : servers.toReversed()) {
      const before = processorSeconds(child.pid as number);
      const job = { port: at, connections: 32, seconds: SECONDS, requests, cycle: true, expect: 200, keepIds: false };
      const outcome = await ask<Outcome>(load, "the load generator", job);
      if (outcome.failure !== undefined) throw new Error(outcome.failure);
      if (round === 0) continue;
      rates.push(outcome.done / outcome.elapsedSeconds);
      cpu.push(((processorSeconds(child.pid as number) - before) / outcome.done) * 1e6);
    }
  }
  for (const { name, child, rates, cpu } of servers) {
    const rate = median(rates);
    const used = median(cpu);
    console.log(`${name.padEnd(16)} ${Math.round(rate)} requests/s, ${used.toFixed(1)} µs of processor each`);
    await stop(child);
  }
  await stop(load);
}

async function serve(name: string, at: number, file: string): Promise<void> {
  const database = openDatabase(file, "FULL");
  if (name === "fastify") {
    await buildServer(database, `http://127.0.0.1:${at}`).listen({ port: at, host: "127.0.0.1" });
    return;
  }
  const columns = database.statement(
    `select id, courier, site, size, locker, trackingNumber, recipientEmail, weightKg, labels, extensions, collectBy,
       createdAt, customs, state, rev from parcel where id = ? and (? or courier = ?)`,
  );
  columns.setReturnArrays(true);
  const ready = database.statement("select t.rev, t.text from parcel_text t where t.id = ? and (? or t.courier = ?)");
  ready.setReturnArrays(true);
  const callers = new Map<string, { id: string; until: number }>();
  const find = database.statement("select user from api_key where hash = ?");
  const callerOf = (header: string): string => {
    const known = callers.get(header);
    if (known !== undefined && known.until > Date.now()) return known.id;
    const { user } = find.get(hash("sha256", header.slice(7))) as { user: string };
    callers.set(header, { id: user, until: Date.now() + 1000 });
    return user;
  };
  const send = (response: ServerResponse, text: string, rev: Cell): void => {
    response.writeHead(200, {
      "Request-Id": `req_${randomUUID()}`,
      "X-Content-Type-Options": "nosniff",
      "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
      "Referrer-Policy": "no-referrer",
      "Cache-Control": "private, no-cache",
      ETag: `"${rev}c"`,
      "Content-Type": "application/json; charset=utf-8",
      "Content-Length": Buffer.byteLength(text),
    });
    response.end(text);
  };
  const sendFlat = (response: ServerResponse, text: string, rev: Cell): void => {
    response.writeHead(200, [
      ...["Request-Id", `req_${randomUUID()}`, "X-Content-Type-Options", "nosniff"],
      ...["Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'", "Referrer-Policy", "no-referrer"],
      ...["Cache-Control", "private, no-cache", "ETag", `"${rev}c"`],
      ...["Content-Type", "application/json; charset=utf-8", "Content-Length", String(Buffer.byteLength(text))],
    ]);
    response.end(text);
  };
  const constant = "x".repeat(380);
  const handlers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
    "http-template": (request, response) => {
      const row = columns.get(
        (request.url as string).slice(9),
        0,
        callerOf(request.headers.authorization as string),
      ) as unknown as Cell[];
      send(response, template(row), row[14] as Cell);
    },
    "http-array-head": (request, response) => {
      const row = columns.get(
        (request.url as string).slice(9),
        0,
        callerOf(request.headers.authorization as string),
      ) as unknown as Cell[];
      sendFlat(response, template(row), row[14] as Cell);
    },
    "http-text": (request, response) => {
      const row = ready.get(
        (request.url as string).slice(9),
        0,
        callerOf(request.headers.authorization as string),
      ) as unknown as [number, string];
      send(response, row[1], row[0]);
    },
    "http-constant": (_request, response) => send(response, constant, 1),
  };
  const handler = handlers[name] as (request: IncomingMessage, response: ServerResponse) => void;
  createServer((request, response) => {
    if (request.url === "/readyz") response.end();
    else handler(request, response);
  }).listen(at, "127.0.0.1");
}

type Cell = string | number | null;

function template(row: readonly Cell[]): string {
  return (
    `{"id":"${row[0]}","courier":${JSON.stringify(row[1])},"site":"${row[2]}","size":"${row[3]}","locker":"${row[4]}",` +
    `"trackingNumber":${JSON.stringify(row[5])},"recipientEmail":${JSON.stringify(row[6])},"weightKg":${row[7]}` +
    `${row[8] === null ? "" : `,"labels":${row[8]}`},"extensions":${row[9]}` +
    `${row[10] === null ? "" : `,"collectBy":"${row[10]}"`},"createdAt":"${row[11]}"` +
    `${row[12] === null ? "" : `,"customs":${row[12]}`},"state":"${row[13]}"}`
  );
}

function idOf(i: number): string {
  return `par_${String(i).padStart(26, "0")}`;
}

function seed(file: string): string {
  const database = openDatabase(file, "OFF");
  const key = makeKey(database, "courier-1", "courier");
  const { connection } = database;
  connection.exec(`begin; create table parcel_text (seq integer primary key, id text unique, courier text, rev integer, text text);
    insert into site (id, name, street, postcode, country, timezone) values ('site_1', 'A', 'B', '0150', 'NO', 'UTC');
    insert into locker (id, site, door, size) values ('lok_1', 'site_1', 1, 'small');`);
  const insert = connection.prepare(
    `insert into parcel (id, courier, site, size, locker, trackingNumber, recipientEmail, weightKg, labels, pickupCode,
       createdAt) values (?, 'courier-1', 'site_1', 'small', 'lok_1', ?, ?, 2.5, '["fragile"]', '123456', ?)`,
  );
  const insertText = connection.prepare(
    "insert into parcel_text (id, courier, rev, text) values (?, 'courier-1', 1, ?)",
  );
  for (let i = 0; i < ROWS; i++) {
    const [tracking, email, createdAt] = [`TRK-${i}000000`, `recipient.${i}@mail.example`, "2026-11-21T07:08:21.197Z"];
    insert.run(idOf(i), tracking, email, createdAt);
    const row = [idOf(i), "courier-1", "site_1", "small", "lok_1", tracking, email, 2.5, '["fragile"]', 0, null];
    insertText.run(idOf(i), template([...row, createdAt, null, "announced"]));
  }
  connection.exec("commit");
  connection.close();
  return key;
}
