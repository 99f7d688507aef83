/**
 * Evaluates the expressions of a document over what the test knows. An expression that needs a value that the test does not know
 * has no result, and the test then expects nothing of it.
 */
import { compileFunction, type Row, type Value } from "../expression/evaluate.ts";
import { timestampAt } from "../expression/instant.ts";
import { readsVariable, type TypedExpression } from "../expression/typed.ts";
import type { Json } from "../base/json.ts";
import { onceFor } from "../base/once.ts";
import type { Model } from "../language/model.ts";
import { type Caller, idOf } from "./caller.ts";
import { isFileValue } from "./files.ts";
import { expressionValue } from "./trial/known.ts";

export interface Scope {
  readonly model: Model;
  /** The resource of the record. */
  readonly resource?: string | undefined;
  /** The known values of the record, as JSON. */
  readonly record?: ReadonlyMap<string, Json> | undefined;
  /** The known values of another record; undefined if the test does not know the record. */
  readonly find: (resource: string, id: Json) => ReadonlyMap<string, Json> | undefined;
  readonly caller: Caller;
  /** The service's present, in milliseconds since 1970. */
  readonly now: number;
  /** The members of the request's body and its parameters. */
  readonly input?: Readonly<Record<string, Value>>;
  /** The address of the service. */
  readonly base?: string;
  /** The record before a write; null if the write creates it. */
  readonly old?: ReadonlyMap<string, Json> | null;
  /** For further writes: the record around them, after its write or before its deletion, and as it was before its write. */
  readonly around?: {
    readonly resource: string;
    readonly record: ReadonlyMap<string, Json>;
    readonly old?: ReadonlyMap<string, Json> | undefined;
  };
  /** The value of a filter, for its condition. */
  readonly value?: Value;
  /** Further variables: the name of a filter, which is its value too. */
  readonly variables?: Readonly<Record<string, Value>>;
  /** All records of a resource that an expression selects; absent: the test does not know all. */
  readonly records?: (resource: string) => readonly ReadonlyMap<string, Json>[];
}

/** Thrown inside an evaluation that needs an unknown value. */
class Unknown extends Error {}

const compiled = onceFor(compileFunction);
/** A test evaluates conditions of many records, and the text of a time takes longer than most of them. */
const readsNow = onceFor((typed: TypedExpression) => readsVariable(typed, "now"));

/** Returns the value of the expression; undefined if it needs what the test does not know. */
export function evaluate(typed: TypedExpression, scope: Scope): { readonly value: Value } | undefined {
  const { model, resource, record, find, caller, now, input, base, old, value, records, variables, around } = scope;
  try {
    const found = compiled(typed)({
      record: rowOf(model, resource, record),
      variables: strict({
        caller: strict({
          id: caller.signedIn ? idOf(caller) : null,
          roles: caller.roles,
        }),
        ...(readsNow(typed) ? { now: timestampAt(now) } : {}),
        ...(input === undefined ? {} : { input: absentAsNull(input) }),
        ...(base === undefined ? {} : { base }),
        ...(old === undefined ? {} : { old: old === null ? null : rowOf(model, resource, old) }),
        ...(around === undefined ? {} : { this: rowOf(model, around.resource, around.record) }),
        ...(around?.old === undefined ? {} : { old: rowOf(model, around.resource, around.old) }),
        ...(value === undefined ? {} : { value }),
        ...variables,
      }),
      reference: (of, id) => rowOf(model, of, find(of, id)),
      records: (of) => {
        if (records === undefined) throw new Unknown();
        return records(of).map((one) => rowOf(model, of, one));
      },
    });
    return { value: found };
  } catch (thrown) {
    if (thrown instanceof Unknown) return undefined;
    throw thrown;
  }
}

/** Returns whether a condition is true; undefined if that needs what the test does not know. */
export function truth(typed: TypedExpression, scope: Scope): boolean | undefined {
  const found = evaluate(typed, scope);
  return found === undefined ? undefined : found.value === true;
}

function rowOf(model: Model, resource: string | undefined, values: ReadonlyMap<string, Json> | undefined): Row {
  const read = (name: string): Value => {
    const value = values?.get(name);
    // What the service describes of a file that was sent is not known.
    if (value === undefined || resource === undefined || isFileValue(value)) throw new Unknown();
    return expressionValue(model, resource, name, value);
  };
  return new Proxy<Record<string, unknown>>(
    {},
    {
      get: (_, name) => (typeof name === "string" ? read(name) : undefined),
      has: (_, name) => typeof name === "string" && values?.has(name) === true,
      // `old.name` and `this.name` read own members alone.
      getOwnPropertyDescriptor: (_, name) =>
        typeof name === "string" ? { value: read(name), configurable: true, enumerable: true } : undefined,
    },
  );
}

/** Returns an object whose other members are unknown. */
function strict(members: Readonly<Record<string, unknown>>): Row {
  return new Proxy<Record<string, unknown>>(
    { ...members },
    {
      get(target, name) {
        if (typeof name !== "string" || Object.hasOwn(target, name)) return Reflect.get(target, name) as unknown;
        throw new Unknown();
      },
    },
  );
}

function absentAsNull(input: Readonly<Record<string, Value>>): Row {
  return { ...input };
}
