/** Errors that operations can return. */
import type { ErrorBody } from "../../language/errors/model.ts";

/** Part 7 of the plan. */
export interface ErrorsPart {
  /** Every code that the service can answer with: the document's, the catalogue's, the protocol's. */
  readonly errors: Readonly<Record<string, ErrorPlan>>;
  readonly problemBody: ErrorBody;
  /** Bodies that replace `problemBody`: by `without field`, a code, a code `in` an operation. */
  readonly problemBodies: Readonly<Record<string, ErrorBody>>;
  /** The message of a violation, by its code. */
  readonly violationMessages: Readonly<Record<string, string>>;
}

// ── Errors ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface ErrorPlan {
  readonly status: number;
  /** Every status it can come with, `status` first: `invalid-request` is 422, and 400 for what cannot be read. */
  readonly statuses: readonly number[];
  /** The document has said `status` for it: only an operation's own takes its place. */
  readonly fixed?: true;
  /** What the wire calls it, where that is not its code. */
  readonly wire?: string;
  readonly title: string;
  /** What is said of it whatever happened, with facts in braces. */
  readonly message?: string;
  readonly retryAfterSeconds?: number;
  /** Declared in the document's own part 7, in the catalogue it imports, or given by HTTP itself. */
  readonly source: "document" | "catalogue" | "protocol";
}
