/** Part 7, printed: the shortest form that reads back as the same. */
import type { Json } from "../../base/json.ts";
import type { Tree } from "../../document/print.ts";
import { loosePhrase } from "../phrase.ts";
import type { DeclaredError, Errors } from "./model.ts";
import { type Below, nothingBelow } from "../resources/field-print.ts";
import { splitRetry } from "./read.ts";

export function printErrors({ body, standard, errors }: Errors, below: Below = nothingBelow): Tree {
  const lines = Object.entries(errors).map(
    ([code, error]) => [code, printError(error, below("errors", code))] as const,
  );
  return {
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : treeOfShape(body.shape) }),
    ...(standard === undefined ? {} : { standard: standard.length === 0 ? "none" : standard }),
    ...(lines.length === 0 ? {} : { errors: Object.fromEntries(lines) }),
  };
}

/** On one line, but where the sentence itself ends like one that says when to try again; with `map` always as a map. */
function printError({ status, sentence, retryAfter }: DeclaredError, map: boolean): Tree {
  if (!map && splitRetry(loosePhrase(sentence)).wait === undefined) {
    return `${status} ${sentence}${retryAfter === undefined ? "" : `, retry after ${retryAfter}`}`;
  }
  return { status: String(status), sentence, ...(retryAfter === undefined ? {} : { "retry after": retryAfter }) };
}

function treeOfShape(shape: Json): Tree {
  if (Array.isArray(shape)) return shape.map(treeOfShape);
  if (typeof shape !== "object" || shape === null) return String(shape);
  return Object.fromEntries(Object.entries(shape).map(([key, value]) => [key, treeOfShape(value)]));
}
