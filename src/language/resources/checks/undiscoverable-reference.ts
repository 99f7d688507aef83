/** Reports an operation that needs an id which its callers cannot find with any operation. */
import { withArticle } from "../../../base/case.ts";
import { includes } from "../../authentication/grants.ts";
import type { Grant } from "../../authentication/model.ts";
import { hiddenFromAll } from "../../authentication/visible.ts";
import { inputOf } from "../../endpoints/input.ts";
import { allowedTo, type DocumentIndex, declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { fieldsOf, hasClientId, referenceOf } from "../fields.ts";

export const check: Check = {
  code: "resources/undiscoverable-reference",
  severity: "warning",
  why: "Its callers cannot find the id that it needs.",
  *run(documentIndex) {
    if (!declares(documentIndex, "endpoints", "authentication") || documentIndex.hasHandlers) return;
    const finders = findersOf(documentIndex);
    for (const resolved of documentIndex.endpoints.values()) {
      if (resolved.kind !== "resource") continue;
      for (const { name, field, required } of inputOf(documentIndex.model, resolved)) {
        const target = required ? referenceOf(documentIndex.model, field.type) : undefined;
        if (target === undefined || hasClientId(documentIndex.model, target)) continue;
        const callers = allowedTo(documentIndex, resolved.operation);
        // If callers may not see the records, finding an id would not help them, so nothing is reported.
        if (hiddenFromAll(documentIndex.model, callers, target) !== undefined) continue;
        const lost = callers.find(({ who }) => !(finders.get(target) ?? []).some((finder) => includes(finder, who)));
        if (lost === undefined) continue;
        const who = lost.who.kind === "role" ? lost.who.role : lost.who.kind;
        const inputPath = `endpoints/endpoints/${resolved.operation}/takes/${name}`;
        yield {
          at: documentIndex.places.has(inputPath) ? inputPath : `authentication/allow/${resolved.operation}#key`,
          message: `\`${resolved.operation}\` needs the \`${name}\`, but \`${who}\` has no operation to find ${withArticle(target)}`,
          help: `allow \`${who}\` an operation that lists or creates ${target}`,
        };
      }
    }
  },
};

/** Returns, by resource, the callers who can learn its ids: from its list, its creation, or records that refer to it. */
function findersOf(documentIndex: DocumentIndex): ReadonlyMap<string, readonly Grant["who"][]> {
  const finders = new Map<string, Grant["who"][]>();
  const add = (resource: string, operation: string): void => {
    const found = finders.get(resource) ?? [];
    finders.set(resource, found);
    for (const { who } of allowedTo(documentIndex, operation)) found.push(who);
  };
  for (const [resource, endpoints] of documentIndex.endpointsOf) {
    const fields = Object.entries(fieldsOf(documentIndex.model, resource));
    const targets = new Set(
      fields.flatMap(([name, field]) => {
        const hidden = Object.hasOwn(documentIndex.model.authentication.show, `${resource}.${name}`);
        const target = hidden ? undefined : referenceOf(documentIndex.model, field.type);
        return target === undefined || target === resource ? [] : [target];
      }),
    );
    for (const { action, operation } of endpoints) {
      if (action === "list" || action === "create") add(resource, operation);
      if (action === "list" || action === "read") for (const target of targets) add(target, operation);
    }
  }
  return finders;
}
