/**
 * A check finds one kind of problem in a document and writes the message. The page that describes it is in the same folder.
 */
import type { Span } from "../../base/span.ts";
import type { Severity } from "../../diagnostics/diagnostic.ts";
import type { DocumentIndex } from "./document-index.ts";

export interface Check {
  /** `part/slug`, named like the folder and its page; permanent, never reused. */
  readonly code: string;
  /**
   * `error`: the document contradicts itself or cannot be served correctly. `warning`: it can be served, but may harm a caller
   * or the owner. `hint`: most authors write it differently, and gain something by it.
   */
  readonly severity: Severity;
  /** Why the problem matters: one sentence. */
  readonly why?: string;
  run(documentIndex: DocumentIndex): Iterable<Finding>;
}

export interface Finding {
  /**
   * A path as in `SourceLocations`, with `#key` or `#value` if needed; a path without a location gets the nearest enclosing
   * one.
   */
  readonly at: string | Span;
  /** One sentence that names the subject and the problem. */
  readonly message: string;
  /** What to write instead, as one sentence. */
  readonly help?: string;
  /** An unknown name and the known ones: a similar known name becomes `help` and a fix. */
  readonly unknown?: { readonly name: string; readonly known: Iterable<string> };
}
