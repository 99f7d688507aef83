/** A query parameter of which it is not known what values it takes. */
import { says } from "../../facts.ts";
import type { Check } from "../../finding.ts";
import { filterSurroundings } from "../../expressions.ts";
import { bareType } from "../../resources/fields.ts";
import { filterType, isOneValue } from "../filter-type.ts";

export const check: Check = {
  code: "endpoints/parameter-unclear",
  severity: "error",
  why: "What is in an address is judged before it is asked of any record.",
  *run(facts) {
    const { endpoints, model, typed } = facts;
    if (!says(facts, "resources")) return;
    for (const meaning of endpoints.values()) {
      const { operation, endpoint } = meaning;
      const at = `endpoints/endpoints/${operation}`;
      for (const [name, filter] of Object.entries(endpoint.filters ?? {})) {
        if (meaning.kind !== "resource" || meaning.deed !== "list" || !typed.has(`${at}/filters/${name}/if`)) continue;
        const type = filterType(model, meaning, name, filter, filterSurroundings(model, operation));
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
