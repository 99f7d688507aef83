/** Converts a record or embedded value between two consecutive versions: compiles a step of the plan to two pure functions. */
import { editInside, isObject, type Json, type JsonObject } from "../../base/json.ts";
import { instantOfUnixTime, type UnixUnit, unixTimeOf } from "../../base/unix-time.ts";
import { compileFunction } from "../../expression/evaluate.ts";
import type { ConversionPlan, MemberStep, ShapeStep } from "../../plan/versioning/conversion-types.ts";
import type { Validator } from "../validation/validator.ts";
import { canonicalText } from "../../http/json.ts";
import type { FullRecord } from "../context/version.ts";

export interface Shape {
  readonly step: ShapeStep;
  /** Returns the value in the older version, with its members in the declared order. */
  downgrade(newer: JsonObject): JsonObject;
  upgrade(older: JsonObject, how?: FullRecord): JsonObject;
}

const sentFull: FullRecord = { isFull: true };

type Convert = (siblings: JsonObject) => Json;

/** Compiles a step. `others`: finds the shapes of embedded types by their older names. */
export function compileShape(
  step: ShapeStep,
  others: (older: string) => Shape | undefined,
  validatorOf: (schema: JsonObject) => Validator,
): Shape {
  const members = step.members.map((member) => compileMember(member, others, validatorOf));
  const added = step.added.map(({ newer, taken }) => ({ newer, taken: taken && fullConversion(taken) }));
  return {
    step,
    downgrade(newer) {
      const olderMembers: [string, Json][] = [];
      for (const member of members) {
        const value = member.downgrade(newer);
        if (value !== undefined) olderMembers.push([member.older, value]);
      }
      return Object.fromEntries(olderMembers);
    },
    upgrade(older, how = sentFull) {
      const newerMembers: [string, Json][] = [];
      for (const member of members) {
        const value = member.upgrade(older, how);
        if (value !== undefined && member.newer !== undefined) newerMembers.push([member.newer, value]);
      }
      for (const { newer, taken: convert } of added) {
        const present = how.present === undefined ? undefined : lookup(how.present, newer);
        if (present !== undefined && how.isFull) newerMembers.push([newer, present]);
        else if (how.isFull && how.present === undefined && convert !== undefined) {
          const value = convert(how.siblings ?? older);
          if (value !== undefined) newerMembers.push([newer, value]);
        }
      }
      return Object.fromEntries(newerMembers);
    },
  };
}

