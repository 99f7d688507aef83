/**
 * Generates documents with rules: up to three resources that refer to one another, with states, timers, events, links, functions
 * and bulk deletions, and rules over all of these. A document is plain data, from which its text and the model are built.
 */
import type { Json } from "../../src/base/json.ts";
import { check } from "../../src/language/check.ts";
import { type Block, documentOf } from "../enforced/document.ts";
import { type Chance, chanceOf } from "../simulation/random.ts";
import { type Comparison, type Expr, type References, textOf } from "./expressions.ts";

export interface Doc {
  readonly resources: readonly Resource[];
  readonly references: References;
  readonly rules: readonly Rule[];
  /** The resource that an incoming event refers to. */
  readonly inbound?: string;
  /** A function does several writes in one transaction. */
  readonly hasBatch: boolean;
  readonly link?: Link;
  /** When a record of a resource is changed by a request, a function adds one to `n` of what its field refers to. */
  readonly after?: { readonly of: string; readonly field: string; readonly to: string };
}

export interface Rule {
  readonly of: string;
  readonly holds: Expr;
  readonly code: string;
  readonly status: number;
}

export interface Resource {
  readonly name: string;
  /** `/teams`. */
  readonly path: string;
  /** Whose the id is. */
  readonly id: "client" | "server";
  readonly fields: readonly Field[];
  readonly lifecycle?: Lifecycle;
  /** Which of them `DELETE /teams` takes. */
  readonly cleared?: Expr;
  /** So long after it was made, time deletes it. */
  readonly keptHours?: number;
}

export interface Field {
  readonly name: string;
  readonly kind: "number" | "flag" | "choice" | "texts" | "moment" | "reference" | "double" | "made";
  readonly isOptional: boolean;
  readonly default?: Json;
  readonly to?: string;
  readonly onDelete?: "refuse" | "clear" | "delete with";
}

export interface Lifecycle {
  readonly states: readonly string[];
  readonly start: string;
  readonly final: readonly string[];
  readonly transitions: readonly Transition[];
}

export interface Transition {
  readonly from: readonly string[];
  readonly to: string;
  readonly trigger:
    | { readonly kind: "operation"; readonly name: string }
    | { readonly kind: "after"; readonly hours: number }
    | { readonly kind: "at" }
    /** A record that refers to this one by `field` enters `state`. */
    | { readonly kind: "entered"; readonly of: string; readonly field: string; readonly state: string }
    | { readonly kind: "inbound" };
  readonly guard?: Expr;
  /** `n` becomes so much more. */
  readonly adds?: number;
}

/** `POST /seats/{id}/note` makes a record of `in` that refers to the one in the path, unless it is there. */
export interface Link {
  readonly of: string;
  readonly in: string;
  readonly field: string;
  readonly kind: string;
}

export const guardCode = "no-way";
export const kinds = ["a", "b", "c"] as const;

/** A document by its number; the same for the same number. Those that the check refuses are drawn again. */
export function documentOfNumber(number: number): Doc {
  for (let draw = 0; draw < 60; draw += 1) {
    const doc = soundRules(drawn(chanceOf(number, `rules ${draw}`)));
    if (doc !== undefined) return doc;
  }
  throw new Error(`no sound document has the number ${number}`);
}

/** Without those of its rules that the check refuses; undefined where none is left or something else is wrong. */
function soundRules(doc: Doc): Doc | undefined {
  const isSound = (one: Doc): boolean =>
    check("rules.md", documentText(one)).diagnostics.every(({ severity }) => severity !== "error");
  if (isSound(doc)) return doc;
  const rules: Rule[] = [];
  for (const rule of doc.rules) if (isSound({ ...doc, rules: [...rules, rule] })) rules.push(rule);
  const sound = { ...doc, rules };
  return rules.length > 0 && isSound(sound) ? sound : undefined;
}

