/** Tests the timers of the example end to end: parcels that are never dropped off or never collected. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import type { Reply } from "./client.ts";
import { by, served } from "./scenario.ts";

const hour = 3_600_000;
const day = 24 * hour;
const lockers = readFileSync(new URL("../../examples/parcel-lockers.md", import.meta.url), "utf8");

served("expiry", lockers, (subject) => {
  let operator: { readonly Authorization: string };
  let courier: { readonly Authorization: string };
  let site = "";
  let count = 0;

  const post = (who: { readonly Authorization: string }, path: string, body?: object): Promise<Reply> =>
    subject.client.send({ method: "POST", path, headers: who, ...(body === undefined ? {} : { body }) });
  const made = async (who: { readonly Authorization: string }, path: string, body: object): Promise<string> => {
    const reply = await post(who, path, body);
    assert.equal(reply.status, 201, reply.text);
    return (reply.json as { id: string }).id;
  };
  const get = (path: string): Promise<Reply> => subject.client.send({ method: "GET", path, headers: operator });
  const pass = (milliseconds: number): Promise<number> => {
    subject.running.pass(milliseconds);
    return subject.running.tick();
  };
  const parcel = async (): Promise<string> => {
    const recipientEmail = "r@example.org";
    const size = "small";
    const trackingNumber = `tracking-${(count += 1)}`;
    return `/parcels/${await made(courier, "/parcels", { site, size, trackingNumber, recipientEmail, weightKg: 1 })}`;
  };
  const state = async (path: string): Promise<unknown> => ((await get(path)).json as { state: string }).state;
  const lockerOf = async (path: string): Promise<unknown> => {
    const { locker } = (await get(path)).json as { locker: string };
    const { items } = (await get("/lockers")).json as { items: { id: string; state: string }[] };
    return items.find(({ id }) => id === locker)?.state;
  };

  before(async () => {
    operator = by(await subject.running.key("ole", "operator"));
    courier = by(await subject.running.key("cora", "courier"));
    site = await made(operator, "/sites", { name: "S", address: { street: "a 1", postcode: "0150", country: "NO" } });
    for (let door = 1; door <= 9; door += 1) await made(operator, "/lockers", { site, door, size: "small" });
  });

  test("a parcel that is not dropped off for 48 hours is cancelled, and its locker is free", async () => {
    const path = await parcel();
    assert.equal(await pass(48 * hour - 5000), 0);
    assert.deepEqual([await state(path), await lockerOf(path)], ["announced", "held"]);
    assert.equal(await pass(5000), 1);
    assert.deepEqual([await state(path), await lockerOf(path)], ["cancelled", "free"]);
    assert.equal((await post(courier, `${path}/drop-off`)).status, 409);
  });

  test("one that is stored expires at the moment that its record names, which extending moves", async () => {
    const path = await parcel();
    assert.equal(await pass(47 * hour), 0);
    assert.equal((await post(courier, `${path}/drop-off`)).status, 200);
    assert.equal(await pass(2 * hour), 0, "the 48 hours were for dropping it off");
    assert.equal((await post(courier, `${path}/extend`)).status, 200);
    assert.equal(await pass(70 * hour), 0);
    assert.equal((await post(courier, `${path}/extend`)).status, 200);
    assert.equal(await pass(48 * hour - 60_000), 0);
    assert.equal(await state(path), "stored");
    assert.equal(await pass(60_000), 1);
    assert.deepEqual([await state(path), await lockerOf(path)], ["expired", "occupied"]);
    const events = await subject.running.store.journal.events(0, 99);
    const ours = events.filter(({ record }) => path.endsWith(record));
    assert.deepEqual(
      ours.map(({ event, by: who, cause }) => [event, who, cause]),
      [
        ["parcel.announced", "cora", "announceParcel"],
        ["parcel.stored", "cora", "dropOff"],
        ["parcel.expired", "system", "at collectBy"],
      ],
    );
    assert.equal((await post(courier, `${path}/take-back`)).status, 200);
    assert.equal(await lockerOf(path), "free");
  });

  test("90 days after its end it is gone, and nothing of its recipient is left", async () => {
    const path = await parcel();
    assert.equal((await post(courier, `${path}/cancel`)).status, 200);
    await pass(90 * day - 60_000);
    assert.equal((await get(path)).status, 200);
    await pass(60_000);
    assert.equal((await get(path)).status, 404);
    const events = await subject.running.store.journal.events(0, 99);
    const ours = events.filter(({ record }) => path.endsWith(record));
    assert.equal(ours.length, 2);
    for (const { data } of ours) assert.equal(data, undefined);
  });
});
