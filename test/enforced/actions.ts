/** Proofs of part 4: the record of an operation, links, filters, query parameters, guards and outcomes. */
import type { Block } from "./document.ts";
import { crud, documentOf, things } from "./document.ts";
import type { Proof, Step } from "./proof.ts";
import { ask, pass } from "./proof.ts";

const count = things({ count: "integer", "name?": "string(1..9), unique", "labels?": "string(1..9)[]" });

function served(endpoints: Block, resources: Block = count, errors: Block = {}, states: Block = {}): string {
  return documentOf({ resources, states, endpoints: { endpoints: { ...crud, ...endpoints } }, errors: { errors } });
}

const three: readonly Step[] = [1, 2, 3].map((each) => ask("POST /things", { count: each }, "201"));

const marks = { ...count, Mark: { id: "id(mar)", of: "Thing", by: "string(1..9)" } };
const listed = { listMarks: "GET /marks", addMark: "POST /marks" };
const link = { in: "Mark", with: { of: "id", by: "'me'" } };

const records: readonly Proof[] = [
  {
    of: ["endpoints/endpoints/the"],
    with: served({ getFirst: { at: "GET /first", of: "Thing", the: "count >= 2" } }),
    without: served({ getFirst: { at: "GET /first", of: "Thing", the: "count >= 1" } }),
    play: [
      ask("GET /first", "404"),
      ...three,
      ask("GET /first", { has: { count: 2 } }),
      ask("DELETE /things/{3}", "204"),
      ask("GET /first", { has: { count: 3 } }),
    ],
  },
  {
    of: ["endpoints/endpoints/link", "endpoints/endpoints/link/with"],
    with: served({ ...listed, mark: { at: "POST /things/{id}/mark", link } }, marks),
    without: served({ ...listed, mark: { at: "POST /things/{id}/mark", does: "update" } }, marks),
    play: [
      ...three,
      ask("POST /things/{1}/mark", { has: { count: 1 } }),
      ask("POST /things/{1}/mark", { has: { count: 1 } }),
      ask("POST /things/{2}/mark", "200"),
      ask("POST /things/thi_00000000000000000000000000/mark", "404"),
      ask("GET /marks", { items: [{ by: "me" }, { by: "me" }] }),
    ],
  },
  {
    of: ["endpoints/endpoints/unlink", "endpoints/endpoints/unlink/with"],
    with: served({ ...listed, unmark: { at: "DELETE /things/{id}/mark", unlink: link } }, marks),
    without: served({ ...listed, unmark: { at: "DELETE /things/{id}/mark", link } }, marks),
    play: [
      ...three,
      ask("POST /marks", { of: "{1}", by: "me" }, "201"),
      ask("POST /marks", { of: "{1}", by: "you" }, "201"),
      ask("DELETE /things/{1}/mark", { has: { count: 1 } }),
      ask("DELETE /things/{1}/mark", "200"),
      ask("GET /marks", { items: [{ by: "you" }] }),
    ],
  },
];

/** A list whose parameter `n` is sent in one form. */
function listing(endpoint: Block): string {
  return served({ listThings: { at: "GET /things", ...endpoint } });
}

const inQuery = (marks: string): string =>
  listing({ query: { "n?": `integer[](..9)${marks}` }, where: "input.n == null || count in input.n" });
const inFilter = (several: string): string =>
  listing({ filters: { n: { type: "integer[](..9)", several, if: "count in value" } } });
const two = { items: [{ count: 3 }, { count: 1 }] };
const sentTwice = "GET /things?n=1&n=3";

const severalValues: readonly Proof[] = [
  {
    of: ["resources/resources/fields/marks/repeated"],
    with: inQuery(", repeated"),
    without: inQuery(""),
    play: [...three, ask(sentTwice, two), ask("GET /things?n=1,3", "400 n wrong-type")],
  },
  {
    of: ["resources/resources/fields/marks/brackets"],
    with: inQuery(", brackets"),
    without: inQuery(""),
    play: [...three, ask("GET /things?n[]=1&n[]=3", two), ask(sentTwice, "400 n repeated-parameter")],
  },
  {
    of: ["endpoints/endpoints/filters/several", "endpoints/endpoints/filters/several/repeated"],
    with: inFilter("repeated"),
    without: inFilter("commas"),
    play: [...three, ask(sentTwice, two), ask("GET /things?n=1,3", "400 n wrong-type")],
  },
  {
    of: ["endpoints/endpoints/filters/several/commas"],
    with: inFilter("commas"),
    without: inFilter("repeated"),
    play: [...three, ask("GET /things?n=1,3", two), ask(sentTwice, "400 n repeated-parameter")],
  },
];

