/**
 * Part 4, read: where each operation is reached, and how lists, edits and repeats work.
 *
 *     base       `{base_url}`, or an absolute address; a path may follow
 *     lists      kind {, n "per page" | "limit" n ["at most" n] | "at most" n | "bare array"}
 *                kind: cursor | offset | page | none    map: { kind, size, max, bare, names }
 *       names    what its parameters and members are called: limit, cursor, offset, page, sort, search, items, next, count
 *     edits      "If-Match required" | "If-Match optional" | none                               map: { If-Match }
 *     repeats    Header ["required"] "on every" ("POST" | "write") [, "kept" duration] | none   map: { header, on, required, kept }
 *     wrap       { one, many }   names of the members around records: `"{resource}"`, `"{resources}"`, or a name
 *     cors       origins | any | none                                                           map: { origins, credentials, keep }
 *     endpoints  operation: METHOD /path
 *                operation: { at, of, does, the, link, unlink, takes, query, gives, choose, if, else, status, lists,
 *                             filters, where }
 *       at       METHOD /path   map: { method, path }
 *       takes    field: type    as in part 2; { name: { … } }: an object of its own; a view's name: its fields; `none`: nothing
 *       gives    member: expression | View | "View[]" | count | next | { … }; one of these alone; `none`: no body
 *                of a handler member: type, as in part 2
 *       choose   field: { from, if, else }
 *       status   the success status                 map: see deed-read.ts
 *       lists    as above, for this list alone
 *       where    the condition of a list
 *       wire     of a handler: all that goes over the wire (wire-read.ts)
 *       the, link, unlink, query, if, else, filters: see deed-read.ts
 */
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
  type Reader,
  report,
} from "../reader.ts";
import { fieldKeys, readFields } from "../resources/field.ts";
import type { Field } from "../resources/model.ts";
import { type Address, address } from "./address.ts";
import { readChoice, readCount, readDuration, readText } from "../values.ts";
import { membersOf, readDeed, readStatuses } from "./deed-read.ts";
import {
  type Choice,
  deeds,
  type EditStyle,
  type Endpoint,
  type Endpoints,
  editStyles,
  type Given,
  type ListNames,
  type ListStyle,
  listKinds,
  listWords,
  type RepeatStyle,
  repeatScopes,
  type Wrap,
} from "./model.ts";

import { readCors } from "./cors.ts";
import { readWire } from "./wire-read.ts";

const path: Path = ["endpoints"];

export const endpointsKeys = ["base", "lists", "edits", "repeats", "wrap", "cors", "endpoints"] as const;
export const endpointKeys = [
  "at", "of", "does", "the", "link", "unlink", "takes", "query", "gives", "choose", "if", "else", "status", "lists",
  "filters", "where", "wire",
] as const; // biome-ignore format: a table

export function readEndpoints(reader: Reader, body: MapNode): Endpoints {
  const entries = knownEntries(reader, path, body, endpointsKeys, "Part 4");
  const base = readBase(reader, entries.base);
  const lists = entries.lists && readLists(reader, [...path, "lists"], entries.lists.value);
  const edits = entries.edits && readEdits(reader, [...path, "edits"], entries.edits.value);
  const repeats = entries.repeats && readRepeats(reader, [...path, "repeats"], entries.repeats.value);
  const wrap = entries.wrap && readWrap(reader, [...path, "wrap"], entries.wrap.value);
  const cors = entries.cors && readCors(reader, [...path, "cors"], entries.cors);
  return {
    ...(base === undefined ? {} : { base }),
    ...(lists === undefined ? {} : { lists }),
    ...(edits === undefined ? {} : { edits }),
    ...(repeats === undefined ? {} : { repeats }),
    ...(wrap === undefined ? {} : { wrap }),
    ...(cors === undefined ? {} : { cors }),
    endpoints: readEach(reader, [...path, "endpoints"], entries.endpoints),
  };
}

