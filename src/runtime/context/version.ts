/** A served version: its operations, the headers of its responses, its conversion. */
import type { JsonObject } from "../../base/json.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { FilterOperator } from "../../plan/endpoints/types.ts";
import type { View } from "../../store/port/store.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Problems } from "../errors/problem.ts";
import type { CompiledOperation, ForKind, ResourceView } from "./compiled.ts";

/** The data to convert: a record, or an operation's custom input or response. */
export type Subject =
  | { readonly kind: "record"; readonly resource: string }
  | { readonly kind: "takes" | "gives"; readonly operation: string };

export interface VersionConverter {
  /** Convert names between the older version and the newest. */
  newerOperation(older: string): string;
  olderOperation(newest: string): string;
  olderDefinition(newest: string): string;
  olderError(newest: string): string;
  /** Undefined if the older version does not have the event. */
  olderEvent(newest: string): string | undefined;
  /** The members of an event of the older version; undefined for all of the record. */
  carries(older: string): readonly string[] | undefined;
  /** Whether the subject differs between the versions. */
  changes(subject: Subject): boolean;
  /** `subject`: by its newest name. */
  downgrade(subject: Subject, newest: JsonObject): JsonObject;
  /** The older version as a view of the stored record; undefined if that is impossible. */
  viewToOlder(view: View): View | undefined;
  /** `subject`: by its older name; `how` has the existing record in the newest version. */
  upgrade(subject: Subject, older: JsonObject, how?: FullRecord): JsonObject;
  /** The newest name of a record's member; undefined if it was removed. */
  newerMember(resource: string, older: string): string | undefined;
  filterToNewer(resource: string, filter: Filter): Filter;
  /** Converts the path of a pointer; `subject`: by its newest name. Undefined if the older version does not have the member. */
  pointerToOlder(subject: Subject, segments: readonly string[]): readonly string[] | undefined;
}

/** A list condition on one member of the record. */
export interface Filter {
  readonly column: string;
  readonly operator: FilterOperator;
  readonly value: Value | readonly Value[];
}

/**
 * `isFull`: a full record instead of a partial edit, so missing members get the values that the version entries declare.
 * `present`: the existing record, from which members unknown to the older version are copied. `visible`: its part that the caller
 * sees, for comparisons with the input.
 */
export interface FullRecord {
  readonly isFull: boolean;
  /** The full older record, for expressions, if only a part of it was sent. */
  readonly siblings?: JsonObject;
  readonly present?: JsonObject;
  readonly visible?: JsonObject;
}

export interface Served {
  /** Absent if the document has no versions. */
  readonly name?: string;
  /** The API of this version. */
  readonly plan: Plan;
  /** Distinguishes its entity tags from those of other versions (R4.15). */
  readonly tag: string;
  /** The prefix of its operations' paths, `/v1`, if versions are in the path. */
  readonly prefix: string;
  /** Headers of every response: version and deprecation (R9.1, R9.5). Names and values in turn. */
  readonly headers: readonly string[];
  /** The `Vary` header if the version is in a header. */
  readonly vary?: string;
  /** Parameter of the response's media type, such as `; version=1`. */
  readonly mediaType?: string;
  /** Epoch milliseconds from which the version is unavailable. */
  readonly sunset?: number;
  readonly problems: Problems;
  /** Absent for the newest version. */
  readonly converter?: VersionConverter;
}

/** An operation of an older version: its input and response. Only the newest version's operation runs. */
export interface VersionedOperation {
  readonly compiled: CompiledOperation;
  /** The view of the resource for a kind of caller, in older names. */
  viewFor(kind: number): ResourceView;
  /**
   * Reads that return records in this version directly; undefined if records must be converted. `kind`: of the operation that
   * runs.
   */
  readsFor(number: number, kind: ForKind, converter: VersionConverter): Reads | undefined;
}

export type Reads = Pick<ForKind, "read" | "list">;

/** A request of an older version in its own names, for the validation. */
export interface VersionedRequest {
  readonly converter: VersionConverter;
  readonly compiled: CompiledOperation;
  readonly kind: ForKind;
  readonly input: JsonObject;
  /** Present if reads return this version directly. */
  readonly reads?: Reads;
}
