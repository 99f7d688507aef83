/**
 * Part 2: resources, embedded types and rules.
 *
 *     Name: { field: … , … }       a definition: its name has a capital, and it has a field `id` (field.ts, field-type.ts)
 *     types:  Name: { field: … }   embedded values
 *     schemas: Name: schema        JSON Schemas with names; one refers to another as `#/schemas/Name`
 *     views:  Name: { of, fields: [field, …], member: … }   projections of a resource
 *       member = type := expression | View [:= expression] | View[] := expression    as a field (field.ts)
 *     tables: Resource: table      the existing table of a resource: its name, or { name, columns: field: column }
 *     rules:  Resource: rule       one rule, or a list of rules
 *       rule  = "unique" field { "+" field } [ "," absent ] [ "else" error ]   map: { unique: [field, …], absent, else }
 *             | expression "else" error                                        map: { holds: expression, else }
 *       absent = "absent" ( "equal" | "distinct" )                             map: equal, distinct
 *
 * The id of a resource: the server generates `id(prefix)` and `id`; it counts `id(counter)` and a field with the default
 * `counter`. The client chooses an id of any other type, unless the id has another default, is computed or is `read-only`. The
 * paths of rules are items from 0, with `holds` or `unique` and `absent`, and `else`.
 */
import type { Json } from "../../base/json.ts";
import { didYouMean } from "../../base/suggest.ts";
import { toJson } from "../../document/data.ts";
import type { Entry } from "../../document/document.ts";
import type { Tree } from "../../document/print.ts";
import { keyed, named, oneOrList } from "../grammar/collections.ts";
import { converted, form } from "../grammar/form.ts";
import {
  belowOf,
  type Grammar,
  nothingBelow,
  type NameCheck,
  type PartGrammar,
  soundName,
} from "../grammar/grammar.ts";
import { lineSchema, memberName, oneOf, orOpen, shared, typeName } from "../grammar/schema.ts";
import { expression, names, text, words } from "../grammar/words.ts";
import { unlocatedText, type SourceText, sourceTextOf, slice, spanOf, splitAt } from "../grammar/source-text.ts";
import {
  expectMap,
  knownEntries,
  openEntries,
  type Path,
  locateAt,
  locateAll,
  type Reader,
  report,
} from "../grammar/reader.ts";
import {
  inside,
  mapEntries,
  mapMembers,
  mapName,
  type MapNames,
  mapNames,
  type Naming,
} from "../grammar/references.ts";
import { namesAt, readChoice, readText } from "../grammar/values.ts";
import { fields, isMemberName, jsonSchema, mapField, mapFields, readFields } from "./field.ts";
import { printFields } from "./field-print.ts";
import {
  absences,
  type ExistingTable,
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
const resourcesKeys = ["types", "schemas", "views", "rules", "tables"] as const;

function isNamed(what: string, example: string): NameCheck {
  return soundName(/^[A-Z][A-Za-z0-9]*$/, [
    "bad-name",
    (name) => `\`${name}\` cannot name a ${what}`,
    { help: `the name of a ${what} starts with a capital and has letters and digits only: \`${example}\`` },
  ]);
}

// ── Types, schemas and views ───────────────────────────────────────────────────────────────────────────────────────

const typeExample = "Address: { street: string(1..120), country: country }";

const types = named(
  {
    ...fields(typeExample, (at) => `The type \`${at.at(-1)}\``),
    schema: orOpen(shared("fields")),
    mapNames: mapFields({ declares: "member" }),
  },
  {
    declares: "type",
    example: typeExample,
    isName: isNamed("type", "Address"),
    pattern: typeName,
  },
);

/**
 * The most schemas whose keywords get locations. A document with more was not written by hand: to locate all keywords would
 * take longer than reading the rest, so an error in a schema is reported at the schema's name.
 */
const mostLocated = 200;

const schemas = named(
  { ...jsonSchema, read: (_, __, { value }) => toJson(value) },
  { declares: "schema", example: "Money: { type: object }", isName: isNamed("schema", "Address"), pattern: typeName },
);

const viewExample = "Cook: { of: User, fields: [handle, bio] }";

const viewKeys = ["of", "fields"] as const;

const fieldNames = names("`fields`", (reader, at, name) => {
  locateAt(reader, [...at, name.text], name);
  return true;
});

const view: Grammar<ViewDefinition> = {
  schema: orOpen({
    type: "object",
    properties: { of: shared("text"), fields: fieldNames.schema },
    patternProperties: { "^(?!(of|fields)$)": shared("field") },
    propertyNames: { pattern: memberName },
    required: ["of"],
  }),
  read: (reader, at, { key, value }) => {
    const what = `The view \`${at.at(-1)}\``;
    const map = expectMap(reader, at, value, what, viewExample);
    if (map === undefined) return undefined;
    const isOwn = (entry: Entry): boolean => viewKeys.some((one) => one === entry.key.value);
    const entries = knownEntries(reader, at, { ...map, entries: map.entries.filter(isOwn) }, viewKeys, what);
    const of = readText(reader, at, entries.of, "`of`");
    if (key !== undefined && !map.entries.some((entry) => entry.key.value === "of"))
      report(reader, "resources/view-of-nothing", key.span, `${what} needs \`of\` with the name of a resource`, {
        help: `write \`${viewExample}\``,
      });
    const some = entries.fields && fieldNames.read(reader, [...at, "fields"], entries.fields);
    const others = { ...map, entries: map.entries.filter((entry) => !isOwn(entry)) };
    const members = readFields(reader, at, others, isMemberName);
    if (of === undefined) return undefined;
    return {
      of: of.text,
      ...(some === undefined ? {} : { fields: some }),
      ...(Object.keys(members).length === 0 ? {} : { members }),
    };
  },
  mapNames: (value, around) => {
    const scope = { ...around, record: value.of };
    const of = mapName(value.of, inside(scope, "of"), { references: "resource" });
    // A member without an expression is the field of its name, so its key is the name of a field.
    const mapMember: MapNames<Fields> = (all) =>
      Object.fromEntries(
        Object.entries(all).flatMap(([key, field]) => {
          const at = inside(scope, key);
          const naming: Naming = field.computed === undefined ? { references: "field" } : { declares: "member" };
          const name = mapName(key, at, naming, "key");
          const member = mapField(field, at);
          return name === undefined || member === undefined ? [] : [[name, member]];
        }),
      );
    const mapped = mapMembers(value, scope, {
      fields: (all, at) => mapNames(all, at, { references: "field" }),
      members: mapMember,
    });
    return of === undefined ? undefined : { ...mapped, of };
  },
  print: ({ of, fields: some, members = {} }, below) => ({
    of,
    ...(some === undefined ? {} : { fields: fieldNames.print(some, below) }),
    ...printFields(members, below),
  }),
};

const views = named(view, {
  declares: "view",
  example: viewExample,
  isName: isNamed("view", "Cook"),
  pattern: typeName,
});

// ── Tables ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const table = form<ExistingTable>({
  what: "A table",
  example: "{ name: pets, columns: { id: pet_id } }",
  line: {
    read: (reader, at, line) => {
      locateAt(reader, [...at, "name"], line);
      return { name: line.text };
    },
    print: ({ columns, name }) => (columns === undefined ? name : undefined),
  },
  lineSchema: shared("text"),
  missing: (reader, _, __, { key, span }) =>
    report(reader, "resources/bad-table", key?.span ?? span, "A table needs its `name`", {
      help: "write `{ name: pets, columns: { id: pet_id } }`",
    }),
  members: {
    name: { ...text("The name of a table"), needed: true },
    columns: keyed(text("The name of a column"), { example: "id: pet_id", references: "field" }),
  },
});

