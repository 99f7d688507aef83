/**
 * Reads small values that several parts use: durations, sizes, integers, lists of names, methods with paths, `yes`. Each
 * function reports an invalid value and returns undefined.
 */
import { isSize } from "../../base/bytes.ts";
import { isDuration, parseClockDuration } from "../../base/duration.ts";
import { didYouMean } from "../../base/suggest.ts";
import type { Entry, Node } from "../../document/document.ts";
import { type SourceText, sourceTextOf, spanOf, splitAt } from "./source-text.ts";
import { expectText, isGap, isNone, type Path, type Reader, report } from "./reader.ts";

/** Returns the text of an entry; reports a value that is no text, or an empty text, and returns undefined. */
export function readText(reader: Reader, path: Path, entry: Entry | undefined, what: string): SourceText | undefined {
  if (entry === undefined) return undefined;
  const node = expectText(reader, path, entry.value, what);
  if (node === undefined) return undefined;
  const sourceText = sourceTextOf(node);
  if (sourceText.text !== "") return sourceText;
  // In YAML, a comma inside `{ }` ends an entry, so the text after the comma became a key without a value.
  const isCut = entry.value.span.start.offset === entry.key.span.end.offset;
  report(reader, `${path[0]}/empty`, entry.key.span, `${what} is empty`, {
    help: isCut
      ? `in braces a comma ends an entry: if \`${entry.key.value}\` belongs to the text before it, put that text in quotes`
      : "write its value, or `not shown` while it is undecided",
  });
  return undefined;
}

/** Returns the results of `read` by key, without undefined results. Safe for keys such as `__proto__`. */
export function readLines<Value>(
  lines: readonly Entry[],
  read: (line: Entry) => Value | undefined,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    lines.flatMap((line) => {
      const value = read(line);
      return value === undefined ? [] : [[line.key.value, value]];
    }),
  );
}

/** Reads a duration as written, in clock or calendar units: `15s`, `72h`, `90d`, `12mo`. */
export function readDuration(
  reader: Reader,
  path: Path,
  sourceText: SourceText | undefined,
  what: string,
): string | undefined {
  if (sourceText === undefined) return undefined;
  if (isDuration(sourceText.text)) return sourceText.text;
  report(
    reader,
    `${path[0]}/bad-duration`,
    spanOf(sourceText),
    `${what} has to be a duration, not \`${sourceText.text}\``,
    {
      help: "write a number and a unit without a blank: `15s`, `10m`, `72h`, `90d`, `12mo`",
    },
  );
  return undefined;
}

/** The longest duration of a timer in Node, which counts milliseconds in 31 bits: a longer timer would fire at once. */
const longestTimer = "24d";

/** Reads a clock duration as written, at most `most` if present. Rejects months and years, which have no fixed length. */
export function readClockDuration(
  reader: Reader,
  path: Path,
  sourceText: SourceText | undefined,
  what: string,
  most?: string,
): string | undefined {
  const duration = readDuration(reader, path, sourceText, what);
  if (sourceText === undefined || duration === undefined) return undefined;
  const reportInvalid = (why: string, help: string): undefined => {
    report(reader, `${path[0]}/bad-duration`, spanOf(sourceText), `${what} cannot be \`${duration}\`, which ${why}`, {
      help,
    });
  };
  const milliseconds = parseClockDuration(duration);
  if (milliseconds === undefined)
    return reportInvalid("has no fixed length", "write days, hours, minutes or seconds: `30d`, `72h`, `10m`, `15s`");
  if (most !== undefined && milliseconds > (parseClockDuration(most) as number))
    return reportInvalid("is too long", `write at most \`${most}\``);
  return duration;
}

/** Reads the wait before an action is repeated. */
export function readWait(
  reader: Reader,
  path: Path,
  sourceText: SourceText | undefined,
  what: string,
): string | undefined {
  return readClockDuration(reader, path, sourceText, what, longestTimer);
}

/** Reads a time-out. Zero is invalid, since every action would time out. */
export function readTimeOut(
  reader: Reader,
  path: Path,
  sourceText: SourceText | undefined,
  what: string,
): string | undefined {
  const duration = readClockDuration(reader, path, sourceText, what, longestTimer);
  if (sourceText === undefined || duration === undefined || parseClockDuration(duration) !== 0) return duration;
  report(reader, `${path[0]}/bad-duration`, spanOf(sourceText), `${what} cannot be \`${duration}\`, which is too short`, {
    help: "write a longer one: `10s`",
  }); // biome-ignore format: short
  return undefined;
}

