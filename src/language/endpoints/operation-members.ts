/**
 * Reads and prints the members of an endpoint beyond its method and path.
 *
 *     the      the condition that selects the record, if the path does not identify it
 *     link     { in: Resource, with: { field: expression } }       `unlink` likewise
 *     query    parameter: type   as in part 2
 *     filters  parameter: expression with the parameter's name or `value`       map: { type, if }
 *     if       the condition of the operation; `else` the error if it is false
 *     status   status | { given | changed, created, same, accepted: status ["if" expression], differs: error, error: status }
 */
import type { Entry, MapNode, Node } from "../../document/document.ts";
import type { Tree } from "../../document/print.ts";
import { named, noneOr } from "../grammar/collections.ts";
import { form, type Spread } from "../grammar/form.ts";
import { type Grammar, nothingBelow, type Statement, soundName } from "../grammar/grammar.ts";
import { either, lineSchema, shared } from "../grammar/schema.ts";
import { expression, text, type Words, words } from "../grammar/words.ts";
import {
  expectMap,
  isNone,
  openEntries,
  type Path,
  recordLocation,
  locateAt,
  type Reader,
  report,
} from "../grammar/reader.ts";
import { inside, mapEntries, mapMembers, mapName, type Scope, withMembers } from "../grammar/references.ts";
import { fieldKeys, fields, fieldType, mapFields, readFields } from "../resources/field.ts";
import { mapTemplate, response } from "./response-template.ts";
import { printFields } from "../resources/field-print.ts";
import { lookup } from "../resources/fields.ts";
import type { Field } from "../resources/model.ts";
import { spanOf } from "../grammar/source-text.ts";
import { several } from "./list-options.ts";
import { readLines, readStatus, readText } from "../grammar/values.ts";
import type { Accepted, Association, Choice, Endpoint, Filter, ManyRecords, Statuses } from "./model.ts";

// ── What it is about ───────────────────────────────────────────────────────────────────────────────────────────────

const linkExample = "{ in: Subscription, with: { by: caller.id, of: id } }";

const writtenLink = form<Association>({
  what: (path) => `\`${path.at(-1)}\``,
  example: linkExample,
  members: {
    in: { ...text(), needed: true },
    with: {
      ...named(
        expression((path) => `The value of \`${path.at(-1)}\``),
        { example: "{ by: caller.id, of: id }" },
      ),
      needed: true,
    },
  },
  missing: (reader, path, keys, { key, span }) => {
    for (const member of keys)
      report(
        reader,
        "endpoints/bad-link",
        key?.span ?? span,
        `\`${path.at(-1)}\` does not say ${member === "in" ? "in which resource" : "what the record has"}`,
        { help: `write \`${linkExample}\`` },
      );
  },
});

/** The keys of `with` are fields of the linked record; the values are expressions over the current record. */
export const link: Grammar<Association> = {
  ...writtenLink,
  mapNames: (value, scope) => {
    const own = { ...inside(scope, "with"), record: value.in };
    const mapped = Object.entries(value.with).flatMap(([field, text]) => {
      const name = mapName(field, inside(own, field), { references: "field" }, "key");
      const at = inside(scope, "with", field);
      const expressed = scope.walk.expression(text, at);
      return name === undefined || expressed === undefined ? [] : [[name, expressed]];
    });
    const to = mapName(value.in, inside(scope, "in"), { references: "resource" });
    return to === undefined ? undefined : { in: to, with: Object.fromEntries(mapped) as Association["with"] };
  },
};

const choiceExample = "{ from: Locker, if: state == 'free', else: no-free-locker }";

const completeChoice = form<Choice>({
  what: (path) => `The choice of \`${path[4]}\``,
  example: choiceExample,
  members: {
    from: { ...text(), references: "resource", needed: true },
    if: expression(),
    else: { ...text(), references: "error" },
  },
  scope: ({ from }, scope) => ({ ...scope, record: from, around: scope.record }),
  missing: (reader, path, _, { key, span }) =>
    report(
      reader,
      "endpoints/bad-choice",
      key?.span ?? span,
      `The choice of \`${path[4]}\` does not say from which resource`,
      { help: `write \`${choiceExample}\`` },
    ),
});

const choice: Grammar<Choice> = {
  ...completeChoice,
  read: (reader, path, statement) => {
    const found = completeChoice.read(reader, path, statement);
    // Without its error, which is open, the choice cannot be served.
    return reader.gaps.includes([...path, "else"].join("/")) ? undefined : found;
  },
};

export const choices: Grammar<Readonly<Record<string, Choice>>> = named(choice, {
  example: "{ locker: { from: Locker, if: state == 'free', else: none-free } }",
  references: "field",
});

