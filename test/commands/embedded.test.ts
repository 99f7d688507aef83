/** `createService`: a service inside a program, from a document, data and functions. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createService, ServiceError } from "nonet";
import { documentText } from "../serve/scenario.ts";

const kiosk = documentText("kiosk");
const price = { amount: "2.50", currency: "EUR" };

/** Those that the document needs, and any others; untyped, as a program without types gives them. */
function functions(more: object = {}): never {
  const named = ["buy", "refill", "audit", "closeAll", "newest"].map((name) => [name, () => undefined]);
  const quote = () => ({ total: price });
  return { ...Object.fromEntries(named), quote, ...more } as never;
}

function post(path: string, body: unknown, headers: Record<string, string> = {}): Request {
  const sent = { "Content-Type": "application/json", ...headers };
  return new Request(`https://kiosk.example${path}`, { method: "POST", headers: sent, body: JSON.stringify(body) });
}

test("requests are answered without a socket, and with one", async () => {
  const notices: string[] = [];
  const service = await createService({
    document: kiosk,
    handlers: functions({
      after: { addDrink: ({ log }: { log: (text: string) => void }) => log("added") },
    }),
    notice: (sentence) => notices.push(sentence),
    report: (failure) => assert.fail(String(failure)),
    baseUrl: "https://kiosk.example",
  });
  const Authorization = `Bearer ${await service.createKey({ user: "olga", roles: ["owner"] })}`;
  const made = await service.fetch(post("/drinks", { name: "tea", price }, { Authorization }));
  assert.deepEqual([made.status, made.headers.get("content-type")], [201, "application/json"]);
  const { id } = (await made.json()) as { id: string };
  assert.equal(made.headers.get("location"), `/drinks/${id}`);
  assert.match(notices.join(), /^addDrink \S+: added$/);

  const found = await service.fetch(new Request(`https://kiosk.example/drinks/${id}`));
  const tag = found.headers.get("etag") ?? "";
  assert.equal(((await found.json()) as { name: string }).name, "tea");
  const known = new Request(`https://kiosk.example/drinks/${id}`, { headers: { "If-None-Match": tag } });
  assert.equal((await service.fetch(known)).status, 304);
  const head = await service.fetch(new Request(`https://kiosk.example/drinks/${id}`, { method: "HEAD" }));
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  const wrong = await service.fetch(post("/quote", { drink: id, count: 10 }));
  assert.deepEqual([wrong.status, wrong.headers.get("content-type")], [422, "application/problem+json"]);
  assert.deepEqual(await (await service.fetch(post("/quote", { drink: id, count: 1 }))).json(), { total: price });
  const large = await service.fetch(post("/quote", { drink: "x".repeat(2_000_000), count: 1 }));
  assert.equal(large.status, 413);

  const { url } = await service.listen();
  assert.equal((await fetch(`${url}/drinks/${id}`)).status, 200);
  await service.close();
  await assert.rejects(fetch(`${url}/drinks/${id}`));
});

test("a stream goes on until either side ends it", async () => {
  await using service = Object.assign(await createService({ document: kiosk, handlers: functions() }), {
    async [Symbol.asyncDispose]() {
      await service.close();
    },
  });
  const Authorization = `Bearer ${await service.createKey({ user: "olga", roles: ["owner"] })}`;
  const leaving = new AbortController();
  const events = await service.fetch(
    new Request("https://kiosk.example/events", {
      headers: { Authorization, Accept: "text/event-stream" },
      signal: leaving.signal,
    }),
  );
  assert.equal(events.headers.get("content-type"), "text/event-stream");
  const reader = (events.body as ReadableStream<Uint8Array>).getReader();
  const { id } = (await (await service.fetch(post("/drinks", { name: "tea", price }, { Authorization }))).json()) as {
    id: string;
  };
  await service.fetch(post(`/drinks/${id}/sell`, {}, { Authorization }));
  let told = "";
  const decoder = new TextDecoder();
  while (!told.includes("drink.gone")) told += decoder.decode((await reader.read()).value, { stream: true });
  leaving.abort();
  await assert.rejects(reader.read());
});

test("what cannot be served says why", async () => {
  const wrong = kiosk.replace("name: string(1..20), unique", "name: strnig(1..20), unique");
  await assert.rejects(createService({ document: wrong, handlers: functions() }), (thrown) => {
    assert(thrown instanceof ServiceError);
    assert.deepEqual(
      thrown.diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code),
      ["resources/unknown-type"],
    );
    return true;
  });
  await assert.rejects(createService({ document: kiosk }), /there is no function `buy`/);
  await assert.rejects(
    createService({ document: kiosk, handlers: functions({ quotte: () => 1 }) }),
    /`quotte` is no operation of the document; did you mean `quote`\?/,
  );
  await assert.rejects(createService({ document: "/no/such/document.md" }), /ENOENT/);
});

test("a document and its data are named by their paths, and the data is there again", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "nonet-embedded-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const document = join(folder, "kiosk.md");
  await writeFile(document, kiosk);
  const options = { document, store: join(folder, "kiosk.db"), handlers: functions() };
  for (const round of [1, 2]) {
    const service = await createService(options);
    const Authorization = `Bearer ${await service.createKey({ user: "olga", roles: ["owner"] })}`;
    await service.fetch(post("/drinks", { name: `tea ${round}`, price }, { Authorization }));
    const list = await service.fetch(new Request("https://kiosk.example/drinks"));
    assert.equal(((await list.json()) as { items: unknown[] }).items.length, round);
    await service.close();
  }
});

const pages = ["/", "/openapi.json", "/errors/not-found", "/.well-known/api-catalog"];
for (const [whom, anonymous, signedIn] of [
  ["public", 200, 200],
  ["signed-in", 401, 200],
  ["off", 404, 404],
] as const) {
  test(`I16 pages: ${whom} gives them with ${anonymous} to anybody, and with ${signedIn} to a caller with a credential`, async () => {
    const service = await createService({ document: kiosk, handlers: functions(), pages: whom });
    const Authorization = `Bearer ${await service.createKey({ user: "olga" })}`;
    const get = async (path: string, headers: Record<string, string>): Promise<number> =>
      (await service.fetch(new Request(`http://kiosk.example${path}`, { headers }))).status;
    for (const path of pages) {
      assert.equal(await get(path, {}), anonymous, path);
      assert.equal(await get(path, { Authorization }), signedIn, path);
      if (whom !== "off")
        assert.equal(await get(path, { Authorization: "Bearer ki_wrong" }), whom === "public" ? 200 : 401);
    }
    assert.equal(await get("/livez", {}), 200, "probes have no credential");
    await service.close();
  });
}
