/**
 * What one contestant has to work with: keys, sites, free lockers, announced parcels, and the ready-made requests on
 * them. Everything is made over HTTP, so every contestant gets data of the same shape whatever its tables look like.
 */
import type { Job, Outcome } from "./load.ts";

export type Drive = (job: Omit<Job, "port" | "connections">) => Promise<Outcome>;

interface Space {
  readonly site: string;
  readonly size: string;
}
interface Announced {
  readonly id: string;
  readonly key: string;
}
export interface Supply {
  readonly operator: string;
  readonly couriers: readonly string[];
  readonly drive: Drive;
  /** Lockers nobody has, one entry each. */
  readonly free: Space[];
  /** Parcels that were announced and not dropped off, beside those for reading. */
  readonly announced: Announced[];
  /** The seeded parcels: read and listed, never moved. */
  readonly seeded: Announced[];
  /** Numbers that make names, keys and tracking numbers unique. */
  count: number;
}

const DOORS = 500;
const SIZES = ["small", "medium", "large"];
const SEED_SECONDS = 120;

export const emptySupply = (operator: string, couriers: readonly string[], drive: Drive): Supply => ({
  operator,
  couriers,
  drive,
  free: [],
  announced: [],
  seeded: [],
  count: 0,
});

/** Adds sites and lockers until `wanted` lockers are free. */
export async function supplyLockers(supply: Supply, wanted: number): Promise<void> {
  const missing = wanted - supply.free.length;
  if (missing <= 0) return;
  const names = Array.from({ length: Math.ceil(missing / DOORS) }, () => `Site ${supply.count++}`);
  const sites = await mustMake(
    supply,
    names.map((name) =>
      post("/sites", supply.operator, `s${name}`, {
        name,
        address: { street: "Storgata 1", postcode: "0155", country: "NO" },
      }),
    ),
  );
  const spaces: Space[] = [];
  const requests: string[] = [];
  for (let i = 0; i < missing; i++) {
    const site = sites[Math.floor(i / DOORS)]?.id as string;
    const size = SIZES[i % SIZES.length] as string;
    spaces.push({ site, size });
    requests.push(post("/lockers", supply.operator, `l${supply.count++}`, { site, door: (i % DOORS) + 1, size }));
  }
  await mustMake(supply, requests);
  supply.free.push(...spaces);
}

/** Announces parcels, untimed, until `wanted` of them wait to be dropped off; `seeded` ones are for reading. */
export async function supplyParcels(supply: Supply, wanted: number, into: "announced" | "seeded"): Promise<void> {
  const missing = wanted - supply[into].length;
  if (missing <= 0) return;
  await supplyLockers(supply, missing);
  const requests = announcements(supply, missing);
  const made = await mustMake(
    supply,
    requests.map((one) => one.request),
  );
  supply[into].push(...made.map(({ index, id }) => ({ id, key: requests[index]?.key as string })));
}

/** One request per free locker taken, so that every one of them must succeed. */
export function announcements(supply: Supply, count: number): { readonly request: string; readonly key: string }[] {
  return supply.free.splice(0, count).map((space) => {
    const number = supply.count++;
    const key = supply.couriers[number % supply.couriers.length] as string;
    const request = post("/parcels", key, `announce-${number}-5f0c2a9e`, {
      site: space.site,
      size: space.size,
      trackingNumber: `TRK-${String(number).padStart(10, "0")}`,
      recipientEmail: `recipient.${number}@mail.example`,
      weightKg: (5 + (number % 190)) / 10,
      ...(number % 2 === 0 ? { labels: ["fragile", "this side up"] } : {}),
    });
    return { request, key };
  });
}

export const dropOffs = (supply: Supply, count: number): string[] =>
  supply.announced.splice(0, count).map(({ id, key }) => post(`/parcels/${id}/drop-off`, key, `drop-${id}`, undefined));

/** A function reads the site of each and writes the parcel; they stay where they are. */
export const forwards = (supply: Supply, count: number): string[] =>
  Array.from({ length: Math.min(count, supply.seeded.length * 3) }, (_, i) => {
    const { id, key } = supply.seeded[(i * 7919) % supply.seeded.length] as Announced;
    return post(`/parcels/${id}/forward`, key, `forward-${supply.count++}`, undefined);
  });

/** Reads of seeded parcels, each by its own courier, in an order that jumps about. */
export const reads = (supply: Supply): string[] =>
  Array.from({ length: Math.min(supply.seeded.length, 5000) }, (_, i) => {
    const { id, key } = supply.seeded[(i * 7919) % supply.seeded.length] as Announced;
    return get(`/parcels/${id}`, key);
  });

/** The same reads by callers of the version before. */
export const oldReads = (supply: Supply): string[] =>
  reads(supply).map((request) => request.replace("\r\n\r\n", "\r\nLockers-Version: 2026-03-01\r\n\r\n"));

/** Of twenty requests fifteen reads, two lists, two announcements and one drop-off; the writes are `count` in all. */
export function mixed(supply: Supply, count: number): string[] {
  const [one, many] = [reads(supply), lists(supply)];
  const announced = announcements(supply, Math.floor((count * 2) / 3));
  const dropped = dropOffs(supply, Math.floor(count / 3));
  return dropped.flatMap((drop, at) => [
    ...Array.from({ length: 15 }, (_, i) => one[(at * 15 + i) % one.length] as string),
    ...[0, 1].map((i) => many[(at * 2 + i) % many.length] as string),
    ...announced.slice(at * 2, at * 2 + 2).map(({ request }) => request),
    drop,
  ]);
}

export const lists = (supply: Supply): string[] => supply.couriers.map((key) => get("/parcels?limit=50", key));

async function mustMake(supply: Supply, requests: readonly string[]): Promise<{ index: number; id: string }[]> {
  const outcome = await supply.drive({ requests, cycle: false, seconds: SEED_SECONDS, expect: 201, keepIds: true });
  if (outcome.failure !== undefined) throw new Error(`seeding: ${outcome.failure}`);
  if (outcome.done !== requests.length) throw new Error(`seeding took longer than ${SEED_SECONDS} s`);
  return outcome.ids.map(([index, id]) => ({ index, id })).sort((a, b) => a.index - b.index);
}

const get = (path: string, key: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nAccept: application/json\r\n\r\n`;

function post(path: string, key: string, idempotencyKey: string, body: object | undefined): string {
  const text = body === undefined ? "" : JSON.stringify(body);
  const type = body === undefined ? "" : "Content-Type: application/json\r\n";
  return (
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nAccept: application/json\r\n` +
    `Idempotency-Key: ${idempotencyKey}\r\n${type}Content-Length: ${text.length}\r\n\r\n${text}`
  );
}
