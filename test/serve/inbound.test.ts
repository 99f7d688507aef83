/** Incoming events: allowed senders, their transitions, and that each event counts once (R0.1, R1.8, R6.1). */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { signatureField } from "../../src/runtime/auth/hmac.ts";
import type { JournalRecord } from "../../src/store/port/store.ts";
import type { Reply } from "./client.ts";
import { by, documentText, faultsOf, served } from "./scenario.ts";
import type { Subject } from "./scenario.ts";

type Members = Readonly<Record<string, unknown>>;

const environment = { GATE_SECRET: "the gate's", METER_SECRET: "the meter's" };

interface Signing {
  readonly secret?: string;
  readonly field?: string;
  /** Seconds from now. */
  readonly at?: number;
}

let shift = 0;

function signed(
  path: string,
  body: string,
  { secret = environment.GATE_SECRET, field = "Gate-Signature", at = 0 }: Signing = {},
): Members {
  const seconds = Math.floor((Date.now() + shift) / 1000) + at;
  return { [field]: signatureField(secret, seconds, { method: "POST", target: path, body: Buffer.from(body) }) };
}

function sender(subject: Subject) {
  return (path: string, body: string, headers: object): Promise<Reply> =>
    subject.client.send({ method: "POST", path, headers: { "Content-Type": "application/json", ...headers }, body });
}

async function received({ running }: Subject): Promise<readonly JournalRecord[]> {
  const found: JournalRecord[] = [];
  const last = await running.store.journal.last();
  for (let position = 1; position <= last; position += 1) {
    const entry = await running.store.journal.at(position);
    if (entry?.received !== undefined) found.push(entry);
  }
  return found;
}

