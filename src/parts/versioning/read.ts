/**
 * Part 9, read: how a caller chooses a version, what each version changed, and until when old ones are served.
 *
 *     scheme      dated | numbered | none
 *     sent        `header NAME` | `query NAME` | `path /v{n}` | `media-type`   map: { header }, { query } or { path }
 *     absent      pinned | newest | oldest | refuse
 *     policy      { breaking, notice, support, after sunset, unknown }
 *       breaking      `new version only`, or `never`: nothing is ever broken
 *       notice, support   durations
 *       after sunset  `status code`   map: { status, error }; so is `unknown`
 *     versions    name: list of changes (change-read.ts), or one; `none` where a version only adds; `first` for the oldest
 *                 Names are dates (2026-09-01) or numbers (2, 2.1), the newest first.
 *     deprecated  version: `since date, sunset date, guide address`, each of them optional   map: { since, sunset, guide }
 */
import type { Entry, MapNode } from "../../document/document.ts";
import { type Phrase, phraseOf, slice, spanOf, splitAt } from "../phrase.ts";
import { expectMap, isGap, isNone, knownEntries, openEntries, type Path, type Reader, report } from "../reader.ts";
import { readChoice, readDuration, readLines, readStatus, readText } from "../values.ts";
import { readChange } from "./change-read.ts";
import type { Change, Deprecation, Version, VersionAnswer, Versioning, VersionPlace, VersionPolicy } from "./model.ts";

const keys = ["scheme", "sent", "absent", "policy", "versions", "deprecated"] as const;

export function readVersioning(reader: Reader, body: MapNode): Versioning {
  const path = ["versioning"];
  const entries = knownEntries(reader, path, body, keys, "Versioning");
  const schemeText = readText(reader, path, entries.scheme, "The scheme");
  const scheme = readChoice(reader, path, schemeText, ["dated", "numbered", "none"], "The scheme of versions");
  const sent = entries.sent && readSent(reader, [...path, "sent"], entries.sent);
  const absentText = readText(reader, path, entries.absent, "`absent`");
  const absent = readChoice(
    reader,
    path,
    absentText,
    ["pinned", "newest", "oldest", "refuse"],
    "A call without a version",
  );
  const policy = entries.policy && readPolicy(reader, [...path, "policy"], entries.policy);
  const versions = entries.versions && readVersions(reader, [...path, "versions"], entries.versions, scheme);
  const names =
    entries.versions?.value.kind === "map" ? entries.versions.value.entries.map((entry) => entry.key.value) : [];
  const deprecated = entries.deprecated && readDeprecated(reader, [...path, "deprecated"], entries.deprecated, names);
  return {
    ...(scheme === undefined ? {} : { scheme }),
    ...(sent === undefined ? {} : { sent }),
    ...(absent === undefined ? {} : { absent }),
    ...(policy === undefined ? {} : { policy }),
    ...(versions === undefined ? {} : { versions }),
    ...(deprecated === undefined ? {} : { deprecated }),
  };
}

function readSent(reader: Reader, path: Path, entry: Entry): VersionPlace | undefined {
  if (entry.value.kind === "map") return readSentMap(reader, path, entry.value);
  const line = readText(reader, path, entry, "Where a version is sent");
  if (line === undefined) return undefined;
  if (line.text === "media-type") return { kind: "media-type" };
  const match = /^(header|query|path)\s+(\S+)$/.exec(line.text);
  if (match === null) {
    report(reader, "versioning/bad-sent", spanOf(line), `\`${line.text}\` does not say where the version is sent`, {
      help: "write `header Api-Version`, `path /v{n}`, `query version` or `media-type`",
    });
    return undefined;
  }
  const [, kind, name = ""] = match;
  return versionPlace(reader, kind as "header" | "query" | "path", slice(line, line.text.length - name.length));
}