const filter = form<Filter>({
  what: (path) => `The filter \`${path[4]}\``,
  example: "{ type: string, if: label in labels }",
  line: "{if}",
  lineSchema: shared("expression"),
  members: { type: fieldType, several, if: { ...expression(), pattern: ".*", isLocated: true, needed: true } },
  missing: (reader, path, _, { key, span }) =>
    report(reader, "endpoints/bad-filter", key?.span ?? span, `The filter \`${path[4]}\` has no condition`, {
      help: "write `{ type: string, if: label in labels }`",
    }),
});

export const filters: Grammar<Readonly<Record<string, Filter>>> = named(filter, {
  example: "{ label: label in labels }",
  isName: soundName(/^[A-Za-z_][A-Za-z0-9_]*$/, [
    "bad-filter",
    (name) => `\`${name}\` cannot name a filter`,
    { help: "use letters, digits and `_`" },
  ]),
});

export const query: Grammar<Readonly<Record<string, Field>>> = noneOr(fields("{ plan: string(1..40) }"), {});

// ── What it takes ──────────────────────────────────────────────────────────────────────────────────────────────────

/** The body: fields, fields in nested objects, or the name of a view. */
export const takes: Spread<Endpoint> = {
  schema: either(shared("text"), shared("taken")),
  read: (reader, path, { value }) => {
    if (value.kind === "text" && /^[A-Z][A-Za-z0-9]*$/.test(value.value)) {
      locateAt(reader, [...path.slice(0, -1), "takesView"], value);
      return { takesView: value.value };
    }
    const many = value.kind === "text" ? manyIn(value.value) : undefined;
    if (many !== undefined && value.kind === "text") {
      locateAt(reader, [...path.slice(0, -1), "manyRecords"], value);
      return { manyRecords: many };
    }
    const map = isNone(value)
      ? { ...noFields, span: value.span }
      : expectMap(reader, path, value, "`takes`", "{ code: string(6) }");
    if (map === undefined) return undefined;
    const body: RequestBody = { takes: {}, nesting: {} };
    readRequestBody(reader, path, map, [], body);
    return { takes: body.takes, ...(Object.keys(body.nesting).length === 0 ? {} : { nesting: body.nesting }) };
  },
  mapNames: (value, scope) => {
    const naming = { declares: "member" } as const;
    const { manyRecords, takesView } = value;
    return withMembers(value, [
      ["takes", value.takes && mapFields(naming)(value.takes, scope)],
      ["nesting", value.nesting && mapEntries(value.nesting, scope, naming)],
      ["takesView", takesView && mapName(takesView, scope, { references: "view" })],
      ["manyRecords", manyRecords && mapManyRecords(manyRecords, scope)],
    ]);
  },
  print: ({ takes: all, manyRecords, takesView, nesting = {} }, below) => {
    if (manyRecords !== undefined) return manyText(manyRecords);
    if (all === undefined) return takesView;
    const top: Record<string, Tree> = {};
    for (const [name, field] of Object.entries(all)) {
      let here = top;
      for (const around of lookup(nesting, name) ?? []) here = (here[around] ??= {}) as Record<string, Tree>;
      Object.assign(here, printFields({ [name]: field }, below));
    }
    return Object.keys(top).length === 0 ? "none" : top;
  },
};

/** Reads `Reading[](1..500)`; undefined for any other text. */
function manyIn(text: string): ManyRecords | undefined {
  const [, of, exact, min = exact, max = exact] =
    /^([A-Z][A-Za-z0-9]*)\[\](?:\((?:(\d{1,6})|(\d{1,6})?\s*\.\.\s*(\d{1,6})?)\))?$/.exec(text) ?? [];
  if (of === undefined) return undefined;
  return {
    of,
    ...(min === undefined ? {} : { min: Number(min) }),
    ...(max === undefined ? {} : { max: Number(max) }),
  };
}

function manyText({ of, min, max }: ManyRecords): string {
  const bounds =
    min === undefined && max === undefined ? "" : min === max ? `(${min})` : `(${min ?? ""}..${max ?? ""})`;
  return `${of}[]${bounds}`;
}

function mapManyRecords(many: ManyRecords, scope: Scope): ManyRecords | undefined {
  const of = mapName(many.of, scope, { references: "view" });
  return of === undefined ? undefined : of === many.of ? many : { ...many, of };
}

const noFields = { kind: "map", entries: [] } as const;

interface RequestBody {
  readonly takes: Record<string, Field>;
  readonly nesting: Record<string, readonly string[]>;
}

/**
 * Reads the members of a body. A field's location has its name alone, at any depth: expressions and later phases use that
 * name.
 */
