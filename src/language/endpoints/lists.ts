/**
 * Reads and prints the style of lists: `cursor, 50 per page, at most 200`.
 *
 *     lists      kind {, n "per page" | "limit" n ["at most" n] | "at most" n | "clamped to" n | "bare array"}
 *                kind: cursor | offset | page | none
 *                map: { kind, size, max, clamped, bare, names, gives, links, headers, operators }
 *       names    of the parameters and members: limit, cursor, after, before, offset, end, page, sort, direction,
 *                search, items, next, count
 *       links, headers, operators: see list-options.ts
 */
import type { JsonObject } from "../../base/json.ts";
import { converted, form } from "../grammar/form.ts";
import { complain, type Grammar } from "../grammar/grammar.ts";
import { lineSchema, shared } from "../grammar/schema.ts";
import { choice, count, flag, matching, type Words } from "../grammar/words.ts";
import { type Path, report } from "../grammar/reader.ts";
import { headers, links, operators } from "./list-options.ts";
import { pageTemplate } from "./response-template.ts";
import { type ListNames, type ListStyle, listKinds, listWords } from "./model.ts";

/** Reads a name that clients send or receive; a parameter's name may have brackets: `page[size]`. */
function name(word: keyof ListNames): Words<string> {
  const isMember = word === "items" || word === "next" || word === "count";
  return matching(
    isMember ? /^[^\s{}"]+$/ : /^[A-Za-z0-9_.$[\]-]+$/,
    [
      "bad-lists",
      (found) => `\`${found}\` cannot name \`${word}\``,
      { help: "a name has no blanks: `per_page`, `page[size]`" },
    ],
    { label: `The name of \`${word}\`` },
  );
}

const names = form<ListNames>({
  what: "The names of a list",
  example: "{ limit: per_page, items: data }",
  members: Object.fromEntries(listWords.map((word) => [word, name(word)])) as Record<keyof ListNames, Words<string>>,
});

interface WrittenStyle extends Omit<ListStyle, "bare" | "clamped"> {
  readonly bare?: boolean;
  readonly clamped?: boolean;
}

const written = form<WrittenStyle>({
  what: "The pages of lists",
  example: "{ kind: cursor, size: 50, max: 200 }",
  line: "{kind}[, {size} per page][, limit {size} at most {max}][, limit {size}][, {clamped} to {max}][, at most {max}][, {bare}]",
  lineSchema: lineSchema(
    `(${listKinds.join("|")})(\\s*,\\s*([0-9]+ per page|limit [0-9]+( at most [0-9]+)?|(at most|clamped to) [0-9]+|bare array))*`,
    "`cursor, 50 per page, at most 200`",
  ),
  members: {
    kind: { ...choice(listKinds, "The pages of lists"), pattern: ".*", needed: true },
    size: { ...count("The size of a page"), isLocated: true },
    max: { ...count("The largest size of a page"), isLocated: true },
    clamped: { ...flag("clamped"), isLocated: true },
    bare: { ...flag("bare", "bare array"), isLocated: true },
    names: { ...names, label: "The names of a list" },
    gives: { ...pageTemplate, isLocated: true },
    links: { ...links, isLocated: true },
    headers,
    operators,
  },
  wrongClause: (reader, path, clause) =>
    complain(reader, path, clause, [
      "bad-lists",
      (found) => `\`${found}\` is not an option of lists`,
      {
        help: "write `cursor, 50 per page, at most 200`, and add `bare array` if the response is only the array of items",
      },
    ]),
  missing: (reader, path: Path, _, { span }) =>
    report(reader, `${path[0]}/bad-lists`, span, "This needs the kind of the pages", {
      help: "write `{ kind: cursor, size: 50, max: 200 }`",
    }),
});

const style = converted<WrittenStyle, ListStyle>(
  written,
  (reader, path, { bare, clamped, ...style }) => {
    const { kind, max, size } = style;
    const span = reader.places.get(`${path.join("/")}/size`);
    if (span !== undefined && size !== undefined && max !== undefined && size > max)
      report(reader, `${path[0]}/bad-lists`, span, `A page of ${size} is larger than the largest page, ${max}`, {
        help: `write \`${kind}, ${max} per page, at most ${size}\``,
      });
    return { ...style, ...(clamped === true ? { clamped } : {}), ...(bare === true ? { bare } : {}) };
  },
  (style) => style,
);

/** The schema of every list style, for editors. */
export const listsSchema: JsonObject = style.schema;

export const listStyle: Grammar<ListStyle> = { ...style, schema: shared("lists") };
