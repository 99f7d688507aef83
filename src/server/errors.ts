/** Why a document is not served: two errors, each with an exit code of its own. */

/** Wrong usage, an environment that lacks something, or a file that cannot be used: exit code 2. */
export class UsageError extends Error {}

/** A document that has errors, or that its data does not fit; the message is all there is to say: exit code 1. */
export class DocumentError extends Error {}
