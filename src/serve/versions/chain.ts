/**
 * All the steps from an older version to the newest, as one: names, records, bodies, filters and errors brought up and
 * down through any number of versions.
 */
import { defined } from "../../base/defined.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { FilterOperator } from "../../plan/plan.ts";
import type { MemberStep, OperationStep, ShapeStep, StepPlan } from "../../plan/version.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { Judge } from "../judge.ts";
import type { View, ViewMember } from "../../store/store.ts";
import { membersDown } from "./view.ts";
import { compileShape, own, type Shape, type Whole } from "./shapes.ts";

/** What is converted: a resource's records, or what one operation takes or gives. */
export type Subject =
  | { readonly kind: "record"; readonly resource: string }
  | { readonly kind: "takes" | "gives"; readonly operation: string };

export interface Chain {
  /** Names of the newest version by those of the older one, and back. */
  newerOperation(older: string): string;
  olderOperation(newest: string): string;
  olderDefinition(newest: string): string;
  olderError(newest: string): string;
  /** Undefined where the older version has no such event. */
  olderEvent(newest: string): string | undefined;
  /** What an event of the older version carries, where that is not the whole record. */
  carries(older: string): readonly string[] | undefined;
  /** Whether what is written of it differs at all. */
  changes(subject: Subject): boolean;
  /** `subject` by its newest name. */
  down(subject: Subject, newest: JsonObject): JsonObject;
  /** A record's view as the older version has it; undefined where no view says that. */
  viewDown(view: View): View | undefined;
  /** `subject` by its older name; `present` is what is there, as the newest version has it. */
  up(subject: Subject, older: JsonObject, how?: Whole): JsonObject;
  /** The newest name of a record's member; undefined where it is gone. */
  newerMember(resource: string, older: string): string | undefined;
  filterUp(resource: string, filter: Filter): Filter;
  /** A pointer's segments, into what `subject` (by its newest name) is; undefined where the older version has no such member. */
  pointerDown(subject: Subject, segments: readonly string[]): readonly string[] | undefined;
}

/** One condition of a list on one of its record's members. */
export interface Filter {
  readonly column: string;
  readonly operator: FilterOperator;
  readonly value: Value | readonly Value[];
}

interface Link {
  readonly step: StepPlan;
  readonly byOlder: ReadonlyMap<string, Shape>;
  readonly byNewer: ReadonlyMap<string, Shape>;
  readonly operations: ReadonlyMap<string, Conversions>;
  readonly newerOperations: ReadonlyMap<string, Conversions>;
}

interface Conversions {
  readonly step: OperationStep;
  readonly takes?: Shape;
  readonly gives?: Shape;
}

/** Compiled once for a step, which several older versions share. */
export function createLinks(judgeOf: (schema: JsonObject) => Judge): (step: StepPlan) => Link {
  const links = new Map<StepPlan, Link>();
  return (step) => {
    const known = links.get(step);
    if (known !== undefined) return known;
    const byOlder = new Map<string, Shape>();
    const lazy = (older: string): Shape | undefined => lazily(() => byOlder.get(older));
    const compile = (shape: ShapeStep): Shape => compileShape(shape, lazy, judgeOf);
    for (const shape of step.shapes) byOlder.set(shape.older, compile(shape));
    const operations = step.operations.map((operation): Conversions => {
      const { takes, gives } = operation;
      return {
        step: operation,
        ...(takes === undefined ? {} : { takes: compile(takes) }),
        ...(gives === undefined ? {} : { gives: compile(gives) }),
      };
    });
    const link: Link = {
      step,
      byOlder,
      byNewer: new Map([...byOlder.values()].map((shape) => [shape.step.newer, shape])),
      operations: new Map(operations.map((one) => [one.step.older, one])),
      newerOperations: new Map(operations.map((one) => [one.step.newer, one])),
    };
    links.set(step, link);
    return link;
  };
}

/** A type may hold itself, or one that is compiled after it. */
function lazily(find: () => Shape | undefined): Shape {
  return {
    get step() {
      return (find() as Shape).step;
    },
    down: (newer) => find()?.down(newer) ?? newer,
    up: (older, how) => find()?.up(older, how) ?? older,
  };
}

