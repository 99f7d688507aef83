/** Reports fields that neither callers nor the server can set. */
import { withArticle } from "../../../base/case.ts";
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { boundFields } from "../../endpoints/input.ts";
import { furtherWriteSites } from "../../states/further-writes.ts";
import { isNullable, isServerSet } from "../fields.ts";

/** Reports an optional field that neither callers nor the server can set: it is always absent. */
const optionalNeverSet: Check = {
  code: "resources/optional-never-set",
  severity: "warning",
  why: "The field would be absent from every record.",
  *run(documentIndex) {
    const { model, endpointsOf, hasHandlers, lifeOf } = documentIndex;
    if (hasHandlers || !declares(documentIndex, "states", "endpoints")) return;
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      const set = new Set(
        (lifeOf.get(resource)?.transitions ?? []).flatMap(({ trigger }) => Object.keys(trigger.set ?? {})),
      );
      for (const { write } of furtherWriteSites(model))
        if (write.resource === resource) for (const name of Object.keys({ ...write.with, ...write.set })) set.add(name);
      for (const { endpoint, parents } of endpointsOf.get(resource) ?? []) {
        for (const name of [...Object.keys(endpoint.choose ?? {}), ...parents.map((parent) => parent.field)])
          set.add(name);
      }
      for (const [name, field] of Object.entries(fields)) {
        const isSet = field.default !== undefined || field.computed !== undefined || set.has(name);
        if (!isServerSet(field) || isSet || !isNullable(field)) continue;
        yield {
          at: `resources/${resource}/${name}`,
          message: `Nothing sets \`${name}\``,
          help: `\`set\` it in a transition of part 3 or in \`also\`, give it a default, or drop \`read-only\``,
        };
      }
    }
  },
};

/** Reports a required field that neither callers nor the server can set. */
const requiredNeverSet: Check = {
  code: "resources/required-never-set",
  severity: "error",
  why: "The field is required and nothing sets it, so no record could ever be created.",
  *run({ model, endpointsOf, hasHandlers, places }) {
    if (hasHandlers) return;
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      const creating = (endpointsOf.get(resource) ?? []).filter(({ action }) => action === "create");
      const bound = creating.map((resolved) => ({
        operation: resolved.operation,
        names: boundFields(model, resolved),
      }));
      for (const [name, field] of Object.entries(fields)) {
        const isSet = field.default !== undefined || field.computed !== undefined || field.type.kind === "id";
        if (!isServerSet(field) || isSet || isNullable(field)) continue;
        // Another check reports an invalid `choose`.
        const lacking = bound.find(({ operation, names }) => {
          return !names.includes(name) && !places.has(`endpoints/endpoints/${operation}/choose/${name}`);
        });
        if (lacking === undefined) continue;
        yield {
          at: `resources/${resource}/${name}`,
          message: `Nothing sets \`${name}\` when \`${lacking.operation}\` creates ${withArticle(resource)}`,
          help: `give it a default, let \`choose\` find it, write \`${name}?\` if it is set later, or drop \`read-only\``,
        };
      }
    }
  },
};

export const checks: readonly Check[] = [optionalNeverSet, requiredNeverSet];
