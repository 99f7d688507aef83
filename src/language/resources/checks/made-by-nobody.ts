/** Reports a generated value in a place where the server generates none. */
import type { Check } from "../../analysis/finding.ts";
import { bareType, type FieldSite, fieldSites } from "../fields.ts";

export const check: Check = {
  code: "resources/made-by-nobody",
  severity: "error",
  why: "The server generates ids and defaults only for the fields of a resource, not for embedded values or bodies.",
  *run({ model }) {
    for (const site of fieldSites(model)) {
      const { at, name, field } = site;
      if (isMisplacedId(site)) {
        yield {
          at: `${at}/type`,
          message: `Nothing generates the id \`${name}\``,
          help: "only the field `id` of a resource is an id; to refer to another record write the name of its resource",
        };
      }
      const made = site.enclosing === "resource" || field.default?.kind === "literal" ? undefined : field.default;
      if (made === undefined) continue;
      yield {
        at: `${at}/default`,
        message: `Nothing generates a value for \`${name}\` here`,
        help: "write a literal, or give a field of the resource this default",
      };
    }
  },
};

function isMisplacedId({ enclosing, name, field }: FieldSite): boolean {
  return bareType(field.type).kind === "id" && !(enclosing === "resource" && name === "id");
}
