/** Finds the resources whose records can ever be deleted; the server checks references only for these. */
import { reachableFrom } from "../analysis/document-index.ts";
import { fieldsOf, lookup, referenceOf } from "../resources/fields.ts";
import type { Model } from "../model.ts";
import { furtherWriteSites } from "../states/further-writes.ts";
import { resourceEndpoints } from "./resolve.ts";

/** Whether an operation or a timer deletes records of the resource, or records with which they are deleted. */
export function isDeletable(model: Model, resource: string): boolean {
  const above = (name: string): readonly string[] =>
    Object.values(fieldsOf(model, name)).flatMap((field) => {
      const target = field.marks.includes("delete with") ? referenceOf(model, field.type) : undefined;
      return target === undefined ? [] : [target];
    });
  return [...reachableFrom(resource, above)].some(
    (name) =>
      lookup(model.limits.keep ?? {}, name)?.act === "delete" ||
      resourceEndpoints(model, name).some(({ action }) => action === "delete" || action === "clear") ||
      resourceEndpoints(model).some(({ endpoint }) => endpoint.unlink?.in === name) ||
      furtherWriteSites(model).some(({ write }) => write.kind === "delete" && write.resource === name),
  );
}