function drawn(chance: Chance): Doc {
  const names = ["Team", "Seat", "Note"].slice(0, Number(chance.weighted({ 1: 20, 2: 50, 3: 30 })));
  const resources = names.reduce<readonly Resource[]>(
    (before, name) => [...before, resourceOf(chance, name, before)],
    [],
  );
  const inbound = chance.percent(40) ? resources.find(({ lifecycle }) => lifecycle !== undefined)?.name : undefined;
  const all = resources.map((one) => caused(chance, one, resources, inbound));
  const references = Object.fromEntries(
    all.map(({ fields, name }) => [
      name,
      Object.fromEntries(fields.flatMap((field): [string, string][] => (field.to === undefined ? [] : [[field.name, field.to]]))),
    ]),
  ); // biome-ignore format: short
  const link = linkOf(chance, all);
  const referring = all.flatMap(({ fields, name }) => fields.flatMap((field) => (field.to === undefined ? [] : [{ of: name, field: field.name, to: field.to }]))); // biome-ignore format: short
  const after = referring.length > 0 && chance.percent(20) ? chance.pick(referring) : undefined;
  const about: About = { chance, resources: all, references };
  const count = chance.between(1, 4);
  const rules = Array.from({ length: count }, (_, index): Rule => {
    const { name } = chance.pick(all);
    return {
      of: name,
      holds: ruleOf(about, name),
      code: `rule-${index + 1}`,
      status: chance.pick([409, 409, 422, 403]),
    };
  });
  return {
    resources: all,
    references,
    rules,
    hasBatch: chance.percent(50),
    ...(inbound === undefined ? {} : { inbound }),
    ...(link === undefined ? {} : { link }),
    ...(after === undefined ? {} : { after }),
  };
}

// ── Resources ──

function resourceOf(chance: Chance, name: string, before: readonly Resource[]): Resource {
  const lifecycle = chance.percent(65) ? lifecycleOf(chance, name) : undefined;
  const isTimed = lifecycle?.transitions.some(({ trigger }) => trigger.kind === "at") ?? false;
  const parent = before.at(-1);
  const grandparent = before.length > 1 ? before[0] : undefined;
  const fields: readonly Field[] = [
    { name: "n", kind: "number", isOptional: false, default: 0 },
    ...chance.some<Field>(
      [
        { name: "m", kind: "number", isOptional: true },
        { name: "flag", kind: "flag", isOptional: false, default: false },
        { name: "kind", kind: "choice", isOptional: false, default: "a" },
        { name: "tags", kind: "texts", isOptional: false, default: [] },
      ],
      55,
    ),
    ...(isTimed || chance.percent(15) ? [{ name: "due", kind: "moment", isOptional: true } as const] : []),
    ...(chance.percent(20) ? [{ name: "twice", kind: "double", isOptional: false } as const] : []),
    ...(parent === undefined ? [] : [referenceOf(chance, parent.name, chance.percent(65) ? 0 : 100)]),
    ...(grandparent !== undefined && chance.percent(40) ? [referenceOf(chance, grandparent.name, 70)] : []),
    ...(chance.percent(25) ? [{ ...referenceOf(chance, name, 100), name: "over" }] : []),
    ...(chance.percent(12) ? [{ name: "madeAt", kind: "made", isOptional: false } as const] : []),
  ];
  const isFlagged = fields.some((field) => field.name === "flag");
  const cleared: Expr = isFlagged ? own(name, "flag") : compare(">", own(name, "n"), constant(3));
  return {
    name,
    path: `/${name.toLowerCase()}s`,
    id: chance.percent(60) ? "client" : "server",
    fields,
    ...(lifecycle === undefined ? {} : { lifecycle }),
    ...(chance.percent(40) ? { cleared } : {}),
    ...(fields.some(({ kind }) => kind === "made") ? { keptHours: chance.between(4, 9) } : {}),
  };
}

function referenceOf(chance: Chance, to: string, optional: number): Field {
  const isOptional = chance.percent(optional);
  const onDelete = chance.pick(isOptional ? (["refuse", "clear", "clear", "delete with"] as const) : (["refuse", "delete with"] as const)); // biome-ignore format: short
  return { name: to.toLowerCase(), kind: "reference", isOptional, to, onDelete };
}

