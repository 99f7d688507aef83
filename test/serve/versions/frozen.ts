/** A deterministic service: a fixed clock and counted randomness, called without a socket. */
import { followingOf } from "../../../src/server/open-store.ts";
import { hashSecret, mintSecret } from "../../../src/runtime/auth/api-key.ts";
import { readHeaders, type HttpRequest } from "../../../src/http/message.ts";
import { createService } from "../../../src/runtime/service.ts";
import { openMemoryStore } from "../../../src/store/memory/open.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open.ts";
import { planOf } from "../running.ts";

export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly key?: string;
  readonly version: string;
  readonly ifMatch?: string;
  /** The name for what the answer says, to be said again as `@name`: its tag, or the cursor of its next page. */
  readonly tag?: string;
  readonly cursor?: string;
}

export interface Frozen extends AsyncDisposable {
  /**
   * What is answered to each in turn, as text; `@0` in a path is the id of the first record that was made, and `@name` what
   * an answer was kept as.
   */
  play(asks: readonly Ask[], held?: Held): Promise<readonly string[]>;
}

/** What a caller keeps of what it was told: ids by their order, tags, cursors. */
export type Held = Map<string, string>;

export interface FrozenOptions {
  /** Where SQLite keeps it, and what is there follows the document. */
  readonly file?: string;
  /** Since the service was first started, so that no two of its times on one file make the same ids. */
  readonly days?: number;
}

const moment = Date.parse("2026-06-01T12:00:00.000Z");
const secret = mintSecret("k_", (bytes) => new Uint8Array(bytes).fill(3));

export async function createFrozen(
  text: string,
  kind: "memory" | "sqlite",
  { file, days = 0 }: FrozenOptions = {},
): Promise<Frozen> {
  const plan = planOf(text);
  const clock = { now: () => moment + days * 86_400_000 };
  const options = { tables: plan.tables, clock: clock.now };
  const store = await (kind === "memory"
    ? openMemoryStore(options)
    : openSqliteStore({
        file: file ?? ":memory:",
        ...options,
        // A field that is removed is given up, which the operator has to say.
        ...(file === undefined ? {} : { following: { ...(await followingOf(plan)), allowLoss: true } }),
      }));
  if (days === 0)
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
    random: (bytes) => new Uint8Array(bytes).fill(7 + days),
    environment: {},
    cursorSecret: "frozen",
    baseUrl: () => "http://things",
    report: (failure) => {
      throw failure;
    },
  });
  return {
    async play(asks, held = new Map()) {
      const told: string[] = [];
      let made = [...held.keys()].filter((name) => /^\d+$/.test(name)).length;
      for (const ask of asks) {
        const response = await service.response(exchangeOf(ask, held));
        const body = typeof response.body === "string" ? response.body : "";
        const pairs = response.headers.map((one, index) => (index % 2 === 0 ? `\n${one.toLowerCase()}: ` : one));
        told.push(`${response.status}${pairs.join("")}\n\n${body}`);
        if (response.status === 201) held.set(String(made++), (JSON.parse(body) as { id: string }).id);
        if (ask.tag !== undefined) held.set(ask.tag, response.headers[response.headers.indexOf("ETag") + 1] ?? "");
        if (ask.cursor !== undefined) held.set(ask.cursor, (JSON.parse(body) as { next: string }).next);
      }
      return told;
    },
    async [Symbol.asyncDispose]() {
      await service.drain();
      await store.close();
    },
  };
}

function exchangeOf({ method, path, body, key, version, ifMatch }: Ask, held: Held): HttpRequest {
  const filled = (text: string): string => text.replaceAll(/@(\w+)/g, (_, name: string) => held.get(name) ?? "none");
  const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
  return {
    method,
    target: filled(path),
    headers: readHeaders([
      ...["Authorization", `Bearer ${secret}`, "V", version],
      ...(body === undefined ? [] : ["Content-Type", "application/json", "Content-Length", String(bytes.length)]),
      ...(key === undefined ? [] : ["Idempotency-Key", key]),
      ...(ifMatch === undefined ? [] : ["If-Match", filled(ifMatch)]),
    ]),
    address: "127.0.0.1",
    secure: false,
    body: () => Promise.resolve({ kind: "bytes", bytes }),
  };
}
