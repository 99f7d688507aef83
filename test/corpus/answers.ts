/**
 * The responses of a served document to a script of requests that is derived from its OpenAPI description: each operation by each
 * kind of caller, with valid and invalid bodies, filters, conditions, older versions and pages. Clock and randomness are fixed,
 * so that the responses are always the same bytes; ids, tags and secrets are numbered in order of appearance.
 */
import { fieldWith } from "../../src/language/authentication/sent.ts";
import type { SentIn } from "../../src/language/authentication/model.ts";
import type { Json, JsonObject } from "../../src/base/json.ts";
import { getOrMake } from "../../src/base/once.ts";
import { exampleOf } from "../../src/export/example.ts";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { servicePages } from "../../src/export/page/pages.ts";
import { check } from "../../src/language/check.ts";
import type { CredentialPlan } from "../../src/plan/authentication/types.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { keyCredentials } from "../../src/runtime/auth/mint.ts";
import { seeded } from "../random.ts";
import { createClient, type Reply, type Sent } from "../serve/client.ts";
import { planOf, run, type Running } from "../serve/running.ts";
import type { CorpusDocument } from "./documents.ts";
import type { Output } from "./outputs.ts";

const start = Date.parse("2026-11-22T08:00:00.000Z");
/** Between two requests: the shortest rates are over, and timed transitions become due in the course of the script. */
const step = 61_000;

export async function answersOf({ text }: CorpusDocument): Promise<string> {
  let present = start;
  const { random, restart } = seededBytes();
  const plan = planOf(text);
  const result = check("document.md", text);
  let url = "";
  await using running = await run(text, {
    clock: { now: () => present },
    random,
    environment: secretsOf(text),
    deliveries: false,
    pages: servicePages({ result, plan, baseUrl: () => url }),
  });
  url = running.url;
  using client = createClient(running.port, () => {});
  const mapped = mapping(running.url);
  const lines: string[] = [];
  const known = new Map<string, string>();
  for (const request of requestsOf(plan, url, await callersOf(running, plan))) {
    restart(lines.length);
    const sent = filled(request.sent, known);
    const reply = await client.send(sent);
    learn(request.sent.path, reply, known);
    lines.push(mapped(`${request.title}\n${shown(sent, reply)}`));
    present += step;
    if (lines.length % 10 === 0) lines.push(`tick ${await running.tick()}`);
  }
  if (running.failures.length > 0) lines.push(mapped(`failures ${running.failures.map(String).join("\n")}`));
  return `${lines.join("\n\n")}\n`;
}

/**
 * A separate sequence for each length, so that one value more of a kind leaves the values of other kinds as they are. Each request
 * restarts them: between requests a store draws as many values as it needs.
 */
function seededBytes(): { random: (bytes: number) => Uint8Array; restart: (request: number) => void } {
  const sequences = new Map<number, () => number>();
  let seed = 0;
  return {
    random(bytes) {
      const next = getOrMake(sequences, bytes, () => seeded(seed + bytes));
      return Uint8Array.from({ length: bytes }, () => Math.floor(next() * 256));
    },
    restart(request) {
      seed = (request + 1) * 1000;
      sequences.clear();
    },
  };
}

/**
 * The responses on SQLite, and those on each store: PostgreSQL counts a rate some time after its response, when the clock of the
 * script is already at the next request.
 */
export function answerOutputs(document: string, answers: string): readonly [onSqlite: Output, onEachStore: Output] {
  const everywhere = answers.replaceAll(/(?<=^< ratelimit: .*;r=)\d+/gm, "<remaining>");
  return [
    { document, name: "answers", text: answers },
    { document, name: "answers on each store", text: everywhere },
  ];
}

interface Request {
  readonly title: string;
  readonly sent: Sent;
}

type Callers = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** Nobody, and somebody of each role by the first credential whose keys can be made here. */
async function callersOf(running: Running, { roles }: Plan): Promise<Callers> {
  const callers = new Map<string, Readonly<Record<string, string>>>([["nobody", {}]]);
  const credential = keyCredentials(running.plan).find(({ oauth }) => oauth === undefined);
  if (credential === undefined) return callers;
  for (const role of credential.roles.kind === "fixed" ? ["somebody"] : [...roles, "somebody"]) {
    const secret = await running.keyOf(credential.name, `user-${role}`, ...roles.filter((one) => one === role));
    callers.set(role, headersFor(credential, `user-${role}`, secret));
  }
  return callers;
}