const tables = named(table, { example: "Pet: pets", references: "resource" });

// ── Rules ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface WrittenRule {
  readonly unique?: readonly string[];
  readonly absent?: (typeof absences)[number];
  readonly holds?: string;
  readonly else?: string;
}

const absence = words(
  (reader, at, found) => {
    locateAt(reader, at, found);
    return readChoice(reader, at, found, absences, "`absent`");
  },
  oneOf(...absences),
);

const unique: Grammar<readonly string[]> = {
  // Without one of its fields the rule would mean something else, so the whole rule is removed.
  mapNames: (value, scope) => {
    const mapped = mapNames(value, scope, { references: "field" });
    return mapped?.length === value.length ? mapped : undefined;
  },
  schema: shared("names"),
  read: (reader, at, { value }) =>
    uniqueFields(
      reader,
      at,
      value.kind === "text" ? splitAt(sourceTextOf(value), "+") : namesAt(reader, at, value, "`unique`"),
    ),
  print: (value) => value,
};

const writtenRule = form<WrittenRule>({
  what: "A rule",
  example: "{ holds: weightKg <= 20, else: label-too-heavy }",
  line: { read: readRuleLine, print: printRuleLine },
  lineSchema: lineSchema(
    "unique\\s.+|.+\\selse\\s+\\S+",
    "`unique a + b [, absent equal|distinct]`, or `expression else error`.",
  ),
  members: {
    unique: { ...unique, orNothing: true },
    absent: absence,
    holds: expression("The condition of a rule"),
    else: { ...text("The error of a rule"), references: "error" },
  },
});

