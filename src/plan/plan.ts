/** The plan of a service: everything that a document declares, resolved, part by part. */
import type { AuthenticationPart } from "./authentication/types.ts";
import type { EndpointsPart } from "./endpoints/types.ts";
import type { ErrorsPart } from "./errors/types.ts";
import type { EventsPart } from "./events/types.ts";
import type { LimitsPart } from "./limits/types.ts";
import type { PurposePart } from "./purpose/types.ts";
import type { ResourcesPart } from "./resources/types.ts";
import type { Unenforced } from "./unsupported.ts";
import type { VersioningPart } from "./versioning/conversion-types.ts";

export interface Plan
  extends PurposePart,
    ResourcesPart,
    EndpointsPart,
    AuthenticationPart,
    EventsPart,
    ErrorsPart,
    LimitsPart,
    VersioningPart {
  /** Statements that `nonet check` accepts but this release does not support yet. */
  readonly unenforced: readonly Unenforced[];
}