function readSentMap(reader: Reader, path: Path, map: MapNode): VersionPlace | undefined {
  const kinds = ["header", "query", "path"] as const;
  const entries = knownEntries(reader, path, map, kinds, "`sent`");
  const said = kinds.filter((kind) => entries[kind] !== undefined);
  const [kind] = said;
  if (kind === undefined || said.length > 1) {
    report(reader, "versioning/bad-sent", map.span, "A version is sent in one place", {
      help: "write `{ header: Api-Version }`, `{ query: version }` or `{ path: /v{n} }`",
    });
    return undefined;
  }
  const name = readText(reader, path, entries[kind], `The ${kind}`);
  return name && versionPlace(reader, kind, name);
}

function versionPlace(reader: Reader, kind: "header" | "query" | "path", name: Phrase): VersionPlace | undefined {
  if (kind === "path" && /^(\/[\w.~-]*)*\{n\}(\/[\w.~-]+)*$/.test(name.text)) return { kind, template: name.text };
  if (kind !== "path" && /^[\w-]+$/.test(name.text)) return { kind, name: name.text };
  report(
    reader,
    "versioning/bad-sent",
    spanOf(name),
    `\`${name.text}\` is not the ${kind === "path" ? "start of a path" : `name of a ${kind}`}`,
    {
      help: kind === "path" ? "write `path /v{n}`, with `{n}` for the version" : `write \`${kind} Api-Version\``,
    },
  );
  return undefined;
}

function readPolicy(reader: Reader, path: Path, entry: Entry): VersionPolicy | undefined {
  if (isNone(entry.value)) return {};
  const map = expectMap(
    reader,
    path,
    entry.value,
    "`policy`",
    "{ breaking: new version only, notice: 180d, support: 12mo }",
  );
  if (map === undefined) return undefined;
  const entries = knownEntries(
    reader,
    path,
    map,
    ["breaking", "notice", "support", "after sunset", "unknown"],
    "The policy",
  );
  const breakingText = readText(reader, path, entries.breaking, "`breaking`");
  const breaking = readChoice(reader, path, breakingText, ["new version only", "never"], "What breaks callers");
  const notice = readDuration(reader, path, readText(reader, path, entries.notice, "`notice`"), "The notice");
  const support = readDuration(reader, path, readText(reader, path, entries.support, "`support`"), "The support");
  const afterSunset =
    entries["after sunset"] &&
    readAnswer(reader, [...path, "after sunset"], entries["after sunset"], "The answer after the sunset", gone);
  const unknown =
    entries.unknown &&
    readAnswer(reader, [...path, "unknown"], entries.unknown, "The answer to an unknown version", needed);
  return {
    ...(breaking === undefined ? {} : { breaking }),
    ...(notice === undefined ? {} : { notice }),
    ...(support === undefined ? {} : { support }),
    ...(afterSunset === undefined ? {} : { afterSunset }),
    ...(unknown === undefined ? {} : { unknown }),
  };
}

const gone = "410 version-gone";
const needed = "412 version-needed";

function readAnswer(
  reader: Reader,
  path: Path,
  entry: Entry,
  what: string,
  example: string,
): VersionAnswer | undefined {
  if (entry.value.kind === "map") {
    const entries = knownEntries(reader, path, entry.value, ["status", "error"], what);
    const statusText = readText(reader, path, entries.status, "The status");
    const error = readText(reader, path, entries.error, "The error");
    if (statusText !== undefined && error !== undefined) return answerOf(reader, path, statusText, error, what);
    if (entries.status === undefined || entries.error === undefined) {
      report(reader, "versioning/bad-answer", entry.value.span, `${what} is a status and an error`, {
        help: `write \`${example}\``,
      });
    }
    return undefined;
  }
  const line = readText(reader, path, entry, what);
  if (line === undefined) return undefined;
  const match = /^(\S+)\s+(\S+)$/.exec(line.text);
  if (match === null) {
    report(reader, "versioning/bad-answer", spanOf(line), `${what} is a status and an error, not \`${line.text}\``, {
      help: `write \`${example}\``,
    });
    return undefined;
  }
  const [, status = "", error = ""] = match;
  return answerOf(reader, path, slice(line, 0, status.length), slice(line, line.text.length - error.length), what);
}

