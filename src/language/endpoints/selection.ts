/**
 * Reads and prints the parameters with which requests select what a response contains.
 *
 *     fields   name | none   the parameter for some members of a record
 *     expand   name [, "depth" n] [, "from response"] | none                            map: { name, depth, from }
 */
import type { Effect } from "../grammar/changes.ts";
import { form } from "../grammar/form.ts";
import { complain, type Grammar } from "../grammar/grammar.ts";
import { lineSchema } from "../grammar/schema.ts";
import { choice, count, matching } from "../grammar/words.ts";
import { noneOr } from "../grammar/collections.ts";
import { report } from "../grammar/reader.ts";
import { type ExpandStyle, pathStarts } from "./model.ts";

const parameterName = matching(
  /^[A-Za-z0-9_.$-]+(?:\[\])?$/,
  [
    "bad-selection",
    (found) => `\`${found}\` cannot name a parameter`,
    { help: "write `expand`, or `expand[]` if clients send the parameter once for each value" },
  ],
  { label: "The name of the parameter" },
);

/** The name of the parameter for some of a record's members. */
export const fields: Grammar<string> = { ...noneOr(parameterName, "none"), schema: parameterName.schema };

/** A request that was accepted stays accepted if paths begin where they did and may have as many names. */
export function depthEffect(old: unknown, now: unknown): Effect {
  const [before, after] = [old, now].map((value) => (value ?? defaultDepth) as number);
  return (after ?? 0) >= (before ?? 0) ? "additive" : "breaking";
}

/** The most names in a path if the document declares no depth. */
export const defaultDepth = 3;

const example = "{ name: expand, depth: 2 }";

export const expand: Grammar<ExpandStyle> = form<ExpandStyle>({
  what: "The parameter for records in place of ids",
  example,
  changes: {
    name: { what: "The parameter for records in place of ids", subject: "expand.name", effect: () => "breaking" },
    depth: { what: "The most names in a path", subject: "expand.depth", effect: depthEffect },
    from: { what: "Where paths begin", subject: "expand.from", effect: () => "breaking" },
  },
  presence: {
    added: ["additive", "Requests can ask for records in place of ids"],
    removed: ["breaking", "Requests can no longer ask for records in place of ids"],
  },
  line: "{name}[, depth {depth}][, from {from}]",
  lineSchema: lineSchema(
    `[^\\s,]+(\\s*,\\s*depth [0-9]+)?(\\s*,\\s*from (${pathStarts.join("|")}))?`,
    "`expand`, or `expand[], depth 4, from response`.",
  ),
  members: {
    name: { ...parameterName, needed: true },
    from: { ...choice(pathStarts, "Where paths begin"), isLocated: true },
    depth: { ...count("The most names in a path"), isLocated: true },
  },
  wrongClause: (reader, path, clause) =>
    complain(reader, path, clause, [
      "bad-selection",
      (found) => `\`${found}\` is not an option of this parameter`,
      { help: "write `expand, depth 2`, and add `from response` if paths begin outside of the record" },
    ]),
  missing: (reader, path, _, { key, span }) =>
    report(reader, `${path[0]}/bad-selection`, key?.span ?? span, "This needs the name of the parameter", {
      help: `write \`${example}\``,
    }),
});
