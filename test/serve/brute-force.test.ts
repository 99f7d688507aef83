/**
 * Guessing the six digits that open a locker (the flagship's `collect: 5/15min per Parcel` and `anyone: 30/min per ip`): from
 * hundreds of addresses at once, without pause, as long as a parcel can stay. The test counts the verified guesses, and computes
 * the chance of finding the code from that count.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readHeaders } from "../../src/http/message.ts";
import type { HttpResponse, HttpRequest } from "../../src/http/message.ts";
import type { Service } from "../../src/runtime/service.ts";
import { createService } from "../../src/runtime/service.ts";
import { openMemoryStore } from "../../src/store/memory/open.ts";
import { planOf } from "./running.ts";

const flagship = readFileSync(new URL("../../examples/parcel-lockers.md", import.meta.url), "utf8");

/** 72 h from the drop-off, and twice 24 h more by `extendParcel`. */
const storedMilliseconds = (72 + 2 * 24) * 3_600_000;
const windowMilliseconds = 15 * 60_000;
const windows = storedMilliseconds / windowMilliseconds;

function exchangeOf(
  method: string,
  target: string,
  address: string,
  headers: readonly string[],
  body?: unknown,
): HttpRequest {
  const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
  const framing =
    body === undefined ? [] : ["Content-Type", "application/json", "Content-Length", String(bytes.length)];
  return {
    method,
    target,
    headers: readHeaders([...headers, ...framing]),
    address,
    secure: false,
    body: () => Promise.resolve({ kind: "bytes", bytes }),
  };
}

interface Attacked {
  readonly service: Service;
  readonly clock: { at: number };
  readonly parcel: string;
  readonly code: string;
}

/** A service with one stored parcel, and its code. */
async function withParcel(): Promise<Attacked> {
  const plan = planOf(flagship);
  const clock = { at: Date.parse("2026-06-01T12:00:00Z") };
  const now = () => clock.at;
  const store = await openMemoryStore({ tables: plan.tables, clock: now });
  const service = createService({
    plan,
    store,
    clock: { now },
    random: randomBytes,
    environment: { DOOR_SECRET: "a test" },
    cursorSecret: "a test",
    baseUrl: () => "http://127.0.0.1",
    report: (failure) => assert.fail(String(failure)),
  });
  const site = { id: "site_1", name: "Oslo S", address: {}, timezone: "Europe/Oslo" };
  const locker = { id: "lok_1", state: "occupied", site: "site_1", door: 1, size: "small" };
  const code = "123456";
  const parcel = {
    id: "par_1", state: "stored", courier: "kim", site: "site_1", size: "small", locker: "lok_1", trackingNumber: "NO-0001",
    recipientEmail: "eva@example.com", weightKg: "1", pickupCode: code, extensions: 2,
    collectBy: new Date(clock.at + storedMilliseconds).toISOString(), createdAt: new Date(clock.at).toISOString(),
  }; // biome-ignore format: a record
  await store.transaction(async (tx) => {
    for (const [resource, row] of [["Site", site], ["Locker", locker], ["Parcel", parcel]] as const) // biome-ignore format: three
      await tx.insert(resource, row as never, clock.at, { resource, members: [] }, {});
  });
  return { service, clock, parcel: parcel.id, code };
}

test("a code of six digits cannot be guessed in the time that a parcel is stored", async () => {
  const { service, clock, parcel, code } = await withParcel();
  const end = clock.at + storedMilliseconds;
  let next = 0;
  const guess = async (address: string): Promise<HttpResponse> => {
    // Each code once, and never the right one: what counts is how many are tried.
    const tried = String(next).padStart(6, "0");
    next += tried === code ? 2 : 1;
    return service.response(exchangeOf("POST", `/parcels/${parcel}/collect`, address, [], { code: tried }));
  };
  let admitted = 0;
  let sent = 0;
  const perWindow = new Map<number, number>();
  // A window begins whenever its first guess comes, so whoever asks all the time loses none.
  for (let turn = 0; clock.at < end; turn += 1) {
    const burst = Array.from({ length: 20 }, (_, index) => guess(`203.0.${turn % 250}.${index}`));
    for (const { status } of await Promise.all(burst)) {
      sent += 1;
      assert.ok(status === 403 || status === 429, String(status));
      if (status !== 403) continue;
      admitted += 1;
      const window = Math.floor((clock.at - (end - storedMilliseconds)) / windowMilliseconds);
      perWindow.set(window, (perWindow.get(window) ?? 0) + 1);
    }
    clock.at += windowMilliseconds / 3;
  }
  assert.equal(windows, 480);
  assert.ok(sent > 25_000, "it was tried hard");
  assert.deepEqual(
    [...new Set(perWindow.values())],
    [5],
    "five in each quarter of an hour, from all addresses together",
  );
  assert.equal(admitted, 5 * windows);
  const chance = admitted / 10 ** code.length;
  assert.equal(chance, 0.0024, "2,400 of a million: one parcel in 417, after five days without pause");
});

test("one address has thirty guesses a minute at all parcels together, whatever they are called", async () => {
  const { service, parcel } = await withParcel();
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const id = index % 40 === 0 ? parcel : `par_${index % 40}`;
      return service.response(exchangeOf("POST", `/parcels/${id}/collect`, "203.0.113.9", [], { code: "000000" }));
    }),
  );
  assert.equal(answers.filter(({ status }) => status !== 429).length, 30);
});

test("codes that are spelled differently in the path are one parcel's, and a parcel's limit is nobody else's", async () => {
  const { service, parcel } = await withParcel();
  const spellings = [parcel, "par%5F1", "p%61r_1", "%70ar_1", "par_%31", parcel, parcel];
  const statuses: number[] = [];
  for (const [index, id] of spellings.entries()) {
    const response = await service.response(
      exchangeOf("POST", `/parcels/${id}/collect`, `203.0.113.${index}`, [], { code: "000000" }),
    );
    statuses.push(response.status);
  }
  assert.deepEqual(statuses, [403, 403, 403, 403, 403, 429, 429]);
  const other = await service.response(
    exchangeOf("POST", "/parcels/par_2/collect", "203.0.113.1", [], { code: "000000" }),
  );
  assert.equal(other.status, 404);
});
