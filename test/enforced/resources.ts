/** Proofs of part 2, except field types. */
import assert from "node:assert/strict";
import type { Json } from "../../src/base/json.ts";
import { marks as allMarks } from "../../src/language/resources/model.ts";
import type { Reply } from "../serve/client.ts";
import type { Block } from "./document.ts";
import { crud, crudOf, documentOf, things, thingsWith } from "./document.ts";
import { fieldTypeProofs } from "./field-types.ts";
import type { Expected, Proof, ApiError, Step } from "./proof.ts";
import { ask, pass } from "./proof.ts";

const fields = "resources/resources/fields";
const types = "resources/types";

/** Of things with these fields, and with those in their place. */
function ofFields(of: string | readonly string[], line: Block, other: Block, play: readonly Step[]): Proof {
  const paths = (typeof of === "string" ? [of] : of).map((one) => `${fields}/${one}`);
  return {
    of: paths,
    with: documentOf({ resources: things(line) }),
    without: documentOf({ resources: things(other) }),
    play,
  };
}

/** What a creation without the field makes of it. */
function made(pattern: RegExp): Expected {
  return (reply) => {
    assert.equal(reply.status, 201, reply.text);
    assert.match(String((reply.json as { made?: string | number }).made), pattern);
  };
}

/** What is made beside what the first reply had. */
function comparedWithFirst(holds: (now: string, before: string) => boolean): Expected {
  return (reply, { replies: [first] }) => {
    assert(first);
    const [now, before] = [reply, first].map(({ json }) => String((json as { made?: string | number }).made));
    assert(holds(now ?? "", before ?? ""), `${now} after ${before}`);
  };
}

/** The record of the first reply has the text nowhere, and something in its place. */
function isHashed(text: string): Step {
  return async ({ running, replies: [first] }) => {
    assert(first);
    const row = await running.store.transaction(async (tx) => tx.get("Thing", "id", idOf(first)));
    assert(row?.["value"]);
    assert(
      !JSON.stringify(row, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)).includes(text),
    );
  };
}

/** A shelf, and things on it. */
function shelves(field: Json, more: Block = {}): string {
  return documentOf({
    resources: {
      ...more,
      Shelf: { id: "id(she)", name: "string(1..9)" },
      ...things(typeof field === "string" ? { shelf: field } : (field as Block)),
    },
    endpoints: {
      endpoints: {
        ...crud,
        addShelf: "POST /shelves",
        getShelf: "GET /shelves/{id}",
        removeShelf: "DELETE /shelves/{id}",
      },
    },
  });
}

const inBox = { $ref: "#/schemas/Box" };

/** Things with a value of a schema that has a name. */
function boxes(schema: Json): string {
  return documentOf({ resources: { ...things({ value: { schema: inBox } }), schemas: { Box: schema as Block } } });
}

