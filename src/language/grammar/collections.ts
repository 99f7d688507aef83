/** Grammars for maps with the author's own names as keys, and for lists that one item can replace. */
import { sourceTextOf } from "./source-text.ts";
import { expectMap, expectText, isGap, isNone, openEntries, recordLocation, locateAt } from "./reader.ts";
import { namesAt, readLines } from "./values.ts";
import { comparableOf } from "./changes.ts";
import { belowOf, type Grammar, labelOf, type NameCheck, nothingBelow } from "./grammar.ts";
import { isAbsent } from "./line.ts";
import { mapEntries, mapItems, type Naming } from "./references.ts";
import { mapOf, oneOrMore, orNone, orOpen, orOpenMap, plainName, present, shared } from "./schema.ts";

/** `references`, `declares`: the kind of name of the map's keys. */
interface NamedOptions extends Naming {
  readonly example: string;
  readonly isName?: NameCheck;
  /** A regular expression for the names, for editors. */
  readonly pattern?: string;
}

/** Reads a map of entries `name: item`. */
export function keyed<Value>(
  item: Grammar<Value>,
  { example, isName, pattern, ...naming }: NamedOptions,
): Grammar<Readonly<Record<string, Value>>> {
  const keys = naming.references === undefined && naming.declares === undefined ? undefined : naming;
  return {
    ...((keys ?? item.mapNames) && { mapNames: (values, scope) => mapEntries(values, scope, keys, item.mapNames) }),
    item,
    schema: orOpen(mapOf(orOpenMap(item.schema), pattern)),
    read: (reader, path, { value }, label = `\`${path.at(-1)}\``) => {
      const map = expectMap(reader, path, value, labelOf(label, path), example);
      return (
        map &&
        readLines(openEntries(reader, path, map), (line) => {
          const at = [...path, line.key.value];
          if (isName !== undefined && !isName(reader, at, sourceTextOf(line.key))) return undefined;
          return item.read(reader, at, line);
        })
      );
    },
    print: (values, below) =>
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => [name, item.print(value, belowOf(below, name))]),
      ),
  };
}

/** Reads a map of entries `name: item`, or `none`. */
export function named<Value>(item: Grammar<Value>, options: NamedOptions): Grammar<Readonly<Record<string, Value>>> {
  const schema = orNone(mapOf(orOpenMap(item.schema), options.pattern));
  return { ...noneOr(keyed(item, options), {}), schema };
}

interface DescriptionsOptions extends Naming {
  readonly example: string;
  readonly isName: NameCheck;
  /** Whether the map also accepts a name whose sentence is `not shown`, and rejects `none` in place of the map. */
  readonly allowsOpen?: true;
}

/** Reads a map of entries `name: sentence`, or a list of names, each of which then has an empty sentence. */
export function descriptions({
  example,
  isName,
  allowsOpen,
  ...naming
}: DescriptionsOptions): Grammar<Readonly<Record<string, string>>> {
  const forms = [mapOf(shared("text"), plainName), { type: "array", items: { ...present, pattern: plainName } }];
  return {
    item: {},
    schema: allowsOpen ? orOpen(...forms) : orNone(...forms),
    mapNames: (values, scope) => mapEntries(values, scope, naming),
    read: (reader, path, { value }) => {
      const what = `\`${path.at(-1)}\``;
      const found: Record<string, string> = {};
      if (!allowsOpen && isNone(value)) return found;
      if (value.kind === "list") {
        for (const name of namesAt(reader, path, value, what)) {
          locateAt(reader, [...path, name.text], name);
          if (isName(reader, path, name)) found[name.text] = "";
        }
        return found;
      }
      for (const { key, value: description } of expectMap(reader, path, value, what, example)?.entries ?? []) {
        const at = [...path, key.value];
        recordLocation(reader, at, { key, value: description });
        const isOpen = isGap(reader, at, description);
        if (isOpen && !allowsOpen) continue;
        const text = isOpen ? undefined : expectText(reader, path, description, `The description of \`${key.value}\``);
        if (isName(reader, path, sourceTextOf(key)))
          found[key.value] = text === undefined ? "" : sourceTextOf(text).text;
      }
      return found;
    },
    print: (found, below) =>
      below() || Object.values(found).some((description) => description !== "") ? found : Object.keys(found),
  };
}

/**
 * Reads an item, a list of items, or `none`. The path of an item is its index; with `isIndexed`, the locations inside an item
 * also begin with the index.
 */
export function oneOrList<Value>(item: Grammar<Value>, isIndexed = false): Grammar<readonly Value[]> {
  const { mapNames } = item;
  return {
    ...(mapNames && { mapNames: (values, scope) => mapItems(values, scope, mapNames) }),
    schema: orNone(oneOrMore(item.schema)),
    read: (reader, path, { value }) => {
      if (isNone(value)) return [];
      const found: Value[] = [];
      for (const node of value.kind === "list" ? value.items : [value]) {
        const at = [...path, String(found.length)];
        if (isIndexed) locateAt(reader, at, node);
        const one = item.read(reader, isIndexed ? at : path, { value: node });
        if (one === undefined) continue;
        locateAt(reader, at, node);
        found.push(one);
      }
      return found;
    },
    print: (values) => {
      const [first, ...more] = values.map((value) => item.print(value, nothingBelow));
      return first === undefined ? "none" : more.length === 0 ? first : [first, ...more];
    },
  };
}

/** Reads `none` in place of a statement; `nothing` is the value of `none` in the model. */
export function noneOr<Value>(item: Grammar<Value>, nothing?: Value): Grammar<Value> {
  return {
    ...comparableOf(item),
    ...(item.mapNames && { mapNames: item.mapNames }),
    schema: orNone(item.schema),
    read: (reader, path, statement, label) =>
      isNone(statement.value) ? nothing : item.read(reader, path, statement, label),
    print: (value, below) => (isAbsent(value, nothing) && !below() ? "none" : item.print(value, below)),
  };
}
