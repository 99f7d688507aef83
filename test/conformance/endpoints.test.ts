/** Cases of part 4: a service that does what its document says breaks nothing, and one that does something else is found. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Report } from "../../src/conformance/result.ts";
import { check } from "../../src/language/check.ts";
import type { ServiceFunctions } from "../../src/runtime/functions/functions.ts";
import { type Block, crud, documentOf, type Parts } from "../enforced/document.ts";
import { sampled } from "../nightly.ts";
import { testServed } from "./served.ts";

const resources: Block = {
  Box: { id: "id(box)", size: "integer(0..99), filter", "thing?": "Thing, read-only" },
  Thing: {
    id: "id(thi)",
    owner: "user = caller, read-only",
    name: "string(1..20), create-only, unique",
    count: "integer(0..9), filter, sort",
    "note?": "string(1..9), search",
    "tags?": "string(1..9)[](0..3)",
  },
  Part: { id: "id(prt)", thing: "Thing, create-only, delete with", label: "string(1..9)" },
  Star: { id: "id(sta)", thing: "Thing, delete with", by: "user" },
  views: {
    Starred: {
      of: "Thing",
      fields: ["id", "name"],
      starred: "boolean := Star.exists(s, s.thing == id && s.by == caller.id)",
    },
  },
};

const states: Block = {
  Thing: {
    states: ["open", "shut"],
    start: "open",
    final: "none",
    moves: { "open -> shut": "by shut", "shut -> open": "by open" },
  },
  Box: { states: ["free", "full"], start: "free", final: "none", moves: { "free -> full": "when thing.packed" } },
};

const endpoints: Block = {
  ...crud,
  shut: "POST /things/{id}/shut",
  open: "POST /things/{id}/open",
  addBox: "POST /boxes",
  listBoxes: "GET /boxes",
  addPart: "POST /things/{thing}/parts",
  getPart: "GET /things/{thing}/parts/{id}",
  listParts: "GET /things/{thing}/parts",
};

/** Things of their owners with parts and stars, and boxes; with other members of part 4, and with other endpoints. */
function thingsWith(part: Block, operations: Block = {}, more: Parts = {}): string {
  const all = { ...endpoints, ...operations };
  const allow = Object.fromEntries(Object.keys(all).map((name) => [name, "signed-in"]));
  const base: Parts = { resources, states: { Thing: states["Thing"] as Block }, authentication: { allow } };
  return documentOf({ ...base, ...more, endpoints: { ...part, endpoints: all } });
}

interface Row {
  readonly what: string;
  /** Part 4 of the document, and of the service. */
  readonly stated: Block;
  readonly served: Block;
  /** Further endpoints of the document, and of the service. */
  readonly operations?: Block;
  readonly servedOperations?: Block;
  readonly more?: Parts;
  readonly functions?: ServiceFunctions;
  readonly servedFunctions?: ServiceFunctions;
  /** The broken statement. */
  readonly broken: string;
}

/** Rows whose documents differ in one member of part 4. */
function altered(member: string, rows: readonly (readonly [stated: unknown, served: unknown])[]): readonly Row[] {
  return rows.map(([stated, served]) => ({
    what: `${member}: ${JSON.stringify(served)} for ${JSON.stringify(stated)}`,
    stated: { [member]: stated } as Block,
    served: { [member]: served } as Block,
    broken: `endpoints/${member}`,
  }));
}

/** Rows whose documents differ in one endpoint. */
function endpoint(
  what: string,
  name: string,
  [stated, served]: readonly [unknown, unknown],
  broken = "",
  { part = {}, ...more }: Partial<Row> & { readonly part?: Block } = {},
): Row {
  return {
    ...{ what, stated: part, served: part, ...more },
    operations: { ...more.operations, [name]: stated } as Block,
    servedOperations: { ...more.operations, [name]: served } as Block,
    broken: `endpoints/endpoints/${name}${broken === "" ? "" : `/${broken}`}`,
  };
}

