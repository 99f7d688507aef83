/** Findings that once misled readers of the reference: their present texts, and texts that must not return. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../src/base/json.ts";
import { check } from "../../src/language/check.ts";
import { type Block, documentOf, type Parts } from "../enforced/document.ts";

interface Row {
  readonly written: string;
  readonly text: string;
  /** The codes that are found, of those that matter here. */
  readonly code?: string;
  /** In its message or its help. */
  readonly says?: readonly RegExp[];
  readonly never?: readonly (string | RegExp)[];
}

function written(endpoints: Block, parts: Parts): string {
  return documentOf({ ...parts, endpoints: { endpoints } });
}

const thing = { id: "id(thi)" };
const things = { addThing: "POST /things", getThing: "GET /things/{id}" };
const orders = {
  resources: { Order: { id: "id(ord)" }, VendorOrder: { id: "id(ven)", order: "Order" } },
  states: {
    Order: { states: ["a", "b"], start: "a", final: ["b"], moves: { "a -> b": "by pay" } },
    VendorOrder: { states: ["a", "b"], start: "a", final: ["b"], moves: { "a -> b": "when order.paid" } },
  },
  events: { out: { "order.paid": "Order -> b" } },
} satisfies Parts;
const quota = { limits: { quota: { Note: "4 per user" } } } satisfies Parts;
const notes = { Note: { id: "id(not)", owner: "user = caller, read-only" } };

const locks = { addLock: "POST /locks", turnLock: { at: "POST /locks/{id}/turn", takes: { pin: "string(4..8)" } } };
const lockedBy = (pin: string): Parts => ({
  resources: { Lock: { id: "id(loc)", "pin?": "string(4..8), secret" } },
  states: {
    Lock: { states: ["a", "b"], start: "a", final: ["b"], moves: { "a -> b": { by: "turnLock", set: { pin } } } },
  },
});

const also = (write: Json, more: Parts = {}): string =>
  written({ ...things, listThings: { at: "GET /things" }, addNote: { at: "POST /notes", also: write } } as Block, {
    resources: {
      Thing: { ...thing, count: "integer = 0" },
      Note: { id: "id(not)", thing: "Thing", text: "string(..9) = a" },
    },
    ...more,
  });
const note = { create: "Note", with: { thing: "thing" } };

