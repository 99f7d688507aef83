/** Which records can ever be deleted; only for these the server has to check references. */
import { reachableFrom } from "../analysis/document-index.ts";
import { fieldsOf, lookup, referenceOf } from "../resources/fields.ts";
import type { Model } from "../model.ts";
import { resourceEndpoints } from "./resolve.ts";

/** Whether an operation or a timer deletes records of the resource, or records that it is deleted with. */
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
      resourceEndpoints(model).some(({ endpoint }) => endpoint.unlink?.in === name),
  );
}
