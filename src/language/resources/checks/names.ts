/** Checks the names of resources and fields. */
import { plural, snakeCase } from "../../../base/case.ts";
import type { Check } from "../../analysis/finding.ts";
import { fieldSites, fieldsOf } from "../fields.ts";

/** A regular expression for columns that the store adds to each record. */
const reserved = /^_(?:seq|rev|due|entered|json[0-9]*)$/;

/** Reports a resource or a field with a name that is already used for something else. */
const reservedName: Check = {
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

/** Reports a field named `state`, which every record with states already has. */
const fieldNamedState: Check = {
  code: "resources/field-named-state",
  severity: "error",
  why: "The service stores the state of a record (part 3) as `state`, and only transitions may change it.",
  *run({ model, lives }) {
    for (const { resource } of lives) {
      if (!Object.hasOwn(fieldsOf(model, resource), "state")) continue;
      yield {
        at: `resources/${resource}/state`,
        message: `${resource} has states and also declares a field \`state\``,
        help: "remove the field: the state is a read-only, filterable member anyway",
      };
    }
  },
};

/** Reports fields whose names are spelled in two styles. */
const mixedNameStyles: Check = {
  code: "resources/mixed-name-styles",
  severity: "hint",
  why: "Callers have to look up each name, because they cannot guess its spelling.",
  *run({ model }) {
    let first: { readonly style: "camelCase" | "snake_case"; readonly name: string } | undefined;
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      for (const name of Object.keys(fields)) {
        const style = /[a-z][A-Z]/.test(name) ? "camelCase" : /[a-z]_[a-z]/.test(name) ? "snake_case" : undefined;
        if (style === undefined) continue;
        first ??= { style, name };
        if (first.style === style) continue;
        yield {
          at: `resources/${resource}/${name}#key`,
          message: `\`${name}\` is written in ${style}, \`${first.name}\` in ${first.style}`,
        };
        return;
      }
    }
  },
};

/** Reports an existing table that two resources name, or that the store makes itself. */
const tableTwice: Check = {
  code: "resources/table-taken",
  severity: "error",
  why: "A row is one record of one resource, and tables that begin with `nonet_` or `sqlite_` are not data of the service.",
  *run({ model }) {
    const first = new Map<string, string>();
    for (const [resource, { name }] of Object.entries(model.resources.tables ?? {})) {
      const at = `resources/tables/${resource}/name`;
      const other = first.get(name);
      if (other !== undefined)
        yield {
          at,
          message: `${resource} and ${other} name one table, \`${name}\``,
          help: "keep one of the two resources",
        };
      else if (/^(?:nonet|sqlite)_/i.test(name))
        yield { at, message: `\`${name}\` is a table of the store itself`, help: "name a table of another program" };
      first.set(name, resource);
    }
  },
};

export const checks: readonly Check[] = [reservedName, fieldNamedState, mixedNameStyles, tableTwice];
