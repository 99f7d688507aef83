/** The results of a conformance test: one for each case, and one for each statement of the document. */
import type { Statement } from "./statement.ts";
import type { Aspect } from "./case.ts";
import type { Interaction } from "./interaction.ts";

export type CaseResult =
  | {
      readonly kind: "holds";
      readonly id: string;
      readonly aspects: readonly Aspect[];
      readonly interactions: readonly Interaction[];
    }
  | {
      readonly kind: "broken";
      readonly id: string;
      readonly aspects: readonly Aspect[];
      readonly expected: string;
      readonly got: string;
      /** The smallest list of requests that shows it; the last one is the one whose response is wrong. */
      readonly interactions: readonly Interaction[];
      /** The ids of further cases that fail for the same reason. */
      readonly also: readonly string[];
    }
  | {
      readonly kind: "not tried";
      readonly id: string;
      readonly aspects: readonly Aspect[];
      readonly reason: string;
      readonly remedy?: string;
    };

/** `broken` if one case is; else `holds` if one case does; else `not tried`. */
export interface StatementResult {
  readonly statement: Statement;
  readonly kind: "holds" | "broken" | "not tried";
  /** All results about the statement, the broken ones first. */
  readonly cases: readonly CaseResult[];
}

export interface Report {
  /** The path of the document, as the user gave it, and its text. */
  readonly document: string;
  readonly text: string;
  readonly title: string;
  readonly url: string;
  /** The version of the API whose statements were tried; absent without versions. */
  readonly version?: string;
  readonly seed: number;
  readonly startedAt: number;
  readonly milliseconds: number;
  /** How many requests were sent. */
  readonly requests: number;
  /** One result for each statement, in the document's order. */
  readonly statements: readonly StatementResult[];
  /** All results of cases, in the document's order. */
  readonly cases: readonly CaseResult[];
}
