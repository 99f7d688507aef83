/** Every transition adds exactly one entry to the history, which callers see who may see the record's transitions (R3.7). */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { signatureField } from "../../src/runtime/auth/hmac.ts";
import type { Reply } from "./client.ts";
import { by, faultsOf, served } from "./scenario.ts";

const hour = 3_600_000;

/** The example with two operations more. */
const lockers = readFileSync(new URL("../../examples/parcel-lockers.md", import.meta.url), "utf8")
  .replace("  takeBack: Fetch an expired parcel\n", "$&  parcelHistory: See what happened to a parcel\n  lockerHistory: See what happened to a locker\n")
  .replace("  takeBack: POST /parcels/{id}/take-back\n", "$&  parcelHistory: GET /parcels/{id}/history\n  lockerHistory: { at: \"GET /lockers/{id}/log\", does: history }\n")
  .replace("    - rename Parcel.reference -> trackingNumber\n", "$&    - state Parcel.announced, seen as expected before\n")
  .replace("  collect: anyone\n", "$&  parcelHistory: operator | courier if own\n  lockerHistory: operator\n"); // biome-ignore format: long lines

interface Transition {
  readonly at: string;
  readonly from?: string;
  readonly to: string;
  readonly by: string;
  readonly cause: string;
  readonly request?: string;
}

interface Page {
  readonly items: readonly Transition[];
  readonly next: string | null;
}

type Who = { readonly Authorization: string } | object;

