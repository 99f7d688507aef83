/**
 * Reports a reference in a unique value that the deletion of another record clears: two records could then have the same
 * value.
 */
import { reachOf } from "../../../expression/reach.ts";
import type { Check } from "../../analysis/finding.ts";
import type { DocumentIndex } from "../../analysis/document-index.ts";
import { fieldsOf, lookup } from "../fields.ts";

export const check: Check = {
  code: "resources/clear-may-clash",
  severity: "error",
  why: "Deleting the referenced record could leave two records that break a uniqueness rule.",
  *run(documentIndex) {
    const { model } = documentIndex;
    for (const resource of Object.keys(model.resources.resources)) {
      const fields = fieldsOf(model, resource);
      for (const [name, { marks }] of Object.entries(fields)) {
        const cleared = marks.includes("unique") ? clearedIn(documentIndex, resource, name) : undefined;
        if (cleared !== undefined) yield { at: `resources/${resource}/${name}#key`, ...computedFrom(name, cleared) };
      }
      for (const [index, rule] of (lookup(model.resources.rules, resource) ?? []).entries()) {
        if (rule.kind !== "unique") continue;
        const path = `resources/rules/${resource}/${index}`;
        const reference = rule.fields.find((name) => lookup(fields, name)?.marks.includes("clear"));
        if (rule.absent === "equal" && reference !== undefined) {
          const line = `unique ${rule.fields.join(" + ")}`;
          yield {
            at: `${path}/absent`,
            message: `\`${reference}\` is cleared when the referenced record is deleted, and two records could then break the rule`,
            help: `leave the mark \`clear\` out, so that the deletion is rejected; write \`delete with\`; or write \`${line}, absent distinct\``,
          };
        }
        for (const name of rule.fields) {
          const cleared = clearedIn(documentIndex, resource, name);
          if (cleared !== undefined) yield { at: `${path}/unique/${name}`, ...computedFrom(name, cleared) };
        }
      }
    }
  },
};

/** Returns the reference marked `clear` from which a field is computed. */
function clearedIn({ model, typed }: DocumentIndex, resource: string, name: string): string | undefined {
  const expression = typed.get(`resources/${resource}/${name}/computed`);
  if (expression === undefined) return undefined;
  const fields = fieldsOf(model, resource);
  return reachOf(expression).local.find((one) => lookup(fields, one)?.marks.includes("clear"));
}

function computedFrom(name: string, cleared: string): { readonly message: string; readonly help: string } {
  return {
    message: `\`${name}\` is computed from \`${cleared}\`, which is cleared when the referenced record is deleted, and two records could then have the same value`,
    help: `leave the mark \`clear\` of \`${cleared}\` out, so that the deletion is rejected; write \`delete with\`; or compute \`${name}\` without it`,
  };
}
