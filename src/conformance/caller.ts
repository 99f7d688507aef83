/** The callers of the test. */
import type { Request } from "./interaction.ts";

export interface Caller {
  /** The name in reports. */
  readonly name: string;
  /** The caller's id in the implementation; absent while the test does not know it. A response may show it later. */
  id?: string;
  /** The credential of part 5 that the caller sends. */
  readonly credential?: string;
  readonly roles: readonly string[];
  readonly signedIn: boolean;
  /** Whether the caller's token is restricted by scopes. */
  readonly scoped: boolean;
  /** Whether the credential was made for this test, so that nobody has used it before. */
  readonly isNew?: true;
  /** The id and the secret, with a colon between them, of a client that gets its tokens from the service itself. */
  readonly client?: string;
  /** Whether the test gets another token whenever one expires. */
  readonly isRenewed?: true;
  /** Returns the request with the caller's credential. */
  readonly authorize: (request: Request) => Request;
}

/**
 * Returns the id of a signed-in caller in expressions. A caller whose id is unknown still is the same caller each time, and not
 * another one, so a text that no id has stands for it.
 */
export function idOf({ id, name }: Caller): string {
  return id ?? `\0${name}`;
}

/** Whether a value stands for the unknown id of a caller. */
export function isUnknownId(value: unknown): boolean {
  return typeof value === "string" && value.startsWith("\0");
}

export const anonymous: Caller = {
  name: "anonymous",
  roles: [],
  signedIn: false,
  scoped: false,
  authorize: (request) => request,
};
