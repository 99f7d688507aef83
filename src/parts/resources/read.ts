/**
 * Part 2, read: resources, embedded types and rules.
 *
 *     Name: { field: … , … }       a definition: its name has a capital, and it has a field `id` (field.ts, field-type.ts)
 *     types:  Name: { field: … }   embedded values
 *     schemas: Name: schema        JSON Schemas with names; one refers to another as `#/schemas/Name`
 *     views:  Name: { of, fields: [field, …], member: … }   projections of a resource
 *       member = type := expression | View [:= expression] | View[] := expression    as a field (field.ts)
 *     rules:  Resource: rule       one rule, or a list of rules
 *       rule  = "unique" field { "+" field } [ "," absent ] [ "else" error ]   map: { unique: [field, …], absent, else }
 *             | expression "else" error                                        map: { holds: expression, else }
 *       absent = "absent" ( "equal" | "distinct" )                             map: equal, distinct
 *
 * The identity of a resource: `id(prefix)` and `id` are made by the server; `id(counter)` and a field with the default
 * `counter` are counted; a field of another type is given by the client, unless it has another default, is computed or
 * is `read-only`. Rules are placed as items from 0, with `holds` or `unique` and `absent`, and `else`.
 */
import type { Json } from "../../base/json.ts";
import { didYouMean } from "../../base/suggest.ts";
import { toJson } from "../../document/data.ts";
import type { Entry, MapNode, Node } from "../../document/document.ts";
import { type Phrase, phraseOf, slice, spanOf, splitAt } from "../phrase.ts";
import {
  expectMap,
  expectText,
  isNone,
  knownEntries,
  openEntries,
  type Path,
  placeAt,
  placeWithin,
  type Reader,
  report,
} from "../reader.ts";
import { namesAt, readChoice, readLines, readText } from "../values.ts";
import { readFields } from "./field.ts";
import {
  absences,
  type Field,
  type Fields,
  type FieldType,
  type Resource,
  type Resources,
  type Rule,
  type ViewDefinition,
} from "./model.ts";

const path: Path = ["resources"];

/** The keys of the part that are not names of resources. */
export const resourcesKeys = ["types", "schemas", "views", "rules"] as const;

export function readResources(reader: Reader, body: MapNode): Resources {
  const resources: Record<string, Resource> = {};
  let types: Record<string, Fields> = {};
  let schemas: Readonly<Record<string, Json>> = {};
  let views: Readonly<Record<string, ViewDefinition>> = {};
  let rules: Record<string, readonly Rule[]> = {};
  for (const entry of openEntries(reader, path, body)) {
    const name = entry.key.value;
    if (name === "types") types = readTypes(reader, entry);
    else if (name === "schemas") schemas = readSchemas(reader, entry);
    else if (name === "views") views = readViews(reader, entry);
    else if (name === "rules") rules = readRules(reader, entry);
    else if (/^[A-Z][A-Za-z0-9]*$/.test(name)) {
      const resource = readResource(reader, entry);
      if (resource !== undefined) resources[name] = resource;
    } else reportName(reader, entry);
  }
  return {
    resources,
    types,
    ...(Object.keys(schemas).length === 0 ? {} : { schemas }),
    ...(Object.keys(views).length === 0 ? {} : { views }),
    rules,
  };
}

function reportName(reader: Reader, entry: Entry): void {
  const name = entry.key.value;
  const near = didYouMean(name, resourcesKeys);
  const capital =
    name.charAt(0).toUpperCase() +
    name.slice(1).replaceAll(/[^A-Za-z0-9]+(.)?/g, (_, next?: string) => next?.toUpperCase() ?? "");
  const text = near ?? capital;
  report(
    reader,
    "resources/unknown-key",
    entry.key.span,
    `\`${name}\` is neither a resource nor \`types\`, \`schemas\`, \`views\` or \`rules\``,
    {
      help:
        near === undefined
          ? `the name of a resource starts with a capital: \`${capital}\``
          : `did you mean \`${near}\`?`,
      ...(/^[A-Za-z]/.test(text) ? { fix: { title: `write \`${text}\``, span: entry.key.span, text } } : {}),
    },
  );
}

function readResource(reader: Reader, entry: Entry): Resource | undefined {
  const name = entry.key.value;
  const map = expectMap(reader, path, entry.value, `The resource \`${name}\``, "{ id: id(par), name: string(1..80) }");
  if (map === undefined) return undefined;
  const fields = readFields(reader, [...path, name], map);
  const { id } = fields;
  if (id !== undefined) return { fields: { ...fields, id: { ...id, type: identity(id) } } };
  if (!map.entries.some((field) => field.key.value === "id" || field.key.value === "id?")) {
    report(reader, "resources/no-identity", entry.key.span, `\`${name}\` has no field \`id\``, {
      why: "A resource is what can be told apart by its id.",
      help: `add \`id: id(${name.toLowerCase().slice(0, 3)})\`, or move a value without identity below \`types:\``,
    });
  }
  return { fields };
}

