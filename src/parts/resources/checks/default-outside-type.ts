/** A default that is no value of its field's type. */
import { bareType } from "../fields.ts";
import type { Check } from "../../finding.ts";
import { literalValue } from "../default-value.ts";
import type { FieldType } from "../model.ts";

export const check: Check = {
  code: "resources/default-outside-type",
  severity: "error",
  why: "Records would be stored with a value that the document itself refuses.",
  *run({ model }) {
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      for (const [name, field] of Object.entries(fields)) {
        if (field.default?.kind !== "literal") continue;
        const value = literalValue(model, field.type, field.default.text);
        const fault = value === undefined ? "its type" : rangeBroken(field.type, value);
        if (fault === undefined) continue;
        yield {
          at: `resources/${resource}/${name}/default`,
          message: `\`${field.default.text}\` is outside ${fault} of \`${name}\``,
          help: "write a default that callers could send as well",
        };
      }
    }
  },
};

/** What a value of the right kind is outside of, if of anything. */
function rangeBroken(type: FieldType, value: unknown): string | undefined {
  const bare = bareType(type);
  if (value === null) return undefined;
  if (bare.kind === "one-of") {
    return bare.open || bare.values.some((one) => one === value) ? undefined : `the values (${bare.values.join(", ")})`;
  }
  if (bare.kind !== "scalar" || (typeof value !== "number" && typeof value !== "string")) return undefined;
  const size = typeof value === "number" ? value : [...value].length;
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = bare;
  return size < min || size > max ? "the range" : undefined;
}
