/** The tables of the store tests: every type of column, every kind of reference, and views of them. */
import { checkExpression, checkRecords } from "../../src/expression/check.ts";
import type { Value } from "../../src/expression/evaluate.ts";
import { parseExpression } from "../../src/expression/parse.ts";
import type { TypedExpression } from "../../src/expression/typed.ts";
import type { FieldType, ValueType } from "../../src/expression/types.ts";
import type { Column, ColumnType, Table } from "../../src/plan/resources/types.ts";
import type { Row, Transaction, View, ViewMember } from "../../src/store/port/store.ts";

const text: ValueType = { kind: "string" };
const id = (resource: string): ValueType => ({ kind: "record", resource });
const field = (type: ValueType, nullable = false): FieldType => ({ type, nullable });

const fields: Readonly<Record<string, Readonly<Record<string, FieldType>>>> = {
  Site: { id: field(id("Site")), name: field(text) },
  Locker: {
    id: field(id("Locker")),
    site: field(id("Site")),
    door: field({ kind: "int" }),
    state: field({ kind: "string", values: ["free", "held"] }),
  },
  Thing: {
    id: field(id("Thing")),
    owner: field(text),
    site: field(id("Site"), true),
    parent: field(id("Thing"), true),
    name: field(text),
    note: field(text, true),
    title: field(text, true),
    size: field({ kind: "string", values: ["small", "large"] }),
    count: field({ kind: "int" }, true),
    ratio: field({ kind: "double" }),
    maybe: field({ kind: "double" }, true),
    flag: field({ kind: "bool" }, true),
    at: field({ kind: "timestamp" }, true),
    tags: field({ kind: "list", of: text }, true),
    photo: field({ kind: "any" }, true),
    secret: field(text, true),
    slug: field(text, true),
    placed: field({ kind: "bool" }, true),
  },
  Ticket: {
    id: field(id("Ticket")),
    state: field({ kind: "string", values: ["open", "late", "closed"] }),
    until: field({ kind: "timestamp" }, true),
    note: field(text, true),
  },
};

const callerField = field(
  { kind: "object", members: { id: field(text), roles: field({ kind: "list", of: text }) } },
  true,
);

/** An expression over a record of a resource and `caller`, `input` and `now`. */
export function expression(resource: string, source: string, expected?: ValueType): TypedExpression {
  const { expression: parsed, problems } = parseExpression(source);
  const names: Record<string, FieldType> = {
    ...fields[resource],
    now: field({ kind: "timestamp" }),
    caller: callerField,
    input: field({ kind: "any" }),
  };
  const checked = parsed && checkExpression(parsed, { names, resources: fields }, expected);
  if (!checked?.typed) throw new Error(JSON.stringify([source, ...problems, ...(checked?.problems ?? [])]));
  return checked.typed;
}

/** The records of a resource that an expression over another stands for. */
export function records(resource: string, source: string, of: string): TypedExpression {
  const { expression: parsed } = parseExpression(source);
  const names = { ...fields[resource], caller: callerField };
  const checked = parsed && checkRecords(parsed, { names, resources: fields }, of);
  if (!checked?.typed) throw new Error(JSON.stringify([source, ...(checked?.problems ?? [])]));
  return checked.typed;
}

function column(name: string, type: ColumnType, more: Partial<Column> = {}): Column {
  return { name, type, nullable: false, absent: "left out", marks: [], schema: {}, ...more };
}

const maybe = { nullable: true } as const;
const hour = { milliseconds: 3_600_000, months: 0 };

