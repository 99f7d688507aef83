/**
 * Converts names, records, bodies, filters and errors between an older version and the newest, by composing the steps between
 * consecutive versions.
 */
import { instantOfUnixTime, unixTimeOf } from "../../base/unix-time.ts";
import { onceFor } from "../../base/once.ts";
import { defined } from "../../base/defined.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import {
  type MemberStep,
  type OperationStep,
  type ShapeStep,
  type StepPlan,
  viewStep,
} from "../../plan/versioning/conversion-types.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { Validator } from "../validation/validator.ts";
import type { ViewMember } from "../../store/port/store.ts";
import { membersToOlder } from "./view.ts";
import { compileShape, lookup, type Shape } from "./convert-members.ts";
import type { Filter, Subject, VersionConverter } from "../context/version.ts";

interface StepConverter {
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

/** Compiles each step once, because several older versions share it. */
export function createStepConverters(
  validatorOf: (schema: JsonObject) => Validator,
): (step: StepPlan) => StepConverter {
  return onceFor((step) => {
    const byOlder = new Map<string, Shape>();
    const lazy = (older: string): Shape | undefined => lazily(() => byOlder.get(older));
    const compile = (shape: ShapeStep): Shape => compileShape(shape, lazy, validatorOf);
    for (const shape of step.shapes) byOlder.set(shape.older, compile(shape));
    const operations = step.operations.map((operation): Conversions => {
      const { takes, gives } = operation;
      return {
        step: operation,
        ...(takes === undefined ? {} : { takes: compile(takes) }),
        ...(gives === undefined ? {} : { gives: compile(gives) }),
      };
    });
    return {
      step,
      byOlder,
      byNewer: new Map([...byOlder.values()].map((shape) => [shape.step.newer, shape])),
      operations: new Map(operations.map((one) => [one.step.older, one])),
      newerOperations: new Map(operations.map((one) => [one.step.newer, one])),
    };
  });
}

/** Returns a shape that is looked up at its first use, since a type may contain itself, or a type that is compiled later. */
function lazily(find: () => Shape | undefined): Shape {
  return {
    get step() {
      return (find() as Shape).step;
    },
    downgrade: (newer) => find()?.downgrade(newer) ?? newer,
    upgrade: (older, how) => find()?.upgrade(older, how) ?? older,
  };
}

/** Composes a converter. `stepConverters`: from the older version to the newest. */
export function createVersionConverter(stepConverters: readonly StepConverter[]): VersionConverter {
  const back = stepConverters.toReversed();
  const forward = (start: string, next: (stepConverter: StepConverter, name: string) => string | undefined): string => {
    return stepConverters.reduce((name, stepConverter) => next(stepConverter, name) ?? name, start);
  };
  const backward = (
    start: string,
    next: (stepConverter: StepConverter, name: string) => string | undefined,
  ): string => {
    return back.reduce((name, stepConverter) => next(stepConverter, name) ?? name, start);
  };
  const converter: VersionConverter = {
    newerOperation: (older) => forward(older, (stepConverter, name) => stepConverter.operations.get(name)?.step.newer),
    olderOperation: (newest) =>
      backward(newest, (stepConverter, name) => stepConverter.newerOperations.get(name)?.step.older),
    olderDefinition: (newest) => backward(newest, (stepConverter, name) => stepConverter.byNewer.get(name)?.step.older),
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
    carries: (older) => stepConverters[0]?.step.carries[older],
    changes: (subject) => shapesOf(back, subject, "newer").some((shape) => shape !== undefined),
    downgrade: (subject, newest) =>
      shapesOf(back, subject, "newer").reduce((value, shape) => shape?.downgrade(value) ?? value, newest),
    viewToOlder({ resource, members }) {
      let now: readonly ViewMember[] | undefined = members;
      for (const shape of shapesOf(back, { kind: "record", resource }, "newer"))
        if (shape !== undefined && now !== undefined) now = membersToOlder(shape.step, now);
      return now && { resource, members: now };
    },
    upgrade(subject, older, how) {
      const shapes = shapesOf(stepConverters, subject, "older");
      const present = atEach(shapes, how?.present);
      const visible = atEach(shapes, how?.visible);
      let siblings = how?.siblings;
      return shapes.reduce((value, shape, index) => {
        if (shape === undefined) return value;
        const [there, visibleValue] = [present[index], visible[index]];
        const here = {
          ...(there === undefined ? {} : { present: there }),
          ...(visibleValue === undefined ? {} : { visible: visibleValue }),
        };
        const upgraded = shape.upgrade(value, {
          isFull: how?.isFull ?? true,
          ...(siblings === undefined ? {} : { siblings }),
          ...here,
        });
        if (siblings !== undefined) siblings = shape.upgrade(siblings, { isFull: true, ...here });
        return upgraded;
      }, older);
    },
    newerMember(resource, older) {
      let name: string | undefined = older;
      for (const shape of shapesOf(stepConverters, { kind: "record", resource }, "older")) {
        const member = shape?.step.members.find((one) => one.older === name);
        if (member !== undefined) name = member.newer;
        if (name === undefined) return undefined;
      }
      return name;
    },
    newerPath(subject, older) {
      let now: readonly string[] | "unknown" | "removed" = older;
      for (const [index, shape] of shapesOf(stepConverters, subject, "older").entries()) {
        if (shape !== undefined && typeof now !== "string")
          now = newerNames(stepConverters[index] as StepConverter, shape, now);
      }
      return now;
    },
    filterToNewer(resource, filter) {
      const shapes = shapesOf(stepConverters, { kind: "record", resource }, "older");
      return shapes.reduce((one, shape) => (shape === undefined ? one : upgraded(shape, one)), filter);
    },
    pointerToOlder(subject, segments) {
      let now: readonly string[] | undefined = segments;
      for (const [index, shape] of shapesOf(back, subject, "newer").entries()) {
        if (shape !== undefined && now !== undefined) now = lowered(back[index] as StepConverter, shape, now);
      }
      return now;
    },
  };
  return converter;
}

/** Downgrades the record of the newest version step by step, and returns the input of each step. */
function atEach(
  shapes: readonly (Shape | undefined)[],
  newest: JsonObject | undefined,
): readonly (JsonObject | undefined)[] {
  const all: (JsonObject | undefined)[] = [];
  let at = newest;
  for (const shape of shapes.toReversed()) {
    all.unshift(at);
    if (at !== undefined && shape !== undefined) at = shape.downgrade(at);
  }
  return all;
}

/** Returns the shape of a subject at each step; its name may change between steps. */
function shapesOf(
  stepConverters: readonly StepConverter[],
  subject: Subject,
  from: "older" | "newer",
): readonly (Shape | undefined)[] {
  const to = from === "older" ? "newer" : "older";
  if (subject.kind === "record" || subject.kind === "view") {
    let name = subject.kind === "record" ? subject.resource : viewStep(subject.view);
    return stepConverters.map((stepConverter) => {
      const shape = (from === "older" ? stepConverter.byOlder : stepConverter.byNewer).get(name);
      name = shape?.step[to] ?? name;
      return shape;
    });
  }
  let name = subject.operation;
  return stepConverters.map((stepConverter) => {
    const found = (from === "older" ? stepConverter.operations : stepConverter.newerOperations).get(name);
    name = found?.step[to] ?? name;
    return subject.kind === "takes" ? found?.takes : found?.gives;
  });
}

/** Upgrades a filter. Several newer values may look like one older value: then the filter matches all of them. */
function upgraded(shape: Shape, filter: Filter): Filter {
  const member = shape.step.members.find(({ older }) => older === filter.column);
  if (member === undefined) return filter;
  // A member of the newest version may have the name of a different member that was removed.
  const newer = defined(member.newer, `${filter.column}, which is gone,`);
  const converted = (value: Value): Value => {
    const { takenFromValue: taken } = member;
    if (taken === undefined) return value;
    // A filter has moments as text, while the conversion is of JSON.
    const { reads, gives } = taken.kind === "expression" ? taken : {};
    const unit = reads?.["value"];
    const sent = unit !== undefined && typeof value === "string" ? unixTimeOf(value, unit) : value;
    const now = lookup(shape.upgrade({ [member.older]: sent as Json }, { isFull: false }), newer) ?? null;
    return (gives === undefined ? now : (instantOfUnixTime(now, gives) ?? now)) as Value;
  };
  const each = (value: Value): readonly Value[] => [converted(value), ...newerValuesOf(member, value)];
  const { operator, value } = filter;
  // A part of a text, or whether there is a value, is no value of the member.
  if (operator === "contains" || operator === "startsWith" || operator === "null")
    return { column: newer, operator, value };
  if (operator === "in" || operator === "nin") {
    return { column: newer, operator, value: (value as readonly Value[]).flatMap(each) };
  }
  const [first = null, ...more] = each(value as Value);
  const several = { eq: "in", ne: "nin" } as const;
  return (operator === "eq" || operator === "ne") && more.length > 0
    ? { column: newer, operator: several[operator], value: [first, ...more] }
    : { column: newer, operator, value: first };
}

function newerValuesOf({ values = {} }: MemberStep, visibleValue: Value): readonly string[] {
  return Object.entries(values).flatMap(([value, conversion]) =>
    conversion.kind === "value" && conversion.value === visibleValue ? [value] : [],
  );
}

function lowered(
  stepConverter: StepConverter,
  { step }: Shape,
  segments: readonly string[],
): readonly string[] | undefined {
  const [first, ...rest] = segments;
  if (first === undefined) return segments;
  const member = step.members.find(({ newer }) => newer === first);
  if (member === undefined) return step.added.some(({ newer }) => newer === first) ? undefined : segments;
  const { enclosing = [] } = member;
  const inner = member.shape === undefined ? undefined : stepConverter.byOlder.get(member.shape);
  if (inner === undefined || rest.length <= enclosing.length) return [member.older, ...rest];
  const below = lowered(stepConverter, inner, rest.slice(enclosing.length));
  return below && [member.older, ...rest.slice(0, enclosing.length), ...below];
}

/** Returns the newer names of a path, which does not name the items of lists. */
function newerNames(
  stepConverter: StepConverter,
  { step }: Shape,
  [first, ...rest]: readonly string[],
): readonly string[] | "unknown" | "removed" {
  if (first === undefined) return [];
  const member = step.members.find(({ older }) => older === first);
  if (member === undefined) return "unknown";
  const inner = member.shape === undefined ? undefined : stepConverter.byOlder.get(member.shape);
  const below = inner === undefined ? rest : newerNames(stepConverter, inner, rest);
  if (typeof below === "string") return below;
  return member.newer === undefined ? "removed" : [member.newer, ...below];
}

/** Downgrades the JSON text of one record, or of several separated by commas; with `known`, only those members. */
export function textToOlder(
  converter: VersionConverter,
  subject: Subject,
  text: string,
  known?: ReadonlySet<string>,
): string {
  if (text === "" || !converter.changes(subject)) return text;
  const items = JSON.parse(`[${text}]`) as readonly Json[];
  const toOlder = (item: JsonObject): JsonObject => {
    const downgrade = converter.downgrade(subject, item);
    return known === undefined
      ? downgrade
      : Object.fromEntries(Object.entries(downgrade).filter(([name]) => known.has(name)));
  };
  return items.map((item) => JSON.stringify(isObject(item) ? toOlder(item) : item)).join(",");
}
