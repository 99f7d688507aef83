/** What everybody is asked for: the parcels, the scenarios, and the questions that show who does which part of the work. */
import { type Announcement, type Ask, type Peer, wire } from "./peer.ts";

export type Scenario = "read" | "list" | "create" | "move" | "mixed";
export const SCENARIOS: Readonly<Record<Scenario, string>> = {
  read: "read one parcel",
  list: "list of 50, own, newest first",
  create: "create, validated",
  move: "move, guarded",
  mixed: "mixed: 70 % read, 10 % each of list, create and move",
};

interface Made {
  readonly id: string;
  readonly user: number;
}
export interface Supply {
  readonly keys: readonly string[];
  /** Read and listed, never moved. */
  readonly seeded: Made[];
  readonly announced: Made[];
  count: number;
}

const SIZES = ["small", "medium", "large"] as const;

export const announcement = (number: number): Announcement => ({
  site: `site-${number % 40}`,
  size: SIZES[number % SIZES.length] as string,
  trackingNumber: `TRK-${String(number).padStart(10, "0")}`,
  recipientEmail: `recipient.${number}@mail.example`,
  weightKg: (5 + (number % 190)) / 10,
});

export interface Batch {
  readonly requests: string[];
  readonly expect: number[];
}

/** `count` new parcels, and whose each is. */
export function creates(peer: Peer, supply: Supply, count: number): Batch & { readonly users: number[] } {
  const numbers = Array.from({ length: count }, () => supply.count++);
  const users = numbers.map((number) => number % supply.keys.length);
  const asks = numbers.map((number, i): [Ask, number] => [peer.create(announcement(number)), users[i] as number]);
  return { ...batch(supply, asks), users };
}

/** Ready-made requests of a scenario; those that write are used once. */
export function requestsOf(peer: Peer, supply: Supply, scenario: Scenario, budget: number): Batch {
  const ask = (kind: Scenario, index: number): [Ask, number] => {
    if (kind === "list") return [peer.list(), index % supply.keys.length];
    if (kind === "create") {
      const number = supply.count++;
      return [peer.create(announcement(number)), number % supply.keys.length];
    }
    const from = kind === "move" ? supply.announced.pop() : supply.seeded[(index * 7919) % supply.seeded.length];
    if (from === undefined) throw new Error(`too few parcels to ${kind}`);
    return [kind === "move" ? peer.move(from.id) : peer.read(from.id), from.user];
  };
  const tenth: readonly Scenario[] = ["list", "create", "move"];
  const kind = (index: number): Scenario => (scenario === "mixed" ? (tenth[index % 10] ?? "read") : scenario);
  return batch(
    supply,
    Array.from({ length: budget }, (_, index) => ask(kind(index), index)),
  );
}

const batch = (supply: Supply, asks: readonly (readonly [Ask, number])[]): Batch => ({
  requests: asks.map(([ask, user]) => wire(ask, supply.keys[user] as string)),
  expect: asks.map(([{ expect }]) => expect),
});

/**
 * What a peer does of the work, asked over HTTP before anything is timed: the lines say what it does otherwise than asked.
 * A peer that passes is not therefore complete: `differs` names what nobody could be asked for.
 */
export async function otherwise(peer: Peer, port: number, keys: readonly [string, string]): Promise<string[]> {
  const lines: string[] = [];
  const [mine, others] = keys;
  const call = async ({ method, path, body, headers }: Ask, key: string): Promise<[number, readonly unknown[]]> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${key}`,
        "accept-encoding": "identity",
        "content-type": "application/json",
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(5000),
    });
    const text = await response.text();
    return [response.status, response.ok ? peer.records(JSON.parse(text)) : []];
  };
  const refused = async (what: string, ask: Ask, key: string): Promise<void> => {
    const [status, records] = await call(ask, key);
    const shown = records.some((one) => one !== null && one !== undefined);
    if (status < 400 && shown) lines.push(`${what}: ${status}, not refused`);
    else if (status >= 500) lines.push(`${what}: ${status} instead of a refusal that tells the caller why`);
    else if (status < 400) lines.push(`${what}: ${status} with nothing in it`);
  };
  const whole = { ...announcement(0), trackingNumber: "WORK-0000001" };
  const [status, [first]] = await call(peer.create(whole), mine);
  if (status !== peer.create(whole).expect) return [`creating: ${status}`];
  const id = String((first as { id: unknown }).id);
  const [, read] = await call(peer.read(id), mine);
  if (JSON.stringify(read[0]) !== JSON.stringify(first)) lines.push("a read differs from what creating gave");
  await refused("the same tracking number again", peer.create(whole), mine);
  const another = { ...whole, trackingNumber: "WORK-0000002" };
  await refused("a size that is not listed", peer.create({ ...another, size: "huge" }), mine);
  await refused("a weight out of range", peer.create({ ...another, weightKg: 99 }), mine);
  const unknown = { ...another, trackingNumber: "WORK-0000003", colour: "red" };
  await refused("an unknown field", peer.create(unknown), mine);
  await refused("another's parcel, read", peer.read(id), others);
  await refused("another's parcel, moved", peer.move(id), others);
  const [moved, [stored]] = await call(peer.move(id), mine);
  if (moved !== 200 || (stored as { state?: unknown }).state !== "stored") lines.push(`moving: ${moved}, not stored`);
  await refused("moved a second time", peer.move(id), mine);
  const [, list] = await call(peer.list(), mine);
  const times = list.map((one) => (one as { createdAt: string }).createdAt);
  if (list.length !== 50) lines.push(`a list of ${list.length}`);
  if (times.some((time, i) => i > 0 && time > (times[i - 1] as string))) lines.push("a list that is not newest first");
  if (new Set(list.map((one) => (one as { courier: unknown }).courier)).size !== 1)
    lines.push("a list with others' parcels");
  return lines;
}
