/** Reports a short code that callers can try without limit. */
import { provedFields } from "../../authentication/input-guard.ts";
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { bareType, fieldsOf, lookup } from "../../resources/fields.ts";
import type { Field } from "../../resources/model.ts";

export const check: Check = {
  code: "limits/code-guessable",
  severity: "warning",
  why: "A caller who may try all codes finds the right one: a script needs some minutes for six digits.",
  *run(documentIndex) {
    if (!declares(documentIndex, "limits")) return;
    for (const [operation, transitions] of documentIndex.transitionsBy) {
      // A limit per user or address does not stop guessing: an attacker can use many of them.
      const rates = lookup(documentIndex.model.limits.rate ?? {}, operation) ?? [];
      if (rates.some(({ per }) => per !== "user" && per !== "ip")) continue;
      for (const { guard, resource, at } of transitions) {
        const fields = fieldsOf(documentIndex.model, resource);
        const code = guard && provedFields(guard).find((name) => isShort(lookup(fields, name)));
        if (code === undefined) continue;
        yield {
          at: `${at}/if`,
          message: `\`${operation}\` lets callers try every possible \`${code}\``,
          help: `write \`${operation}: 5/15min per ${resource}\` below \`rate\` of part 8`,
        };
      }
    }
  },
};

/** Whether a field has so few possible values that a script could try all of them in a few months. */
function isShort(field: Field | undefined): boolean {
  if (field === undefined) return false;
  if (field.default?.kind === "digits") return field.default.length < 12;
  if (field.default?.kind === "token") return field.default.length < 8;
  const bare = bareType(field.type);
  return bare.kind === "scalar" && bare.name === "string" && bare.max !== undefined && bare.max < 8;
}