const rule = converted<WrittenRule, Rule>(
  writtenRule,
  (reader, _, { absent, else: code, holds, unique: together }, { value }) => {
    if (together !== undefined && holds === undefined)
      return { kind: "unique", fields: together, ...(absent && { absent }), ...(code !== undefined && { else: code }) };
    const absentEntry = value.kind === "map" ? value.entries.find(({ key }) => key.value === "absent") : undefined;
    if (absentEntry !== undefined)
      report(reader, "resources/bad-rule", absentEntry.key.span, "`absent` is only allowed with `unique`", {
        help: "write `{ unique: [site, door], absent: equal }`",
      });
    if (together === undefined && holds !== undefined && code !== undefined)
      return { kind: "holds", expression: holds, else: code };
    report(reader, "resources/bad-rule", value.span, "This rule needs either `unique` or `holds`", {
      help: "write `{ unique: [site, door] }` or `{ holds: weightKg <= 20, else: label-too-heavy }`",
    });
    return undefined;
  },
  (one) => {
    const { kind: _, ...rest } = one;
    if (!("fields" in rest)) return { holds: rest.expression, else: rest.else };
    const { fields: together, ...more } = rest;
    return { unique: together, ...more };
  },
);

const rules = named(oneOrList(rule, true), { example: "Locker: unique site + door", references: "resource" });

const withElse = "write `weightKg <= 20 else label-too-heavy`, with a code of part 7";

function readRuleLine(reader: Reader, at: Path, line: SourceText): WrittenRule | undefined {
  const cut = /\s+else\s+(\S+)$/.exec(line.text);
  const condition = cut === null ? line : slice(line, 0, cut.index);
  const code = cut === null ? undefined : slice(line, line.text.length - (cut[1] ?? "").length);
  if (code !== undefined) locateAt(reader, [...at, "else"], code);
  if (/^unique\s/.test(condition.text)) {
    const rest = slice(condition, "unique ".length);
    const comma = /\s*,/.exec(rest.text);
    const fields = uniqueFields(reader, [...at, "unique"], splitAt(slice(rest, 0, comma?.index), "+"));
    const word = comma === null ? undefined : absentWord(reader, slice(rest, comma.index + comma[0].length));
    const absent = word && absence.readWords(reader, [...at, "absent"], word);
    return fields && { unique: fields, ...(absent && { absent }), ...(code && { else: code.text }) };
  }
  if (condition.text === "" || code === undefined) {
    report(reader, "resources/rule-without-error", spanOf(line), "A rule needs the error to return when it is broken", {
      // In a YAML list in brackets, the comma ended the item, so this text is the clause after the comma.
      help: /^absent\s/.test(line.text) ? "put `unique …, absent …` in quotes" : withElse,
    });
    return undefined;
  }
  locateAt(reader, [...at, "holds"], condition);
  return { holds: condition.text, else: code.text };
}

function printRuleLine({ absent, else: code, holds, unique: together = [] }: WrittenRule): string | undefined {
  const otherwise = code === undefined ? "" : ` else ${code}`;
  if (holds === undefined)
    return `unique ${together.join(" + ")}${absent === undefined ? "" : `, absent ${absent}`}${otherwise}`;
  // A rule that begins with `unique` or contains `else` would read back as another rule, so it needs the map form.
  const isPlain = !/^unique\s|\selse\s/.test(holds) && splitAt(unlocatedText(holds), ",").length === 1;
  return isPlain ? `${holds}${otherwise}` : undefined;
}

/** Returns the text after `absent`, in the clause after the fields. */
function absentWord(reader: Reader, sourceText: SourceText): SourceText | undefined {
  const first = /^absent\s+/.exec(sourceText.text);
  if (first !== null) return slice(sourceText, first[0].length);
  report(
    reader,
    "resources/bad-rule",
    spanOf(sourceText),
    "Only `absent equal` or `absent distinct` may follow the fields",
    {
      help: "write `unique site + door, absent equal`, or `, absent distinct`",
    },
  );
  return undefined;
}