function answerOf(
  reader: Reader,
  path: Path,
  statusText: Phrase,
  error: Phrase,
  what: string,
): VersionAnswer | undefined {
  const status = readStatus(reader, path, statusText, what);
  return status === undefined ? undefined : { status, error: error.text };
}

/** Those beyond are not read. */
const mostVersions = 200;

function readVersions(
  reader: Reader,
  path: Path,
  entry: Entry,
  scheme: Versioning["scheme"],
): readonly Version[] | undefined {
  if (isNone(entry.value)) return [];
  const map = expectMap(reader, path, entry.value, "`versions`", "2026-03-01: first");
  if (map === undefined) return undefined;
  if (scheme === "none") {
    report(reader, "versioning/scheme-none", entry.key.span, "The scheme is none, and yet there are versions", {
      help: "write `scheme: dated` or `scheme: numbered`, or leave the versions out",
    });
  }
  const beyond = map.entries[mostVersions];
  if (beyond !== undefined) {
    report(reader, "versioning/too-many-versions", beyond.key.span, `There are more than ${mostVersions} versions`, {
      why: "The whole document is understood anew for each of them.",
      help: "end the oldest ones (`policy: { support: … }`), and take them out",
    });
  }
  const listed = { ...map, entries: map.entries.slice(0, mostVersions) };
  checkNames(reader, listed, scheme);
  const oldest = listed.entries.at(-1);
  // A version whose changes are open is a version all the same.
  const shown = new Set(openEntries(reader, path, listed));
  return listed.entries.map((line) => ({
    name: line.key.value,
    changes: shown.has(line) ? readChanges(reader, [...path, line.key.value], line, line === oldest) : [],
  }));
}

function readChanges(reader: Reader, path: Path, line: Entry, oldest: boolean): readonly Change[] {
  const { key, value } = line;
  const isFirst = value.kind === "text" && value.value === "first";
  if (isFirst && !oldest) {
    report(reader, "versioning/first-not-last", value.span, `${key.value} is not the oldest version`, {
      why: "The newest version stands first, and `first` is the oldest of all.",
      help: "list its changes, or write `none` where it only adds",
    });
  }
  if (isFirst || isNone(value)) return [];
  if (oldest) {
    report(
      reader,
      "versioning/oldest-has-changes",
      key.span,
      `${key.value} is the oldest version, so it differs from none`,
      {
        help: `write \`${key.value}: first\`, or list the version before it`,
      },
    );
    return [];
  }
  const changes: Change[] = [];
  for (const item of value.kind === "list" ? value.items : [value]) {
    if (isGap(reader, [...path, String(changes.length)], item)) continue;
    const change = readChange(reader, [...path, String(changes.length)], item);
    if (change !== undefined) changes.push(change);
  }
  return changes;
}

/** Names are of the scheme's form, and the newest stands first. */
function checkNames(reader: Reader, map: MapNode, scheme: Versioning["scheme"]): void {
  const names = map.entries.map((entry) => entry.key);
  const dated =
    scheme === undefined || scheme === "none" ? names.every((name) => looksDated(name.value)) : scheme === "dated";
  let before: readonly number[] | undefined;
  for (const name of names) {
    const rank = dated ? rankOfDate(name.value) : rankOfNumber(name.value);
    if (rank === undefined) reportName(reader, phraseOf(name), dated);
    else if (before !== undefined && compareRanks(before, rank) <= 0) {
      report(reader, "versioning/not-newest-first", name.span, `${name.value} is not older than the version above it`, {
        why: "Each version lists how it differs from the one before it, so the order has to be certain.",
        help: "put the newest version first",
      });
    }
    before = rank ?? before;
  }
}

