/** Reports a `link` whose record cannot be created or found from its `with`. */
import { withArticle } from "../../../base/case.ts";
import type { Finding, Check } from "../../analysis/finding.ts";
import { fieldsOf, isNullable, isStored, lookup } from "../../resources/fields.ts";
import type { Model } from "../../model.ts";
import type { Association } from "../model.ts";

export const check: Check = {
  code: "endpoints/link-misplaced",
  severity: "error",
  why: "`link` creates a record once and finds the same record the next time.",
  *run({ endpoints, model }) {
    for (const { operation, endpoint } of endpoints.values()) {
      for (const word of ["link", "unlink"] as const) {
        const link = endpoint[word];
        if (link !== undefined) yield* findingsOf(model, link, `endpoints/endpoints/${operation}/${word}`, word);
      }
    }
  },
};

function* findingsOf(
  model: Model,
  { in: resource, with: values }: Association,
  at: string,
  word: string,
): Iterable<Finding> {
  if (lookup(model.resources.resources, resource) === undefined) return;
  const fields = fieldsOf(model, resource);
  for (const name of Object.keys(values)) {
    const field = lookup(fields, name);
    if (field === undefined)
      yield {
        at: `${at}/with/${name}#key`,
        message: `${resource} has no field \`${name}\``,
        unknown: { name, known: Object.keys(fields) },
      };
    else if (name === "id" || !isStored(field) || field.computed !== undefined || field.marks.includes("secret"))
      yield {
        at: `${at}/with/${name}#key`,
        message: `\`${name}\` of ${withArticle(resource)} cannot be set by a caller`,
      };
  }
  if (Object.keys(values).length === 0)
    yield {
      at: `${at}/with`,
      message: "Without values, `link` matches every record",
      help: "write `{ by: caller.id, of: id }`",
    };
  if (word === "unlink") return;
  const lacking = Object.entries(fields).find(([name, field]) => {
    const isSet = Object.hasOwn(values, name) || field.default !== undefined || field.computed !== undefined;
    return name !== "id" && !isSet && !isNullable(field);
  });
  if (lacking !== undefined)
    yield {
      at: `${at}/with`,
      message: `\`link\` does not set \`${lacking[0]}\`, which every ${resource} needs`,
      help: `set it here, or write \`${lacking[0]}?\` or a default in part 2`,
    };
}
