/** Finds the places where a document names a resource or an entry of `types:` as a type. */
import { onceForModel } from "../analysis/per-model.ts";
import { references } from "../analysis/references.ts";
import type { Model } from "../model.ts";

export interface NamedUse {
  readonly name: string;
  /** The path of the name, as in `SourceLocations`. */
  readonly at: string;
  /** The resource or type that has the field with this type; absent outside fields. */
  readonly enclosing?: string;
  /** Whether a name from `schemas:` is allowed at this place. */
  readonly schemas?: true;
  /** Whether a name from `views:` is allowed at this place. */
  readonly views?: true;
}

export const namedTypes: (model: Model) => readonly NamedUse[] = onceForModel((model) =>
  references(model).flatMap(({ at, form, kinds, name }): NamedUse[] => {
    // Query parameters and filters have scalar types, so names there are not types.
    const isType = form === "value" && kinds.includes("type");
    if (!isType || /^endpoints\/endpoints\/[^/]+\/(query|filters)\//.test(at)) return [];
    const [, enclosing] = /^resources\/(?:types\/)?([A-Z][^/]*)\//.exec(at) ?? [];
    return [
      {
        name,
        at: at.startsWith("events/") ? `${at}#value` : at,
        ...(enclosing === undefined ? {} : { enclosing }),
        ...(/^(?:endpoints\/endpoints\/[^/]+|events)\/wire\//.test(at) && { schemas: true }),
        ...(/^(resources\/views|endpoints\/endpoints\/[^/]+\/takes)\//.test(at) && { views: true }),
      },
    ];
  }),
);
