/** Mistakes about paths, bodies, lists, entity tags and idempotency keys (part 4). */
import assert from "node:assert/strict";
import type { HttpRequest, HttpResponse } from "../../../../src/http/message.ts";
import type { ListQuery, PageArguments } from "../../../../src/store/port/store.ts";
import { toolsOf } from "../../../enforced/endpoints.ts";
import { ask, pass, type Scene, type Step } from "../../../enforced/proof.ts";
import { type Change, type EngineMutant, mutantsOf } from "./mutant.ts";
import { add, saw } from "./resources.ts";
import {
  inTransactions,
  operations,
  planned,
  requests,
  responses,
  stored,
  texts,
  withField,
  withFields,
} from "./wrappers.ts";

const three: readonly Step[] = ["awl", "bit", "cap"].map((name, at) =>
  ask("ann POST /things", { name, weight: 5 + at, serial: "A" }, "201"),
);
const five: readonly Step[] = [
  ...three,
  ...["dot", "eye"].map((name) => ask("bob POST /things", { name, weight: 9, serial: "A" }, "201")),
];
const keyed = "ann POST /things\nIdempotency-Key: k1";

const slot = "/halls/{1}/slots";
/** Two slots of a hall, which differ in both values of their path. */
const slots: readonly Step[] = [
  ask("POST /halls", {}, "201"),
  ask(`POST ${slot}`, { row: "firstrows", day: "2026-01-01" }, "201"),
  ask(`POST ${slot}`, { row: "otherrows", day: "2026-01-02" }, "201"),
];

const keyMutants = mutantsOf("slots", {
  "the last value of a path is enough": [
    operations("getSlot", ({ key }) => ({ ...(key && { key: { parameter: key.parameter, column: key.column } }) })),
    ...slots,
    ask(`GET ${slot}/firstrows/2026-01-02`, "404"),
  ],
  "a change needs the first value of a path alone": [
    operations(
      "changeSlot",
      ({ key }) => ({ ...(key?.before && { key: { ...key.before[0], scoped: true } }) }) as object,
    ),
    ...slots,
    ask(`PATCH ${slot}/firstrows/2026-01-02`, { name: "b" }, "404"),
  ],
  "the first value in the path of a parent does not matter": [
    operations("getRemark", ({ parents }) => ({
      parents: parents.map(({ before: _, ...parent }) => parent),
    })),
    ...slots,
    ask(`POST ${slot}/firstrows/2026-01-01/remarks`, { text: "a" }, "201"),
    ask(`GET ${slot}/otherrows/2026-01-01/remarks/{4}`, "404"),
  ],
  "the outermost parent of a path does not matter": [
    operations("getRemark", ({ parents }) => ({ parents: parents.slice(-1) })),
    ...slots,
    ask(`POST ${slot}/firstrows/2026-01-01/remarks`, { text: "a" }, "201"),
    ask("POST /halls", {}, "201"),
    ask("GET /halls/{5}/slots/firstrows/2026-01-01/remarks/{4}", "404"),
  ],
});

const [listing, listed] = toolsOf("/mcp");

const agentMutants = mutantsOf("agents", {
  "a caller has the tools of all callers": [
    toolLists((names) => [...names, "removeThing"]),
    ask(`ann ${listing}`, listed, { lacks: ["removeThing"] }),
  ],
  "a tool of a caller is missing": [
    toolLists((names) => names.slice(1)),
    ask(`ann ${listing}`, listed, { has: { result: { tools: [{ name: "addThing" }, { name: "getThing" }] } } }),
  ],
  "the address for agents admits callers without a key": [
    responses((response, { target }) =>
      target === "/mcp" && response.status === 401 ? { ...response, status: 200, body: "{}" } : response,
    ),
    ask(listing, listed, "401 unauthenticated"),
  ],
});

