/**
 * Part 4: where each operation is reached, and how lists, edits and repeats work.
 *
 *     base       `{base_url}`, or an absolute URL, with or without a path
 *     lists      kind {, n "per page" | "limit" n ["at most" n] | "at most" n | "bare array"}
 *                and its options: see lists.ts
 *     edits      "If-Match required" | "If-Match optional" | none                               map: { If-Match }
 *     repeats    Header ["required"] "on every" ("POST" | "write") [, "kept" duration] [, "echoed"] | none
 *                map: { header, on, required, kept, echoed }
 *     requests   { media, unknown, texts, empty }   what bodies and parameters may contain (requests.ts)
 *     expand     name [, "depth" n] [, "from response"] | none   the parameter for records in place of ids (selection.ts)
 *     fields     name | none   the parameter for some members of a record
 *     wrap       { one, many }   names of the members around records: `"{resource}"`, `"{resources}"`, or a name
 *     openapi    members of the exported OpenAPI description (../grammar/openapi-members.ts)
 *     cors       origins | any | none                                                           map: { origins, credentials, keep }
 *     mcp        /path | none   where agents call operations as tools                           map: { at, for }
 *     endpoints  operation: METHOD /path
 *                operation: { at, of, does, the, link, unlink, takes, query, gives, headers, choose, if, else, status,
 *                             lists, order, filters, where, requests, expand, fields, edits, repeats, also }
 *       at       METHOD /path   map: { method, path }
 *       takes    field: type    as in part 2; { name: { … } }: a nested object; a view's name: its fields; `none`: nothing
 *                Resource[](a..b) | View[](a..b): an array of records; also as the type of the only member
 *       gives    member: expression | View | "View[]" | count | next | { … }; or a single such value; `none`: no body
 *                of a handler member: type, as in part 2
 *       choose   field: { from, if, else }
 *       status   the success status                 map: see operation-members.ts
 *       lists, requests, expand, fields, edits, repeats   as above, for this operation alone
 *       order, headers: see list-options.ts
 *       where    the condition of a list
 *       does     an action (model.ts), `handler`, or `none`: described, and not served
 *       wire     of a handler, or with `does: none`: its complete HTTP contract (wire-grammar.ts); of any other operation: the
 *                contract that callers know and that the operation has to keep
 *       also     further writes (../states/also.ts)
 *       the, link, unlink, query, if, else, filters: see operation-members.ts
 */
import { group } from "./summary.ts";
import type { Node } from "../../document/document.ts";
import { converted, form, type Members, part } from "../grammar/form.ts";
import type { Effect } from "../grammar/changes.ts";
import { named, noneOr } from "../grammar/collections.ts";
import { complain, type Grammar, type PartGrammar } from "../grammar/grammar.ts";
import { either, lineSchema, shared } from "../grammar/schema.ts";
import { choice, duration, expression, flag, matching, text, type Words, words } from "../grammar/words.ts";
import { slice } from "../grammar/source-text.ts";
import { isNone, locateAt, report } from "../grammar/reader.ts";
import { openapiMembers } from "../grammar/openapi-members.ts";
import { address } from "./address.ts";
import { cors } from "./cors.ts";
import { also } from "../states/also.ts";
import { mcp } from "./mcp.ts";
import { headers, order } from "./list-options.ts";
import { listStyle } from "./lists.ts";
import {
  actions,
  type EditStyle,
  type Endpoint,
  type Endpoints,
  editStyles,
  type IdempotencyStyle,
  idempotencyScopes,
  type Wrap,
} from "./model.ts";
import { choices, filters, gives, handlerResponse, link, query, statuses, takes } from "./operation-members.ts";
import { isFree } from "./resolve.ts";
import { requests } from "./requests.ts";
import { expand, fields } from "./selection.ts";
import { wireAs } from "./wire-grammar.ts";

