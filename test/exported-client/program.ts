/**
 * A program with the exported client of the flagship: correct code compiles and runs against the served example, and each mistake
 * below `@ts-expect-error` does not compile.
 */
import {
  type ApiError,
  type Client,
  createClient,
  etag,
  isErrorOf,
  type Parcel,
  receivedWith,
  WaitError,
  type WebhookEvent,
} from "./dist/parcel-lockers.ts";

export interface Keys {
  readonly operator: string;
  readonly courier: string;
}

/** A parcel from its announcement to its collection; gives what it saw on the way, as one line each. */
export async function run(baseUrl: string, keys: Keys): Promise<readonly string[]> {
  const operator = createClient({ baseUrl, credential: { key: keys.operator } });
  const courier = createClient({ baseUrl, credential: { key: () => keys.courier } });
  const anyone = createClient({ baseUrl });
  const seen: string[] = [];

  const address = { street: "Jernbanetorget 1", postcode: "0154", country: "NO" };
  const site = await operator.addSite({ name: "Oslo S", address });
  const timezone: string = site.timezone;
  seen.push(`site in ${timezone}`);
  for (const door of [1, 2, 3]) await operator.addLocker({ site: site.id, door, size: "small" });

  const announced = { site: site.id, size: "small", recipientEmail: "a@example.org", weightKg: 1.5 } as const;
  const parcel = await courier.announceParcel({ ...announced, trackingNumber: "TRACK-1" }, { idempotencyKey: "first" });
  const again = await courier.announceParcel({ ...announced, trackingNumber: "TRACK-1" }, { idempotencyKey: "first" });
  seen.push(`parcel ${parcel.state}, again ${again.id === parcel.id ? "the same" : "another"}`);
  seen.push(`replayed ${receivedWith(parcel)?.replayed}, ${receivedWith(again)?.replayed}`);
  await courier.announceParcel({ ...announced, trackingNumber: "TRACK-2" });
  await courier.announceParcel({ ...announced, trackingNumber: "TRACK-3" });

  // A refusal as a value, and as what is thrown.
  const full = await courier.announceParcel({ ...announced, trackingNumber: "TRACK-4" }).outcome();
  if (!full.ok && full.error.code === "no-free-locker")
    seen.push(`${full.error.status} after ${full.error.retryAfter} s`);
  try {
    await courier.announceParcel({ ...announced, trackingNumber: "TRACK-5", weightKg: 1000 });
  } catch (thrown) {
    if (isErrorOf(thrown, "announceParcel"))
      seen.push(...thrown.faults.map(({ pointer, code }) => `${pointer}: ${code}`));
  }

  // Items of all pages, pages, one page.
  const tracked: string[] = [];
  for await (const { trackingNumber } of courier.listParcels({ limit: 2, "state[in]": ["announced", "stored"] }))
    tracked.push(trackingNumber);
  seen.push(tracked.join());
  const page = await courier.listParcels({ limit: 2, sort: ["createdAt"] });
  seen.push(`${page.items.length}, then ${(await page.next())?.items.length}, then ${(await page.next())?.hasNext}`);

  // Tags.
  const changed = await courier.changeParcel(parcel.id, { recipientEmail: "b@example.org" }, { ifMatch: parcel });
  const tag: string = changed[etag];
  const unchanged = await courier.getParcel(parcel.id, { ifNoneMatch: tag });
  seen.push(`now for ${changed.recipientEmail}, since then ${unchanged?.state ?? "unchanged"}`);
  const stale = await courier.changeParcel(parcel.id, {}, { ifMatch: parcel }).outcome();
  seen.push(stale.ok ? "changed" : stale.error.code);

  const early = await courier.extendParcel(parcel.id).outcome();
  if (!early.ok && early.error.code === "state-conflict")
    seen.push(`possible: ${early.error.problem.moves?.join(", ")}`);

  // Somebody else drops it off while this waits.
  const [stored] = await Promise.all([courier.waitForParcel(parcel.id, "stored"), courier.dropOff(parcel.id)]);
  const state: "stored" = stored.state;
  seen.push(`waited for ${state}`);

  const code = (await operator.getParcel(parcel.id)).pickupCode;
  if (code === undefined) throw new Error("operators see the code");
  const wrong = await anyone.collect(parcel.id, { code: "------" }).outcome();
  seen.push(wrong.ok ? "opened" : `${wrong.error.code}: ${wrong.error.detail}`);
  const { door } = await anyone.collect(parcel.id, { code });
  seen.push(`door ${door}`);
  try {
    await courier.waitForParcel(parcel.id, ["expired", "returned"]);
  } catch (thrown) {
    if (thrown instanceof WaitError) seen.push(`${thrown.reason}: ${thrown.state}`);
  }
  seen.push(
    await anyone.getParcel(parcel.id).then(String, (thrown: ApiError) => `${thrown.code}, ${typeof thrown.requestId}`),
  );
  return seen;
}

/** What a receiver of webhooks does with each kind of event. */
export function told(event: WebhookEvent): string {
  switch (event.type) {
    case "parcel.stored":
      return `${event.data.recipientEmail} gets ${event.data.pickupCode}`;
    case "parcel.announced":
      return event.data.trackingNumber;
    default:
      return event.type;
  }
}

/** Never run: what a compiler has to refuse. */
export async function mistakes(client: Client, parcel: Parcel): Promise<void> {
  const address = { street: "Jernbanetorget 1", postcode: "0154", country: "NO" };
  // @ts-expect-error There is no such operation.
  await client.getSite("site_1");
  // @ts-expect-error A locker needs a door.
  await client.addLocker({ site: "site_1", size: "small" });
  // @ts-expect-error No locker is huge.
  await client.addLocker({ site: "site_1", door: 1, size: "huge" });
  // @ts-expect-error The id of a site is made by the service.
  await client.addSite({ name: "Oslo S", address, id: "site_1" });
  // @ts-expect-error An edit needs a tag.
  await client.changeParcel(parcel.id, {});
  // @ts-expect-error What comes from a list carries no tag of its own to edit with.
  await client.changeParcel(parcel.id, {}, { ifMatch: 5 });
  // @ts-expect-error A GET takes no key.
  await client.getParcel(parcel.id, { idempotencyKey: "k" });
  // @ts-expect-error Parcels cannot be sorted by weight.
  await client.listParcels({ sort: ["weightKg"] });
  // @ts-expect-error Parcels are not filtered by size.
  await client.listParcels({ size: "small" });
  // @ts-expect-error A code is asked for.
  await client.collect(parcel.id);
  // @ts-expect-error Dropping off takes nothing.
  await client.dropOff(parcel.id, { door: 1 });
  // @ts-expect-error A parcel is never lost.
  await client.waitForParcel(parcel.id, "lost");
  // @ts-expect-error A record is not changed by hand.
  parcel.weightKg = 2;
  // @ts-expect-error Only operators see the code.
  told(parcel.pickupCode.length);
  // @ts-expect-error There is no such credential.
  createClient({ baseUrl: "", credential: { token: "t" } });
  const collected = await client.collect(parcel.id, { code: "123456" }).outcome();
  // @ts-expect-error This operation has no such error.
  if (!collected.ok && collected.error.code === "no-free-locker") throw new Error(collected.error.code);
  // @ts-expect-error Only a conflict of states has moves.
  if (!collected.ok && collected.error.code === "wrong-code") throw new Error(collected.error.problem.moves);
  // @ts-expect-error Collecting gives the door and no more.
  if (collected.ok) throw new Error(collected.value.state);
}
