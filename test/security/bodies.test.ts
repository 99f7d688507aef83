/**
 * Bodies with random changes, random framing and random cuts, sent to `nonet serve` in a separate process behind both of its
 * servers, and to a service called by `fetch`: no response is 500, the next request succeeds, the process keeps running and stops
 * normally, and neither open files nor file contents remain.
 *
 * A fixed seed and number of requests; `NONET_FUZZ_MINUTES=60 node --test test/security/bodies.test.ts` runs an hour each with a
 * seed that it prints, and `NONET_SEED=number` sets the seed.
 */
import assert from "node:assert/strict";
import { readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import { deflateSync, gzipSync } from "node:zlib";
import { importDocument } from "../../src/import/import.ts";
import { createService } from "../../src/index.ts";
import { addressOf, nonet, temporaryFolder } from "../commands/process.ts";
import { documentOf } from "../enforced/document.ts";
import { seeded } from "../random.ts";
import { until } from "../until.ts";

const minutes = Number(process.env["NONET_FUZZ_MINUTES"] ?? 0);
const given = Number(process.env["NONET_SEED"] ?? "");
const seed = minutes > 0 ? (given > 0 ? given : Date.now() % 2 ** 31) : 20261124;
const requests = 320;
const atOnce = 8;

const text = documentOf({
  resources: {
    Thing: { id: "id(thi)", "name?": "string(1..9)", "size?": "integer(0..9)", "tags?": "string(1..9)[]", "at?": "Place", "labels?": "map(string)", "data?": "json", "photo?": "file(..20KB, text/*)" },
    Mark: { id: "id(mar)", made: "datetime = now, read-only" },
    types: { Place: { x: "integer", "y?": "integer" } },
  },
  states: { Thing: { states: { open: "Is open", shut: "Is shut" }, start: "open", moves: { "open -> shut": "by shutThing" } } },
  endpoints: {
    endpoints: { addThing: "POST /things", getThing: "GET /things/{id}", changeThing: "PATCH /things/{id}", shutThing: "POST /things/{id}/shut", putPhoto: "PUT /things/{id}/photo", addMark: "POST /marks", listMarks: "GET /marks" },
    repeats: "Idempotency-Key on every POST",
  },
  limits: { size: { request: "16KB" }, time: { request: "2s" } },
}); // biome-ignore format: long lines

type Random = () => number;
const pick = <T>(random: Random, all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
const upTo = (random: Random, most: number): number => Math.floor(random() * (most + 1));

const bytesOf = (value: string): Buffer => Buffer.from(value);
const part = (name: string, value: string, more = "", type = ""): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n${type === "" ? "" : `Content-Type: ${type}\r\n`}\r\n${value}\r\n`;

/** What would be taken, or nearly. */
const bodies: readonly ((random: Random) => readonly [type: string, bytes: Buffer])[] = [
  () => ["application/json", bytesOf('{"name":"a","size":3,"tags":["b"],"at":{"x":1},"labels":{"a":"b"},"data":[1,{"a":null}]}')],
  () => ["application/merge-patch+json", bytesOf('{"name":null,"at":{"y":null,"x":2},"labels":{"a":null}}')],
  () => ["application/json", bytesOf("{}")],
  () => ["application/json", Buffer.alloc(0)],
  (random) => ["application/json", bytesOf(`${"[".repeat(upTo(random, 200))}1`)],
  (random) => ["application/json", bytesOf(`{"name":"${"é".repeat(upTo(random, 9000))}"}`)],
  (random) => ["multipart/form-data; boundary=b", bytesOf(`${part("name", "a")}${part("tags", "b")}${part("photo", "x".repeat(upTo(random, 9000)), '; filename="a.txt"', "text/plain")}${part("data", '{"size":1}', "", "application/json")}--b--\r\n`)],
  (random) => ["multipart/form-data; boundary=b", bytesOf(`${part(pick(random, ["cover", "photo", "__proto__", "", "name"]), "x", '; filename="a"', pick(random, ["image/gif", "text/plain", "multipart/mixed; boundary=c"]))}${part("name", "a")}--b--`)],
  () => ["application/x-www-form-urlencoded", bytesOf("name=a&size=3&tags=b&tags=c&x=%20%C3%A9+")],
  (random) => ["text/plain", bytesOf("x".repeat(upTo(random, 30_000)))],
  (random) => [pick(random, ["application/octet-stream", "application/json; charset=utf-16", "multipart/form-data", "multipart/form-data; boundary=", "x"]), Buffer.from(Array.from({ length: upTo(random, 300) }, () => upTo(random, 255)))],
]; // biome-ignore format: long lines

const tokens = ["\r\n", "\r\n\r\n", "--b", "--b--", "\r\n--b\r\n", '"', "\\", "\0", "%00", "%FF", "%", ";", "=", "&", "{", "}", "[", "null", '"__proto__":{},', "\ud83d", "name=", "filename*=UTF-8''%ff", "Content-Disposition: form-data", "Content-Transfer-Encoding: base64", "1e999", "9".repeat(30), "\ufeff"]; // biome-ignore format: a list

function mutated(random: Random, bytes: Buffer): Buffer {
  let changed: Buffer = Buffer.from(bytes);
  for (let left = random() < 0.4 ? 0 : 1 + upTo(random, 2); left > 0; left -= 1) {
    const at = upTo(random, changed.length);
    const [before, behind] = [changed.subarray(0, at), changed.subarray(at)];
    const kind = random();
    if (kind < 0.25 && changed.length > 0) changed[Math.min(at, changed.length - 1)] = upTo(random, 255);
    else if (kind < 0.6) changed = Buffer.concat([before, bytesOf(pick(random, tokens)), behind]);
    else if (kind < 0.75) changed = Buffer.concat([before, behind.subarray(upTo(random, 20))]);
    else if (kind < 0.85) changed = Buffer.concat([changed, before]);
    else changed = before;
  }
  return changed;
}

function chunked(random: Random, bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  const isWrong = random() < 0.1;
  const largest = pick(random, [1, 7, 100, 5000]);
  const least = Math.ceil(bytes.length / 2000);
  for (let at = 0; at < bytes.length; ) {
    const piece = bytes.subarray(at, at + Math.max(least, 1 + upTo(random, largest - 1)));
    pieces.push(bytesOf(`${piece.length.toString(16)}${isWrong && random() < 0.1 ? pick(random, [";a=b", " ", "x", "\n"]) : ""}\r\n`), piece, bytesOf(isWrong && random() < 0.02 ? "\n" : "\r\n"));
    at += piece.length;
  }
  return Buffer.concat([...pieces, bytesOf(isWrong ? pick(random, ["0\r\nA: b\r\n\r\n", "0\r\n", ""]) : "0\r\n\r\n")]);
} // biome-ignore format: long lines

interface Case {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly coding: string | undefined;
  readonly bytes: Buffer;
}

function caseOf(random: Random, thing: string): Case {
  const [type, bytes] = pick(random, bodies)(random);
  const fitting: readonly [string, string] = type.startsWith("text/") ? ["PUT", `${thing}/photo`] : type.includes("merge") ? ["PATCH", thing] : ["POST", "/things"];
  const others: readonly (readonly [string, string])[] = [["PATCH", thing], ["PUT", `${thing}/photo`], ["POST", `${thing}/shut`], ["POST", "/marks"], ["GET", "/marks"], ["DELETE", thing], ["PUT", thing]];
  const [method, path] = random() < 0.7 ? fitting : pick(random, others);
  const coding = random() < 0.04 ? pick(random, ["gzip", "deflate", "br", "identity", "x, y"]) : undefined;
  const sent = mutated(random, bytes);
  const encoded = coding === "gzip" ? gzipSync(sent) : coding === "deflate" ? deflateSync(sent) : sent;
  return { method, path, type: random() < 0.03 ? "" : type, coding, bytes: encoded };
} // biome-ignore format: long lines

/** As it goes over the wire, in pieces. */
function contractOf(random: Random, { bytes, coding, method, path, type }: Case): readonly Buffer[] {
  const isChunked = random() < 0.5;
  const length = bytes.length + (random() < 0.05 ? pick(random, [-1, 1, 1e6, 1e15]) : 0);
  const head = [
    `${method} ${path} HTTP/1.1`,
    "Host: a",
    ...(type === "" ? [] : [`Content-Type: ${type}`]),
    ...(coding === undefined ? [] : [`Content-Encoding: ${coding}`]),
    isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`,
    ...(random() < 0.1 ? [pick(random, ["Expect: 100-continue", "Idempotency-Key: a", "Connection: close", "If-Match: *"])] : []),
  ];
  const whole = Buffer.concat([bytesOf(`${head.join("\r\n")}\r\n\r\n`), isChunked ? chunked(random, bytes) : bytes]);
  const cut = random() < 0.25 ? whole.subarray(0, upTo(random, whole.length)) : whole;
  const pieces: Buffer[] = [];
  for (let at = 0; at < cut.length; ) {
    const piece = cut.subarray(at, at + (random() < 0.5 ? cut.length : 1 + upTo(random, cut.length)));
    pieces.push(piece);
    at += piece.length;
  }
  return pieces;
} // biome-ignore format: long lines

