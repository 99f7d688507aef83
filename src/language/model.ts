/** The nine parts together: one typed, plain, serialisable value. */
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

/** The parts in the document's order; a closed set. */
export const partNames = [
  "purpose", "resources", "states", "endpoints", "authentication", "events", "errors", "limits", "versioning",
] as const; // biome-ignore format: a table

export type PartName = (typeof partNames)[number];

/**
 * The status of a part: `shown` (a block defines it), `none` (its block is the word none), `not shown` (its prose declares it
 * open), `silent` (nothing).
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
  /** The statements that are `not shown`: paths as in `SourceLocations`, in the document's order. */
  readonly gaps: readonly string[];
}

/**
 * Where each statement stands: by path of keys as written in the document, joined by `/`, the part's name first
 * (`resources/Parcel/locker`, `states/Parcel/moves/stored -> expired`, `authentication/allow/dropOff`). A path's own
 * entry covers key and value; `#key` after it the key alone, `#value` the value alone. A part's bare name gives its
 * heading. Expressions: the path of the member that holds the text, `#value`.
 *
 * A one-line form is placed as its map form would be, each member at its own words: `resources/Parcel/pickupCode/type`,
 * `…/default`, `…/computed`; `resources/rules/Parcel/0/else`; `endpoints/endpoints/addSite/at`; items of a list count
 * from 0, and a list of one that is written without brackets counts as item 0. An optional field stands under its name
 * with and without `?`, a move also under its `transitionName`, with its triggers as items
 * (`states/Parcel/moves/announced -> cancelled/1/after#value`).
 */
export interface SourceLocations {
  get(path: string): Span | undefined;
  has(path: string): boolean;
  /** The paths as written, without `#key` and `#value`, in the order of the parts. */
  keys(): Iterable<string>;
}
