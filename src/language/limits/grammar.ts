/**
 * Part 8: rates, quotas, sizes, time-outs and retention.
 *
 *     rate    target: N/[n]unit per who[, burst N]   map: { count, window, per, burst }   several: a list
 *             target: N/unit in zone per who         map: { count, window, zone, per }    a day, week or month there
 *             target: `all`, `anyone` or an operation. unit: s, min, h, day, week, month (or in full: second …).
 *             who: `user`, `ip` or a resource.
 *     quota   target: N/[n]unit per who              map: { count, window, per }          several: a list
 *             target: N [in state | state] per who   map: { count, in, per }
 *             target: N/unit in zone per who         likewise
 *             The first counts operations in a window, the second live records (in one of the states).
 *     size    target: size                           `request` or an operation
 *     time    target: duration                       likewise
 *     keep    Resource: duration after moment[, erase]   map: { duration, after, act }    `act`: delete (the default), erase
 *             moment: `final`, a state, or a field of type datetime
 *
 * Each of the five can be `none`, and so can each target of `rate` and `quota`.
 */
import type { Span } from "../../base/span.ts";
import { isZone } from "../../base/timezone-names.ts";
import { named, oneOrList } from "../grammar/collections.ts";
import { converted, form, type Owner, part } from "../grammar/form.ts";
import { type Complaint, complain, type PartGrammar } from "../grammar/grammar.ts";
import { shared } from "../grammar/schema.ts";
import { choice, count, duration, matching, size, text, timeOut, type Words } from "../grammar/words.ts";
import { type SourceText, sourceTextOf, spanOf, splitAt } from "../grammar/source-text.ts";
import { type Path, type Reader, report } from "../grammar/reader.ts";
import { namesAt } from "../grammar/values.ts";
import { calendarUnit, type Limits, pers, type Quota, type Rate, type Retention, windowUnits } from "./model.ts";

const window = matching(new RegExp(`^([1-9][0-9]{0,5})?(${Object.keys(windowUnits).join("|")})$`), [
  "bad-window",
  (found) => `\`${found}\` is not a time window`,
  { help: "write a unit, or a number and a unit: `s`, `min`, `15min`, `h`, `day`, `week`, `month`" },
]);

const per = matching(
  new RegExp(`^(${pers.join("|")}|[A-Z][A-Za-z0-9]*)$`),
  [
    "bad-per",
    (found) => `A limit cannot be counted per \`${found}\``,
    { help: "write `per user`, `per ip`, or `per` and the name of a resource" },
  ],
  { pattern: ".*" },
);

/** Reports a missing member: a line may be well-formed without `per`, while in a map `per` is a missing key. */
function missing(example: string) {
  return (reader: Reader, path: Path, keys: readonly string[], { span, words }: Owner): void => {
    if (words === undefined) {
      for (const key of keys)
        report(reader, "limits/missing-member", span, `This limit needs \`${key}\``, {
          help: `write it as \`${example}\``,
        });
      return;
    }
    const start = words.text.replace(/\s+per$/, "");
    complain(reader, path, words, [
      "no-per",
      (line) => `\`${line}\` does not say whose requests it counts`,
      {
        why: "Without it one caller could use up the limit of all callers.",
        help: `write \`${start} per user\`, or \`per ip\`, or \`per\` and a resource`,
      },
    ]);
  };
}

function notInATime(line: string, example: string): Complaint {
  return [
    "bad-rate",
    () => `\`${line}\` is not a number of requests in a time`,
    { help: `write it as \`${example}\`` },
  ];
}

const zone = matching(
  { test: isZone },
  [
    "bad-zone",
    (found) => `\`${found}\` is not a time zone`,
    { help: "write a name of the IANA database: `Europe/Oslo`" },
  ],
  { pattern: String.raw`\S+` },
);

const rateExample = "{ count: 600, window: min, per: user }";

const writtenRate = form<Rate>({
  what: "A rate",
  example: rateExample,
  line: "{count}/{window}[ in {zone}][ per {per}][, burst {burst}]",
  members: {
    count: { ...count("The number of requests"), needed: true },
    window: { ...window, needed: true },
    zone: { ...zone, orNothing: true },
    per: { ...per, references: "resource", needed: true },
    burst: count("A burst"),
  },
  missing: missing(rateExample),
  wrong: (reader, path, line, head) => complain(reader, path, head, notInATime(line.text, "5/15min per Parcel")),
  wrongClause: (reader, path, clause) =>
    complain(reader, path, clause, [
      "bad-rate",
      (found) => `\`${found}\` is not an option of a rate`,
      { help: "only `burst 10` may follow the comma" },
    ]),
});

const rate = converted<Rate, Rate>(
  writtenRate,
  (reader, _, written, { value }) => {
    if (!isOfTheCalendar(reader, "bad-rate", written, value.span)) return undefined;
    if (written.zone === undefined || written.burst === undefined) return written;
    report(reader, "limits/bad-rate", value.span, "A day, a week or a month of a time zone has no `burst`", {
      help: "leave out `burst`, or `in` and the time zone",
    });
    return undefined;
  },
  (written) => written,
);

/** Reports a time zone next to a window that is not one of the calendar. */
function isOfTheCalendar(
  reader: Reader,
  code: string,
  { window: time, zone: where }: { readonly window?: string; readonly zone?: string },
  span: Span,
): boolean {
  if (where === undefined || (time !== undefined && calendarUnit(time) !== undefined)) return true;
  const message = "A limit with a time zone needs the window `day`, `week` or `month`, without a number before it";
  report(reader, `limits/${code}`, span, message, { help: "write `5000/day in Europe/Oslo per user`" });
  return false;
}

