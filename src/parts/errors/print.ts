/** Part 7, printed: the shortest form that reads back as the same. */
import { jsonTree, type Tree } from "../../document/print.ts";
import { loosePhrase } from "../phrase.ts";
import type { DeclaredError, ErrorBody, Errors } from "./model.ts";
import { type Below, nothingBelow } from "../resources/field-print.ts";
import { splitRetry } from "./read.ts";

export function printErrors(part: Errors, below: Below = nothingBelow): Tree {
  const { body, bodies, status, codes, messages, standard, errors } = part;
  const lines = linesOf(errors, (error, code) => printError(error, below("errors", code)));
  return {
    ...(body === undefined ? {} : { body: printBody(body) }),
    ...(bodies === undefined ? {} : { bodies: linesOf(bodies, printBody) }),
    ...(status === undefined ? {} : { status: linesOf(status, String) }),
    ...(codes === undefined ? {} : { codes }),
    ...(messages === undefined ? {} : { messages }),
    ...(standard === undefined ? {} : { standard: standard.length === 0 ? "none" : standard }),
    ...(Object.keys(errors).length === 0 ? {} : { errors: lines }),
  };
}

function linesOf<Value>(
  values: Readonly<Record<string, Value>>,
  print: (value: Value, key: string) => Tree,
): Readonly<Record<string, Tree>> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, print(value, key)]));
}

function printBody(body: ErrorBody): Tree {
  return typeof body === "string" ? body : jsonTree(body.shape);
}

/** On one line, but where the sentence itself ends like one that says when to try again; with `map` always as a map. */
function printError({ status, sentence, retryAfter }: DeclaredError, map: boolean): Tree {
  if (!map && splitRetry(loosePhrase(sentence)).wait === undefined) {
    return `${status} ${sentence}${retryAfter === undefined ? "" : `, retry after ${retryAfter}`}`;
  }
  return { status: String(status), sentence, ...(retryAfter === undefined ? {} : { "retry after": retryAfter }) };
}