/** Reads a size as written: `256KB`. */
export function readSize(
  reader: Reader,
  path: Path,
  sourceText: SourceText | undefined,
  what: string,
): string | undefined {
  if (sourceText === undefined) return undefined;
  if (isSize(sourceText.text) && !/^0+[A-Z]/.test(sourceText.text)) return sourceText.text;
  report(reader, `${path[0]}/bad-size`, spanOf(sourceText), `${what} has to be a size, not \`${sourceText.text}\``, {
    help: "write a number and a unit without a blank: `256KB`, `1MB`",
  });
  return undefined;
}

/** Reads an integer of at least 1. */
export function readCount(
  reader: Reader,
  path: Path,
  sourceText: SourceText | undefined,
  what: string,
): number | undefined {
  if (sourceText === undefined) return undefined;
  const count = /^[0-9]+$/.test(sourceText.text) ? Number(sourceText.text) : Number.NaN;
  if (Number.isSafeInteger(count) && count > 0) return count;
  report(
    reader,
    `${path[0]}/bad-number`,
    spanOf(sourceText),
    `${what} has to be a whole number of at least 1, not \`${sourceText.text}\``,
    {
      help: "write digits alone: `600`",
    },
  );
  return undefined;
}

/** Reads an HTTP status between `from` and `to`. `other`: a further status in words, which the caller reads: `200 or `. */
export function readStatus(
  reader: Reader,
  path: Path,
  sourceText: SourceText,
  what: string,
  [from, to]: readonly [number, number] = [400, 599],
  other = "",
): number | undefined {
  const status = /^[0-9]{3}$/.test(sourceText.text) ? Number(sourceText.text) : 0;
  if (status >= from && status <= to) return status;
  report(
    reader,
    `${path[0]}/bad-status`,
    spanOf(sourceText),
    `${what} has to be ${other}a status from ${from} to ${to}, not \`${sourceText.text}\``,
  );
  return undefined;
}

/**
 * Reads a list of names with their locations: `[a, b]`, or `a, b` on one line; `none` is the empty list. Reports a repeated
 * name.
 */
export function namesAt(reader: Reader, path: Path, node: Node, what: string): readonly SourceText[] {
  if (isNone(node)) return [];
  const sourceTexts =
    node.kind === "list"
      ? node.items.flatMap((item, index) => {
          if (isGap(reader, [...path, String(index)], item)) return [];
          const text = expectText(reader, path, item, what);
          return text === undefined ? [] : [sourceTextOf(text)];
        })
      : node.kind === "text"
        ? splitAt(sourceTextOf(node), ",")
        : [];
  if (node.kind === "map") {
    report(reader, `${path[0]}/not-a-list`, node.span, `${what} is a list of names, not a map`, {
      help: "write it as `[one, other]`",
    });
  }
  const visited = new Set<string>();
  return sourceTexts.filter((sourceText) => {
    if (sourceText.text === "" || visited.has(sourceText.text)) {
      const problem = sourceText.text === "" ? "has an empty name" : `says \`${sourceText.text}\` twice`;
      report(
        reader,
        `${path[0]}/bad-list`,
        sourceText.text === "" ? node.span : spanOf(sourceText),
        `${what} ${problem}`,
      );
      return false;
    }
    visited.add(sourceText.text);
    return true;
  });
}

/** Reads one word of a closed set; reports any other word with the most similar valid one. */
export function readChoice<Choice extends string>(
  reader: Reader,
  path: Path,
  sourceText: SourceText | undefined,
  choices: readonly Choice[],
  what: string,
): Choice | undefined {
  if (sourceText === undefined) return undefined;
  const found = choices.find((choice) => choice === sourceText.text);
  if (found !== undefined) return found;
  const near = didYouMean(sourceText.text, choices);
  report(reader, `${path[0]}/unknown-value`, spanOf(sourceText), `${what} cannot be \`${sourceText.text}\``, {
    help:
      near === undefined
        ? `known here: ${choices.map((choice) => `\`${choice}\``).join(", ")}`
        : `did you mean \`${near}\`?`,
    known: choices,
    ...(near === undefined ? {} : { fix: { title: `write \`${near}\``, span: spanOf(sourceText), text: near } }),
  });
  return undefined;
}
