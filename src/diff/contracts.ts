/**
 * Differences of the contracts (`wire`) of operations: parameters, bodies and responses, with their schemas. A named schema is
 * compared where contracts use it, and reported once, with the operations that a change concerns.
 */
import type { Json } from "../base/json.ts";
import { essenceOf, isJson } from "../language/endpoints/wire-media.ts";
import {
  type ContractBody,
  type ContractResponse,
  type EndpointContract,
  type Parameter,
  parameterLocations,
} from "../language/endpoints/model.ts";
import type { Effect } from "../language/grammar/changes.ts";
import type { Model } from "../language/model.ts";
import { jsonSchemaOf, namedSchemas } from "../language/resources/json-schema.ts";
import type { FieldType } from "../language/resources/model.ts";
import { schemaAddress } from "../language/resources/schema.ts";
import { type Difference, difference, pairs, same, type Site } from "./difference.ts";
import { effectOf, whomOf } from "./schema-effects.ts";
import type { SchemaUse } from "./schema-uses.ts";
import { sunsetOf } from "./schema-members.ts";
import { listText, type SchemaChange, type SchemaWalk, type Use, visitNames } from "./schema-walk.ts";
import { parameterChanges, schemaChanges } from "./schemas.ts";

/** The contract of one operation before and now. */
export interface ContractPair {
  /** The subject is the operation, the path that of its contract. */
  readonly site: Site;
  readonly old: EndpointContract;
  readonly now: EndpointContract;
  /** Set if the service sends the request: then its receivers read it, and the service reads their responses. */
  readonly isSent?: true;
}

/** A model with the schemas and types that the contracts name. */
type Schemas = Pick<Model, "resources">;

type Naming = "old" | "now";

/**
 * Yields the differences of all contracts, then those of named schemas. A path parameter is compared by its name: the caller
 * gives renamed ones one name. `uses`: what else refers to named schemas, in requests and responses. `naming`: the document whose names
 * of schemas the differences have.
 */
export function* contractDifferences(
  contracts: readonly ContractPair[],
  old: Schemas,
  now: Schemas,
  { naming = "now", uses = [] }: { readonly naming?: Naming; readonly uses?: readonly SchemaUse[] } = {},
): Iterable<Difference> {
  const comparison = createComparison(old as Model, now as Model, naming);
  for (const pair of contracts)
    yield* pair.isSent === true ? sentRequestChanges(comparison, pair) : contractChanges(comparison, pair);
  yield* comparison.named(uses);
  yield* describedSchemas(comparison, old.resources.schemas, now.resources.schemas);
}

/** Yields the named schemas whose differences no client notices. */
function* describedSchemas(
  { reported }: Comparison,
  old: Model["resources"]["schemas"],
  now: Model["resources"]["schemas"],
): Iterable<Difference> {
  for (const { name, old: before, now: after } of pairs(old, now)) {
    if (reported.has(name) || same(before, after)) continue;
    const site = { subject: name, at: `resources/schemas/${name}` };
    const verb = after === undefined ? "is removed" : before === undefined ? "is new" : "is described differently";
    yield difference("neutral", "schema-described", site, `The schema \`${name}\` ${verb}`);
  }
}

/** The part of a contract with a schema. */
interface Part extends Site {
  readonly operation: string;
  /** The part as messages name it: `body`, `query/limit`, `200 body`. */
  readonly place: string;
  readonly use: Use;
  readonly texts: SchemaWalk["texts"];
  /** Set if a single value is a list of one. */
  readonly isParameter?: boolean;
}

function partOf({ subject, at }: Site, place: string, path: string, use: Use, texts: Part["texts"]): Part {
  return { operation: subject, subject: `${subject}.${place}`, at: `${at}/${path}`, place, use, texts };
}

