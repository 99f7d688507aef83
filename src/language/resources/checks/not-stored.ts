/** Reports a field that is computed when the record is read, where only a stored field can be. */
import { withArticle } from "../../../base/case.ts";
import type { DocumentIndex } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { furtherWriteSites } from "../../states/further-writes.ts";
import { fieldsOf, isStored, lookup } from "../fields.ts";

interface Use {
  /** The path of the statement. */
  readonly at: string;
  readonly resource: string;
  readonly field: string;
}

export const check: Check = {
  code: "resources/not-stored",
  severity: "error",
  why: "The database knows no value of the field, so a timer would never fire, an order would mean nothing, and two records could be alike.",
  *run(documentIndex) {
    for (const { at, resource, field } of usesOf(documentIndex)) {
      const found = lookup(fieldsOf(documentIndex.model, resource), field);
      if (found === undefined || isStored(found)) continue;
      yield {
        at,
        message: `\`${field}\` is computed when ${withArticle(resource)} is read, and this needs a stored field`,
        help: `add \`sort\` to \`${field}\` if its expression reads only fields of ${resource}, or \`set\` a field in a transition`,
      };
    }
  },
};

/** Returns the fields that timers, retention, unique rules and selections name. */
function usesOf({ model, transitions }: DocumentIndex): readonly Use[] {
  const timers = transitions.flatMap(({ at, resource, trigger: { on, sort } }): readonly Use[] => [
    ...(on.kind === "at" ? [{ at: `${at}/at`, resource, field: on.field }] : []),
    ...(sort === undefined ? [] : [{ at: `${at}/sort`, resource, field: nameIn(sort) }]),
  ]);
  const writes = furtherWriteSites(model).flatMap(({ at, write: { resource, sort } }): readonly Use[] =>
    sort === undefined ? [] : [{ at: `${at}/sort`, resource, field: nameIn(sort) }],
  );
  const kept = Object.entries(model.limits.keep ?? {}).map(([resource, { after }]) => ({
    at: `limits/keep/${resource}`,
    resource,
    field: after,
  }));
  const unique = Object.entries(model.resources.rules).flatMap(([resource, rules]) =>
    rules.flatMap((rule, index) =>
      (rule.kind === "unique" ? rule.fields : []).map((field) => ({
        at: `resources/rules/${resource}/${index}/unique/${field}`,
        resource,
        field,
      })),
    ),
  );
  return [...timers, ...writes, ...kept, ...unique];
}

function nameIn(sort: string): string {
  return sort.replace(/^-/, "");
}
