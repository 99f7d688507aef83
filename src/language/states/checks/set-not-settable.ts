/** A move that sets what cannot be set. */
import type { TypedExpression } from "../../../expression/typed.ts";
import type { Check } from "../../analysis/finding.ts";
import type { Field } from "../../resources/model.ts";
import { fieldsOf, lookup } from "../../resources/fields.ts";

export const check: Check = {
  code: "states/set-not-settable",
  severity: "error",
  why: "An id never changes, a computed field has the value of its expression, and only the hash of a secret is stored.",
  *run({ model, transitions, typed }) {
    for (const { resource, trigger, at } of transitions) {
      for (const name of Object.keys(trigger.set ?? {})) {
        const field = lookup(fieldsOf(model, resource), name);
        if (field === undefined) continue;
        const found = notSettable(name, field, typed.get(`${at}/set/${name}`));
        if (found !== undefined) yield { at: `${at}/set/${name}#key`, ...found };
      }
    }
  },
};

function notSettable(
  name: string,
  { computed, marks }: Pick<Field, "computed" | "marks">,
  expression: TypedExpression | undefined,
): { readonly message: string; readonly help?: string } | undefined {
  const no = (why: string): { readonly message: string } => ({ message: `A transition cannot set this: ${why}` });
  if (name === "id") return no("the id of a record never changes");
  if (computed !== undefined) return no(`\`${name}\` is computed`);
  const clears = expression?.kind === "constant" && expression.value === null;
  if (!marks.includes("secret") || expression === undefined || clears) return undefined;
  // Hashing is slow, and done before the transaction in which expressions are evaluated.
  return {
    ...no(`\`${name}\` is a secret: only its hash may be stored, and an expression would store the text itself`),
    help: `take \`${name}\` in the body of an update (\`PATCH\`), or clear it with \`null\``,
  };
}