const types_: readonly Proof[] = [
  {
    of: [`${fields}/type/id`, `${fields}/type/id/prefix`, `${fields}/type/id/made/server`],
    with: documentOf({ resources: { Thing: { id: "id(thi)", name: "string(1..9)" } } }),
    without: documentOf({ resources: { Thing: { id: "id(box)", name: "string(1..9)" } } }),
    play: [
      ask("POST /things", { name: "a" }, (reply) => assert.match(idOf(reply), /^thi_[0-9a-z]{26}$/)),
      ask("POST /things", { name: "a", id: "thi_00000000000000000000000000" }, "422"),
      ask("GET /things/{1}", { has: { name: "a" } }),
      ask("GET /things/thi_00000000000000000000000000", "404"),
    ],
  },
  {
    of: [`${fields}/type/id/length`, `${fields}/type/id/alphabet`],
    with: documentOf({ resources: { Thing: { id: "id(thi, 16, 0-9a-f)", name: "string(1..9)" } } }),
    without: documentOf({ resources: { Thing: { id: "id(thi)", name: "string(1..9)" } } }),
    play: [
      ask("POST /things", { name: "a" }, (reply) => assert.match(idOf(reply), /^thi_[0-9a-f]{16}$/)),
      ask("GET /things/{1}", { has: { name: "a" } }),
    ],
  },
  {
    of: [`${fields}/type/id/made/client`, `${fields}/type/id/of`],
    with: documentOf({ resources: { Thing: { id: "string(2..5)", name: "string(1..9)" } } }),
    without: documentOf({ resources: { Thing: { id: "id(thi)", name: "string(1..9)" } } }),
    play: [
      ask("POST /things", { id: "box", name: "a" }, { status: "201", has: { id: "box" } }),
      ask("POST /things", { id: "box", name: "a" }, "409 already-exists"),
      ask("POST /things", { id: "b", name: "a" }, "422 #/id too-short"),
      ask("PUT /things/tin", { name: "b" }, { status: "201", has: { id: "tin" } }),
      ask("GET /things/box", { has: { name: "a" } }),
    ],
  },
  {
    of: ["resources/schemas"],
    with: boxes({
      type: "object",
      required: ["label"],
      properties: { label: { type: "string" }, boxes: { type: "array", items: inBox } },
    }),
    without: boxes(true),
    play: [
      ask("POST /things", { value: { label: "a", boxes: [{ label: "b" }] } }, "201"),
      ask("POST /things", { value: { label: "a", boxes: [{ label: "b", boxes: [{}] }] } }, "422"),
    ],
  },
  {
    of: [`${fields}/type/id/made/counter`],
    with: documentOf({ resources: { Thing: { id: "id(counter)", name: "string(1..9)" } } }),
    without: documentOf({ resources: { Thing: { id: "id(thi)", name: "string(1..9)" } } }),
    play: [
      ask("POST /things", { name: "a" }, { has: { id: 1 } }),
      ask("DELETE /things/1", "204"),
      ask("POST /things", { name: "a" }, { has: { id: 2 } }),
    ],
  },
  {
    of: [`${fields}/type/named`],
    with: shelves("Shelf"),
    without: shelves("string(1..80)"),
    play: [
      ask("POST /shelves", { name: "a" }, "201"),
      ask("POST /things", { shelf: "{1}" }, { status: "201", has: {} }),
      ask("POST /things", { shelf: "she_00000000000000000000000000" }, "422 #/shelf reference-not-found"),
      ask("DELETE /shelves/{1}", "409 still-referenced"),
      ask("DELETE /things/{2}", "204"),
      ask("DELETE /shelves/{1}", "204"),
    ],
  },
  ...[
    ["Shelf[]", ["{1}"]],
    ["map(Shelf)", { a: "{1}" }],
    ["Spot", { shelf: "{1}" }],
    ["map(Spot[])", { a: [{ shelf: "{1}" }] }],
  ].map(([type, value]): Proof => {
    const spotted = (field: string): string =>
      shelves({ shelf: field, "note?": "json" }, { types: { Spot: { shelf: "Shelf" } } });
    return {
      of: [`${fields}/type/named`],
      with: spotted(type as string),
      without: spotted("json"),
      play: [
        ask("POST /shelves", { name: "a" }, "201"),
        ask("POST /shelves", { name: "b" }, "201"),
        ask("POST /things", { shelf: value as Json, note: "{2}" }, "201"),
        ask("DELETE /shelves/{1}", "409 still-referenced"),
        ask("DELETE /shelves/{2}", "204"),
        ask("DELETE /things/{3}", "204"),
        ask("DELETE /shelves/{1}", "204"),
      ],
    };
  }),
  ofFields("type/nullable", { value: "integer | null" }, { value: "integer" }, [
    ask("POST /things", { value: null }, { status: "201", has: { value: null } }),
    ask("POST /things", {}, "422 #/value required"),
    ask("PATCH /things/{1}", { value: 1 }, { has: { value: 1 } }),
  ]),
  ofFields("optional", { "value?": "integer" }, { value: "integer" }, [
    ask("POST /things", {}, { status: "201", lacks: ['"value"'] }),
    ask("PATCH /things/{1}", { value: 1 }, { has: { value: 1 } }),
    ask("PATCH /things/{1}", { value: null }, { lacks: ['"value"'] }),
  ]),
];

