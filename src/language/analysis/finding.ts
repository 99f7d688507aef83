/** A check finds one kind of problem in a document and words its message. Its page is in the same folder. */
import type { Span } from "../../base/span.ts";
import type { Severity } from "../../diagnostics/diagnostic.ts";
import type { DocumentIndex } from "./document-index.ts";

export interface Check {
  /** `part/slug`, after the folder and the name of its page; permanent, never reused. */
  readonly code: string;
  /**
   * `error`: the service could not be served rightly, or the document contradicts itself. `warning`: it can be served, and
   * somebody may be hurt by it. `hint`: others write it differently, and gain something by that.
   */
  readonly severity: Severity;
  /** Why it matters: one sentence. */
  readonly why?: string;
  run(documentIndex: DocumentIndex): Iterable<Finding>;
}

export interface Finding {
  /** A path as in `Places`, `#key` or `#value` included; where it has no place, that of the nearest around it is taken. */
  readonly at: string | Span;
  /** One sentence that names the subject and the problem. */
  readonly message: string;
  /** What to write instead. */
  readonly help?: string;
  /** An unknown name and the known ones: a similar one becomes `help` and a fix. */
  readonly unknown?: { readonly name: string; readonly known: Iterable<string> };
}