function readBase(reader: Reader, entry: Entry | undefined): string | undefined {
  const text = readText(reader, path, entry, "The base address");
  if (text === undefined || /^(?:\{base_url\}|https?:\/\/[^\s/?#{}]+)(?:\/[^\s?#{}]*)?$/.test(text.text))
    return text?.text;
  if (/^\{base_url\}\/.*[{}]/.test(text.text)) {
    report(reader, "endpoints/bad-base", spanOf(text), `\`${text.text}\` has a parameter in its path`, {
      help: /\/v?\{n\}/.test(text.text)
        ? 'the place of the version is `sent: path /v{n}` in part 9 alone, which puts it before every path: write `"{base_url}"` here'
        : 'a base address is the same for every request: write `"{base_url}/api"`',
    });
    return undefined;
  }
  report(reader, "endpoints/bad-base", spanOf(text), `\`${text.text}\` is not a base address`, {
    help: 'write `"{base_url}"`, which is filled in when the service runs, or `https://api.example.com`',
  });
  return undefined;
}

/** `cursor, 50 per page, at most 200`, in any order behind the kind. */
function readLists(reader: Reader, at: Path, node: Node): ListStyle | undefined {
  if (node.kind === "map") return readListsMap(reader, at, node);
  const text = expectText(reader, at, node, "How lists are cut");
  if (text === undefined) return undefined;
  const [first, ...rest] = splitAt(phraseOf(text), ",");
  const kind = readChoice(reader, at, first, listKinds, "How lists are cut");
  const said = rest.map((piece) => {
    const found = readListPiece(reader, at, piece);
    if (found !== undefined) return found;
    const span = piece.text === "" ? text.span : spanOf(piece);
    const help = "write `cursor, 50 per page, at most 200`, and `bare array` where the items are the whole answer";
    report(reader, "endpoints/bad-lists", span, `\`${piece.text}\` says nothing about lists`, { help });
    return {};
  });
  return kind && soundLists(reader, at, Object.assign({ kind }, ...said) as ListStyle);
}

/** `50 per page`, `at most 200`, `limit 20 at most 100` or `bare array`. */
function readListPiece(reader: Reader, at: Path, piece: Phrase): Omit<ListStyle, "kind"> | undefined {
  if (/^bare\s+array$/.test(piece.text)) {
    placeAt(reader, [...at, "bare"], piece);
    return { bare: true };
  }
  const match = /^(?:(?<per>\S+)\s+per\s+page|(?:limit\s+(?<limit>\S+)(?:\s+|$))?(?:at\s+most\s+(?<most>\S+))?)$/.exec(
    piece.text,
  );
  const { per, limit, most } = match?.groups ?? {};
  const size = per ?? limit;
  if (size === undefined && most === undefined) return undefined;
  const number = (member: "size" | "max", digits: string | undefined, start: number): Omit<ListStyle, "kind"> => {
    if (digits === undefined) return {};
    const phrase = slice(piece, start, start + digits.length);
    placeAt(reader, [...at, member], phrase);
    const what = member === "size" ? "The size of a page" : "The largest size of a page";
    const count = readCount(reader, at, phrase, what);
    return count === undefined ? {} : { [member]: count };
  };
  const begin = limit === undefined ? 0 : (/^limit\s+/.exec(piece.text)?.[0].length ?? 0);
  return { ...number("size", size, begin), ...number("max", most, piece.text.length - (most?.length ?? 0)) };
}

function readListsMap(reader: Reader, at: Path, map: MapNode): ListStyle | undefined {
  const entries = knownEntries(reader, at, map, ["kind", "size", "max", "bare", "names"], "How lists are cut");
  const kind = readChoice(reader, at, readText(reader, at, entries.kind, "`kind`"), listKinds, "How lists are cut");
  const size = readCount(reader, at, readText(reader, at, entries.size, "`size`"), "The size of a page");
  const max = readCount(reader, at, readText(reader, at, entries.max, "`max`"), "The largest size of a page");
  const bare = readChoice(reader, at, readText(reader, at, entries.bare, "`bare`"), ["true", "false"], "`bare`");
  const names = entries.names && readListNames(reader, [...at, "names"], entries.names);
  if (entries.kind === undefined) {
    report(reader, "endpoints/bad-lists", map.span, "This does not say how lists are cut", {
      help: "write `{ kind: cursor, size: 50, max: 200 }`",
    });
  }
  return (
    kind &&
    soundLists(reader, at, {
      kind,
      ...(size === undefined ? {} : { size }),
      ...(max === undefined ? {} : { max }),
      ...(bare === "true" ? { bare: true as const } : {}),
      ...(names === undefined ? {} : { names }),
    })
  );
}

/** Names that clients send and find; a parameter's may have what is usual there, `page[size]`. */
function readListNames(reader: Reader, at: Path, entry: Entry): ListNames | undefined {
  const what = "The names of a list";
  const map = expectMap(reader, at, entry.value, what, "{ limit: per_page, items: data }");
  if (map === undefined) return undefined;
  const entries = knownEntries(reader, at, map, listWords, what);
  const names: Partial<Record<keyof ListNames, string>> = {};
  for (const word of listWords) {
    const said = readText(reader, at, entries[word], `The name of \`${word}\``);
    if (said === undefined) continue;
    const member = word === "items" || word === "next" || word === "count";
    if ((member ? /^[^\s{}"]+$/ : /^[A-Za-z0-9_.$[\]-]+$/).test(said.text)) names[word] = said.text;
    else {
      report(reader, "endpoints/bad-lists", spanOf(said), `\`${said.text}\` cannot name \`${word}\``, {
        help: "a name has no blanks: `per_page`, `page[size]`",
      });
    }
  }
  return names;
}

function readWrap(reader: Reader, at: Path, node: Node): Wrap | undefined {
  if (isNone(node)) return undefined;
  const example = '{ one: "{resource}", many: "{resources}" }';
  const map = expectMap(reader, at, node, "`wrap`", example);
  if (map === undefined) return undefined;
  const entries = knownEntries(reader, at, map, ["one", "many"], "`wrap`");
  const one = readWrapName(reader, at, entries.one, "{resource}");
  const many = readWrapName(reader, at, entries.many, "{resources}");
  return { ...(one === undefined ? {} : { one }), ...(many === undefined ? {} : { many }) };
}

function readWrapName(reader: Reader, at: Path, entry: Entry | undefined, place: string): string | undefined {
  const said = readText(reader, at, entry, `The name around \`${entry?.key.value ?? ""}\``);
  if (said === undefined || /^[^\s{}"]+$/.test(said.text.replace(place, "x"))) return said?.text;
  report(reader, "endpoints/bad-wrap", spanOf(said), `\`${said.text}\` is not the name of a member`, {
    help: `write \`"${place}"\`, which is the resource's own name, or a name for all: \`data\``,
  });
  return undefined;
}

function soundLists(reader: Reader, at: Path, style: ListStyle): ListStyle {
  const span = reader.places.get(`${at.join("/")}/size`);
  if (span !== undefined && style.size !== undefined && style.max !== undefined && style.size > style.max) {
    report(
      reader,
      "endpoints/bad-lists",
      span,
      `A page of ${style.size} is larger than the largest page, ${style.max}`,
      {
        help: `write \`${style.kind}, ${style.max} per page, at most ${style.size}\``,
      },
    );
  }
  return style;
}

function readEdits(reader: Reader, at: Path, node: Node): EditStyle | undefined {
  if (isNone(node)) return "none";
  if (node.kind === "map") {
    const entries = knownEntries(reader, at, node, ["If-Match"], "How edits are made safe");
    return readChoice(reader, at, readText(reader, at, entries["If-Match"], "`If-Match`"), editStyles, "`If-Match`");
  }
  const text = expectText(reader, at, node, "How edits are made safe");
  if (text === undefined) return undefined;
  const line = phraseOf(text);
  const match = /^If-Match\s+(\S+)$/i.exec(line.text);
  if (match !== null) {
    return readChoice(reader, at, slice(line, line.text.length - (match[1] ?? "").length), editStyles, "`If-Match`");
  }
  report(
    reader,
    "endpoints/bad-edits",
    line.text === "" ? node.span : spanOf(line),
    `\`${line.text}\` does not say how edits are made safe`,
    {
      help: "write `If-Match required`, `If-Match optional` or `none`",
    },
  );
  return undefined;
}

const repeatsHelp = "write `Idempotency-Key on every POST, kept 24h`, or `required on every write`";

function readRepeats(reader: Reader, at: Path, node: Node): RepeatStyle | "none" | undefined {
  if (isNone(node)) return "none";
  if (node.kind === "map") return readRepeatsMap(reader, at, node);
  const text = expectText(reader, at, node, "How requests are repeated");
  if (text === undefined) return undefined;
  const [first, kept, more] = splitAt(phraseOf(text), ",");
  const match = /^(\S+)\s+(required\s+)?on\s+every\s+(POST|write)$/.exec(first?.text ?? "");
  const wrong = more ?? (first === undefined || match === null ? first : undefined);
  if (first === undefined || match === null || wrong !== undefined) {
    const span = wrong === undefined || wrong.text === "" ? node.span : spanOf(wrong);
    report(reader, "endpoints/bad-repeats", span, `\`${wrong?.text}\` does not say how requests are repeated`, {
      help: repeatsHelp,
    });
    return undefined;
  }
  const header = readHeader(reader, slice(first, 0, match[1]?.length));
  const duration = kept && readKept(reader, at, kept);
  const on = match[3] === "POST" ? "POST" : "write";
  return header === undefined
    ? undefined
    : { header, on, required: match[2] !== undefined, ...(duration === undefined ? {} : { kept: duration }) };
}

function readKept(reader: Reader, at: Path, phrase: Phrase): string | undefined {
  if (/^kept\s/.test(phrase.text)) {
    const duration = slice(phrase, "kept ".length);
    placeAt(reader, [...at, "kept"], duration);
    return readDuration(reader, at, duration, "How long answers are kept");
  }
  const span = phrase.text === "" ? phrase.node.span : spanOf(phrase);
  report(reader, "endpoints/bad-repeats", span, `\`${phrase.text}\` does not say how long answers are kept`, {
    help: repeatsHelp,
  });
  return undefined;
}

function readHeader(reader: Reader, phrase: Phrase): string | undefined {
  if (/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(phrase.text)) return phrase.text;
  report(reader, "endpoints/bad-repeats", spanOf(phrase), `\`${phrase.text}\` is not the name of a header`, {
    help: repeatsHelp,
  });
  return undefined;
}

function readRepeatsMap(reader: Reader, at: Path, map: MapNode): RepeatStyle | undefined {
  const entries = knownEntries(reader, at, map, ["header", "on", "required", "kept"], "How requests are repeated");
  const name = readText(reader, at, entries.header, "`header`");
  const on = readChoice(reader, at, readText(reader, at, entries.on, "`on`"), repeatScopes, "What is repeated");
  const required = readChoice(
    reader,
    at,
    readText(reader, at, entries.required, "`required`"),
    ["true", "false"],
    "`required`",
  );
  const kept = readDuration(reader, at, readText(reader, at, entries.kept, "`kept`"), "How long answers are kept");
  const header = name && readHeader(reader, name);
  if (name === undefined || entries.on === undefined) {
    const help = "write `{ header: Idempotency-Key, on: POST, kept: 24h }`";
    report(
      reader,
      "endpoints/bad-repeats",
      map.span,
      "This does not say which header makes which requests repeatable",
      { help },
    );
  }
  if (header === undefined || on === undefined) return undefined;
  return { header, on, required: required === "true", ...(kept === undefined ? {} : { kept }) };
}

function readEach(reader: Reader, at: Path, entry: Entry | undefined): Record<string, Endpoint> {
  const endpoints: Record<string, Endpoint> = {};
  if (entry === undefined || isNone(entry.value)) return endpoints;
  const map = expectMap(reader, at, entry.value, "`endpoints`", "getParcel: GET /parcels/{id}");
  for (const line of map === undefined ? [] : openEntries(reader, at, map)) {
    const endpoint = readEndpoint(reader, [...at, line.key.value], line);
    if (endpoint !== undefined) endpoints[line.key.value] = endpoint;
  }
  return endpoints;
}

function readEndpoint(reader: Reader, at: Path, line: Entry): Endpoint | undefined {
  const what = `The endpoint of \`${line.key.value}\``;
  if (line.value.kind !== "map") {
    const address = readAt(reader, [...at, "at"], line.value);
    return address && { ...address };
  }
  const entries = knownEntries(reader, at, line.value, endpointKeys, what);
  const address = entries.at && readAt(reader, [...at, "at"], entries.at.value);
  if (!line.value.entries.some((entry) => entry.key.value === "at")) {
    report(reader, "endpoints/no-address", line.key.span, `${what} has no method and path`, {
      help: "add `at: POST /parcels`",
    });
  }
  if (address === undefined) return undefined;
  const of = readText(reader, at, entries.of, "`of`");
  const does = readChoice(reader, at, readText(reader, at, entries.does, "`does`"), deeds, "What an operation does");
  const lists = entries.lists && readLists(reader, [...at, "lists"], entries.lists.value);
  const where = readText(reader, at, entries.where, "`where`");
  const wire = entries.wire && readWire(reader, [...at, "wire"], entries.wire.value);
  return {
    ...address,
    ...(of === undefined ? {} : { of: of.text }),
    ...(does === undefined ? {} : { does }),
    ...readMembers(reader, at, entries, does),
    ...readStatuses(reader, [...at, "status"], entries.status),
    ...(lists === undefined ? {} : { lists }),
    ...(where === undefined ? {} : { where: where.text }),
    ...(wire === undefined ? {} : { wire }),
    ...readDeed(reader, at, entries),
  };
}

type Entries = Partial<Record<(typeof endpointKeys)[number], Entry>>;

function readMembers(
  reader: Reader,
  at: Path,
  entries: Entries,
  does: Endpoint["does"],
): Pick<Endpoint, "takes" | "within" | "takesView" | "gives" | "shape" | "choose"> {
  const choose = membersOf(
    reader,
    at,
    entries.choose,
    "{ locker: { from: Locker, if: state == 'free', else: none-free } }",
  );
  return {
    ...readTakes(reader, at, entries.takes),
    ...readAnswer(reader, [...at, "gives"], entries.gives, does),
    ...(choose === undefined ? {} : { choose: readChoices(reader, [...at, "choose"], choose) }),
  };
}

/** What a handler gives is for the document to say, and for its function to work out: types, and no expressions. */
function readAnswer(
  reader: Reader,
  at: Path,
  entry: Entry | undefined,
  does: Endpoint["does"],
): Pick<Endpoint, "gives" | "shape"> {
  if (entry === undefined) return {};
  if (does === "handler") {
    if (entry.value.kind === "text" && entry.value.value !== "none") return reportGivenRecord(reader, entry);
    const map = membersOf(reader, at, entry, "{ price: money }");
    return map === undefined ? {} : { shape: readFields(reader, at, map) };
  }
  const gives = readGiven(reader, at, entry);
  return gives === undefined ? {} : { gives };
}

/** What every other deed may give by its name: here a function names the records, and it does so by members or by `of`. */
function reportGivenRecord(reader: Reader, entry: Entry): Record<never, never> {
  const said = readText(reader, [], entry, "`gives`");
  if (said === undefined) return {};
  const [, name = "Parcel", many = ""] = /^([A-Z]\w*)(\[\])?$/.exec(said.text) ?? [];
  report(reader, "endpoints/not-a-map", spanOf(said), "What a handler gives is a map of types, not a text", {
    why: "Its function gives members, whose types the document says; views and pages are made by other operations.",
    help:
      many === ""
        ? `for one record of ${name} as the whole answer leave \`gives\` out and write \`of: ${name}\`; else \`gives: { it: ${name} }\``
        : `name the member that holds them: \`gives: { items: "${name}[]" }\``,
  });
  return {};
}

/** An answer, or a member of one; `path` is its own. */
function readGiven(reader: Reader, at: Path, entry: Entry): Given | undefined {
  const what = entry.key.value === "gives" ? "`gives`" : `The member \`${entry.key.value}\``;
  if (entry.value.kind !== "map") return readText(reader, at, entry, what)?.text;
  const members: [string, Given][] = [];
  for (const inner of openEntries(reader, at, entry.value)) {
    const given = readGiven(reader, [...at, inner.key.value], inner);
    if (given !== undefined) members.push([inner.key.value, given]);
  }
  return Object.fromEntries(members);
}

function readTakes(
  reader: Reader,
  at: Path,
  entry: Entry | undefined,
): Pick<Endpoint, "takes" | "within" | "takesView"> {
  if (entry === undefined) return {};
  if (entry.value.kind === "text" && /^[A-Z][A-Za-z0-9]*$/.test(entry.value.value)) {
    placeAt(reader, [...at, "takesView"], entry.value);
    return { takesView: entry.value.value };
  }
  const map = membersOf(reader, at, entry, "{ code: string(6) }");
  if (map === undefined) return {};
  const taken: Taken = { takes: {}, within: {} };
  readTaken(reader, [...at, "takes"], map, [], taken);
  return { takes: taken.takes, ...(Object.keys(taken.within).length === 0 ? {} : { within: taken.within }) };
}

interface Taken {
  readonly takes: Record<string, Field>;
  readonly within: Record<string, readonly string[]>;
}

/** Every field has its place by its own name alone, whatever stands around it: so expressions and later phases know it. */
function readTaken(reader: Reader, at: Path, map: MapNode, within: readonly string[], taken: Taken): void {
  const objects = map.entries.filter(({ value }) => isObjectOfFields(value));
  const plain = { ...map, entries: map.entries.filter((entry) => !objects.includes(entry)) };
  for (const [name, field] of Object.entries(readFields(reader, at, plain))) {
    if (Object.hasOwn(taken.takes, name)) {
      const entry = plain.entries.find(({ key }) => key.value === name || key.value === `${name}?`);
      report(reader, "endpoints/field-twice", entry?.key.span ?? map.span, `The body has \`${name}\` in two places`, {
        why: "Expressions know it as `input." + name + "`, wherever it stands.",
        help: "give one of them another name",
      });
      continue;
    }
    taken.takes[name] = field;
    if (within.length > 0) taken.within[name] = within;
  }
  for (const { key, value } of objects) {
    if (value.kind !== "map") continue;
    if (value.entries.length === 0) {
      report(reader, "endpoints/empty", key.span, `\`${key.value}\` has no members`, {
        help: "write what stands in it, or leave it out",
      });
    }
    readTaken(reader, at, value, [...within, key.value], taken);
  }
}

/** A map that says a type is a field; any other is an object around fields. */
function isObjectOfFields(node: Node): boolean {
  if (node.kind !== "map") return false;
  const keys = node.entries.map(({ key }) => key.value);
  const isField = keys.includes("type") || keys.includes("schema");
  return !isField || !keys.every((key) => (fieldKeys as readonly string[]).includes(key));
}

function readChoices(reader: Reader, at: Path, map: MapNode): Record<string, Choice> {
  const choices: Record<string, Choice> = {};
  for (const entry of openEntries(reader, at, map)) {
    const choice = readOneChoice(reader, [...at, entry.key.value], entry);
    if (choice !== undefined) choices[entry.key.value] = choice;
  }
  return choices;
}

function readOneChoice(reader: Reader, at: Path, entry: Entry): Choice | undefined {
  const what = `The choice of \`${entry.key.value}\``;
  const example = "{ from: Locker, if: state == 'free', else: no-free-locker }";
  const map = expectMap(reader, at, entry.value, what, example);
  if (map === undefined) return undefined;
  const entries = knownEntries(reader, at, map, ["from", "if", "else"], what);
  const from = readText(reader, at, entries.from, "`from`");
  const condition = readText(reader, at, entries.if, "`if`");
  const code = readText(reader, at, entries.else, "`else`");
  for (const member of ["from", "else"]) {
    if (map.entries.some((one) => one.key.value === member)) continue;
    const message =
      member === "from"
        ? `${what} does not say from which resource`
        : `${what} does not say which error answers when there is none`;
    report(reader, "endpoints/bad-choice", entry.key.span, message, { help: `write \`${example}\`` });
  }
  if (from === undefined || code === undefined) return undefined;
  return { from: from.text, ...(condition === undefined ? {} : { if: condition.text }), else: code.text };
}

const endpointAddress = address((at) => `The endpoint of \`${at[2]}\``);

function readAt(reader: Reader, at: Path, node: Node): Address | undefined {
  if (node.kind === "text") placeAt(reader, at, node);
  return endpointAddress.read(reader, at, { value: node });
}