function lifecycleOf(chance: Chance, name: string): Lifecycle {
  const by = (verb: string): Transition["trigger"] => ({ kind: "operation", name: `${verb}${name}` });
  const guard = chance.percent(30) ? { guard: compare("<", own(name, "n"), constant(5)) } : {};
  const more = (often: number): { readonly adds?: number } => (chance.percent(often) ? { adds: chance.pick([1, 2, -1]) } : {}); // biome-ignore format: short
  const transitions: readonly Transition[] = [
    { from: ["open"], to: "held", trigger: by("hold"), ...guard, ...more(30) },
    ...chance.some<Transition>(
      [
        { from: ["held"], to: "open", trigger: by("free"), ...more(20) },
        { from: chance.percent(50) ? ["open", "held"] : ["held"], to: "done", trigger: by("end") },
        { from: ["held"], to: "held", trigger: by("bump"), adds: 1 },
        { from: ["open"], to: "held", trigger: { kind: "after", hours: chance.pick([1, 2, 5]) }, ...more(30) },
        { from: ["held"], to: "done", trigger: { kind: "at" }, ...more(20) },
        { from: ["held"], to: "open", trigger: { kind: "after", hours: chance.pick([2, 3]) } },
      ],
      55,
    ),
  ];
  const reached = new Set(["open", ...transitions.flatMap(({ from, to }) => [...from, to])]);
  const states = ["open", "held", "done"].filter((state) => reached.has(state));
  return { states, start: "open", final: finalOf(states, transitions), transitions };
}

function finalOf(states: readonly string[], transitions: readonly Transition[]): readonly string[] {
  return states.filter((state) => !transitions.some(({ from }) => from.includes(state)));
}

/** With the transitions that events cause: of records that refer to these, and events that come in. */
function caused(chance: Chance, resource: Resource, all: readonly Resource[], inbound: string | undefined): Resource {
  const { lifecycle, name } = resource;
  if (lifecycle === undefined) return resource;
  const state = (): string => chance.pick(lifecycle.states);
  const fromTo = (): Pick<Transition, "from" | "to"> => {
    const [from, to] = [state(), state()];
    return from === to ? { from: ["open"], to: "held" } : { from: [from], to };
  };
  const entered = all.flatMap((other): Transition[] => {
    const field = other.fields.find((one) => one.to === name && one.name !== "over");
    if (other.name === name || field === undefined || other.lifecycle === undefined || chance.percent(45)) return [];
    const when = chance.pick(other.lifecycle.states);
    return [
      {
        ...fromTo(),
        trigger: { kind: "entered", of: other.name, field: field.name, state: when },
        ...(chance.percent(40) ? { adds: 1 } : {}),
      },
    ];
  });
  const told: Transition[] =
    inbound === name ? [{ ...fromTo(), trigger: { kind: "inbound" }, ...(chance.percent(40) ? { adds: 1 } : {}) }] : [];
  const transitions = asWritten([...lifecycle.transitions, ...entered, ...told]);
  return { ...resource, lifecycle: { ...lifecycle, transitions, final: finalOf(lifecycle.states, transitions) } };
}

const arrowOf = ({ from, to }: Transition): string => `${from.join(" | ")} -> ${to}`;

/** In the order of the text, where those with the same arrow are beside one another. */
function asWritten(transitions: readonly Transition[]): readonly Transition[] {
  return [...Map.groupBy(transitions, arrowOf).values()].flat();
}

function linkOf(chance: Chance, resources: readonly Resource[]): Link | undefined {
  const child = resources.at(-1);
  const parent = resources.at(-2);
  if (child === undefined || parent === undefined || child.id === "client" || chance.percent(40)) return undefined;
  const required = child.fields.filter(({ isOptional, kind }) => kind === "reference" && !isOptional);
  const field = parent.name.toLowerCase();
  if (required.some(({ name }) => name !== field) || !child.fields.some(({ name }) => name === "kind"))
    return undefined;
  return { of: parent.name, in: child.name, field, kind: "b" };
}

// ── Rules ──

interface About {
  readonly chance: Chance;
  readonly resources: readonly Resource[];
  readonly references: References;
}

const constant = (value: Json): Expr => ({ is: "constant", value });
const own = (resource: string, name: string): Expr => ({ is: "path", of: "self", resource, steps: [name] });
const pathTo = (of: string, resource: string, ...steps: readonly string[]): Expr => ({ is: "path", of, resource, steps }); // biome-ignore format: short
const compare = (by: Comparison, left: Expr, right: Expr): Expr => ({ is: "compare", by, left, right });
const either = (left: Expr, right: Expr): Expr => ({ is: "||", left, right });
const both = (left: Expr, right: Expr): Expr => ({ is: "&&", left, right });
const not = (of: Expr): Expr => ({ is: "not", of });
const plus = (left: Expr, right: number): Expr => (right === 0 ? left : { is: "calculate", by: "+", left, right: constant(right) }); // biome-ignore format: short