const cursor = { kind: "cursor", size: 2, max: 3 };
const wire = {
  query: { n: "integer(1..9)" },
  answers: { 200: { type: "integer", headers: { "X-Count": "integer" } }, 202: "none" },
};
const ends = (status: number, body: unknown, headers: Record<string, unknown> = {}): ServiceFunctions => ({
  act: () => ({ status, body, headers }),
});

/** Parts of things, and things above others, which a request may expand. */
const expandable: Parts = {
  resources: {
    ...resources,
    Thing: { ...(resources["Thing"] as Block), "above?": "Thing, create-only, expand" },
    Part: { id: "id(prt)", thing: "Thing, create-only, delete with, expand", label: "string(1..9)" },
  },
};

const rows: readonly Row[] = [
  ...(
    [
      ["count", { things: "count(count > 99)" }, "gives/things"],
      ["sum", { things: "count", total: "sum(count + 1)" }, "gives/total"],
      ["sum", { things: "count", total: "max(count)" }, "gives/total"],
    ] as const
  ).map(([what, gives, broken]) => {
    const at = { at: "GET /things/by-owner", group: "owner" };
    return endpoint(
      `the ${what} of a group: ${JSON.stringify(gives)}`,
      "thingsByOwner",
      [
        { ...at, gives: { things: "count", total: "sum(count)" } },
        { ...at, gives: { total: "sum(count)", ...gives } },
      ],
      broken,
    );
  }),
  endpoint(
    "the groups of a summary",
    "thingsByCount",
    [
      { at: "GET /things/by-count", group: "count", gives: { things: "count" } },
      { at: "GET /things/by-count", group: { count: "count + 1" }, gives: { things: "count" } },
    ],
    "group/count",
  ),
  ...altered("base", [["{base_url}/v7", "{base_url}"]]),
  ...altered("expand", [
    ["expand, depth 1", "expand, depth 2"],
    ["expand, depth 2", "expand, depth 1"],
    ["expand", "with"],
    [{ name: "expand", from: "response" }, { name: "expand" }],
    [{ name: "expand" }, { name: "expand", from: "response" }],
  ]).map((row) => ({ ...row, more: expandable })),
  endpoint("more records in an array", "addBoxes", [
    { at: "POST /many-boxes", of: "Box", does: "create", takes: "Box[](1..2)" },
    { at: "POST /many-boxes", of: "Box", does: "create", takes: "Box[](1..9)" },
  ]),
  endpoint("an empty array", "addBoxes", [
    { at: "POST /many-boxes", of: "Box", does: "create", takes: { boxes: "Box[](1..2)" } },
    { at: "POST /many-boxes", of: "Box", does: "create", takes: { boxes: "Box[](..2)" } },
  ]),
  ...altered("fields", [["fields", "only"]]),
  ...altered("wrap", [
    [{ one: "{resource}" }, { one: "record" }],
    [{ many: "{resources}" }, { many: "records" }],
  ]),
  ...altered("lists", [
    ["cursor, 2 per page, at most 3", "offset, 2 per page, at most 3"],
    ["offset, 2 per page, at most 3", "page, 2 per page, at most 3"],
    ["page, 2 per page, at most 3", "offset, 2 per page, at most 3"],
    ["none", "cursor, 2 per page, at most 3"],
    ["cursor, 2 per page, at most 3", "cursor, 3 per page, at most 3"],
    ["cursor, 2 per page, at most 3", "cursor, 2 per page, at most 4"],
    ["cursor, 2 per page, bare array", "cursor, 2 per page"],
    ...["limit", "cursor", "sort", "search", "next", "count"].map(
      (name) =>
        [
          { ...cursor, names: { [name]: "x" } },
          { ...cursor, names: { [name]: "y" } },
        ] as const,
    ),
  ]),
  ...altered("lists", [
    ["cursor, 2 per page, clamped to 3", "cursor, 2 per page, at most 3"],
    ["cursor, 2 per page, clamped to 3", "cursor, 2 per page, clamped to 9"],
    ...["direction", "end"].map(
      (name) =>
        [
          { kind: "offset", size: 2, max: 3, names: { [name]: "x" } },
          { kind: "offset", size: 2, max: 3, names: { [name]: "y" } },
        ] as const,
    ),
    ...["after", "before"].map(
      (name) =>
        [
          { ...cursor, names: { [name]: "x" } },
          { ...cursor, names: { [name === "after" ? "before" : "after"]: "x" } },
        ] as const,
    ),
    [
      { kind: "page", size: 2, links: ["first", "next", "last"] },
      { kind: "page", size: 2 },
    ],
    [
      { kind: "page", size: 2, links: ["next"] },
      { kind: "page", size: 2, links: ["first", "next"] },
    ],
    [
      { ...cursor, gives: { data: "items", more: "next != null" } },
      { ...cursor, gives: { data: "items", more: "next == null" } },
    ],
    [
      { ...cursor, gives: { data: "items", at: "path" } },
      { ...cursor, gives: { data: "items", at: "'/'" } },
    ],
    [
      { ...cursor, gives: { data: { all: "items" } } },
      { ...cursor, gives: { data: "items" } },
    ],
    [
      { ...cursor, headers: { "X-Total-Count": "count" } },
      { ...cursor, headers: { "X-Total-Count": "count + 1" } },
    ],
    ...(["ne", "in", "gte"] as const).flatMap((operator) =>
      ["x_{field}", "{field}_x"].map(
        (other) =>
          [
            { ...cursor, operators: { [operator]: "y_{field}" } },
            { ...cursor, operators: { [operator]: other } },
          ] as const,
      ),
    ),
  ]),
  ...(
    [
      ["gives", { all: "Thing[]", more: "next != null" }, { all: "Thing[]", more: "next == null" }],
      ["gives", { all: "Thing[]", pages: "(count + 1) / 2" }, { all: "Thing[]", pages: "count + 2" }],
      ["headers", { "X-All": "count" }, { "X-All": "count + 1" }],
      ["order", "-count", "count"],
    ] as const
  ).map(([member, stated, served]) =>
    endpoint(
      `another ${member} of a list`,
      "listAll",
      [
        { at: "GET /all-things", of: "Thing", [member]: stated },
        { at: "GET /all-things", of: "Thing", [member]: served },
      ],
      member,
    ),
  ),
  endpoint(
    "another direction of the second field of an order",
    "listAll",
    [
      { at: "GET /all-things", of: "Thing", order: "count, name" },
      { at: "GET /all-things", of: "Thing", order: "count, -name" },
    ],
    "order",
  ),
  endpoint(
    "the order of changes, and not of creations",
    "listAll",
    [
      { at: "GET /all-things", of: "Thing", order: "-made" },
      { at: "GET /all-things", of: "Thing", order: "-changed" },
    ],
    "order",
    {
      more: {
        resources: {
          ...resources,
          Thing: {
            ...(resources["Thing"] as Block),
            made: "datetime = now, read-only",
            changed: "datetime = now on change, read-only",
          },
        },
      },
    },
  ),
  endpoint(
    "a filter for more values than those of the field",
    "listAll",
    [
      { at: "GET /all-things", of: "Thing", filters: { over: "count > value" } },
      { at: "GET /all-things", of: "Thing", filters: { over: { type: "integer(0..99)", if: "count > value" } } },
    ],
    "filters/over",
  ),
  endpoint(
    "another header field",
    "read",
    [
      { at: "GET /things/{id}/read", headers: { "X-Twice": "count * 2" } },
      { at: "GET /things/{id}/read", headers: { "X-Twice": "count * 3" } },
    ],
    "headers",
  ),
  ...[
    ["unknown", "ignored", "rejected"],
    ["texts", "converted", "exact"],
    ["media", "application/vnd.things+json", "application/json"],
    ["media", "application/*+json as application/json", "application/*+json"],
    ["media", "application/x-www-form-urlencoded", "application/json"],
    ["empty", "removes", "kept"],
  ].flatMap(([key = "", stated, served]) =>
    altered("requests", [[{ [key]: stated }, { [key]: served }]]).map((row) => ({
      ...row,
      more: { resources: { ...resources, Thing: { ...(resources["Thing"] as Block), "words?": "map(string(..9))" } } },
      broken: `endpoints/requests/${key}`,
    })),
  ),
  endpoint(
    "an edit without If-Match",
    "changeThing",
    [{ at: "PATCH /things/{id}", edits: "If-Match required" }, "PATCH /things/{id}"],
    "edits",
  ),
  endpoint(
    "a key of one operation",
    "addThing",
    [
      { at: "POST /things", repeats: "Idempotency-Key on every POST" },
      { at: "POST /things", repeats: "none" },
    ],
    "repeats",
  ),
  ...altered("edits", [
    ["If-Match required", "If-Match optional"],
    ["If-Match optional", "If-Match required"],
    ["none", "If-Match required"],
  ]),
  ...altered("repeats", [
    ["Idempotency-Key on every POST", "none"],
    ["Idempotency-Key on every POST", "Other-Key on every POST"],
    ["Idempotency-Key on every write", "Idempotency-Key on every POST"],
    ["Idempotency-Key required on every POST", "Idempotency-Key on every POST"],
    ["Idempotency-Key on every POST, kept 2h", "Idempotency-Key on every POST, kept 1h"],
    ["Idempotency-Key on every POST, kept 2h", "Idempotency-Key on every POST, kept 3h"],
    ["none", "Idempotency-Key on every POST"],
  ]),
  ...altered("cors", [
    [["https://app.example"], ["https://other.example"]],
    [["https://app.example"], "any"],
    ["any", ["https://app.example"]],
    ["none", "any"],
    [{ origins: ["https://app.example"], credentials: "yes" }, ["https://app.example"]],
    [{ origins: ["https://app.example"], keep: "1h" }, ["https://app.example"]],
  ]),
  ...altered("mcp", [
    ["/mcp", "/agents"],
    ["/mcp", "none"],
    [
      { at: "/mcp", for: "signed-in" },
      { at: "/mcp", for: "admin" },
    ],
    [{ at: "/mcp", for: "admin" }, "/mcp"],
  ]),
  endpoint("another path", "look", ["GET /things/{id}/look", "GET /things/{id}/see"]),
  { ...endpoint("a further method", "dropBox", ["GET /other-things", "GET /other-things"]), ...furtherMethod() },
  endpoint(
    "a child of another parent",
    "changePart",
    ["PATCH /things/{thing}/parts/{id}", { at: "PATCH /things/{any}/parts/{id}", does: "handler", of: "Part" }],
    "",
    { servedFunctions: { changePart: ({ record }) => record } as ServiceFunctions },
  ),
  endpoint(
    "members outside their objects",
    "close",
    [
      { at: "POST /things/{id}/close", does: "handler", takes: { why: { text: "string(1..9)" } }, gives: "none" },
      { at: "POST /things/{id}/close", does: "handler", takes: { text: "string(1..9)" }, gives: "none" },
    ],
    "takes",
    { functions: { close: () => {} } },
  ),
  endpoint(
    "a computed member",
    "read",
    [
      { at: "GET /things/{id}/read", gives: { twice: "count * 2" } },
      { at: "GET /things/{id}/read", gives: { twice: "count * 2 + 1" } },
    ],
    "gives",
  ),
  endpoint(
    "a sum over all records",
    "sum",
    [
      { at: "GET /sum", gives: { sum: "Thing.map(t, t.count).sum()" } },
      { at: "GET /sum", gives: { sum: "Thing.map(t, t.count + 1).sum()" } },
    ],
    "gives",
  ),
  endpoint(
    "a response with a body",
    "quiet",
    [
      { at: "POST /things/{id}/quiet", does: "update", gives: "none" },
      { at: "POST /things/{id}/quiet", does: "update" },
    ],
    "gives",
  ),
  endpoint(
    "a parameter of another type",
    "read",
    [
      { at: "GET /things/{id}/read", query: { size: "integer(1..5)" } },
      { at: "GET /things/{id}/read", query: { size: "integer(1..6)" } },
    ],
    "query",
  ),
  endpoint(
    "a parameter that may be left out",
    "read",
    [
      { at: "GET /things/{id}/read", query: { size: "integer(1..5)" } },
      { at: "GET /things/{id}/read", query: { "size?": "integer(1..5)" } },
    ],
    "query",
  ),
  endpoint("another status", "drop", [
    { at: "DELETE /things/{id}/all", does: "delete", status: 200, gives: "Thing" },
    { at: "DELETE /things/{id}/all", does: "delete", status: 202, gives: "Thing" },
  ]),
  endpoint(
    "another status of an existing record",
    "make",
    [
      { at: "POST /made-things", of: "Thing", status: { created: 201, same: 200 } },
      { at: "POST /made-things", of: "Thing", status: { created: 201, same: 202 } },
    ],
    "status",
  ),
  endpoint(
    "another status of an error",
    "read",
    [{ at: "GET /things/{id}/read", status: { "not-found": 410 } }, { at: "GET /things/{id}/read" }],
    "status",
  ),
  endpoint(
    "another guard",
    "read",
    [
      { at: "GET /things/{id}/read", query: { size: "integer(1..9)" }, if: "input.size > 3", else: "too-small" },
      { at: "GET /things/{id}/read", query: { size: "integer(1..9)" }, if: "input.size > 8", else: "too-small" },
    ],
    "if",
    { more: errors("too-small: 409 Too small") },
  ),
  endpoint(
    "another error of a guard",
    "read",
    [
      { at: "GET /things/{id}/read", query: { size: "integer(1..9)" }, if: "input.size > 3", else: "too-small" },
      { at: "GET /things/{id}/read", query: { size: "integer(1..9)" }, if: "input.size > 3", else: "other" },
    ],
    "if",
    { more: errors("too-small: 409 Too small", "other: 409 Other") },
  ),
  endpoint(
    "a chosen record that does not fulfil the condition",
    "pack",
    [
      { at: "POST /packs", choose: { box: { from: "Box", if: "size == 5", else: "no-box" } } },
      { at: "POST /packs", choose: { box: { from: "Box", if: "size >= 0", else: "no-box" } } },
    ],
    "choose",
    { more: packing() },
  ),
  endpoint(
    "no error if no record can be chosen",
    "pack",
    [
      { at: "POST /packs", choose: { box: { from: "Box", if: "size > this.weight", else: "no-box" } } },
      { at: "POST /packs", choose: { box: { from: "Box", if: "size > this.weight" } } },
    ],
    "choose",
    { more: packing({ "box?": "Box, read-only", weight: "integer(0..9)" }) },
  ),
  endpoint(
    "a link that is not made",
    "star",
    [
      { at: "POST /things/{id}/star", link: { in: "Star", with: { thing: "id", by: "caller.id" } }, gives: "Starred" },
      { at: "POST /things/{id}/star", link: { in: "Star", with: { thing: "id", by: "name" } }, gives: "Starred" },
    ],
    "link",
    { operations: { listStarred: { at: "GET /things/{id}/starred", does: "read", gives: "Starred" } } },
  ),
  endpoint(
    "a further record that is not made",
    "addThing",
    [
      { at: "POST /things", also: { create: "Star", with: { thing: "id", by: "'me'" } } },
      { at: "POST /things", also: { create: "Part", with: { thing: "id", label: "'me'" } } },
    ],
    "also",
    { operations: { listStars: { at: "GET /stars", of: "Star" } } },
  ),
  endpoint(
    "another selected record",
    "mine",
    [
      { at: "GET /my-thing", of: "Thing", the: "owner == caller.id && count > 4" },
      { at: "GET /my-thing", of: "Thing", the: "owner == caller.id" },
    ],
    "the",
  ),
  endpoint(
    "another condition of a list",
    "some",
    [
      { at: "GET /some-things", of: "Thing", does: "list", where: "count > 4" },
      { at: "GET /some-things", of: "Thing", does: "list", where: "count > 5" },
    ],
    "where",
  ),
  endpoint(
    "another filter",
    "some",
    [
      {
        at: "GET /some-things",
        of: "Thing",
        does: "list",
        filters: { tag: "tag in tags", least: { type: "integer(0..9)", if: "count >= value" } },
      },
      {
        at: "GET /some-things",
        of: "Thing",
        does: "list",
        filters: { tag: "tag in tags", least: { type: "integer(0..9)", if: "count > value" } },
      },
    ],
    "filters",
  ),
  endpoint(
    "a deletion of others",
    "clear",
    [
      { at: "DELETE /small-things", of: "Thing", where: "count < 5" },
      { at: "DELETE /small-things", of: "Thing", where: "count < 6" },
    ],
    "where",
  ),
  endpoint(
    "a member of another type",
    "act",
    [
      { at: "POST /acts", does: "handler", gives: { count: "integer" } },
      { at: "POST /acts", does: "handler", gives: { count: "string" } },
    ],
    "gives",
    { functions: { act: () => ({ count: 1 }) }, servedFunctions: { act: () => ({ count: "one" }) } },
  ),
  ...[
    { what: "a status that is not declared", functions: ends(201, 1, { "X-Count": 1 }) },
    { what: "a body of another type", functions: ends(200, "one", { "X-Count": 1 }) },
    { what: "another media type", functions: ends(200, "1", { "X-Count": 1, "Content-Type": "text/plain" }) },
    { what: "no declared header field", functions: ends(200, 1) },
  ].map(({ what, functions }) =>
    endpoint(
      what,
      "act",
      [
        { at: "GET /acts", does: "handler", wire },
        { at: "GET /acts", does: "handler", wire: { query: wire.query } },
      ],
      "wire",
      {
        functions: ends(200, 1, { "X-Count": 1 }),
        servedFunctions: functions,
      },
    ),
  ),
];

