/** A resource or a field by a name that something else has already. */
import { plural, snakeCase } from "../../../base/case.ts";
import type { Check } from "../../analysis/finding.ts";
import { fieldSites } from "../fields.ts";

/** Columns that the store adds to each record. */
const reserved = /^_(?:seq|rev|due|entered|json[0-9]*)$/;

export const check: Check = {
  code: "resources/name-taken",
  severity: "error",
  why: "The names would collide: SQL ignores capitals, and some names exist on every JavaScript object.",
  *run({ model }) {
    const help = "give it another name";
    for (const { at, name } of fieldSites(model)) {
      if (name in Object.prototype) yield { at, message: `\`${name}\` is a name of every JavaScript object`, help };
    }
    const tables = new Map<string, string>();
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      const table = snakeCase(plural(resource)).toLowerCase();
      const same = tables.get(table);
      if (/^(?:nonet|sqlite)_/.test(table)) {
        const message = `The table of ${resource}, \`${table}\`, starts like the store's own tables`;
        yield { at: `resources/${resource}`, message, help };
      } else if (same === undefined) tables.set(table, resource);
      else
        yield {
          at: `resources/${resource}`,
          message: `${resource} and ${same} would share one table, \`${table}\``,
          help,
        };
      const first = new Map<string, string>();
      for (const name of Object.keys(fields)) {
        const column = name.toLowerCase();
        const other = first.get(column);
        const at = `resources/${resource}/${name}`;
        if (reserved.test(column)) yield { at, message: `\`${name}\` is a name that the store uses itself`, help };
        else if (other === undefined) first.set(column, name);
        else yield { at, message: `\`${name}\` differs from \`${other}\` only in its capitals`, help };
      }
    }
  },
};