function ruleOf(about: About, name: string): Expr {
  const { chance, references, resources } = about;
  const resource = named(resources, name);
  const refs = Object.entries(references[name] ?? {});
  const back = resources.flatMap((other) =>
    Object.entries(references[other.name] ?? {}).flatMap(([field, to]) => (to === name ? [{ other, field }] : [])),
  );
  const weights = {
    siblings: refs.length > 0 ? 16 : 0,
    all: 12,
    walk: refs.length > 0 ? 18 : 0,
    children: back.length > 0 ? 22 : 0,
    fields: 8,
    old: 8,
    caller: 3,
    now: 3,
    any: 10,
  };
  const rule = ((): Expr => {
    switch (chance.weighted(weights)) {
      case "siblings":
        return overSiblings(about, resource, chance.pick(refs)[0]);
      case "all":
        return overAll(about, resource);
      case "walk":
        return overParent(about, resource, chance.pick(refs));
      case "children": {
        const { other, field } = chance.pick(back);
        return overChildren(about, resource, other, field);
      }
      case "fields":
        return overFields(about, resource);
      case "old":
        return overOld(about, resource);
      case "caller":
        return either(compare("!=", { is: "caller" }, constant("bob")), condition(about, "self", resource));
      case "now":
        return either(compare(">", ownOr(resource, "due"), { is: "now" }), condition(about, "self", resource));
      case "any":
        return anyCondition(about, "self", resource, 3, 0);
    }
  })();
  return chance.percent(25) ? either(condition(about, "self", resource), rule) : rule;
}

