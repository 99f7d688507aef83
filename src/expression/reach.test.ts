/**
 * What a condition reads of other records, and for which records it has to be evaluated again: the equalities that tie them, and
 * for generated conditions, states and writes, that no record whose condition changes is left out.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { checkExpression } from "./check.ts";
import { compileFunction, type Row, type Value } from "./evaluate.ts";
import { parseExpression } from "./parse.ts";
import { type Dependency, type Reach, reachOf, reachVariable } from "./reach.ts";
import { expressibleInSql } from "./sql.ts";
import { parts, type TypedExpression } from "./typed.ts";
import type { FieldType, TypeEnvironment, ValueType } from "./types.ts";

const must = (type: ValueType): FieldType => ({ type, nullable: false });
const may = (type: ValueType): FieldType => ({ type, nullable: true });
const int: ValueType = { kind: "int" };
const to = (resource: string): ValueType => ({ kind: "record", resource });

/** A seat of a team of a club; the rules are a seat's. */
const resources: Readonly<Record<string, Readonly<Record<string, FieldType>>>> = {
  Seat: { id: must({ kind: "string" }), team: may(to("Team")), next: may(to("Seat")), n: must(int), m: may(int) },
  Team: { id: must({ kind: "string" }), club: may(to("Club")), n: must(int) },
  Club: { id: must({ kind: "string" }), n: must(int) },
};

const old: ValueType = { kind: "object", members: resources["Seat"] as Record<string, FieldType> };
const env: TypeEnvironment = {
  names: { ...resources["Seat"], now: must({ kind: "timestamp" }), old: may(old) },
  resources,
};

function typed(text: string): TypedExpression | undefined {
  const { expression } = parseExpression(text);
  return expression && checkExpression(expression, env).typed;
}

function reach(text: string): Reach {
  const expression = typed(text);
  assert.ok(expression, text);
  return reachOf(expression);
}

/** The condition in few words: what is not of its equalities is left out. */
function shown(expression: TypedExpression): string {
  switch (expression.kind) {
    case "field":
    case "item-field":
      return expression.name;
    case "variable":
      return "_";
    case "constant":
      return String(expression.value);
    case "within":
    case "compare":
      return parts(expression)
        .map(shown)
        .join(expression.kind === "within" ? " in " : " == ");
    case "macro": {
      const [list, body] = parts(expression).map(shown);
      return expression.macro === "filter" ? `${list}[${body}]` : `${list}.${body}`;
    }
    case "records":
      return expression.resource;
    case "logical":
      return parts(expression).map(shown).join(" or ");
    default:
      return expression.kind;
  }
}

function shownDependency({ affected, columns, resource }: Dependency): string {
  const tied = affected === undefined ? "all" : `${affected.column} as _: ${shown(affected.where)}`;
  return `${resource}(${columns.join()}) ${tied}${affected?.absent === undefined ? "" : ", or absent"}`;
}

const table: readonly (readonly [text: string, local: string, others: readonly string[], key?: string])[] = [
  ["n <= 3", "n", []],
  ["team.n <= n", "team,n", ["Team(n) id as _: team == _"], "team"],
  [
    "team.club.n <= 3",
    "team",
    ["Club(n) id as _: team in Team[club == _].id", "Team(club) id as _: team == _"],
  ],
  ["next.next.n < 9", "next", ["Seat(n) id as _: next in Seat[next == _].id", "Seat(next) id as _: next == _"]],
  ["Seat.filter(s, s.team == team).size() <= 2", "team", ["Seat(team) team as _: team == _, or absent"], "team"],
  ["Seat.filter(s, team == s.team && s.n > n).size() <= 2", "team,n", ["Seat(team,n) team as _: team == _, or absent"], "team"],
  ["Seat.exists(s, s.next == id && s.n > 3)", "id", ["Seat(next,n) next as _: id == _"], "id"],
  ["Seat.all(s, s.next != id || s.n > 3)", "id", ["Seat(next,n) next as _: id == _"], "id"],
  ["Seat.all(s, !(s.next == id && s.n <= 3))", "id", ["Seat(next,n) next as _: id == _"], "id"],
  ["!Seat.exists(s, s.next == id)", "id", ["Seat(next) next as _: id == _"], "id"],
  ["Seat.all(s, s.next == id)", "id", ["Seat(next) all"]],
  ["Seat.filter(s, s.next == id || s.n > 3).size() < 2", "id", ["Seat(next,n) all"]],
  ["Seat.filter(s, s.next != id).size() < 2", "id", ["Seat(next) all"]],
  ["Seat.map(s, s.n).sum() <= 9", "", ["Seat(n) all"]],
  ["Seat.size() <= n", "n", ["Seat() all"]],
  ["Team.filter(t, t.club == team.club).size() <= n", "team,n", [
    "Team(club) club as _: team in Team[club == _].id, or absent",
    "Team(club) id as _: team == _",
  ]],
  ["Team.filter(t, t.id == team).all(t, t.club.n > 2)", "team", ["Team(id,club) id as _: team == _", "Club(n) id as _: team in Team[club == _].id"]],
  [
    "Team.filter(t, t.id == team).all(t, Seat.filter(s, s.team == t).size() < n)",
    "team,n",
    ["Team(id) id as _: team == _", "Seat(team) team as _: team == _"],
  ],
  [
    "Team.exists(t, t.id == team && Club.exists(c, c.id == t.club && c.n > n))",
    "team,n",
    ["Team(id,club) id as _: team == _", "Club(id,n) id as _: team in Team[club == _].id"],
  ],
  ["[n, 2].exists(k, Seat.filter(s, s.n == k).size() > 3)", "n", ["Seat(n) all"]],
]; // biome-ignore format: a table

