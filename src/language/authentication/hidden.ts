/** Finds out whether a caller could learn the value of a field that `show` hides from that caller. */
import { parts, type TypedExpression } from "../../expression/typed.ts";
import type { DocumentIndex } from "../analysis/document-index.ts";
import { lookup } from "../resources/fields.ts";
import type { Model } from "../model.ts";
import { covers, nameOf } from "./grants.ts";
import type { Grant } from "./model.ts";

/** Returns the fields that an expression over a record of `resource` reads, as `Resource.field`. */
export function fieldsReadIn(typed: TypedExpression, resource: string): readonly string[] {
  const below = parts(typed).flatMap((part) => fieldsReadIn(part, resource));
  if (typed.kind === "field") return [`${resource}.${typed.name}`];
  if (typed.kind === "walk" || typed.kind === "item-field") return [...below, `${typed.resource}.${typed.name}`];
  return below;
}

/** Whether some callers see the record but not this field: `show` excludes them, or no response contains the field. */
export function isHidden({ model }: Pick<DocumentIndex, "model">, field: string): boolean {
  const [resource = "", name = ""] = field.split(".");
  const { marks = [] } = lookup(lookup(model.resources.resources, resource)?.fields ?? {}, name) ?? {};
  return (
    lookup(model.authentication.show, field) !== undefined || marks.includes("secret") || marks.includes("write-only")
  );
}

/** Returns the first of `grants` whose callers do not see the field; undefined if all of them see it. */
export function hiddenFrom({ model }: DocumentIndex, field: string, grants: readonly Grant[]): string | undefined {
  const seers = lookup(model.authentication.show, field);
  if (seers === undefined) return undefined;
  const blind = grants.find((grant) => !seers.some((seer) => alwaysCovers(model, seer, grant)));
  return blind && nameOf(blind);
}

/** Whether `seer` includes every caller that `grant` includes, for every record. */
function alwaysCovers(model: Model, seer: Grant, grant: Grant): boolean {
  return (seer.if === undefined || seer.if === grant.if) && covers(model, seer, grant);
}