function uniqueFields(reader: Reader, at: Path, sourceTexts: readonly SourceText[]): readonly string[] | undefined {
  const [first] = sourceTexts;
  const wrong = sourceTexts.find((sourceText) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(sourceText.text));
  if (first !== undefined && wrong === undefined) {
    for (const sourceText of sourceTexts) locateAt(reader, [...at, sourceText.text], sourceText);
    return sourceTexts.map((sourceText) => sourceText.text);
  }
  const span = wrong === undefined || wrong.text === "" ? reader.places.get(at.slice(0, -1).join("/")) : spanOf(wrong);
  if (span !== undefined) {
    report(reader, "resources/bad-rule", span, "`unique` is followed by names of fields", {
      help:
        wrong !== undefined && /\babsent\b/.test(wrong.text)
          ? "write `unique site + door, absent equal`"
          : "write `unique site + door`",
    });
  }
  return undefined;
}

// ── Resources ──────────────────────────────────────────────────────────────────────────────────────────────────────

const members = { types, schemas, views, rules, tables };

const mapResource: MapNames<Resource> = (resource, scope) => {
  const mapped = mapFields({ declares: "field" })(resource.fields, scope);
  return mapped === resource.fields || mapped === undefined ? resource : { ...resource, fields: mapped };
};

export const resources: PartGrammar<Resources> = {
  mapNames: (value, scope) =>
    mapMembers(value, scope, {
      resources: (all) => mapEntries(all, scope, { declares: "resource" }, mapResource),
      ...(Object.fromEntries(Object.entries(members).map(([key, member]) => [key, member.mapNames])) as object),
    }),
  schema: {
    type: "object",
    properties: Object.fromEntries(Object.entries(members).map(([key, member]) => [key, member.schema])),
    patternProperties: { [typeName]: orOpen(shared("fields")) },
    additionalProperties: false,
  },
  read: (reader, _, { value }) => (value.kind === "map" ? resources.readPart(reader, value) : undefined),
  readPart: (reader, body) => {
    const found = new Map<string, Resource>();
    const declared: { -readonly [Key in keyof Omit<Resources, "resources">]: Resources[Key] } = {
      types: {},
      rules: {},
    };
    for (const entry of openEntries(reader, path, body)) {
      const name = entry.key.value;
      const at = [...path, name];
      if (name === "types") declared.types = types.read(reader, at, entry) ?? {};
      else if (name === "schemas") declared.schemas = readSchemas(reader, at, entry);
      else if (name === "views") declared.views = views.read(reader, at, entry) ?? {};
      else if (name === "rules") declared.rules = rules.read(reader, at, entry) ?? {};
      else if (name === "tables") declared.tables = tables.read(reader, at, entry) ?? {};
      else if (/^[A-Z][A-Za-z0-9]*$/.test(name)) {
        const resource = readResource(reader, entry);
        if (resource !== undefined) found.set(name, resource);
      } else reportName(reader, entry);
    }
    const { schemas: named = {}, tables: existing = {}, views: projections = {}, ...rest } = declared;
    return {
      resources: Object.fromEntries(found),
      ...rest,
      ...(Object.keys(named).length === 0 ? {} : { schemas: named }),
      ...(Object.keys(projections).length === 0 ? {} : { views: projections }),
      ...(Object.keys(existing).length === 0 ? {} : { tables: existing }),
    };
  },
  print: (part, below = nothingBelow) => {
    const trees: Record<string, Tree> = {};
    for (const [name, resource] of Object.entries(part.resources))
      trees[name] = printFields(resource.fields, belowOf(below, name));
    for (const [key, member] of Object.entries(members)) {
      const value = part[key as keyof typeof members] ?? {};
      if (Object.keys(value).length > 0) trees[key] = member.print(value as never, belowOf(below, key));
    }
    return trees;
  },
};

function readSchemas(reader: Reader, at: Path, entry: Entry): Readonly<Record<string, Json>> {
  const found = schemas.read(reader, at, entry) ?? {};
  const entries = entry.value.kind === "map" ? entry.value.entries : [];
  if (entries.length <= mostLocated)
    for (const { key, value } of entries)
      if (Object.hasOwn(found, key.value)) locateAll(reader, [...at, key.value], value);
  return found;
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
    `\`${name}\` is neither a resource nor \`types\`, \`schemas\`, \`views\`, \`rules\` or \`tables\``,
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
      why: "A resource is identified by its id.",
      help: `add \`id: id(${name.toLowerCase().slice(0, 3)})\`, or move ${name} to \`types:\` if it is a value without an id`,
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
