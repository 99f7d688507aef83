/** A short code that callers can try as often as they like. */
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
      // A limit per user or address only slows down one of many.
      if ((documentIndex.model.limits.rate?.[operation] ?? []).some(({ per }) => per !== "user" && per !== "ip"))
        continue;
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

/** Whether there are so few values that all of them can be tried in some months of a script. */
function isShort(field: Field | undefined): boolean {
  if (field === undefined) return false;
  if (field.default?.kind === "digits") return field.default.length < 12;
  if (field.default?.kind === "token") return field.default.length < 8;
  const bare = bareType(field.type);
  return bare.kind === "scalar" && bare.name === "string" && bare.max !== undefined && bare.max < 8;
}
