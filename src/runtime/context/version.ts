/** A version as it is served: what its callers' paths lead to, what every response of it says, how it is converted. */
import type { JsonObject } from "../../base/json.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { FilterOperator } from "../../plan/endpoints/types.ts";
import type { View } from "../../store/port/store.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Problems } from "../errors/problem.ts";
import type { CompiledOperation, ForKind, ResourceView } from "./compiled.ts";

/** What is converted: a resource's records, or what one operation takes or gives. */
export type Subject =
  | { readonly kind: "record"; readonly resource: string }
  | { readonly kind: "takes" | "gives"; readonly operation: string };

export interface VersionConverter {
  /** Names of the newest version by those of the older one, and back. */
  newerOperation(older: string): string;
  olderOperation(newest: string): string;
  olderDefinition(newest: string): string;
  olderError(newest: string): string;
  /** Undefined where the older version has no such event. */
  olderEvent(newest: string): string | undefined;
  /** What an event of the older version carries, where that is not the whole record. */
  carries(older: string): readonly string[] | undefined;
  /** Whether what is written of it differs at all. */
  changes(subject: Subject): boolean;
  /** `subject` by its newest name. */
  downgrade(subject: Subject, newest: JsonObject): JsonObject;
  /** A record's view as the older version has it; undefined where no view says that. */
  viewToOlder(view: View): View | undefined;
  /** `subject` by its older name; `present` is what is there, as the newest version has it. */
  upgrade(subject: Subject, older: JsonObject, how?: FullRecord): JsonObject;
  /** The newest name of a record's member; undefined where it is gone. */
  newerMember(resource: string, older: string): string | undefined;
  filterToNewer(resource: string, filter: Filter): Filter;
  /** A pointer's segments, into what `subject` (by its newest name) is; undefined where the older version has no such member. */
  pointerToOlder(subject: Subject, segments: readonly string[]): readonly string[] | undefined;
}

/** One condition of a list on one of its record's members. */
export interface Filter {
  readonly column: string;
  readonly operator: FilterOperator;
  readonly value: Value | readonly Value[];
}

/**
 * What is sent is a whole record, and not an edit of some members: what is missing is taken as the entries say. `present`
 * is what is there already, whose members that the older version does not know stay as they are; `visible` is what the caller
 * sees of it, which is all that what is sent is compared with.
 */
export interface FullRecord {
  readonly isFull: boolean;
  /** What expressions see beside a member: all of the older record, where only some of it is sent. */
  readonly siblings?: JsonObject;
  readonly present?: JsonObject;
  readonly visible?: JsonObject;
}

export interface Served {
  /** Absent where the document has no versions. */
  readonly name?: string;
  /** The API as its callers know it. */
  readonly plan: Plan;
  /** What tells its entity tags from those of other versions (R4.15). */
  readonly tag: string;
  /** The prefix of its operations' paths, `/v1`, if versions are in the path. */
  readonly prefix: string;
  /** On every answer: the version, and that it is deprecated (R9.1, R9.5). Names and values in turn. */
  readonly headers: readonly string[];
  /** The field that the version was chosen by. */
  readonly vary?: string;
  /** A parameter of the media type of its answers, `; version=1`. */
  readonly mediaType?: string;
  /** Epoch milliseconds from which it is not served. */
  readonly sunset?: number;
  readonly problems: Problems;
  /** Absent for the newest. */
  readonly converter?: VersionConverter;
}

/** An operation of an older version: what its callers may send and are given. Nothing of it is run. */
export interface VersionedOperation {
  readonly compiled: CompiledOperation;
  /** What a kind of caller sees of the resource, by its older names. */
  viewFor(kind: number): ResourceView;
  /**
   * The reads that give records as this version has them; undefined where what they give is to be brought down. `kind` is of
   * the operation that is run.
   */
  readsFor(number: number, kind: ForKind, converter: VersionConverter): Reads | undefined;
}

export type Reads = Pick<ForKind, "read" | "list">;

/** A call of an older version in the names of that version, by which it is validated. */
export interface VersionedRequest {
  readonly converter: VersionConverter;
  readonly compiled: CompiledOperation;
  readonly kind: ForKind;
  readonly input: JsonObject;
  /** Where what is read is in that version's words already. */
  readonly reads?: Reads;
}
