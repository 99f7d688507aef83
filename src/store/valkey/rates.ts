/**
 * Counts rate limits in a Valkey or Redis that all processes of a service share: each count is a hash with an expiry, computed
 * by a script like `counted` in `port/rates.ts`. A count outlives its end by `aheadMilliseconds`, for processes whose clock is behind.
 * The client is an optional package, loaded only here.
 */
import { hash } from "node:crypto";
import type * as Package from "@redis/client";
import { StoreError } from "../port/error.ts";
import { aheadMilliseconds, type RateRequest, type RateCount, type Rates } from "../port/rates.ts";

export interface ValkeyRates extends Rates {
  close(): Promise<void>;
}

export interface ValkeyOptions {
  /** The URL: `redis://user:secret@host:6379/0`, `rediss:` with TLS, or `valkey:` and `valkeys:`. */
  readonly address: string;
  /** The name of the service, which separates the counts of services. */
  readonly service: string;
}

/** The part of the client's type that is used here. */
interface Client {
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  on(event: "error", listener: (failure: unknown) => void): unknown;
  sendCommand(words: readonly string[]): Promise<unknown>;
  close(): Promise<void>;
  destroy(): void;
}

export function isValkeyAddress(text: string): boolean {
  return /^(?:redis|valkey)s?:\/\/./i.test(text);
}

/** The script that counts. It formats numbers with all digits, because Lua's default has only 14. */
const script = `
local kept = redis.call("HMGET", KEYS[1], "used", "at")
local quota, length, burst = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local taken, wanted, now = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local fresh = tonumber(ARGV[7])
local used, at = tonumber(kept[1] or 0), tonumber(kept[2] or 0)
local granted, ends
if burst < 0 then
  local live = at > now
  used = math.max(0, (live and used or 0) + taken)
  granted = math.min(wanted, math.max(0, quota - used))
  used = used + granted
  at = live and math.min(at, now + length) or fresh
  ends = at - now
else
  local gone = kept[2] and math.max(0, now - at) or 0
  used = math.max(0, math.max(0, used - gone * quota) + taken * length)
  granted = math.min(wanted, math.max(0, math.floor((burst * length - used) / length)))
  used = used + granted * length
  at = kept[2] and math.max(now, math.min(at, now + ${aheadMilliseconds})) or now
  ends = math.ceil(used / quota) + at - now
end
local whole = function(number) return string.format("%.0f", number) end
redis.call("HSET", KEYS[1], "used", whole(used), "at", whole(at))
redis.call("PEXPIRE", KEYS[1], whole(math.max(0, ends) + ${aheadMilliseconds}))
return { whole(granted), whole(used), whole(at) }`;
const digest = hash("sha1", script);

/**
 * Opens the counts. Does not wait for the connection: until it is there, counting rejects, and the client keeps reconnecting.
 * @throws StoreError `not-accessible` for an invalid URL, or if the package is not installed.
 */
export async function openValkeyRates({ address, service }: ValkeyOptions): Promise<ValkeyRates> {
  const client = await clientFor(address.replace(/^valkey/i, "redis"));
  // Ignores the event, since each failed call reports its own error.
  client.on("error", () => undefined);
  const connecting = client.connect().catch(() => undefined);

  async function countOne({ name, key, limit, consumed, wanted }: RateRequest, now: number): Promise<RateCount> {
    const { count, windowMilliseconds, burst = -1, until = now + windowMilliseconds } = limit;
    const numbers = [count, windowMilliseconds, burst, consumed, wanted, now, until].map(String);
    const call = [`nonet:${service}:${name}:${key}`, ...numbers];
    const reply = await client.sendCommand(["EVALSHA", digest, "1", ...call]).catch((thrown: unknown) => {
      if (!String(thrown).includes("NOSCRIPT")) throw thrown;
      return client.sendCommand(["EVAL", script, "1", ...call]);
    });
    const [granted = 0, used = 0, at = 0] = (reply as readonly string[]).map(Number);
    return { granted, used, at };
  }

  return {
    // The client sends the commands of one event-loop tick together.
    count: (requests, now) => Promise.all(requests.map((request) => countOne(request, now))),
    async close() {
      if (client.isReady) await client.close().catch(() => undefined);
      else client.destroy();
      await connecting;
    },
  };
}

async function clientFor(url: string): Promise<Client> {
  const { createClient } = await load();
  try {
    return createClient({
      url,
      // Counting fails fast, because a request is better served without counts than late.
      disableOfflineQueue: true,
      socket: { connectTimeout: 2_000, reconnectStrategy: (tries: number) => Math.min(50 * 2 ** tries, 2_000) },
    }) as unknown as Client;
  } catch (thrown) {
    throw new StoreError("not-accessible", "--limits is no address: redis://user:secret@host:6379", [], thrown);
  }
}

async function load(): Promise<typeof Package> {
  try {
    return await import("@redis/client");
  } catch (thrown) {
    const message = "counting rates in Valkey or Redis needs the package @redis/client: npm install @redis/client@6";
    throw new StoreError("not-accessible", message, [], thrown);
  }
}