const defaults: readonly Proof[] = [
  ofFields(
    ["default", "default/literal"],
    { value: "integer = 7", "note?": "string(1..9)" },
    { value: "integer = 8", "note?": "string(1..9)" },
    [
      ask("POST /things", {}, { has: { value: 7 } }),
      ask("POST /things", { value: 1 }, { has: { value: 1 } }),
      ask("PUT /things/{2}", {}, { has: { value: 7 } }),
    ],
  ),
  ofFields(
    "default/now",
    { "name?": "string(1..9)", made: "datetime = now, read-only" },
    { "name?": "string(1..9)", made: "datetime = now on change, read-only" },
    [
      ask("POST /things", {}, made(/Z$/)),
      pass(60_000),
      ask("PATCH /things/{1}", { name: "b" }, "200"),
      ask(
        "GET /things/{1}",
        comparedWithFirst((now, before) => now === before),
      ),
      ask(
        "POST /things",
        {},
        comparedWithFirst((now, before) => now > before),
      ),
    ],
  ),
  ofFields(
    "default/now-on-change",
    { "name?": "string(1..9)", made: "datetime = now on change, read-only" },
    { "name?": "string(1..9)", made: "datetime = now, read-only" },
    [
      ask("POST /things", {}, made(/Z$/)),
      pass(60_000),
      ask(
        "PATCH /things/{1}",
        { name: "b" },
        comparedWithFirst((now, before) => now > before),
      ),
    ],
  ),
  {
    of: [`${fields}/default/caller`],
    with: signedIn(things({ by: "user = caller, read-only" })),
    without: signedIn(things({ by: "user = nobody, read-only" })),
    play: [
      ask("ann POST /things", {}, { has: { by: "ann" } }),
      ask("bob POST /things", {}, { has: { by: "bob" } }),
      ask("bob POST /things", { by: "ann" }, "422 #/by read-only"),
    ],
  },
  ofFields("default/digits", { made: "string = digits(6), read-only" }, { made: "string = digits(5), read-only" }, [
    ask("POST /things", {}, made(/^[0-9]{6}$/)),
    ask(
      "POST /things",
      {},
      comparedWithFirst((now, before) => now !== before),
    ),
  ]),
  ofFields("default/token", { made: "string = token(24), read-only" }, { made: "string = token(20), read-only" }, [
    ask("POST /things", {}, made(/^[0-9A-Za-z_-]{24}$/)),
    ask(
      "POST /things",
      {},
      comparedWithFirst((now, before) => now !== before),
    ),
  ]),
  ofFields("default/counter", { made: "integer = counter, read-only" }, { made: "integer = 1, read-only" }, [
    ask("POST /things", {}, { has: { made: 1 } }),
    ask("DELETE /things/{1}", "204"),
    ask("POST /things", {}, { has: { made: 2 } }),
  ]),
  ofFields(
    "default/counter-per",
    { "of?": "Thing, create-only", made: "integer = counter per of, read-only" },
    { "of?": "Thing, create-only", made: "integer = counter, read-only" },
    [
      ask("POST /things", {}, { has: { made: 1 } }),
      ask("POST /things", { of: "{1}" }, { has: { made: 1 } }),
      ask("POST /things", { of: "{1}" }, { has: { made: 2 } }),
      ask("POST /things", {}, { has: { made: 2 } }),
    ],
  ),
  ofFields(
    "default/uuid",
    { made: "uuid = uuid, read-only" },
    { made: "uuid = 0198b5c5-7a5e-7c10-9d3b-4d2f0c1a2b3c, read-only" },
    [
      ask("POST /things", {}, made(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)),
      ask(
        "POST /things",
        {},
        comparedWithFirst((now, before) => now !== before),
      ),
    ],
  ),
  ofFields(
    "computed",
    { price: "integer", count: "integer", made: "integer := price * count" },
    { price: "integer", count: "integer", made: "integer = 6" },
    [
      ask("POST /things", { price: 2, count: 3 }, { has: { made: 6 } }),
      ask("PATCH /things/{1}", { count: 4 }, { has: { made: 8 } }),
      ask("PATCH /things/{1}", { made: 9 }, "422 #/made read-only"),
      ask("GET /things/{1}", { has: { made: 8 } }),
    ],
  ),
  ofFields(
    "computed",
    { price: "integer", made: "integer := price * 2, filter" },
    { price: "integer", made: "integer = 6, filter" },
    [
      ask("POST /things", { price: 2 }, { has: { made: 4 } }),
      ask("PATCH /things/{1}", { price: 4 }, { has: { made: 8 } }),
      ask("GET /things?made=8", { items: 1 }),
      ask("GET /things?made=4", { items: 0 }),
    ],
  ),
];

