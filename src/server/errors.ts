/** Why a document is not served, in a text that is all there is to say. The command line ends with 1 or 2, by the class. */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";

/** Why a document, or what is beside it, cannot be served. */
export class ServiceError extends Error {
  readonly diagnostics: readonly Diagnostic[];

  constructor(message: string, diagnostics: readonly Diagnostic[] = []) {
    super(message);
    this.name = "ServiceError";
    this.diagnostics = diagnostics;
  }
}

/** Wrong usage, an environment that lacks something, or a file that cannot be used: exit code 2. */
export class UsageError extends ServiceError {}

/** A document that has errors, or that its data or its functions do not fit: exit code 1. */
export class DocumentError extends ServiceError {}
