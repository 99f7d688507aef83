/**
 * Part 8, read: rates, quotas, sizes, time-outs and retention.
 *
 *     rate    target: N/[n]unit per who[, burst N]   map: { count, window, per, burst }   several: a list
 *             target: `all`, `anyone` or an operation. unit: s, min, h, day, week, month (or in full: second …).
 *             who: `user`, `ip` or a resource.
 *     quota   target: N/[n]unit per who              map: { count, window, per }          several: a list
 *             target: N [in state | state] per who   map: { count, in, per }
 *             The first counts operations in a window, the second live records (in one of the states).
 *     size    target: size                           `request` or an operation
 *     time    target: duration                       likewise
 *     keep    Resource: duration after moment[, erase]   map: { duration, after, act }    `act`: delete (the default), erase
 *             moment: `final`, a state, or a field of type datetime
 *
 * Each of the five can be `none`, and so can each target of `rate` and `quota`.
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
import { namesAt, readChoice, readTimeOut, readCount, readDuration, readLines, readSize, readText } from "../values.ts";
import { type Limits, pers, type Quota, type Rate, type Retention, windowUnits } from "./model.ts";

export function readLimits(reader: Reader, body: MapNode): Limits {
  const path = ["limits"];
  const entries = knownEntries(reader, path, body, ["rate", "quota", "size", "time", "keep"], "Limits");
  const rate = readTargets(reader, [...path, "rate"], entries.rate, "all: 600/min per user", readRates);
  const quota = readTargets(reader, [...path, "quota"], entries.quota, "addSite: 100/day per user", readQuotas);
  const size = readTargets(reader, [...path, "size"], entries.size, "{ request: 256KB }", (at, line) =>
    readSize(reader, at, readText(reader, at, line, "The limit"), `The size of ${line.key.value}`),
  );
  const time = readTargets(reader, [...path, "time"], entries.time, "{ request: 10s }", (at, line) =>
    readTimeOut(reader, at, readText(reader, at, line, "The limit"), `The time for ${line.key.value}`),
  );
  const keep = readTargets(reader, [...path, "keep"], entries.keep, "{ Parcel: 90d after final }", (at, line) =>
    readRetention(reader, at, line),
  );
  return {
    ...(rate === undefined ? {} : { rate }),
    ...(quota === undefined ? {} : { quota }),
    ...(size === undefined ? {} : { size }),
    ...(time === undefined ? {} : { time }),
    ...(keep === undefined ? {} : { keep }),
  };

  function readRates(at: Path, line: Entry): readonly Rate[] {
    return readEach(reader, at, line.value, (where, node) =>
      node.kind === "map" ? readRateMap(reader, where, node) : readRateLine(reader, where, node),
    );
  }

  function readQuotas(at: Path, line: Entry): readonly Quota[] {
    return readEach(reader, at, line.value, (where, node) =>
      node.kind === "map" ? readQuotaMap(reader, where, node) : readQuotaLine(reader, where, node),
    );
  }
}

/** A map of targets; `none` is an empty one. */
function readTargets<Limit>(
  reader: Reader,
  path: Path,
  entry: Entry | undefined,
  example: string,
  read: (path: Path, line: Entry) => Limit | undefined,
): Readonly<Record<string, Limit>> | undefined {
  if (entry === undefined) return undefined;
  if (isNone(entry.value)) return {};
  const map = expectMap(reader, path, entry.value, `\`${path[1]}\``, example);
  if (map === undefined) return undefined;
  return readLines(openEntries(reader, path, map), (line) => read([...path, line.key.value], line));
}

/** One limit, or a list of them; each is placed at `path/index`. */
function readEach<Limit>(
  reader: Reader,
  path: Path,
  node: Node,
  read: (path: Path, node: Node) => Limit | undefined,
): readonly Limit[] {
  if (isNone(node)) return [];
  const limits: Limit[] = [];
  for (const item of node.kind === "list" ? node.items : [node]) {
    const limit = read(path, item);
    if (limit === undefined) continue;
    placeAt(reader, [...path, String(limits.length)], item);
    limits.push(limit);
  }
  return limits;
}

function readRateLine(reader: Reader, path: Path, node: Node): Rate | undefined {
  const text = expectText(reader, path, node, "A rate");
  if (text === undefined) return undefined;
  const line = phraseOf(text);
  const [amount, ...rest] = splitAt(line, ",");
  const window = amount && readWindowed(reader, path, amount, line, "5/15min per Parcel");
  if (window === undefined) return undefined;
  const [burst, ...more] = rest;
  if (burst === undefined) return window;
  const match = /^burst\s+(\S+)$/.exec(burst.text);
  const wrong = match === null ? burst : more[0];
  if (match === null || wrong !== undefined) {
    const span = spanOf(wrong ?? burst);
    report(reader, "limits/bad-rate", span, `\`${(wrong ?? burst).text}\` says nothing about a rate`, {
      help: "after the comma stands `burst 10`, and nothing else",
    });
    return window;
  }
  const count = readCount(reader, path, slice(burst, burst.text.length - (match[1] as string).length), "A burst");
  return count === undefined ? window : { ...window, burst: count };
}

