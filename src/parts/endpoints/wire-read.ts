/**
 * What goes over the wire in an operation that a handler does:
 *
 *     wire     { path, query, header, cookie, body, answers }
 *       path, query, header, cookie
 *                name[?]: type     map: { type, note, example } or { schema, note, example }; `none`: no parameters
 *                a name is whatever callers send: `page[size]`, `X-Trace`
 *       body[?]  type              map: { type, media, note } or { schema, media, note }; `none`: any content
 *                `body?` may be left out; without `media` it is JSON
 *       answers  status: type      map: { type, media, headers, note } or { schema, … }; `none`: no body
 *                a status is three digits, a class such as `4XX`, or `default`
 */
import type { Entry, Node } from "../../document/document.ts";
import { toJson } from "../../document/data.ts";
import { phraseOf } from "../phrase.ts";
import {
  expectMap,
  expectText,
  isNone,
  knownEntries,
  openEntries,
  type Path,
  placeWithin,
  type Reader,
  report,
} from "../reader.ts";
import { readType } from "../resources/field-type.ts";
import type { FieldType } from "../resources/model.ts";
import { readNames, readText } from "../values.ts";
import { type Parameter, parameterPlaces, type Wire, type WireAnswer, type WireBody } from "./model.ts";

export const wireKeys = ["path", "query", "header", "cookie", "body", "body?", "answers"] as const;
export const parameterKeys = ["type", "schema", "note", "example"] as const;
export const wireBodyKeys = ["type", "schema", "media", "note"] as const;
export const wireAnswerKeys = ["type", "schema", "media", "headers", "note"] as const;

type Key = (typeof parameterKeys)[number] | (typeof wireAnswerKeys)[number];

export function readWire(reader: Reader, at: Path, node: Node): Wire | undefined {
  const map = expectMap(reader, at, node, "`wire`", "{ query: { limit?: integer }, answers: { 200: json } }");
  if (map === undefined) return undefined;
  const entries = knownEntries(reader, at, map, wireKeys, "`wire`");
  const places = parameterPlaces.flatMap((place) => {
    const parameters = entries[place] && readParameters(reader, [...at, place], entries[place]);
    return parameters === undefined ? [] : [[place, parameters] as const];
  });
  const body = readBody(reader, at, entries.body, false) ?? readBody(reader, at, entries["body?"], true);
  const answers = entries.answers && readAnswers(reader, [...at, "answers"], entries.answers);
  return {
    ...Object.fromEntries(places),
    ...(body === undefined ? {} : { body }),
    ...(answers === undefined ? {} : { answers }),
  };
}

function readParameters(reader: Reader, at: Path, entry: Entry): Readonly<Record<string, Parameter>> | undefined {
  if (isNone(entry.value)) return {};
  const map = expectMap(reader, at, entry.value, `\`${entry.key.value}\``, "{ limit?: integer(1..100) }");
  if (map === undefined) return undefined;
  const seen = new Set<string>();
  const parameters = openEntries(reader, at, map).flatMap((line): [string, Parameter][] => {
    const written = line.key.value;
    const optional = written.endsWith("?");
    const name = optional ? written.slice(0, -1) : written;
    if (name === "" || seen.has(name)) {
      const message = name === "" ? "A parameter needs a name" : `\`${name}\` is defined twice`;
      report(reader, "endpoints/bad-parameter", line.key.span, message, { help: "write `name: type`, each name once" });
      return [];
    }
    if (optional && entry.key.value === "path") {
      const message = `\`${name}\` is a part of the path, which cannot be left out`;
      report(reader, "endpoints/bad-parameter", line.key.span, message, { help: `write \`${name}\`` });
      return [];
    }
    seen.add(name);
    const parameter = readParameter(reader, [...at, written], line);
    return parameter === undefined ? [] : [[name, { optional, ...parameter }]];
  });
  return Object.fromEntries(parameters);
}

function readParameter(reader: Reader, at: Path, line: Entry): Omit<Parameter, "optional"> | undefined {
  const what = `The parameter \`${line.key.value}\``;
  if (line.value.kind !== "map") {
    const type = readTypeText(reader, at, line.value, what);
    return type && { type };
  }
  const entries = knownEntries(reader, at, line.value, parameterKeys, what);
  const type = readTypeMember(reader, at, entries);
  const note = readNote(reader, at, entries.note);
  if (type === undefined) {
    if (entries.type === undefined)
      report(reader, "endpoints/no-type", line.value.span, `${what} has no type`, {
        help: "add `type: string(1..80)`",
      });
    return undefined;
  }
  return { type, ...note, ...(entries.example === undefined ? {} : { example: toJson(entries.example.value) }) };
}

