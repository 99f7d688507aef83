/** The values that `seen as` and `taken as` give, as far as the test can compute them. */
import { isWrittenAlike, type Json, type JsonObject } from "../../base/json.ts";
import type { Value } from "../../expression/evaluate.ts";
import { bareType, lookup } from "../../language/resources/fields.ts";
import type { Field, Fields } from "../../language/resources/model.ts";
import { conversionsOf } from "../../language/versioning/conversions.ts";
import { anonymous } from "../caller.ts";
import type { Contract } from "../contract.ts";
import { evaluate } from "../expressions.ts";
import { expressionValue } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { presentOf } from "../trial/world.ts";

/** What a conversion reads: the values of one side, by the names of its version. */
export interface Side {
  readonly trial: Trial;
  /** The resource, type or view whose members the expression names. */
  readonly of: string;
  readonly values: ReadonlyMap<string, Json>;
}

/** Returns the value of the clause at a path, such as `versioning/versions/2026-09-01/2/seen`; undefined if it is unknown. */
export function converted(
  contract: Contract,
  path: string,
  { of, trial, values }: Side,
): { readonly value: Value } | undefined {
  const conversion = conversionsOf(contract.model).found.get(path);
  if (conversion === undefined) return undefined;
  if (conversion.kind === "value") return { value: conversion.value };
  return evaluate(conversion.expression, {
    ...{ model: trial.contract.model, resource: of, record: values, caller: anonymous, now: presentOf(trial.world) },
    find: () => undefined,
  });
}

/** Returns the values that a representation shows; an optional member that it does not show is null. */
export function valuesIn(observed: JsonObject, fields: Fields): ReadonlyMap<string, Json> {
  const absent = Object.entries(fields).filter(
    ([name, { optional }]) => optional && lookup(observed, name) === undefined,
  );
  return new Map([...Object.entries(observed), ...absent.map(([name]): [string, Json] => [name, null])]);
}

/** Whether a value in a response is a value that an expression has. */
export function isSame(contract: Contract, of: string, name: string, got: Json | undefined, expected: Value): boolean {
  if (got === undefined || got === null) return expected === null || expected === undefined;
  const value = expressionValue(contract.model, of, name, got);
  if (typeof value === "number" && typeof expected === "number") return Math.abs(value - expected) < 1e-9;
  return isWrittenAlike(value, expected);
}

/** Rounds a number, if callers of the field know only integers. */
export function rounded({ type }: Field, value: Value): Value {
  const bare = bareType(type);
  const isInteger = bare.kind === "scalar" && bare.name === "integer";
  return isInteger && typeof value === "number" ? Math.round(value) : value;
}