function* contractChanges(comparison: Comparison, { site, old, now }: ContractPair): Iterable<Difference> {
  const found = [
    ...parameterLocations.flatMap((location) => [...requestParameterChanges(comparison, site, location, old, now)]),
    ...bodyChanges(comparison, site, old.body, now.body),
    ...responseChanges(comparison, site, old.answers ?? {}, now.answers ?? {}),
  ];
  yield* found;
  if (found.length === 0 && !same(old, now))
    yield difference(
      "neutral",
      "operation-described",
      site,
      `\`wire\` of \`${site.subject}\` is described differently`,
    );
}

/**
 * Yields the differences of a request that the service sends. Receivers read it like a response, so it is compared like one; their
 * answers are compared like requests.
 */
function* sentRequestChanges(comparison: Comparison, { site, old, now }: ContractPair): Iterable<Difference> {
  const [before, after] = [old, now].map((contract): ContractResponse => {
    const { body: { optional: _, ...content } = {} as ContractBody, header, query } = contract;
    return { ...content, headers: { ...query, ...header } };
  }) as [ContractResponse, ContractResponse];
  const found = [...responseChange(comparison, site, "request", before, after)].map((one) => ({
    ...one,
    at: one.at.replace("/answers/request/headers/", "/header/").replace("/answers/request", "/body"),
  }));
  const part = partOf(site, "body", "body", "response", "none");
  if (old.body !== undefined && now.body !== undefined && old.body.optional !== now.body.optional)
    found.push(
      now.body.optional
        ? partDifference("breaking", "body-optional", part, "may be absent", "breaks receivers, who expect one")
        : partDifference("additive", "body-required", part, "is always there", ""),
    );
  for (const { name: status, old: one, now: other } of pairs(old.answers ?? {}, now.answers ?? {})) {
    const place = partOf(site, `answer ${status}`, `answers/${status}`, "request", textsOf(one ?? {}, other ?? {}));
    if (one === undefined) found.push(partDifference("additive", "status-added", place, "is a new status", ""));
    else if (other === undefined)
      found.push(partDifference("breaking", "status-removed", place, "is no status", "breaks receivers who return it"));
    else found.push(...contentChanges(comparison, place, one, other));
  }
  yield* found;
  if (found.length === 0 && !same(old, now))
    yield difference("neutral", "event-described", site, `The event \`${site.subject}\` is described differently`);
}

/** Returns a difference of a part itself. `whom`: whom it breaks, if it is breaking. */
function partDifference(effect: Effect, kind: string, part: Part, what: string, whom: string): Difference {
  const suffix = effect === "breaking" ? `: ${whom}` : "";
  return difference(effect, kind, part, `\`${part.operation}\` ${part.place} ${what}${suffix}`);
}

// ── Requests ───────────────────────────────────────────────────────────────────────────────────────────────────────

type Location = (typeof parameterLocations)[number];

function* requestParameterChanges(
  comparison: Comparison,
  site: Site,
  location: Location,
  { [location]: old = {} }: EndpointContract,
  { [location]: now = {} }: EndpointContract,
): Iterable<Difference> {
  // The names of header fields are case-insensitive (RFC 9110 section 5.1).
  const named = (all: typeof old) =>
    location === "header"
      ? Object.fromEntries(Object.entries(all).map(([name, one]) => [name.toLowerCase(), one]))
      : all;
  const spelt = new Map(
    [old, now].flatMap((all) => Object.keys(all).map((name) => [name.toLowerCase(), name] as const)),
  );
  for (const { name: key, old: before, now: after } of pairs(named(old), named(now))) {
    const name = location === "header" ? (spelt.get(key) ?? key) : key;
    const place = `${location}/${name}`;
    // The subject is the name by which part 9 deprecates a parameter.
    const part = {
      ...partOf(site, place, place, "request", "scalars"),
      subject: `${site.subject}.${name}`,
      isParameter: location === "query",
    };
    if (after === undefined && before !== undefined) {
      const removed = partDifference(
        "breaking",
        "parameter-removed",
        part,
        "is removed",
        "may break callers who send it",
      );
      yield { ...removed, ...(before.type.kind === "schema" ? sunsetOf(before.type.schema) : {}) };
    } else if (after === undefined) continue;
    else if (before === undefined) yield addedParameter(part, after);
    else yield* parameterChange(comparison, part, before, after, "parameter");
  }
}

