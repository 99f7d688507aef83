/** A served version: its operations, the header fields of its responses, and its conversion. */
import type { JsonObject } from "../../base/json.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { FilterOperator } from "../../plan/endpoints/types.ts";
import type { View } from "../../store/port/store.ts";
import type { Plan } from "../../plan/plan.ts";
import type { DeprecationPlan } from "../../plan/versioning/conversion-types.ts";
import type { Problems } from "../errors/problem.ts";
import type { CompiledOperation, ForKind, ResourceView } from "./compiled.ts";

/** What is converted: a record, a record in a view, or an operation's custom input or response. */
export type Subject =
  | { readonly kind: "record"; readonly resource: string }
  | { readonly kind: "view"; readonly view: string }
  | { readonly kind: "takes" | "gives"; readonly operation: string };

export interface VersionConverter {
  /**
   * Returns the newest name of an operation. The next functions convert other names between the older version and the newest.
   */
  newerOperation(older: string): string;
  olderOperation(newest: string): string;
  olderDefinition(newest: string): string;
  olderError(newest: string): string;
  /** Returns the older name of an event; undefined if the older version does not have the event. */
  olderEvent(newest: string): string | undefined;
  /** Returns the members of the data of an older version's event; undefined for all members of the record. */
  carries(older: string): readonly string[] | undefined;
  /** Whether a subject differs between the versions. */
  changes(subject: Subject): boolean;
  /** Converts a value to the older version. `subject`: by its newest name. */
  downgrade(subject: Subject, newest: JsonObject): JsonObject;
  /** Returns the record in the older version as a view of the stored record; undefined if that is impossible. */
  viewToOlder(view: View): View | undefined;
  /**
   * Converts a value to the newest version. `subject`: by its older name; `how` has the existing record in the newest version.
   */
  upgrade(subject: Subject, older: JsonObject, how?: FullRecord): JsonObject;
  /** Returns the newest name of a record's member; undefined if it was removed. */
  newerMember(resource: string, older: string): string | undefined;
  /** Returns the newest names of a path in responses, if the older version has such a member and the newest still has it. */
  newerPath(subject: Subject, older: readonly string[]): readonly string[] | "unknown" | "removed";
  filterToNewer(resource: string, filter: Filter): Filter;
  /**
   * Converts the path of a pointer; undefined if the older version does not have the member. `subject`: by its newest name.
   */
  pointerToOlder(subject: Subject, segments: readonly string[]): readonly string[] | undefined;
}

/** A condition of a list on one member of its records. */
export interface Filter {
  readonly column: string;
  readonly operator: FilterOperator;
  readonly value: Value | readonly Value[];
}

/**
 * How to convert input. `isFull`: a full record instead of a partial edit, so missing members get the values that the version
 * entries declare. `present`: the existing record, from which members unknown to the older version are copied. `visible`: the
 * part of it that the caller sees, for comparisons with the input.
 */
export interface FullRecord {
  readonly isFull: boolean;
  /** The full record in the older version, for expressions, if the caller sent only a part of it. */
  readonly siblings?: JsonObject;
  readonly present?: JsonObject;
  readonly visible?: JsonObject;
}

export interface Served {
  /** The name of the version; absent if the document has no versions. */
  readonly name?: string;
  /** The plan of this version's API. */
  readonly plan: Plan;
  /** A text that distinguishes the version's entity tags from those of other versions (R4.15). */
  readonly tag: string;
  /** The prefix of the operations' paths, `/v1`, if versions are in the path. */
  readonly prefix: string;
  /** The header fields of every response about the version (R9.1). Names and values alternate. */
  readonly headers: readonly string[];
  readonly deprecated?: DeprecationPlan;
  /** The value of the `Vary` header field, if callers send the version in a header field. */
  readonly vary?: string;
  /** The parameter of the response's media type, such as `; version=1`. */
  readonly mediaType?: string;
  readonly problems: Problems;
  /** The converter to and from the newest version; absent for the newest. */
  readonly converter?: VersionConverter;
}

/** An operation of an older version: its input and response. Only the newest version's operation runs. */
export interface VersionedOperation {
  readonly compiled: CompiledOperation;
  /** Returns the view of the resource for a kind of caller, with older names. */
  viewFor(kind: number): ResourceView;
  /**
   * Returns reads whose records are in this version already; undefined if records must be converted. `kind`: the kind of
   * record that the operation reads.
   */
  readsFor(number: number, kind: ForKind, converter: VersionConverter): Reads | undefined;
}

export type Reads = Pick<ForKind, "read" | "list">;

/** The request of an older version in its own names, for the validation. */
export interface VersionedRequest {
  readonly converter: VersionConverter;
  readonly compiled: CompiledOperation;
  readonly kind: ForKind;
  readonly input: JsonObject;
  /** The reads whose records are in this version already, if there are any. */
  readonly reads?: Reads;
}
