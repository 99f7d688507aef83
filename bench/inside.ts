/** A service on SQLite with full durability that is asked without a socket, of the sources of any worktree. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as Library from "../src/index.ts";
import type * as Mint from "../src/runtime/auth/mint.ts";
import type * as Random from "../src/runtime/random.ts";
import type { Store } from "../src/store/port/store.ts";

type Fields = readonly (readonly [name: string, value: string])[];

export interface Inside {
  readonly store: Store;
  readonly plan: Library.Plan;
  readonly key: (user: string, role: string) => Promise<string>;
  /** The body of an answer; throws at any that is no success. */
  readonly ask: (method: string, target: string, secret: string, body?: object, more?: Fields) => Promise<string>;
  /** Asks for so many, 32 at a time or as many as are said. */
  readonly all: <T>(times: number, work: (index: number) => Promise<T>, atATime?: number) => Promise<readonly T[]>;
  /** Microseconds of processor time for each. */
  readonly cost: (times: number, work: (index: number) => Promise<unknown>, atATime?: number) => Promise<number>;
}

/** `folder` is a worktree, `file` where the data is. */
export async function openInside(folder: string, text: string, file: string): Promise<Inside> {
  const load = <T>(path: string): Promise<T> => import(pathToFileURL(join(folder, path)).href) as Promise<T>;
  const library = await load<typeof Library>("src/index.ts");
  const { createRandom } = await load<typeof Random>("src/runtime/random.ts");
  const { mintKey } = await load<typeof Mint>("src/runtime/auth/mint.ts");
  const result = library.check("bench.md", new TextEncoder().encode(text));
  const model = library.soundModel(result);
  if (model === undefined) throw new Error(result.diagnostics.map(({ message }) => message).join("\n"));
  const plan = library.buildPlan(model, result.places, result.expressions);
  const clock = { now: () => Date.now() };
  const following = await library.followingOf(plan);
  const store = await library.openSqliteStore({ file, tables: plan.tables, following, clock: clock.now });
  const random = createRandom();
  const service = library.servePlan({
    plan,
    store,
    clock,
    random,
    environment: { DOOR_SECRET: "of the bench" },
    cursorSecret: "of the bench",
    baseUrl: () => "http://127.0.0.1",
    report: (failure) => console.error(failure),
  });
  let count = 0;

  async function ask(
    method: string,
    target: string,
    secret: string,
    body?: object,
    more: Fields = [],
  ): Promise<string> {
    const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
    const fields = new Map<string, string>([
      ["host", "127.0.0.1"],
      ["authorization", `Bearer ${secret}`],
      ["accept", "application/json"],
      ...more,
    ]);
    if (method === "POST") fields.set("idempotency-key", `key-of-request-${(count += 1)}`);
    if (method !== "GET") fields.set("content-length", `${bytes.length}`);
    if (body !== undefined) fields.set("content-type", "application/json");
    const response = await service.response({
      method,
      target,
      headers: { get: (name) => fields.get(name), repeated: () => false },
      address: "127.0.0.1",
      secure: false,
      body: () => Promise.resolve({ kind: "bytes", bytes }),
    });
    if (response.status > 299) throw new Error(`${method} ${target}: ${response.status} ${String(response.body)}`);
    return response.body as string;
  }

  async function all<T>(times: number, work: (index: number) => Promise<T>, atATime = 32): Promise<readonly T[]> {
    const results: T[] = [];
    let next = 0;
    const one = async (): Promise<void> => {
      while (next < times) {
        const index = next++;
        results[index] = await work(index);
      }
    };
    await Promise.all(Array.from({ length: atATime }, one));
    return results;
  }

  return {
    store,
    plan,
    ask,
    all,
    async key(user, role) {
      const [credential] = plan.credentials;
      if (credential === undefined) throw new Error("the document has no keys");
      return (await mintKey(store.keys, { user, roles: [role], credential }, clock, random)).secret;
    },
    async cost(times, work, atATime) {
      const before = process.cpuUsage();
      await all(times, work, atATime);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / times;
    },
  };
}
