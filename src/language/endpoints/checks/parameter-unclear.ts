/** A query parameter of which it is not known what values it takes. */
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { filterScope } from "../../analysis/expressions.ts";
import { bareType } from "../../resources/fields.ts";
import { filterType, isOneValue } from "../filter-type.ts";

export const check: Check = {
  code: "endpoints/parameter-unclear",
  severity: "error",
  why: "What is in an address is judged before it is asked of any record.",
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
            message: `Nothing says what values \`${name}\` takes`,
            help: `write \`${name}: { type: string, if: ${filter.if} }\``,
          };
        else if (!isOneValue(model, type)) yield { at: `${at}/filters/${name}`, ...notOne(name) };
      }
      for (const [name, { type, computed, marks }] of Object.entries(endpoint.query ?? {})) {
        if (!isOneValue(model, bareType(type))) yield { at: `${at}/query/${name}`, ...notOne(name) };
        else if (computed === undefined && marks.length > 0)
          yield {
            at: `${at}/query/${name}`,
            message: `\`${name}\` is asked and not kept: \`${marks[0]}\` says nothing of it`,
          };
      }
    }
  },
};

function notOne(name: string) {
  return {
    message: `A value of \`${name}\` cannot stand in an address`,
    help: "let it be a text, a number, a moment, `boolean`, words, or a reference",
  };
}