for (const [text, local, others, key] of table) {
  test(`reach of ${text}`, () => {
    const found = reach(text);
    assert.deepEqual([found.local.join(), found.others.map(shownDependency), found.key], [local, others, key]);
    assert.equal(found.aboutWrite, false);
    for (const { affected } of found.others) if (affected) assert.ok(expressibleInSql(affected.where));
  });
}

test("what mentions the moment or the record before is about a write", () => {
  for (const text of [
    "old == null || team.n > 1",
    "Seat.filter(s, s.n > n).size() < 2 || now > timestamp('2026-01-01T00:00:00Z')",
  ])
    assert.equal(reach(text).aboutWrite, true, text);
  assert.deepEqual(reach("old == null || old.n < n || team.n > 1").local, ["n", "team"]);
});

test("two lists that are tied by different fields have no key, by one they have it", () => {
  const count = (resource: string, tie: string): string => `${resource}.filter(s, ${tie}).size()`;
  assert.equal(reach(`${count("Seat", "s.team == team")} + ${count("Seat", "s.next == next")} < 3`).key, undefined);
  assert.equal(reach(`${count("Seat", "s.team == team")} + team.n < 3`).key, "team");
});

// ── Generated ──────────────────────────────────────────────────────────────────────────────────────────────────────

interface Named {
  readonly name: string;
  readonly resource: string;
}

const referring: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Seat: { team: "Team", next: "Seat" },
  Team: { club: "Club" },
  Club: {},
};

/** Texts of paths in scope that give a number, or a reference to a resource. */
function paths(around: readonly Named[], wanted: string, depth = 2): readonly string[] {
  const of = (prefix: string, resource: string, left: number): string[] => [
    ...(wanted === "int" ? [`${prefix}n`] : []),
    ...(wanted === resource ? [`${prefix}id`] : []),
    ...Object.entries(referring[resource] ?? {}).flatMap(([name, other]) => [
      ...(wanted === other ? [`${prefix}${name}`] : []),
      ...(left > 0 && prefix + name !== "" ? of(`${prefix}${name}.`, other, left - 1) : []),
    ]),
  ];
  return [...of("", "Seat", depth), ...around.flatMap(({ name, resource }) => of(`${name}.`, resource, 1))];
}

function anyCondition(around: readonly Named[], depth: number): fc.Arbitrary<string> {
  const compare = fc
    .tuple(fc.constantFrom(...paths(around, "int")), fc.constantFrom("<", "==", ">="), fc.integer({ min: 0, max: 3 }))
    .map(([path, sign, number]) => `${path} ${sign} ${number}`);
  const link = fc
    .constantFrom("Seat", "Team", "Club")
    .chain((resource) => {
      const all = paths(around, resource);
      return fc.tuple(fc.constantFrom(...all), fc.constantFrom("==", "!="), fc.constantFrom(...all));
    })
    .map(([left, sign, right]) => `${left} ${sign} ${right}`);
  if (depth === 0) return fc.oneof(compare, link);
  const inner = anyCondition(around, depth - 1);
  const list = around.length >= 2 ? inner : fc.constantFrom("Seat", "Team", "Club").chain((resource) => {
    const name = `v${around.length}`;
    const body = anyCondition([...around, { name, resource }], depth - 1);
    const local = paths([{ name, resource }], "int").filter((path) => path.startsWith(`${name}.`));
    return fc.oneof(
      body.map((text) => `${resource}.exists(${name}, ${text})`),
      body.map((text) => `${resource}.all(${name}, ${text})`),
      body.map((text) => `${resource}.filter(${name}, ${text}).size() <= 1`),
      fc.tuple(body, fc.constantFrom(...local)).map(([text, path]) => `${resource}.filter(${name}, ${text}).map(${name}, ${path}).sum() > 2`),
    );
  }); // biome-ignore format: short
  return fc.oneof(
    { weight: 3, arbitrary: list },
    { weight: 2, arbitrary: fc.tuple(inner, fc.constantFrom("&&", "||"), inner).map(([a, sign, b]) => `(${a} ${sign} ${b})`) },
    { weight: 1, arbitrary: inner.map((text) => `!(${text})`) },
    { weight: 1, arbitrary: compare },
    { weight: 1, arbitrary: link },
  ); // biome-ignore format: short
}

type State = Readonly<Record<string, readonly Row[]>>;

const ids: Readonly<Record<string, readonly string[]>> = {
  Seat: ["s0", "s1", "s2", "s3"],
  Team: ["t0", "t1"],
  Club: ["c0", "c1"],
};