function headersFor({ kind, sent }: CredentialPlan, user: string, secret: string): Readonly<Record<string, string>> {
  if (kind === "basic") return { Authorization: `Basic ${btoa(`${user}:${secret}`)}` };
  const [name, value] = fieldWith(sent[0] as SentIn, secret) ?? ["Authorization", secret];
  return { [name]: value };
}

function* requestsOf(plan: Plan, url: string, callers: Callers): Iterable<Request> {
  const description = openapi(plan, url);
  const schemas = ((description["components"] as JsonObject)["schemas"] ?? {}) as JsonObject;
  const mount = new URL(((description["servers"] as JsonObject[])[0] as { url: string }).url).pathname.replace(
    /\/$/,
    "",
  );
  for (const { method, operation, path, root } of inOrder(description)) {
    const content = ((operation["requestBody"] as JsonObject | undefined)?.["content"] ?? {}) as JsonObject;
    const [type, media] = Object.entries(content)[0] ?? [];
    const body = type === undefined ? undefined : exampleOf(schemas as never, (media as JsonObject)["schema"] as Json);
    for (const [who, headers] of callers)
      for (const [what, change] of Object.entries(variants(body, type))) {
        const made = who === "nobody" && what !== "good" && callers.size > 1 ? undefined : change();
        if (made === undefined) continue;
        const sent = {
          method: method.toUpperCase(),
          path: (root ? "" : mount) + path + (made.query ?? ""),
          headers: { ...headers, ...made.headers },
          ...(made.body === undefined ? {} : { body: made.body }),
        };
        yield { title: `${who}: ${what}`, sent };
      }
  }
  for (const path of [
    "/",
    "/openapi.json",
    "/asyncapi.json",
    "/errors/invalid-request",
    "/nowhere",
    "/livez",
    "/readyz",
  ])
    yield {
      title: "nobody: page",
      sent: { method: "GET", path, headers: { Accept: "text/html, application/json;q=0.5" } },
    };
}

interface Described {
  readonly method: string;
  readonly path: string;
  readonly operation: JsonObject;
  /** Not below the mount point of the operations. */
  readonly root: boolean;
}

/** First what makes records, then what changes them, and at the end what deletes them. */
function inOrder(description: JsonObject): readonly Described[] {
  const rank = ({ method, path }: Described): number =>
    method === "delete" ? 3 : method === "get" ? 1 : path.includes("{") ? 2 : 0;
  return Object.entries(description["paths"] as JsonObject)
    .flatMap(([path, item]) =>
      ["post", "get", "put", "patch", "delete"].flatMap((method): Described[] => {
        const operation = (item as JsonObject)[method] as JsonObject | undefined;
        // A stream has no end.
        if (operation === undefined || JSON.stringify(operation["responses"]).includes("text/event-stream")) return [];
        return [{ method, path, operation, root: (item as JsonObject)["servers"] !== undefined }];
      }),
    )
    .sort((one, other) => rank(one) - rank(other));
}

interface Variant {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
}

function variants(body: unknown, type: string | undefined): Readonly<Record<string, () => Variant | undefined>> {
  const typed = type === undefined ? {} : { "Content-Type": type };
  const key = (name: string) => ({ "Idempotency-Key": name });
  const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
  return {
    good: () => ({ body: textOf(body), headers: { ...typed, ...key("k1"), "If-Match": "*" } }),
    again: () => ({ body: textOf(body), headers: { ...typed, ...key("k1") } }),
    "no key": () => ({ body: textOf(body), headers: typed }),
    empty: () => (type === undefined ? undefined : { body: "{}", headers: { ...typed, ...key("k2") } }),
    "not JSON": () => (type === undefined ? undefined : { body: "{", headers: { ...typed, ...key("k3") } }),
    "wrong types": () =>
      isObject
        ? {
            body: textOf(mapValues(body, (value) => (typeof value === "string" ? 1 : "x"))),
            headers: { ...typed, ...key("k4") },
          }
        : undefined,
    unknown: () => (isObject ? { body: textOf({ ...body, zzz: 1 }), headers: { ...typed, ...key("k5") } } : undefined),
    "other media type": () =>
      type === undefined ? undefined : { body: "a", headers: { "Content-Type": "text/plain", ...key("k6") } },
    query: () => ({ query: "?limit=2&zzz=1", body: textOf(body), headers: { ...typed, ...key("k7") } }),
    stale: () => ({
      body: textOf(body),
      headers: { ...typed, ...key("k8"), "If-Match": '"stale"', "If-None-Match": '"other"' },
    }),
    "not acceptable": () => ({ body: textOf(body), headers: { ...typed, ...key("k9"), Accept: "image/png" } }),
  };
}

