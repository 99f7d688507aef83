/** The plan of a service: everything that a document declares, resolved, part by part. */
import type { JsonObject } from "../base/json.ts";
import type { ErrorBody } from "../language/errors/model.ts";
import type { VersionsPlan } from "./versioning/version.ts";
import type { CorsPlan, CredentialPlan } from "./authentication/types.ts";
import type { ContractOperation, Operation, SystemOperations, ViewPlan } from "./endpoints/types.ts";
import type { ErrorPlan } from "./errors/types.ts";
import type { EventsPlan } from "./events/types.ts";
import type { Limited, QuotaPlan, RatePlan, ServerLimits } from "./limits/types.ts";
import type { Table } from "./resources/types.ts";
import type { VersionStep } from "./versioning/types.ts";

export interface Plan {
  readonly service: string;
  readonly title: string;
  readonly purpose: string;
  /** This version's name, where the document has versions. */
  readonly version?: string;
  /** What stored data follows from one version to the next, newest first; every version is there, also one without any. */
  readonly history: readonly VersionStep[];
  /** The document's versions, this one first; only of the newest. */
  readonly versions?: VersionsPlan;
  /** Which pages of other origins may call; absent: none. */
  readonly cors?: CorsPlan;
  /** `{base_url}` or an absolute URL; the server fills it in. */
  readonly base: string;
  readonly tables: readonly Table[];
  /** By name, where the document has any. */
  readonly views?: Readonly<Record<string, ViewPlan>>;
  readonly operations: readonly Operation[];
  /** Operations of handlers that say all that goes over the wire; served where there are functions (`servedPlan`). */
  readonly contractOperations: readonly ContractOperation[];
  /** JSON Schemas with names, by the address that stands in references to them. */
  readonly schemas: Readonly<Record<string, JsonObject>>;
  /** What functions may do to records beside the operations; only of the newest version. */
  readonly system: readonly SystemOperations[];
  readonly credentials: readonly CredentialPlan[];
  /** In the document's order; a caller's roles are bits by this index. */
  readonly roles: readonly string[];
  /** Every code the service can answer with: the document's, the catalogue's, the protocol's. */
  readonly errors: Readonly<Record<string, ErrorPlan>>;
  readonly problemBody: ErrorBody;
  /** Bodies in its place: by `without field`, a code, a code `in` an operation. */
  readonly problemBodies: Readonly<Record<string, ErrorBody>>;
  /** What is said of a fault, by its code. */
  readonly violationMessages: Readonly<Record<string, string>>;
  /** The status for a record that exists but may not be seen by this caller. */
  readonly unseen: 403 | 404;
  readonly limits: ServerLimits;
  /** In the document's order; operations name those that hold for them by their index. */
  readonly rates: readonly RatePlan[];
  /** The rates that hold for every request, also for one to no operation of the document. */
  readonly generalRates: readonly Limited[];
  readonly quotas: readonly QuotaPlan[];
  readonly events: EventsPlan;
  /** Statements that are read and checked but that this release does not enforce yet, each with its place. */
  readonly unenforced: readonly Unenforced[];
}

export interface Unenforced {
  /** As in `Places`. */
  readonly path: string;
  readonly line: number;
  readonly what: string;
}