const base = matching(
  /^(?:\{base_url\}|https?:\/\/[^\s/?#{}]+)(?:\/[^\s?#{}]*)?$/,
  [
    "bad-base",
    (found) => `\`${found}\` ${hasParameter(found) ? "has a parameter in its path" : "is not a base address"}`,
    {
      help: (found) => {
        if (!hasParameter(found))
          return 'write `"{base_url}"`, which the server fills in when it starts, or `https://api.example.com`';
        return /\/v?\{n\}/.test(found)
          ? 'declare the version with `sent: path /v{n}` in part 9, which puts it before every path: write `"{base_url}"` here'
          : 'a base address is the same for every request: write `"{base_url}/api"`';
      },
    },
  ],
  {
    label: "The base address",
    schema: lineSchema("(\\{base_url\\}|https?://[^\\s/?#]+)(/[^\\s?#]*)?", "`{base_url}`, or an absolute address."),
  },
);

function hasParameter(found: string): boolean {
  return /^\{base_url\}\/.*[{}]/.test(found);
}

const ifMatch = choice(editStyles, "`If-Match`");

const edits = converted<{ readonly style: EditStyle }, EditStyle>(
  form<{ readonly style: EditStyle }>({
    what: "The precondition of edits",
    example: "{ If-Match: required }",
    line: {
      // The name of the header is read in any letter case.
      read: (reader, path, line) => {
        const [, word] = /^If-Match\s+(\S+)$/i.exec(line.text) ?? [];
        if (word === undefined)
          return complain(reader, path, line, [
            "bad-edits",
            (found) => `\`${found}\` is not a precondition of edits`,
            { help: "write `If-Match required`, `If-Match optional` or `none`" },
          ]);
        const style = ifMatch.readWords(reader, path, slice(line, line.text.length - word.length));
        return style && { style };
      },
      print: ({ style }) => `If-Match ${style}`,
    },
    lineSchema: lineSchema("[Ii][Ff]-[Mm][Aa][Tt][Cc][Hh]\\s+(required|optional)|none", "`If-Match required`"),
    members: { style: { ...ifMatch, key: "If-Match", needed: true } },
  }),
  (_, __, { style }) => style,
  (style) => ({ style }),
);

/** `required` rejects clients without preconditions; ignoring preconditions removes the protection against lost updates. */
export function editEffect(old: unknown, now: unknown): Effect {
  const harmless = old === undefined || now === undefined || (now === "optional" && old !== "optional");
  return harmless && now !== "required" ? "additive" : "breaking";
}

/** A new parameter changes no request that clients send already. */
export function parameterEffect(old: unknown): Effect {
  return old === undefined || old === "none" ? "additive" : "breaking";
}

const repeatsHelp = "write `Idempotency-Key on every POST, kept 24h`, or `required on every write`";

const repeats: Grammar<IdempotencyStyle> = form<IdempotencyStyle>({
  what: "Idempotency",
  example: "{ header: Idempotency-Key, on: POST, kept: 24h }",
  line: "{header}[ {required}] on every {on}[, kept {kept}][, {echoed}]",
  lineSchema: lineSchema(
    `none|\\S+\\s+(required\\s+)?on\\s+every\\s+(${idempotencyScopes.join("|")})(\\s*,\\s*kept\\s+\\S+)?(\\s*,\\s*echoed)?`,
    "`Idempotency-Key on every POST, kept 24h`",
  ),
  members: {
    header: {
      ...matching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, [
        "bad-repeats",
        (found) => `\`${found}\` is not the name of a header`,
        { help: repeatsHelp },
      ]),
      needed: true,
    },
    on: { ...choice(idempotencyScopes, "The repeatable method"), pattern: idempotencyScopes.join("|"), needed: true },
    required: { ...flag("required"), absent: false },
    kept: { ...duration("How long responses are stored"), isLocated: true },
    echoed: { ...flag("echoed"), isLocated: true },
  },
  wrong: (reader, path, _, head) =>
    complain(reader, path, head, [
      "bad-repeats",
      (found) => `\`${found}\` is not a declaration of idempotency`,
      { help: repeatsHelp },
    ]),
  wrongClause: (reader, path, clause) =>
    complain(reader, path, clause, [
      "bad-repeats",
      (found) => `\`${found}\` is neither \`kept\` with a duration nor \`echoed\``,
      { help: repeatsHelp },
    ]),
  missing: (reader, path, _, { span }) =>
    report(reader, `${path[0]}/bad-repeats`, span, "This needs the header and the requests that it makes idempotent", {
      help: "write `{ header: Idempotency-Key, on: POST, kept: 24h }`",
    }),
});

/** Reads `none`, or a declaration in the given grammar. */
function orNoneWord<Value extends object>(grammar: Grammar<Value>): Grammar<Value | "none"> {
  return {
    schema: grammar.schema,
    read: (reader, path, statement, label) =>
      isNone(statement.value) ? "none" : grammar.read(reader, path, statement, label),
    print: (value, below) => (value === "none" ? value : grammar.print(value, below)),
  };
}

function wrapName(key: string, place: string): Words<string> {
  return words(
    (reader, path, found) =>
      /^[^\s{}"]+$/.test(found.text.replace(place, "x"))
        ? found.text
        : complain(reader, path, found, [
            "bad-wrap",
            (name) => `\`${name}\` is not the name of a member`,
            { help: `write \`"${place}"\`, which is the resource's own name, or a name for all: \`data\`` },
          ]),
    text().schema,
    { label: `The name around \`${key}\`` },
  );
}

const wrap = form<Wrap>({
  what: "`wrap`",
  changes: {
    one: { subject: "wrap.one", what: "The envelope of a record" },
    many: { subject: "wrap.many", what: "The envelope of a page of records" },
  },
  example: '{ one: "{resource}", many: "{resources}" }',
  members: { one: wrapName("one", "{resource}"), many: wrapName("many", "{resources}") },
});

// ── Operations ─────────────────────────────────────────────────────────────────────────────────────────────────────

type Several =
  | "method"
  | "path"
  | "meant"
  | "takes"
  | "nesting"
  | "takesView"
  | "manyRecords"
  | "gives"
  | "shape"
  | "status"
  | "statuses"
  | "wire"
  | "knownContract";

const at = address((path) => `The endpoint of \`${path[2]}\``);

const members: Members<Endpoint, Several> = {
  "...at": {
    ...at,
    read: (reader, path, statement) => {
      if (statement.value.kind === "text") locateAt(reader, path, statement.value);
      return at.read(reader, path, statement);
    },
    needed: true,
  },
  of: { ...text(), references: "resource" },
  does: choice(actions, "What an operation does"),
  "...takes": takes,
  "...gives": gives,
  choose: choices,
  "...status": statuses,
  group,
  lists: listStyle,
  order,
  headers,
  requests,
  expand: orNoneWord(expand),
  fields,
  element: matching(
    /^[\p{L}_][\p{L}\p{N}_.-]*$/u,
    [
      "bad-element",
      (found) => `\`${found}\` cannot be the name of an element of XML`,
      { help: "write a name without blanks: `created-booking`" },
    ],
    { label: "The element around the response" },
  ),
  edits: { ...noneOr(edits, "none"), schema: edits.schema },
  repeats: orNoneWord(repeats),
  where: expression(),
  "...wire": wireAs("knownContract"),
  the: expression(),
  link,
  unlink: link,
  also,
  query,
  filters,
  if: expression(),
  else: { ...text(), references: "error" },
};

function endpointForm(of: Members<Endpoint, Several>): Grammar<Endpoint> {
  return form<Endpoint, Several>({
    what: (path) => `The endpoint of \`${path[2]}\``,
    example: "{ at: POST /parcels }",
    members: of,
    missing: (reader, path, _, { key, span }) =>
      report(
        reader,
        "endpoints/no-address",
        key?.span ?? span,
        `The endpoint of \`${path[2]}\` has no method and path`,
        {
          help: "add `at: POST /parcels`",
        },
      ),
  });
}

const ordinary = endpointForm(members);
const handler = endpointForm({ ...members, "...gives": handlerResponse, "...wire": wireAs("wire") });

/** Whether `gives` of the endpoint has types instead of expressions. */
function isFreeText(does: Node | undefined): boolean {
  return does?.kind === "text" && (does.value === "handler" || does.value === "none");
}

const endpoint: Grammar<Endpoint> = {
  mapNames: (value, scope) => (isFree(value) ? handler : ordinary).mapNames?.(value, scope),
  schema: either(shared("address"), ordinary.schema),
  read: (reader, path, statement) => {
    const { value } = statement;
    if (value.kind !== "map") return members["...at"]?.read(reader, [...path, "at"], statement) as Endpoint | undefined;
    const does = value.entries.find(({ key }) => key.value === "does")?.value;
    const read = (isFreeText(does) ? handler : ordinary).read(reader, path, statement);
    // A login needs no `if`: its `else` is the error for a rejected login.
    if (read?.if === undefined || read.else !== undefined) return read;
    const { if: _, ...rest } = read;
    const guard = value.entries.find(({ key }) => key.value === "if")?.key;
    if (guard !== undefined)
      report(reader, "endpoints/bad-guard", guard.span, "`if` needs `else` with the error to return when it is false", {
        help: "add `else: the-error`",
      });
    return rest;
  },
  print: (value, below) => {
    const tree = (isFree(value) ? handler : ordinary).print(value, below);
    return Object.keys(tree).length === 1 && !below() ? at.print(value, below) : tree;
  },
};

export const endpoints: PartGrammar<Endpoints> = part<Endpoints>("endpoints", {
  what: "Part 4",
  changes: {
    base: {
      what: "The base address",
      effect: (old, now) => (old === undefined || now === undefined ? "neutral" : "breaking"),
    },
    edits: { what: "The precondition of edits", effect: editEffect },
    fields: { what: "The parameter for some members of a record", effect: parameterEffect },
    openapi: { what: "What the OpenAPI description says besides", effect: "neutral" },
  },
  example: "{ endpoints: { getParcel: GET /parcels/{id} } }",
  members: {
    base,
    lists: listStyle,
    edits: { ...noneOr(edits, "none"), schema: edits.schema },
    requests,
    expand: orNoneWord(expand),
    fields: { ...fields, isLocated: true },
    repeats: orNoneWord(repeats),
    wrap: noneOr(wrap),
    cors,
    mcp,
    openapi: openapiMembers(["openapi", "paths", "webhooks", "components", "security"]),
    endpoints: { ...named(endpoint, { example: "getParcel: GET /parcels/{id}", declares: "operation" }), absent: {} },
  },
});