function addedParameter(part: Part, { optional }: Parameter): Difference {
  return optional
    ? partDifference("additive", "parameter-added", part, "is new", "")
    : partDifference("breaking", "parameter-added", part, "is new and required", "breaks callers, who do not send it");
}

function* parameterChange(
  comparison: Comparison,
  part: Part,
  old: Parameter,
  now: Parameter,
  noun: "parameter" | "header",
): Iterable<Difference> {
  if (old.optional !== now.optional) {
    const change = { kind: "member-required", direction: now.optional ? "wider" : "narrower" } as const;
    const [kind, what] = now.optional ? ["optional", "may be absent"] : ["required", "is required"];
    yield partDifference(effectOf(change, part.use), `${noun}-${kind}`, part, what, whomOf(change, part.use));
  }
  if (old.sent !== now.sent)
    yield partDifference(
      "breaking",
      `${noun}-form`,
      part,
      `is sent with ${formOf(now)}, was ${formOf(old)}`,
      "breaks callers who send several values",
    );
  yield* comparison.types(part, old.type, now.type);
}

function formOf({ sent }: Parameter): string {
  return sent ?? "repeated names";
}

function* bodyChanges(
  comparison: Comparison,
  site: Site,
  old: ContractBody | undefined,
  now: ContractBody | undefined,
): Iterable<Difference> {
  const part = partOf(site, "body", "body", "request", textsOf(old, now));
  if (old === undefined && now === undefined) return;
  if (now === undefined)
    yield partDifference("breaking", "body-removed", part, "is removed", "breaks callers who send one");
  else if (old === undefined)
    yield now.optional
      ? partDifference("additive", "body-added", part, "is new", "")
      : partDifference("breaking", "body-added", part, "is new and required", "breaks callers, who send none");
  else {
    if (old.optional !== now.optional)
      yield now.optional
        ? partDifference("additive", "body-optional", part, "may be absent", "")
        : partDifference("breaking", "body-required", part, "is required", "breaks callers who send none");
    yield* contentChanges(comparison, part, old, now);
  }
}

type Content = Pick<ContractBody, "media" | "type" | "others">;

/** Returns the media types of a body: those of its type, then those of the other types. */
function mediaOf({ media = ["application/json"], others = {} }: Content): readonly string[] {
  return [...media, ...Object.keys(others)].map((type) => type.toLowerCase());
}

/** Returns the type of content in a media type. */
function typeIn({ others = {}, type }: Content, media: string): FieldType | undefined {
  const found = Object.entries(others).find(([name]) => name.toLowerCase() === media);
  return found === undefined ? type : found[1];
}

/** Yields the differences of the media types, then those of each type in the media types that both contents have. */
function* contentChanges(comparison: Comparison, part: Part, old: Content, now: Content): Iterable<Difference> {
  yield* mediaChanges(part, old, now);
  const after = mediaOf(now);
  const compared: (readonly [FieldType | undefined, FieldType | undefined])[] = [];
  for (const media of mediaOf(old)) {
    const other = after.find((one) => one === media) ?? after.find((one) => covers(one, media) || covers(media, one));
    // Without a type for each media type, the one type is compared even if the media types change.
    if (other === undefined && (old.others ?? now.others) !== undefined) continue;
    const types = [typeIn(old, media), typeIn(now, other ?? media)] as const;
    if (compared.some((one) => same(one, types))) continue;
    compared.push(types);
    const isFirst = same(types[0], old.type);
    const texts = textsOf({ media: [media] }, ...(other === undefined ? [] : [{ media: [other] }]));
    const place = isFirst ? part.place : `${part.place} as ${media}`;
    yield* comparison.types({ ...part, place, texts: isFirst ? part.texts : texts }, ...types);
  }
}