function named(resources: readonly Resource[], name: string): Resource {
  const found = resources.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no resource ${name}`);
  return found;
}

/** The field; its absence is a fault that the check finds, so that another rule is drawn. */
function ownOr({ name }: Resource, field: string): Expr {
  return own(name, field);
}

/** Something that is so or not of one record by its own fields. */
function condition({ chance }: About, of: string, { fields, lifecycle, name }: Resource): Expr {
  const has = (field: string): boolean => fields.some((one) => one.name === field);
  const field = (one: string): Expr => pathTo(of, name, one);
  return chance.pick<Expr>([
    compare(chance.pick([">", "<", ">=", "<="]), field("n"), constant(chance.between(1, 4))),
    ...(has("flag") ? [field("flag"), not(field("flag"))] : []),
    ...(has("kind") ? [compare(chance.pick(["==", "!="]), field("kind"), constant(chance.pick(kinds)))] : []),
    ...(lifecycle === undefined
      ? []
      : [
          compare("==", field("state"), constant(chance.pick(lifecycle.states))),
          compare("!=", field("state"), constant(chance.pick(lifecycle.states))),
        ]),
    ...(has("m") ? [compare("==", field("m"), constant(null))] : []),
  ]);
}

function numberOf({ chance }: About, of: string, { fields, name }: Resource): Expr {
  const numbers = fields.filter(({ kind }) => kind === "number" || kind === "double").map((field) => field.name);
  return pathTo(of, name, chance.pick(numbers));
}

function overSiblings(about: About, resource: Resource, field: string): Expr {
  const { chance } = about;
  const { name } = resource;
  const alike = compare("==", pathTo("s", name, field), own(name, field));
  const where = chance.percent(50) ? both(alike, condition(about, "s", resource)) : alike;
  return chance.pick<() => Expr>([
    () => compare("<=", { is: "count", among: name, item: "s", where }, constant(chance.between(1, 3))),
    () => compare("<=", { is: "sum", among: name, item: "s", where, of: numberOf(about, "s", resource) }, constant(chance.between(4, 12))), // biome-ignore format: short
    () => ({
      is: "all",
      among: name,
      item: "s",
      where: either(
        not(where),
        either(compare("==", pathTo("s", name, "id"), own(name, "id")), compare("!=", pathTo("s", name, "n"), own(name, "n"))), // biome-ignore format: short
      ),
    }),
    () => compare("<=", own(name, "n"), plus({ is: "count", among: name, item: "s", where }, chance.between(1, 3))),
  ])();
}

function overAll(about: About, resource: Resource): Expr {
  const { chance, resources } = about;
  const other = chance.percent(70) ? resource : chance.pick(resources);
  const among = other.name;
  const where = chance.percent(60) ? { where: condition(about, "s", other) } : {};
  return chance.pick<() => Expr>([
    () => compare("<=", { is: "count", among, item: "s", ...where }, constant(chance.between(1, 4))),
    () => compare("<=", { is: "sum", among, item: "s", ...where, of: numberOf(about, "s", other) }, constant(chance.between(5, 14))), // biome-ignore format: short
    () => either(condition(about, "self", resource), { is: "exists", among, item: "s", where: condition(about, "s", other) }), // biome-ignore format: short
    () => ({ is: "all", among, item: "s", where: either(condition(about, "s", other), condition(about, "self", resource)) }), // biome-ignore format: short
    () => ({ is: "all", among, item: "s", where: compare("<=", pathTo("s", among, "n"), plus(own(resource.name, "n"), chance.between(2, 5))) }), // biome-ignore format: short
  ])();
}

function overParent(about: About, resource: Resource, [field, to]: readonly [string, string]): Expr {
  const { chance, references, resources } = about;
  const { name } = resource;
  const parent = named(resources, to);
  const further = Object.entries(references[to] ?? {});
  const walk = (step: string): Expr => pathTo("self", name, field, step);
  const isAbsent = compare("==", own(name, field), constant(null));
  const rule = chance.pick<() => Expr>([
    () => compare("<=", own(name, "n"), plus(walk("n"), chance.between(0, 3))),
    () => compare(chance.pick([">=", "<="]), walk("n"), constant(chance.between(1, 3))),
    ...(parent.lifecycle === undefined
      ? []
      : [() => compare(chance.pick(["==", "!="]), walk("state"), constant(chance.pick(parent.lifecycle?.states ?? [])))]), // biome-ignore format: short
    ...(parent.fields.some((one) => one.name === "flag") ? [() => not(walk("flag"))] : []),
    ...(further.length === 0
      ? []
      : [() => compare("<=", pathTo("self", name, field, chance.pick(further)[0], "n"), constant(chance.between(1, 4)))]), // biome-ignore format: short
  ])();
  const isOptional = resource.fields.some((one) => one.name === field && one.isOptional);
  return isOptional && chance.percent(80) ? either(isAbsent, rule) : chance.percent(40) ? either(condition(about, "self", resource), rule) : rule; // biome-ignore format: short
}

function overChildren(about: About, resource: Resource, child: Resource, field: string): Expr {
  const { chance, references, resources } = about;
  const among = child.name;
  const mine = compare("==", pathTo("c", among, field), own(resource.name, "id"));
  const further = Object.entries(references[among] ?? {}).filter(([name]) => name !== field);
  const beyond = further.length === 0 ? undefined : chance.pick(further);
  const what = (): Expr =>
    beyond !== undefined && chance.percent(35)
      ? compare(">", pathTo("c", among, beyond[0], "n"), constant(chance.between(0, 2)))
      : condition(about, "c", child);
  const where = chance.percent(50) ? both(mine, what()) : mine;
  const grandchildren = resources.flatMap((other) =>
    Object.entries(references[other.name] ?? {}).flatMap(([by, to]) => (to === among ? [{ other, by }] : [])),
  );
  return chance.pick<() => Expr>([
    () => compare("<=", { is: "count", among, item: "c", where }, plus(own(resource.name, "n"), chance.between(0, 2))),
    () => compare("<=", { is: "count", among, item: "c", where }, constant(chance.between(1, 2))),
    () => compare("<=", { is: "sum", among, item: "c", where, of: numberOf(about, "c", child) }, plus(own(resource.name, "n"), chance.between(2, 6))), // biome-ignore format: short
    () => compare("<=", { is: "sum", among, item: "c", where, of: numberOf(about, "c", child) }, constant(chance.between(4, 9))), // biome-ignore format: short
    () => either(condition(about, "self", resource), { is: "exists", among, item: "c", where }),
    () => not({ is: "exists", among, item: "c", where: both(mine, compare(">", pathTo("c", among, "n"), plus(own(resource.name, "n"), 2))) }), // biome-ignore format: short
    () => ({ is: "all", among, item: "c", where: either(not(mine), what()) }),
    () => either(condition(about, "self", resource), { is: "all", among, item: "c", where: either(not(mine), what()) }), // biome-ignore format: short
    ...grandchildren.map(({ by, other }) => (): Expr => {
      const deeper = compare("==", pathTo("d", other.name, by), pathTo("c", among, "id"));
      const inner: Expr = { is: "exists", among: other.name, item: "d", where: both(deeper, condition(about, "d", other)) }; // biome-ignore format: short
      return compare("<=", { is: "count", among, item: "c", where: both(mine, inner) }, constant(chance.between(0, 1)));
    }),
  ])();
}

function overFields(about: About, resource: Resource): Expr {
  const { chance } = about;
  const { fields, name } = resource;
  return chance.pick<() => Expr>([
    () => compare("<=", own(name, "n"), constant(chance.between(3, 6))),
    () => either(condition(about, "self", resource), condition(about, "self", resource)),
    ...(fields.some((one) => one.name === "m") ? [() => compare("<=", own(name, "m"), plus(own(name, "n"), 3))] : []),
    ...fields
      .filter(({ isOptional, to }) => isOptional && to !== undefined)
      .map((one) => () => either(compare("!=", own(name, one.name), constant(null)), condition(about, "self", resource))), // biome-ignore format: short
    ...(fields.some((one) => one.name === "tags")
      ? [() => compare("<=", { is: "size", of: own(name, "tags") }, plus(own(name, "n"), chance.between(0, 2)))]
      : []),
  ])();
}

function overOld(about: About, resource: Resource): Expr {
  const { chance, references, resources } = about;
  const { fields, lifecycle, name } = resource;
  const isNew: Expr = { is: "new" };
  const refs = Object.entries(references[name] ?? {});
  const before = (field: string): Expr => ({ is: "old", name: field });
  return chance.pick<() => Expr>([
    () => either(isNew, compare("<=", before("n"), own(name, "n"))),
    () => either(isNew, compare("<=", own(name, "n"), plus(before("n"), chance.between(1, 3)))),
    ...(fields.some((one) => one.name === "kind")
      ? [() => either(isNew, either(compare("==", before("kind"), own(name, "kind")), condition(about, "self", resource)))] // biome-ignore format: short
      : []),
    ...(lifecycle === undefined
      ? []
      : [() => either(isNew, either(compare("!=", before("state"), constant("held")), compare("==", before("n"), own(name, "n"))))]), // biome-ignore format: short
    ...refs.map(([field, to]) => (): Expr => {
      const rule = overParent({ ...about, chance }, resource, [field, to]);
      return named(resources, to) === resource ? either(isNew, rule) : either(not(isNew), rule);
    }),
  ])();
}

/** Any condition at all, of so many levels. */
function anyCondition(about: About, of: string, resource: Resource, levels: number, within: number): Expr {
  const { chance, references, resources } = about;
  const deeper = (): Expr => anyCondition(about, of, resource, levels - 1, within);
  const refs = Object.entries(references[resource.name] ?? {});
  const kind = chance.weighted({
    plain: 3,
    walk: refs.length > 0 ? 3 : 0,
    compare: 3,
    logical: levels > 0 ? 4 : 0,
    not: levels > 0 ? 1 : 0,
    macro: levels > 0 && within < 2 ? 4 : 0,
  });
  switch (kind) {
    case "plain":
      return condition(about, of, resource);
    case "walk": {
      const [field, to] = chance.pick(refs);
      const parent = named(resources, to);
      return walked(condition(about, of, parent), resource.name, field);
    }
    case "compare":
      return compare(chance.pick(["<=", "<", "!=", ">="]), anyNumber(about, of, resource, levels, within), anyNumber(about, of, resource, levels, within)); // biome-ignore format: short
    case "logical":
      return { is: chance.pick(["||", "||", "&&"] as const), left: deeper(), right: deeper() };
    case "not":
      return not(deeper());
    case "macro": {
      const among = chance.pick(resources);
      const item = within === 0 ? "x" : "y";
      const tie = tied(about, of, resource, item, among);
      const inner = anyCondition(about, item, among, levels - 1, within + 1);
      return chance.percent(50)
        ? { is: "exists", among: among.name, item, where: tie === undefined ? inner : both(tie, inner) }
        : { is: "all", among: among.name, item, where: tie === undefined ? inner : either(not(tie), inner) };
    }
  }
}

/** The same condition of the record that `field` refers to. */
function walked(expr: Expr, resource: string, field: string): Expr {
  if (expr.is === "path") return { ...expr, resource, steps: [field, ...expr.steps] };
  if (expr.is === "not") return { ...expr, of: walked(expr.of, resource, field) };
  if (expr.is === "compare") return { ...expr, left: walked(expr.left, resource, field) };
  return expr;
}

function tied(
  { chance, references }: About,
  of: string,
  resource: Resource,
  item: string,
  among: Resource,
): Expr | undefined {
  // biome-ignore format: short
  const ties = [
    ...Object.entries(references[among.name] ?? {}).flatMap(([field, to]) =>
      to === resource.name ? [compare("==", pathTo(item, among.name, field), pathTo(of, resource.name, "id"))] : [],
    ),
    ...Object.entries(references[resource.name] ?? {}).flatMap(([field, to]) =>
      to === among.name ? [compare("==", pathTo(item, among.name, "id"), pathTo(of, resource.name, field))] : [],
    ),
    ...(among === resource ? [compare("==", pathTo(item, among.name, "n"), pathTo(of, resource.name, "n"))] : []),
  ];
  return ties.length === 0 || chance.percent(15) ? undefined : chance.pick(ties);
}

function anyNumber(about: About, of: string, resource: Resource, levels: number, within: number): Expr {
  const { chance, references, resources } = about;
  const refs = Object.entries(references[resource.name] ?? {});
  switch (
    chance.weighted({ constant: 3, field: 4, walk: refs.length > 0 ? 2 : 0, calculate: levels > 0 ? 2 : 0, among: levels > 0 && within < 2 ? 3 : 0 }) // biome-ignore format: short
  ) {
    case "constant":
      return constant(chance.between(0, 6));
    case "field":
      return numberOf(about, of, resource);
    case "walk": {
      const [field, to] = chance.pick(refs);
      return walked(numberOf(about, of, named(resources, to)), resource.name, field);
    }
    case "calculate": {
      const [left, right] = [0, 1].map(() => anyNumber(about, of, resource, levels - 1, within)) as [Expr, Expr];
      return { is: "calculate", by: chance.pick(["+", "-", "*"]), left, right };
    }
    case "among": {
      const among = chance.pick(resources);
      const item = within === 0 ? "x" : "y";
      const tie = tied(about, of, resource, item, among);
      const where = tie === undefined ? {} : { where: tie };
      return chance.percent(50)
        ? { is: "count", among: among.name, item, ...where }
        : { is: "sum", among: among.name, item, ...where, of: numberOf(about, item, among) };
    }
  }
}

// ── The text ──

export const deviceSecret = "a device";

export function documentText(doc: Doc): string {
  const { hasBatch, inbound, link, resources, rules } = doc;
  const events = eventsOf(resources);
  const kept = resources.flatMap(({ keptHours, name }) =>
    keptHours === undefined ? [] : [[name, keptText(keptHours)]],
  );
  const codes = rules.map(({ code, status }) => [code, `${status} It is ${code}`]);
  const isGuarded = resources.some(({ lifecycle }) => lifecycle?.transitions.some(({ guard }) => guard));
  const errors = Object.fromEntries([...codes, ...(isGuarded ? [[guardCode, "409 It does not go"]] : [])]);
  return documentOf({
    resources: {
      ...Object.fromEntries(resources.map((one) => [one.name, fieldsOf(one)])),
      rules: Object.fromEntries(
        [...Map.groupBy(rules, ({ of }) => of)].map(([of, some]) => [
          of,
          some.map(({ code, holds }) => `${textOf(holds)} else ${code}`),
        ]),
      ),
    },
    states: Object.fromEntries(
      resources.map(({ lifecycle, name }) => [name, lifecycle === undefined ? "none" : statesOf(lifecycle)]),
    ),
    endpoints: {
      lists: "cursor, 200 per page, at most 200",
      endpoints: {
        ...Object.assign({}, ...resources.map(operationsOf)),
        ...(hasBatch ? { batch: { at: "POST /batches", does: "handler", takes: { plan: "string(1..9000)" } } } : {}),
        ...(link === undefined ? {} : linksOf(link)),
      },
    },
    authentication: {
      credentials: {
        key: { kind: "api-key", lasts: "365d", revoked: "at once" },
        ...(inbound === undefined
          ? {}
          : { device: { kind: "hmac-sha256", sent: "header Device-Signature", secret: "env DEVICE_SECRET" } }),
      },
    },
    events:
      inbound === undefined && events.length === 0
        ? "none"
        : {
            envelope: "plain",
            ...(events.length === 0 ? {} : { out: Object.fromEntries(events) }),
            ...(inbound === undefined
              ? {}
              : { in: { ping: { at: "POST /pings", with: "device", carries: { about: inbound } } } }),
            delivery: "none",
          },
    errors: { errors },
    limits: kept.length === 0 ? "none" : { keep: Object.fromEntries(kept) },
  });
}

/** Those that cause transitions. */
function eventsOf(resources: readonly Resource[]): readonly [string, string][] {
  const caused = resources.flatMap(({ lifecycle }) =>
    (lifecycle?.transitions ?? []).flatMap(({ trigger }): [string, string][] =>
      trigger.kind === "entered" ? [[eventOf(trigger), `${trigger.of} -> ${trigger.state}`]] : [],
    ),
  );
  return [...new Map(caused)];
}

function eventOf({ of, state }: { readonly of: string; readonly state: string }): string {
  return `${of.toLowerCase()}.${state}`;
}

export function keptText(hours: number): string {
  return `${hours}h after madeAt`;
}

function fieldsOf({ fields, id, name }: Resource): Block {
  return {
    id: id === "client" ? "string(1..12)" : `id(${name.toLowerCase().slice(0, 3)})`,
    ...Object.fromEntries(fields.map((field) => [`${field.name}${field.isOptional ? "?" : ""}`, fieldText(field)])),
  };
}

function fieldText(field: Field): string {
  const marks = field.onDelete === undefined || field.onDelete === "refuse" ? "" : `, ${field.onDelete}`;
  switch (field.kind) {
    case "number":
      return field.default === undefined ? "integer" : `integer = ${JSON.stringify(field.default)}`;
    case "flag":
      return "boolean = false";
    case "choice":
      return `${kinds.join(" | ")} = a`;
    case "texts":
      return "string(1..3)[](0..4) = []";
    case "moment":
      return "datetime";
    case "double":
      return "integer := n + n, sort";
    case "made":
      return "datetime = now, read-only";
    case "reference":
      return `${field.to}${marks}`;
  }
}

function statesOf({ final, start, states, transitions }: Lifecycle): Json {
  const byArrow = Map.groupBy(transitions, arrowOf);
  return {
    states: [...states],
    start,
    final: final.length === 0 ? "none" : [...final],
    moves: Object.fromEntries([...byArrow].map(([arrow, some]) => [arrow, some.map(transitionOf)])),
  };
}

function transitionOf({ adds, guard, trigger }: Transition): Block {
  const isAsked = trigger.kind === "operation";
  return {
    ...triggerOf(trigger),
    ...(guard === undefined ? {} : { if: textOf(guard), ...(isAsked ? { else: guardCode } : {}) }),
    ...(adds === undefined ? {} : { set: { n: adds < 0 ? `n - ${-adds}` : `n + ${adds}` } }),
  };
}

function triggerOf(trigger: Transition["trigger"]): Block {
  switch (trigger.kind) {
    case "operation":
      return { by: trigger.name };
    case "after":
      return { after: `${trigger.hours}h` };
    case "at":
      return { at: "due" };
    case "entered":
      return { when: eventOf(trigger) };
    case "inbound":
      return { when: "ping" };
  }
}

function operationsOf({ cleared, id, lifecycle, name, path }: Resource): Block {
  const verbs = new Set(
    (lifecycle?.transitions ?? []).flatMap(({ trigger }) => (trigger.kind === "operation" ? [trigger.name] : [])),
  );
  return {
    [`add${name}`]: `POST ${path}`,
    [`get${name}`]: `GET ${path}/{id}`,
    [`list${name}s`]: `GET ${path}`,
    [`change${name}`]: `PATCH ${path}/{id}`,
    ...(id === "client" ? { [`put${name}`]: `PUT ${path}/{id}` } : {}),
    [`remove${name}`]: `DELETE ${path}/{id}`,
    ...(cleared === undefined ? {} : { [`clear${name}s`]: { at: `DELETE ${path}`, where: textOf(cleared) } }),
    ...Object.fromEntries([...verbs].map((verb) => [verb, `POST ${path}/{id}/${verb.toLowerCase()}`])),
  };
}

function linksOf({ field, in: within, kind, of }: Link): Block {
  const at = `/${of.toLowerCase()}s/{id}/mark`;
  const link = { in: within, with: { [field]: "id", kind: `'${kind}'` } };
  return {
    mark: { at: `POST ${at}`, of, link },
    unmark: { at: `DELETE ${at}`, of, unlink: link },
  };
}