export const tables: readonly Table[] = [
  {
    resource: "Site",
    name: "sites",
    columns: [column("id", "text"), column("name", "text")],
    virtual: [],
    id: { made: "client" },
    conflicts: [],
    uniques: [],
    indexes: [],
    rules: [],
  },
  {
    resource: "Locker",
    name: "lockers",
    columns: [
      column("id", "text"),
      column("site", "text", { references: { resource: "Site", onDelete: "refuse" } }),
      column("door", "integer"),
      column("state", "text", { values: ["free", "held"] }),
    ],
    virtual: [],
    id: { made: "client" },
    conflicts: [],
    uniques: [["site", "door"]],
    indexes: [["state"]],
    rules: [],
  },
  {
    resource: "Order",
    name: "orders",
    columns: [
      column("id", "integer"),
      column("number", "integer", { default: { kind: "counter" }, marks: ["unique"] }),
      column("note", "text", maybe),
    ],
    virtual: [],
    id: { made: "counter" },
    conflicts: [],
    uniques: [["number"]],
    indexes: [],
    rules: [],
  },
  {
    resource: "Thing",
    name: "things",
    columns: [
      column("id", "text"),
      column("owner", "text"),
      column("site", "text", { ...maybe, references: { resource: "Site", onDelete: "clear" } }),
      column("parent", "text", { ...maybe, references: { resource: "Thing", onDelete: "delete" } }),
      column("name", "text"),
      column("note", "text", maybe),
      column("title", "text", { ...maybe, absent: "null" }),
      column("size", "text", { values: ["small", "large"] }),
      column("count", "integer", maybe),
      column("ratio", "number"),
      column("maybe", "number", { ...maybe, absent: "null" }),
      column("secret", "text", { ...maybe, visibleTo: [{ who: { kind: "role", role: "operator" } }] }),
      column("flag", "boolean", { ...maybe, absent: "null" }),
      column("at", "timestamp", maybe),
      column("tags", "json", maybe),
      column("photo", "json", { ...maybe, file: { maxBytes: 100, media: [] } }),
      column("slug", "text", { ...maybe, marks: ["unique"] }),
      column("placed", "boolean", { ...maybe, computed: expression("Thing", "site != null") }),
    ],
    virtual: [],
    id: { made: "client" },
    conflicts: [],
    uniques: [["slug"]],
    indexes: [["owner"], ["at"], ["count"]],
    rules: [],
  },
  {
    resource: "Folder",
    name: "folders",
    columns: [
      column("id", "text"),
      column("parent", "text", { ...maybe, references: { resource: "Folder", onDelete: "refuse" } }),
      column("name", "text"),
      column("rank", "integer", maybe),
      column("flag", "boolean", maybe),
      column("ratio", "number", maybe),
      column("note", "text", maybe),
    ],
    virtual: [],
    id: { made: "client" },
    conflicts: [],
    uniques: [
      ["parent", "name"],
      ["rank", "flag", "ratio", "note"],
    ],
    absentEqual: [
      ["parent", "name"],
      ["rank", "flag", "ratio", "note"],
    ],
    indexes: [],
    rules: [],
  },
  {
    resource: "Ticket",
    name: "tickets",
    columns: [
      column("id", "text"),
      column("state", "text", { values: ["open", "late", "closed"] }),
      column("until", "timestamp", maybe),
      column("note", "text", maybe),
    ],
    virtual: [],
    id: { made: "client" },
    conflicts: [],
    uniques: [],
    indexes: [],
    rules: [],
    timed: [
      { states: ["open"], since: { kind: "entered" }, after: hour, cause: "after 1h", action: { kind: "delete" } },
      {
        states: ["open", "late"],
        since: { kind: "column", column: "until" },
        after: { milliseconds: 0, months: 0 },
        cause: "at until",
        action: { kind: "delete" },
      },
    ],
  },
];

export function tableOf(resource: string): Table {
  const table = tables.find((one) => one.resource === resource);
  if (!table) throw new Error(`no table of ${resource}`);
  return table;
}

function memberOf({ absent, name, type }: Column): ViewMember {
  return { name, source: { kind: "column", column: name }, type, absent };
}

/** All columns, in the table's order. */
export function fullView(resource: string): View {
  return { resource, members: tableOf(resource).columns.map(memberOf) };
}

export const computed: readonly ViewMember[] = [
  member("label", "text", "name + '/' + size"),
  member("siteName", "text", "site.name"),
  member("lockers", "integer", "Locker.filter(l, l.site == site).size()"),
  member("half", "number", "ratio / 2.0"),
  member("late", "boolean", "at < now"),
  member("labels", "json", "tags"),
  member("until", "timestamp", "at + duration('1h')"),
];

function member(name: string, type: ColumnType, source: string): ViewMember {
  const made = expression("Thing", source);
  return {
    name,
    type,
    absent: name === "siteName" ? "null" : "left out",
    source: { kind: "expression", expression: made },
  };
}

