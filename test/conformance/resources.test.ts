/** Cases of part 2: a service whose records are as the document says breaks nothing, and one with other records is found. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Block, crud, documentOf, type Parts, things } from "../enforced/document.ts";
import { type Altered, expectBroken } from "./altered.ts";
import { testServed } from "./served.ts";

const rule409: Parts = { errors: { errors: { "not-so": "409 Not so" } } };

/** A row whose documents differ in the line of one field: `value?: integer`. */
function field(stated: string, served: string, more: Block = {}, parts: Parts = {}): Altered {
  const written = (line: string): string => {
    const [name = "", type = ""] = line.split(/: (.*)/);
    return documentOf({ ...parts, resources: { ...things({ "note?": "string(1..9)", [name]: type }), ...more } });
  };
  const broken = `resources/Thing/${/^\w+/.exec(stated)?.[0]}`;
  return { what: `${served} for ${stated}`, true: written(stated), served: written(served), broken };
}

/** A row whose documents differ in the resources. */
function other(what: string, broken: string, stated: Block, served: Block, more: Parts = {}): Altered {
  const written = (resources: Block): string => documentOf({ ...more, resources });
  return { what, true: written(stated), served: written(served), broken: `resources/${broken}` };
}

const types: readonly Altered[] = [
  field("value: string(1..20)", "value: string(1..21)"),
  field("value: string(1..20)", "value: string(1..19)"),
  field("value: string(2..20)", "value: string(1..20)"),
  field("value: string(2..20) /^[a-z]+$/", "value: string(2..20)"),
  field("value: integer(1..9)", "value: integer(0..9)"),
  field("value: integer(1..9)", "value: number(1..9)"),
  field("value: money(1..5)", "value: money(1..6)"),
  field("value: email", "value: string"),
  field("value: date", "value: string"),
  field("value: datetime(seconds)", "value: integer"),
  field("value: datetime(seconds)", "value: datetime(milliseconds)"),
  field("value: datetime(milliseconds)", "value: datetime"),
  field("value: small | large", "value: small | big"),
  field("value: small | large = small", "value: string = small"),
  field("value: string(1..9)[](1..3)", "value: string(1..9)[](1..4)"),
  field("value: map(integer)", "value: map(json)"),
  field("value: integer | null", "value: integer"),
  field("value: integer", "value?: integer"),
  field("value?: integer", "value: integer"),
  field("value: Place", "value: json", { types: { Place: { street: "string(1..9)", "floor?": "integer" } } }),
  other(
    "a member of a type that may be missing",
    "types/Place/street",
    { ...things({ at: "Place" }), types: { Place: { street: "string(1..9)", floor: "integer" } } },
    { ...things({ at: "Place" }), types: { Place: { "street?": "string(1..9)", floor: "integer" } } },
  ),
  other(
    "another named schema",
    "schemas/Box",
    boxed({ type: "object", required: ["label"], properties: { label: { type: "string", maxLength: 9 } } }),
    boxed({ type: "object", required: ["label"], properties: { label: { type: "string" } } }),
  ),
  field("id: id(thi)", "id: id(box)"),
  field("id: id(thi, 14)", "id: id(thi, 15)"),
  field("id: id(thi, 24, 0-9a-f)", "id: id(thi, 24)"),
  field("id: string(2..5)", "id: string(1..5)"),
];

function boxed(schema: Block): Block {
  return { ...things({ value: { schema: { $ref: "#/schemas/Box" } } }), schemas: { Box: schema } };
}

const values: readonly Altered[] = [
  field("value: integer = 7", "value: integer = 8"),
  field("value: integer = 7", "value: integer"),
  field("value: datetime = now, read-only", "value: datetime = now on change, read-only"),
  field("value: datetime = now on change, read-only", "value: datetime = now, read-only"),
  field("value: string = digits(6), read-only", "value: string = digits(5), read-only"),
  field("value: string = token(24), read-only", "value: string = token(20), read-only"),
  field("value: integer = counter, read-only", "value: integer = 1, read-only"),
  other(
    "another computed value",
    "Thing/double",
    things({ size: "integer(0..9)", double: "integer := size * 2" }),
    things({ size: "integer(0..9)", double: "integer := size + size + 1" }),
  ),
  other(
    "a computed list in the order of the other one",
    "Thing/sorted",
    things({ all: "string(1..9)[](0..5) = []", sorted: "string[] := all.sort()" }),
    things({ all: "string(1..9)[](0..5) = []", sorted: "string[] := all" }),
  ),
  other(
    "a caller whom the body names",
    "Thing/by",
    things({ by: "user = caller, read-only", "note?": "string(1..9)" }),
    things({ by: "user = caller", "note?": "string(1..9)" }),
    { authentication: { allow: Object.fromEntries(Object.keys(crud).map((name) => [name, "signed-in"])) } },
  ),
];