export const endpointMutants: readonly EngineMutant[] = [
  ...keyMutants,
  ...agentMutants,
  ...mutantsOf("things", {
    "a path is answered with another method": [
      requests((request) => (request.method === "PUT" ? withFields(request, {}, { method: "PATCH" }) : request)),
      add,
      ask("ann PUT /things/{1}\nIf-Match: {1:etag}", { note: "a" }, "405 method-not-allowed"),
    ],
    "a created record is answered with 200": [
      responses((response) => (response.status === 201 ? { ...response, status: 200 } : response)),
      add,
    ],
    "JSON that cannot be read is an internal error": [
      responses((response, _, service) => (response.status === 400 ? service.reject("internal") : response)),
      unreadable,
    ],
    "a body is accepted as any media type": [
      requests((request) =>
        request.method === "POST" ? withFields(request, { "content-type": "application/json" }) : request,
      ),
      ask("ann POST /things\nContent-Type: text/plain", saw, "415 unsupported-media"),
    ],
    "records come with the media type of a text": [
      responses((response) => (response.status === 200 ? withField(response, "content-type", "text/plain") : response)),
      add,
      ask("ann GET /things/{1}", { headers: { "Content-Type": /^application\/json/ } }),
    ],
    "a page has one item more than its size": [
      operations("listThings", ({ list }) => (list === undefined ? {} : { list: { ...list, size: 4 } })),
      ...five,
      ask("olga GET /things", { items: 3 }),
    ],
    "a page may be larger than the largest": [
      operations("listThings", ({ list }) => (list === undefined ? {} : { list: { ...list, max: 100 } })),
      ask("ann GET /things?limit=5", "200"),
      ask("ann GET /things?limit=6", "400"),
    ],
    "the next page repeats an item": [nextPages(-1), ...five, pagesHaveAll],
    "the next page skips an item": [nextPages(1), ...five, pagesHaveAll],
    "the last page has a next one": [
      texts((text, _, { target }) =>
        target.startsWith("/things") ? text.replace('"next":null', '"next":"more"') : text,
      ),
      ...three,
      ask("olga GET /things", { has: { next: null } }),
    ],
    "a filter is ignored": [
      lists(
        ({ filters: _, ...query }) => ({ ...query, filters: [] }),
        (page) => ({ ...page, filters: [] }),
      ),
      ...three,
      ask("olga GET /things?weight=6", { items: [{ name: "bit" }] }),
    ],
    "a filter compares the other way": [
      lists((query) => ({
        ...query,
        filters: query.filters.map((one) => (one.operator === "gte" ? { ...one, operator: "gt" as const } : one)),
      })),
      ...three,
      ask("olga GET /things?weight[gte]=6", { items: 2 }),
    ],
    "a filter finds nothing": [
      texts((text, _, { target }) => (target.includes("?size=") ? '{"items":[],"next":null}' : text)),
      ...three,
      ask("olga GET /things?size=small", { items: 3 }),
    ],
    "a list is sorted the other way": [
      lists((query) => ({ ...query, sort: query.sort.map((one) => ({ ...one, descending: !one.descending })) })),
      ...three,
      ask("olga GET /things?sort=name", { items: [{ name: "awl" }, { name: "bit" }, { name: "cap" }] }),
    ],
    "the sort is ignored": [
      lists((query) => ({ ...query, sort: [] })),
      ...three,
      ask("olga GET /things?sort=name", { items: [{ name: "awl" }, { name: "bit" }, { name: "cap" }] }),
    ],
    "a search finds only the same text": [
      responses((response, { target }) => {
        const text = new URL(target, "http://localhost").searchParams.get("search");
        const hasText = text === null || String(response.body).includes(`"${text}"`);
        return hasText ? response : { ...response, body: '{"items":[],"next":null}' };
      }),
      ...three,
      ask("olga GET /things?search=w", { items: [{ name: "awl" }] }),
    ],
    "an unknown parameter is ignored": [
      requests((request) => withFields(request, {}, { target: request.target.replace(/\?colour=.*$/, "") })),
      ask("ann GET /things?colour=red", "400"),
    ],
    "a stale edit is accepted": [
      requests((request) =>
        withFields(request, { "if-match": request.headers.get("if-match") === undefined ? undefined : "*" }),
      ),
      add,
      ask("ann PATCH /things/{1}\nIf-Match: {1:etag}", { note: "a" }, "200"),
      ask("ann PATCH /things/{1}\nIf-Match: {1:etag}", { note: "b" }, "412 stale"),
    ],
    "an edit needs no precondition": [
      operations(undefined, ({ edits }) => ({ edits: edits === "required" ? "optional" : edits })),
      add,
      ask("ann PATCH /things/{1}", { note: "a" }, "428 precondition-needed"),
    ],
    "a deletion needs no precondition": [
      operations("removeThing", () => ({ edits: "optional" })),
      add,
      ask("ann DELETE /things/{1}", "428 precondition-needed"),
    ],
    "the entity tag stays when the record changes": [
      inTransactions((tx) => ({
        async update(...changing) {
          const written = await tx.update(...changing);
          return written.kind === "written" ? { ...written, revision: changing[1]["_rev"] as number } : written;
        },
      })),
      add,
      ask("ann PATCH /things/{1}\nIf-Match: {1:etag}", { note: "a" }, ({ headers, status }, { replies }) => {
        assert.equal(status, 200);
        assert.notEqual(headers["etag"], replies[0]?.headers["etag"]);
      }),
      ask("ann PATCH /things/{1}\nIf-Match: {1:etag}", { note: "b" }, "412 stale"),
    ],
    "records have no entity tag": [
      responses((response) => withField(response, "etag")),
      ask("ann POST /things", saw, { headers: { ETag: /./ } }),
    ],
    "an idempotency key is forgotten": [
      inTransactions(() => ({ saveResponse: () => {} })),
      ask(keyed, saw, "201"),
      ask(keyed, saw, "201"),
      ask("ann GET /things", { items: 1 }),
    ],
    "an idempotency key answers another body": [
      replays(
        ({ headers }) =>
          headers.get("idempotency-key") && `${headers.get("idempotency-key")} ${headers.get("authorization")}`,
      ),
      ask(keyed, saw, "201"),
      ask(keyed, { ...saw, name: "axe" }, "422 idempotency-key-reused"),
    ],
    "an idempotency key answers other callers": [
      replays(({ headers }) => headers.get("idempotency-key")),
      ask(keyed, saw, "201"),
      ask("bob POST /things\nIdempotency-Key: k1", { ...saw, name: "axe" }, { status: "201", has: { owner: "bob" } }),
    ],
    "an idempotency key is kept for an hour less": [
      operations(undefined, ({ repeats }) =>
        repeats === undefined ? {} : { repeats: { ...repeats, retentionMilliseconds: 23 * 3_600_000 } },
      ),
      ask(keyed, { ...saw, weight: 7 }, "201"),
      pass(23.5 * 3_600_000),
      ask(keyed, { ...saw, weight: 7 }, (reply, { replies }) => assert.equal(reply.text, replies[0]?.text)),
    ],
    "an idempotency key is kept for ever": [
      operations(undefined, ({ repeats }) =>
        repeats === undefined ? {} : { repeats: { ...repeats, retentionMilliseconds: 1e12 } },
      ),
      ask(keyed, saw, "201"),
      pass(25 * 3_600_000),
      ask(keyed, saw, "409 already-exists"),
    ],
    "pages of any origin may call the service": [
      planned(() => ({ cors: { origins: "any", credentials: false, maxAgeSeconds: 600 } })),
      ask("ann GET /things\nOrigin: https://app.example", { headers: { "Access-Control-Allow-Origin": /./ } }),
      ask("ann GET /things\nOrigin: https://evil.example", { headers: { "Access-Control-Allow-Origin": null } }),
    ],
    "pages of no origin may call the service": [
      planned(() => ({ cors: { origins: [], credentials: false, maxAgeSeconds: 600 } })),
      ask("ann GET /things\nOrigin: https://app.example", {
        headers: { "Access-Control-Allow-Origin": "https://app.example" },
      }),
    ],
  }),
  ...mutantsOf("plain", {
    "an offset is one too small": [
      lists(
        (query) => query,
        (page) => ({ ...page, ...(page.skip && { skip: page.skip - 1 }) }),
      ),
      ...["a", "b", "c"].map((name) => ask("POST /things", { name }, "201")),
      ask("GET /things?offset=1", { items: 2 }),
    ],
    "PUT changes only the members that it names": [
      requests((request) => (request.method === "PUT" ? withFields(request, {}, { method: "PATCH" }) : request)),
      ask("POST /things", { name: "a", count: 3 }, "201"),
      ask("PUT /things/{1}", { name: "a" }, { lacks: ["count"] }),
    ],
  }),
];