function identity(field: Field): FieldType {
  const { type } = field;
  if (type.kind === "id") return type;
  if (field.default?.kind === "counter") return { kind: "id", made: "counter", of: type };
  const server = field.default !== undefined || field.computed !== undefined || field.marks.includes("read-only");
  return { kind: "id", made: server ? "server" : "client", of: type };
}

function readTypes(reader: Reader, entry: Entry): Record<string, Fields> {
  const types: Record<string, Fields> = {};
  if (isNone(entry.value)) return types;
  const example = "Address: { street: string(1..120), country: country }";
  const map = expectMap(reader, path, entry.value, "`types`", example);
  for (const type of map === undefined ? [] : openEntries(reader, [...path, "types"], map)) {
    const name = type.key.value;
    if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) {
      report(reader, "resources/bad-name", type.key.span, `\`${name}\` cannot name a type`, {
        help: "the name of a type starts with a capital and has letters and digits only: `Address`",
      });
      continue;
    }
    const fields = expectMap(reader, path, type.value, `The type \`${name}\``, example);
    if (fields !== undefined) types[name] = readFields(reader, [...path, "types", name], fields);
  }
  return types;
}

/**
 * With more schemas than this a document was not written by hand: a fault in one is then placed at its name, since the places
 * of all their keywords would take longer than everything else that is read.
 */
const mostPlaced = 200;

function readSchemas(reader: Reader, entry: Entry): Readonly<Record<string, Json>> {
  if (isNone(entry.value)) return {};
  const map = expectMap(reader, path, entry.value, "`schemas`", "Money: { type: object }");
  const entries = map === undefined ? [] : openEntries(reader, [...path, "schemas"], map);
  return Object.fromEntries(
    entries.flatMap((schema): [string, Json][] => {
      const name = schema.key.value;
      if (/^[A-Z][A-Za-z0-9]*$/.test(name)) {
        if (entries.length <= mostPlaced) placeWithin(reader, [...path, "schemas", name], schema.value);
        return [[name, toJson(schema.value)]];
      }
      report(reader, "resources/bad-name", schema.key.span, `\`${name}\` cannot name a schema`, {
        help: "the name of a schema starts with a capital and has letters and digits only: `Address`",
      });
      return [];
    }),
  );
}

const viewExample = "Cook: { of: User, fields: [handle, bio] }";

function readViews(reader: Reader, entry: Entry): Readonly<Record<string, ViewDefinition>> {
  if (isNone(entry.value)) return {};
  const map = expectMap(reader, path, entry.value, "`views`", viewExample);
  const entries = map === undefined ? [] : openEntries(reader, [...path, "views"], map);
  return readLines(entries, (view) => {
    const name = view.key.value;
    if (/^[A-Z][A-Za-z0-9]*$/.test(name)) return readView(reader, [...path, "views", name], view);
    report(reader, "resources/bad-name", view.key.span, `\`${name}\` cannot name a view`, {
      help: "the name of a view starts with a capital and has letters and digits only: `Cook`",
    });
    return undefined;
  });
}

function readView(reader: Reader, at: Path, view: Entry): ViewDefinition | undefined {
  const what = `The view \`${view.key.value}\``;
  const map = expectMap(reader, at, view.value, what, viewExample);
  if (map === undefined) return undefined;
  const isOwn = ({ key }: Entry): boolean => key.value === "of" || key.value === "fields";
  const own = { ...map, entries: map.entries.filter(isOwn) };
  const entries = knownEntries(reader, at, own, ["of", "fields"], what);
  const of = readText(reader, at, entries.of, "`of`");
  if (!map.entries.some(({ key }) => key.value === "of")) {
    report(reader, "resources/view-of-nothing", view.key.span, `${what} does not say which resource it is of`, {
      help: `write \`${viewExample}\``,
    });
  }
  const fields = entries.fields && fieldNames(reader, at, entries.fields.value);
  const members = readFields(reader, at, { ...map, entries: map.entries.filter((entry) => !isOwn(entry)) });
  if (of === undefined) return undefined;
  return {
    of: of.text,
    ...(fields === undefined ? {} : { fields }),
    ...(Object.keys(members).length === 0 ? {} : { members }),
  };
}

function fieldNames(reader: Reader, at: Path, value: Node): readonly string[] {
  const phrases = namesAt(reader, at, value, "`fields`");
  for (const phrase of phrases) placeAt(reader, [...at, "fields", phrase.text], phrase);
  return phrases.map(({ text }) => text);
}

function readRules(reader: Reader, entry: Entry): Record<string, readonly Rule[]> {
  const rules: Record<string, readonly Rule[]> = {};
  if (isNone(entry.value)) return rules;
  const map = expectMap(reader, path, entry.value, "`rules`", "Locker: unique site + door");
  for (const line of map === undefined ? [] : openEntries(reader, [...path, "rules"], map)) {
    const at = [...path, "rules", line.key.value];
    const nodes = line.value.kind === "list" ? line.value.items : isNone(line.value) ? [] : [line.value];
    rules[line.key.value] = readItems(reader, at, nodes);
  }
  return rules;
}

