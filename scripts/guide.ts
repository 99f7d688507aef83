/**
 * Writes the generated lists of `docs/reference/guide.md`, the language on one page: keys, types and functions. `node
 * scripts/guide.ts` writes the page; a test fails if it is out of date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { conversions, listFunctions, textFunctions } from "../src/expression/functions.ts";
import { partNames } from "../src/language/model.ts";
import { marks, scalarNames } from "../src/language/resources/model.ts";
import { documentSchema } from "../src/language/schema.ts";

const path = join(import.meta.dirname, "..", "docs", "reference", "guide.md");

/** The parts of a JSON Schema that name keys. */
interface Schema {
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
}

/** What `nonet import` writes, and no author needs. */
const ofImports = ["wire", "openapi"];

/** Returns the words that a key can have as its value: `POST|write`. */
function wordsOf(forms: readonly Schema[]): string {
  const words = forms.flatMap((form) => form.enum ?? []).filter((word) => typeof word === "string");
  const own = [...new Set(words)].filter((word) => !["", "not shown", "yes", "no"].includes(word));
  return own.every((word) => word === "none") ? "" : `: ${own.join(" | ")}`;
}

/** Returns the keys of a map, each with its words or the keys below it: `users { * }`. */
function keysOf(schema: Schema, depth: number): readonly string[] {
  const forms = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const map = forms.find(({ properties }) => properties !== undefined);
  const named = Object.entries(map?.properties ?? {});
  const free = forms.map(({ additionalProperties }) => additionalProperties).find((each) => typeof each === "object");
  const entries = [
    ...named.filter(([key]) => !ofImports.includes(key)),
    ...(free === undefined || named.length > 0 ? [] : [["*", free] as const]),
  ];
  return entries.map(([key, value]) => {
    const below = depth > 0 ? keysOf(value, depth - 1) : [];
    const words = wordsOf([value, ...(value.anyOf ?? []), ...(value.oneOf ?? [])]);
    return below.length === 0 ? `${key}${words}` : `${key} { ${below.join(", ")} }`;
  });
}

function keyList(): string {
  const { $defs } = documentSchema() as unknown as { readonly $defs: Readonly<Record<string, Schema>> };
  return partNames
    .map((part) => {
      const { anyOf = [] } = $defs[part] ?? {};
      const keys = anyOf.flatMap((form) => keysOf(form, 2));
      const own = part === "resources" ? ["* (a resource: its fields)", ...keys] : keys;
      return `- ${part}: ${[...new Set(own)].map((key) => `\`${key}\``).join(", ")}`;
    })
    .join("\n");
}

function words(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

const lists: Readonly<Record<string, () => string>> = {
  keys: keyList,
  types: () => `Types: ${words(scalarNames)}.\nModifiers: ${words(marks)}.`,
  functions: () =>
    `Functions: ${words(Object.keys({ ...textFunctions, ...listFunctions, ...conversions }))}, \`min\`, \`max\`, \`has\`, \`matches\`, \`date\`, \`duration\`, \`timestamp\`.`,
};

/** Returns the page with its lists written anew. */
export function guide(): string {
  return readFileSync(path, "utf8").replaceAll(
    /(<!-- generated: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, start: string, name: string, end: string) => `${start}${lists[name]?.() ?? ""}\n${end}`,
  );
}

if (import.meta.main) writeFileSync(path, guide());
