/** What only the server makes, in a place where it makes nothing. */
import type { Check } from "../../analysis/finding.ts";
import { bareType, type FieldSite, fieldSites } from "../fields.ts";

export const check: Check = {
  code: "resources/made-by-nobody",
  severity: "error",
  why: "The server makes ids of records and defaults of their fields; a value inside a value, or in a body, is its sender's.",
  *run({ model }) {
    for (const site of fieldSites(model)) {
      const { at, name, field } = site;
      if (isMisplacedId(site)) {
        yield {
          at: `${at}/type`,
          message: `Nobody makes the id \`${name}\``,
          help: "only the field `id` of a resource is an id; to refer to another record write the name of its resource",
        };
      }
      const made = site.enclosing === "resource" || field.default?.kind === "literal" ? undefined : field.default;
      if (made === undefined) continue;
      yield {
        at: `${at}/default`,
        message: `Nobody makes a value of \`${name}\` here`,
        help: "write a literal, or give a field of the resource this default",
      };
    }
  },
};

function isMisplacedId({ enclosing, name, field }: FieldSite): boolean {
  return bareType(field.type).kind === "id" && !(enclosing === "resource" && name === "id");
}