function furtherMethod(): Pick<Row, "what" | "operations" | "servedOperations" | "broken"> {
  return {
    what: "a method that the document does not have",
    operations: {},
    servedOperations: { dropBoxes: "DELETE /boxes" },
    broken: "endpoints/endpoints/addBox",
  };
}

function errors(...lines: readonly string[]): Parts {
  return { errors: { errors: Object.fromEntries(lines.map((line) => line.split(": ") as [string, string])) } };
}

/** Things that are packed into boxes. */
function packing(pack: Block = { box: "Box, read-only", label: "string(1..9)" }): Parts {
  return {
    resources: { ...resources, Pack: { id: "id(pac)", ...pack } },
    ...errors("no-box: 409 There is no such box"),
  };
}

/** Tests the broken statement alone. */
const tested = async (text: string, row: Row, served?: string): Promise<Report> =>
  testServed(text, {
    ...(served === undefined ? {} : { served }),
    only: [lineOf(text, row.broken)],
    options: { functions: (served === undefined ? undefined : row.servedFunctions) ?? row.functions } as never,
  });

function lineOf(text: string, path: string): string {
  const { places } = check("endpoints.md", text);
  let at = path;
  while (!places.has(at)) at = at.slice(0, at.lastIndexOf("/"));
  return String(places.get(at)?.start.line);
}

