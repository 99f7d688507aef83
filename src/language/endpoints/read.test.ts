/** Part 4: what each form means, and what is complained about, where. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readBlock } from "../../../test/part-block.ts";
import type { Endpoint, Endpoints } from "./model.ts";
import { endpoints } from "./grammar.ts";

const styles: readonly (readonly [yaml: string, part: Partial<Endpoints>])[] = [
  ["lists: cursor, 50 per page, at most 200", { lists: { kind: "cursor", size: 50, max: 200 } }],
  ["lists: page, at most 20", { lists: { kind: "page", max: 20 } }],
  ["lists: { kind: offset, size: 5 }", { lists: { kind: "offset", size: 5 } }],
  ["lists: none", { lists: { kind: "none" } }],
  ["lists: offset, limit 20 at most 100", { lists: { kind: "offset", size: 20, max: 100 } }],
  ["lists: page, limit 20, bare array", { lists: { kind: "page", size: 20, bare: true } }],
  ["lists: none, bare array", { lists: { kind: "none", bare: true } }],
  [
    "lists: { kind: page, bare: true, names: { limit: 'page[size]', page: p, items: data } }",
    { lists: { kind: "page", bare: true, names: { limit: "page[size]", page: "p", items: "data" } } },
  ],
  ['wrap: { one: "{resource}", many: "{resources}" }', { wrap: { one: "{resource}", many: "{resources}" } }],
  ["wrap: { one: data }", { wrap: { one: "data" } }],
  ["wrap: none", {}],
  ["edits: If-Match required", { edits: "required" }],
  ["edits: if-match optional", { edits: "optional" }],
  ["edits: { If-Match: required }", { edits: "required" }],
  ["edits: none", { edits: "none" }],
  [
    "repeats: Idempotency-Key on every POST, kept 24h",
    { repeats: { header: "Idempotency-Key", on: "POST", required: false, kept: "24h" } },
  ],
  ["repeats: X-Key required on every write", { repeats: { header: "X-Key", on: "write", required: true } }],
  [
    "repeats: Idempotency-Key required on every write, kept 1h, echoed",
    { repeats: { header: "Idempotency-Key", on: "write", required: true, kept: "1h", echoed: true } },
  ],
  [
    "repeats: { header: X-Key, on: POST, required: true, kept: 1h }",
    { repeats: { header: "X-Key", on: "POST", required: true, kept: "1h" } },
  ],
  ["repeats: none", { repeats: "none" }],
  ['base: "{base_url}/v1"', { base: "{base_url}/v1" }],
];

for (const [yaml, expected] of styles) {
  test(yaml, () => {
    const { part, faults } = readBlock(endpoints.readPart, yaml);
    assert.deepEqual(faults, []);
    assert.deepEqual(part, { ...expected, endpoints: {} });
  });
}

const lines: readonly (readonly [form: string, endpoint: Endpoint])[] = [
  ["POST /a/{id}/b", { method: "POST", path: "/a/{id}/b" }],
  [
    "{ at: GET /a, of: A, does: list, where: b == 1, lists: none }",
    { method: "GET", path: "/a", of: "A", does: "list", lists: { kind: "none" }, where: "b == 1" },
  ],
  [
    "{ at: { method: GET, path: /a }, status: 204, takes: none, gives: none }",
    { method: "GET", path: "/a", takes: {}, gives: "none", status: 204 },
  ],
  [
    "{ at: POST /a, gives: { d: b.c }, choose: { b: { from: B, else: none-free } } }",
    { method: "POST", path: "/a", gives: { d: "b.c" }, choose: { b: { from: "B", else: "none-free" } } },
  ],
  ["{ at: GET /a, gives: {} }", { method: "GET", path: "/a", gives: {} }],
  [
    '{ at: GET /a, gives: { a: "Out[]", b: { total: count }, c: {} } }',
    { method: "GET", path: "/a", gives: { a: "Out[]", b: { total: "count" }, c: {} } },
  ],
  ["{ at: GET /a, gives: Out, takes: In }", { method: "GET", path: "/a", takesView: "In", gives: "Out" }],
  [
    "{ at: POST /a, takes: { a: string, u: { b?: string, v?: { c: { type: string, note: x } } } } }",
    {
      method: "POST",
      path: "/a",
      takes: {
        a: { type: { kind: "scalar", name: "string" }, optional: false, marks: [] },
        b: { type: { kind: "scalar", name: "string" }, optional: true, marks: [] },
        c: { type: { kind: "scalar", name: "string" }, optional: false, marks: [], note: "x" },
      },
      nesting: { b: ["u"], c: ["u", "v?"] },
    },
  ],
  [
    "{ at: GET /a, of: A, the: id == caller.id, if: b, else: c-d, query: { e?: integer } }",
    {
      method: "GET",
      path: "/a",
      of: "A",
      the: "id == caller.id",
      query: { e: { type: { kind: "scalar", name: "integer" }, marks: [], optional: true } },
      if: "b",
      else: "c-d",
    },
  ],
  [
    "{ at: POST /a, link: { in: B, with: { c: id } }, unlink: { in: B, with: { c: id } } }",
    { method: "POST", path: "/a", link: { in: "B", with: { c: "id" } }, unlink: { in: "B", with: { c: "id" } } },
  ],
  [
    "{ at: GET /a, filters: { b: b in c, d: { type: integer, if: value > e } } }",
    {
      method: "GET",
      path: "/a",
      filters: { b: { if: "b in c" }, d: { type: { kind: "scalar", name: "integer" }, if: "value > e" } },
    },
  ],
  [
    "{ at: PUT /a, status: { changed: 200, created: 201, same: 204, accepted: 202 if b, differs: c, not-found: 410 } }",
    {
      method: "PUT",
      path: "/a",
      status: 200,
      statuses: {
        created: 201,
        same: 204,
        accepted: { status: 202, if: "b" },
        differs: "c",
        errors: { "not-found": 410 },
      },
    },
  ],
  [
    "{ at: PUT /a, status: { accepted: { status: 202, if: b } } }",
    { method: "PUT", path: "/a", statuses: { accepted: { status: 202, if: "b" } } },
  ],
];

for (const [form, expected] of lines) {
  test(form, () => {
    const { part, faults, reader } = readBlock(endpoints.readPart, `endpoints:\n  x: ${form}`);
    assert.deepEqual(faults, []);
    assert.deepEqual(part.endpoints["x"], expected);
    assert.ok(reader.places.has("endpoints/endpoints/x/at#value"));
  });
}

const faults: readonly (readonly [yaml: string, ...faults: string[]])[] = [
  ["wrap: { two: a }", "1:9 endpoints/unknown-key two"],
  ['wrap: { one: "{recipe}" }', "1:15 endpoints/bad-wrap {recipe}"],
  ["wrap: data", "1:7 endpoints/not-a-map data"],
  ["endpoints:\n  x: { at: POST /a, does: handler, gives: A }", "2:43 endpoints/not-a-map A"],
  ['endpoints:\n  x: { at: POST /a, does: handler, gives: "A[]" }', "2:44 endpoints/not-a-map A[]"],
  ["lists: cursor, limit", "1:16 endpoints/bad-lists limit"],
  ["lists: cursor, limit x at most 5", "1:22 endpoints/bad-number x"],
  ["lists: cursor, limit 20 at most 5", "1:22 endpoints/bad-lists 20"],
  ["lists: { kind: page, names: { pages: p } }", "1:31 endpoints/unknown-key pages"],
  ["lists: { kind: page, names: { page: 'p q' } }", "1:38 endpoints/bad-lists p q"],
  ["base: /v1", "1:7 endpoints/bad-base /v1"],
  ["lists: cursors", "1:8 endpoints/unknown-value cursors"],
  ["lists: cursor, fifty per page", "1:16 endpoints/bad-number fifty"],
  ["lists: cursor, 50 each", "1:16 endpoints/bad-lists 50 each"],
  ["lists: cursor, 50 per page, at most 20", "1:16 endpoints/bad-lists 50"],
  ["edits: ETag", "1:8 endpoints/bad-edits ETag"],
  ["edits: If-Match sometimes", "1:17 endpoints/unknown-value sometimes"],
  ["repeats: never", "1:10 endpoints/bad-repeats never"],
  ["repeats: Idempotency-Key on every POST, 24h", "1:41 endpoints/bad-repeats 24h"],
  ["repeats: Idempotency-Key on every POST, kept long", "1:46 endpoints/bad-duration long"],
  ["endpoints:\n  x: post /a", "2:6 endpoints/bad-method post"],
  ["endpoints:\n  x: POST a", "2:11 endpoints/bad-path a"],
  ["endpoints:\n  x: POST /a/{id}/{id}", "2:11 endpoints/bad-path /a/{id}/{id}"],
  ["endpoints:\n  x: POST /a/{id", "2:11 endpoints/bad-path /a/{id"],
  ["endpoints:\n  x: { of: A }", "2:3 endpoints/no-address x"],
  ["endpoints:\n  x: { at: GET /a, does: lists }", "2:26 endpoints/unknown-value lists"],
  ["endpoints:\n  x: { at: GET /a, status: 404 }", "2:28 endpoints/bad-status 404"],
  ["endpoints:\n  x: { at: GET /a, link: {} }", "2:20 endpoints/bad-link link", "2:20 endpoints/bad-link link"],
  ["endpoints:\n  x: { at: GET /a, links: {} }", "2:20 endpoints/unknown-key links"],
  [
    "endpoints:\n  x: { at: GET /a, link: { in: B, of: { a: b } } }",
    "2:20 endpoints/bad-link link",
    "2:35 endpoints/unknown-key of",
  ],
  ["endpoints:\n  x: { at: GET /a, filters: { a-b: c } }", "2:31 endpoints/bad-filter a-b"],
  ["endpoints:\n  x: { at: GET /a, filters: { a: { type: string } } }", "2:31 endpoints/bad-filter a"],
  ["endpoints:\n  x: { at: GET /a, if: b }", "2:20 endpoints/bad-guard if"],
  ["endpoints:\n  x: { at: GET /a, query: { b: strng } }", "2:32 endpoints/unknown-type strng"],
  ["endpoints:\n  x: { at: PUT /a, status: { given: 200, changed: 200 } }", "2:42 endpoints/bad-outcome changed"],
  ["endpoints:\n  x: { at: PUT /a, status: { created: 409 } }", "2:39 endpoints/bad-status 409"],
  ["endpoints:\n  x: { at: PUT /a, status: { not-found: 210 } }", "2:41 endpoints/bad-status 210"],
  ["endpoints:\n  x: { at: PUT /a, status: { accepted: 20 if b } }", "2:40 endpoints/bad-status 20"],
  ["endpoints:\n  x:\n    at: GET /a\n    takes: { code: strng(6) }", "4:20 endpoints/unknown-type strng"],
  ["endpoints:\n  x:\n    at: GET /a\n    choose: { b: { if: c } }", "4:15 endpoints/bad-choice b"],
  ["endpoints:\n  x:\n    at: GET /a\n    takes: { a: string, u: { a: string } }", "4:30 endpoints/field-twice a"],
  ["endpoints:\n  x:\n    at: GET /a\n    takes: { u: {} }", "4:14 endpoints/empty u"],
  ["endpoints: none"],
];

for (const [yaml, ...expected] of faults) {
  test(JSON.stringify(yaml), () => assert.deepEqual(readBlock(endpoints.readPart, yaml).faults, expected));
}

test("what to write instead of a record as a handler's `gives`", () => {
  const help = (gives: string) => {
    const yaml = `endpoints:\n  x: { at: POST /a, does: handler, gives: ${gives} }`;
    return readBlock(endpoints.readPart, yaml).reader.diagnostics.map((one) => one.help);
  };
  assert.deepEqual(help("Parcel"), [
    "to return one record of Parcel leave `gives` out and write `of: Parcel`; else `gives: { it: Parcel }`",
  ]);
  assert.deepEqual(help('"Parcel[]"'), ['name the member that holds them: `gives: { items: "Parcel[]" }`']);
});
