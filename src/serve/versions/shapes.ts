/**
 * What is written of a record or an embedded value, brought from one version to its neighbour and back. Pure: a step of the
 * plan made into two functions.
 */
import { editInside, isObject, type Json, type JsonObject } from "../../base/json.ts";
import { compileFunction } from "../../expression/evaluate.ts";
import type { ConversionPlan, MemberStep, ShapeStep } from "../../plan/version.ts";
import type { Judge } from "../judge.ts";
import { canonicalText } from "../json.ts";

export interface Shape {
  readonly step: ShapeStep;
  /** As the older version's callers see it, its members in their order. */
  down(newer: JsonObject): JsonObject;
  up(older: JsonObject, whole?: Whole): JsonObject;
}

/**
 * What is sent is a whole record, and not an edit of some members: what is missing is taken as the entries say. `present`
 * is what is there already, whose members that the older version does not know stay as they are; `visible` is what the caller
 * sees of it, which is all that what is sent is compared with.
 */
export interface Whole {
  readonly whole: boolean;
  /** What expressions see beside a member: all of the older record, where only some of it is sent. */
  readonly beside?: JsonObject;
  readonly present?: JsonObject;
  readonly visible?: JsonObject;
}

const sentWhole: Whole = { whole: true };

type Convert = (beside: JsonObject) => Json;

/** `others` finds the shapes of embedded types by their older names. */
export function compileShape(
  step: ShapeStep,
  others: (older: string) => Shape | undefined,
  judgeOf: (schema: JsonObject) => Judge,
): Shape {
  const members = step.members.map((member) => compileMember(member, others, judgeOf));
  const added = step.added.map(({ newer, taken }) => ({ newer, taken: taken && conversion(taken) }));
  return {
    step,
    down(newer) {
      const given: [string, Json][] = [];
      for (const member of members) {
        const value = member.down(newer);
        if (value !== undefined) given.push([member.older, value]);
      }
      return Object.fromEntries(given);
    },
    up(older, how = sentWhole) {
      const taken: [string, Json][] = [];
      for (const member of members) {
        const value = member.up(older, how);
        if (value !== undefined && member.newer !== undefined) taken.push([member.newer, value]);
      }
      for (const { newer, taken: convert } of added) {
        const present = how.present === undefined ? undefined : own(how.present, newer);
        if (present !== undefined && how.whole) taken.push([newer, present]);
        else if (how.whole && how.present === undefined && convert !== undefined) {
          taken.push([newer, convert(how.beside ?? older)]);
        }
      }
      return Object.fromEntries(taken);
    },
  };
}

export function own(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

interface Member {
  readonly older: string;
  readonly newer: string | undefined;
  down(newer: JsonObject): Json | undefined;
  up(older: JsonObject, how: Whole): Json | undefined;
}

function compileMember(
  step: MemberStep,
  others: (older: string) => Shape | undefined,
  judgeOf: (schema: JsonObject) => Judge,
): Member {
  const { older, newer, shape: shapeName, within = [], nulls, whole, as = newer } = step;
  const shape = shapeName === undefined ? undefined : others(shapeName);
  const values =
    step.values && new Map(Object.entries(step.values).map(([value, seen]) => [value, conversion(seen)] as const));
  const seen = step.seen && conversion(step.seen);
  const filled = step.filled && conversion(step.filled.seen);
  const judge = step.filled?.fits === undefined ? undefined : judgeOf(step.filled.fits);
  const taken = step.taken && conversion(step.taken);
  const required = step.required && conversion(step.required);
  const isPlain =
    shape === undefined && values === undefined && seen === undefined && filled === undefined && whole !== true;

  const shown = (value: Json, beside: JsonObject): Json => {
    let now = value;
    if (shape !== undefined) now = editInside(now, within, (one) => (isObject(one) ? shape.down(one) : one));
    if (values !== undefined) {
      now = editInside(now, within, (one) => (typeof one === "string" ? (values.get(one)?.(beside) ?? one) : one));
    }
    if (seen !== undefined) now = seen(beside);
    return whole === true && typeof now === "number" ? Math.round(now) : now;
  };

  const down = (record: JsonObject): Json | undefined => {
    if (newer === undefined) return told(seen?.(record), step.absent);
    const value = own(record, newer);
    if (isPlain) return value === undefined ? absent(nulls) : told(value, step.absent);
    const beside = as === undefined || as === newer ? record : { ...record, [as]: value ?? null };
    let now = value === undefined || value === null ? value : shown(value, beside);
    const unfit = now === undefined || now === null || (judge !== undefined && judge(now).length > 0);
    if (filled !== undefined && unfit) now = filled(beside);
    return now === undefined ? absent(nulls) : told(now, step.absent);
  };

  return {
    older,
    newer,
    down,
    up(sent, how) {
      if (newer === undefined) return undefined;
      const value = own(sent, older);
      const beside = how.beside ?? sent;
      if (value === undefined) return how.whole ? required?.(beside) : undefined;
      // Who sends back what it was shown changes nothing, also where that is not what there is (R2.4).
      if (how.visible !== undefined && !(isPlain && taken === undefined) && same(value, down(how.visible))) {
        return own(how.visible, newer);
      }
      if (value === null) return required === undefined ? null : required(beside);
      if (taken !== undefined) return taken({ value, ...beside });
      if (shape === undefined) return value;
      const inside = (record: JsonObject | undefined): JsonObject | undefined => {
        const member = record === undefined || within.length > 0 ? undefined : own(record, newer);
        return isObject(member) ? member : undefined;
      };
      const present = inside(how.present);
      const visible = inside(how.visible);
      return editInside(value, within, (one) => {
        if (!isObject(one)) return one;
        return shape.up(one, {
          whole: true,
          ...(present === undefined ? {} : { present }),
          ...(visible === undefined ? {} : { visible }),
        });
      });
    },
  };
}

function same(one: Json, other: Json | undefined): boolean {
  return other !== undefined && canonicalText(one) === canonicalText(other);
}

function absent(nulls: true | undefined): null | undefined {
  return nulls === true ? null : undefined;
}

function told(value: Json | undefined, absence: MemberStep["absent"]): Json | undefined {
  return value === null && absence === "left out" ? undefined : value;
}

function conversion(plan: ConversionPlan): Convert {
  if (plan.kind === "value") return () => plan.value;
  const run = compileFunction(plan.expression);
  return (record) => run({ record, variables: {} }) as Json;
}
