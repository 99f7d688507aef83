/** What is wrong with a value, as the document or the language says. */

/** Whether a client sends the value, or the implementation returns it. */
export type Direction = "input" | "output";

export interface Problem {
  /** The members and indexes from the value to the part that is wrong. */
  readonly path: readonly string[];
  /** The code of an entry of `errors` with which Nonet answers. */
  readonly code: string;
  readonly message: string;
  /** Whether the document writes what is violated; false for a rule of the language, which others need not follow. */
  readonly stated: boolean;
}

/** Returns the path of a part of a value and the message: `items/3: 81 characters, at most 80 are allowed`. */
export function problemText({ path, message }: Problem): string {
  return path.length === 0 ? message : `${path.join("/")}: ${message}`;
}
