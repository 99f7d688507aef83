/** Builds SQL that writes the members of a JSON object; the text equals the output of `JSON.stringify`. */

export interface MemberOfText {
  readonly name: string;
  /** The character before the member: `{` or `,`. */
  readonly start: "{" | ",";
  /** How null is written: no member, or `null`. `never`: the column is never null. */
  readonly absent: "left out" | "null" | "never";
  readonly column: string;
  /** SQL of the value as JSON text, for a value that is not null. */
  readonly value: string;
}

/** Whether every response has a member for the column. */
export function isAlwaysThere(column: { readonly nullable: boolean; readonly absent: "left out" | "null" }): boolean {
  return !column.nullable || column.absent === "null";
}

/** Returns SQL of `,"size":"small"`, or of an empty text for an omitted member. */
export function memberText({ name, start, absent, column, value }: MemberOfText): string {
  const present = `${quoteText(`${start}${JSON.stringify(name)}:`)} || ${value}`;
  if (absent === "never") return present;
  const none = absent === "null" ? quoteText(`${start}${JSON.stringify(name)}:null`) : "''";
  return `CASE WHEN ${column} IS NULL THEN ${none} ELSE ${present} END`;
}

/** Whether JSON writes a value of a closed list without escapes. */
export function isPlain(text: string): boolean {
  return JSON.stringify(text) === `"${text}"`;
}

/** Quotes a text as a SQL literal. PostgreSQL does not interpret backslashes either (`standard_conforming_strings`). */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
