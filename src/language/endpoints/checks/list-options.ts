/** Reports orders and options of lists that a list cannot have. */
import type { DocumentIndex } from "../../analysis/document-index.ts";
import type { Check, Finding } from "../../analysis/finding.ts";
import { bareType, fieldsOf, isStored, lifecycleOf, lookup } from "../../resources/fields.ts";
import { listStyleOf } from "../list-style.ts";
import { listingActions, type ListStyle } from "../model.ts";
import { isCounted } from "../page-names.ts";
import type { ResourceEndpoint } from "../resolve.ts";

/** Reports an order by something that is no field, or by a field that would reveal or mean nothing. */
const orderUnclear: Check = {
  code: "endpoints/order-unclear",
  severity: "error",
  why: "The database sorts the records of a list by stored values that every caller of the list may see.",
  *run(documentIndex) {
    const { endpoints, model } = documentIndex;
    for (const resolved of endpoints.values()) {
      if (resolved.kind !== "resource" || resolved.action !== "list") continue;
      for (const { field } of resolved.endpoint.order ?? []) {
        const reason = whyNotInOrder(documentIndex, resolved, field);
        if (reason === undefined) continue;
        const at = `endpoints/endpoints/${resolved.operation}/order/${field}`;
        const known = Object.keys(fieldsOf(model, resolved.resource));
        if (reason === "") {
          yield { at, message: `${resolved.resource} has no field \`${field}\``, unknown: { name: field, known } };
        } else yield { at, message: `A list cannot be in the order of \`${field}\`, which ${reason}` };
      }
    }
  },
};

/** Returns why a field cannot be in an order; empty if there is no such field, undefined if it can. */
function whyNotInOrder({ model }: DocumentIndex, { resource }: ResourceEndpoint, name: string): string | undefined {
  if (name === "state" && lifecycleOf(model, resource) !== undefined) return undefined;
  const field = lookup(fieldsOf(model, resource), name);
  if (field === undefined) return "";
  const { kind, ...type } = bareType(field.type);
  if (!isStored(field)) return "is computed at each read: give it the modifier `sort`";
  if (kind === "list" || kind === "map" || kind === "schema" || kind === "file") return "is no single value";
  if ("name" in type && (type.name === "json" || type.name === "money")) return "is no single value";
  if ("name" in type && lookup(model.resources.types, type.name) !== undefined) return "is no single value";
  if (field.marks.includes("secret") || field.marks.includes("write-only")) return "no response contains";
  const isRestricted = lookup(model.authentication.show, `${resource}.${name}`) !== undefined;
  return isRestricted ? "some callers may not see: the order would reveal it" : undefined;
}

/** Reports an option that a list of this kind cannot have. */
const optionUnused: Check = {
  code: "endpoints/list-option-unused",
  severity: "error",
  why: "Callers would rely on something that the service does not do.",
  *run({ endpoints, model }) {
    const { lists } = model.endpoints;
    const reported = new Set<string>();
    for (const resolved of endpoints.values()) {
      if (resolved.kind !== "resource" || !listingActions.has(resolved.action)) continue;
      const own = resolved.endpoint.lists;
      const style = listStyleOf(model, resolved.endpoint);
      const at = (option: string, declared: unknown): string =>
        `${declared === undefined ? "endpoints/lists" : `endpoints/endpoints/${resolved.operation}/lists`}/${option}`;
      for (const finding of unusedOptions(style, own ?? lists, at, own)) {
        if (reported.has(finding.at as string)) continue;
        reported.add(finding.at as string);
        yield finding;
      }
    }
  },
};

function* unusedOptions(
  style: ListStyle,
  declared: ListStyle | undefined,
  at: (option: string, own: unknown) => string,
  own: ListStyle | undefined,
): Iterable<Finding> {
  const { kind } = style;
  const words = { cursor: "a cursor", none: "no pages", offset: "an offset", page: "numbered pages" };
  const lacking = (style.links ?? []).find(
    (link) => kind === "none" || (!isCounted(kind) && link !== "first" && link !== "next"),
  );
  if (lacking !== undefined) {
    yield {
      at: at("links", own?.links),
      message: `A list with ${words[kind]} has no link to its \`${lacking}\` page`,
      help: kind === "none" ? "leave `links` out" : "write `links: [first, next]`, or use `offset` or `page`",
    };
  }
  // Names of all lists may be for lists of other kinds.
  for (const [word, of, help] of [
    ["end", "offset", "use `offset`: `end` is the index after the last record"],
    ["after", "cursor", "use `cursor`: `after` is the id of the last record of a page"],
    ["before", "cursor", "use `cursor`: `before` is the id of the first record of a page"],
  ] as const) {
    if (kind === of || declared?.names?.[word] === undefined) continue;
    yield {
      at: at(`names/${word}`, own),
      message: `A list with ${words[kind]} has no parameter \`${declared.names[word]}\``,
      help,
    };
  }
  if (style.bare === true && style.gives !== undefined)
    yield { at: at("bare", own?.bare), message: "A page with `gives` is no bare array", help: "leave one of them out" };
  if (style.clamped === true && kind === "none")
    yield { at: at("clamped", own), message: "A list without pages has no limit", help: "leave it out" };
}

export const checks: readonly Check[] = [orderUnclear, optionUnused];