served(
  "history",
  lockers,
  (subject) => {
    let operator: Who;
    let cora: Who;
    let carl: Who;
    let site = "";
    let locker = "";
    let count = 0;

    const send = (who: Who, method: string, path: string, body?: object, headers: object = {}): Promise<Reply> =>
      subject.client.send({ method, path, headers: { ...who, ...headers }, ...(body === undefined ? {} : { body }) });
    const post = async (who: Who, path: string, status: number, body?: object, headers?: object): Promise<Reply> => {
      const reply = await send(who, "POST", path, body, headers);
      assert.equal(reply.status, status, reply.text);
      return reply;
    };
    const idOf = ({ json }: Reply): string => (json as { id: string }).id;
    const history = async (path: string, who: Who = operator): Promise<Page> => {
      const reply = await send(who, "GET", path);
      assert.equal(reply.status, 200, reply.text);
      return reply.json as Page;
    };
    const told = ({ items }: Page): readonly string[] =>
      items.map(({ from = "", to, by: who, cause }) => `${from} -> ${to}: ${cause}, ${who}`);
    const parcel = (): object => {
      const trackingNumber = `tracking-${(count += 1)}`;
      return { site, size: "small", trackingNumber, recipientEmail: "r@example.org", weightKg: 1 };
    };
    const pass = async (milliseconds: number): Promise<void> => {
      subject.running.pass(milliseconds);
      await subject.running.tick();
    };

    before(async () => {
      operator = by(await subject.running.key("ole", "operator"));
      cora = by(await subject.running.key("cora", "courier"));
      carl = by(await subject.running.key("carl", "courier"));
      const address = { street: "a 1", postcode: "0150", country: "NO" };
      site = idOf(await post(operator, "/sites", 201, { name: "S", address }));
      locker = idOf(await post(operator, "/lockers", 201, { site, door: 1, size: "small" }));
    });

    test("an entry for each move by operation, time and event; none for what was refused, repeated or undone", async () => {
      const key = { "Idempotency-Key": "announce-1" };
      const body = parcel();
      const announced = await post(cora, "/parcels", 201, body, key);
      assert.equal((await post(cora, "/parcels", 201, body, key)).headers["idempotent-replayed"], "true");
      const id = idOf(announced);
      const path = `/parcels/${id}`;
      await post(cora, "/parcels", 409, parcel());
      await post(carl, `${path}/drop-off`, 404);
      await post(cora, `${path}/take-back`, 409);
      const drop = { "Idempotency-Key": "drop-1" };
      const dropped = await post(cora, `${path}/drop-off`, 200, undefined, drop);
      await post(cora, `${path}/drop-off`, 200, undefined, drop);
      await post({}, `${path}/collect`, 403, { code: "wrong!" });
      await post(cora, `${path}/extend`, 200);
      const etag = (await send(cora, "GET", path)).headers["etag"] ?? "";
      assert.equal(
        (await send(cora, "PATCH", path, { recipientEmail: "x@example.org" }, { "If-Match": etag })).status,
        200,
      );
      await pass(96 * hour);
      await pass(0);
      await Promise.all(Array.from({ length: 20 }, () => send(cora, "POST", `${path}/take-back`)));
      const page = await history(`${path}/history`, cora);
      assert.deepEqual(told(page), [
        " -> announced: announceParcel, cora",
        "announced -> stored: dropOff, cora",
        "stored -> stored: extendParcel, cora",
        "stored -> expired: at collectBy, system",
        "expired -> returned: takeBack, cora",
      ]);
      assert.equal(page.next, null);
      const { items } = page;
      assert.equal(items[0]?.request, announced.headers["request-id"]);
      assert.equal(items[1]?.request, dropped.headers["request-id"]);
      assert.equal(items[3]?.request, undefined);
      assert.deepEqual(items.map(({ at }) => at), items.map(({ at }) => at).toSorted()); // biome-ignore format: short
      assert.match(items[0]?.at ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

      const fault = JSON.stringify({ locker, fault: "power" });
      const seconds = Math.floor(Date.now() / 1000) + 96 * 3600;
      const target = "/hooks/doors";
      const signed = { method: "POST", target, body: Buffer.from(fault) };
      const headers = { "Content-Type": "application/json", "Door-Signature": signatureField("tick", seconds, signed) };
      for (let round = 0; round < 2; round += 1)
        assert.equal((await subject.client.send({ method: "POST", path: target, headers, body: fault })).status, 202);
      await post(operator, `/lockers/${locker}/repair`, 200);
      assert.deepEqual(told(await history(`/lockers/${locker}/log`)), [
        " -> free: addLocker, ole",
        "free -> held: when parcel.announced, cora",
        "held -> occupied: when parcel.stored, cora",
        "occupied -> free: when parcel.returned, cora",
        "free -> faulty: when door.faulted, device",
        "faulty -> free: repairLocker, ole",
      ]);
    });

    test("it comes in pages, oldest first", async () => {
      const path = `/lockers/${locker}/log`;
      const whole = (await history(path)).items;
      const walked: Transition[] = [];
      let next: string | null = "";
      let pages = 0;
      while (next !== null) {
        const reply = await send(operator, "GET", `${path}?limit=4${next === "" ? "" : `&cursor=${next}`}`);
        const page = reply.json as Page;
        walked.push(...page.items);
        next = page.next;
        pages += 1;
        assert.equal(reply.headers["link"] === undefined, next === null);
      }
      assert.deepEqual([walked, pages], [whole, 2]);
      const last = await history(`${path}?limit=${whole.length}`);
      assert.deepEqual(
        [last.items.length, last.next],
        [whole.length, null],
        "R4.11 a page that is exactly full is the last",
      );
    });

    test("R4.10, R4.13 what is asked of it is what it knows", async () => {
      const path = `/lockers/${locker}/log`;
      const other = idOf(await post(operator, "/lockers", 201, { site, door: 2, size: "small" }));
      const { next } = await history(`${path}?limit=1`);
      for (const [query, fault] of [
        ["limit=0", "limit out-of-range"],
        ["limit=201", "limit out-of-range"],
        ["sort=at", "sort unknown-parameter"],
        ["state=free", "state unknown-parameter"],
        ["cursor=x", "cursor bad-cursor"],
      ] as const) {
        const reply = await send(operator, "GET", `${path}?${query}`);
        assert.deepEqual([reply.status, faultsOf(reply)], [400, [fault]], query);
      }
      assert.equal((await send(operator, "GET", `/lockers/${other}/log?cursor=${next}`)).status, 400);
      assert.equal((await send(operator, "GET", `${path}?cursor=${next}`)).status, 200);
    });

    test("R4.16 a caller who has it need not get it again", async () => {
      const path = `/lockers/${locker}/log`;
      const { etag = "" } = (await send(operator, "GET", path)).headers;
      assert.equal((await send(operator, "GET", path, undefined, { "If-None-Match": etag })).status, 304);
    });

    test("R9.3 older versions have it in their own words", async () => {
      const id = idOf(await post(cora, "/parcels", 201, parcel()));
      await post(cora, `/parcels/${id}/cancel`, 200);
      // The client's answers are held to the newest version's description.
      const reply = await fetch(`${subject.running.url}/parcels/${id}/history`, {
        headers: { ...operator, "Lockers-Version": "2026-03-01" },
      });
      assert.equal(reply.status, 200);
      assert.deepEqual(told((await reply.json()) as Page), [
        " -> expected: announceParcel, cora",
        "expected -> cancelled: cancelParcel, cora",
      ]);
    });

    test("R5.8 it is for those who may run it on the record; for others the record is as absent as it is", async () => {
      const id = idOf(await post(cora, "/parcels", 201, parcel()));
      const status = async (who: Who, path: string): Promise<number> => (await send(who, "GET", path)).status;
      assert.equal(await status(cora, `/parcels/${id}/history`), 200);
      assert.equal(await status(operator, `/parcels/${id}/history`), 200);
      assert.equal(await status(carl, `/parcels/${id}/history`), 404);
      assert.equal(await status(carl, `/parcels/par_${"0".repeat(26)}/history`), 404);
      assert.equal(await status({}, `/parcels/${id}/history`), 401);
      assert.equal(await status(cora, `/lockers/${locker}/log`), 403);
      assert.equal((await send(cora, "POST", `/parcels/${id}/history`)).status, 405);
      assert.equal((await send(cora, "GET", `/parcels/${id}/history`, {})).status, 400);
    });
  },
  { environment: { DOOR_SECRET: "tick" } },
);

const hidden = `purpose: { nonet: 1, service: boxes, operations: [addBox, pastBox] }
resources:
  Box: { id: id(box), until: datetime }
states:
  Box: { states: [shut, open], start: shut, final: [open], moves: { shut -> open: at until } }
endpoints:
  endpoints:
    addBox: POST /boxes
    pastBox: "GET /boxes/{id}/history"
authentication:
  credentials: { key: api-key }
  roles: [boss, clerk]
  allow: { addBox: boss, pastBox: boss | clerk }
  show: { Box.until: boss }
events: none
errors: { body: problem+json, standard: all, errors: none }
limits: none
versioning: none
`;

served("a moment that is hidden", hidden, (subject) => {
  test("R5.9 the field that says when is not named to who does not see it", async () => {
    const { client, running } = subject;
    const headersOf = async (...roles: string[]) => ({ Authorization: `Bearer ${await running.key("kim", ...roles)}` });
    const made = await client.send({
      method: "POST",
      path: "/boxes",
      headers: await headersOf("boss"),
      body: { until: new Date(running.now() + hour).toISOString() },
    });
    assert.equal(made.status, 201, made.text);
    running.pass(2 * hour);
    await running.tick();
    const causes = async (role: string): Promise<readonly string[]> => {
      const path = `/boxes/${(made.json as { id: string }).id}/history`;
      const { json } = await client.send({ method: "GET", path, headers: await headersOf(role) });
      return (json as Page).items.map(({ cause }) => cause);
    };
    assert.deepEqual(await causes("boss"), ["addBox", "at until"]);
    assert.deepEqual(await causes("clerk"), ["addBox", "at a moment"]);
  });
});
