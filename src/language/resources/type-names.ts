/** Where a document names a resource or an entry of `types:` as the type of something. */
import { onceForModel } from "../analysis/per-model.ts";
import { references } from "../analysis/references.ts";
import type { Model } from "../model.ts";

export interface NamedUse {
  readonly name: string;
  /** A path as in `SourceLocations`. */
  readonly at: string;
  /** The resource or type whose field it is, where it is one's. */
  readonly enclosing?: string;
  /** Whether a name from `schemas:` is allowed there. */
  readonly schemas?: true;
  /** Whether a name from `views:` may. */
  readonly views?: true;
}

export const namedTypes: (model: Model) => readonly NamedUse[] = onceForModel((model) =>
  references(model).flatMap(({ at, form, kinds, name }): NamedUse[] => {
    // Parameters of queries and filters are scalars.
    const isType = form === "value" && kinds.includes("type");
    if (!isType || /^endpoints\/endpoints\/[^/]+\/(query|filters)\//.test(at)) return [];
    const [, enclosing] = /^resources\/(?:types\/)?([A-Z][^/]*)\//.exec(at) ?? [];
    return [
      {
        name,
        at: at.startsWith("events/") ? `${at}#value` : at,
        ...(enclosing === undefined ? {} : { enclosing }),
        ...(/^endpoints\/endpoints\/[^/]+\/wire\//.test(at) && { schemas: true }),
        ...(/^(resources\/views|endpoints\/endpoints\/[^/]+\/takes)\//.test(at) && { views: true }),
      },
    ];
  }),
);
