/**
 * Reads and prints `also`: further writes in the transaction of an operation (part 4), a transition (part 3) or an incoming
 * event (part 6).
 *
 *     also      an item, or a list of items, in the order of the writes
 *       item    { create: Resource, each, if, with: { field: expression } }
 *               { change: Resource, each, if, where, first, sort, set: { field: expression }, else }
 *               { delete: Resource, each, if, where, first, sort, else }
 *     each      name "in" expression
 *     where     a condition; `first` a number of records, `sort` a field, `-field` for descending order
 *
 * `where`, `first` and `sort` also select the records of a transition by `when`.
 */
import type { Node } from "../../document/document.ts";
import { keyed, oneOrList } from "../grammar/collections.ts";
import { converted, form, type Member } from "../grammar/form.ts";
import { complain, type Grammar } from "../grammar/grammar.ts";
import { type Path, type Reader, report } from "../grammar/reader.ts";
import { mapEntries, mapName, type MapNames, type Scope } from "../grammar/references.ts";
import { lineSchema } from "../grammar/schema.ts";
import { count, expression, matching, text, type Words, words } from "../grammar/words.ts";
import { type FurtherWrite, furtherWrites } from "./model.ts";
import type { Selection } from "./further-writes.ts";

const eachHelp = "write `each: line in input.lines`";

type Each = NonNullable<FurtherWrite["each"]>;

const each: Words<Each> = words<Each>(
  (reader, path, line) => {
    const [, name, list] = /^([A-Za-z_]\w*)\s+in\s+(\S.*)$/s.exec(line.text) ?? [];
    if (name !== undefined && list !== undefined) return { name, list };
    return complain(reader, path, line, [
      "bad-also",
      (found) => `\`${found}\` is not a name and a list`,
      { help: eachHelp },
    ]);
  },
  lineSchema("[A-Za-z_]\\w*\\s+in\\s.+", "A name for an item, and a list: `line in input.lines`."),
  { label: "`each`", print: ({ list, name }) => `${name} in ${list}` },
);

const sort: Words<string> = matching(
  /^-?[A-Za-z_]\w*$/,
  [
    "bad-also",
    (found) => `\`${found}\` is not the name of a field`,
    { help: "write `sort: createdAt`, or `sort: -createdAt` for the newest first" },
  ],
  { label: "`sort`" },
);

const mapSort: MapNames<string> = (value, scope) => {
  const [, sign = "", field = ""] = /^(-?)(.*)$/.exec(value) ?? [];
  const mapped = mapName(field, scope, { references: "field" });
  return mapped === undefined ? undefined : sign + mapped;
};

/** The members that select records, for `also` and for transitions by `when`. */
export const selection: { readonly [Name in keyof Selection]-?: Member<NonNullable<Selection[Name]>> } = {
  where: expression("`where`"),
  first: count("`first`"),
  sort: { ...sort, mapNames: mapSort },
};

interface WrittenWrite extends Omit<FurtherWrite, "kind" | "resource"> {
  readonly create?: string;
  readonly change?: string;
  readonly delete?: string;
}

/** Maps names that belong to the record around the write, which bare names mean before a record is selected. */
function outside<Value>(map: MapNames<Value>): MapNames<Value> {
  return (value, scope) => map(value, { ...scope, record: scope.around });
}

const value = expression((path) => `The value of \`${path.at(-1)}\``);
const mapText: MapNames<string> = (one, scope) => scope.walk.expression(one, scope);

/** The keys of `with` are fields of the created record; its expressions are over the record around the write. */
const mapValues: MapNames<Readonly<Record<string, string>>> = (values, scope) =>
  mapEntries(values, scope, { references: "field" }, outside(mapText));

const written = form<WrittenWrite>({
  what: "A write of `also`",
  example: "{ create: Part, with: { order: id } }",
  members: {
    create: { ...text(), references: "resource" },
    change: { ...text(), references: "resource" },
    delete: { ...text(), references: "resource" },
    each: {
      ...each,
      mapNames: outside((one, scope) => {
        const list = mapText(one.list, scope);
        if (list === undefined) return undefined;
        return list === one.list ? one : { ...one, list };
      }),
    },
    if: { ...expression("`if`"), mapNames: outside(mapText) },
    ...selection,
    with: { ...keyed(value, { example: "{ order: id }" }), mapNames: mapValues },
    set: keyed(value, { example: "{ balance: balance - this.total }", references: "field" }),
    else: { ...text(), references: "error" },
  },
  scope: ({ change, create, delete: deleted }, scope): Scope => ({
    ...scope,
    record: create ?? change ?? deleted,
    around: scope.record,
  }),
});

const write = converted<WrittenWrite, FurtherWrite>(
  written,
  (reader, path, { change, create, delete: deleted, ...rest }, { value: node }) => {
    const resources = { create, change, delete: deleted };
    const [kind, second] = furtherWrites.filter((word) => resources[word] !== undefined);
    const resource = kind && resources[kind];
    if (kind === undefined || resource === undefined || second !== undefined) {
      reportKind(reader, path, node, kind === undefined ? [] : [kind, second]);
      return undefined;
    }
    return { kind, resource, ...rest };
  },
  ({ kind, resource, ...rest }) => ({ [kind]: resource, ...rest }),
);

function reportKind(reader: Reader, path: Path, node: Node, kinds: readonly (string | undefined)[]): void {
  // A resource whose name is not a text has a finding already.
  const isWritten =
    node.kind === "map" && node.entries.some(({ key }) => furtherWrites.some((word) => word === key.value));
  if (kinds.length === 0 && isWritten) return;
  const message =
    kinds.length === 0
      ? "This does not say what to write"
      : `One write does one thing, not \`${kinds[0]}\` and \`${kinds[1]}\``;
  report(reader, `${path[0]}/bad-also`, node.span, message, {
    help: "write `create: Part`, `change: Account` or `delete: Draft`, each as an item of its own",
  });
}

export const also: Grammar<readonly FurtherWrite[]> = oneOrList(write, true);
