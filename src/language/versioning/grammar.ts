/**
 * Part 9: how a request selects a version, what each version changed, and until when older versions are served.
 *
 *     scheme      dated | numbered | none
 *     sent        `header NAME` | `query NAME` | `path /v{n}` | `media-type`   map: { header }, { query } or { path }
 *     absent      pinned | newest | oldest | refuse
 *     policy      { breaking, notice, support, after sunset, unknown }
 *       breaking      `new version only`, or `never`: no version breaks callers
 *       notice, support   durations
 *       after sunset  `status code`   map: { status, error }; so is `unknown`
 *     versions    name: list of changes (change.ts), or one; `none` if a version only adds; `first` for the oldest
 *                 Names are dates (2026-09-01) or numbers (2, 2.1), the newest first.
 *     deprecated  subject: `since date, sunset date, guide address`, each of them optional   map: { since, sunset, guide }
 *                 The subject is a version, an operation, or as in a change `Resource.field` or `operation.member`.
 */
import type { Entry, MapNode } from "../../document/document.ts";
import type { Tree } from "../../document/print.ts";
import { additiveIfNew, type ChangeReport } from "../grammar/changes.ts";
import { named, noneOr } from "../grammar/collections.ts";
import { converted, form, part } from "../grammar/form.ts";
import { complain, type Grammar, type PartGrammar } from "../grammar/grammar.ts";
import { mapOf, orNone, shared } from "../grammar/schema.ts";
import { choice, duration, matching, status, text, type Words, words } from "../grammar/words.ts";
import { type SourceText, sourceTextOf, spanOf } from "../grammar/source-text.ts";
import { expectMap, isGap, isNone, openEntries, type Path, type Reader, report } from "../grammar/reader.ts";
import { inside, mapName, type Scope } from "../grammar/references.ts";
import { change } from "./change.ts";
import {
  type Change,
  type Deprecation,
  deprecatedTarget,
  guideAddress,
  targetName,
  type Version,
  type VersionResponse,
  type Versioning,
  type VersionLocation,
  type VersionPolicy,
} from "./model.ts";

interface WrittenLocation {
  readonly header?: string;
  readonly query?: string;
  readonly path?: string;
}

function nameOf(kind: keyof WrittenLocation): Words<string> {
  return matching(kind === "path" ? /^(\/[\w.~-]*)*\{n\}(\/[\w.~-]+)*$/ : /^[\w-]+$/, [
    "bad-sent",
    (found) => `\`${found}\` is not the ${kind === "path" ? "start of a path" : `name of a ${kind}`}`,
    { help: kind === "path" ? "write `path /v{n}`, with `{n}` for the version" : `write \`${kind} Api-Version\`` },
  ]);
}

const sent = converted<WrittenLocation, VersionLocation>(
  form<WrittenLocation>({
    what: "`sent`",
    example: "{ header: Api-Version }",
    line: ["header {header}", "query {query}", "path {path}", "media-type"],
    members: {
      header: { ...nameOf("header"), label: "The header", orNothing: true },
      query: { ...nameOf("query"), label: "The query", orNothing: true },
      path: { ...nameOf("path"), label: "The path", orNothing: true },
    },
    wrong: (reader, path, line) =>
      complain(reader, path, line, [
        "bad-sent",
        (found) => `\`${found}\` does not say where the version is sent`,
        { help: "write `header Api-Version`, `path /v{n}`, `query version` or `media-type`" },
      ]),
  }),
  (reader, _, { header, query, path: template }, { value }) => {
    const locations: VersionLocation[] = [
      ...(header === undefined ? [] : [{ kind: "header", name: header } as const]),
      ...(query === undefined ? [] : [{ kind: "query", name: query } as const]),
      ...(template === undefined ? [] : [{ kind: "path", template } as const]),
      ...(value.kind === "text" && header === undefined && query === undefined && template === undefined
        ? [{ kind: "media-type" } as const]
        : []),
    ];
    if (locations.length === 1) return locations[0];
    report(reader, "versioning/bad-sent", value.span, "A version can be sent in one place only", {
      help: "write `{ header: Api-Version }`, `{ query: version }` or `{ path: /v{n} }`",
    });
    return undefined;
  },
  (location) =>
    location.kind === "media-type"
      ? {}
      : { [location.kind]: location.kind === "path" ? location.template : location.name },
);

