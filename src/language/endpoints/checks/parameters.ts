/** Reports query parameters with a reserved name or without a type. */
import { declares } from "../../analysis/document-index.ts";
import { filterScope } from "../../analysis/expressions.ts";
import type { Check } from "../../analysis/finding.ts";
import { isForParameters } from "../../resources/checks/modifiers.ts";
import { bareType } from "../../resources/fields.ts";
import type { FieldType, Modifier } from "../../resources/model.ts";
import { filterType, isFilterValue, isParameterValue } from "../filter-type.ts";
import { inputOf } from "../input.ts";
import { type Endpoints, listingActions } from "../model.ts";
import { type ResourceEndpoint, styleOf } from "../resolve.ts";

/** Reports a query parameter with a name that has another meaning in requests. */
const reservedParameter: Check = {
  code: "endpoints/parameter-taken",
  severity: "error",
  why: "The service could not tell which of the two a request means.",
  *run({ endpoints, model }) {
    for (const resolved of endpoints.values()) {
      if (resolved.kind !== "resource") continue;
      const { operation, endpoint } = resolved;
      const expand = styleOf(model.endpoints, endpoint, "expand") ?? "none";
      const fields = styleOf(model.endpoints, endpoint, "fields") ?? "none";
      const selecting = [expand === "none" ? expand : expand.name, fields].filter((name) => name !== "none");
      const localNames = new Set([
        ...(listingActions.has(resolved.action) ? listParameters(model.endpoints, resolved) : []),
        ...selecting,
      ]);
      const inputNames = new Set(endpoint.query === undefined ? [] : inputOf(model, resolved).map(({ name }) => name));
      for (const name of Object.keys(endpoint.filters ?? {}))
        if (localNames.has(name))
          yield { at: `endpoints/endpoints/${operation}/filters/${name}#key`, ...isReserved(name) };
      for (const name of Object.keys(endpoint.query ?? {})) {
        const other = localNames.has(name) || Object.hasOwn(endpoint.filters ?? {}, name);
        const at = `endpoints/endpoints/${operation}/query/${name}#key`;
        if (other) yield { at, ...isReserved(name) };
        else if (inputNames.has(name))
          yield {
            at,
            message: `\`input.${name}\` is already a member of the body`,
            help: "give one of them another name",
          };
      }
    }
  },
};

function isReserved(name: string) {
  return { message: `\`${name}\` is a parameter of the list already`, help: "give it another name" };
}

function listParameters({ lists }: Endpoints, { endpoint }: ResourceEndpoint): readonly (string | undefined)[] {
  const names = { ...lists?.names, ...endpoint.lists?.names };
  return [
    names.limit ?? "limit",
    names.cursor ?? "cursor",
    names.offset ?? "offset",
    names.page ?? "page",
    names.sort ?? "sort",
    names.search ?? "search",
    names.after,
    names.before,
    names.end,
    names.direction,
  ];
}

/** Reports a query parameter whose values have no type. */
const parameterUnclear: Check = {
  code: "endpoints/parameter-unclear",
  severity: "error",
  why: "The service validates the values in an address before it reads any record.",
  *run(documentIndex) {
    const { endpoints, model, typed } = documentIndex;
    if (!declares(documentIndex, "resources")) return;
    for (const resolved of endpoints.values()) {
      const { operation, endpoint } = resolved;
      const at = `endpoints/endpoints/${operation}`;
      for (const [name, filter] of Object.entries(endpoint.filters ?? {})) {
        if (resolved.kind !== "resource" || resolved.action !== "list" || !typed.has(`${at}/filters/${name}/if`))
          continue;
        const type = filterType(model, resolved, name, filter, filterScope(model, operation));
        if (type === undefined)
          yield {
            at: `${at}/filters/${name}`,
            message: `The parameter \`${name}\` has no type`,
            help: `write \`${name}: { type: string, if: ${filter.if} }\``,
          };
        else if (!isFilterValue(model, type)) yield { at: `${at}/filters/${name}`, ...notOne(name) };
      }
      for (const [name, { type, computed, marks }] of Object.entries(endpoint.query ?? {})) {
        const problem = computed === undefined ? modifierProblem(bareType(type), marks) : undefined;
        if (!isParameterValue(model, type)) yield { at: `${at}/query/${name}`, ...notOne(name) };
        else if (problem !== undefined)
          yield { at: `${at}/query/${name}`, message: `The parameter \`${name}\` ${problem}` };
      }
    }
  },
};

/** Why the modifiers do not apply to a parameter; undefined if they do. */
function modifierProblem({ kind }: FieldType, marks: readonly Modifier[]): string | undefined {
  const other = marks.find((modifier) => !isForParameters(modifier));
  if (other !== undefined) return `is no stored field: the mark \`${other}\` does not apply`;
  if (marks.length > 0 && kind !== "list") return `is no list: the mark \`${marks[0]}\` does not apply`;
  return marks.length > 1 ? "is `repeated` and has `brackets`: write one of the two" : undefined;
}

function notOne(name: string) {
  return {
    message: `A value of \`${name}\` cannot be part of an address`,
    help: "use text, a number, a date or time, `boolean`, an enumeration or a reference, or a list of them",
  };
}

export const checks: readonly Check[] = [reservedParameter, parameterUnclear];