function textOf(body: unknown): string | undefined {
  return body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
}

function mapValues(object: object, change: (value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

const ids = /\b([a-z0-9]*_)[0-9a-hjkmnp-tv-z]{26}\b/g;

/** `/parcels/{id}/moves` with the id of the last record that was made or seen below `/parcels`; each id of a body with one that there is. */
function filled(sent: Sent, known: ReadonlyMap<string, string>): Sent {
  const path = sent.path.replace(
    /\{[^}]*\}/g,
    (_, at: number) => known.get(collectionOf(sent.path.slice(0, at))) ?? "unknown",
  );
  if (typeof sent.body !== "string") return { ...sent, path };
  return { ...sent, path, body: sent.body.replace(ids, (id, prefix: string) => known.get(prefix) ?? id) };
}

const collectionOf = (path: string): string =>
  path
    .split("/")
    .filter((segment) => /^[a-z]/.test(segment))
    .at(-1) ?? "";

function learn(path: string, { json, status, text }: Reply, known: Map<string, string>): void {
  if (status >= 300 || typeof json !== "object" || json === null) return;
  for (const [id, prefix] of text.matchAll(ids)) known.set(prefix as string, id);
  const [list] = Object.values(json).filter(Array.isArray) as unknown[][];
  const record = ((list === undefined ? json : list[0]) ?? {}) as Record<string, unknown>;
  const inner = Object.values(record).find((one) => typeof one === "object" && one !== null && "id" in one);
  const id = record["id"] ?? (inner as Record<string, unknown> | undefined)?.["id"];
  if (id !== undefined)
    known.set(collectionOf(path.split("?")[0] as string), encodeURIComponent(id as string | number));
}

const contentHeaders = /^(?:content-type|idempotency-key|if-match|if-none-match|accept)$/i;
const framing = new Set(["date", "connection", "keep-alive", "content-length", "transfer-encoding"]);

function shown({ body, headers = {}, method, path }: Sent, { headers: got, status, text }: Reply): string {
  const asked = Object.entries(headers).filter(([name]) => contentHeaders.test(name)).map(([name, value]) => `> ${name}: ${String(value)}`); // biome-ignore format: a list
  const told = Object.entries(got).filter(([name]) => !framing.has(name)).toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([name, value]) => `< ${name}: ${value}`); // biome-ignore format: a list
  return [
    `${method} ${path}`,
    ...asked,
    ...(body === undefined ? [] : [body as string]),
    `${status}`,
    ...told,
    text,
  ].join("\n");
}

/** What is another one each time gets a number, the first one that appears the first. */
function mapping(url: string): (text: string) => string {
  const numbers = new Map<string, string>();
  const numbered = (kind: string) => (found: string) => {
    const known = numbers.get(found) ?? `<${kind} ${numbers.size + 1}>`;
    numbers.set(found, known);
    return known;
  };
  return (text) =>
    text
      .replaceAll(url, "http://service.example")
      .replaceAll(url.replace("http://", ""), "service.example")
      .replace(/\breq_[0-9a-z]{26}\b/g, numbered("request"))
      .replace(ids, numbered("id"))
      .replace(
        /(?<="(?:secret|token|key|accessToken|access_token|refreshToken|refresh_token)":")[^"]+/g,
        numbered("secret"),
      )
      .replace(/(?<=^< etag: ).*$/gm, numbered("tag"));
}

/** Of each `env NAME` that the document names. */
function secretsOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(/\benv ([A-Z][A-Z0-9_]*)/g)].map(([, name]) => [
      name as string,
      "c2VjcmV0IG9mIHRoZSBjb3JwdXMsIDMyIGJ5dGVz",
    ]),
  );
}