function readRequestBody(reader: Reader, at: Path, map: MapNode, nesting: readonly string[], body: RequestBody): void {
  const objects = map.entries.filter(({ value }) => isObjectOfFields(value));
  const plain = { ...map, entries: map.entries.filter((entry) => !objects.includes(entry)) };
  for (const [name, field] of Object.entries(readFields(reader, at, plain))) {
    if (Object.hasOwn(body.takes, name)) {
      const entry = plain.entries.find(({ key }) => key.value === name || key.value === `${name}?`);
      report(reader, "endpoints/field-twice", entry?.key.span ?? map.span, `The body has \`${name}\` twice`, {
        why: "Expressions know it as `input." + name + "`, at any depth.",
        help: "give one of them another name",
      });
      continue;
    }
    body.takes[name] = field;
    if (nesting.length > 0) body.nesting[name] = nesting;
  }
  for (const { key, value } of objects) {
    if (value.kind !== "map") continue;
    if (value.entries.length === 0) {
      report(reader, "endpoints/empty", key.span, `\`${key.value}\` has no members`, {
        help: "write its members, or leave it out",
      });
    }
    readRequestBody(reader, at, value, [...nesting, key.value], body);
  }
}

/** Whether a map is a nested object: a map with a type is a field; any other map contains fields. */
function isObjectOfFields(node: Node): boolean {
  if (node.kind !== "map") return false;
  const keys = node.entries.map(({ key }) => key.value);
  const isField = keys.includes("type") || keys.includes("schema");
  return !isField || !keys.every((key) => (fieldKeys as readonly string[]).includes(key));
}

// ── What it gives ──────────────────────────────────────────────────────────────────────────────────────────────────

function mapResponse(value: Endpoint, scope: Scope): Endpoint {
  const { gives: template, shape: members } = value;
  const naming = { declares: "member" } as const;
  const mapped =
    typeof template === "string" || template === undefined
      ? template && mapTemplate(template, scope)
      : mapEntries(template, scope, naming, mapTemplate);
  return withMembers(value, [
    ["gives", mapped],
    ["shape", members && mapFields(naming)(members, scope)],
  ]);
}

export const gives: Spread<Endpoint> = {
  schema: response.schema,
  mapNames: mapResponse,
  read: (reader, path, statement) => {
    const read = response.read(reader, path, statement);
    return read === undefined ? undefined : { gives: read };
  },
  print: ({ gives: value }) => value,
};

const shape = noneOr(fields("{ price: money }"), {});

/** Reads the response of a handler: members with types and no expressions, since a function computes the values. */
export const handlerResponse: Spread<Endpoint> = {
  schema: response.schema,
  read: (reader, path, statement) => {
    if (statement.value.kind === "text" && !isNone(statement.value)) return reportRecordResponse(reader, statement);
    const read = shape.read(reader, path, statement);
    return read && { shape: read };
  },
  mapNames: mapResponse,
  print: ({ gives: value, shape: members }, below) => (members === undefined ? value : shape.print(members, below)),
};

/** Reports the name of a resource as `gives`: only handlers reject it, since they need members, or `of`. */
function reportRecordResponse(reader: Reader, { key, value }: Statement): undefined {
  const text = key && readText(reader, ["endpoints"], { key, value }, "`gives`");
  if (text === undefined) return;
  const [, name = "Parcel", many = ""] = /^([A-Z]\w*)(\[\])?$/.exec(text.text) ?? [];
  report(reader, "endpoints/not-a-map", spanOf(text), "The response of a handler is a map of types, not text", {
    why: "A function returns members whose types the document declares; views and pages belong to other operations.",
    help:
      many === ""
        ? `to return one record of ${name} leave \`gives\` out and write \`of: ${name}\`; else \`gives: { it: ${name} }\``
        : `name the member that holds them: \`gives: { items: "${name}[]" }\``,
  });
}

// ── Its statuses ───────────────────────────────────────────────────────────────────────────────────────────────────

export const outcomes = ["given", "changed", "created", "same", "accepted", "differs"] as const;

const success: Words<number> = words(
  (reader, path, line) => readStatus(reader, path, line, "The status of a success", [200, 299]),
  either({ type: "integer", minimum: 200, maximum: 299 }, lineSchema("2[0-9][0-9]", "The success status.")),
);

/** Reads `202`, or `202 if accepts_incomplete`. */
const accepted = form<Accepted>({
  what: "`accepted`",
  example: "{ status: 202, if: accepts_incomplete }",
  lineSchema: either(success.schema, lineSchema("2[0-9][0-9]\\s+if\\s.+", "`202 if expression`")),
  line: ["{status} if {if}", "{status}"],
  members: {
    status: { ...success, pattern: ".*?", needed: true },
    if: { ...expression(), pattern: String.raw`\S.*`, isLocated: true },
  },
});

