/** Proofs of part 4. */
import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../src/base/json.ts";
import { sentForms } from "../../src/language/endpoints/model.ts";
import type { ServiceFunctions } from "../../src/runtime/functions/functions.ts";
import type { Block, Parts } from "./document.ts";
import { crud, documentOf, things } from "./document.ts";
import type { Expected, Proof, ApiError, Step } from "./proof.ts";
import { ask, pass } from "./proof.ts";
import { says } from "./resources.ts";

const count = things({ count: "integer, sort, filter", "name?": "string(1..9), search, filter, sort" });

/** Of things with a count, and what else part 4 says. */
function said(endpoints: Block, more: Parts = {}): string {
  return documentOf({ resources: count, endpoints, ...more });
}

/** Of the endpoints of things, with some of them otherwise. */
function served(endpoints: Block, more: Parts = {}): string {
  return said({ endpoints: { ...crud, ...endpoints } }, more);
}

const three: readonly Step[] = [1, 2, 3].map((each) => ask("POST /things", { count: each }, "201"));

/** An agent's request for its tools, in the revision of 2026-07-28. */
export const toolsOf = (path: string): readonly [string, JsonObject] => [
  `POST ${path}\nAccept: application/json, text/event-stream\nMCP-Protocol-Version: 2026-07-28\nMcp-Method: tools/list`,
  {
    ...{ jsonrpc: "2.0", id: 1, method: "tools/list" },
    params: {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "a proof", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  },
];

const paths: readonly Proof[] = [
  {
    of: ["endpoints/base"],
    with: said({ base: "{base_url}/v7" }),
    without: said({ base: "{base_url}" }),
    play: [
      ask("POST /v7/things", { count: 1 }, { status: "201", headers: { Location: /\/v7\/things\/thi_/ } }),
      ask("GET /v7/things", { items: 1 }),
      ask("GET /openapi.json", says("/v7")),
    ],
  },
  {
    of: ["endpoints/cors"],
    with: said({ cors: ["https://app.example", "https://*.example"] }),
    without: said({}),
    play: [
      ask(`GET /things\nOrigin: https://app.example`, {
        headers: { "Access-Control-Allow-Origin": "https://app.example", Vary: /Origin/ },
      }),
      ask(`GET /things\nOrigin: https://b.example`, {
        headers: { "Access-Control-Allow-Origin": "https://b.example" },
      }),
      ask(`GET /things\nOrigin: https://example`, { headers: { "Access-Control-Allow-Origin": null } }),
    ],
  },
  {
    of: ["endpoints/cors/none"],
    with: said({ cors: "none" }),
    without: said({ cors: "https://app.example" }),
    play: [ask(`GET /things\nOrigin: https://app.example`, { headers: { "Access-Control-Allow-Origin": null } })],
  },
  {
    of: ["endpoints/cors/origins/any"],
    with: said({ cors: "any" }),
    without: said({ cors: "https://app.example" }),
    play: [ask(`GET /things\nOrigin: https://other.example`, { headers: { "Access-Control-Allow-Origin": "*" } })],
  },
  {
    of: ["endpoints/cors/credentials"],
    with: said({ cors: { origins: "https://app.example", credentials: "yes" } }),
    without: said({ cors: "https://app.example" }),
    play: [
      ask(`GET /things\nOrigin: https://app.example`, { headers: { "Access-Control-Allow-Credentials": "true" } }),
    ],
  },
  {
    of: ["endpoints/cors/keep"],
    with: said({ cors: { origins: "https://app.example", keep: "1h" } }),
    without: said({ cors: "https://app.example" }),
    play: [
      ask(`OPTIONS /things\nOrigin: https://app.example\nAccess-Control-Request-Method: POST`, {
        status: "204",
        headers: { "Access-Control-Max-Age": "3600", "Access-Control-Allow-Methods": /POST/ },
      }),
    ],
  },
  {
    of: ["endpoints/mcp"],
    with: said({ mcp: "/agents" }),
    without: said({ mcp: "/mcp" }),
    play: [
      ask(...toolsOf("/agents"), { status: "200", has: { result: { tools: [{ name: "addThing" }] } } }),
      ask(...toolsOf("/mcp"), "404 not-found"),
    ],
  },
  {
    of: ["endpoints/mcp/none"],
    with: said({ mcp: "none" }),
    without: said({ mcp: "/mcp" }),
    play: [ask(...toolsOf("/mcp"), "404 not-found")],
  },
  {
    of: ["endpoints/mcp/for"],
    with: said({ mcp: { at: "/mcp", for: "admin" } }),
    without: said({ mcp: "/mcp" }),
    play: [
      ask(`olga ${toolsOf("/mcp")[0]}`, toolsOf("/mcp")[1], "200"),
      ask(`ann ${toolsOf("/mcp")[0]}`, toolsOf("/mcp")[1], "403 forbidden"),
      ask(...toolsOf("/mcp"), "401 unauthenticated"),
    ],
  },
  {
    of: ["endpoints/endpoints"],
    with: served({}),
    without: said({ endpoints: { addThing: "POST /things" } }),
    play: [...three, ask("GET /things/{1}", { has: { count: 1 } }), ask("GET /nothing", "404")],
  },
  ...method("GET", "listThings", [ask("GET /things", "200")]),
  ...method("POST", "addThing", [
    ask("POST /things", { count: 1 }, { status: "201", headers: { Location: /things\/thi_/ } }),
  ]),
  ...method("PUT", "putThing", [
    three[0] as Step,
    ask("PUT /things/{1}", { count: 2 }, { has: { count: 2 }, lacks: ["name"] }),
  ]),
  ...method("PATCH", "changeThing", [
    three[0] as Step,
    ask("PATCH /things/{1}", { name: "a" }, { has: { count: 1, name: "a" } }),
  ]),
  ...method("DELETE", "removeThing", [
    three[0] as Step,
    ask("DELETE /things/{1}", "204"),
    ask("GET /things/{1}", "404"),
  ]),
  {
    of: ["endpoints/endpoints/of"],
    with: served({ listStuff: { at: "GET /stuff", of: "Thing" } }),
    without: served(
      { listStuff: { at: "GET /stuff", of: "Other" } },
      { resources: { ...count, Other: { id: "id(oth)" } } },
    ),
    play: [...three, ask("GET /stuff", { items: 3 })],
  },
  {
    of: ["endpoints/endpoints/does", "endpoints/endpoints/does/create"],
    with: served({ begin: { at: "POST /things/new", does: "create" } }),
    without: served({}),
    play: [ask("POST /things/new", { count: 1 }, "201"), ask("GET /things", { items: 1 })],
  },
  does("read", "GET /things/{id}/more", "list", [three[0] as Step, ask("GET /things/{1}/more", { has: { count: 1 } })]),
  does("list", "GET /things/all", "read", [...three, ask("GET /things/all", { items: 3 })]),
  does("update", "POST /things/{id}/edit", "replace", [
    ask("POST /things", { count: 1, name: "a" }, "201"),
    ask("POST /things/{1}/edit", { count: 2 }, { has: { count: 2, name: "a" } }),
  ]),
  does("replace", "POST /things/{id}/edit", "update", [
    ask("POST /things", { count: 1, name: "a" }, "201"),
    ask("POST /things/{1}/edit", { count: 2 }, { has: { count: 2 }, lacks: ["name"] }),
  ]),
  does("delete", "POST /things/{id}/drop", "update", [
    three[0] as Step,
    ask("POST /things/{1}/drop", "204"),
    ask("GET /things/{1}", "404"),
  ]),
  {
    of: ["endpoints/endpoints/does/move"],
    with: moved({ at: "PATCH /things/{id}/closing", does: "move" }),
    // An operation that a transition names has to move.
    without: moved({ at: "PATCH /things/{id}/closing", does: "update" }).replace("by close", "by open"),
    play: [
      ask("POST /things", {}, { has: { state: "open" } }),
      ask("PATCH /things/{1}/closing", { has: { state: "closed" } }),
      ask("PATCH /things/{1}/closing", "409 state-conflict"),
    ],
  },
];

const handlers: readonly Proof[] = [
  {
    of: ["endpoints/endpoints/does/none"],
    with: served({ twice: { at: "POST /things/{id}/twice", does: "none" } }),
    without: served({}),
    play: [three[2] as Step, ask("POST /things/{1}/twice", "501 not-implemented")],
  },
  {
    of: ["endpoints/endpoints/does/handler", "endpoints/endpoints/shape"],
    with: served({
      twice: {
        at: "POST /things/{id}/twice",
        does: "handler",
        takes: { by: "integer(1..9)" },
        gives: { count: "integer" },
      },
    }),
    without: served({}),
    functions: {
      twice: async ({ record, input, records }) => {
        const { id, count } = record as unknown as { id: string; count: number };
        return records["Thing"]
          ?.update(id, { count: count * (input["by"] as number) })
          .then((now) => ({ count: now["count"] }));
      },
    },
    play: [
      three[2] as Step,
      ask("POST /things/{1}/twice", { by: 2 }, { is: { count: 6 } }),
      ask("POST /things/{1}/twice", { by: 10 }, "422 #/by too-large"),
      ask("GET /things/{1}", { has: { count: 6 } }),
    ],
  },
];

/** One that says back what it is given; with 2 in the query it tells no count, with 3 it has nothing to say. */
const echo: ServiceFunctions = {
  echo: ({ input }) => {
    const { path, query = {}, header, cookie, body } = input as Readonly<Record<string, JsonObject>>;
    if (query["n"] === 3) return { status: 202 };
    const said = [path?.["day"], query["n"], header?.["X-Trace"], cookie?.["seen"], body?.["label"]];
    const headers = query["n"] === 2 ? {} : { "X-Count": said.length };
    return { status: 200, body: said.map((one) => one ?? null), headers };
  },
};

const label = { type: "object", required: ["label"], properties: { label: { type: "string", maxLength: 3 } } };
const form = "application/x-www-form-urlencoded";
const own = "application/vnd.echo+json";

interface WireParts extends Block {
  readonly path: Block;
  readonly query: Block;
  readonly header: Block;
  readonly cookie: Block;
  readonly "body?": Block;
  readonly answers: Block;
}

const answer = {
  schema: { type: "array", maxItems: 5 },
  media: [own],
  headers: { "X-Count?": { type: "integer", note: "How many members", example: 55 } },
  note: "What was asked",
};

const wire: WireParts = {
  path: { day: { type: "date", note: "Which day", example: "2026-05-06" } },
  query: { "n?": { type: "integer(1..3)", note: "Which number", example: 1 } },
  header: { "X-Trace?": { type: "uuid", note: "Which trace", example: "6e8bc430-9c3a-11d9-9669-0800200c9a66" } },
  cookie: { "seen?": { type: "boolean", note: "Seen before", example: true } },
  "body?": { schema: label, media: ["application/json", form], note: "Which label" },
  answers: { 200: answer, 202: "none", 400: "none" },
};

function wired(changed: Block): string {
  const { "body?": may, ...rest } = wire;
  const body = "body" in changed ? {} : { "body?": may };
  return served({ echo: { at: "PUT /echo/{day}", does: "handler", wire: { ...rest, ...body, ...changed } } });
}

/** By construct, the wire without it: the same play sees the difference. */
const wires: readonly Proof[] = Object.entries<Block>({
  "": { path: {}, query: {}, header: {}, cookie: {}, "body?": "none" },
  path: { path: "none" },
  "path/note": { path: { day: { type: "date", example: "2026-05-06" } } },
  "path/example": { path: { day: { type: "date", note: "Which day" } } },
  query: { query: "none" },
  "query/optional": { query: { n: { type: "integer(1..3)", note: "Which number", example: 1 } } },
  "query/note": { query: { "n?": { type: "integer(1..3)", example: 1 } } },
  "query/example": { query: { "n?": { type: "integer(1..3)", note: "Which number" } } },
  header: { header: "none" },
  "header/optional": { header: { "X-Trace": { type: "uuid", note: "Which trace", example: "6e8bc430-9c3a-11d9-9669-0800200c9a66" } } },
  "header/note": { header: { "X-Trace?": { type: "uuid", example: "6e8bc430-9c3a-11d9-9669-0800200c9a66" } } },
  "header/example": { header: { "X-Trace?": { type: "uuid", note: "Which trace" } } },
  cookie: { cookie: "none" },
  "cookie/optional": { cookie: { seen: { type: "boolean", note: "Seen before", example: true } } },
  "cookie/note": { cookie: { "seen?": { type: "boolean", example: true } } },
  "cookie/example": { cookie: { "seen?": { type: "boolean", note: "Seen before" } } },
  body: { "body?": "none" },
  "body/type": { "body?": { media: ["application/json", form], note: "Which label" } },
  "body/media": { "body?": { schema: label, note: "Which label" } },
  "body/optional": { body: { schema: label, media: ["application/json", form], note: "Which label" } },
  "body/note": { "body?": { schema: label, media: ["application/json", form] } },
  answers: { answers: { 202: "none" } },
  "answers/type": { answers: { ...wire.answers as object, 200: { ...answer, schema: true } } },
  "answers/media": { answers: { ...wire.answers as object, 200: { ...answer, media: ["application/json"] } } },
  "answers/headers": { answers: { ...wire.answers as object, 200: { ...answer, headers: "none" } } },
  "answers/headers/optional": { answers: { ...wire.answers as object, 200: { ...answer, headers: { "X-Count": answer.headers["X-Count?"] } } } },
  "answers/headers/note": { answers: { ...wire.answers as object, 200: { ...answer, headers: { "X-Count?": { type: "integer", example: 55 } } } } },
  "answers/headers/example": { answers: { ...wire.answers as object, 200: { ...answer, headers: { "X-Count?": { type: "integer", note: "How many members" } } } } },
  "answers/note": { answers: { ...wire.answers as object, 200: { schema: answer.schema, media: answer.media, headers: answer.headers } } },
}).map(([construct, changed]) => ({
  of: [`endpoints/endpoints/wire${construct === "" ? "" : `/${construct}`}`],
  unobserved: true,
  with: wired({}),
  without: wired(changed),
  functions: echo,
  play: [
    ask("PUT /echo/2026-01-31?n=1\nCookie: seen=true", { label: "abc" }, { is: ["2026-01-31", 1, null, true, "abc"], headers: { "X-Count": "5", "Content-Type": own } }),
    ask(`PUT /echo/2026-01-31?n=2\nX-Trace: 6e8bc430-9c3a-11d9-9669-0800200c9a66`, { is: ["2026-01-31", 2, "6e8bc430-9c3a-11d9-9669-0800200c9a66", null, null] }),
    ask("PUT /echo/2026-01-31?n=3", "202"),
    ask("PUT /echo/2026-01-31", "200"),
    ask("PUT /echo/someday", "400"),
    ask("PUT /echo/2026-01-31?n=4", "400"),
    ask("PUT /echo/2026-01-31\nX-Trace: abc", "400"),
    ask("PUT /echo/2026-01-31\nCookie: seen=perhaps", "400"),
    ask("PUT /echo/2026-01-31", { label: "abcd" }, "400"),
    ...["Which day", "2026-05-06", "Which number", '"example":1', "Which trace", '"example":"6e8b', "Seen before", '"example":true', "Which label", form, "How many members", '"example":55', "What was asked", '"maxItems":5'].map((text) => ask("GET /openapi.json", says(text))),
  ],
})); // biome-ignore format: a table

const histories: readonly Proof[] = [
  {
    of: ["endpoints/endpoints/does/history"],
    with: moved("POST /things/{id}/close", { log: { at: "GET /things/{id}/log", does: "history" } }),
    without: moved("POST /things/{id}/close", { log: { at: "GET /things/{id}/log", does: "read" } }),
    play: [
      ask("POST /things", {}, "201"),
      ask("POST /things/{1}/close", "200"),
      ask("POST /things/{1}/close", "409"),
      ask("GET /things/{1}/log", { items: [{ to: "open" }, { from: "open", to: "closed" }] }),
    ],
  },
];

const bodies: readonly Proof[] = [
  {
    of: ["endpoints/endpoints/takes"],
    with: served({ addThing: { at: "POST /things", takes: { count: "integer(1..5)", "why?": "string(1..9)" } } }),
    without: served({ addThing: "POST /things" }),
    play: [
      ask("POST /things", { count: 5, why: "a" }, { status: "201", has: { count: 5 }, lacks: ["why"] }),
      ask("POST /things", { count: 6 }, "422 #/count too-large"),
      ask("POST /things", { count: 5, name: "a" }, "422 #/name unknown-field"),
    ],
  },
  {
    of: ["endpoints/endpoints/gives"],
    with: served({ getThing: { at: "GET /things/{id}", gives: { twice: "count * 2" } } }),
    without: served({}),
    play: [three[0] as Step, ask("GET /things/{1}", { is: { twice: 2 } })],
  },
  {
    of: ["endpoints/endpoints/status"],
    with: served({
      addThing: { at: "POST /things", status: 202 },
      removeThing: { at: "DELETE /things/{id}", status: 200 },
    }),
    without: served({}),
    play: [ask("POST /things", { count: 1 }, "202")],
  },
  {
    of: ["endpoints/endpoints/choose"],
    with: choosing("{ from: Box, else: none-free }"),
    without: choosing(undefined),
    play: [
      ask("POST /things", {}, "409 none-free"),
      ask("POST /boxes", { size: 1 }, "201"),
      ask("POST /boxes", { size: 2 }, "201"),
      ask("POST /things", {}, refersTo(2)),
    ],
  },
  {
    of: ["endpoints/endpoints/choose/if"],
    with: choosing("{ from: Box, if: size == 2, else: none-free }"),
    without: choosing("{ from: Box, else: none-free }"),
    play: [
      ask("POST /boxes", { size: 1 }, "201"),
      ask("POST /things", {}, "409 none-free"),
      ask("POST /boxes", { size: 2 }, "201"),
      ask("POST /things", {}, refersTo(3)),
    ],
  },
  {
    of: ["endpoints/endpoints/where"],
    with: served({ listThings: { at: "GET /things", where: "count >= 2" } }),
    without: served({}),
    play: [...three, ask("GET /things?sort=count", { items: [{ count: 2 }, { count: 3 }] })],
  },
];

/** What each name of a list is seen to do where it is `x`; the three things were asked for before. */
const named: readonly { readonly word: string; readonly kind?: string; readonly play: readonly Step[] }[] = [
  { word: "limit", play: [ask("GET /things?x=1", { items: 1 }), ask("GET /things?limit=1", "400")] },
  {
    word: "cursor",
    play: [
      ask("GET /things?sort=count", { items: 2, headers: { Link: /[?&]x=/ } }),
      ask("GET /things?sort=count&x={4.next}", { items: [{ count: 3 }] }),
    ],
  },
  {
    word: "offset",
    kind: "offset",
    play: [ask("GET /things?sort=count&x=2", { items: [{ count: 3 }] }), ask("GET /things?offset=2", "400")],
  },
  {
    word: "page",
    kind: "page",
    play: [
      ask("GET /things?sort=count&x=2", { items: [{ count: 3 }] }),
      ask("GET /things?sort=count", { headers: { Link: /[?&]x=2/ } }),
    ],
  },
  { word: "sort", play: [ask("GET /things?x=-count", { items: [{ count: 3 }, { count: 2 }] })] },
  { word: "search", play: [ask("GET /things?x=nothing", { items: 0 })] },
  {
    word: "items",
    play: [ask("GET /things?sort=count", { has: { x: [{ count: 1 }, { count: 2 }] }, lacks: ["items"] })],
  },
  { word: "next", kind: "offset", play: [ask("GET /things", { has: { x: 2 }, lacks: ['"next":'] })] },
  { word: "count", play: [ask("GET /things", { items: 2, has: { x: 3 } })] },
];

/** Which of four things each operator selects, by a parameter that begins with `x_`; only the last thing has a name. */
const operators: readonly {
  readonly operator: string;
  readonly query: string;
  readonly counts: readonly number[];
  readonly several?: string;
}[] = [
  { operator: "eq", query: "x_count=2", counts: [2] },
  { operator: "ne", query: "x_name=Seven", counts: [1, 2, 3] },
  { operator: "in", query: "x_count=1,3", counts: [1, 3], several: "commas" },
  { operator: "in", query: "x_count=1&x_count=3", counts: [1, 3], several: "repeated" },
  { operator: "nin", query: "x_count=1,3", counts: [2, 7], several: "commas" },
  { operator: "nin", query: "x_count=1&x_count=3", counts: [2, 7], several: "repeated" },
  { operator: "gt", query: "x_count=2", counts: [3, 7] },
  { operator: "gte", query: "x_count=2", counts: [2, 3, 7] },
  { operator: "lt", query: "x_count=2", counts: [1] },
  { operator: "lte", query: "x_count=2", counts: [1, 2] },
  { operator: "contains", query: "x_name=EVE", counts: [7] },
  { operator: "startsWith", query: "x_name=sev", counts: [7] },
  { operator: "null", query: "x_name=true", counts: [1, 2, 3] },
];

/** How lists are paged, for all and for one. */
const lists: readonly Proof[] = (["all", "one"] as const).flatMap((whose) => {
  const path = whose === "all" ? "endpoints/lists" : "endpoints/endpoints/lists";
  const cut = (style: Json): string =>
    whose === "all" ? said({ lists: style }) : served({ listThings: { at: "GET /things", lists: style } });
  const proof = (of: readonly string[], style: Json, other: Json, play: readonly Step[]): Proof => {
    return { of: of.map((one) => path + one), with: cut(style), without: cut(other), play: [...three, ...play] };
  };
  return [
    proof(["", "/cursor"], "cursor, 2 per page, at most 3", "offset, 2 per page, at most 3", [
      ask("GET /things?sort=count", { items: [{ count: 1 }, { count: 2 }], headers: { Link: /rel="next"/ } }),
      ask("GET /things?sort=count&cursor={4.next}", { items: [{ count: 3 }], has: { next: null } }),
      ask("GET /things?offset=1", "400"),
    ]),
    proof(["/offset"], "offset, 2 per page, at most 3", "cursor, 2 per page, at most 3", [
      ask("GET /things?sort=count", { items: [{ count: 1 }, { count: 2 }], has: { next: 2 } }),
      ask("GET /things?sort=count&offset=1", { items: [{ count: 2 }, { count: 3 }], has: { next: null } }),
      ask("GET /things?cursor=a", "400"),
    ]),
    proof(["/page"], "page, 2 per page, at most 3", "offset, 2 per page, at most 3", [
      ask("GET /things?sort=count", { items: 2, has: { next: 2 } }),
      ask("GET /things?sort=count&page=2", { items: [{ count: 3 }], has: { next: null } }),
      ask("GET /things?offset=1", "400"),
    ]),
    proof(["/none"], "none", "cursor, 2 per page, at most 3", [
      ask("GET /things", { items: 3, has: { next: null } }),
      ask("GET /things?limit=1", "400"),
    ]),
    proof(["/bare"], "cursor, 2 per page, bare array", "cursor, 2 per page", [
      ask("GET /things?sort=count", { has: [{ count: 1 }, { count: 2 }], headers: { Link: /rel="next"/ } }),
    ]),
    ...named.map(({ word, kind = "cursor", play }) =>
      proof(
        [...(word === "limit" ? ["/names"] : []), `/names/${word}`],
        { kind, size: 2, names: { [word]: "x" } },
        { kind, size: 2 },
        play,
      ),
    ),
    proof(["/size"], "cursor, 1 per page, at most 3", "cursor, 2 per page, at most 3", [
      ask("GET /things", { items: 1 }),
    ]),
    proof(["/max"], "cursor, 1 per page, at most 2", "cursor, 1 per page, at most 3", [
      ask("GET /things?limit=2", { items: 2 }),
      ask("GET /things?limit=3", "400"),
    ]),
    proof(["/clamped"], "cursor, 1 per page, clamped to 2", "cursor, 1 per page, at most 2", [
      ask("GET /things?limit=2", { items: 2 }),
      ask("GET /things?limit=9", { items: 2 }),
      ask("GET /things?limit=-9", { items: 1 }),
      ask("GET /things?limit=many", "400"),
    ]),
    proof(
      ["/gives"],
      {
        kind: "cursor",
        size: 2,
        gives: { object: "'list'", at: { url: "path", data: "items" }, more: "next != null" },
      },
      { kind: "cursor", size: 2 },
      [
        ask("GET /things", { has: { object: "list", at: { url: "/things" }, more: true } }),
        ask("GET /things?limit=9", { has: { more: false } }),
      ],
    ),
    proof(
      ["/names/end"],
      { kind: "offset", size: 2, max: 2, names: { end: "x" } },
      { kind: "offset", size: 2, max: 2 },
      [
        ask("GET /things?sort=count&offset=1&x=2", { items: [{ count: 2 }], has: { next: 2 } }),
        ask("GET /things?sort=count&x=2", { items: [{ count: 1 }, { count: 2 }] }),
        ask("GET /things?offset=1&x=1", "400 x out-of-range"),
        ask("GET /things?x=3", "400 x out-of-range"),
      ],
    ),
    proof(["/names/after"], { kind: "cursor", size: 2, names: { after: "x" } }, { kind: "cursor", size: 2 }, [
      ask("GET /things?x={3}", { items: [{ count: 2 }, { count: 1 }], has: { next: null } }),
      ask("GET /things?sort=count&x={1}&limit=1", { items: [{ count: 2 }] }),
      ask("GET /things?x={1}", { items: 0 }),
      ask("GET /things?x=thi_00000000000000000000000000", "400 x bad-cursor"),
    ]),
    proof(["/names/before"], { kind: "cursor", size: 2, names: { before: "x" } }, { kind: "cursor", size: 2 }, [
      ask("GET /things?x={1}", { items: [{ count: 3 }, { count: 2 }], has: { next: null } }),
      ask("GET /things?x={1}&limit=1", { items: [{ count: 2 }] }),
      ask("GET /things?limit=1&cursor={5.next}", { items: [{ count: 3 }], has: { next: null } }),
      ask("GET /things?x={1}&cursor={5.next}", "400 x repeated-parameter"),
    ]),
    proof(["/names/direction"], { kind: "cursor", size: 2, names: { direction: "x" } }, { kind: "cursor", size: 2 }, [
      ask("GET /things?sort=count&x=DESC", { items: [{ count: 3 }, { count: 2 }] }),
      ask("GET /things?sort=count", { items: [{ count: 1 }, { count: 2 }] }),
      ask("GET /things?sort=count,name&x=desc,asc", { items: [{ count: 3 }, { count: 2 }] }),
      ask("GET /things?sort=count&x=up", "400 x not-one-of"),
      ask("GET /things?sort=count&x=asc,asc", "400 x too-many"),
      ask("GET /things?sort=-count", "400 sort unknown-field"),
      ask("GET /things?x=asc", "400 x no-value"),
    ]),
    proof(
      ["/links", "/links/first", "/links/prev", "/links/next", "/links/last"],
      { kind: "page", size: 1, links: ["first", "prev", "next", "last"] },
      { kind: "page", size: 1 },
      [
        ask("GET /things?page=2", {
          headers: { Link: /page=1>; rel="first".*page=1>; rel="prev".*page=3>; rel="next".*page=3>; rel="last"/ },
        }),
        ask("GET /things?page=3", { headers: { Link: /^[^,]*rel="first"[^,]*, [^,]*rel="prev", [^,]*rel="last"$/ } }),
      ],
    ),
    proof(
      ["/headers"],
      { kind: "page", size: 2, headers: { "X-All": "count", "X-More": "next" } },
      "page, 2 per page",
      [
        ask("GET /things", { headers: { "X-All": "3", "X-More": "2" } }),
        ask("GET /things?count=1", { headers: { "X-All": "1", "X-More": null } }),
      ],
    ),
    ...operators.map(({ operator, query, counts, several }) =>
      proof(
        [
          ...(operator === "eq" ? ["/operators"] : []),
          `/operators/${operator}`,
          ...(several === undefined
            ? []
            : [`/operators/${operator}/several`, `/operators/${operator}/several/${several}`]),
        ],
        { kind: "cursor", operators: { [operator]: several === undefined ? "x_{field}" : `x_{field}, ${several}` } },
        { kind: "cursor" },
        [
          ask("POST /things", { count: 7, name: "Seven" }, "201"),
          ask(`GET /things?sort=count&${query}`, { items: counts.map((each) => ({ count: each })) }),
        ],
      ),
    ),
  ];
});

const wraps: readonly Proof[] = [
  {
    of: ["endpoints/wrap", "endpoints/wrap/one"],
    with: said({ wrap: { one: "{resource}" } }),
    without: said({ wrap: { many: "items" } }),
    play: [
      ask("POST /things", { thing: { count: 1 } }, { status: "201", has: { thing: { count: 1 } } }),
      ask("POST /things", { count: 1 }, "422 #/thing required"),
      ask("POST /things", { thing: { count: "1", size: 1 } }, "422 #/thing/size unknown-field"),
      ask("GET /things/{1.thing.id}", { has: { thing: { count: 1 } } }),
      ask("PATCH /things/{1.thing.id}", { thing: { count: 2 } }, { has: { thing: { count: 2 } } }),
    ],
  },
  {
    of: ["endpoints/wrap/many"],
    with: said({ wrap: { many: "{resources}" } }),
    without: said({}),
    play: [...three, ask("GET /things", { has: { things: [{}, {}, {}], next: null } })],
  },
];

const viewed = { ...count, views: { Short: { of: "Thing", fields: ["count"] } } };

/** With an operation in a shape of its own, and without the shape. */
function shaped(of: readonly string[], endpoint: Block, other: Block, play: readonly Step[], more: Parts = {}): Proof {
  const served = (one: Block): string =>
    documentOf({ resources: viewed, endpoints: { endpoints: { ...crud, act: one } }, ...more });
  const path = (one: string): string => `endpoints/endpoints/${one}`;
  return { of: of.map(path), with: served(endpoint), without: served(other), play: [three[0] as Step, ...play] };
}

const one = { at: "GET /things/{id}/short" };
const all = { at: "GET /things/short" };
const read = (is: Json): readonly Step[] => [ask("GET /things/{1}/short", { is })];

const shapes: readonly Proof[] = [
  shaped(["gives/View"], { ...one, gives: "Short" }, one, read({ count: 1 })),
  shaped(["gives/Resource"], { ...one, gives: { it: "Thing" } }, one, [
    ask("GET /things/{1}/short", { has: { it: { count: 1 } } }),
  ]),
  shaped(["gives/{}"], { ...one, gives: {} }, one, read({})),
  shaped(["gives/none"], { ...one, gives: "none" }, one, [ask("GET /things/{1}/short", "204")]),
  shaped(["gives/View[]"], { ...all, gives: "Short[]" }, all, [ask("GET /things/short", { is: [{ count: 1 }] })]),
  shaped(
    ["gives/count", "gives/next"],
    { ...all, gives: { all: "Short[]", page: { count: "count", next: "next" } } },
    { ...all, gives: "Short[]" },
    [ask("GET /things/short", { is: { all: [{ count: 1 }], page: { count: 1, next: null } } })],
  ),
  shaped(
    ["gives/page expression"],
    {
      ...all,
      lists: "page, 1 per page",
      gives: {
        object: "'list'",
        data: "Short[]",
        has_more: "next != null",
        pages: "(count + limit - 1) / limit",
        page: "page",
      },
    },
    { ...all, lists: "page, 1 per page", gives: { data: "Short[]" } },
    [
      three[1] as Step,
      ask("GET /things/short", { is: { object: "list", data: [{ count: 2 }], has_more: true, pages: 2, page: 1 } }),
      ask("GET /things/short?page=2", {
        is: { object: "list", data: [{ count: 1 }], has_more: false, pages: 2, page: 2 },
      }),
    ],
  ),
  shaped(["headers"], { ...one, headers: { "X-Count": "count", "X-Twice": "count * 2", "X-None": "name" } }, one, [
    ask("GET /things/{1}/short", { headers: { "X-Count": "1", "X-Twice": "2", "X-None": null } }),
  ]),
  shaped(
    ["group"],
    { at: "GET /things/short", group: "count", gives: { things: "count" } },
    { at: "GET /things/short", does: "summary", gives: { things: "count" } },
    [
      ...three.slice(1),
      ask("POST /things", { count: 1 }, "201"),
      ask("GET /things/short", {
        items: [
          { count: 1, things: 2 },
          { count: 2, things: 1 },
          { count: 3, things: 1 },
        ],
      }),
    ],
  ),
  shaped(
    ["does/summary"],
    { at: "GET /things/short", does: "summary", gives: { things: "count", most: "max(count)" } },
    { at: "GET /things/short", gives: { count: "count" } },
    [...three.slice(1), ask("GET /things/short", { is: { things: 3, most: 3 } })],
  ),
  shaped(["order", "order/descending"], { ...all, order: "name, -count" }, all, [
    ...three.slice(1),
    ask("POST /things", { count: 9, name: "a" }, "201"),
    ask("GET /things/short", { items: [{ count: 3 }, { count: 2 }, { count: 1 }, { count: 9 }] }),
    ask("GET /things/short?sort=count", { items: [{ count: 1 }, { count: 2 }, { count: 3 }, { count: 9 }] }),
  ]),
  shaped(
    ["nesting"],
    { at: "POST /things/more", does: "create", takes: { thing: { count: "integer" } } },
    { at: "POST /things/more", does: "create", takes: { count: "integer" } },
    [
      ask("POST /things/more", { thing: { count: 2 } }, "201"),
      ask("POST /things/more", { thing: { count: "a" } }, "422 #/thing/count wrong-type"),
    ],
  ),
  shaped(
    ["takesView"],
    { at: "POST /things/more", does: "create", takes: "Short" },
    { at: "POST /things/more", does: "create" },
    [
      ask("POST /things/more", { count: 2 }, "201"),
      ask("POST /things/more", { count: 2, name: "a" }, "422 #/name unknown-field"),
    ],
  ),
];

/** Where a style is: in part 4, or in its operations. */
interface Level {
  readonly path: string;
  readonly said: (styles: Block) => string;
}

const levels: readonly Level[] = [
  { path: "endpoints", said },
  {
    path: "endpoints/endpoints",
    said: ({ lists = "cursor", ...styles }) => {
      const all = Object.entries(crud).filter(([name]) => !/^(?:get|list)/.test(name));
      const styled = all.map(([name, at]) => [
        name,
        { at, ...(styles["edits"] && name.startsWith("add") ? {} : styles) },
      ]);
      return said({ lists, endpoints: { ...crud, ...Object.fromEntries(styled) } });
    },
  },
];

function editProofs({ path, said }: Level): readonly Proof[] {
  return [
    {
      of: [`${path}/edits`, `${path}/edits/required`],
      with: said({ edits: "If-Match required" }),
      without: said({ edits: "If-Match optional" }),
      play: [
        three[0] as Step,
        ask("PATCH /things/{1}", { count: 2 }, "428 precondition-needed"),
        ask("PUT /things/{1}", { count: 2 }, "428 precondition-needed"),
        ask("DELETE /things/{1}", "428 precondition-needed"),
        ask("PATCH /things/{1}\nIf-Match: {1:etag}", { count: 2 }, "200"),
        ask("PATCH /things/{1}\nIf-Match: {1:etag}", { count: 3 }, "412 stale"),
      ],
    },
    {
      of: [`${path}/edits/optional`],
      with: said({ edits: "If-Match optional" }),
      without: said({ edits: "none" }),
      play: [
        three[0] as Step,
        ask("GET /openapi.json", says('"If-Match"')),
        ask("PATCH /things/{1}", { count: 2 }, "200"),
        ask("PATCH /things/{1}\nIf-Match: {1:etag}", { count: 3 }, "412 stale"),
        ask("PATCH /things/{1}\nIf-Match: {3:etag}", { count: 3 }, "200"),
      ],
    },
    {
      of: [`${path}/edits/none`],
      with: said({ edits: { "If-Match": "none" } }),
      without: said({ edits: "If-Match optional" }),
      // The description does not mention preconditions; one that a client sends is evaluated all the same (RFC 9110, 13.1.1).
      play: [
        three[0] as Step,
        ask("PATCH /things/{1}", { count: 2 }, "200"),
        ask("GET /openapi.json", { lacks: ['"If-Match"'] }),
      ],
    },
  ];
}

const again: Step = ask("POST /things\nIdempotency-Key: a", { count: 1 }, "201");

function repeatProofs({ path, said }: Level): readonly Proof[] {
  return [
    {
      of: [`${path}/repeats`, `${path}/repeats/POST`],
      with: said({ repeats: "Idempotency-Key on every POST" }),
      without: said({ repeats: "none" }),
      play: [
        again,
        ask(
          "POST /things\nIdempotency-Key: a",
          { count: 1 },
          { status: "201", headers: { "Idempotent-Replayed": "true" } },
        ),
        ask("POST /things\nIdempotency-Key: a", { count: 2 }, "422 idempotency-key-reused"),
        ask("POST /things", { count: 1 }, { status: "201", headers: { "Idempotent-Replayed": null } }),
        ask("GET /things", { items: 2 }),
      ],
    },
    {
      of: [`${path}/repeats/write`],
      with: said({ repeats: "Idempotency-Key on every write" }),
      without: said({ repeats: "Idempotency-Key on every POST" }),
      play: [
        again,
        ask("DELETE /things/{1}\nIdempotency-Key: b", "204"),
        ask("DELETE /things/{1}\nIdempotency-Key: b", { status: "204", headers: { "Idempotent-Replayed": "true" } }),
      ],
    },
    {
      of: [`${path}/repeats/required`],
      with: said({ repeats: "Idempotency-Key required on every POST" }),
      without: said({ repeats: "Idempotency-Key on every POST" }),
      play: [ask("POST /things", { count: 1 }, "400"), again, ask("GET /things", { items: 1 })],
    },
    {
      of: [`${path}/repeats/kept`],
      with: said({ repeats: "Idempotency-Key on every POST, kept 2h" }),
      without: said({ repeats: "Idempotency-Key on every POST, kept 4h" }),
      play: [
        again,
        pass(3_600_000),
        ask(
          "POST /things\nIdempotency-Key: a",
          { count: 1 },
          { status: "201", headers: { "Idempotent-Replayed": "true" } },
        ),
        pass(2 * 3_600_000),
        ask(
          "POST /things\nIdempotency-Key: a",
          { count: 1 },
          { status: "201", headers: { "Idempotent-Replayed": null } },
        ),
        ask("GET /things", { items: 2 }),
      ],
    },
    {
      of: [`${path}/repeats/echoed`],
      with: said({ repeats: "Idempotency-Key on every POST, kept 2h, echoed" }),
      without: said({ repeats: "Idempotency-Key on every POST, kept 2h" }),
      play: [1, 2].map(() =>
        ask("POST /things\nIdempotency-Key: a", { count: 1 }, { status: "201", headers: { "Idempotency-Key": "a" } }),
      ),
    },
    {
      of: [`${path}/repeats/none`],
      with: said({ repeats: "none", lists: "cursor, 49 per page, at most 200" }),
      without: said({ repeats: "Idempotency-Key on every POST", lists: "cursor, 49 per page, at most 200" }),
      play: [again, again, ask("GET /things", { items: 2 })],
    },
  ];
}

/** A list in each form; the request is another one, or none of a list of numbers, if names are repeated. */
const sentLists: readonly Proof[] = Object.entries({
  commas: "n=1,2",
  spaces: "n=1%202",
  pipes: "n=1%7C2",
  brackets: "n%5B%5D=1&n%5B%5D=2",
}).map(([form, query]) => ({
  of: ["endpoints/endpoints/wire/query/sent", `endpoints/endpoints/wire/query/sent/${form}`],
  unobserved: true,
  with: wired({ query: { "n?": { type: "integer(1..3)[]", sent: form } } }),
  without: wired({ query: { "n?": { type: "integer(1..3)[]" } } }),
  functions: echo,
  play: [ask(`PUT /echo/2026-01-31?${query}`, { is: ["2026-01-31", [1, 2], null, null, null] })],
}));

export const endpointRefusals: readonly ApiError[] = [
  ...(["path", "header", "cookie"] as const).map(
    (location): ApiError => ({
      of: ["", ...sentForms.map((form) => `/${form}`)].map(
        (form) => `endpoints/endpoints/wire/${location}/sent${form}`,
      ),
      with: wired({
        [location]: { ...wire[location], [location === "path" ? "day" : "a?"]: { type: "date", sent: "commas" } },
      }),
      refused: "endpoints/bad-parameter",
      without: wired({ [location]: { ...wire[location], [location === "path" ? "day" : "a?"]: { type: "date" } } }),
    }),
  ),
  {
    of: ["", ...sentForms.map((form) => `/${form}`)].map(
      (form) => `endpoints/endpoints/wire/answers/headers/sent${form}`,
    ),
    with: wired({ answers: { 200: { ...answer, headers: { "X-Count?": { type: "integer", sent: "commas" } } } } }),
    refused: "endpoints/bad-parameter",
    without: wired({ answers: { 200: { ...answer, headers: { "X-Count?": "integer" } } } }),
  },
  {
    of: ["endpoints/endpoints/wire/path/optional"],
    with: wired({ path: { "day?": "date" } }),
    refused: "endpoints/bad-parameter",
    without: wired({ path: { day: "date" } }),
  },
];

/** Media types whose content has a schema of its own. */
const furtherMedia: readonly Proof[] = [
  {
    of: ["endpoints/endpoints/wire/body/others"],
    unobserved: true,
    with: wired({ body: { schema: label, others: { "application/vnd.long+json": "json" } } }),
    without: wired({ body: { schema: label } }),
    functions: echo,
    play: [
      ask(
        "PUT /echo/2026-01-31\nContent-Type: application/vnd.long+json",
        { label: "abcdef" },
        { is: ["2026-01-31", null, null, null, "abcdef"] },
      ),
      ask("PUT /echo/2026-01-31\nContent-Type: application/vnd.other+json", { label: "abc" }, "415"),
    ],
  },
  {
    of: ["endpoints/endpoints/wire/answers/others"],
    unobserved: true,
    with: wired({ answers: { 200: { ...answer, others: { "application/vnd.day+json": "string" } } } }),
    without: wired({ answers: { 200: answer } }),
    functions: {
      echo: () => ({ status: 200, body: "monday", headers: { "Content-Type": "application/vnd.day+json" } }),
    },
    play: [
      ask(
        "PUT /echo/2026-01-31",
        { label: "abc" },
        { is: "monday", headers: { "Content-Type": "application/vnd.day+json" } },
      ),
    ],
  },
];

export const endpointProofs: readonly Proof[] = [
  ...paths,
  ...handlers,
  ...wires,
  ...sentLists,
  ...furtherMedia,
  ...histories,
  ...bodies,
  ...lists,
  ...wraps,
  ...shapes,
  ...levels.flatMap(editProofs),
  ...levels.flatMap(repeatProofs),
];

/** With the operation at this method, and without it. */
function method(name: string, operation: string, play: readonly Step[]): readonly Proof[] {
  const { [operation]: _left, ...rest } = crud;
  const proof = {
    of: [`endpoints/endpoints/method/${name}`],
    with: served({}),
    without: said({ endpoints: rest }),
    play,
  };
  return [proof];
}

/** The same address doing another thing. */
function does(action: string, at: string, other: string, play: readonly Step[]): Proof {
  const otherwise = (what: string): Block => ({ act: { at, does: what } });
  return {
    of: [`endpoints/endpoints/does/${action}`],
    with: served(otherwise(action)),
    without: served(other === "read" || other === "list" ? {} : otherwise(other)),
    play,
  };
}

function moved(close: Json, more: Block = {}): string {
  return documentOf({
    resources: { Thing: { id: "id(thi)", "name?": "string(1..9)" } },
    states: {
      Thing: {
        states: ["open", "closed"],
        start: "open",
        moves: { "open -> closed": "by close", "closed -> open": "by open" },
      },
    },
    endpoints: { endpoints: { ...crud, close, open: "POST /things/{id}/open", ...more } },
  });
}

/** Things that are made in some box. */
function choosing(choice: string | undefined): string {
  const box = choice === undefined ? undefined : { at: "POST /things", choose: { box: blockIn(choice) } };
  return documentOf({
    resources: { Box: { id: "id(box)", size: "integer" }, Thing: { id: "id(thi)", "box?": "Box" } },
    endpoints: {
      endpoints: { ...crud, addThing: box ?? "POST /things", addBox: "POST /boxes", listBoxes: "GET /boxes" },
    },
    errors: { errors: { "none-free": "409 None is free" } },
  });
}

/** `{ from: Box, if: size == 2, else: none-free }` */
function blockIn(text: string): Block {
  const members = text.replace(/^\{\s*|\s*\}$/g, "").split(", ");
  return Object.fromEntries(members.map((member) => member.split(": ") as [string, string]));
}

/** The box of the thing is what that reply made. */
function refersTo(reply: number): Expected {
  return (made, { replies }) => {
    assert.equal(made.status, 201, made.text);
    const box = replies[reply - 1]?.json as { id: string } | undefined;
    assert.equal((made.json as { box?: string }).box, box?.id);
  };
}
