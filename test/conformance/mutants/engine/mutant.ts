/**
 * A mistake in the engine: a service that serves a document correctly but for one thing. It changes the plan, the store or the
 * service of a correct one from outside, so that the engine itself needs no code for it.
 */
import type { ServiceFunctions } from "../../../../src/runtime/functions/functions.ts";
import type { Step } from "../../../enforced/proof.ts";
import type { RunOptions } from "../../../serve/running.ts";

export interface EngineMutant {
  readonly name: string;
  /** The document that the service serves, by its name in `documents.ts`. */
  readonly document: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly functions?: ServiceFunctions;
  readonly apply: (options: RunOptions) => RunOptions;
  /** Why a test by the document must not hold the mistake against a server. */
  readonly reason?: string;
  /** Requests with their responses by the document, of which at least one has another response with the mistake. */
  readonly play: readonly Step[];
}

/** A mistake by its changes, the usual form of a row. */
export type Change = Pick<RunOptions, "planned" | "around" | "between">;

/** Returns the mutants of one document, from a table of their names, changes and plays. */
export function mutantsOf(
  document: string,
  rows: Readonly<Record<string, readonly [change: Change, ...play: readonly Step[]]>>,
  more: Pick<EngineMutant, "environment" | "functions"> = {},
): readonly EngineMutant[] {
  return Object.entries(rows).map(([name, [change, ...play]]) => ({
    ...{ name, document, play, ...more },
    apply: (options) => ({ ...options, ...change }),
  }));
}