/** Everything that came until the answer was there or the connection over. */
function exchanged(port: number, pieces: readonly Buffer[], goes: "at once" | "half" | "waits"): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    let came = "";
    const done = (): void => {
      socket.destroy();
      resolve(came);
    };
    socket.on("data", (data) => {
      came += data.toString("latin1");
      if (/^HTTP\/1\.1 [2-5]\d\d/m.test(came) && goes !== "half") done();
    });
    socket.on("error", done);
    socket.on("end", done);
    const write = async (): Promise<void> => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        await new Promise((written) => socket.write(piece, written));
      }
      if (goes === "half") socket.end();
      else if (goes === "at once") done();
    };
    socket.on("connect", () => void write());
  });
}

/** Of a process, where Linux says so. Other descriptors may be those of a thread that a long statement has started. */
function openSockets(pid: number | undefined): number {
  if (process.platform !== "linux") return 0;
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((one) => linkOf(join(folder, one)).startsWith("socket:")).length;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "closed meanwhile";
  }
}

test("R4.5 no body ends the process, fails it or leaves something behind", async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "things.md"), text);
  const running = nonet(t, ["serve", "things.md", "--port", "0", "--data", "data.db", "--log", "error"], { folder }); // biome-ignore format: a long line
  const address = await addressOf(running);
  const port = Number(new URL(address).port);
  const json = { "Content-Type": "application/json" };
  const made = await fetch(`${address}/things`, { method: "POST", headers: json, body: "{}" });
  const thing = `/things/${((await made.json()) as { id: string }).id}`;
  const before = openSockets(running.pid);
  const random = seeded(seed);
  const ends = performance.now() + minutes * 60_000;
  const statuses: Record<string, number> = {};
  const one = async (number: number): Promise<void> => {
    const sent = contractOf(random, caseOf(random, thing));
    const about = `seed ${seed}, request ${number}: ${JSON.stringify(Buffer.concat(sent).toString("latin1").slice(0, 2000))}`;
    const isCut = random() < 0.1;
    const came = await exchanged(port, sent, isCut ? "at once" : random() < 0.99 ? "half" : "waits");
    const [, status = "none"] = /^HTTP\/1\.1 ([2-5]\d\d)/m.exec(came) ?? [];
    const [, why = ""] = /"errors":\[\{[^}]*"code":"([^"]*)"/.exec(came) ?? [];
    statuses[`${status} ${why}`.trim()] = (statuses[`${status} ${why}`.trim()] ?? 0) + 1;
    assert(!/^HTTP\/1\.1 5(?!03)/m.test(came), `${about}\n${came}\n${running.output}`);
  };
  for (let number = 0; number < requests || performance.now() < ends; number += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, at) => one(number + at)));
    let next = await fetch(`${address}/marks`, { method: "POST", headers: { Connection: "close" } });
    // A machine that has too much to do tells callers to come again.
    for (let left = 20; next.status === 503 && next.headers.has("Retry-After") && left > 0; left -= 1) {
      await pass(250);
      next = await fetch(`${address}/marks`, { method: "POST", headers: { Connection: "close" } });
    }
    assert.equal(next.status, 201, `seed ${seed}, after request ${number + atOnce}: ${await next.text()} ${running.output}`);
  }
  t.diagnostic(`seed ${seed}: ${JSON.stringify(statuses)}`);
  assert.doesNotMatch(running.output, /\n\s+at /, "nothing failed");
  await until(() => openSockets(running.pid) <= before + 4, "its connections are closed");
  running.signal("SIGTERM");
  assert.equal(await running.ended, 0, running.output);
  const data = new DatabaseSync(join(folder, "data.db"), { readOnly: true });
  assert.deepEqual({ ...data.prepare("SELECT count(*) AS n FROM nonet_files WHERE loose IS NOT NULL").get() }, { n: 0 });
  data.close();
  assert.deepEqual(readdirSync(folder).filter((name) => !/^(?:data\.db(?:-wal|-shm)?|things\.md)$/.test(name)), []);
}); // biome-ignore format: long lines