function answer(what: string, example: string): Grammar<VersionResponse> {
  const help = { help: `write \`${example}\`` };
  return form<VersionResponse>({
    what,
    example,
    line: "{status} {error}",
    members: {
      status: { ...status(what, "The status"), needed: true },
      error: { ...text("The error"), references: "error", needed: true },
    },
    wrong: (reader, path, line) =>
      complain(reader, path, line, [
        "bad-answer",
        (found) => `${what} is a status and an error, not \`${found}\``,
        help,
      ]),
    missing: (reader, _, __, { span }) =>
      report(reader, "versioning/bad-answer", span, `${what} is a status and an error`, help),
  });
}

const promised: ChangeReport = { category: "support", omitted: "least" };

const policy = form<VersionPolicy>({
  what: "The policy",
  changes: {
    breaking: { what: "The policy for breaking changes", effect: "neutral" },
    notice: { ...promised, kind: "notice", what: "The notice that the policy promises" },
    support: { ...promised, kind: "support", what: "The support that the policy promises" },
    afterSunset: { what: "The response after the sunset", effect: additiveIfNew },
    unknown: { what: "The response to an unknown version" },
  },
  example: "{ breaking: new version only, notice: 180d, support: 12mo }",
  members: {
    breaking: choice<string>(["new version only", "never"], "What breaks callers"),
    notice: duration("The notice"),
    support: duration("The support"),
    afterSunset: { ...answer("The response after the sunset", "410 version-gone"), key: "after sunset" },
    unknown: answer("The response to an unknown version", "412 version-needed"),
  },
});

/** The most versions that are read. */
const mostVersions = 200;

const versions: Grammar<readonly Version[]> = {
  // The schema of a version's changes: one statement, a list, or a word.
  schema: orNone(mapOf({ anyOf: [shared("text"), { type: "array", items: change.schema }, { type: "object" }] })),
  read: (reader, path, { value }) => {
    if (isNone(value)) return [];
    const map = expectMap(reader, path, value, "`versions`", "2026-03-01: first");
    if (map === undefined) return undefined;
    const listed = { ...map, entries: map.entries.slice(0, mostVersions) };
    const oldest = listed.entries.at(-1);
    // Keeps a version whose changes are `not shown`.
    const listedLines = new Set(openEntries(reader, path, listed));
    return listed.entries.map((line) => ({
      name: line.key.value,
      changes: listedLines.has(line) ? readChanges(reader, [...path, line.key.value], line, line === oldest) : [],
    }));
  },
  print: (all, below) => {
    const entries = all.map(({ changes, name }): readonly [string, Tree] => {
      if (changes.length > 0) return [name, changes.map((one) => change.print(one, below))];
      return [name, name === all.at(-1)?.name ? "first" : "none"];
    });
    // A JavaScript object would reorder names that are numbers, so the result is a `Map`.
    return entries.length === 0 ? "none" : new Map(entries);
  },
};

function readChanges(reader: Reader, path: Path, line: Entry, oldest: boolean): readonly Change[] {
  const { key, value } = line;
  const isFirst = value.kind === "text" && value.value === "first";
  if (isFirst && !oldest) {
    report(reader, "versioning/first-not-last", value.span, `${key.value} is not the oldest version`, {
      why: "The newest version is listed first, and `first` marks the oldest.",
      help: "list its changes, or write `none` where it only adds",
    });
  }
  if (isFirst || isNone(value)) return [];
  if (oldest) {
    report(
      reader,
      "versioning/oldest-has-changes",
      key.span,
      `${key.value} is the oldest version, so it has no changes`,
      {
        help: `write \`${key.value}: first\`, or list the version before it`,
      },
    );
    return [];
  }
  const changes: Change[] = [];
  for (const item of value.kind === "list" ? value.items : [value]) {
    if (isGap(reader, [...path, String(changes.length)], item)) continue;
    const read = change.read(reader, [...path, String(changes.length)], { value: item });
    if (read !== undefined) changes.push(read);
  }
  return changes;
}

