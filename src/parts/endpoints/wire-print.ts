/** The wire of a handler, printed: the shortest form that reads back as the same. */
import { jsonTree, type Tree } from "../../document/print.ts";
import { printFieldType } from "../resources/field-print.ts";
import type { FieldType } from "../resources/model.ts";
import { type Parameter, parameterPlaces, type Wire, type WireAnswer, type WireBody } from "./model.ts";

export function printWire(wire: Wire): Tree {
  const { body, answers } = wire;
  return {
    ...Object.fromEntries(
      parameterPlaces.flatMap((place) => (wire[place] === undefined ? [] : [[place, printParameters(wire[place])]])),
    ),
    ...(body === undefined ? {} : { [body.optional ? "body?" : "body"]: printBody(body) }),
    ...(answers === undefined
      ? {}
      : { answers: orNone(Object.entries(answers).map(([status, answer]) => [status, printAnswer(answer)])) }),
  };
}

type Entries = readonly (readonly [name: string, tree: Tree])[];

function orNone(entries: Entries): Tree {
  return entries.length === 0 ? "none" : Object.fromEntries(entries);
}

function printParameters(parameters: Readonly<Record<string, Parameter>>): Tree {
  return orNone(
    Object.entries(parameters).map(([name, one]) => [one.optional ? `${name}?` : name, printParameter(one)]),
  );
}

function printParameter({ type, note, example }: Parameter): Tree {
  const more = { ...noted(note), ...(example === undefined ? {} : { example: jsonTree(example) }) };
  return Object.keys(more).length === 0 && type.kind !== "schema"
    ? printFieldType(type)
    : { ...typeMember(type), ...more };
}

function printBody({ type, media, note }: WireBody): Tree {
  return (
    short(type, { ...mediaMember(media), ...noted(note) }) ?? {
      ...typeMember(type),
      ...mediaMember(media),
      ...noted(note),
    }
  );
}

function printAnswer({ type, media, headers, note }: WireAnswer): Tree {
  const more = {
    ...mediaMember(media),
    ...(headers === undefined ? {} : { headers: printParameters(headers) }),
    ...noted(note),
  };
  return short(type, more) ?? { ...typeMember(type), ...more };
}

/** One line, where nothing else is said. */
function short(type: FieldType | undefined, more: Readonly<Record<string, Tree>>): Tree | undefined {
  if (Object.keys(more).length > 0 || type?.kind === "schema") return undefined;
  return type === undefined ? "none" : printFieldType(type);
}

function typeMember(type: FieldType | undefined): Readonly<Record<string, Tree>> {
  if (type === undefined) return {};
  return type.kind === "schema" ? { schema: jsonTree(type.schema) } : { type: printFieldType(type) };
}

function mediaMember(media: readonly string[] | undefined): Readonly<Record<string, Tree>> {
  return media === undefined ? {} : { media };
}

function noted(note: string | undefined): Readonly<Record<string, Tree>> {
  return note === undefined ? {} : { note };
}