const queries: readonly Proof[] = [
  ...severalValues,
  {
    of: ["endpoints/endpoints/filters"],
    with: served({ listThings: { at: "GET /things", filters: { upTo: "count <= value", label: "label in labels" } } }),
    without: served({ listThings: { at: "GET /things" } }),
    play: [
      ...three,
      ask("POST /things", { count: 9, labels: ["a", "b"] }, "201"),
      ask("GET /things?upTo=2", { items: [{ count: 2 }, { count: 1 }] }),
      ask("GET /things?label=b", { items: [{ count: 9 }] }),
      ask("GET /things?upTo=9&label=c", { items: 0 }),
      ask("GET /things?upTo=x", "400"),
      ask("GET /things?label=0123456789", "400 label too-long"),
      ask("GET /things?from=2", "400"),
    ],
  },
  {
    of: ["endpoints/endpoints/filters/type"],
    with: served({
      listThings: { at: "GET /things", filters: { upTo: { type: "integer(1..5)", if: "count <= value" } } },
    }),
    without: served({ listThings: { at: "GET /things", filters: { upTo: "count <= value" } } }),
    play: [...three, ask("GET /things?upTo=2", { items: 2 }), ask("GET /things?upTo=6", "400 upTo too-large")],
  },
  {
    of: ["endpoints/endpoints/query"],
    with: served({
      listThings: { at: "GET /things", query: { "least?": "integer(0..9) = 2" }, where: "count >= input.least" },
      getThing: {
        at: "GET /things/{id}",
        query: { sure: "boolean" },
        gives: { sure: "input.sure", twice: "count * 2" },
      },
    }),
    without: served({}),
    play: [
      ...three,
      ask("GET /things", { items: [{ count: 3 }, { count: 2 }] }),
      ask("GET /things?least=3", { items: [{ count: 3 }] }),
      ask("GET /things?least=10", "400 least too-large"),
      ask("GET /things/{1}?sure=true", { is: { sure: true, twice: 2 } }),
      ask("GET /things/{1}", "400 sure required"),
      ask("GET /things/{1}?sure=1", "400 sure wrong-type"),
      ask("GET /things/{1}?sure=true&more=1", "400"),
    ],
  },
  {
    of: ["endpoints/endpoints/if"],
    with: served({ removeThing: { at: "DELETE /things/{id}", if: "count > 1", else: "too-small" } }, count, {
      "too-small": "409 It is too small",
    }),
    without: served({}),
    play: [
      ...three,
      ask("DELETE /things/{1}", "409 too-small"),
      ask("DELETE /things/{2}", "204"),
      ask("GET /things", { items: 2 }),
    ],
  },
];

/** Of a record whose id the client gives. */
const kept = { Thing: { id: "string(1..20)", count: "integer", "name?": "string(1..9), create-only" } };

const outcomes: readonly Proof[] = [
  {
    of: ["endpoints/endpoints/statuses", "endpoints/endpoints/statuses/created", "endpoints/endpoints/statuses/same"],
    with: served({ putThing: { at: "PUT /things/{id}", status: { created: 202, same: 203 } } }, kept),
    without: served({}, kept),
    play: [
      ask("PUT /things/a", { count: 1 }, "202"),
      ask("PUT /things/a", { count: 1 }, "203"),
      ask("PUT /things/a", { count: 2 }, "200"),
      ask("PUT /things/a", { count: 2 }, "203"),
    ],
  },
  {
    of: ["endpoints/endpoints/statuses/accepted"],
    with: served(
      { addThing: { at: "POST /things", status: { created: 201, accepted: 202 } } },
      things({ count: "integer" }),
      {},
      {
        Thing: {
          states: { busy: "Is being made", ready: "Is made" },
          start: "busy",
          moves: { "busy -> ready": "after 1h" },
        },
      },
    ),
    without: served(
      { addThing: { at: "POST /things", status: { created: 201 } } },
      things({ count: "integer" }),
      {},
      {
        Thing: {
          states: { busy: "Is being made", ready: "Is made" },
          start: "busy",
          moves: { "busy -> ready": "after 1h" },
        },
      },
    ),
    play: [
      ask(
        "POST /things",
        { count: 1 },
        { status: "202", has: { state: "busy" }, headers: { "Retry-After": /^360[01]$/, Location: /thi_/ } },
      ),
      pass(3_700_000),
      ask("GET /things/{1}", { has: { state: "ready" } }),
    ],
  },
  {
    of: ["endpoints/endpoints/statuses/accepted/if"],
    with: served({ changeThing: { at: "PATCH /things/{id}", status: { accepted: "202 if count > 5" } } }),
    without: served({}),
    play: [
      ...three,
      ask("PATCH /things/{1}", { count: 4 }, "200"),
      ask("PATCH /things/{1}", { count: 6 }, { status: "202", has: { count: 6 } }),
    ],
  },
  {
    of: ["endpoints/endpoints/statuses/differs"],
    with: served(
      { putThing: { at: "PUT /things/{id}", status: { created: 201, same: 200, differs: "other-thing" } } },
      kept,
      { "other-thing": "409 There is another one" },
    ),
    without: served({}, kept),
    play: [
      ask("PUT /things/a", { count: 1, name: "x" }, "201"),
      ask("PUT /things/a", { count: 1, name: "x" }, "200"),
      ask("PUT /things/a", { count: 2, name: "x" }, "409 other-thing"),
      ask("PUT /things/a", { count: 1, name: "y" }, "409 other-thing"),
      ask("PUT /things/a", { count: "1", name: "y" }, "422 #/count wrong-type"),
      ask("GET /things/a", { has: { count: 1, name: "x" } }),
    ],
  },
  {
    of: ["endpoints/endpoints/statuses/errors"],
    with: served({ getThing: { at: "GET /things/{id}", status: { "not-found": 410 } } }),
    without: served({}),
    play: [...three, ask("GET /things/thi_00000000000000000000000000", "410 not-found"), ask("GET /things/{1}", "200")],
  },
];

/** Of what is in one state or another, and who holds it. */
const clearing: readonly Proof[] = [
  {
    of: ["endpoints/endpoints/where"],
    with: served({ clear: { at: "DELETE /things", where: "count >= 2" } }),
    without: served({ clear: { at: "DELETE /things" } }),
    play: [...three, ask("DELETE /things", "204"), ask("GET /things", { items: [{ count: 1 }] })],
  },
];

export const actionProofs: readonly Proof[] = [...records, ...queries, ...outcomes, ...clearing];