function readRateMap(reader: Reader, path: Path, map: MapNode): Rate | undefined {
  const entries = knownEntries(reader, path, map, ["count", "window", "per", "burst"], "A rate");
  const count = readCount(reader, path, readText(reader, path, entries.count, "`count`"), "The number of requests");
  const window = readWindow(reader, path, readText(reader, path, entries.window, "`window`"));
  const per = readPer(reader, path, readText(reader, path, entries.per, "`per`"));
  const burst = readCount(reader, path, readText(reader, path, entries.burst, "`burst`"), "A burst");
  reportAbsent(reader, map, entries, ["count", "window", "per"], "{ count: 600, window: min, per: user }");
  if (count === undefined || window === undefined || per === undefined) return undefined;
  return { count, window, per, ...(burst === undefined ? {} : { burst }) };
}

interface Windowed {
  readonly count: number;
  readonly window: string;
  readonly per: string;
}

/** `600/min per user` */
function readWindowed(reader: Reader, path: Path, phrase: Phrase, line: Phrase, example: string): Windowed | undefined {
  const match = /^([^\s/]+)\s*\/\s*([^\s/]+)(?:\s+per(?:\s+(.*))?)?$/.exec(phrase.text);
  if (match === null) {
    report(reader, "limits/bad-rate", spanOf(phrase), `\`${line.text}\` is not a number of requests in a time`, {
      help: `write it as \`${example}\``,
    });
    return undefined;
  }
  const [, number = "", unit = "", who] = match;
  const count = readCount(reader, path, slice(phrase, 0, number.length), "The number of requests");
  const slash = phrase.text.indexOf("/") + 1;
  const unitAt = phrase.text.indexOf(unit, slash);
  const window = readWindow(reader, path, slice(phrase, unitAt, unitAt + unit.length));
  if (who === undefined) {
    reportNoPer(reader, phrase);
    return undefined;
  }
  const per = readPer(reader, path, slice(phrase, phrase.text.length - who.length));
  return count === undefined || window === undefined || per === undefined ? undefined : { count, window, per };
}

function reportNoPer(reader: Reader, phrase: Phrase): void {
  report(reader, "limits/no-per", spanOf(phrase), `\`${phrase.text}\` does not say whom it counts for`, {
    why: "Without it one caller would use up what everybody shares.",
    help: `write \`${phrase.text.replace(/\s+per$/, "")} per user\`, or \`per ip\`, or \`per\` and a resource`,
  });
}

function readWindow(reader: Reader, path: Path, phrase: Phrase | undefined): string | undefined {
  if (phrase === undefined) return undefined;
  if (new RegExp(`^([1-9][0-9]{0,5})?(${Object.keys(windowUnits).join("|")})$`).test(phrase.text)) return phrase.text;
  report(reader, `${path[0]}/bad-window`, spanOf(phrase), `\`${phrase.text}\` is not a span of time`, {
    help: "write a unit, or a number and a unit: `s`, `min`, `15min`, `h`, `day`, `week`, `month`",
  });
  return undefined;
}

function readPer(reader: Reader, path: Path, phrase: Phrase | undefined): string | undefined {
  if (phrase === undefined) return undefined;
  if ((pers as readonly string[]).includes(phrase.text) || /^[A-Z][A-Za-z0-9]*$/.test(phrase.text)) return phrase.text;
  report(reader, `${path[0]}/bad-per`, spanOf(phrase), `A limit cannot be counted per \`${phrase.text}\``, {
    help: "write `per user`, `per ip`, or `per` and the name of a resource",
  });
  return undefined;
}

function readQuotaLine(reader: Reader, path: Path, node: Node): Quota | undefined {
  const text = expectText(reader, path, node, "A quota");
  if (text === undefined) return undefined;
  const line = phraseOf(text);
  if (/^[^\s]+\s*\//.test(line.text)) {
    const window = readWindowed(reader, path, line, line, "5000/day per user");
    return window === undefined ? undefined : { kind: "window", ...window };
  }
  const match = /^(\S+)(?:\s+in\s+(.*?))?(?:\s+per(?:\s+(.*))?)?$/d.exec(line.text);
  const number = match?.indices?.[1];
  if (match === null || number === undefined) {
    report(reader, "limits/bad-quota", spanOf(line), `\`${line.text}\` is not a quota`, {
      help: "write it as `5000/day per user`, `300 in announced | stored per user` or `20 per user`",
    });
    return undefined;
  }
  const count = readCount(reader, path, slice(line, ...number), "The number of records");
  const held = match.indices?.[2];
  const states = held === undefined ? [] : readStates(reader, path, splitAt(slice(line, ...held), "|"));
  const who = match.indices?.[3];
  if (who === undefined) {
    reportNoPer(reader, line);
    return undefined;
  }
  const per = readPer(reader, path, slice(line, ...who));
  return count === undefined || per === undefined ? undefined : { kind: "live", count, states, per };
}

