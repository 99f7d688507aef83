/** A service in which nothing is left to chance: the clock stands, randomness is counted. Driven without a socket. */
import { hashSecret, mintSecret } from "../../../src/serve/credentials/api-key.ts";
import { readHeaders, type Exchange } from "../../../src/serve/exchange.ts";
import { createService } from "../../../src/serve/service.ts";
import { openMemoryStore } from "../../../src/store/memory/open.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open.ts";
import { planOf } from "../running.ts";

export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly key?: string;
  readonly version: string;
}

export interface Frozen extends AsyncDisposable {
  /** What is answered to each in turn, as text; `@0` in a path is the id of the first record that was made. */
  play(asks: readonly Ask[]): Promise<readonly string[]>;
}

const moment = Date.parse("2026-06-01T12:00:00.000Z");
const secret = mintSecret("k_", (bytes) => new Uint8Array(bytes).fill(3));

export async function createFrozen(text: string, kind: "memory" | "sqlite"): Promise<Frozen> {
  const plan = planOf(text);
  const clock = { now: () => moment };
  const options = { tables: plan.tables, clock: clock.now };
  const store = await (kind === "memory"
    ? openMemoryStore(options)
    : openSqliteStore({ file: ":memory:", ...options }));
  await store.keys.create({
    id: "key_1",
    credential: "key",
    hash: hashSecret(secret),
    hint: "k_…aaaa",
    user: "ann",
    roles: [],
    created: moment,
  });
  const service = createService({
    plan,
    store,
    clock,
    random: (bytes) => new Uint8Array(bytes).fill(7),
    environment: {},
    cursorSecret: "frozen",
    baseUrl: () => "http://things",
    report: (failure) => {
      throw failure;
    },
  });
  return {
    async play(asks) {
      const told: string[] = [];
      let first = "none";
      for (const ask of asks) {
        const answer = await service.answer(exchangeOf(ask, first));
        const body = typeof answer.body === "string" ? answer.body : "";
        const pairs = answer.headers.map((one, index) => (index % 2 === 0 ? `\n${one.toLowerCase()}: ` : one));
        told.push(`${answer.status}${pairs.join("")}\n\n${body}`);
        if (first === "none" && answer.status === 201) first = (JSON.parse(body) as { id: string }).id;
      }
      return told;
    },
    async [Symbol.asyncDispose]() {
      await service.drain();
      await store.close();
    },
  };
}

function exchangeOf({ method, path, body, key, version }: Ask, first: string): Exchange {
  const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
  return {
    method,
    target: path.replace("@0", first),
    headers: readHeaders([
      ...["Authorization", `Bearer ${secret}`, "V", version],
      ...(body === undefined ? [] : ["Content-Type", "application/json", "Content-Length", String(bytes.length)]),
      ...(key === undefined ? [] : ["Idempotency-Key", key]),
    ]),
    address: "127.0.0.1",
    secure: false,
    body: () => Promise.resolve({ kind: "bytes", bytes }),
  };
}
