/** What `deed-read.ts` reads, printed: the canonical, shortest form. */
import type { Tree } from "../../document/print.ts";
import type { Below } from "../grammar/grammar.ts";
import { printFields, printFieldType, printTypeTree } from "../resources/field-print.ts";
import type { Endpoint, Filter, Link } from "./model.ts";

type Trees = Readonly<Record<string, Tree>>;

export function printDeed(
  { the, link, unlink, query, filters, if: guard, else: otherwise }: Endpoint,
  below: Below,
): Trees {
  return {
    ...(the === undefined ? {} : { the }),
    ...(link === undefined ? {} : { link: printLink(link) }),
    ...(unlink === undefined ? {} : { unlink: printLink(unlink) }),
    ...(query === undefined ? {} : { query: orNone(printFields(query, (...path) => below("query", ...path))) }),
    ...(filters === undefined
      ? {}
      : {
          filters: orNone(
            Object.fromEntries(
              Object.entries(filters).map(([name, filter]) => [name, printFilter(filter, below("filters", name))]),
            ),
          ),
        }),
    ...(guard === undefined ? {} : { if: guard }),
    ...(otherwise === undefined ? {} : { else: otherwise }),
  };
}

/** One status where that is all; with `map` always a map. */
export function printStatuses({ status, statuses }: Endpoint, map: boolean): Trees {
  if (statuses === undefined && !map) return status === undefined ? {} : { status: String(status) };
  const { created, same, accepted, differs, errors = {} } = statuses ?? {};
  const codes = Object.entries(errors).map(([code, one]) => [code, String(one)] as const);
  return {
    status: {
      ...(status === undefined ? {} : { given: String(status) }),
      ...(created === undefined ? {} : { created: String(created) }),
      ...(same === undefined ? {} : { same: String(same) }),
      ...(accepted === undefined
        ? {}
        : { accepted: accepted.if === undefined ? String(accepted.status) : `${accepted.status} if ${accepted.if}` }),
      ...(differs === undefined ? {} : { differs }),
      ...Object.fromEntries(codes),
    },
  };
}

function printLink({ in: resource, with: values }: Link): Tree {
  return { in: resource, with: orNone(values) };
}

function printFilter({ type, if: condition }: Filter, map: boolean): Tree {
  if (type === undefined && !map) return condition;
  return {
    ...(type === undefined ? {} : { type: type.kind === "schema" ? printTypeTree(type) : printFieldType(type) }),
    if: condition,
  };
}

function orNone(tree: Trees): Tree {
  return Object.keys(tree).length === 0 ? "none" : tree;
}