const marks: readonly Proof[] = [
  ofFields(["marks", "marks/read-only"], { value: "integer = 1, read-only" }, { value: "integer = 1" }, [
    ask("POST /things", { value: 2 }, "422 #/value read-only"),
    ask("POST /things", {}, "201"),
    ask("PATCH /things/{2}", { value: 2 }, "422 #/value read-only"),
    ask("PUT /things/{2}", { value: 2 }, "422 #/value read-only"),
    ask("PATCH /things/{2}", { value: 1 }, "200"),
  ]),
  ofFields(
    "marks/create-only",
    { value: "integer, create-only", "name?": "string(1..9)" },
    { value: "integer", "name?": "string(1..9)" },
    [
      ask("POST /things", { value: 2 }, "201"),
      ask("PATCH /things/{1}", { value: 3 }, "422 #/value read-only"),
      ask("PUT /things/{1}", { value: 3 }, "422 #/value read-only"),
      ask("PUT /things/{1}", { value: 2 }, "200"),
    ],
  ),
  ofFields(
    "marks/write-only",
    { "value?": "string(1..40), write-only", "name?": "string(1..9)" },
    { "value?": "string(1..40)", "name?": "string(1..9)" },
    [
      ask("POST /things", { value: "hush-hush" }, { status: "201", lacks: ["hush"] }),
      ask("GET /things/{1}", { lacks: ["hush"] }),
      ask("GET /things", { lacks: ["hush"] }),
      ask("PATCH /things/{1}", { value: "hush-hush-2" }, { lacks: ["hush"] }),
      ask("GET /things?value=hush-hush-2", "400"),
    ],
  ),
  ofFields("marks/unique", { value: "string(1..9), unique" }, { value: "string(1..9)" }, [
    ask("POST /things", { value: "a" }, "201"),
    ask("POST /things", { value: "a" }, "409 already-exists"),
    ask("POST /things", { value: "b" }, "201"),
    ask("PATCH /things/{3}", { value: "a" }, "409 already-exists"),
  ]),
  ofFields(
    "marks/filter",
    { value: "integer, filter", "name?": "string(1..9)" },
    { value: "integer", "name?": "string(1..9)" },
    [
      ...[1, 2, 3].map((value) => ask("POST /things", { value }, "201")),
      ask("GET /things?value=2", { items: [{ value: 2 }] }),
      ask("GET /things?value[gte]=2", { items: 2 }),
      ask("GET /things?value[in]=1,3", { items: 2 }),
      ask("GET /things?name=a", "400"),
      ask("GET /things?value=x", "400"),
    ],
  ),
  ofFields("marks/sort", { value: "integer, sort" }, { value: "integer" }, [
    ...[2, 1, 3].map((value) => ask("POST /things", { value }, "201")),
    ask("GET /things?sort=value", { items: [{ value: 1 }, { value: 2 }, { value: 3 }] }),
    ask("GET /things?sort=-value&limit=1", { items: [{ value: 3 }] }),
    ask("GET /things?sort=id", "400"),
  ]),
  ofFields(
    "marks/search",
    { title: "string(1..40), search", "text?": "text, search", "note?": "string(1..40)" },
    { title: "string(1..40)", "text?": "text", "note?": "string(1..40)" },
    [
      ask("POST /things", { title: "Red DOOR", note: "blue" }, "201"),
      ask("POST /things", { title: "Årstid", text: "a red window" }, "201"),
      ask("GET /things?search=red", { items: 2 }),
      ask("GET /things?search=door%20red", { items: [{ title: "Red DOOR" }] }),
      ask("GET /things?search=%C3%A5RSTID+wind", { items: [{ title: "Årstid" }] }),
      ask("GET /things?search=blue", { items: 0 }),
      ask("GET /things?search=red&limit=1", { items: [{ title: "Årstid" }] }),
      ask("GET /things?search=red&limit=1&cursor={7.next}", { items: [{ title: "Red DOOR" }] }),
      ask("GET /things?search=door&limit=1&cursor={7.next}", "400"),
      ask("GET /things?search=%20", "400"),
    ],
  ),
  {
    // Who does not see a field finds nothing by what stands in it.
    of: [`${fields}/marks/search`],
    with: hiddenSearch("string(1..40), search"),
    without: hiddenSearch("string(1..40)"),
    play: [
      ask("olga POST /things", { title: "a", pin: "secretive" }, "201"),
      ask("olga GET /things?search=secretive", { items: 1 }),
      ask("ann GET /things?search=secretive", { items: 0 }),
      ask("ann GET /things?search=a", { items: 1 }),
    ],
  },
  ofFields(
    "marks/secret",
    { value: "string(1..40), secret", "name?": "string(1..9)" },
    { value: "string(1..40)", "name?": "string(1..9)" },
    [
      ask("POST /things", { value: "hush-hush" }, { status: "201", lacks: ["hush", '"value"'] }),
      ask("GET /things/{1}", { lacks: ["hush", '"value"'] }),
      ask("GET /things", { lacks: ["hush", '"value"'] }),
      isHashed("hush-hush"),
    ],
  ),
  {
    of: [`${fields}/marks/delete with`],
    with: shelves("Shelf, delete with"),
    without: shelves("Shelf"),
    play: [
      ask("POST /shelves", { name: "a" }, "201"),
      ask("POST /things", { shelf: "{1}" }, "201"),
      ask("DELETE /shelves/{1}", "204"),
      ask("GET /things/{2}", "404"),
    ],
  },
  {
    of: [`${fields}/marks/tree`],
    with: documentOf({ resources: things({ "above?": "Thing, tree" }) }),
    without: documentOf({ resources: things({ "above?": "Thing" }) }),
    play: [
      ask("POST /things", {}, "201"),
      ask("POST /things", { above: "{1}" }, "201"),
      ask("PATCH /things/{1}", { above: "{2}" }, "422 #/above above-itself"),
    ],
  },
  {
    of: [`${fields}/marks/clear`],
    with: shelves({ "shelf?": "Shelf, clear" }),
    without: shelves({ "shelf?": "Shelf" }),
    play: [
      ask("POST /shelves", { name: "a" }, "201"),
      ask("POST /things", { shelf: "{1}" }, "201"),
      ask("DELETE /shelves/{1}", "204"),
      ask("GET /things/{2}", { lacks: ["shelf"] }),
    ],
  },
];

