/** Errors that prevent serving a document; the message is complete. The class determines the exit code (1 or 2). */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";

/** The document, its data or its environment cannot be served. */
export class ServiceError extends Error {
  readonly diagnostics: readonly Diagnostic[];

  constructor(message: string, diagnostics: readonly Diagnostic[] = []) {
    super(message);
    this.name = "ServiceError";
    this.diagnostics = diagnostics;
  }
}

/** The command is used wrongly, an environment variable is missing, or a file is unusable: exit code 2. */
export class UsageError extends ServiceError {}

/** The document has errors, or data or functions do not match it: exit code 1. */
export class DocumentError extends ServiceError {}
