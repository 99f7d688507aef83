/** Two parameters of a list, or two members of its answer, by one name. */
import type { Check, Finding } from "../../finding.ts";
import { fieldsOf } from "../../resources/fields.ts";
import type { ListNames, ListStyle } from "../model.ts";

export const check: Check = {
  code: "endpoints/list-names-clash",
  severity: "error",
  why: "Nobody could tell which of the two is meant.",
  *run({ model, endpoints }) {
    const { lists } = model.endpoints;
    if (lists !== undefined) yield* clashes(lists, {}, "endpoints/lists");
    for (const meaning of endpoints.values()) {
      if (meaning.kind !== "resource" || meaning.deed !== "list") continue;
      const own = meaning.endpoint.lists;
      const at = `endpoints/endpoints/${meaning.operation}/lists`;
      if (own !== undefined) yield* clashes(own, lists?.names ?? {}, at);
      const style = own ?? lists;
      const names = { ...lists?.names, ...own?.names };
      const filters = Object.entries(fieldsOf(model, meaning.resource)).filter(([, { marks }]) =>
        marks.includes("filter"),
      );
      for (const [word, name] of Object.entries(names) as readonly (readonly [keyof ListNames, string])[]) {
        if (isMember(word) || !isTaken(style?.kind, word) || !filters.some(([field]) => field === name)) continue;
        yield {
          at: own?.names?.[word] === undefined ? `endpoints/lists/names/${word}` : `${at}/names/${word}`,
          message: `\`${name}\` is what \`${meaning.operation}\` is filtered by`,
          help: `call \`${word}\` something else`,
        };
      }
    }
  },
};

function isMember(word: keyof ListNames): boolean {
  return word === "items" || word === "next" || word === "count";
}

/** Only one of the three places to go on from is a parameter of the list. */
function isTaken(kind: ListStyle["kind"] | undefined = "cursor", word: keyof ListNames): boolean {
  return word === "sort" || word === "search" || (word === "limit" ? kind !== "none" : word === kind);
}

function* clashes({ kind, names = {} }: ListStyle, general: ListNames, at: string): Iterable<Finding> {
  const words = ["limit", "cursor", "offset", "page", "sort", "search", "items", "next"] as const;
  const all: ListNames = { ...Object.fromEntries(words.map((word) => [word, word])), ...general, ...names };
  const first = new Map<string, string>();
  for (const [word, name] of Object.entries(all) as readonly (readonly [keyof ListNames, string])[]) {
    if (!isMember(word) && !isTaken(kind, word)) continue;
    const key = `${isMember(word) ? "member" : "parameter"} ${name}`;
    const other = first.get(key);
    first.set(key, word);
    if (other === undefined) continue;
    const said = names[word] === undefined ? other : word;
    yield { at: `${at}/names/${said}`, message: `\`${word}\` and \`${other}\` are both called \`${name}\`` };
  }
}
