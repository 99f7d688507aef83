/**
 * Reads fields, as one line or a map, in resources, in embedded types, and in the bodies of operations.
 *
 *     name[?]: type [= default | := expression] {, mark}
 *     name[?]: { type, default, computed, marks, note, example }   or   { schema, default, computed, marks, note, example }
 *     default = "now" | "now on change" | "caller" | "counter" [ "per" field ] | "uuid" | "digits(" n ")" | "token(" n ")" | literal
 *
 * A literal ends at the next comma outside brackets and quotes; `[a, b]` and `{ a: 1 }` are the literals of lists and maps. In
 * quotes it may be any text: `= "now"` is the word. `marks` of the map form is a list, or marks with commas.
 */
import type { Json } from "../../base/json.ts";
import { jsonTree } from "../../document/print.ts";
import { toJson } from "../../document/data.ts";
import type { Entry, MapNode } from "../../document/document.ts";
import { didYouMean } from "../../base/suggest.ts";
import { type Grammar, type Label, labelOf } from "../grammar/grammar.ts";
import { shared } from "../grammar/schema.ts";
import { type Words, words } from "../grammar/words.ts";
import { type SourceText, slice, spanOf, splitAt } from "../grammar/source-text.ts";
import {
  expectMap,
  expectText,
  knownEntries,
  openEntries,
  type Path,
  recordLocation,
  locateAt,
  locateAll,
  locateBoth,
  type Reader,
  report,
} from "../grammar/reader.ts";
import { mapEntries, mapMembers, mapName, type MapNames, type Naming, type Scope } from "../grammar/references.ts";
import { namesAt, readText } from "../grammar/values.ts";
import { type Default, type Field, type Fields, type FieldType, type Modifier, marks } from "./model.ts";
import { printFields, printFieldType, printTypeTree } from "./field-print.ts";
import { type Cursor, readFieldType, readType, skipBlanks, typeAt } from "./field-type.ts";

/** Reads a type on one line, or a schema in a map. */
export const fieldType: Grammar<FieldType> = {
  schema: shared("fieldType"),
  read: (reader, path, { value }) => readFieldType(reader, path, value),
  print: (type) => printTypeTree(type),
  mapNames: mapType,
};

export function mapType(type: FieldType, scope: Scope): FieldType | undefined {
  if (type.kind === "named") {
    const name = mapName(type.name, scope, { references: ["resource", "type", "view", "schema"] });
    return name === type.name ? type : name === undefined ? undefined : { ...type, name };
  }
  if (type.kind !== "nullable" && type.kind !== "list" && type.kind !== "map") return type;
  const of = mapType(type.of, scope);
  return of === type.of ? type : of === undefined ? undefined : { ...type, of };
}

/** Maps the names in fields. Without `naming`, the keys of the fields are not names. */
export function mapFields(naming?: Naming): MapNames<Fields> {
  return (all, scope) => mapEntries(all, scope, naming, mapField);
}

export function mapField(field: Field, scope: Scope): Field | undefined {
  const mapped = mapMembers(field, scope, {
    type: mapType,
    default: mapDefault,
    computed: (text, at) => at.walk.expression(text, at),
  });
  if (field.default !== undefined && mapped.default === undefined) return undefined;
  return mapped.type === undefined || (field.computed !== undefined && mapped.computed === undefined)
    ? undefined
    : mapped;
}

const mapDefault: MapNames<Default> = (value, scope) => {
  if (value.kind !== "counter-per") return value;
  const per = mapName(value.per, scope, { references: "field" });
  return per === value.per ? value : per === undefined ? undefined : { ...value, per };
};

/** Reads a map of fields by name. */
export function fields(example: string, what: Label = (path) => `\`${path.at(-1)}\``): Grammar<Fields> {
  return {
    schema: shared("fields"),
    mapNames: mapFields(),
    read: (reader, path, { value }, label = what) => {
      const map = expectMap(reader, path, value, labelOf(label, path), example);
      return map && readFields(reader, path, map);
    },
    print: (value, below) => printFields(value, below),
  };
}

/** The type of a field's map form, as `type` or `schema`. */
export interface WrittenType {
  readonly type?: FieldType;
  readonly schema?: Json;
}

export const typeLine: Words<FieldType> = words(
  (reader, path, line) => readType(reader, path[0] ?? "", line),
  shared("text"),
  { label: "The type", pattern: ".*", print: printFieldType },
);

