/** A version as it is served: what its callers' paths lead to, what every answer of it says, how it refuses. */
import type { JsonObject } from "../../base/json.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ForKind, CompiledOperation } from "../compile.ts";
import type { Problems } from "../errors/problem.ts";
import type { ResourceView } from "../records/views.ts";
import type { VersionConverter } from "./convert.ts";

export interface Served {
  /** Absent where the document has no versions. */
  readonly name?: string;
  /** The API as its callers know it. */
  readonly plan: Plan;
  /** What tells its entity tags from those of other versions (R4.15). */
  readonly tag: string;
  /** What stands before its operations' paths, `/v1`, where versions are in the path. */
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

/** What a call of an older version is judged by: itself, in that version's own words. */
export interface VersionedRequest {
  readonly converter: VersionConverter;
  readonly compiled: CompiledOperation;
  readonly kind: ForKind;
  readonly input: JsonObject;
  /** Where what is read is in that version's words already. */
  readonly reads?: Reads;
}
