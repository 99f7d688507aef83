/** A query parameter of which it is not known what values it takes. */
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { filterScope } from "../../analysis/expressions.ts";
import { bareType } from "../../resources/fields.ts";
import { filterType, isOneValue } from "../filter-type.ts";

export const check: Check = {
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
        else if (!isOneValue(model, type)) yield { at: `${at}/filters/${name}`, ...notOne(name) };
      }
      for (const [name, { type, computed, marks }] of Object.entries(endpoint.query ?? {})) {
        if (!isOneValue(model, bareType(type))) yield { at: `${at}/query/${name}`, ...notOne(name) };
        else if (computed === undefined && marks.length > 0)
          yield {
            at: `${at}/query/${name}`,
            message: `\`${name}\` is a parameter, not a stored field: the mark \`${marks[0]}\` does not apply`,
          };
      }
    }
  },
};

function notOne(name: string) {
  return {
    message: `A value of \`${name}\` cannot be part of an address`,
    help: "use text, a number, a date or time, `boolean`, an enumeration, or a reference",
  };
}
