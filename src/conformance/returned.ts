/** What the responses of an operation contain: records and views, with the fields of each, whatever is around them. */
import type { Shape } from "../language/endpoints/shape.ts";
import type { Model } from "../language/model.ts";
import { fieldsOf, lookup, nestedView, unexpandedType } from "../language/resources/fields.ts";

export interface Returned {
  /** The resource of the record, or of which the view is one. */
  readonly resource: string;
  /** Absent for a record that is no view. */
  readonly view?: string;
  /** The fields, without those that a member of the view replaces. */
  readonly fields: readonly string[];
}

/** Returns the records and the views in a shape, each before those inside it. */
export function returnedIn(model: Model, shape: Shape | undefined): readonly Returned[] {
  switch (shape?.kind) {
    case "record":
      return [{ resource: shape.resource, fields: Object.keys(fieldsOf(model, shape.resource)) }];
    case "view":
      return viewsIn(model, shape.view, []);
    case "items":
      return returnedIn(model, shape.of);
    case "object":
      return Object.values(shape.members).flatMap((inner) => returnedIn(model, inner));
    default:
      return [];
  }
}

function viewsIn(model: Model, view: string, around: readonly string[]): readonly Returned[] {
  const definition = lookup(model.resources.views ?? {}, view);
  if (definition === undefined || around.includes(view)) return [];
  const { of, fields = [], members = {} } = definition;
  const inner = Object.values(members).flatMap((member) => {
    const nested = nestedView(model, unexpandedType(model, member));
    return nested === undefined ? [] : viewsIn(model, nested.view, [...around, view]);
  });
  return [{ resource: of, view, fields: fields.filter((name) => lookup(members, name) === undefined) }, ...inner];
}