const words: readonly Proof[] = [
  ofFields("note", { value: { type: "integer", note: "How many of them there are" } }, { value: "integer" }, [
    ask("GET /openapi.json", says("How many of them there are")),
  ]),
  ofFields("example", { value: { type: "integer", example: 4711 } }, { value: "integer" }, [
    ask("GET /openapi.json", says("4711")),
  ]),
];

const typeProofs: readonly Proof[] = [
  {
    of: [types],
    with: documentOf({
      resources: thingsWith({ Place: { street: "string(1..9)", "floor?": "integer" } }, { at: "Place" }),
    }),
    without: documentOf({ resources: things({ at: "json" }) }),
    play: [
      ask("POST /things", { at: { street: "a", floor: 1 } }, { status: "201", has: { at: { street: "a", floor: 1 } } }),
      ask("POST /things", { at: { street: "a", room: 1 } }, "422 #/at/room unknown-field"),
      ask("POST /things", { at: { floor: 1 } }, "422 #/at/street required"),
    ],
  },
  {
    // Inside a value an `id` is a member like any other, which its sender gives.
    of: [`${types}/type/id/made/client`, `${types}/type/id/of`],
    with: documentOf({ resources: thingsWith({ Place: { id: "string(2..5)" } }, { at: "Place" }) }),
    without: documentOf({ resources: thingsWith({ Place: { id: "string" } }, { at: "Place" }) }),
    play: [
      ask("POST /things", { at: { id: "box" } }, { status: "201", has: { at: { id: "box" } } }),
      ask("POST /things", { at: { id: "b" } }, "422 #/at/id too-short"),
      ask("POST /things", { at: {} }, "422 #/at/id required"),
    ],
  },
  {
    of: [`${types}/optional`],
    with: documentOf({ resources: thingsWith({ Place: { "floor?": "integer" } }, { at: "Place" }) }),
    without: documentOf({ resources: thingsWith({ Place: { floor: "integer" } }, { at: "Place" }) }),
    play: [ask("POST /things", { at: {} }, { status: "201", has: { at: {} } })],
  },
  {
    of: [`${types}/type/nullable`],
    with: documentOf({ resources: thingsWith({ Place: { floor: "integer | null" } }, { at: "Place" }) }),
    without: documentOf({ resources: thingsWith({ Place: { floor: "integer" } }, { at: "Place" }) }),
    play: [ask("POST /things", { at: { floor: null } }, { status: "201", has: { at: { floor: null } } })],
  },
  {
    of: [`${types}/type/named`],
    with: documentOf({
      resources: thingsWith({ Place: { room: "Room" }, Room: { door: "integer" } }, { at: "Place" }),
    }),
    without: documentOf({ resources: thingsWith({ Place: { room: "json" } }, { at: "Place" }) }),
    play: [
      ask("POST /things", { at: { room: { door: 1 } } }, "201"),
      ask("POST /things", { at: { room: { door: "x" } } }, "422 #/at/room/door wrong-type"),
    ],
  },
  {
    of: [`${types}/default`, `${types}/default/literal`],
    with: documentOf({ resources: thingsWith({ Place: { floor: "integer = 3" } }, { at: "Place" }) }),
    without: documentOf({ resources: thingsWith({ Place: { floor: "integer = 4" } }, { at: "Place" }) }),
    play: [
      ask("POST /things", { at: {} }, { status: "201", has: { at: { floor: 3 } } }),
      ask("GET /things/{1}", { has: { at: { floor: 3 } } }),
    ],
  },
  {
    of: [`${types}/note`, `${types}/example`],
    with: documentOf({
      resources: thingsWith(
        { Place: { floor: { type: "integer", note: "Above the street", example: 4711 } } },
        { at: "Place" },
      ),
    }),
    without: documentOf({ resources: thingsWith({ Place: { floor: "integer" } }, { at: "Place" }) }),
    play: [ask("GET /openapi.json", says("Above the street")), ask("GET /openapi.json", says("4711"))],
  },
];