function readStates(reader: Reader, path: Path, names: readonly Phrase[]): readonly string[] {
  const states = names.filter((name) => {
    const sound = /^[A-Za-z][\w-]*$/.test(name.text);
    if (!sound) {
      report(reader, `${path[0]}/bad-state`, spanOf(name), `\`${name.text}\` is not the name of a state`, {
        help: "separate states by `|`: `300 in announced | stored per user`",
      });
    }
    return sound;
  });
  return [...new Set(states.map((state) => state.text))];
}

function readQuotaMap(reader: Reader, path: Path, map: MapNode): Quota | undefined {
  const entries = knownEntries(reader, path, map, ["count", "window", "in", "per"], "A quota");
  const count = readCount(reader, path, readText(reader, path, entries.count, "`count`"), "The number");
  const per = readPer(reader, path, readText(reader, path, entries.per, "`per`"));
  reportAbsent(reader, map, entries, ["count", "per"], "{ count: 300, in: [announced, stored], per: user }");
  if (entries.window !== undefined && entries.in !== undefined) {
    report(
      reader,
      "limits/bad-quota",
      entries.in.key.span,
      "A quota counts operations in a window or records in states, not both",
      {
        help: "leave out `window` or `in`; two quotas are written as a list",
      },
    );
    return undefined;
  }
  const window = readWindow(reader, path, readText(reader, path, entries.window, "`window`"));
  if (count === undefined || per === undefined) return undefined;
  if (entries.window !== undefined) return window === undefined ? undefined : { kind: "window", count, window, per };
  return { kind: "live", count, states: entries.in === undefined ? [] : statesOf(reader, path, entries.in.value), per };
}

function statesOf(reader: Reader, path: Path, node: Node): readonly string[] {
  const names = node.kind === "text" ? splitAt(phraseOf(node), "|") : namesAt(reader, path, node, "The list of states");
  return readStates(reader, path, names);
}

function readRetention(reader: Reader, path: Path, line: Entry): Retention | undefined {
  if (line.value.kind === "map") return readRetentionMap(reader, path, line.value);
  const text = readText(reader, path, line, `How long ${line.key.value} is kept`);
  if (text === undefined) return undefined;
  const match = /^(\S+)\s+after\s+([A-Za-z]\w*)(?:\s*,\s*(.*))?$/d.exec(text.text);
  const [length, after, act] = match?.indices?.slice(1) ?? [];
  if (match === null || length === undefined || after === undefined) {
    report(
      reader,
      "limits/bad-retention",
      spanOf(text),
      `\`${text.text}\` does not say how long ${line.key.value} is kept`,
      {
        help: "write it as `90d after final`, `90d after createdAt` or `90d after final, erase`",
      },
    );
    return undefined;
  }
  const duration = readDuration(reader, path, slice(text, ...length), `How long ${line.key.value} is kept`);
  const deed = act === undefined ? "delete" : readAct(reader, path, slice(text, ...act));
  return duration === undefined || deed === undefined ? undefined : { duration, after: match[2] as string, act: deed };
}

function readRetentionMap(reader: Reader, path: Path, map: MapNode): Retention | undefined {
  const entries = knownEntries(reader, path, map, ["duration", "after", "act"], "A retention");
  const duration = readDuration(
    reader,
    path,
    readText(reader, path, entries.duration, "`duration`"),
    "How long it is kept",
  );
  const after = readText(reader, path, entries.after, "`after`");
  const act =
    entries.act === undefined ? "delete" : readAct(reader, path, readText(reader, path, entries.act, "`act`"));
  reportAbsent(reader, map, entries, ["duration", "after"], "{ duration: 90d, after: final, act: delete }");
  return duration === undefined || after === undefined || act === undefined
    ? undefined
    : { duration, after: after.text, act };
}

function readAct(reader: Reader, path: Path, phrase: Phrase | undefined): Retention["act"] | undefined {
  return readChoice(reader, path, phrase, ["delete", "erase"], "What happens after the time");
}

function reportAbsent<Key extends string>(
  reader: Reader,
  map: MapNode,
  entries: Partial<Record<Key, Entry>>,
  needed: readonly Key[],
  example: string,
): void {
  const said = new Set(map.entries.map((entry) => entry.key.value));
  for (const key of needed) {
    if (entries[key] !== undefined || said.has(key)) continue;
    report(reader, "limits/missing-member", map.span, `This limit does not say \`${key}\``, {
      help: `write it as \`${example}\``,
    });
  }
}