export const jsonSchema: Grammar<Json> = {
  schema: { type: ["object", "boolean", "array", "string", "number", "null"] },
  read: (reader, path, { value }) => {
    locateAll(reader, path, value);
    return toJson(value);
  },
  print: (value) => jsonTree(value),
};

export const json: Grammar<Json> = {
  schema: {},
  read: (_, __, { value }) => toJson(value),
  print: (value) => jsonTree(value),
};

export const note: Grammar<string> = {
  schema: shared("text"),
  read: (reader, path, { value }) => expectText(reader, path, value, "A note")?.value,
  print: (value) => value,
};

export function typeOf(reader: Reader, path: Path, { type, schema }: WrittenType): FieldType | undefined {
  if (schema === undefined) return type;
  const span = type && reader.places.get(`${path.join("/")}/type#key`);
  if (span !== undefined)
    report(reader, `${path[0]}/two-types`, span, "This has both a type and a schema", {
      help: "keep `type` or `schema`",
    });
  return { kind: "schema", schema };
}

export function writtenType<Rest extends { readonly type?: FieldType }>({
  type,
  ...rest
}: Rest): WrittenType & Omit<Rest, "type"> {
  if (type === undefined) return rest;
  return { ...(type.kind === "schema" ? { schema: type.schema } : { type }), ...rest };
}

/** Reports a name that no field can have; returns whether the name is sound. */
type NameOfField = (reader: Reader, path: Path, entry: Entry, name: string) => boolean;

/** Reads the fields of a map; each has a location under its name with and without `?`. Reports and omits invalid fields. */
export function readFields(
  reader: Reader,
  path: Path,
  map: MapNode,
  isName: NameOfField = isFieldName,
): Record<string, Field> {
  const fields: Record<string, Field> = {};
  for (const entry of openEntries(reader, path, map)) {
    const written = entry.key.value;
    const optional = written.endsWith("?");
    const name = optional ? written.slice(0, -1) : written;
    if (!isName(reader, path, entry, name)) continue;
    if (Object.hasOwn(fields, name)) {
      report(reader, `${path[0]}/field-twice`, entry.key.span, `The field \`${name}\` is defined twice`, {
        help: `keep one of \`${name}\` and \`${name}?\``,
      });
      continue;
    }
    const field = optional ? readOptional(reader, path, entry, name) : readField(reader, [...path, name], entry);
    if (field !== undefined) fields[name] = { ...field, optional };
  }
  return fields;
}

function readOptional(reader: Reader, path: Path, entry: Entry, name: string): Definition | undefined {
  const written = [...path, entry.key.value];
  recordLocation(reader, written, entry);
  locateBoth(reader, written, [...path, name]);
  return readField(reader, written, entry);
}

type Definition = Omit<Field, "optional">;

