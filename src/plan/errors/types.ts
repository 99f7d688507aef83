/** Errors that operations can return. */
import type { ErrorBody } from "../../language/errors/model.ts";

/** Part 7 of the plan. */
export interface ErrorsPart {
  /** Every error code of the service: from the document, the catalogue and the protocol. */
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
  /** All possible statuses, `status` first: `invalid-request` is 422, and 400 for an unreadable request. */
  readonly statuses: readonly number[];
  /** The document declares `status`; only an operation's declaration overrides it. */
  readonly fixed?: true;
  /** The code in responses, if it differs. */
  readonly wire?: string;
  readonly title: string;
  /** A constant message, with placeholders in braces. */
  readonly message?: string;
  readonly retryAfterSeconds?: number;
  /** Where the error is defined: part 7 of the document, the imported catalogue, or HTTP. */
  readonly source: "document" | "catalogue" | "protocol";
}