/** Changes the queries of lists and what each page asks for. */
function lists(
  change: (query: ListQuery) => ListQuery,
  page: (arguments_: PageArguments) => PageArguments = (one) => one,
): Change {
  return stored((store) => ({
    list: (query) => {
      const list = store.list(query.resource === "Thing" ? change(query) : query);
      return (one, variables) => list(query.resource === "Thing" ? page(one) : one, variables);
    },
  }));
}

/** The next page begins so many items too late, or too early. */
function nextPages(by: number): Change {
  return stored((store) => ({
    list: (query) => {
      const list = store.list(query);
      return async (page, variables) => {
        const found = await list(page, variables);
        if (found.next === undefined) return found;
        const { next } = await list({ ...page, limit: page.limit + by }, variables);
        return { ...found, ...(next && { next }) };
      };
    },
  }));
}

/** Each record is once on the pages of one item. */
async function pagesHaveAll(scene: Scene): Promise<void> {
  const headers = { Authorization: `Bearer ${await scene.key("olga")}` };
  const names: string[] = [];
  let cursor: string | null | undefined;
  for (let count = 0; cursor !== null && count < 9; count++) {
    const path = `/things?limit=2&sort=name${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
    const { json, status, text } = await scene.send({ method: "GET", path, headers });
    assert.equal(status, 200, text);
    const page = json as { readonly items: readonly { readonly name: string }[]; readonly next: string | null };
    names.push(...page.items.map(({ name }) => name));
    cursor = page.next;
  }
  assert.deepEqual(names, ["awl", "bit", "cap", "dot", "eye"]);
}

async function unreadable(scene: Scene): Promise<void> {
  const headers = {
    Authorization: `Bearer ${await scene.key("ann")}`,
    "Content-Type": "application/json",
    "Content-Length": "1",
  };
  const { status, text } = await scene.send({ method: "POST", path: "/things", headers, body: "{" });
  assert.equal(status, 400, text);
}

/** The first response to a key is that to all requests with the key. */
function replays(keyOf: (request: HttpRequest) => string | undefined): Change {
  return {
    between: (service) => {
      const known = new Map<string, HttpResponse>();
      return {
        ...service,
        async response(request) {
          const key = request.method === "POST" ? keyOf(request) : undefined;
          const response = (key === undefined ? undefined : known.get(key)) ?? (await service.response(request));
          if (key !== undefined) known.set(key, response);
          return response;
        },
      };
    },
  };
}

/** Changes the names of the tools that a caller has. */
function toolLists(change: (names: readonly string[]) => readonly string[]): Change {
  return texts((text, _, { target }) => {
    if (target !== "/mcp") return text;
    const message = JSON.parse(text) as { readonly result?: { readonly tools: readonly { readonly name: string }[] } };
    if (message.result === undefined) return text;
    const { tools } = message.result;
    const names = change(tools.map(({ name }) => name));
    const changed = names.map((name) => ({ ...(tools.find((tool) => tool.name === name) ?? tools[0]), name }));
    return JSON.stringify({ ...message, result: { ...message.result, tools: changed } });
  });
}