/** `links` from the older version to the newest. */
export function createChain(links: readonly Link[]): Chain {
  const back = links.toReversed();
  const forward = (start: string, next: (link: Link, name: string) => string | undefined): string => {
    return links.reduce((name, link) => next(link, name) ?? name, start);
  };
  const backward = (start: string, next: (link: Link, name: string) => string | undefined): string => {
    return back.reduce((name, link) => next(link, name) ?? name, start);
  };
  const chain: Chain = {
    newerOperation: (older) => forward(older, (link, name) => link.operations.get(name)?.step.newer),
    olderOperation: (newest) => backward(newest, (link, name) => link.newerOperations.get(name)?.step.older),
    olderDefinition: (newest) => backward(newest, (link, name) => link.byNewer.get(name)?.step.older),
    olderError: (newest) =>
      backward(newest, ({ step }, code) => step.errors.find(({ newer }) => newer === code)?.older),
    olderEvent(newest) {
      let name = newest;
      for (const { step } of back) {
        const found = step.events.find(({ newer }) => newer === name);
        if (found !== undefined && found.older === undefined) return undefined;
        name = found?.older ?? name;
      }
      return name;
    },
    carries: (older) => links[0]?.step.carries[older],
    changes: (subject) => shapesOf(back, subject, "newer").some((shape) => shape !== undefined),
    down: (subject, newest) =>
      shapesOf(back, subject, "newer").reduce((value, shape) => shape?.down(value) ?? value, newest),
    viewDown({ resource, members }) {
      let now: readonly ViewMember[] | undefined = members;
      for (const shape of shapesOf(back, { kind: "record", resource }, "newer"))
        if (shape !== undefined && now !== undefined) now = membersDown(shape.step, now);
      return now && { resource, members: now };
    },
    up(subject, older, how) {
      const shapes = shapesOf(links, subject, "older");
      const present = atEach(shapes, how?.present);
      const visible = atEach(shapes, how?.visible);
      let beside = how?.beside;
      return shapes.reduce((value, shape, index) => {
        if (shape === undefined) return value;
        const [there, seen] = [present[index], visible[index]];
        const here = {
          ...(there === undefined ? {} : { present: there }),
          ...(seen === undefined ? {} : { visible: seen }),
        };
        const raised = shape.up(value, {
          whole: how?.whole ?? true,
          ...(beside === undefined ? {} : { beside }),
          ...here,
        });
        if (beside !== undefined) beside = shape.up(beside, { whole: true, ...here });
        return raised;
      }, older);
    },
    newerMember(resource, older) {
      let name: string | undefined = older;
      for (const shape of shapesOf(links, { kind: "record", resource }, "older")) {
        const member = shape?.step.members.find((one) => one.older === name);
        if (member !== undefined) name = member.newer;
        if (name === undefined) return undefined;
      }
      return name;
    },
    filterUp(resource, filter) {
      const shapes = shapesOf(links, { kind: "record", resource }, "older");
      return shapes.reduce((one, shape) => (shape === undefined ? one : raised(shape, one)), filter);
    },
    pointerDown(subject, segments) {
      let now: readonly string[] | undefined = segments;
      for (const [index, shape] of shapesOf(back, subject, "newer").entries()) {
        if (shape !== undefined && now !== undefined) now = lowered(back[index] as Link, shape, now);
      }
      return now;
    },
  };
  return chain;
}

/** A record of the newest version, converted to the newer side of each shape. */
function atEach(
  shapes: readonly (Shape | undefined)[],
  newest: JsonObject | undefined,
): readonly (JsonObject | undefined)[] {
  const all: (JsonObject | undefined)[] = [];
  let at = newest;
  for (const shape of shapes.toReversed()) {
    all.unshift(at);
    if (at !== undefined && shape !== undefined) at = shape.down(at);
  }
  return all;
}

/** The shape that a subject has at each link, whose names change on the way. */
function shapesOf(links: readonly Link[], subject: Subject, from: "older" | "newer"): readonly (Shape | undefined)[] {
  const to = from === "older" ? "newer" : "older";
  if (subject.kind === "record") {
    let name = subject.resource;
    return links.map((link) => {
      const shape = (from === "older" ? link.byOlder : link.byNewer).get(name);
      name = shape?.step[to] ?? name;
      return shape;
    });
  }
  let name = subject.operation;
  return links.map((link) => {
    const found = (from === "older" ? link.operations : link.newerOperations).get(name);
    name = found?.step[to] ?? name;
    return subject.kind === "takes" ? found?.takes : found?.gives;
  });
}

/** Several newer values may be seen as one older value: then all of them are meant. */
function raised(shape: Shape, filter: Filter): Filter {
  const member = shape.step.members.find(({ older }) => older === filter.column);
  if (member === undefined) return filter;
  // A member of the newest version may have the name of one that is gone, and is another one.
  const newer = defined(member.newer, `${filter.column}, which is gone,`);
  const taken = (value: Value): Value => {
    if (member.taken === undefined) return value;
    return (own(shape.up({ [member.older]: value as Json }, { whole: false }), newer) ?? null) as Value;
  };
  const each = (value: Value): readonly Value[] => [taken(value), ...valuesSeenAs(member, value)];
  const { operator, value } = filter;
  if (operator === "in") {
    return { column: newer, operator, value: (value as readonly Value[]).flatMap(each) };
  }
  const [first = null, ...more] = each(value as Value);
  return operator === "eq" && more.length > 0
    ? { column: newer, operator: "in", value: [first, ...more] }
    : { column: newer, operator, value: first };
}

function valuesSeenAs({ values = {} }: MemberStep, seen: Value): readonly string[] {
  return Object.entries(values).flatMap(([value, conversion]) =>
    conversion.kind === "value" && conversion.value === seen ? [value] : [],
  );
}

function lowered(link: Link, { step }: Shape, segments: readonly string[]): readonly string[] | undefined {
  const [first, ...rest] = segments;
  if (first === undefined) return segments;
  const member = step.members.find(({ newer }) => newer === first);
  if (member === undefined) return step.added.some(({ newer }) => newer === first) ? undefined : segments;
  const { within = [] } = member;
  const inner = member.shape === undefined ? undefined : link.byOlder.get(member.shape);
  if (inner === undefined || rest.length <= within.length) return [member.older, ...rest];
  const below = lowered(link, inner, rest.slice(within.length));
  return below && [member.older, ...rest.slice(0, within.length), ...below];
}

/** Text of one record, or of several with commas between them, brought down; only members that are `known`, if given. */
export function textDown(chain: Chain, subject: Subject, text: string, known?: ReadonlySet<string>): string {
  if (text === "" || !chain.changes(subject)) return text;
  const items = JSON.parse(`[${text}]`) as readonly Json[];
  const told = (item: JsonObject): JsonObject => {
    const down = chain.down(subject, item);
    return known === undefined ? down : Object.fromEntries(Object.entries(down).filter(([name]) => known.has(name)));
  };
  return items.map((item) => JSON.stringify(isObject(item) ? told(item) : item)).join(",");
}