const rows: readonly Row[] = [
  ...(
    [
      ["a further write without `where`", { change: "Thing", set: { count: "1" } }, "further-write-unclear"],
      ["a further write that changes nothing", { change: "Thing", where: "true" }, "further-write-unclear"],
      ["an order without a number", { delete: "Note", where: "true", sort: "text" }, "further-write-unclear"],
      ["a further write without a needed field", { create: "Note" }, "further-write-lacks-field"],
      [
        "a further write of an id",
        { create: "Note", with: { thing: "thing", id: "id" } },
        "further-write-not-settable",
      ],
      ["a further write of an unknown resource", { create: "Memo" }, "further-write-unknown"],
      [
        "a further write of an unknown field",
        { ...note, with: { thing: "thing", txt: "'a'" } },
        "further-write-unknown",
      ],
    ] as const
  ).map(([what, write, slug]): Row => ({ written: what, text: also(write), code: `states/${slug}` })),
  {
    written: "a list that is no list",
    text: also({ ...note, each: "one in text" }),
    code: "expression/wrong-type",
    says: [/list/],
  },
  {
    written: "an error of a further write",
    text: also({ delete: "Note", where: "true", else: "no" }),
    code: "errors/not-declared",
  },
  {
    written: "a further write of a list",
    text: written({ ...things, listThings: { at: "GET /things", also: { create: "Thing" } } } as Block, {}),
    code: "endpoints/statement-ignored",
    says: [/is a list, which writes no record/],
  },
  {
    written: "a further write whose event causes it again",
    text: written(
      { addNote: "POST /notes", shut: "POST /notes/{id}/shut" },
      {
        resources: { Note: { id: "id(not)", "of?": "Note" } },
        states: {
          Note: {
            states: ["open", "shut"],
            start: "open",
            final: ["shut"],
            moves: {
              "open -> shut": ["by shut", { when: "note.opened at of", also: { create: "Note", with: { of: "id" } } }],
            },
          },
        },
        events: { out: { "note.opened": "Note -> open" } },
      },
    ),
    code: "states/event-loop",
    says: [/`note.opened` causes `note.opened` again/],
  },
  {
    written: "a hidden field that a further write copies",
    text: also(
      { change: "Thing", where: "id == this.thing", set: { count: "size(this.text)" } },
      { authentication: { roles: ["admin"], show: { "Note.text": "admin" } } },
    ),
    code: "states/hidden-field-leaves",
    says: [/`count` is set from `Note.text`/],
  },
  ...(
    [
      ["none", undefined, "endpoints/unsafe-repeats"],
      ["none", "Key on every POST, kept 24h", undefined],
      ["Key on every POST, kept 24h", "none", undefined],
      ["Key on every POST, kept 24h", undefined, undefined],
    ] as const
  ).map(([repeats, own, code]): Row => {
    const addThing = { at: "POST /things", ...(own === undefined ? {} : { repeats: own }) };
    return {
      written: `idempotency keys: ${repeats}, of a creation: ${own}`,
      text: documentOf({ resources: { Thing: thing }, endpoints: { repeats, endpoints: { addThing } } }),
      ...(code === undefined ? { never: ["endpoints/unsafe-repeats"] } : { code }),
    };
  }),
  {
    written: "a comma in braces",
    text: written(things, { resources: { Thing: thing }, limits: { keep: "CUT" } }).replace(
      "keep: CUT",
      "keep: { Thing: 365d after final, erase }",
    ),
    code: "limits/empty",
    says: [/in braces a comma ends an entry/, /put that text in quotes/],
    never: [/not shown/],
  },
  {
    written: "a secret that a move sets, whose text would be stored",
    text: written(locks, lockedBy("input.pin")),
    code: "states/set-not-settable",
    says: [/`pin` is a secret: only its hash may be stored/, /in the body of an update/],
  },
  {
    written: "a secret that a move clears",
    text: written(locks, lockedBy("null")),
    never: [/a hash is stored/],
  },
  {
    written: "a second parameter behind the record",
    text: written(
      { addIssue: "POST /issues", putLabel: "PUT /issues/{id}/labels/{label}" },
      { resources: { Issue: { id: "id(iss)", "labels?": "string(1..9)[]" } } },
    ),
    code: "endpoints/path-parameter-unbound",
    says: [/`\{label\}` names no record: `\{id\}` names the Issue already/, /`takes`/, /`query`/],
    never: [/`\{id\}` is no unique field/],
  },
  {
    written: "a unique field that is not right behind its collection",
    text: written(
      { addArticle: "POST /articles", oneArticle: "GET /articles/x/{slug}" },
      { resources: { Article: { id: "id(art)", slug: "string(1..9), unique" } } },
    ),
    code: "endpoints/path-parameter-unbound",
    says: [/`\{slug\}` does not directly follow the collection of Article/],
    never: [/no unique field/],
  },
  {
    written: "an event that many records wait for",
    text: written(
      { addOrder: "POST /orders", pay: "POST /orders/{id}/pay", addVendorOrder: "POST /vendor-orders" },
      orders,
    ),
    code: "states/event-finds-none",
    says: [/many VendorOrder records can refer to one Order by `order`/, /`where: order == input.id`/],
    never: [/let it carry/],
  },
  {
    written: "an owner whom others set on purpose",
    text: written(
      { addWallet: "POST /wallets", getWallet: "GET /wallets/{id}" },
      {
        resources: { Wallet: { id: "id(wal)", holder: "user" } },
        authentication: {
          roles: ["treasurer"],
          own: { Wallet: "holder == caller.id" },
          allow: { addWallet: "treasurer", getWallet: "signed-in if own" },
        },
      },
    ),
    code: "authentication/owner-writable",
    says: [/`holder: user = caller, read-only`/, /`# ok owner-writable: …`/],
  },
  {
    written: "durations that are divided",
    text: written(things, { resources: { Thing: { ...thing, n: "integer := duration('2h') / duration('1h')" } } }),
    code: "expression/wrong-type",
    says: [/lengths of time are added, subtracted, compared and multiplied/],
  },
  {
    written: "a duration as a number",
    text: written(things, { resources: { Thing: { ...thing, n: "integer := int(duration('2h'))" } } }),
    code: "expression/wrong-type",
    says: [/a duration is not made int/, /lengths of time are added, subtracted, compared and multiplied/],
  },
  {
    written: "a type of another language with bounds",
    text: written(things, { resources: { Thing: { ...thing, n: "int(1..5)" } } }),
    code: "resources/unknown-type",
    says: [/did you mean `integer`\?/],
    never: [/takes no brackets/],
  },
  ...(["a and a", "(a or a)", "a && not a"] as const).map((expression): Row => {
    const sign = expression.includes("and") ? "&&" : expression.includes("or") ? "||" : "!";
    return {
      written: `\`${expression}\``,
      text: written(things, { resources: { Thing: { ...thing, a: "boolean", b: `boolean := ${expression}` } } }),
      code: "expression/unexpected-token",
      says: [new RegExp(`write \`${sign.replaceAll("|", String.raw`\|`)}\` in place of`)],
    };
  }),
  {
    written: "a text without quotes",
    text: written(
      { ...things, go: "POST /things/{id}/go" },
      {
        resources: { Thing: { ...thing, deposit: "held | released = held, read-only" } },
        states: {
          Thing: {
            states: ["a", "b"],
            start: "a",
            final: ["b"],
            moves: { "a -> b": { by: "go", set: { deposit: "released" } } },
          },
        },
      },
    ),
    code: "expression/unknown-name",
    says: [/a text is written in quotes: `'released'`/],
  },
  {
    written: "`link` without a record in the path",
    text: written(
      { addSeat: { at: "POST /companies", link: { in: "Seat", with: { company: "id" } } }, listSeats: "GET /seats" },
      { resources: { Company: { id: "id(com)" }, Seat: { id: "id(sea)", company: "Company" } } },
    ),
    code: "endpoints/path-parameter-unbound",
    says: [/`link` acts on one record, so its path has to name one/],
  },
  {
    written: "a query parameter with brackets",
    text: written(
      { ...things, getThing: { at: "GET /things/{id}", query: { "expand[0]?": "string(1..9)" } } },
      { resources: { Thing: thing } },
    ),
    code: "endpoints/bad-name",
    says: [/as clients send it, let a handler do the operation/],
    never: [/write `expand0`/],
  },
  {
    written: "two triggers of one transition",
    text: written(
      { ...things, one: "POST /things/{id}/one", two: "POST /things/{id}/two" },
      {
        resources: { Thing: { ...thing, n: "integer = 0, read-only" } },
        states: {
          Thing: {
            states: ["a"],
            start: "a",
            final: "none",
            moves: { "a -> a": { by: "one", set: { n: "1" } }, "a->a": { by: "two", set: { n: "2" } } },
          },
        },
      },
    ),
    code: "states/move-twice",
    says: [/each with its own `set` in a map/],
  },
  {
    written: "a member of a body that nothing uses",
    text: written(
      { ...things, addThing: { at: "POST /things", takes: { name: "string(1..9)", note: "string(1..9)" } } },
      { resources: { Thing: { ...thing, name: "string(1..9)" } } },
    ),
    code: "endpoints/takes-unused",
    says: [/`note` sets no field of Thing, and nothing reads `input.note`/],
    never: [/`name` sets no field/],
  },
  {
    written: "a member of a body that an expression reads",
    text: written(
      {
        ...things,
        go: { at: "POST /things/{id}/go", takes: { why: "string(1..9)" }, if: "input.why != 'x'", else: "no" },
      },
      {
        resources: { Thing: thing },
        states: { Thing: { states: ["a", "b"], start: "a", final: ["b"], moves: { "a -> b": "by go" } } },
        errors: { errors: { no: "409 No" } },
      },
    ),
    never: ["endpoints/takes-unused"],
  },
  {
    written: "a resource that others refer to and nothing creates",
    text: written(things, { resources: { Thing: { ...thing, "invoice?": "Invoice" }, Invoice: { id: "id(inv)" } } }),
    code: "resources/never-created",
    says: [/No operation creates an Invoice/, /creates it with `link`/],
  },
  {
    written: "a resource that `link` creates",
    text: written(
      {
        addThing: "POST /things",
        star: { at: "POST /things/{id}/star", link: { in: "Star", with: { thing: "id" } } },
        listStars: "GET /stars",
      },
      { resources: { Thing: thing, Star: { id: "id(sta)", thing: "Thing, create-only, filter" } } },
    ),
    never: ["resources/never-created", "resources/unused-resource"],
  },
  ...(
    [
      ["a unique field that is computed from a reference that is cleared", "clear", "part == null ? 'a' : name", ", unique", [], true],
      ["a rule of uniqueness over such a field", "clear", "part == null ? 'a' : name", ", filter", ["unique name + key else same"], true],
      ["a unique field that is computed from a reference that refuses", "", "part == null ? 'a' : name", ", unique", [], false],
      ["a unique field that is computed without the reference", "clear", "name + 'x'", ", unique", [], false],
      ["a field that is computed from a reference that is cleared", "clear", "part == null ? 'a' : name", ", filter", [], false],
    ] as const
  ).map(([what, mark, computed, marks, rules, found]): Row => {
    const code = "resources/clear-may-clash";
    const part = mark === "" ? "Thing" : `Thing, ${mark}`;
    const item = { id: "id(ite)", name: "string(1..9)", "part?": part, key: `string(1..12) := ${computed}${marks}` };
    const text = written(
      { ...things, dropThing: "DELETE /things/{id}", addItem: "POST /items" },
      { resources: { Thing: thing, Item: item, rules: { Item: [...rules] } }, errors: { errors: { same: "409 It is the same" } } },
    );
    return { written: what, text, ...(found ? { code, says: [/`key` is computed from `part`/] } : { never: [code] }) };
  }), // biome-ignore format: a table
  ...[
    ["nothing that deletes", {}, true],
    ["a deletion of one", { removeNote: "DELETE /notes/{id}" }, false],
    ["a deletion of all", { clearNotes: "DELETE /notes" }, false],
  ].map(([what, more, found]): Row => {
    const code = "limits/quota-never-freed";
    const text = written({ addNote: "POST /notes", ...(more as Block) }, { resources: notes, ...quota });
    return { written: `a quota with ${what as string}`, text, ...(found === true ? { code } : { never: [code] }) };
  }),
];

for (const { written: what, text, code, says = [], never = [] } of rows) {
  test(`what is found of ${what}`, () => {
    const { diagnostics } = check("things.md", text);
    const told = diagnostics.map((one) => `${one.code}: ${one.message} | ${one.help ?? ""}`);
    const found = told.filter((one) => one.startsWith(`${code ?? ""}: `));
    if (code !== undefined) assert.equal(found.length, 1, told.join("\n"));
    for (const pattern of says) assert.match(found[0] ?? "", pattern);
    for (const one of never)
      assert(!told.some((line) => (typeof one === "string" ? line.includes(one) : one.test(line))), told.join("\n"));
  });
}