function readItems(reader: Reader, at: Path, nodes: readonly Node[]): readonly Rule[] {
  const rules: Rule[] = [];
  for (const node of nodes) {
    const item = [...at, String(rules.length)];
    placeAt(reader, item, node);
    const rule = node.kind === "map" ? readRuleMap(reader, item, node) : readRuleLine(reader, item, node);
    if (rule !== undefined) rules.push(rule);
  }
  return rules;
}

const withElse = "write `weightKg <= 20 else label-too-heavy`, with a code of part 7";

function readRuleLine(reader: Reader, at: Path, node: Node): Rule | undefined {
  const text = expectText(reader, at, node, "A rule");
  if (text === undefined) return undefined;
  const line = phraseOf(text);
  const cut = /\s+else\s+(\S+)$/.exec(line.text);
  const condition = cut === null ? line : slice(line, 0, cut.index);
  const code = cut === null ? undefined : slice(line, line.text.length - (cut[1] ?? "").length);
  if (code !== undefined) placeAt(reader, [...at, "else"], code);
  if (/^unique\s/.test(condition.text)) {
    const rest = slice(condition, "unique ".length);
    const comma = /\s*,/.exec(rest.text);
    const fields = uniqueFields(reader, at, splitAt(slice(rest, 0, comma?.index), "+"));
    const word = comma === null ? undefined : absentWord(reader, slice(rest, comma.index + comma[0].length));
    return fields && uniqueRule(fields, readAbsent(reader, at, word), code);
  }
  if (condition.text === "" || code === undefined) {
    report(reader, "resources/rule-without-error", spanOf(line), "A rule says which error answers what breaks it", {
      // In brackets, where a comma ends an item, this is what follows it.
      help: /^absent\s/.test(line.text) ? "put `unique …, absent …` in quotes" : withElse,
    });
    return undefined;
  }
  placeAt(reader, [...at, "holds"], condition);
  return { kind: "holds", expression: condition.text, else: code.text };
}

function readRuleMap(reader: Reader, at: Path, node: MapNode): Rule | undefined {
  const entries = knownEntries(reader, at, node, ["unique", "absent", "holds", "else"], "A rule");
  const code = readText(reader, at, entries.else, "The error of a rule");
  const { unique, holds } = entries;
  if (unique !== undefined && holds === undefined) {
    const { value } = unique;
    const fields = uniqueFields(
      reader,
      at,
      value.kind === "text" ? splitAt(phraseOf(value), "+") : namesAt(reader, at, value, "`unique`"),
    );
    const absent = readAbsent(reader, at, readText(reader, at, entries.absent, "`absent`"));
    return fields && uniqueRule(fields, absent, code);
  }
  if (entries.absent !== undefined) {
    report(reader, "resources/bad-rule", entries.absent.key.span, "`absent` is about fields that are unique together", {
      help: "write `{ unique: [site, door], absent: equal }`",
    });
  }
  const condition = readText(reader, at, holds, "The condition of a rule");
  if (unique !== undefined || condition === undefined || code === undefined) {
    const help = "write `{ unique: [site, door] }` or `{ holds: weightKg <= 20, else: label-too-heavy }`";
    report(reader, "resources/bad-rule", node.span, "This rule says neither what is unique nor what holds, or both", {
      help,
    });
    return undefined;
  }
  return { kind: "holds", expression: condition.text, else: code.text };
}

type Absence = Extract<Rule, { kind: "unique" }>["absent"];

function uniqueRule(fields: readonly string[], absent: Absence, code: Phrase | undefined): Rule {
  return {
    kind: "unique",
    fields,
    ...(absent === undefined ? {} : { absent }),
    ...(code === undefined ? {} : { else: code.text }),
  };
}

/** What follows the comma after the fields, without its first word. */
function absentWord(reader: Reader, phrase: Phrase): Phrase | undefined {
  const first = /^absent\s+/.exec(phrase.text);
  if (first !== null) return slice(phrase, first[0].length);
  report(reader, "resources/bad-rule", spanOf(phrase), "After the fields a rule says what holds of absent values", {
    help: "write `unique site + door, absent equal`, or `, absent distinct`",
  });
  return undefined;
}

function readAbsent(reader: Reader, at: Path, word: Phrase | undefined): Absence {
  if (word !== undefined) placeAt(reader, [...at, "absent"], word);
  return readChoice(reader, at, word, absences, "`absent`");
}

function uniqueFields(reader: Reader, at: Path, phrases: readonly Phrase[]): readonly string[] | undefined {
  const [first] = phrases;
  const wrong = phrases.find((phrase) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(phrase.text));
  if (first !== undefined && wrong === undefined) {
    for (const phrase of phrases) placeAt(reader, [...at, "unique", phrase.text], phrase);
    return phrases.map((phrase) => phrase.text);
  }
  const span = wrong === undefined || wrong.text === "" ? reader.places.get(at.join("/")) : spanOf(wrong);
  if (span !== undefined) {
    report(reader, "resources/bad-rule", span, "`unique` is followed by names of fields", {
      help: "write `unique site + door`",
    });
  }
  return undefined;
}