served(
  "inbound",
  documentText("depot"),
  (subject) => {
    let clerk: { readonly Authorization: string };
    let partner: { readonly "Partner-Key": string };
    before(async () => {
      shift = 0;
      clerk = by(await subject.running.keyOf("key", "cleo", "clerk"));
      partner = { "Partner-Key": await subject.running.keyOf("partner", "acme") };
    });
    const send = sender(subject);
    const make = async (path: string, body: object): Promise<string> => {
      const reply = await subject.client.send({ method: "POST", path: `/depot${path}`, headers: clerk, body });
      assert.equal(reply.status, 201, reply.text);
      return (reply.json as { id: string }).id;
    };
    const van = (name = "van"): Promise<string> => make("/vans", { name });
    const get = async (path: string): Promise<Members> =>
      (await subject.client.send({ method: "GET", path: `/depot${path}`, headers: clerk })).json as Members;
    const gate = (event: string, body: object, signing: Signing = {}): Promise<Reply> => {
      const [path, text] = [`/depot/hooks/${event}`, JSON.stringify(body)];
      return send(path, text, signed(path, text, signing));
    };
    const hit = (body: object, headers: object = partner): Promise<Reply> =>
      send("/depot/hooks/hits", JSON.stringify(body), headers);

    test("an event moves what it refers to, with what it carries as the input", async () => {
      const [id, bay] = [await van(), await make("/bays", {})];
      const reply = await gate("arrivals", { van: id, bay, plate: "AB 1", seen: "2026-01-01T01:00:00+01:00" });
      assert.deepEqual([reply.status, reply.text], [202, ""]);
      assert.deepEqual(await get(`/vans/${id}`), {
        id, state: "in", name: "van", faults: 0, seenAt: "2026-01-01T00:00:00.000Z",
      }); // biome-ignore format: as it is given
      assert.deepEqual(await get(`/bays/${bay}`), { id: bay, state: "full", plate: "AB 1" });
      const [, move] = await subject.running.store.journal.moves("Van", id, 0, 9);
      assert.deepEqual([move?.by, move?.cause, move?.to], ["gate", "when van.arrived", "in"]);
      const entry = (await received(subject)).find(({ record }) => record === id);
      assert.partialDeepStrictEqual(entry, {
        resource: "Van",
        by: "gate",
        cause: "van.arrived",
        received: "van.arrived",
        data: { van: id, bay, plate: "AB 1" },
      });
      assert.equal(entry?.request, reply.headers["request-id"]);
    });

    test("one that finds no move is taken down, and nothing else", async () => {
      const id = await van();
      const before = (await received(subject)).length;
      assert.equal((await gate("departures", { van: id, speed: 9 })).status, 202);
      assert.equal((await get(`/vans/${id}`))["state"], "out");
      await gate("arrivals", { van: id });
      assert.equal((await gate("departures", { van: id, speed: 1 })).status, 202, "the guard is false");
      assert.equal((await get(`/vans/${id}`))["state"], "in");
      const path = "/depot/hooks/sightings";
      const body = '{"where":"bridge"}';
      const meter = { secret: environment.METER_SECRET, field: "Meter-Signature" };
      assert.equal((await send(path, body, signed(path, body, meter))).status, 202);
      const entries = await received(subject);
      assert.equal(entries.length, before + 4);
      assert.partialDeepStrictEqual(entries.at(-1), { resource: "", record: "", data: { where: "bridge" } });
      // A reference inside an embedded type counts, so that the erasure of the record removes the payload.
      const nested = JSON.stringify({ where: "bridge", by: { camera: "c1", van: id } });
      assert.equal((await send(path, nested, signed(path, nested, meter))).status, 202);
      assert.partialDeepStrictEqual((await received(subject)).at(-1), { resource: "Van", record: id });
    });

    test("`at` says which of two is meant, and each may be of any kind of credential", async () => {
      const [a, b] = [await van("a"), await van("b")];
      assert.equal((await hit({ by: a, other: b })).status, 202);
      assert.deepEqual([(await get(`/vans/${a}`))["state"], (await get(`/vans/${b}`))["state"]], ["broken", "out"]);
      assert.equal((await hit({ by: b, other: a })).status, 202);
      assert.deepEqual([(await get(`/vans/${a}`))["state"], (await get(`/vans/${b}`))["state"]], ["out", "broken"]);
      const events = await subject.running.store.journal.events(0, 99);
      assert.deepEqual(
        events.filter(({ record }) => record === a || record === b).map(({ event, record }) => [event, record]),
        [["van.broken", a], ["van.broken", b]],
      ); // biome-ignore format: short
    });

    test("R0.1 only its own credential proves its sender", async () => {
      const id = await van();
      const body = JSON.stringify({ van: id });
      const path = "/depot/hooks/arrivals";
      const refused = async (status: number, headers: object): Promise<void> => {
        const reply = await send(path, body, headers);
        assert.equal(reply.status, status, reply.text);
      };
      await refused(401, {});
      await refused(403, clerk);
      await refused(403, partner);
      const meter = { secret: environment.METER_SECRET, field: "Meter-Signature" };
      await refused(403, signed(path, body, meter));
      await refused(400, { ...clerk, ...signed(path, body) });
      for (const forged of [
        () => signed(path, body, { secret: "another" }),
        () => signed(path, body.replace("}", " }")),
        () => signed("/depot/hooks/departures", body),
        () => signed(path, body, { at: -301 }),
        () => signed(path, body, { at: 302 }),
      ]) {
        await refused(401, forged());
        subject.running.pass(61_000);
        shift += 61_000;
      }
      assert.equal((await hit({ by: id }, clerk)).status, 403);
      assert.equal((await get(`/vans/${id}`))["state"], "out");
      const about = (await received(subject)).filter(({ record }) => record === id);
      assert.deepEqual(about, []);
    });

    test("R2.3 the body is what `carries` says and nothing else, and what it refers to exists", async () => {
      const id = await van();
      const wrong: readonly (readonly [body: object, faults: readonly string[]])[] = [
        [{}, ["#/van required"]],
        [{ van: id, wheel: 4 }, ["#/wheel unknown-field"]],
        [{ van: 5 }, ["#/van wrong-type"]],
        [{ van: id, plate: "0123456789", seen: "yesterday" }, ["#/plate too-long", "#/seen wrong-format"]],
        [{ van: `van_${"0".repeat(26)}`, bay: `bay_${"0".repeat(26)}` }, ["#/bay reference-not-found", "#/van reference-not-found"]],
      ]; // biome-ignore format: a table
      for (const [body, faults] of wrong) {
        const reply = await gate("arrivals", body);
        assert.deepEqual([reply.status, faultsOf(reply)], [422, faults], reply.text);
      }
      const path = "/depot/hooks/arrivals";
      assert.equal((await send(path, "{", signed(path, "{"))).status, 400);
      const text = await send(path, "{}", { ...signed(path, "{}"), "Content-Type": "text/plain" });
      assert.equal(text.status, 415);
      assert.equal((await subject.client.send({ method: "GET", path })).status, 405);
      assert.equal((await send(`${path}?x=1`, "{}", signed(`${path}?x=1`, "{}"))).status, 400);
      assert.equal((await get(`/vans/${id}`))["state"], "out");
    });

    test("what the moved record may not be refuses all of it", async () => {
      const [sound, other] = [await van("sound"), await van()];
      await hit({ by: other });
      const before = (await received(subject)).length;
      const reply = await hit({ by: sound, other });
      assert.deepEqual([reply.status, (reply.json as { code: string }).code], [409, "cannot-fail"]);
      assert.equal((await get(`/vans/${other}`))["state"], "broken");
      assert.equal((await received(subject)).length, before);
      const [a, b] = [await make("/bays", {}), await make("/bays", {})];
      await gate("arrivals", { van: await van(), bay: a, plate: "same" });
      const taken = await gate("arrivals", { van: other, bay: b, plate: "same" });
      assert.deepEqual([taken.status, (taken.json as { code: string }).code], [409, "already-exists"]);
      assert.equal((await get(`/bays/${b}`))["state"], "empty");
    });

    test("the same signed bytes count once, and are answered as the first time", async () => {
      const id = await van();
      const [path, body] = ["/depot/hooks/arrivals", JSON.stringify({ van: id, note: "first" })];
      const headers = signed(path, body);
      assert.equal((await send(path, body, headers)).status, 202);
      const away = JSON.stringify({ van: id, speed: 50 });
      const left = "/depot/hooks/departures";
      assert.equal((await send(left, away, signed(left, away))).status, 202);
      const before = await received(subject);
      for (let round = 0; round < 3; round += 1) assert.equal((await send(path, body, headers)).status, 202);
      assert.equal((await get(`/vans/${id}`))["state"], "out", "it has left since, and stays away");
      assert.deepEqual(await received(subject), before);
      shift += 301_000;
      subject.running.pass(301_000);
      assert.equal((await send(path, body, headers)).status, 401, "too old");
    });

    test("of many at once with one signature one counts", async () => {
      const id = await van();
      const [path, body] = ["/depot/hooks/arrivals", JSON.stringify({ van: id })];
      const headers = signed(path, body);
      const replies = await Promise.all(Array.from({ length: 20 }, () => send(path, body, headers)));
      assert.deepEqual([...new Set(replies.map(({ status }) => status))], [202]);
      assert.equal((await received(subject)).filter(({ record }) => record === id).length, 1);
      assert.equal((await subject.running.store.journal.moves("Van", id, 0, 9)).length, 2);
    });

    test("what was refused may be sent again, once it can be taken", async () => {
      const [sound, other] = [await van("sound"), await van()];
      const body = { by: sound, other };
      assert.equal((await hit(body)).status, 409);
      const path = "/depot/hooks/arrivals";
      const text = JSON.stringify({ van: other, bay: `bay_${"0".repeat(26)}` });
      const headers = signed(path, text);
      for (let round = 0; round < 2; round += 1) assert.equal((await send(path, text, headers)).status, 422);
    });

    test("R4.19 a sender that knows the header may use it", async () => {
      const [a, b] = [await van(), await van()];
      const key = { ...partner, "Idempotency-Key": `k-${a}` };
      assert.equal((await hit({ by: a }, key)).status, 202);
      const again = await hit({ by: a }, key);
      assert.deepEqual([again.status, again.headers["idempotent-replayed"]], [202, "true"]);
      assert.equal((await hit({ by: b }, key)).status, 422);
      assert.equal((await received(subject)).filter(({ record }) => record === a).length, 1);
    });
  },
  { environment },
);