const forms = `openapi: 3.1.0
info: { title: Forms, version: "1" }
paths:
  /forms:
    post:
      operationId: sendForm
      requestBody:
        content:
          application/x-www-form-urlencoded: { schema: { $ref: "#/components/schemas/Form" } }
      responses: { "200": { description: Done } }
components:
  schemas:
    Form: { type: object, properties: { name: { type: string }, size: { type: integer }, tags: { type: array, items: { type: string } } } }
`;

test("R4.5 no body fails a service that is called by fetch, forms of an imported API too", async () => {
  const imported = importDocument("forms.yaml", forms);
  assert(imported.kind === "imported");
  const failures: unknown[] = [];
  const own = await createService({ document: text, store: "memory", report: (failure: unknown) => failures.push(failure) });
  const wired = await createService({ document: imported.document.replace("schemas:\n", "Item:\n  id: id(counter)\n  name: string(1..30)\nschemas:\n"), store: "memory", handlers: { sendForm: () => ({ status: 200 }) } as never, report: (failure: unknown) => failures.push(failure) });
  try {
    const random = seeded(seed + 1);
    const ends = performance.now() + minutes * 60_000;
    for (let number = 0; number < requests || performance.now() < ends; number += 1) {
      const { bytes, coding, method, path, type } = caseOf(random, "/things/thi_0");
      const isForm = random() < 0.4;
      const headers = { ...(type === "" ? {} : { "Content-Type": isForm ? "application/x-www-form-urlencoded" : type }), ...(coding === undefined ? {} : { "Content-Encoding": coding }) };
      const isCut = random() < 0.1;
      const body = new ReadableStream({
        start(controller) {
          const middle = upTo(random, bytes.length);
          controller.enqueue(bytes.subarray(0, middle));
          if (isCut) controller.error(new Error("cut off"));
          else {
            controller.enqueue(bytes.subarray(middle));
            controller.close();
          }
        },
      });
      const request = new Request(`http://things.example${isForm ? "/forms" : path}`, { method: isForm ? "POST" : method, headers, ...(method === "GET" && !isForm ? {} : { body, duplex: "half" }) } as RequestInit);
      const answer = await (isForm ? wired : own).fetch(request);
      assert(answer.status < 500, `seed ${seed}, request ${number}: ${answer.status} ${await answer.text()} ${JSON.stringify(bytes.toString("latin1"))}`);
    }
    assert.equal((await own.fetch(new Request("http://things.example/marks", { method: "POST" }))).status, 201);
  } finally {
    await own.close();
    await wired.close();
  }
  assert.deepEqual(failures, []);
}); // biome-ignore format: long lines
