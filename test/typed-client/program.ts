/**
 * A program of a user who writes a client for the flagship with the types of the exported description: correct code compiles and
 * runs against the served example, and each mistake below `@ts-expect-error` does not compile.
 */
import createClient from "openapi-fetch";
import type { components, paths } from "./dist/lockers.ts";

type Parcel = components["schemas"]["Parcel"];

/** Lists of values are one parameter with commas, as the document says (`style: form, explode: false`). */
function clientFor(baseUrl: string, key?: string) {
  return createClient<paths>({
    baseUrl,
    querySerializer: { array: { style: "form", explode: false } },
    ...(key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } }),
  });
}

export interface Keys {
  readonly operator: string;
  readonly courier: string;
}

/** A parcel from its announcement to its withdrawal; gives what it saw on the way, as one line each. */
export async function run(baseUrl: string, keys: Keys): Promise<readonly string[]> {
  const operator = clientFor(baseUrl, keys.operator);
  const courier = clientFor(baseUrl, keys.courier);
  const anyone = clientFor(baseUrl);
  const seen: string[] = [];

  const site = await operator.POST("/sites", {
    body: { name: "Oslo S", address: { street: "Jernbanetorget 1", postcode: "0154", country: "NO" } },
  });
  if (site.data === undefined) throw new Error(site.error.title);
  const timezone: string = site.data.timezone;
  seen.push(`site in ${timezone}`);

  const locker = await operator.POST("/lockers", { body: { site: site.data.id, door: 1, size: "small" } });
  seen.push(`locker ${locker.data?.state}`);

  const announcement = {
    body: {
      site: site.data.id,
      size: "small",
      trackingNumber: "TRACK-1",
      recipientEmail: "a@example.org",
      weightKg: 1.5,
    },
    params: { header: { "Idempotency-Key": "first" } },
  } as const;
  const parcel = await courier.POST("/parcels", announcement);
  if (parcel.data === undefined) throw new Error(parcel.error.title);
  seen.push(`parcel ${parcel.data.state}`);

  const second = await courier.POST("/parcels", { body: { ...announcement.body, trackingNumber: "TRACK-2" } });
  if (second.error?.code === "no-free-locker") seen.push(`refused: ${second.error.title} (${second.error.status})`);
  const replayed = await courier.POST("/parcels", announcement);
  seen.push(`again ${replayed.data?.id === parcel.data.id ? "the same" : "another"}`);

  const list = await courier.GET("/parcels", {
    params: {
      query: {
        limit: 10,
        sort: ["-createdAt"],
        "state[in]": ["announced", "stored"],
        "createdAt[gte]": "2020-01-01T00:00:00Z",
      },
    },
  });
  const items: readonly Parcel[] = list.data?.items ?? [];
  const next: string | null | undefined = list.data?.next;
  seen.push(`${items.length} of them, next ${next}`);

  const path = { id: parcel.data.id };
  const read = await courier.GET("/parcels/{id}", { params: { path } });
  const tag = read.response.headers.get("ETag") ?? "";
  const changed = await courier.PATCH("/parcels/{id}", {
    params: { path, header: { "If-Match": tag } },
    body: { recipientEmail: "b@example.org" },
  });
  seen.push(`now for ${changed.data?.recipientEmail}`);

  const early = await courier.POST("/parcels/{id}/extend", { params: { path } });
  if (early.error?.code === "state-conflict")
    seen.push(`it is ${early.error.state}; possible: ${early.error.moves?.join(", ")}`);

  await courier.POST("/parcels/{id}/drop-off", { params: { path } });
  const wrong = await anyone.POST("/parcels/{id}/collect", { params: { path }, body: { code: "------" } });
  if (wrong.error?.code === "wrong-code") seen.push(`refused: ${wrong.error.title} (${wrong.error.status})`);

  const code = (await operator.GET("/parcels/{id}", { params: { path } })).data?.pickupCode;
  if (code === undefined) throw new Error("operators see the code");
  const collected = await anyone.POST("/parcels/{id}/collect", { params: { path }, body: { code } });
  const door: number | null | undefined = collected.data?.door;
  seen.push(`door ${door}`);

  const faulty = await courier.POST("/parcels", { body: { ...announcement.body, weightKg: 1000 } });
  if (faulty.error?.code === "invalid-request") {
    seen.push(...(faulty.error.errors ?? []).map((fault) => `${fault.pointer}: ${fault.code}`));
  }
  return seen;
}

/** Never run: what a compiler has to refuse. */
export async function mistakes(): Promise<void> {
  const client = clientFor("http://127.0.0.1:8080");
  // @ts-expect-error There is no such path.
  await client.GET("/parcel");
  // @ts-expect-error Sites cannot be looked at one by one.
  await client.GET("/sites/{id}", { params: { path: { id: "site_1" } } });
  // @ts-expect-error A locker needs a door.
  await client.POST("/lockers", { body: { site: "site_1", size: "small" } });
  // @ts-expect-error No locker is huge.
  await client.POST("/lockers", { body: { site: "site_1", door: 1, size: "huge" } });
  const address = { street: "Jernbanetorget 1", postcode: "0154", country: "NO" };
  // @ts-expect-error The id of a site is made by the service.
  const body: components["schemas"]["AddSiteInput"] = { name: "Oslo S", address, id: "site_1" };
  await client.POST("/sites", { body });
  // @ts-expect-error An edit needs If-Match.
  await client.PATCH("/parcels/{id}", { params: { path: { id: "par_1" } }, body: {} });
  // @ts-expect-error Parcels cannot be sorted by weight.
  await client.GET("/parcels", { params: { query: { sort: ["weightKg"] } } });
  // @ts-expect-error Parcels are not filtered by size.
  await client.GET("/parcels", { params: { query: { size: "small" } } });
  // @ts-expect-error A code is asked for.
  await client.POST("/parcels/{id}/collect", { params: { path: { id: "par_1" } } });
  const { data, error } = await client.POST("/parcels/{id}/collect", {
    params: { path: { id: "par_1" } },
    body: { code: "123456" },
  });
  // @ts-expect-error Collecting gives the door and no more.
  const state: unknown = data?.state;
  // @ts-expect-error This operation has no such error.
  if (error?.code === "no-free-locker") throw new Error(String(state));
  // @ts-expect-error Only a conflict of states has a state.
  if (error?.code === "wrong-code") throw new Error(error.state);
}