export function lookup(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

interface Member {
  readonly older: string;
  readonly newer: string | undefined;
  downgrade(newer: JsonObject): Json | undefined;
  upgrade(older: JsonObject, how: FullRecord): Json | undefined;
}

function compileMember(
  step: MemberStep,
  others: (older: string) => Shape | undefined,
  validatorOf: (schema: JsonObject) => Validator,
): Member {
  const { older, newer, shape: shapeName, enclosing = [], nulls, rounded, as = newer } = step;
  const shape = shapeName === undefined ? undefined : others(shapeName);
  const values =
    step.values && new Map(Object.entries(step.values).map(([value, seen]) => [value, conversion(seen)] as const));
  const seen = step.seen && conversion(step.seen);
  const filled = step.filled && conversion(step.filled.seen);
  const validate = step.filled?.fits === undefined ? undefined : validatorOf(step.filled.fits);
  const takenFromValue = step.takenFromValue && conversion(step.takenFromValue);
  const takenIfMissing = step.takenIfMissing && conversion(step.takenIfMissing);
  // In a change, null removes the value; a full record is without it.
  const isLeftOut = nulls === true || isLeftOutIfNull(step.takenFromValue);
  const isPlain =
    shape === undefined && values === undefined && seen === undefined && filled === undefined && rounded !== true;

  const displayed = (value: Json, siblings: JsonObject): Json => {
    let now = value;
    if (shape !== undefined) now = editInside(now, enclosing, (one) => (isObject(one) ? shape.downgrade(one) : one));
    if (values !== undefined) {
      now = editInside(now, enclosing, (one) => (typeof one === "string" ? (values.get(one)?.(siblings) ?? one) : one));
    }
    if (seen !== undefined) now = seen(siblings);
    return rounded === true && typeof now === "number" ? Math.round(now) : now;
  };

  const downgrade = (record: JsonObject): Json | undefined => {
    if (newer === undefined) return orLeftOut(seen?.(record), step.absent);
    const value = lookup(record, newer);
    if (isPlain) return value === undefined ? absent(nulls) : orLeftOut(value, step.absent);
    const siblings = as === undefined || as === newer ? record : { ...record, [as]: value ?? null };
    let now = value === undefined || value === null ? value : displayed(value, siblings);
    const unfit = now === undefined || now === null || (validate !== undefined && validate(now).length > 0);
    if (filled !== undefined && unfit) now = filled(siblings);
    return now === undefined ? absent(nulls) : orLeftOut(now, step.absent);
  };

  const upgrade = (sent: JsonObject, how: FullRecord): Json | undefined => {
    if (newer === undefined) return undefined;
    const value = lookup(sent, older);
    const siblings = how.siblings ?? sent;
    if (value === undefined) return how.isFull ? takenIfMissing?.(siblings) : undefined;
    // A client that sends back a value that it has read changes nothing, even if the stored value differs (R2.4).
    if (
      how.visible !== undefined &&
      !(isPlain && takenFromValue === undefined) &&
      same(value, downgrade(how.visible))
    ) {
      return lookup(how.visible, newer);
    }
    if (value === null) return takenIfMissing === undefined ? null : takenIfMissing(siblings);
    if (takenFromValue !== undefined) return takenFromValue({ value, ...siblings });
    if (shape === undefined) return value;
    const inside = (record: JsonObject | undefined): JsonObject | undefined => {
      const member = record === undefined || enclosing.length > 0 ? undefined : lookup(record, newer);
      return isObject(member) ? member : undefined;
    };
    const present = inside(how.present);
    const visible = inside(how.visible);
    return editInside(value, enclosing, (one) => {
      if (!isObject(one)) return one;
      return shape.upgrade(one, {
        isFull: true,
        ...(present === undefined ? {} : { present }),
        ...(visible === undefined ? {} : { visible }),
      });
    });
  };

  return {
    older,
    newer,
    downgrade,
    upgrade(sent, how) {
      const value = upgrade(sent, how);
      return value === null && isLeftOut && how.isFull ? undefined : value;
    },
  };
}

function same(one: Json, other: Json | undefined): boolean {
  return other !== undefined && canonicalText(one) === canonicalText(other);
}

function absent(nulls: true | undefined): null | undefined {
  return nulls === true ? null : undefined;
}

/** Returns the record with instants as text, as expressions read them, in place of Unix time. */
function withInstants(record: JsonObject, units: Readonly<Record<string, UnixUnit>> = {}): JsonObject {
  const members = Object.entries(record).map(([name, value]): [string, Json] => {
    const unit = Object.hasOwn(units, name) ? units[name] : undefined;
    return [name, unit === undefined ? value : (instantOfUnixTime(value, unit) ?? value)];
  });
  return Object.fromEntries(members);
}

function orLeftOut(value: Json | undefined, absence: MemberStep["absent"]): Json | undefined {
  return value === null && absence === "left out" ? undefined : value;
}

/** Returns a conversion for a full record, which is without the member where the result is null. */
function fullConversion(plan: ConversionPlan): (siblings: JsonObject) => Json | undefined {
  const convert = conversion(plan);
  return (siblings) => orLeftOut(convert(siblings), isLeftOutIfNull(plan) ? "left out" : "null");
}

function isLeftOutIfNull(plan: ConversionPlan | undefined): boolean {
  return plan?.kind === "expression" && plan.leftOut === true;
}

function conversion(plan: ConversionPlan): Convert {
  if (plan.kind === "value") return () => plan.value;
  const { reads, gives } = plan;
  const run = compileFunction(plan.expression);
  if (reads === undefined && gives === undefined) return (record) => run({ record, variables: {} }) as Json;
  return (record) => {
    const result = run({ record: withInstants(record, reads), variables: {} }) as Json;
    return gives === undefined || typeof result !== "string" ? result : unixTimeOf(result, gives);
  };
}