test("a service that does something else breaks the statement, and one that does the same breaks none", async (context) => {
  for (const row of sampled(rows, 3)) {
    await context.test(row.what, async () => {
      const text = thingsWith(row.stated, row.operations, row.more);
      const served = thingsWith(row.served, row.servedOperations ?? row.operations, row.more);
      const same = await tested(text, row);
      assert.deepEqual(findings(same), []);
      const other = findings(await tested(text, row, served));
      assert(
        other.some((path) => path === row.broken || path.startsWith(`${row.broken}/`)),
        `broken: ${other.join(", ")}`,
      );
    });
  }
});

test("a write may respond with a part of the record if the document does not write what it responds with", async () => {
  const gives = { id: "id" };
  const served = documentOf({
    endpoints: {
      endpoints: {
        ...crud,
        addThing: { at: "POST /things", gives },
        changeThing: { at: "PATCH /things/{id}", gives },
        putThing: { at: "PUT /things/{id}", gives },
      },
    },
  });
  assert.deepEqual(findings(await testServed(documentOf({}), { served })), []);
});

/** Returns the paths of broken statements, and the mistakes of the test itself. */
function findings({ cases }: Report): readonly string[] {
  return cases.flatMap((one) => {
    if (one.kind === "broken") return one.aspects.map(({ path }) => path);
    return one.kind === "not tried" && one.reason.startsWith("a mistake") ? [one.reason] : [];
  });
}