export const statuses: Spread<Endpoint> = {
  schema: either(success.schema, {
    type: "object",
    properties: {
      given: success.schema,
      changed: success.schema,
      created: success.schema,
      same: success.schema,
      accepted: accepted.schema,
      differs: shared("text"),
    },
    // Any other key of the map is the code of an error.
    additionalProperties: either(
      { type: "integer", minimum: 400, maximum: 599 },
      lineSchema("[45][0-9][0-9]", "The status."),
    ),
  }),
  mapNames: (value, scope) => {
    if (value.statuses === undefined) return value;
    const mapped = mapMembers(value.statuses, scope, {
      accepted: (one, at) => accepted.mapNames?.(one, at),
      differs: (name, at) => mapName(name, at, { references: "error" }),
      errors: (all, at) => mapEntries(all, at, { references: "error" }),
    });
    return mapped === value.statuses ? value : { ...value, statuses: mapped };
  },
  read: (reader, path, { key, value }) => key && readStatuses(reader, path, { key, value }),
  print: (endpoint, below) => printStatuses(endpoint, below()),
};

/** Reads `status: 204`, or a status for each of several outcomes; any key that is no outcome is the code of an error. */
function readStatuses(reader: Reader, at: Path, entry: Entry): Pick<Endpoint, "status" | "statuses"> {
  if (entry.value.kind !== "map") return readSuccess(reader, at.slice(0, -1), entry);
  const lines = openEntries(reader, at, entry.value);
  const lineOf = (name: (typeof outcomes)[number]): Entry | undefined => lines.find(({ key }) => key.value === name);
  const [given, changed] = [lineOf("given"), lineOf("changed")];
  if (given !== undefined && changed !== undefined) {
    const help = "keep one of them";
    const message = "`given` and `changed` are the same status";
    report(reader, "endpoints/bad-outcome", changed.key.span, message, { help });
  }
  const created = readSuccessStatus(reader, at, lineOf("created"));
  const same = readSuccessStatus(reader, at, lineOf("same"));
  const acceptance = lineOf("accepted");
  const answered = acceptance && accepted.read(reader, [...at, "accepted"], acceptance, "`accepted`");
  const differs = readText(reader, at, lineOf("differs"), "`differs`");
  const errors = readErrors(reader, at, lines);
  const statuses: Statuses = {
    ...(created === undefined ? {} : { created }),
    ...(same === undefined ? {} : { same }),
    ...(answered === undefined ? {} : { accepted: answered }),
    ...(differs === undefined ? {} : { differs: differs.text }),
    ...(Object.keys(errors).length === 0 ? {} : { errors }),
  };
  return {
    ...readSuccess(reader, at, given ?? changed),
    ...(Object.keys(statuses).length === 0 ? {} : { statuses }),
  };
}

function readSuccess(reader: Reader, at: Path, entry: Entry | undefined): Pick<Endpoint, "status"> {
  const status = readSuccessStatus(reader, at, entry);
  return status === undefined ? {} : { status };
}

function readSuccessStatus(reader: Reader, at: Path, entry: Entry | undefined): number | undefined {
  const text = readText(reader, at, entry, `\`${entry?.key.value}\``);
  return text && readStatus(reader, at, text, "The status of a success", [200, 299]);
}

function readErrors(reader: Reader, at: Path, lines: readonly Entry[]): Readonly<Record<string, number>> {
  const codes = lines.filter(({ key }) => !outcomes.some((one) => one === key.value));
  return readLines(codes, (line) => {
    recordLocation(reader, [...at, "errors", line.key.value], line);
    const text = readText(reader, at, line, `The status of \`${line.key.value}\``);
    return text && readStatus(reader, at, text, `The status of \`${line.key.value}\``);
  });
}

/** Prints a single status as a number, unless `map` requires a map. */
function printStatuses({ status, statuses: some }: Endpoint, map: boolean): Tree | undefined {
  if (some === undefined && !map) return status === undefined ? undefined : String(status);
  const { created, same, accepted: acceptance, differs, errors = {} } = some ?? {};
  return {
    ...(status === undefined ? {} : { given: String(status) }),
    ...(created === undefined ? {} : { created: String(created) }),
    ...(same === undefined ? {} : { same: String(same) }),
    ...(acceptance && { accepted: accepted.print(acceptance, nothingBelow) }),
    ...(differs === undefined ? {} : { differs }),
    ...Object.fromEntries(Object.entries(errors).map(([code, one]) => [code, String(one)])),
  };
}