/** Returns which values of a body are texts in both contracts: the scalars of a form, all of plain text, none of JSON. */
function textsOf(...contents: readonly (Content | undefined)[]): Part["texts"] {
  const media = contents.flatMap((content) => (content === undefined ? [] : mediaOf(content)));
  if (media.some((type) => isJson(essenceOf(type)))) return "none";
  return media.every((type) => type.startsWith("text/")) ? "all" : "scalars";
}

function* mediaChanges(part: Part, old: Content, now: Content): Iterable<Difference> {
  const [before, after] = [mediaOf(old), mediaOf(now)];
  const [verb, whom] = part.use === "request" ? ["sent", "callers who send it"] : ["returned", "readers of it"];
  // A request of the old type must be in a new range, a response of a new type in the old range.
  const stays = (type: string): boolean =>
    after.some((other) => (part.use === "request" ? covers(other, type) : covers(type, other)));
  const isNew = (type: string): boolean => !before.some((other) => covers(other, type) || covers(type, other));
  for (const type of before.filter((one) => !stays(one)))
    yield partDifference(
      "breaking",
      "media-removed",
      part,
      `can no longer be ${verb} as \`${type}\``,
      `breaks ${whom}`,
    );
  for (const type of after.filter(isNew))
    yield partDifference("additive", "media-added", part, `can be ${verb} as \`${type}\` too`, "");
}

/** Whether a range of media types, such as `image/*`, contains a type; a type contains itself with more parameters. */
function covers(range: string, type: string): boolean {
  const [wide, narrow] = [essenceOf(range), essenceOf(type)];
  const isInside = wide === narrow || wide === "*/*" || (wide.endsWith("/*") && narrow.startsWith(wide.slice(0, -1)));
  const parametersOf = (text: string): readonly string[] =>
    text
      .split(";")
      .slice(1)
      .map((one) => one.trim());
  return isInside && parametersOf(range).every((one) => parametersOf(type).includes(one));
}

// ── Responses ──────────────────────────────────────────────────────────────────────────────────────────────────────

type Answers = NonNullable<EndpointContract["answers"]>;

function* responseChanges(comparison: Comparison, site: Site, old: Answers, now: Answers): Iterable<Difference> {
  for (const { name: status, old: written, now: newlyWritten } of pairs(old, now)) {
    const part = partOf(site, status, `answers/${status}`, "response", "none");
    // A status that is not listed is in a listed class, or among the others.
    const [before, after] = [written ?? broader(old, status), newlyWritten ?? broader(now, status)];
    if (after === undefined) yield removedStatus(part, status);
    else if (before === undefined) yield partDifference("additive", "status-added", part, "is a new status", "");
    else yield* responseChange(comparison, site, status, before, after);
  }
}

function removedStatus(part: Part, status: string): Difference {
  // Callers of the others only get an error less.
  const isSuccess = /^[123]/.test(status);
  const effect = isSuccess ? "breaking" : "additive";
  return partDifference(effect, "status-removed", part, "is no longer a status", "breaks readers of it");
}

function broader(answers: Answers, status: string): ContractResponse | undefined {
  const range = `${status.charAt(0)}XX`;
  return status === "default" ? undefined : ((range === status ? undefined : answers[range]) ?? answers["default"]);
}

