/** Checks ids: reports those that cannot identify records, and two with the same prefix. */
import type { Check } from "../../analysis/finding.ts";
import { bareType, lookup } from "../fields.ts";
import type { Field, FieldType, Resources } from "../model.ts";

/**
 * Reports an id that cannot identify records: it is never set, it is the same for all records, or a path cannot contain it.
 */
const idUnusable: Check = {
  code: "resources/id-unusable",
  severity: "error",
  why: "Paths and references name a record by its id.",
  *run({ model }) {
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      const { id } = fields;
      const reason = id === undefined ? undefined : reasonOf(model.resources, id);
      if (reason === undefined) continue;
      yield {
        at: `resources/${resource}/id`,
        message: `\`id\` ${reason}, so it cannot name ${resource} records`,
        help: `write \`id: id(${resource.toLowerCase().slice(0, 3)})\` for an id that the server generates, \`id: string(1..40)\` for one that callers send`,
      };
    }
  },
};

function reasonOf(resources: Resources, { computed, default: made, optional, type }: Field): string | undefined {
  if (computed !== undefined) return "is computed";
  if (optional || type.kind === "nullable") return "may be absent";
  const of = type.kind === "id" ? type.of : type;
  if (of === undefined) return undefined;
  if (of.kind === "nullable") return "may be absent";
  if (made?.kind === "literal") return "has the same default in every record";
  const isMade = type.kind === "id" && type.made === "server";
  if (isMade && made === undefined && !(of.kind === "scalar" && of.name === "uuid"))
    return "is read-only, and nothing sets it";
  return hasOneSpelling(resources, of) ? undefined : "has more than one spelling in a path";
}

function hasOneSpelling({ types }: Resources, type: FieldType): boolean {
  const bare = bareType(type);
  switch (bare.kind) {
    case "scalar":
      return !["boolean", "datetime", "json", "money"].includes(bare.name);
    case "one-of":
    case "id":
      return true;
    case "named":
      return lookup(types, bare.name) === undefined;
    default:
      return false;
  }
}

/** Reports two resources whose ids have the same prefix. */
const sameIdPrefix: Check = {
  code: "resources/same-id-prefix",
  severity: "warning",
  why: "A prefix shows which resource an id belongs to, in a log or in a wrong field.",
  *run({ model }) {
    const first = new Map<string, string>();
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      const type = lookup(fields, "id")?.type;
      const prefix = type?.kind === "id" ? type.prefix : undefined;
      if (prefix === undefined) continue;
      const before = first.get(prefix);
      if (before === undefined) first.set(prefix, resource);
      else {
        yield {
          at: `resources/${resource}/id`,
          message: `The ids of ${resource} and of ${before} both start with \`${prefix}_\``,
          help: "give each resource its own prefix",
        };
      }
    }
  },
};

export const checks: readonly Check[] = [idUnusable, sameIdPrefix];