const shelf: Block = { Shelf: { id: "id(she)", name: "string(1..9)" } };
const shelved: Parts = {
  endpoints: {
    endpoints: {
      ...crud,
      addShelf: "POST /shelves",
      getShelf: "GET /shelves/{id}",
      removeShelf: "DELETE /shelves/{id}",
    },
  },
};

const reference = (stated: string, served: string): Altered => field(stated, served, shelf, shelved);

const modifiers: readonly Altered[] = [
  field("value: integer = 1, read-only", "value: integer = 1"),
  field("value: integer, create-only", "value: integer"),
  field("value?: string(1..40), write-only", "value?: string(1..40)"),
  field("value: string(1..9), unique", "value: string(1..9)"),
  field("value: string(1..9)", "value: string(1..9), unique"),
  field("value: integer, filter", "value: integer"),
  field("value: integer, sort", "value: integer"),
  field("value: string(1..40), search", "value: string(1..40)"),
  reference("shelf: Shelf", "shelf: string(1..80)"),
  reference("shelf: Shelf", "shelf: Shelf, delete with"),
  reference("shelf: Shelf, delete with", "shelf: Shelf"),
  reference("shelf?: Shelf, clear", "shelf?: Shelf"),
  field("value?: Thing, tree", "value?: Thing"),
];

/** Rows whose documents differ in a rule over the fields `row`, `door` and `size`. */
function rule(stated: string, served: string, door = "door"): Altered {
  const written = (line: string): string =>
    documentOf({
      ...rule409,
      resources: {
        ...things({ row: "integer(0..99)", [door]: "integer(0..99)", size: "integer(0..99)" }),
        rules: { Thing: line },
      },
    });
  return {
    what: `${served} for ${stated}`,
    true: written(stated),
    served: written(served),
    broken: "resources/rules/Thing/0",
  };
}

const rules: readonly Altered[] = [
  rule("unique row + door", "unique row + door + size"),
  rule("unique row + door", "unique row"),
  rule("unique row + door, absent equal", "unique row + door, absent distinct", "door?"),
  rule("unique row + door else not-so", "unique row + door"),
  rule("size <= row else not-so", "size <= row + 1 else not-so"),
  rule("size <= row else not-so", "size < row else not-so"),
  rule("size <= row else not-so", "none"),
  rule("!Thing.exists(t, t.id != id && t.row == row && t.size == size) else not-so", "size >= 0 else not-so"),
  rule("Thing.filter(t, t.row == row).size() <= 1 else not-so", "size >= 0 else not-so"),
];

const seen: Parts = {
  endpoints: { endpoints: { ...crud, seeThing: { at: "GET /things/{id}/seen", gives: "Seen" } } },
};

function view(what: string, broken: string, stated: Block, served: Block): Altered {
  const all = (one: Block): Block => ({
    ...things({ name: "string(1..9)", count: "integer(0..9)" }),
    views: { Seen: { of: "Thing", ...one } },
  });
  return other(what, `views/Seen/${broken}`, all(stated), all(served), seen);
}

const views: readonly Altered[] = [
  other(
    "a member of a view with equal items",
    "views/Seen/single",
    listing({ single: "integer[] := all.distinct()" }),
    listing({ single: "integer[] := all" }),
    seen,
  ),
  view("a view without a field", "fields", { fields: ["name", "count"] }, { fields: ["name"] }),
  view("a member that is absent", "more", { more: "integer := count + 1" }, { fields: ["name"] }),
  view(
    "an optional member without its value",
    "more",
    { "more?": "integer := count >= 0 ? count : null" },
    { "more?": "integer := count > 9 ? count : null" },
  ),
  view("another member of a view", "more", { more: "integer := count + 1" }, { more: "integer := count" }),
];

function listing(member: Block): Block {
  return { ...things({ all: "integer(1..9)[](0..3)" }), views: { Seen: { of: "Thing", ...member } } };
}