const date = words(
  (reader, path, found) =>
    rankOfDate(found.text) === undefined
      ? complain(reader, path, found, [
          "bad-date",
          (name) => `\`${name}\` is not a date`,
          { help: "write a date that exists: `2026-09-01`" },
        ])
      : found.text,
  shared("text"),
  { measure: (date) => Date.parse(String(date)) },
);

const guide = matching(guideAddress, [
  "bad-guide",
  (found) => `\`${found}\` is not an absolute address`,
  { help: "write it as `https://docs.lockers.example/2026-09`" },
]);

export const deprecation: Grammar<Deprecation> = converted<Deprecation, Deprecation>(
  form<Deprecation>({
    what: (path) => `The deprecation of ${path[2]}`,
    example: "{ since: 2026-09-01, sunset: 2027-03-01 }",
    line: "[, since {since}][, sunset {sunset}][, guide {guide}]",
    changes: {
      since: { what: "The deprecation of {}", effect: "neutral" },
      sunset: { kind: "sunset", what: "The sunset of {}", category: "support" },
      guide: { what: "The guide of {}", effect: "neutral" },
    },
    members: { since: date, sunset: { ...date, isLocated: true }, guide },
    wrongClause: (reader, path, clause) =>
      complain(reader, path, clause, [
        "bad-deprecation",
        (found) => `\`${found}\` is not an option of a deprecation`,
        { help: "write `since 2026-09-01, sunset 2027-03-01, guide https://…`" },
      ]),
  }),
  (reader, path, moments) => {
    const { since, sunset } = moments;
    const span = reader.places.get(`${path.join("/")}/sunset#value`);
    if (since !== undefined && sunset !== undefined && sunset < since && span !== undefined)
      report(reader, "versioning/sunset-before", span, `The sunset of ${path[2]} comes before its deprecation`, {
        why: "RFC 8594 and RFC 9745: the deprecation comes first, then the end.",
        help: `write a date after ${since}`,
      });
    return moments;
  },
  (moments) => moments,
);

const deprecatedSubjects = named(deprecation, { example: "2026-03-01: since 2026-09-01, sunset 2027-03-01" });

const deprecated: Grammar<NonNullable<Versioning["deprecated"]>> = {
  ...deprecatedSubjects,
  mapNames: (all, scope) => {
    const mapped = Object.entries(all).flatMap(([key, value]): [string, Deprecation][] => {
      const name = mapSubject(key, inside(scope, key));
      return name === undefined ? [] : [[name, value]];
    });
    return mapped.length === Object.keys(all).length && mapped.every(([key]) => Object.hasOwn(all, key))
      ? all
      : Object.fromEntries(mapped);
  },
};

/** Maps the names in a subject of a deprecation; undefined if one of them is removed. */
function mapSubject(key: string, scope: Scope): string | undefined {
  const target = deprecatedTarget(key);
  if (target === undefined) return key;
  const { field } = target;
  const of = mapName(target.of, scope, { references: ["resource", "type", "view", "operation"] }, "key");
  if (field === undefined) return of;
  const owned = { ...scope, record: target.of, owner: target.of };
  const member = mapName(field, owned, { references: ["field", "member"] }, "key");
  return of === undefined || member === undefined ? undefined : targetName({ of, field: member });
}

const grammar = part<Versioning>("versioning", {
  what: "Versioning",
  changes: {
    scheme: { what: "The scheme of versions" },
    sent: { what: "The place where a version is sent" },
    absent: { what: "The version of a request without one" },
    deprecated: { kind: "deprecation", subject: "version {}" },
  },
  example: "{ scheme: dated }",
  members: {
    scheme: { ...choice(["dated", "numbered", "none"], "The scheme of versions"), label: "The scheme" },
    sent,
    absent: choice(["pinned", "newest", "oldest", "refuse"], "A call without a version"),
    policy: noneOr(policy, {}),
    versions,
    deprecated,
  },
});

