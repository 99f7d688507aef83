/** Grammars for constructs with members: a map of keys, and for some constructs an equivalent one-line form. */
import type { Span } from "../../base/span.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Entry, MapNode, TextNode } from "../../document/document.ts";
import type { Tree } from "../../document/print.ts";
import { type ChangeReport, type ChangeReports, comparableOf, type Presence } from "./changes.ts";
import { unlocatedText, type SourceText } from "./source-text.ts";
import { createReader, expectMap, knownEntries, type Path, locateAt, type Reader } from "./reader.ts";
import {
  type Below,
  belowOf,
  type Grammar,
  type Label,
  labelOf,
  nothingBelow,
  type PartGrammar,
  type Statement,
  textOf,
} from "./grammar.ts";
import { isAbsent, type LineMembers, lineOf } from "./line.ts";
import { inside, type MapNames, mapNames, type Naming, type Scope, withMembers } from "./references.ts";
import { closed, either, orOpenMap, present } from "./schema.ts";

/** The construct that lacks a member: its span, its key, and its words if it has the one-line form. */
export interface Owner {
  readonly span: Span;
  readonly key?: TextNode;
  readonly words?: SourceText;
}

/** `references`, `declares`: the member's text, or each text of its list, is a name. */
export interface MemberOptions<Value> extends Naming {
  /** The key in the document, if it differs from the member's name in the model. */
  readonly key?: string;
  /** The member's name in diagnostics. Default: its key. */
  readonly label?: Label;
  /** The member's value if the document omits it. */
  readonly absent?: Value;
  /** Required: without a valid value for this member, the reader drops the whole construct. */
  readonly needed?: true;
  /** An invalid value drops the whole construct. Without this option an invalid value counts as omitted. */
  readonly orNothing?: true;
  readonly pattern?: string;
  /** The printer writes the member even if its value equals `absent`. */
  readonly isPrinted?: true;
  /** The member's text in a one-line form gets a location, as the member of a map does. */
  readonly isLocated?: true;
}

export type Member<Value> = Grammar<Value> & MemberOptions<Value>;

/** A grammar for each member of the model, and under names such as `...at` a statement that sets several members at once. */
export type Members<Value, Several extends keyof Value = never> = {
  readonly [Name in Exclude<keyof Value, Several>]-?: Member<Exclude<Value[Name], undefined>> &
    // A member that the model always has must be `needed` or have a value in `absent`.
    ({} extends Pick<Value, Name> ? unknown : { readonly needed: true } | { readonly absent: Value[Name] });
} & { readonly [name: `...${string}`]: Spread<Value> };

/** A statement that sets several members of the model. It prints undefined if the members need no statement. */
export interface Spread<Value> extends MemberOptions<Partial<Value>> {
  readonly schema: JsonObject;
  readonly read: (reader: Reader, path: Path, statement: Statement, label?: Label) => Partial<Value> | undefined;
  readonly print: (value: Value, below: Below) => Tree | undefined;
  readonly mapNames?: (value: Value, scope: Scope) => Partial<Value> | undefined;
  /** The members of the model that the statement sets. */
  readonly gives?: readonly (keyof Value & string)[];
}

interface FormOptions<Value, Several extends keyof Value> {
  /** The construct's name in findings. */
  readonly what: Label;
  readonly members: Members<Value, Several>;
  /** An example of the map form. */
  readonly example: string;
  /** The one-line form: a template, several templates of which one fits, or a custom reader and printer. */
  readonly line?: string | readonly string[] | CustomLine<Value>;
  /** Reports the needed members that are missing, unless they are `not shown`. */
  readonly missing?: (reader: Reader, path: Path, keys: readonly string[], owner: Owner) => void;
  /** Reports a line that no template matches. */
  readonly wrong?: (reader: Reader, path: Path, line: SourceText, head: SourceText) => void;
  readonly wrongClause?: (reader: Reader, path: Path, clause: SourceText) => void;
  /** The JSON Schema of the one-line form, for editors. */
  readonly lineSchema?: JsonObject;
  /** Returns the scope of the names in the construct's members, if it differs from the enclosing scope. */
  readonly scope?: (value: Value, scope: Scope) => Scope;
  /**
   * The reports of the members' changes. With them a comparison reports each member, without them the construct as a whole.
   */
  readonly changes?: ChangeReports<Value>;
  readonly presence?: Presence;
}

/** Reads and prints a one-line form that no template describes. */
export interface CustomLine<Value> {
  readonly read: (reader: Reader, path: Path, line: SourceText, statement: Statement) => Value | undefined;
  /** Prints the value; undefined if one line cannot express it. */
  readonly print: (value: Value) => string | undefined;
}

type Values = Record<string, unknown>;

