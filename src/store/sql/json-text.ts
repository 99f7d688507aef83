/** Members of a JSON object as SQL writes them; every text is what `JSON.stringify` would have written. */

export interface MemberOfText {
  readonly name: string;
  /** What stands before the member: `{` or `,`. */
  readonly start: "{" | ",";
  /** What an absent value comes to; `never`: there is always one. */
  readonly absent: "left out" | "null" | "never";
  readonly column: string;
  /** The SQL of the value's text where there is one. */
  readonly value: string;
}

/** Whether a column's member is in every answer. */
export function isAlwaysThere(column: { readonly nullable: boolean; readonly absent: "left out" | "null" }): boolean {
  return !column.nullable || column.absent === "null";
}

/** The SQL of a member's text from a column: `,"size":"small"`, or an empty text where it is left out. */
export function memberText({ name, start, absent, column, value }: MemberOfText): string {
  const present = `${quoteText(`${start}${JSON.stringify(name)}:`)} || ${value}`;
  if (absent === "never") return present;
  const none = absent === "null" ? quoteText(`${start}${JSON.stringify(name)}:null`) : "''";
  return `CASE WHEN ${column} IS NULL THEN ${none} ELSE ${present} END`;
}

/** Whether a text of a closed list needs no escape in JSON. */
export function isPlain(text: string): boolean {
  return JSON.stringify(text) === `"${text}"`;
}

/** A text in SQL. PostgreSQL, too, reads backslashes as they are (`standard_conforming_strings`). */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