function* responseChange(
  comparison: Comparison,
  site: Site,
  status: string,
  old: ContractResponse,
  now: ContractResponse,
): Iterable<Difference> {
  const at = `answers/${status}`;
  const part = partOf(site, `${status} body`, at, "response", textsOf(old, now));
  const [hadBody, hasBody] = [old, now].map(({ type, media }) => type !== undefined || media !== undefined);
  if (hadBody === true && hasBody !== true)
    yield partDifference("breaking", "body-removed", part, "is removed", "breaks readers of it");
  else if (hadBody !== true && hasBody === true) yield partDifference("additive", "body-added", part, "is new", "");
  else if (hadBody === true) {
    yield* contentChanges(comparison, part, old, now);
  }
  const lowered = ({ headers = {} }: ContractResponse) =>
    Object.fromEntries(Object.entries(headers).map(([name, one]) => [name.toLowerCase(), one]));
  for (const { name, old: before, now: after } of pairs(lowered(old), lowered(now))) {
    const header = partOf(site, `${status} header/${name}`, `${at}/headers/${name}`, "response", "scalars");
    if (after === undefined)
      yield partDifference("breaking", "header-removed", header, "is removed", "breaks readers of it");
    else if (before === undefined) yield partDifference("additive", "header-added", header, "is new", "");
    else yield* parameterChange(comparison, header, before, after, "header");
  }
}

// ── Schemas ────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Comparison {
  /** Yields the differences of the types of a part; an absent type accepts any value. */
  types(part: Part, old: FieldType | undefined, now: FieldType | undefined): Iterable<Difference>;
  /** Yields the differences of the named schemas that the compared types and `uses` refer to. */
  named(uses: readonly SchemaUse[]): Iterable<Difference>;
  /** The named schemas with differences. */
  readonly reported: ReadonlySet<string>;
}

/** A named schema of both models with one use. */
interface NamedPair {
  readonly old: string;
  readonly now: string;
  readonly use: Use;
  readonly texts: SchemaWalk["texts"];
  /** The operations and other statements that refer to it. */
  readonly operations: Set<string>;
  /** The named schemas that refer to it. */
  readonly parents: Set<NamedPair>;
}

function createComparison(old: Model, now: Model, naming: Naming): Comparison {
  const known = new Map<string, NamedPair>();
  const [oldSchema, newSchema] = [old, now].map((model) => {
    const schemas = namedSchemas(model);
    return (name: string): Json | undefined =>
      Object.hasOwn(schemas, schemaAddress(name)) ? schemas[schemaAddress(name)] : undefined;
  }) as [SchemaWalk["old"], SchemaWalk["now"]];

  const pairOf = (before: string, after: string, use: Use, texts: NamedPair["texts"]): NamedPair => {
    const key = `${before} ${after} ${use} ${texts}`;
    const pair = known.get(key) ?? { old: before, now: after, use, texts, operations: new Set(), parents: new Set() };
    known.set(key, pair);
    return pair;
  };

  const changesOf = (
    { use, texts, isParameter }: Pick<Part, "use" | "texts" | "isParameter">,
    [before, after]: readonly [Json, Json],
    visited: (pair: NamedPair) => void,
  ): readonly SchemaChange[] => {
    const visit = (one: string, other: string): void => visited(pairOf(one, other, use, texts));
    const walk: SchemaWalk = {
      use,
      texts,
      old: oldSchema,
      now: newSchema,
      visit,
      around: [],
      budget: { left: mostPairs },
    };
    if (!same(before, after))
      return [...(isParameter === true ? parameterChanges : schemaChanges)(walk, before, after)];
    visitNames(walk, after);
    return [];
  };

  const reported = new Set<string>();

  return {
    reported,
    *types(part, before, after) {
      const direction = part.use === "request" ? "input" : "output";
      const schemas = [
        before === undefined ? true : jsonSchemaOf(old, before, direction),
        after === undefined ? true : jsonSchemaOf(now, after, direction),
      ] as const;
      const changes = changesOf(part, schemas, ({ operations }) => operations.add(part.operation));
      for (const change of changes) yield schemaDifference(part, change);
    },
    *named(uses) {
      for (const { by, name } of uses)
        for (const use of ["request", "response"] as const)
          if (oldSchema(name) !== undefined && newSchema(name) !== undefined)
            pairOf(name, name, use, "none").operations.add(by);
      // A comparison may find further pairs, which the loop then reaches.
      const found = [
        ...eachOf(known, (pair) => {
          const schemas = [oldSchema(pair.old) ?? true, newSchema(pair.now) ?? true] as const;
          const changes = changesOf(pair, schemas, ({ parents }) => parents.add(pair));
          return changes.map((change) => ({ pair, change }));
        }),
      ];
      for (const group of Map.groupBy(found, ({ pair, change: { place, kind, wording } }) =>
        JSON.stringify([pair[naming], place, kind, wording]),
      ).values()) {
        reported.add(group[0]?.pair.now ?? "");
        yield namedDifference(group as [NamedChange, ...NamedChange[]], naming);
      }
    },
  };
}

