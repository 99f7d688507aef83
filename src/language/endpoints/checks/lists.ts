/** Reports lists without pages, and lists in which two parameters or members have one name. */
import type { Check, Finding } from "../../analysis/finding.ts";
import { fieldFilters, type FilterParameter } from "../filter-parameters.ts";
import { listingActions, type ListNames, type ListStyle } from "../model.ts";

/** Reports a list that returns all records at once. */
const listWithoutPages: Check = {
  code: "endpoints/list-without-pages",
  severity: "warning",
  why: "A list grows over time, and its response becomes too large for clients.",
  *run({ endpoints, model }) {
    for (const resolved of endpoints.values()) {
      if (resolved.kind !== "resource" || !listingActions.has(resolved.action)) continue;
      const style = resolved.endpoint.lists ?? model.endpoints.lists;
      if (style?.kind !== "none") continue;
      yield {
        at:
          resolved.endpoint.lists === undefined ? "endpoints/lists" : `endpoints/endpoints/${resolved.operation}/lists`,
        message: `\`${resolved.operation}\` returns all records at once`,
        help: "write `lists: cursor, 50 per page, at most 200`",
      };
      if (resolved.endpoint.lists === undefined) return;
    }
  },
};

/** Reports two parameters of a list, or two members of its response, with one name. */
const listNamesClash: Check = {
  code: "endpoints/list-names-clash",
  severity: "error",
  why: "The service could not tell which of the two a request means.",
  *run({ model, endpoints }) {
    const { lists } = model.endpoints;
    if (lists !== undefined) yield* clashes(lists, {}, "endpoints/lists");
    for (const resolved of endpoints.values()) {
      if (resolved.kind !== "resource" || !listingActions.has(resolved.action)) continue;
      const localStyle = resolved.endpoint.lists;
      const at = `endpoints/endpoints/${resolved.operation}/lists`;
      if (localStyle !== undefined) yield* clashes(localStyle, lists?.names ?? {}, at);
      const style = localStyle ?? lists;
      const names = { ...lists?.names, ...localStyle?.names };
      const filters = fieldFilters(model, resolved).flatMap(({ field, parameters }) =>
        parameters.map((parameter) => ({ field, ...parameter })),
      );
      yield* filterClashes(filters, lists, localStyle, at);
      for (const [word, name] of Object.entries(names) as readonly (readonly [keyof ListNames, string])[]) {
        if (isMember(word) || !isReserved(style?.kind, word) || !filters.some((one) => one.name === name)) continue;
        yield {
          at: localStyle?.names?.[word] === undefined ? `endpoints/lists/names/${word}` : `${at}/names/${word}`,
          message: `\`${name}\` is already a filter of \`${resolved.operation}\``,
          help: `give \`${word}\` another name`,
        };
      }
    }
  },
};

interface NamedFilter extends FilterParameter {
  readonly field: string;
}

/** Reports two filters with one parameter, as `price_gte` of the fields `price` and `price_gte`. */
function* filterClashes(
  filters: readonly NamedFilter[],
  general: ListStyle | undefined,
  own: ListStyle | undefined,
  at: string,
): Iterable<Finding> {
  const first = new Map<string, NamedFilter>();
  for (const filter of filters) {
    const other = first.get(filter.name);
    first.set(filter.name, filter);
    if (other === undefined) continue;
    const declared = [filter, other].find(
      ({ operator }) => (own?.operators?.[operator] ?? general?.operators?.[operator]) !== undefined,
    );
    if (declared === undefined) continue;
    const isOwn = own?.operators?.[declared.operator] !== undefined;
    yield {
      at: `${isOwn ? at : "endpoints/lists"}/operators/${declared.operator}`,
      message: `\`${filter.name}\` is both \`${other.operator}\` of \`${other.field}\` and \`${filter.operator}\` of \`${filter.field}\``,
      help: `give the parameter of \`${declared.operator}\` another name`,
    };
  }
}

function isMember(word: keyof ListNames): boolean {
  return word === "items" || word === "next" || word === "count";
}

/** Whether the list has a parameter for this word: of limit, cursor, offset and page, a list uses only those of its kind. */
function isReserved(kind: ListStyle["kind"] | undefined = "cursor", word: keyof ListNames): boolean {
  if (word === "sort" || word === "direction" || word === "search") return true;
  if (word === "end") return kind === "offset";
  if (word === "after" || word === "before") return kind === "cursor";
  return word === "limit" ? kind !== "none" : word === kind;
}

function* clashes({ kind, names = {} }: ListStyle, general: ListNames, at: string): Iterable<Finding> {
  const words = ["limit", "cursor", "offset", "page", "sort", "search", "items", "next"] as const;
  const all: ListNames = { ...Object.fromEntries(words.map((word) => [word, word])), ...general, ...names };
  const first = new Map<string, string>();
  for (const [word, name] of Object.entries(all) as readonly (readonly [keyof ListNames, string])[]) {
    if (!isMember(word) && !isReserved(kind, word)) continue;
    const key = `${isMember(word) ? "member" : "parameter"} ${name}`;
    const other = first.get(key);
    first.set(key, word);
    if (other === undefined) continue;
    const declared = names[word] === undefined ? other : word;
    yield { at: `${at}/names/${declared}`, message: `\`${word}\` and \`${other}\` are both called \`${name}\`` };
  }
}

export const checks: readonly Check[] = [listWithoutPages, listNamesClash];
