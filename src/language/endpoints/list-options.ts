/**
 * Reads and prints the options of lists beyond their pages, and the header fields of responses.
 *
 *     links      the pages in the `Link` header: first, prev, next, last; `none`
 *     headers    Name: expression
 *     operators  operator: "{field}_ne" [, "repeated" | "commas"]                       map: { as, several }
 *     order      field, -field                                                        of an endpoint
 */
import { namesAt } from "../grammar/values.ts";
import { form, type Members } from "../grammar/form.ts";
import { complain, type Grammar, labelOf, soundName } from "../grammar/grammar.ts";
import { keyed } from "../grammar/collections.ts";
import { report, locateAt } from "../grammar/reader.ts";
import { mapName, inside } from "../grammar/references.ts";
import { spanOf } from "../grammar/source-text.ts";
import { lineSchema, shared } from "../grammar/schema.ts";
import { choice, expression, matching } from "../grammar/words.ts";
import {
  type Filter,
  type Operators,
  type OrderKey,
  type PageLink,
  pageLinks,
  type ListParameterName,
  severalValues,
} from "./model.ts";

const pageLink = choice(pageLinks, "A link of a page");

/** Reads the pages that `Link` names, in a list or on one line with commas. */
export const links: Grammar<readonly PageLink[]> = {
  schema: shared("names"),
  read: (reader, path, { value }) =>
    namesAt(reader, path, value, "`links`").flatMap((name) => pageLink.readWords(reader, path, name) ?? []),
  print: (found) => (found.length === 0 ? "none" : found),
};

/** The header fields that the server sets itself, or that describe the message: a document cannot set them. */
const reserved =
  /^(accept-.*|access-control-.*|allow|cache-control|connection|content-(?!range$).*|date|etag|expires|keep-alive|link|location|proxy-.*|retry-after|server|set-cookie|strict-transport-security|te|trailer|transfer-encoding|upgrade|vary|www-authenticate|x-content-type-options)$/i;

export const headers: Grammar<Readonly<Record<string, string>>> = keyed(
  expression((path) => `The header field \`${path.at(-1)}\``),
  {
    example: "{ X-Total-Count: count }",
    isName: (reader, path, name) => {
      const isToken = soundName(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, [
        "bad-header",
        (found) => `\`${found}\` is not the name of a header field`,
        { help: "use letters, digits and hyphens: `X-Total-Count`" },
      ]);
      if (!isToken(reader, path, name)) return false;
      if (!reserved.test(name.text)) return true;
      complain(reader, path, name, [
        "bad-header",
        (found) => `The server sets the header field \`${found}\` itself`,
        { why: "Its value follows from the response.", help: "use another name, such as `X-Total-Count`" },
      ]);
      return false;
    },
  },
);

const example = '"{field}_ne"';

const as = matching(
  /^[A-Za-z0-9_.$[\]-]*\{field\}[A-Za-z0-9_.$[\]-]*$/,
  [
    "bad-lists",
    (found) =>
      /,\s*(repeated|commas)$/.test(found)
        ? `\`${found}\` has one value: only \`in\` and \`nin\` have several`
        : `\`${found}\` does not say where the name of the field is`,
    { help: `write ${example}: \`{field}\` is the name of the field` },
  ],
  { pattern: ".*?", label: (path) => `The parameter of \`${path.at(-1) === "as" ? path.at(-2) : path.at(-1)}\`` },
);

/** How a request sends several values. */
export const several: Members<Filter>["several"] = choice(severalValues, "The form of several values");

const severalName = form<ListParameterName>({
  what: (path) => `The parameter of \`${path.at(-1)}\``,
  example: '{ as: "{field}_ne" }',
  line: "{as}[, {several}]",
  lineSchema: lineSchema("[^,]*\\{field\\}[^,]*(,\\s*(commas|repeated))?", `${example}, or \`"{field}", repeated\``),
  members: {
    as: { ...as, needed: true },
    several: {
      ...several,
      absent: "commas",
      isLocated: true,
    } as Members<ListParameterName>["several"],
  },
  wrongClause: (reader, path, clause) =>
    complain(reader, path, clause, [
      "bad-lists",
      (found) => `\`${found}\` is not a form of several values`,
      { help: 'write `in: "{field}, repeated"` for `id=1&id=2`, or `commas` for `id=1,2`' },
    ]),
  missing: (reader, path, _, { key, span }) =>
    report(reader, "endpoints/bad-lists", key?.span ?? span, `\`${path.at(-1)}\` has no parameter`, {
      help: `write \`as: ${example}\``,
    }),
});

/** Reads the parameters of filters: only `in` and `nin` have several values. */
export const operators: Grammar<Operators> = form<Operators>({
  what: "The parameters of filters",
  example: '{ ne: "{field}_ne" }',
  members: {
    eq: as,
    ne: as,
    in: severalName,
    nin: severalName,
    gt: as,
    gte: as,
    lt: as,
    lte: as,
    contains: as,
    startsWith: as,
    null: as,
  },
});

/** Reads `-createdAt, door`, or a list of such fields. */
export const order: Grammar<readonly OrderKey[]> = {
  schema: shared("names"),
  mapNames: (keys, scope) => {
    let isSame = true;
    const mapped = keys.flatMap((key): OrderKey[] => {
      const field = mapName(key.field, inside(scope, key.field), { references: "field" }, "item");
      isSame &&= field === key.field;
      return field === undefined ? [] : [{ ...key, field }];
    });
    return isSame ? keys : mapped.length === 0 ? undefined : mapped;
  },
  read: (reader, path, { value }, label) => {
    const keys: OrderKey[] = [];
    for (const name of namesAt(reader, path, value, labelOf(label ?? "`order`", path))) {
      const [, minus = "", field = ""] = /^(-?)([A-Za-z_]\w*)$/.exec(name.text) ?? [];
      if (field === "" || keys.some((key) => key.field === field)) {
        report(
          reader,
          "endpoints/bad-order",
          spanOf(name),
          field === "" ? `\`${name.text}\` is not a field of an order` : `\`${field}\` is in the order twice`,
          { help: "write the fields in their order, `-` before a field for descending: `order: -createdAt, name`" },
        );
        continue;
      }
      locateAt(reader, [...path, field], name);
      keys.push({ field, descending: minus === "-" });
    }
    return keys.length === 0 ? undefined : keys;
  },
  print: (keys) => keys.map(({ field, descending }) => `${descending ? "-" : ""}${field}`).join(", "),
};