function readBody(reader: Reader, at: Path, entry: Entry | undefined, optional: boolean): WireBody | undefined {
  if (entry === undefined) return undefined;
  const path = [...at, entry.key.value];
  const { value } = entry;
  if (isNone(value)) return { optional };
  if (value.kind !== "map") {
    const type = readTypeText(reader, path, value, "The body");
    return type && { optional, type };
  }
  const entries = knownEntries(reader, path, value, wireBodyKeys, "The body");
  return { optional, ...readContent(reader, path, entries) };
}

function readAnswers(reader: Reader, at: Path, entry: Entry): Readonly<Record<string, WireAnswer>> | undefined {
  if (isNone(entry.value)) return {};
  const map = expectMap(reader, at, entry.value, "`answers`", "{ 200: Pet, 404: Error }");
  if (map === undefined) return undefined;
  const answers = openEntries(reader, at, map).flatMap((line): [string, WireAnswer][] => {
    const status = line.key.value;
    if (!/^(?:[1-5](?:[0-9]{2}|XX)|default)$/.test(status)) {
      report(reader, "endpoints/bad-status", line.key.span, `\`${status}\` is not the status of an answer`, {
        help: "write three digits, a class such as `4XX`, or `default`",
      });
      return [];
    }
    const answer = readAnswer(reader, [...at, status], line);
    return answer === undefined ? [] : [[status, answer]];
  });
  return Object.fromEntries(answers);
}

function readAnswer(reader: Reader, at: Path, line: Entry): WireAnswer | undefined {
  const what = `The answer \`${line.key.value}\``;
  if (isNone(line.value)) return {};
  if (line.value.kind !== "map") {
    const type = readTypeText(reader, at, line.value, what);
    return type && { type };
  }
  const entries = knownEntries(reader, at, line.value, wireAnswerKeys, what);
  const { media, type, note } = readContent(reader, at, entries);
  const headers = entries.headers && readParameters(reader, [...at, "headers"], entries.headers);
  return {
    ...(type === undefined ? {} : { type }),
    ...(media === undefined ? {} : { media }),
    ...(headers === undefined ? {} : { headers }),
    ...(note === undefined ? {} : { note }),
  };
}

type Entries = Partial<Record<Key, Entry>>;

function readContent(reader: Reader, at: Path, entries: Entries): Omit<WireBody, "optional"> {
  const type = readTypeMember(reader, at, entries);
  const media = entries.media && readNames(reader, [...at, "media"], entries.media.value, "`media`");
  for (const one of media ?? []) {
    if (/^[^\s/;]+\/[^\s/;]+(?:;.*)?$/.test(one) || entries.media === undefined) continue;
    report(reader, "endpoints/bad-media", entries.media.value.span, `\`${one}\` is no media type`, {
      help: "write `application/json`",
    });
  }
  return {
    ...(type === undefined ? {} : { type }),
    ...(media === undefined ? {} : { media }),
    ...readNote(reader, at, entries.note),
  };
}

function readTypeText(reader: Reader, at: Path, node: Node, what: string): FieldType | undefined {
  const text = expectText(reader, at, node, what);
  return text && readType(reader, "endpoints", phraseOf(text));
}

function readTypeMember(reader: Reader, at: Path, { type, schema }: Entries): FieldType | undefined {
  if (schema !== undefined) {
    if (type !== undefined) {
      report(reader, "endpoints/two-types", type.key.span, "This has a type and a schema", {
        help: "keep `type` or `schema`",
      });
    }
    placeWithin(reader, [...at, "schema"], schema.value);
    return { kind: "schema", schema: toJson(schema.value) };
  }
  const line = readText(reader, at, type, "The type");
  return line && readType(reader, "endpoints", line);
}

function readNote(reader: Reader, at: Path, entry: Entry | undefined): { readonly note?: string } {
  const note = entry && expectText(reader, at, entry.value, "A note");
  return note === undefined ? {} : { note: note.value };
}