export interface FormMember {
  readonly name: string;
  readonly key: string;
  readonly member: Grammar<unknown> & MemberOptions<unknown> & { readonly gives?: readonly string[] };
  readonly report: ChangeReport;
  readonly isSpread: boolean;
}

export function form<Value extends object, Several extends keyof Value = never>(
  options: FormOptions<Value, Several>,
): Grammar<Value> {
  const { changes, example, line, presence, what } = options;
  const written = options.members as unknown as Readonly<Record<string, FormMember["member"]>>;
  const members = Object.entries(written).map(
    ([name, member]): FormMember => ({
      name,
      key: member.key ?? name.replace(/^\.\.\./, ""),
      member,
      isSpread: name.startsWith("..."),
      report: { ...changes?.["*"], ...changes?.[name as keyof Value] },
    }),
  );
  const keys = members.map(({ key }) => key);
  const needed = members.filter(({ member }) => member.needed === true);
  const custom = typeof line === "object" && "read" in line ? line : undefined;
  const templates = typeof line === "string" ? [line] : custom === undefined ? ((line ?? []) as readonly string[]) : [];
  const lines = templates.map((template) => lineOf(template, options.members as unknown as LineMembers));

  /**
   * Builds the value of the construct from the statements of its members in a map or a line. `isDeclared`: the document has
   * the member, even if it is `not shown`.
   */
  const valueOf = <Declared>(
    reader: Reader,
    path: Path,
    owner: Owner,
    statementOf: (member: FormMember) => Declared | undefined,
    read: (member: FormMember, statement: Declared) => unknown,
    isDeclared: (member: FormMember) => boolean,
  ): Value | undefined => {
    const values: Values = {};
    let isSound = true;
    for (const one of members) {
      const statement = statementOf(one);
      const parsed = statement && read(one, statement);
      const isLost = parsed === undefined && statement !== undefined && one.member.orNothing === true;
      const value = parsed === undefined ? one.member.absent : parsed;
      isSound &&= !isLost && (value !== undefined || one.member.needed !== true);
      if (value === undefined) continue;
      if (one.isSpread) Object.assign(values, value);
      else values[one.name] = value;
    }
    const lost = needed.filter((one) => !isDeclared(one)).map(({ key }) => key);
    if (lost.length > 0) options.missing?.(reader, path, lost, owner);
    return isSound ? (values as Value) : undefined;
  };

  const readMap = (reader: Reader, path: Path, map: MapNode, owner: TextNode | undefined): Value | undefined => {
    const entries: Readonly<Record<string, Entry | undefined>> = knownEntries(
      reader,
      path,
      map,
      keys,
      labelOf(what, path),
    );
    return valueOf(
      reader,
      path,
      { span: map.span, ...(owner === undefined ? {} : { key: owner }) },
      (one) => entries[one.key],
      ({ key, member }, entry) => {
        const label = member.label ?? (member.readWords === undefined ? `\`${key}\`` : undefined);
        return member.read(reader, [...path, key], entry, label);
      },
      (one) => map.entries.some((entry) => entry.key.value === one.key),
    );
  };

  const words = lines.flatMap((one) => one.words);
  /** Adds the fixed words of the line to the findings about it. */
  const withWords = (reader: Reader, run: () => void): void => {
    const before = reader.diagnostics.length;
    run();
    for (let index = before; index < reader.diagnostics.length; index++)
      reader.diagnostics[index] = { known: words, ...(reader.diagnostics[index] as Diagnostic) };
  };

  const readLine = (reader: Reader, path: Path, sourceText: SourceText): Value | undefined => {
    let reading = lines[0]?.read(sourceText);
    for (let index = 1; index < lines.length && reading?.found === undefined; index++)
      reading = lines[index]?.read(sourceText) ?? reading;
    if (reading?.found === undefined) {
      withWords(reader, () => options.wrong?.(reader, path, sourceText, reading?.head ?? sourceText));
      return undefined;
    }
    const { found, head, wrong } = reading;
    withWords(reader, () => {
      for (const clause of wrong) options.wrongClause?.(reader, path, clause);
    });
    return valueOf(
      reader,
      path,
      { span: sourceText.node.span, words: head },
      ({ name }) => found[name],
      ({ key, member }, words) => {
        if (member.isLocated) locateAt(reader, [...path, key], words);
        return member.readWords?.(reader, path, words);
      },
      ({ name }) => found[name] !== undefined,
    );
  };

  const readText: CustomLine<Value>["read"] = (reader, path, words, statement) =>
    custom === undefined ? readLine(reader, path, words) : custom.read(reader, path, words, statement);

  const read: Grammar<Value>["read"] = (reader, path, statement, label) => {
    const { key, value } = statement;
    if (value.kind === "map") return readMap(reader, path, value, key);
    const called = label ?? what;
    if (custom === undefined && lines.length === 0) {
      expectMap(reader, path, value, labelOf(called, path), example);
      return undefined;
    }
    const words = textOf(reader, path, statement, called);
    if (words === undefined) return undefined;
    return readText(reader, path, words, statement);
  };

  const printMap = (value: Value, below: Below): Tree =>
    Object.fromEntries(
      members.flatMap(({ isSpread, key, member, name }) => {
        const one = isSpread ? value : (value as Values)[name];
        const isOmitted = !member.needed && !member.isPrinted && isAbsent(one, member.absent);
        const tree = isOmitted ? undefined : member.print(one, belowOf(below, key));
        return tree === undefined ? [] : [[key, tree]];
      }),
    );

  const printLine = (value: Value): string | undefined => {
    if (custom !== undefined) return custom.print(value);
    const present = members.filter(({ name, member }) => !isAbsent((value as Values)[name], member.absent));
    const fitting = lines.filter((one) => present.every(({ name }) => one.members.includes(name)));
    return fitting.map((one) => one.print(value as Values)).find((text) => text !== undefined);
  };

  const print: Grammar<Value>["print"] = (all, below) => {
    // A statement that sets several members is printed from the whole value.
    const value = members.some(({ isSpread }) => isSpread)
      ? all
      : (Object.fromEntries(members.map(({ name }) => [name, (all as Values)[name]])) as Value);
    const text = below() ? undefined : printLine(value);
    return text !== undefined && readsBack(text, value) ? text : printMap(value, below);
  };

  const readsBack = (text: string, value: Value): boolean => {
    const reader = createReader();
    const node: TextNode = unlocatedText(text).node;
    return isSame(read(reader, [""], { value: node }), value) && reader.diagnostics.length === 0;
  };

  const naming = members.filter(({ member }) => member.mapNames ?? member.references ?? member.declares);
  const names: MapNames<Value> = (value, around) => {
    const scope = options.scope?.(value, around) ?? around;
    let mapped = value;
    for (const { isSpread, key, member, name } of naming) {
      const one = isSpread ? mapped : (mapped as Values)[name];
      if (one === undefined) continue;
      const at = inside(scope, key);
      const next = member.mapNames === undefined ? mapNames(one, at, member) : member.mapNames(one, at);
      if (next === one) continue;
      if (next === undefined && (isSpread || member.needed)) return undefined;
      mapped = withMembers(mapped, isSpread ? Object.entries(next as Values) : [[name, next]]);
    }
    return mapped;
  };
  const schema = closed(
    Object.fromEntries(members.map(({ key, member }) => [key, orOpenMap(member.schema)])),
    ...needed.map(({ key }) => key),
  );
  const base = {
    ...comparableOf({ members: changes && members, presence }),
    read,
    print,
    ...(naming.length > 0 && { mapNames: names }),
  };
  if (line === undefined) return { ...base, schema };
  return {
    ...base,
    readWords: (reader, path, words) => readText(reader, path, words, { value: words.node }),
    schema: either(options.lineSchema ?? present, schema),
  };
}