/** What the operator and the owner see more of, and what is computed. */
export const callersView: View = {
  resource: "Thing",
  members: [
    ...fullView("Thing").members.map((one) =>
      one.name === "secret"
        ? {
            ...one,
            when: [expression("Thing", "'operator' in caller.roles"), expression("Thing", "owner == caller.id")],
          }
        : one,
    ),
    ...computed,
  ],
};

const siteView: View = { resource: "Site", members: fullView("Site").members.slice(1) };

const lockerView: View = {
  resource: "Locker",
  members: [
    ...fullView("Locker").members.slice(2),
    nested("at", "record", expression("Locker", "site"), siteView),
    {
      name: "mine",
      type: "boolean",
      absent: "left out",
      source: { kind: "expression", expression: expression("Locker", "Thing.exists(x, x.site == site)") },
      when: [expression("Locker", "caller.id == 'ann' && door > 1")],
    },
  ],
};

/** A record in it, lists of records in it, records in those. */
export const nestedView: View = {
  resource: "Thing",
  members: [
    ...fullView("Thing").members.slice(0, 2),
    {
      name: "about",
      type: "json",
      absent: "left out",
      source: {
        kind: "object",
        members: [
          ...fullView("Thing").members.slice(4, 8),
          nested("where", "record", expression("Thing", "site"), siteView, "null"),
          ...computed.slice(0, 3),
        ],
      },
    },
    nested("site", "record", expression("Thing", "site"), siteView),
    nested("parent", "record", expression("Thing", "parent"), {
      resource: "Thing",
      members: [
        ...fullView("Thing").members.slice(0, 1),
        { ...(fullView("Thing").members[11] as ViewMember), when: [expression("Thing", "owner == caller.id")] },
        nested("parent", "record", expression("Thing", "parent"), { resource: "Thing", members: [] }, "null"),
      ],
    }),
    nested("lockers", "records", records("Thing", "Locker.filter(l, l.site == site)", "Locker"), lockerView),
    nested(
      "sites",
      "records",
      records("Thing", "Thing.filter(c, c.parent == id).map(c, c.site)", "Site"),
      siteView,
      "null",
    ),
    nested(
      "latest",
      "records",
      records("Thing", "Thing.filter(c, c.parent == id).sortBy(c, c.name).reverse()", "Thing"),
      { resource: "Thing", members: fullView("Thing").members.slice(0, 1) },
    ),
    nested("owners", "records", records("Thing", "Thing.map(c, c.parent).distinct().filter(p, p != id)", "Thing"), {
      resource: "Thing",
      members: fullView("Thing").members.slice(0, 1),
    }),
    {
      ...nested("hidden", "records", records("Thing", "Site", "Site"), siteView),
      when: [expression("Thing", "caller.id == 'eve'")],
    },
  ],
};

function nested(
  name: string,
  kind: "record" | "records",
  from: TypedExpression,
  view: View,
  absent: ViewMember["absent"] = "left out",
): ViewMember {
  return { name, source: { kind, expression: from, view }, type: "json", absent };
}

/** Members out of order, under other names, none of them sure to be there. */
export const oddView: View = {
  resource: "Thing",
  members: [
    { ...(fullView("Thing").members[5] as ViewMember), name: 'a "note"' },
    { ...(fullView("Thing").members[14] as ViewMember), when: [expression("Thing", "flag == true")] },
    { ...(fullView("Thing").members[10] as ViewMember), absent: "left out" },
  ],
};

/** A thing with everything absent that may be. */
export function sampleRow(key: string, more: Row = {}): Row {
  return { id: key, owner: "ann", name: `thing ${key}`, size: "small", ratio: 0.5, ...more };
}

/** What the answer of `fullView` should say, made without the store. */
export function expectedText(resource: string, row: Row): string {
  const members: Record<string, Value> = {};
  for (const { absent, name } of tableOf(resource).columns) {
    const value = row[name] ?? null;
    if (value !== null || absent === "null") members[name] = value;
  }
  return JSON.stringify(members);
}

/** How many lockers there are at a site in these states, found out by asking; no further than `most`. */
export async function tallied(
  tx: Transaction,
  site: string,
  states: readonly string[] | undefined,
  most: number,
): Promise<number> {
  const liveCount = { resource: "Locker", column: "site", value: site, states };
  for (let count = 0; count < most; count += 1) if (await tx.hasRoom(liveCount, count)) return count;
  return most;
}