/** Whether a member of a view can have the name: clients see it, and expressions do not use it. */
export function isMemberName(reader: Reader, path: Path, entry: Entry, name: string): boolean {
  if (/^[^\s/#"?{}]+$/.test(name)) return true;
  report(reader, `${path[0]}/bad-name`, entry.key.span, `\`${name}\` cannot name a member`, {
    why: 'The name of a member has no blanks, and none of / # " ? { }.',
    help: `write \`${name.replaceAll(/[\s/#"?{}]+/g, "-") || "name"}\``,
  });
  return false;
}

function isFieldName(reader: Reader, path: Path, entry: Entry, name: string): boolean {
  if (/^_?[A-Za-z][A-Za-z0-9_]*$/.test(name)) return true;
  report(reader, `${path[0]}/bad-name`, entry.key.span, `\`${name}\` cannot name a field`, {
    why: "Expressions use the name of a field, so it may have only letters, digits and `_`.",
    help:
      path.at(-1) === "query"
        ? `to take \`${name}\` as clients send it, let a handler do the operation: \`does: handler, wire: { query: { "${name}": … } }\``
        : `write \`${name.replaceAll(/[^A-Za-z0-9]+(.)?/g, (_, next: string | undefined) => next?.toUpperCase() ?? "") || "name"}\``,
  });
  return false;
}

function readField(reader: Reader, path: Path, entry: Entry): Definition | undefined {
  const { value } = entry;
  if (value.kind === "map") return readFieldMap(reader, path, value);
  const line = readText(reader, path, entry, `The field \`${path.at(-1)}\``);
  return line === undefined ? undefined : readFieldLine(reader, path, line);
}

/** Reads a field on one line without its name, as an entry of part 9 describes a removed field. */
export function readFieldText(reader: Reader, path: Path, line: SourceText): Omit<Field, "optional"> | undefined {
  return readFieldLine(reader, path, line);
}

function readFieldLine(reader: Reader, path: Path, line: SourceText): Definition | undefined {
  const cursor: Cursor = { reader, part: path[0] ?? "", sourceText: line, at: 0 };
  const type = typeAt(cursor);
  if (type === undefined) return undefined;
  locateAt(reader, [...path, "type"], slice(line, 0, cursor.at));
  skipBlanks(cursor);
  const [first, ...rest] = splitAt(slice(line, cursor.at), ",");
  if (first === undefined) return undefined;
  const value = readValue(reader, path, first);
  return { type, ...value, marks: readModifiers(reader, path, rest) };
}

/** Reads the text between the type and the first comma: the default or the computed value. */
function readValue(reader: Reader, path: Path, sourceText: SourceText): Pick<Field, "default" | "computed"> {
  if (sourceText.text === "") return {};
  if (sourceText.text.startsWith(":=")) {
    const computed = slice(sourceText, 2);
    locateAt(reader, [...path, "computed"], computed);
    if (computed.text !== "") return { computed: computed.text };
    report(reader, `${path[0]}/empty`, spanOf(sourceText), "The expression after `:=` is missing", {
      help: "write `:= size(labels)`",
    });
    return {};
  }
  if (sourceText.text.startsWith("=")) {
    const text = slice(sourceText, 1);
    locateAt(reader, [...path, "default"], text);
    const found = readDefault(reader, path, text.text === "" ? sourceText : text);
    return found === undefined ? {} : { default: found };
  }
  const near = similarModifier(sourceText.text);
  report(
    reader,
    `${path[0]}/unexpected-words`,
    spanOf(sourceText),
    `\`${sourceText.text}\` does not belong to the type`,
    {
      help:
        near === undefined
          ? "a default follows `=`, a mark follows a comma"
          : `marks follow a comma: write \`, ${near}\``,
      ...(near === undefined
        ? {}
        : { fix: { title: `write \`, ${near}\``, span: spanOf(sourceText), text: `, ${near}` } }),
    },
  );
  return {};
}

/** The defaults that one word declares. */
export const defaults: Readonly<Record<string, Default>> = {
  now: { kind: "now" },
  "now on change": { kind: "now-on-change" },
  caller: { kind: "caller" },
  counter: { kind: "counter" },
  uuid: { kind: "uuid" },
};

function readDefault(reader: Reader, path: Path, sourceText: SourceText): Default | undefined {
  const { text } = sourceText;
  if (Object.hasOwn(defaults, text)) return defaults[text];
  const [, per] = /^counter\s+per\s+([A-Za-z_]\w*)$/.exec(text) ?? [];
  if (per !== undefined) return { kind: "counter-per", per };
  const made = /^(digits|token)\s*(?:\(\s*(.*?)\s*\))?$/.exec(text);
  if (made !== null) {
    const length = /^[1-9][0-9]*$/.test(made[2] ?? "") ? Number(made[2]) : 0;
    if (length > 0 && length <= 256) return { kind: made[1] === "digits" ? "digits" : "token", length };
    const help = `write \`${made[1]}(${made[1] === "digits" ? 6 : 32})\`, or \`"${made[1]}"\` for the word itself`;
    return badDefault(reader, path, sourceText, `\`${made[1]}\` needs the number of characters, from 1 to 256`, help);
  }
  if (text === "=")
    return badDefault(reader, path, sourceText, "The default after `=` is missing", "write the value, as in `= 0`");
  if (!/^["']/.test(text)) return { kind: "literal", text };
  const literal = unquoted(text);
  if (literal !== undefined) return { kind: "literal", text: literal };
  return badDefault(reader, path, sourceText, `\`${text}\` is not one quoted text`, 'write it as `"some, words"`');
}

function badDefault(reader: Reader, path: Path, sourceText: SourceText, message: string, help: string): undefined {
  report(reader, `${path[0]}/bad-default`, spanOf(sourceText), message, { help });
  return undefined;
}

function unquoted(text: string): string | undefined {
  if (/^'[^']*'$/.test(text)) return text.slice(1, -1);
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}

function readModifiers(reader: Reader, path: Path, sourceTexts: readonly SourceText[]): readonly Modifier[] {
  const found: Modifier[] = [];
  for (const sourceText of sourceTexts) {
    const modifier = marks.find((one) => one === sourceText.text);
    if (modifier === undefined) reportModifier(reader, path, sourceText);
    else if (found.includes(modifier)) {
      report(reader, `${path[0]}/mark-twice`, spanOf(sourceText), `\`${modifier}\` is listed twice`, {
        help: "say it once",
      });
    } else {
      locateAt(reader, [...path, "marks", modifier], sourceText);
      found.push(modifier);
    }
  }
  return found;
}

function reportModifier(reader: Reader, path: Path, sourceText: SourceText): void {
  const near = similarModifier(sourceText.text);
  const span = sourceText.text === "" ? sourceText.node.span : spanOf(sourceText);
  const message =
    sourceText.text === "" ? "A mark is missing between two commas" : `There is no mark \`${sourceText.text}\``;
  report(reader, `${path[0]}/unknown-mark`, span, message, {
    help:
      near === undefined
        ? (otherModifiers[sourceText.text] ?? `the marks are ${marks.join(", ")}`)
        : `did you mean \`${near}\`?`,
    known: marks,
    ...(near === undefined ? {} : { fix: { title: `write \`${near}\``, span, text: near } }),
  });
}

/** Modifiers of other languages, with what to write instead. */
const otherModifiers: Readonly<Record<string, string>> = {
  required: "a field is required unless its name ends in `?`",
  optional: "write `?` after the field's name",
  nullable: "write `| null` after the type",
  computed: "write `:=` and the expression after the type",
};

function similarModifier(text: string): Modifier | undefined {
  const meant: Readonly<Record<string, Modifier>> = {
    readonly: "read-only",
    immutable: "create-only",
    cascade: "delete with",
    private: "personal",
  };
  return (Object.hasOwn(meant, text) ? meant[text] : undefined) ?? (didYouMean(text, marks) as Modifier | undefined);
}

export const fieldKeys = ["type", "schema", "default", "computed", "marks", "note", "example"] as const;

function readFieldMap(reader: Reader, path: Path, map: MapNode): Definition | undefined {
  const name = path.at(-1);
  const entries = knownEntries(reader, path, map, fieldKeys, `The field \`${name}\``);
  const type = readTypeMember(reader, path, map, entries);
  const value = readText(reader, path, entries.default, "The default");
  const made = value === undefined ? undefined : readDefault(reader, path, value);
  const computed = readText(reader, path, entries.computed, "The expression of a computed field");
  const note = entries.note && expectText(reader, path, entries.note.value, "A note");
  if (made !== undefined && computed !== undefined) {
    report(
      reader,
      `${path[0]}/two-values`,
      spanOf(computed),
      `\`${name}\` cannot be both computed and have a default`,
      {
        help: "keep `computed` or `default`",
      },
    );
  }
  if (type === undefined) return undefined;
  return {
    type,
    ...(made === undefined ? {} : { default: made }),
    ...(computed === undefined ? {} : { computed: computed.text }),
    marks:
      entries.marks === undefined
        ? []
        : readModifiers(reader, path, namesAt(reader, path, entries.marks.value, "`marks`")),
    ...(note === undefined ? {} : { note: note.value }),
    ...(entries.example === undefined ? {} : { example: toJson(entries.example.value) }),
  };
}

function readTypeMember(
  reader: Reader,
  path: Path,
  map: MapNode,
  entries: Partial<Record<(typeof fieldKeys)[number], Entry>>,
): FieldType | undefined {
  const { type, schema } = entries;
  if (schema !== undefined) {
    if (type !== undefined) {
      report(reader, `${path[0]}/two-types`, type.key.span, `\`${path.at(-1)}\` has both a type and a schema`, {
        help: "keep `type` or `schema`",
      });
    }
    locateAll(reader, [...path, "schema"], schema.value);
    return { kind: "schema", schema: toJson(schema.value) };
  }
  const line = readText(reader, path, type, "The type");
  if (line !== undefined) return readType(reader, path[0] ?? "", line);
  if (!map.entries.some((entry) => entry.key.value === "type")) {
    report(reader, `${path[0]}/no-type`, map.span, `The field \`${path.at(-1)}\` has no type`, {
      help: "write `{ type: string(1..80) }`; declare a value with fields as a type below `types:`",
    });
  }
  return undefined;
}
