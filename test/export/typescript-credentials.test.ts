/** The exported client sends each kind of credential, in each place, to a served document, over a real socket. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block } from "../enforced/document.ts";
import { documentOf } from "../enforced/document.ts";
import { run } from "../serve/running.ts";
import { documentText } from "../serve/scenario.ts";
import { type Called, moduleOf } from "./client-of.ts";

type AnyClient = Readonly<Record<string, (...values: unknown[]) => Called>>;

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

interface Sent {
  readonly url: string;
  readonly headers: Headers;
}

/** Records each request, as it was sent. */
function noting(): { readonly sent: Sent[]; readonly fetch: Fetch } {
  const sent: Sent[] = [];
  return {
    sent,
    fetch: (url, init) => {
      sent.push({ url: url, headers: new Headers(init.headers) });
      return fetch(url, init);
    },
  };
}

const operations = ["addThing", "getThing", "listThings"];

function documentWith(credentials: Block, parts: { readonly endpoints?: Block } = {}): string {
  const allow = Object.fromEntries(operations.map((name) => [name, "signed-in"]));
  return documentOf({ ...parts, authentication: { credentials, allow } });
}

interface Place {
  readonly sent: string | readonly string[];
  /** Where the key is found in a request. */
  readonly found: (sent: Sent) => string | null;
}

const places: readonly Place[] = [
  { sent: "query api_key", found: ({ url }) => new URL(url).searchParams.get("api_key") },
  { sent: "cookie session", found: ({ headers }) => headers.get("Cookie")?.replace("seen=1; session=", "") ?? null },
  { sent: "header X-Key", found: ({ headers }) => headers.get("X-Key") },
  { sent: "Authorization token", found: ({ headers }) => headers.get("Authorization")?.replace("token ", "") ?? null },
  { sent: ["query api_key", "header X-Key"], found: ({ headers }) => headers.get("X-Key") },
  { sent: ["query api_key", "cookie session"], found: ({ url }) => (url.includes("api_key") ? null : "in the cookie") },
];

for (const { found, sent: declared } of places) {
  test(`a key goes where the document declares it: ${String(declared)}`, async () => {
    const sent = typeof declared === "string" ? declared : [...declared];
    await using service = await run(documentWith({ key: { kind: "api-key", sent } }), { store: "memory" });
    const module = await moduleOf(service.plan);
    const noted = noting();
    const key = await service.key("ann", "member");
    const headers = { Cookie: "seen=1" };
    const options = { baseUrl: service.url, fetch: noted.fetch, headers };
    const client = module.createClient({ ...options, credential: { key } }) as unknown as AnyClient;
    const thing = await client["addThing"]?.({ name: "a" });
    assert.equal(thing?.["name"], "a");
    assert.equal((await client["getThing"]?.(thing?.id))?.id, thing?.id);
    const names: unknown[] = [];
    for await (const one of client["listThings"]?.({ limit: 1 }) ?? []) names.push(one["name"]);
    assert.deepEqual(names, ["a"]);
    for (const one of noted.sent) assert.ok([key, "in the cookie"].includes(found(one) ?? ""), one.url);
    const wrong = module.createClient({ ...options, credential: { key: `${key}&=; x` } }) as unknown as AnyClient;
    await assert.rejects(wrong["listThings"]?.() ?? Promise.resolve(), /401 unauthenticated|400 invalid-request/);
    const none = module.createClient(options) as unknown as AnyClient;
    await assert.rejects(none["listThings"]?.() ?? Promise.resolve(), /401 unauthenticated/);
    assert.deepEqual(service.failures, []);
  });
}

interface Scheme {
  readonly credential: Block;
  readonly secret?: string;
  /** The header fields of a signed request, besides those of every request. */
  readonly fields: readonly string[];
}

const base64Secret = `whsec_${Buffer.from("a secret of some length!").toString("base64")}`;

