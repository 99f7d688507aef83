/**
 * Part 1: what the service is, who uses it, what it offers.
 *
 *     nonet        the edition of the language, `1`
 *     service      the name, small letters, digits and hyphens
 *     domain, purpose   a line of text each
 *     users        name: sentence   or a list of names
 *     outside      a list, or its items on one line with commas; `none`: the service leaves nothing out
 *     operations   name: sentence   or a list of names; `none`: there are no operations
 */
import { descriptions } from "../grammar/collections.ts";
import { part } from "../grammar/form.ts";
import { type Grammar, type PartGrammar, soundName } from "../grammar/grammar.ts";
import { lineSchema, oneOf } from "../grammar/schema.ts";
import type { Naming } from "../grammar/references.ts";
import { matching, names, text } from "../grammar/words.ts";
import { editions, type Purpose } from "./model.ts";

export const purpose: PartGrammar<Purpose> = part<Purpose>("purpose", {
  what: "Part 1",
  example: "{ service: parcel-lockers }",
  changes: { "*": { effect: "neutral", what: "{member}" }, users: { kind: "user", what: "The description of {}" } },
  members: {
    nonet: matching(
      new RegExp(`^(${editions.join("|")})$`),
      [
        "unknown-edition",
        (edition) => `This release does not know edition \`${edition}\` of the language`,
        { help: "write `1`", write: () => "1" },
      ],
      { label: "The edition", schema: oneOf(...editions, ...editions.map(Number)) },
    ),
    service: matching(
      /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
      [
        "bad-name",
        (name) => `\`${name}\` cannot name a service`,
        { help: (name) => `write small letters, digits and hyphens: \`${kebab(name)}\``, write: kebab },
      ],
      {
        label: "The service's name",
        schema: lineSchema("[a-z][a-z0-9]*(-[a-z0-9]+)*", "The name: small letters, digits and hyphens."),
      },
    ),
    domain: text(),
    purpose: text(),
    users: { ...namedDescriptions("a kind of user"), absent: {} },
    outside: names("`outside`"),
    operations: { ...namedDescriptions("an operation", { declares: "operation" }), absent: {} },
  },
});

function namedDescriptions(what: string, naming: Naming = {}): Grammar<Readonly<Record<string, string>>> {
  return descriptions({
    ...naming,
    example: "name: what it is for",
    isName: soundName(/^[A-Za-z][A-Za-z0-9_-]*$/, [
      "bad-name",
      (name) => `\`${name}\` cannot name ${what}`,
      { help: "a name starts with a letter and has letters, digits, `-` and `_`" },
    ]),
  });
}

function kebab(name: string): string {
  return name
    .replaceAll(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/g, "-")
    .replaceAll(/^-|-$/g, "")
    .toLowerCase();
}