const rules: readonly Proof[] = [
  {
    of: ["resources/rules", "resources/rules/unique", "resources/rules/unique/fields"],
    with: ruled("unique row + door"),
    without: ruled("unique row + door + size"),
    play: [
      ask("POST /things", { row: 1, door: 1, size: 1 }, "201"),
      ask("POST /things", { row: 1, door: 1, size: 2 }, "409 already-exists"),
      ask("POST /things", { row: 1, door: 2, size: 1 }, "201"),
      ask("PATCH /things/{3}", { door: 1, size: 2 }, "409 already-exists"),
    ],
  },
  {
    of: [
      "resources/rules/unique/absent",
      "resources/rules/unique/absent/equal",
      "resources/rules/unique/absent/distinct",
    ],
    with: ruled("unique row + door, absent equal", "door?"),
    without: ruled("unique row + door, absent distinct", "door?"),
    play: [
      ask("POST /things", { row: 1, size: 1 }, "201"),
      ask("POST /things", { row: 1, size: 2 }, "409 already-exists"),
      ask("POST /things", { row: 2, size: 2 }, "201"),
      ask("PATCH /things/{3}", { row: 1 }, "409 already-exists"),
    ],
  },
  {
    of: ["resources/rules/unique/else"],
    with: ruled("unique row + door else too-big"),
    without: ruled("unique row + door"),
    play: [
      ask("POST /things", { row: 1, door: 1, size: 1 }, "201"),
      ask("POST /things", { row: 1, door: 1, size: 2 }, "409 too-big"),
    ],
  },
  {
    of: ["resources/rules/holds"],
    with: ruled("size <= row else too-big"),
    without: ruled("none"),
    play: [
      ask("POST /things", { row: 1, door: 1, size: 2 }, "409 too-big"),
      ask("POST /things", { row: 2, door: 1, size: 2 }, "201"),
      ask("PATCH /things/{2}", { row: 1 }, "409 too-big"),
      ask("PUT /things/{2}", { row: 1, door: 1, size: 2 }, "409 too-big"),
      ask("GET /things/{2}", { has: { row: 2 } }),
    ],
  },
];

const whole: readonly Proof[] = [
  {
    of: ["resources/resources"],
    with: documentOf({
      resources: { ...things({ name: "string(1..9)" }), Crate: { id: "id(cra)", size: "integer" } },
      endpoints: { endpoints: { ...crud, ...crudOf("Crate") } },
    }),
    without: documentOf({ resources: things({ name: "string(1..9)" }) }),
    play: [
      ask("POST /crates", { size: 1 }, "201"),
      ask("GET /crates/{1}", { has: { size: 1 } }),
      ask("GET /things/{1}", "404"),
      ask("GET /crates", { items: 1 }),
    ],
  },
];

const seen = { ...things({ name: "string(1..9)", "of?": "Thing" }) };