export const versioning: PartGrammar<Versioning> = {
  ...grammar,
  readPart: (reader, body) => {
    const value = grammar.readPart(reader, body);
    const entriesOf = (key: string): readonly Entry[] => {
      const entry = body.entries.find((one) => one.key.value === key);
      return entry?.value.kind === "map" ? entry.value.entries : [];
    };
    checkVersions(reader, body, entriesOf("versions"), value.scheme);
    const known = entriesOf("versions").map(({ key }) => key.value);
    for (const { key } of entriesOf("deprecated"))
      if (deprecatedTarget(key.value) === undefined && !known.includes(key.value))
        report(reader, "versioning/unknown-version", key.span, `There is no version ${key.value}`, {
          help: known.length === 0 ? "list it below `versions`" : `known here: ${known.join(", ")}`,
        });
    return value;
  },
};

function checkVersions(reader: Reader, body: MapNode, entries: readonly Entry[], scheme: Versioning["scheme"]): void {
  const key = body.entries.find((one) => one.key.value === "versions")?.key;
  if (scheme === "none" && key !== undefined && entries.length > 0)
    report(reader, "versioning/scheme-none", key.span, "The scheme is none, but there are versions", {
      help: "write `scheme: dated` or `scheme: numbered`, or leave the versions out",
    });
  const beyond = entries[mostVersions];
  if (beyond !== undefined)
    report(reader, "versioning/too-many-versions", beyond.key.span, `There are more than ${mostVersions} versions`, {
      why: "The service reads the whole document once for each of them.",
      help: "end the oldest ones (`policy: { support: … }`), and remove them",
    });
  checkNames(reader, entries.slice(0, mostVersions), scheme);
}

/** Reports version names that do not have the format of the scheme, or are not in the order newest first. */
function checkNames(reader: Reader, entries: readonly Entry[], scheme: Versioning["scheme"]): void {
  const names = entries.map((entry) => entry.key);
  const dated =
    scheme === undefined || scheme === "none" ? names.every((name) => looksDated(name.value)) : scheme === "dated";
  let before: readonly number[] | undefined;
  for (const name of names) {
    const rank = dated ? rankOfDate(name.value) : rankOfNumber(name.value);
    if (rank === undefined) reportName(reader, sourceTextOf(name), dated);
    else if (before !== undefined && compareRanks(before, rank) <= 0) {
      report(reader, "versioning/not-newest-first", name.span, `${name.value} is not older than the version above it`, {
        why: "Each version lists how it differs from the one before it, so the order has to be certain.",
        help: "put the newest version first",
      });
    }
    before = rank ?? before;
  }
}

function reportName(reader: Reader, name: SourceText, dated: boolean): void {
  const bare = name.text.replace(/^v/i, "");
  const numbered = !dated && rankOfNumber(bare) !== undefined;
  const form = dated ? "a date" : "a number";
  report(reader, "versioning/bad-name", spanOf(name), `The version \`${name.text}\` is not ${form}`, {
    help: dated ? "write a date that exists: `2026-09-01`" : `write \`${numbered ? bare : "2"}\``,
    ...(numbered ? { fix: { title: `write \`${bare}\``, span: spanOf(name), text: bare } } : {}),
  });
}

function looksDated(name: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(name);
}

/** Returns year, month and day of a date; undefined if the calendar has no such date. */
function rankOfDate(name: string): readonly number[] | undefined {
  if (!looksDated(name)) return undefined;
  const [year = 0, month = 0, day = 0] = name.split("-").map(Number);
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? [year, month, day] : undefined;
}

function rankOfNumber(name: string): readonly number[] | undefined {
  return /^(0|[1-9]\d{0,8})(\.(0|[1-9]\d{0,8})){0,2}$/.test(name) ? name.split(".").map(Number) : undefined;
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