/** Makes the grammar of a construct whose written form differs from its value in the model. */
export function converted<Written, Value>(
  written: Grammar<Written>,
  toModel: (reader: Reader, path: Path, value: Written, statement: Statement) => Value | undefined,
  toWritten: (value: Value) => Written,
): Grammar<Value> {
  const { mapNames: names, pattern, readWords, schema } = written;
  return {
    ...comparableOf(written),
    schema,
    ...(pattern === undefined ? {} : { pattern }),
    ...(names && {
      mapNames: (value, scope) => {
        const before = toWritten(value);
        const after = names(before, scope);
        if (after === before) return value;
        return after && toModel(createReader(), scope.path.split("/"), after, { value: unlocatedText("").node });
      },
    }),
    ...(readWords && {
      readWords: (reader, path, words) => {
        const value = readWords(reader, path, words);
        return value === undefined ? undefined : toModel(reader, path, value, { value: words.node });
      },
    }),
    read: (reader, path, statement, label) => {
      const value = written.read(reader, path, statement, label);
      return value === undefined ? undefined : toModel(reader, path, value, statement);
    },
    print: (value, below) => written.print(toWritten(value), below),
  };
}

/** Makes the grammar of a whole part: no member is required, and its map is the part's body. */
export function part<Value extends object, Several extends keyof Value = never>(
  name: string,
  options: FormOptions<Value, Several>,
): PartGrammar<Value> {
  const grammar = form({ changes: {}, ...options });
  return {
    ...grammar,
    print: (value, below = nothingBelow) => grammar.print(value, below),
    readPart: (reader, body) => grammar.read(reader, [name], { value: body }) as Value,
  };
}

/** Whether two values are equal, whatever the order of their members. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, sorted) === JSON.stringify(other, sorted);
}

function sorted(_name: string, value: unknown): unknown {
  const isMap = value !== null && typeof value === "object" && !Array.isArray(value);
  return isMap ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value;
}