/** Signed-in callers like things. */
const liked: Parts = {
  endpoints: {
    endpoints: {
      ...crud,
      like: {
        ...{ at: "POST /things/{id}/like", of: "Thing", gives: "none" },
        link: { in: "Like", with: { thing: "id", by: "caller.id" } },
      },
    },
  },
  authentication: { allow: { like: "signed-in" } },
};

function like(served: string): Altered {
  const all = (rule: string): Block => ({
    ...things({ name: "string(1..9)" }),
    Like: { id: "id(lik)", thing: "Thing, create-only, delete with", by: "user, create-only" },
    rules: { Like: rule },
  });
  return other(`${served} for likes`, "rules/Like/0", all("unique thing + by"), all(served), liked);
}

/** Clients choose the ids of things, and may create one again with the same values. */
const chosen: Parts = {
  ...rule409,
  endpoints: {
    endpoints: {
      getThing: "GET /things/{id}",
      putThing: { at: "PUT /things/{id}", status: { same: "200", differs: "not-so" } },
    },
  },
};

const distinct: readonly Altered[] = [
  like("unique thing"),
  like("unique by"),
  other(
    "values that are unique where clients choose the id",
    "Thing/value",
    { Thing: { id: "string(1..20) /[^.]/", value: "integer" } },
    { Thing: { id: "string(1..20) /[^.]/", value: "integer, unique" } },
    chosen,
  ),
  other(
    "values that are unique where there are few ids",
    "Thing/value",
    { Thing: { id: "string /^(a|b|c)$/", value: "integer" } },
    { Thing: { id: "string /^(a|b|c)$/", value: "integer, unique" } },
    { endpoints: { endpoints: { getThing: "GET /things/{id}", putThing: "PUT /things/{id}" } } },
  ),
];

const pictured: Parts = {
  endpoints: {
    endpoints: {
      addThing: "POST /things",
      getThing: "GET /things/{id}",
      getPicture: "GET /things/{id}/picture",
      putPicture: "PUT /things/{id}/picture",
    },
  },
};

const picture = (stated: string, served: string): Altered =>
  field(`picture: ${stated}`, `picture: ${served}`, {}, pictured);

const files: readonly Altered[] = [
  picture("file(..1KB, image/png)", "file(..2KB, image/png)"),
  picture("file(..2KB, image/png)", "file(..1KB, image/png)"),
  picture("file(..1KB, image/png)", "file(..1KB)"),
  picture("file(..1KB, image/*)", "file(..1KB, image/jpeg)"),
];

void test("a service with other records breaks the statement, and one with the same breaks none", (context) =>
  expectBroken(context, [...types, ...values, ...modifiers, ...rules, ...views, ...distinct, ...files]));

/** A transition with a value of an embedded type. Only a document that states all standard errors rejects unknown members. */
function moving(endpoints: Block): string {
  return documentOf({
    resources: { ...things({ at: "Place" }), types: { Place: { street: "string(1..9)" } } },
    states: {
      Thing: {
        start: "here",
        states: { here: "Here", there: "There" },
        moves: { "here -> there": { by: "moveThing", set: { at: "input.at" } } },
      },
    },
    endpoints: {
      ...endpoints,
      endpoints: { ...crud, moveThing: { at: "POST /things/{id}/move", takes: { at: "Place" } } },
    },
    errors: { standard: ["not-found"] },
  });
}

void test("a service may ignore unknown members that the document does not reject", async () => {
  const { cases } = await testServed(moving({}), { served: moving({ requests: { unknown: "ignored" } }) });
  assert.ok(cases.some(({ id, kind }) => id.includes("moveThing/takes/at: rejects") && kind === "holds"));
  assert.deepEqual(
    cases.filter(({ kind }) => kind === "broken").map(({ id }) => id),
    [],
  );
});

void test("records that are created in the same millisecond may have the same time", async () => {
  const written = (value: string): string => documentOf({ resources: things({ value, "note?": "string(1..9)" }) });
  const time = "datetime = now, read-only";
  // A clock with few different times.
  const now = (): number => Math.floor(Date.now() / 50) * 50;
  const found = async (value: string, kind: string): Promise<readonly string[]> => {
    const test = { served: written(value), options: { clock: { now } }, withoutClock: true } as const;
    const { cases } = await testServed(written(time), test);
    return cases.flatMap((one) => (one.kind === kind ? [one.id] : []));
  };
  assert.deepEqual(await found(time, "broken"), []);
  assert.ok((await found(time, "holds")).includes("resources/Thing: equal times in addThing"));
  assert.notDeepEqual(await found(`${time}, unique`, "broken"), []);
});
