/** The model of part 1, the service's purpose: its name, its users and its operations. */

export interface Purpose {
  /** The edition of the language, `1`. */
  readonly nonet?: string;
  /** The service's name, kebab-case. */
  readonly service?: string;
  readonly domain?: string;
  /** The purpose in one sentence. */
  readonly purpose?: string;
  /** Kinds of users with a sentence about each. */
  readonly users: Readonly<Record<string, string>>;
  /** What the service does not do. Absent: not declared; empty: the document says `none`. */
  readonly outside?: readonly string[];
  /** Every operation with the sentence that describes it. Parts 4 to 9 refer to these names. */
  readonly operations: Readonly<Record<string, string>>;
}

/** The editions of the language that this release reads. */
export const editions: readonly string[] = ["1"];