const schemes: Readonly<Record<string, Scheme>> = {
  "the request itself": { credential: {}, fields: ["authorization"] },
  "a field of its own": { credential: { sent: "header X-Signature" }, fields: ["x-signature"] },
  "standard-webhooks": {
    credential: { scheme: "standard-webhooks" },
    secret: base64Secret,
    fields: ["webhook-id", "webhook-signature", "webhook-timestamp"],
  },
  stripe: { credential: { scheme: "stripe" }, fields: ["stripe-signature"] },
  github: { credential: { scheme: "github" }, fields: ["x-github-delivery", "x-github-event", "x-hub-signature-256"] },
  slack: {
    credential: { scheme: "slack", tolerance: "10m" },
    fields: ["x-slack-request-timestamp", "x-slack-signature"],
  },
  "a scheme in another field": {
    credential: { scheme: "stripe", sent: "Authorization Signed" },
    fields: ["authorization"],
  },
  "a scheme of the document": {
    credential: {
      scheme: { over: "{seconds};{body};{id}", headers: { "X-Sum": "{base64}", "X-Of": "{id}/{seconds}" } },
    },
    fields: ["x-of", "x-sum"],
  },
};

const usual = new Set(["accept", "content-type"]);

for (const [name, { credential, fields, secret = "correct horse" }] of Object.entries(schemes)) {
  test(`requests are signed: ${name}`, async () => {
    const device = { kind: "hmac-sha256", secret: "env DEVICE_SECRET", ...credential };
    const text = documentWith({ device });
    await using service = await run(text, { store: "memory", environment: { DEVICE_SECRET: secret } });
    const module = await moduleOf(service.plan);
    const noted = noting();
    const options = { baseUrl: service.url, fetch: noted.fetch };
    const client = module.createClient({ ...options, credential: { device: () => secret } }) as unknown as AnyClient;
    const thing = await client["addThing"]?.({ name: "Öl" });
    assert.equal(thing?.["name"], "Öl");
    const page = (await client["listThings"]?.({ limit: 3 }).outcome()) as { readonly ok: boolean };
    assert.ok(page.ok);
    for (const { headers } of noted.sent)
      assert.deepEqual([...headers.keys()].filter((field) => !usual.has(field)).toSorted(), fields);
    const forged = module.createClient({ ...options, credential: { device: `${secret.slice(0, -4)}AAAA` } });
    await assert.rejects((forged as unknown as AnyClient)["addThing"]?.({ name: "b" }) ?? Promise.resolve(), /401/);
    const empty = module.createClient({ ...options, credential: { device: "" } }) as unknown as AnyClient;
    await assert.rejects(empty["addThing"]?.({ name: "b" }) ?? Promise.resolve(), { name: "TypeError" });
    assert.deepEqual(service.failures, []);
  });
}

test("events are signed with the fields that tell their kind, and count once though a response was lost", async () => {
  const environment = { STRIPE_SECRET: "a", GITHUB_SECRET: "the secret of the code host" };
  await using service = await run(documentText("purchases"), { store: "memory", environment });
  const module = await moduleOf(service.plan);
  const clerk = module.createClient({
    baseUrl: service.url,
    credential: { key: await service.keyOf("key", "cleo", "clerk") },
  }) as unknown as AnyClient;
  const purchase = await clerk["addPurchase"]?.({ intent: "octo/site" });
  const noted = noting();
  // Something on the way loses the first response, after the service has done its work.
  const losing: Fetch = async (url, init) => {
    const response = await noted.fetch(url, init);
    if (noted.sent.length > 1) return response;
    return new Response(null, { status: 503 });
  };
  const host = module.createClient({
    ...{ baseUrl: service.url, fetch: losing, retries: { most: 2, firstDelay: 1 } },
    credential: { github: environment.GITHUB_SECRET },
  }) as unknown as AnyClient;
  const pushes = async (): Promise<unknown> => (await clerk["getPurchase"]?.(purchase?.id))?.["pushes"];
  const repository = { full_name: "octo/site" };
  await host["codePushed"]?.({ repository });
  assert.equal(noted.sent.length, 2, "two attempts");
  assert.equal(await pushes(), 1, "one push");
  await host["codePushed"]?.({ repository, ref: "main" });
  assert.equal(await pushes(), 2);
  await host["issueClosed"]?.({ action: "closed", repository });
  assert.equal(await pushes(), 0);
  assert.deepEqual(
    noted.sent.map(({ headers }) => headers.get("X-GitHub-Event")),
    ["push", "push", "push", "issues"],
  );
  assert.equal(new Set(noted.sent.map(({ headers }) => headers.get("X-GitHub-Delivery"))).size, 3);
  assert.deepEqual(service.failures, []);
});
