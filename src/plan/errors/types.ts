/** The types of errors that operations can return. */
import type { ErrorBody } from "../../language/errors/model.ts";

export type { ErrorBody };

/** The members of the plan for part 7. */
export interface ErrorsPart {
  /** Every error code of the service: from the document, the catalogue and the protocol. */
  readonly errors: Readonly<Record<string, ErrorPlan>>;
  readonly problemBody: ErrorBody;
  /** The bodies that replace `problemBody`: by `without field`, by a code, or by a code `in` an operation. */
  readonly problemBodies: Readonly<Record<string, ErrorBody>>;
  /** The names of violations in responses, by code; those that the document gives another name. */
  readonly violationNames?: Readonly<Record<string, string>>;
  /** The message of a violation, by its code. */
  readonly violationMessages: Readonly<Record<string, string>>;
}

// ── Errors ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface ErrorPlan {
  readonly status: number;
  /** All possible statuses, `status` first: `invalid-request` is 422, and 400 for an unreadable request. */
  readonly statuses: readonly number[];
  /** Set if the document declares `status`; only an operation's declaration overrides it. */
  readonly fixed?: true;
  /** The external code in responses, if it differs from Nonet's. */
  readonly wire?: string;
  readonly title: string;
  /** The message that the document declares, with placeholders in braces. */
  readonly message?: string;
  readonly retryAfterSeconds?: number;
  /** Where the error is defined: part 7 of the document, the imported catalogue, or HTTP. */
  readonly source: "document" | "catalogue" | "protocol";
}