/** Things given as a view, and without it as they are. */
function viewed(of: readonly string[], view: Block, play: readonly Step[]): Proof {
  const shape = { act: { at: "GET /things/{id}/seen", gives: "Seen" } };
  const plain = { act: { at: "GET /things/{id}/seen" } };
  return {
    of: of.map((one) => `resources/views${one}`),
    with: documentOf({
      resources: { ...seen, views: { Seen: { of: "Thing", ...view } } },
      endpoints: { endpoints: { ...crud, ...shape } },
    }),
    without: documentOf({ resources: seen, endpoints: { endpoints: { ...crud, ...plain } } }),
    play: [ask("POST /things", { name: "a" }, "201"), ask("POST /things", { name: "b", of: "{1}" }, "201"), ...play],
  };
}

const views: readonly Proof[] = [
  viewed(["", "/fields"], { fields: ["name"] }, [ask("GET /things/{2}/seen", { is: { name: "b" } })]),
  viewed(["/members", "/members/computed"], { long: "string := name + '!'" }, [
    ask("GET /things/{2}/seen", { is: { long: "b!" } }),
  ]),
  viewed(["/members/optional"], { "other?": "Thing := of" }, [
    ask("GET /things/{1}/seen", { is: {} }),
    ask("GET /things/{2}/seen", (reply) => assert.deepEqual(Object.keys(reply.json as object), ["other"])),
  ]),
];

export const resourceProofs: readonly Proof[] = [
  ...fieldTypeProofs,
  ...types_,
  ...defaults,
  ...marks,
  ...words,
  ...typeProofs,
  ...rules,
  ...whole,
  ...views,
];

/** What stands in an embedded value and would be made, or done to a column, by nobody. */
const placed = (line: string): string =>
  documentOf({ resources: thingsWith({ Place: { value: line } }, { at: "Place" }) });

function refusedInTypes(code: string, lines: Readonly<Record<string, string>>): readonly ApiError[] {
  return Object.entries(lines).map(([construct, line]) => ({
    of: [`${types}/${construct}`],
    with: placed(line),
    refused: code,
    without: placed("string"),
  }));
}

export const resourceRefusals: readonly ApiError[] = [
  ...refusedInTypes("resources/file-misplaced", {
    "type/file": "file(..1KB)",
    "type/file/media": "file(..1KB, image/png)",
  }),
  ...refusedInTypes("resources/unix-time-misplaced", { "type/scalar/unix": "datetime(seconds)" }),
  ...refusedInTypes("resources/made-by-nobody", {
    "type/id": "id(abc)",
    "type/id/prefix": "id(abc)",
    "type/id/made/server": "id(abc)",
    "type/id/length": "id(abc, 14)",
    "type/id/alphabet": "id(abc, 24, 0-9a-f)",
    "type/id/made/counter": "id(counter)",
    "default/now": "datetime = now",
    "default/now-on-change": "datetime = now on change",
    "default/caller": "user = caller",
    "default/digits": "string = digits(6)",
    "default/token": "string = token(9)",
    "default/counter": "integer = counter",
    "default/counter-per": "integer = counter per of",
    "default/uuid": "uuid = uuid",
  }),
  ...refusedInTypes("expression/computed-elsewhere", { computed: "integer := 1 + 1" }),
  ...refusedInTypes(
    "resources/mark-misplaced",
    Object.fromEntries([
      ["marks", "string, filter"],
      ...allMarks.map((mark) => [`marks/${mark}`, `string, ${mark}`]),
    ]) as Readonly<Record<string, string>>,
  ),
];

function ruled(rule: string, door = "door"): string {
  return documentOf({
    resources: { ...things({ row: "integer", [door]: "integer", size: "integer" }), rules: { Thing: rule } },
    errors: { errors: { "too-big": "409 It is too big" } },
  });
}

function hiddenSearch(pin: string): string {
  return documentOf({
    resources: things({ title: "string(1..9), search", pin }),
    authentication: { show: { "Thing.pin": "admin" } },
  });
}

function signedIn(resources: Block): string {
  const allow = Object.fromEntries(Object.keys(crud).map((operation) => [operation, "signed-in"]));
  return documentOf({ resources, authentication: { allow } });
}

function idOf(reply: Reply): string {
  return String((reply.json as { id: string | number }).id);
}

/** The text is in the reply. */
export function says(text: string): Expected {
  return (reply) => assert(reply.text.includes(text), `${text} is not in ${reply.text.slice(0, 300)}`);
}