function reportName(reader: Reader, name: Phrase, dated: boolean): void {
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

/** Year, month and day of a date that the calendar has. */
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

function readDeprecated(
  reader: Reader,
  path: Path,
  entry: Entry,
  names: readonly string[],
): Readonly<Record<string, Deprecation>> | undefined {
  if (isNone(entry.value)) return {};
  const map = expectMap(reader, path, entry.value, "`deprecated`", "2026-03-01: since 2026-09-01, sunset 2027-03-01");
  if (map === undefined) return undefined;
  return readLines(openEntries(reader, path, map), (line) => {
    if (!names.includes(line.key.value)) {
      report(reader, "versioning/unknown-version", line.key.span, `There is no version ${line.key.value}`, {
        help: names.length === 0 ? "list it below `versions`" : `known here: ${names.join(", ")}`,
      });
    }
    return readDeprecation(reader, [...path, line.key.value], line);
  });
}

type Moment = keyof Deprecation;
const moments = ["since", "sunset", "guide"] as const;

function readDeprecation(reader: Reader, path: Path, line: Entry): Deprecation | undefined {
  const phrases =
    line.value.kind === "map" ? momentsOfMap(reader, path, line.value) : momentsOfLine(reader, path, line);
  if (phrases === undefined) return undefined;
  const since = readDate(reader, phrases.since);
  const sunset = readDate(reader, phrases.sunset);
  const guide = readGuide(reader, phrases.guide);
  if (since !== undefined && sunset !== undefined && sunset < since && phrases.sunset !== undefined) {
    report(
      reader,
      "versioning/sunset-before",
      spanOf(phrases.sunset),
      `The sunset of ${line.key.value} comes before its deprecation`,
      {
        why: "RFC 8594 and RFC 9745: a thing is deprecated first and gone later.",
        help: `write a date after ${since}`,
      },
    );
  }
  return {
    ...(since === undefined ? {} : { since }),
    ...(sunset === undefined ? {} : { sunset }),
    ...(guide === undefined ? {} : { guide }),
  };
}

function momentsOfMap(reader: Reader, path: Path, map: MapNode): Partial<Record<Moment, Phrase>> {
  const entries = knownEntries(reader, path, map, moments, "A deprecation");
  const phrases: Partial<Record<Moment, Phrase>> = {};
  for (const moment of moments) {
    const phrase = readText(reader, path, entries[moment], `\`${moment}\``);
    if (phrase !== undefined) phrases[moment] = phrase;
  }
  return phrases;
}

function momentsOfLine(reader: Reader, path: Path, line: Entry): Partial<Record<Moment, Phrase>> | undefined {
  const text = readText(reader, path, line, `The deprecation of ${line.key.value}`);
  if (text === undefined) return undefined;
  const phrases: Partial<Record<Moment, Phrase>> = {};
  for (const piece of splitAt(text, ",")) {
    const match = /^(since|sunset|guide)\s+(\S+)$/.exec(piece.text);
    const moment = match?.[1] as Moment | undefined;
    if (moment === undefined || phrases[moment] !== undefined) {
      report(
        reader,
        "versioning/bad-deprecation",
        spanOf(piece),
        `\`${piece.text}\` says nothing about a deprecation`,
        {
          help: "write `since 2026-09-01, sunset 2027-03-01, guide https://…`",
        },
      );
    } else phrases[moment] = slice(piece, piece.text.length - (match?.[2] ?? "").length);
  }
  return phrases;
}

function readDate(reader: Reader, phrase: Phrase | undefined): string | undefined {
  if (phrase === undefined || rankOfDate(phrase.text) !== undefined) return phrase?.text;
  report(reader, "versioning/bad-date", spanOf(phrase), `\`${phrase.text}\` is not a date`, {
    help: "write a date that exists: `2026-09-01`",
  });
  return undefined;
}

function readGuide(reader: Reader, phrase: Phrase | undefined): string | undefined {
  if (phrase === undefined || /^https?:\/\/[^\s/]+\S*$/.test(phrase.text)) return phrase?.text;
  report(reader, "versioning/bad-guide", spanOf(phrase), `\`${phrase.text}\` is not an absolute address`, {
    help: "write it as `https://docs.lockers.example/2026-09`",
  });
  return undefined;
}