const lockers = readFileSync(new URL("../../examples/parcel-lockers.md", import.meta.url), "utf8");

served(
  "a faulty door",
  lockers,
  (subject) => {
    test("takes its locker out of use until it is repaired", async () => {
      const operator = by(await subject.running.key("ole", "operator"));
      const post = (path: string, body?: object) =>
        subject.client.send({ method: "POST", path, headers: operator, ...(body === undefined ? {} : { body }) });
      const address = { street: "a 1", postcode: "0150", country: "NO" };
      const site = ((await post("/sites", { name: "S", address })).json as { id: string }).id;
      const { id } = (await post("/lockers", { site, door: 1, size: "small" })).json as { id: string };
      const state = async (): Promise<unknown> => {
        const { json } = await subject.client.send({ method: "GET", path: "/lockers", headers: operator });
        return (json as { items: { state: string }[] }).items[0]?.state;
      };
      const body = JSON.stringify({ locker: id, fault: "jammed" });
      shift = 0;
      const headers = signed("/hooks/doors", body, { secret: "tick", field: "Door-Signature" });
      assert.equal((await sender(subject)("/hooks/doors", body, headers)).status, 202);
      assert.equal(await state(), "faulty");
      assert.equal((await post(`/lockers/${id}/repair`)).status, 200);
      assert.equal((await sender(subject)("/hooks/doors", body, headers)).status, 202);
      assert.equal(await state(), "free");
    });
  },
  { environment: { DOOR_SECRET: "tick" } },
);
