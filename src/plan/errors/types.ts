/** Errors that operations can return. */

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