function anyRow(resource: string, id: string): fc.Arbitrary<Row> {
  const references = Object.entries(referring[resource] ?? {}).map(
    ([name, other]) => [name, fc.option(fc.constantFrom(...(ids[other] ?? [])))] as const,
  );
  return fc.record({ id: fc.constant(id), n: fc.integer({ min: 0, max: 3 }), ...Object.fromEntries(references) });
}

const anyState: fc.Arbitrary<State> = fc.record(
  Object.fromEntries(
    Object.entries(ids).map(([resource, all]) => [
      resource,
      fc.tuple(...all.map((id) => fc.option(anyRow(resource, id)))).map((rows) => rows.filter((row) => row !== null)),
    ]),
  ),
);

/** A few records at once, each made, changed or gone. */
const anyWrites = fc.array(
  fc
    .constantFrom(...Object.entries(ids).flatMap(([resource, all]) => all.map((id) => [resource, id] as const)))
    .chain(([resource, id]) => fc.tuple(fc.constant(resource), fc.constant(id), fc.option(anyRow(resource, id)))),
  { minLength: 1, maxLength: 2 },
);

/** A reference leads to a record that there is. */
function closed(state: State, resource: string, row: Row): Row {
  const references = Object.entries(referring[resource] ?? {}).filter(([name, other]) => {
    return row[name] !== row["id"] && state[other]?.every((one) => one["id"] !== row[name]) !== false;
  });
  return { ...row, ...Object.fromEntries(references.map(([name]) => [name, null])) };
}

function evaluated(expression: TypedExpression, state: State, record: Row, value?: Value): Value {
  return compileFunction(expression)({
    record,
    variables: value === undefined ? {} : { [reachVariable]: { value } },
    reference: (resource, id) => state[resource]?.find((row) => row["id"] === id),
    records: (resource) => state[resource] ?? [],
  });
}

interface Written {
  readonly resource: string;
  readonly old: Row | undefined;
  readonly row: Row | undefined;
}

/** As `src/plan/resources/rules.ts` and `src/runtime/records/rules.ts` make of it. */
function isConcerned({ local, others }: Reach, state: State, record: Row, writes: readonly Written[]): boolean {
  const differ = ({ old: before, row }: Written, columns: readonly string[]): boolean =>
    columns.some((name) => (before?.[name] ?? null) !== (row?.[name] ?? null));
  return writes.some((write) => {
    const { resource, old: before, row } = write;
    if (resource === "Seat" && row?.["id"] === record["id"] && (before === undefined || differ(write, local)))
      return true;
    return others.some(({ affected, columns, kind, resource: other }) => {
      if (other !== resource) return false;
      const isMember = (before === undefined) !== (row === undefined);
      if (isMember ? kind === "walk" : !differ(write, columns)) return false;
      if (affected === undefined) return true;
      return [before, row].some((one) => {
        if (one === undefined) return false;
        const value = (one[affected.column] ?? null) as Value;
        const where = value === null ? affected.absent : affected.where;
        return where !== undefined && evaluated(where, state, record, value) === true;
      });
    });
  });
}

test("no record whose condition a write changes is left out", () => {
  const runs = Number(process.env["NONET_REACH_RUNS"] ?? 3000);
  let changed = 0;
  fc.assert(
    fc.property(anyCondition([], 3), anyState, anyWrites, (text, state, writes) => {
      const condition = typed(text);
      if (condition === undefined) return;
      const before = Object.fromEntries(
        Object.entries(state).map(([resource, rows]) => [resource, rows.map((row) => closed(state, resource, row))]),
      );
      const found = reachOf(condition);
      const after: Record<string, readonly Row[]> = { ...before };
      const written = writes.map(([resource, id, row]): Written => {
        const rows = after[resource] ?? [];
        // A reference is refused, cleared or deleted with; what is gone is referred to by nothing.
        const isReferred = Object.entries(after).some(([of, all]) =>
          Object.entries(referring[of] ?? {}).some(([name, other]) => other === resource && all.some((one) => one[name] === id)),
        );
        const kept = isReferred ? rows.find((one) => one["id"] === id) : undefined;
        const next = row === null ? kept : closed(after, resource, row);
        after[resource] = [...rows.filter((one) => one["id"] !== id), ...(next === undefined ? [] : [next])];
        return { resource, old: before[resource]?.find((one) => one["id"] === id), row: next };
      });
      const last = new Map(written.map((one) => [`${one.resource} ${String(one.row?.["id"] ?? one.old?.["id"])}`, one]));
      for (const record of after["Seat"] ?? []) {
        const earlier = before["Seat"]?.find((one) => one["id"] === record["id"]);
        if (earlier === undefined) continue;
        if (evaluated(condition, before, earlier) === evaluated(condition, after, record)) continue;
        changed += 1;
        assert.ok(isConcerned(found, after, record, [...last.values()]), `${text}: ${JSON.stringify(record)}`);
      }
    }),
    { numRuns: runs },
  );
  assert.ok(changed > runs / 100, `${changed} conditions changed`);
}); // biome-ignore format: short