/** The most pairs of schemas inside one schema that are compared. */
const mostPairs = 20_000;

function* eachOf<Key, Value, Result>(
  map: ReadonlyMap<Key, Value>,
  list: (value: Value) => readonly Result[],
): Iterable<Result> {
  for (const value of map.values()) yield* list(value);
}

function schemaDifference(part: Part, change: SchemaChange): Difference {
  const inner = { subject: [part.subject, ...change.place].join("/"), at: part.at };
  const place = [part.place, ...change.place].join("/");
  const effect = effectOf(change, part.use);
  const suffix = effect === "breaking" ? `: ${whomOf(change, part.use)}` : "";
  const message = `\`${part.operation}\` ${place} ${change.wording}${suffix}`;
  return difference(effect, kindOf(change), inner, message, datesOf(change));
}

/** Returns the kind of a difference for programs, such as `value-wider`. */
function kindOf({ kind, direction }: SchemaChange): string {
  if (kind === "member-required") return direction === "wider" ? "member-optional" : kind;
  if (kind === "default" || kind === "annotation") return `${kind}-changed`;
  return kind === "member-added" || kind === "member-removed" ? kind : `${kind}-${direction}`;
}

interface NamedChange {
  readonly pair: NamedPair;
  readonly change: SchemaChange;
}

/** Returns one difference for the same change in requests and responses, with the operations that it concerns. */
function namedDifference(group: readonly [NamedChange, ...NamedChange[]], naming: Naming): Difference {
  const [{ pair, change }] = group;
  const { [naming]: name } = pair;
  const effects = group.map((one) => effectOf(one.change, one.pair.use));
  const effect = (["breaking", "additive"] as const).find((one) => effects.includes(one)) ?? "neutral";
  const concerned = group.filter((_, index) => effects[index] === effect);
  const whom = [...new Set(concerned.map((one) => whomOf(one.change, one.pair.use)))];
  const operations = [...new Set(concerned.flatMap((one) => [...operationsOf(one.pair)]))];
  const site = { subject: [name, ...change.place].join("/"), at: `resources/schemas/${name}` };
  const place = change.place.length === 0 ? "" : ` ${change.place.join("/")}`;
  const suffix = effect === "breaking" ? `: ${listText(whom)}` : "";
  const message = `\`${name}\`${place} ${change.wording}${suffix} (${namesText(operations)})`;
  return difference(effect, kindOf(change), site, message, datesOf(change));
}

/** The most operations that a message names. */
const mostNames = 3;

function namesText(names: readonly string[]): string {
  const texts = names.map((name) => `\`${name}\``);
  if (texts.length <= mostNames) return listText(texts);
  return listText([...texts.slice(0, mostNames - 1), `${texts.length - mostNames + 1} more`]);
}

function datesOf({ sunset }: SchemaChange): Pick<Difference, "sunset"> {
  return sunset === undefined ? {} : { sunset };
}

/** Returns the operations that refer to a named schema, directly or in another one. */
function operationsOf(pair: NamedPair): ReadonlySet<string> {
  const all = new Set<NamedPair>([pair]);
  // The loop also visits what is added to the set while it runs.
  for (const { parents } of all) for (const parent of parents) all.add(parent);
  return new Set([...all].flatMap(({ operations }) => [...operations]));
}
