/**
 * The parts of a client that do not depend on its service: the files of the folder `common`. An exported client contains their text
 * from the first section on. What is above it, imports and exports between these files, is for this repository only: all parts are
 * one file in a client, which exports only what programs need.
 */

/** The names of the files, in the order in which a client contains them. */
const partNames = [
  "description",
  "calls",
  "errors",
  "client",
  "request",
  "requests",
  "credentials",
  "signatures",
  "retries",
  "error-bodies",
  "lists",
  "streams",
  "waits",
  "webhooks",
] as const;

export type CommonPart = (typeof partNames)[number];

export type CommonParts = Readonly<Record<CommonPart, string>>;

/** Reads the parts. `read` returns the text of a file of the folder `common`. */
export function commonParts(read: (file: string) => string): CommonParts {
  const parts = partNames.map((name) => [name, fromFirstSection(read(`${name}.ts`))] as const);
  return Object.fromEntries(parts) as CommonParts;
}

/** Returns the text of the parts, except some. */
export function textOfParts(parts: CommonParts, { without }: { readonly without: readonly CommonPart[] }): string {
  return partNames
    .filter((name) => !without.includes(name))
    .map((name) => parts[name])
    .join("\n");
}

const sectionLine = "\n// ── ";

function fromFirstSection(text: string): string {
  return text.slice(text.indexOf(sectionLine) + 1);
}