const states: Words<readonly string[]> = {
  pattern: ".*?",
  schema: shared("names"),
  print: (found) => found.join(" | "),
  readWords: (reader, path, found) => soundStates(reader, path, splitAt(found, "|")),
  read: (reader, path, { value }) =>
    soundStates(
      reader,
      path,
      value.kind === "text" ? splitAt(sourceTextOf(value), "|") : namesAt(reader, path, value, "The list of states"),
    ),
};

function soundStates(reader: Reader, path: Path, names: readonly SourceText[]): readonly string[] {
  const found = names.filter((name) => {
    const isSound = /^[A-Za-z][\w-]*$/.test(name.text);
    if (!isSound)
      report(reader, `${path[0]}/bad-state`, spanOf(name), `\`${name.text}\` is not the name of a state`, {
        help: "separate states by `|`: `300 in announced | stored per user`",
      });
    return isSound;
  });
  return [...new Set(found.map((name) => name.text))];
}

/** A quota as written, before its kind is known. */
interface WrittenQuota {
  readonly count: number;
  readonly window?: string;
  readonly zone?: string;
  readonly states: readonly string[];
  readonly per: string;
}

const quotaExample = "{ count: 300, in: [announced, stored], per: user }";

const writtenQuota = form<WrittenQuota>({
  what: "A quota",
  example: quotaExample,
  line: ["{count}/{window}[ in {zone}][ per {per}]", "{count}[ in {states}][ per {per}]"],
  members: {
    count: { ...count("The number of a quota"), pattern: String.raw`[^\s/]+`, needed: true },
    window: { ...window, orNothing: true },
    zone: { ...zone, orNothing: true },
    states: { ...states, key: "in", references: "state", absent: [] },
    per: { ...per, references: "resource", needed: true },
  },
  missing: missing(quotaExample),
  wrong: (reader, path, line) =>
    complain(
      reader,
      path,
      line,
      /^[^\s]+\s*\//.test(line.text)
        ? notInATime(line.text, "5000/day per user")
        : [
            "bad-quota",
            (found) => `\`${found}\` is not a quota`,
            { help: "write it as `5000/day per user`, `300 in announced | stored per user` or `20 per user`" },
          ],
    ),
});

const quota = converted<WrittenQuota, Quota>(
  writtenQuota,
  (reader, _, written, { value }) => {
    if (!isOfTheCalendar(reader, "bad-quota", written, value.span)) return undefined;
    const { count: number, window: time, states: held, per: who, zone: where } = written;
    if (time === undefined) return { kind: "live", count: number, states: held, per: who };
    const both = value.kind === "map" ? value.entries.find(({ key }) => key.value === "in") : undefined;
    if (both === undefined)
      return { kind: "window", count: number, window: time, per: who, ...(where === undefined ? {} : { zone: where }) };
    const message = "A quota counts operations in a window or records in states, not both";
    report(reader, "limits/bad-quota", both.key.span, message, {
      help: "leave out `window` or `in`; two quotas are written as a list",
    });
    return undefined;
  },
  ({ kind: _, ...written }) => ({ states: [], ...written }),
);

const retention = form<Retention>({
  what: (path) => `The retention of ${path[2]}`,
  example: "{ duration: 90d, after: final, act: delete }",
  line: "{duration} after {after}[, {act}]",
  changes: {
    "*": { category: "limit" },
    duration: { what: "How long a {} is kept" },
    after: { what: "The start of the retention of {}" },
    act: { what: "The end of the retention of {}", effect: (_, now) => (now === "erase" ? "additive" : "breaking") },
  },
  presence: {
    added: ["breaking", "A {} is kept for {duration} after {after}"],
    removed: ["additive", "A {} is kept forever"],
    category: "limit",
  },
  members: {
    duration: { ...duration((path) => `How long ${path[2]} is stored`), needed: true },
    after: { ...text(), pattern: String.raw`[A-Za-z]\w*`, references: ["field", "state"], needed: true },
    act: {
      ...choice(["delete", "erase"], "What happens after the time"),
      absent: "delete",
      orNothing: true,
      pattern: ".*",
    },
  },
  missing: missing("{ duration: 90d, after: final, act: delete }"),
  wrong: (reader, path, line) =>
    complain(reader, path, line, [
      "bad-retention",
      (found) => `\`${found}\` is not a retention of ${path[2]}`,
      { help: "write it as `90d after final`, `90d after createdAt` or `90d after final, erase`" },
    ]),
});

export const limits: PartGrammar<Limits> = part<Limits>("limits", {
  what: "Limits",
  changes: { size: { what: "The largest {}" }, time: { what: "The time for a {}" } },
  example: "{ rate: { all: 600/min per user } }",
  members: {
    rate: named(oneOrList(rate), { example: "all: 600/min per user", references: "operation" }),
    quota: named(oneOrList(quota), { example: "addSite: 100/day per user", references: ["operation", "resource"] }),
    size: named(size(name("The size of"), "The limit"), { example: "{ request: 256KB }", references: "operation" }),
    time: named(timeOut(name("The time for"), "The limit"), { example: "{ request: 10s }", references: "operation" }),
    keep: named(retention, { example: "{ Parcel: 90d after final }", references: "resource" }),
  },
});

function name(what: string) {
  return (path: Path): string => `${what} ${path.at(-1)}`;
}
