/** The model: the nine parts together as one typed, plain, serialisable value. */
import type { Span } from "../base/span.ts";
import type { Authentication } from "./authentication/model.ts";
import type { Endpoints } from "./endpoints/model.ts";
import type { Errors } from "./errors/model.ts";
import type { Events } from "./events/model.ts";
import type { Limits } from "./limits/model.ts";
import type { Purpose } from "./purpose/model.ts";
import type { Resources } from "./resources/model.ts";
import type { States } from "./states/model.ts";
import type { Versioning } from "./versioning/model.ts";

/** The nine parts, in the order of the document. */
export const partNames = [
  "purpose", "resources", "states", "endpoints", "authentication", "events", "errors", "limits", "versioning",
] as const; // biome-ignore format: a table

export type PartName = (typeof partNames)[number];

/**
 * The status of a part: `shown` (a block defines it), `none` (its block is the word `none`), `not shown` (its prose declares
 * it open), `silent` (it has neither).
 */
export type PartStatus = "shown" | "none" | "not shown" | "silent";

export interface Model {
  readonly title?: string;
  readonly status: Readonly<Record<PartName, PartStatus>>;
  readonly purpose: Purpose;
  readonly resources: Resources;
  readonly states: States;
  readonly endpoints: Endpoints;
  readonly authentication: Authentication;
  readonly events: Events;
  readonly errors: Errors;
  readonly limits: Limits;
  readonly versioning: Versioning;
  /** The paths of the statements that are `not shown`, as in `SourceLocations`, in the document's order. */
  readonly gaps: readonly string[];
}

/**
 * The location of each statement, by path: keys as written in the document, joined by `/`, beginning with the part's name
 * (`resources/Parcel/locker`, `states/Parcel/moves/stored -> expired`, `authentication/allow/dropOff`). A path alone has the
 * span of key and value; with `#key` that of the key, with `#value` that of the value. The name of a part has the span of its
 * heading. An expression has the path of the member that contains its text, with `#value`.
 *
 * A one-line form has the same paths as its map form, each member with the span of its own words:
 * `resources/Parcel/pickupCode/type`, `…/default`, `…/computed`; `resources/rules/Parcel/0/else`;
 * `endpoints/endpoints/addSite/at`. Items of a list count from 0, and a single item without brackets is item 0. An optional
 * field has two paths, its name with and without `?`; a transition also has one with its `transitionName`, and its triggers
 * are items (`states/Parcel/moves/announced -> cancelled/1/after#value`).
 */
export interface SourceLocations {
  get(path: string): Span | undefined;
  has(path: string): boolean;
  /** Returns the paths as written, without `#key` and `#value`, in the order of the parts. */
  keys(): Iterable<string>;
}
