/**
 * Parses command lines: commands of one or two words, one document, named options. Each option parses its value and has its help
 * text. Each error is a `UsageError` with a message.
 */
import { isIP } from "node:net";
import { parseArgs } from "node:util";
import { parseSize } from "../base/bytes.ts";
import { parseClockDuration } from "../base/duration.ts";
import { didYouMean } from "../base/suggest.ts";
import type { Terminal } from "../server/terminal.ts";
import { UsageError } from "../server/errors.ts";

export interface Command {
  /** The words of the command, as the user types them: `check`, `key create`. */
  readonly words: string;
  /** The operand in the help: `DOC`, or `[DOC]` if it is optional. */
  readonly operand: string;
  /** What the command does: one line, without a period. */
  readonly about: string;
  /** The rest of the command's help; lines of at most 76 columns. */
  readonly details: string;
  readonly options: Readonly<Record<string, Option<unknown>>>;
  /**
   * Runs the command; returns the exit code.
   *
   * @throws DocumentError or UsageError, which have other exit codes.
   */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

export interface Option<T> {
  /** The placeholder of the value in help; absent for a flag. */
  readonly value?: string;
  readonly about: string;
  /** The default value, as a user would type it. */
  readonly default?: string;
  readonly repeats?: true;
  /**
   * Whether the option contains a secret. `value`: the whole value, which is never printed. `part`: a password in it, which is
   * redacted.
   */
  readonly secret?: "value" | "part";
  /** Parses all values in order; an empty list if the option is absent. */
  read(supplied: readonly string[], name: string): T;
}

export interface CommandOf<T> extends Omit<Command, "options" | "run"> {
  readonly options: { readonly [K in keyof T]: Option<T[K]> };
  /** The number of documents; default: one. */
  readonly documents?: 1 | 2 | "any";
  /** Runs the command; `document` is undefined only if the operand is optional. */
  readonly run: (line: Line<T>, terminal: Terminal) => Promise<number>;
}

export interface Line<T> {
  readonly document: string | undefined;
  /** The second document of a command with two. */
  readonly other: string | undefined;
  /** All documents. */
  readonly all: readonly string[];
  readonly options: T;
}

export function command<T>(spec: CommandOf<T>): Command {
  return { ...spec, run: async (args, terminal) => spec.run(lineOf(spec, scan(spec.options, args)), terminal) };
}

/** Returns the document of a required operand. */
export function named(document: string | undefined): string {
  if (document === undefined || document === "") throw new UsageError("name the document, or - for standard input");
  return document;
}

/** Returns the file of an operand that is no document. */
export function file(name: string | undefined): string {
  if (name === undefined || name === "" || name === "-") throw new UsageError("name the file");
  return name;
}

/** The values of an option, and its name for error messages. */
export interface SuppliedOption {
  readonly texts: readonly string[];
  readonly name: string;
}

export interface Scanned {
  readonly documents: readonly string[];
  readonly supplied: ReadonlyMap<string, SuppliedOption>;
}

/** Splits a command line into documents and options. @throws UsageError */
export function scan(known: Readonly<Record<string, Option<unknown>>>, args: readonly string[]): Scanned {
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(known).map(([name, { value }]) => [name, { type: value === undefined ? "boolean" : "string" }]),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const supplied = new Map<string, SuppliedOption>();
  const documents: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") documents.push(token.value);
    if (token.kind !== "option") continue;
    const text = valueOf(token, known);
    supplied.set(token.name, { texts: [...(supplied.get(token.name)?.texts ?? []), text], name: `--${token.name}` });
  }
  return { documents, supplied };
}

/** Reads the options of a line. `problems`: errors found before. @throws UsageError with all errors. */
export function lineOf<T>(
  { options, documents: most = 1 }: Pick<CommandOf<T>, "options" | "documents">,
  { documents, supplied }: Scanned,
  problems: readonly string[] = [],
): Line<T> {
  const [document, other] = documents;
  const more = most === "any" ? [] : documents.slice(most);
  const all = most === 1 ? "one document" : "two documents";
  const wrong = [...problems];
  if (more.length > 0) wrong.push(`${all} at a time; what is ${more.join(" ")}?`);
  const known = options as Readonly<Record<string, Option<unknown>>>;
  const values = Object.entries(known).map(([name, option]) => {
    const { texts: argument, name: called } = supplied.get(name) ?? { texts: [], name: `--${name}` };
    try {
      return [name, option.read(argument, called)] as const;
    } catch (thrown) {
      if (!(thrown instanceof UsageError)) throw thrown;
      wrong.push(thrown.message);
      return [name, undefined] as const;
    }
  });
  if (wrong.length > 0) throw new UsageError(wrong.join("\n"));
  return { document, other, all: documents, options: Object.fromEntries(values) as T };
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

/** Returns the value of an option; empty for a flag. */
function valueOf({ name, rawName, value, inlineValue }: OptionToken, known: Readonly<Record<string, Option<unknown>>>) {
  const option = Object.hasOwn(known, name) ? known[name] : undefined;
  if (option === undefined) {
    const near = didYouMean(name, Object.keys(known));
    throw new UsageError(`there is no option ${rawName}${near === undefined ? "" : `; did you mean --${near}?`}`);
  }
  if (option.value === undefined && value !== undefined) throw new UsageError(`${rawName} takes no value`);
  const isNextOption = inlineValue === false && value?.startsWith("-") === true && value !== "-";
  if (option.value !== undefined && (value === undefined || value === "" || isNextOption))
    throw new UsageError(`${rawName} needs a value: ${rawName} ${option.value}`);
  return value ?? "";
}

// ── Options ────────────────────────────────────────────────────────────────────────────────────────────────────────

export function flag(about: string): Option<boolean> {
  return { about, read: (supplied) => supplied.length > 0 };
}

export function text(value: string, about: string): Option<string | undefined> {
  return { value, about, read: (supplied) => supplied.at(-1) };
}

export function textOr(fallback: string, value: string, about: string): Option<string> {
  return { value, about, default: fallback, read: (supplied) => supplied.at(-1) ?? fallback };
}

export function texts(value: string, about: string): Option<readonly string[]> {
  return { value, about, repeats: true, read: (supplied) => supplied };
}

interface Parsed<T> {
  readonly value: string;
  readonly about: string;
  /** The end of an error text that begins with the option's name: `is a number`. */
  readonly expected: string;
  /** Parses an argument; undefined for an invalid value. */
  readonly parse: (argument: string) => T | undefined;
}

function maybe<T>({ value, about, expected, parse }: Parsed<T>): Option<T | undefined> {
  return {
    value,
    about,
    read(supplied, name) {
      const argument = supplied.at(-1);
      const parsed = argument === undefined ? undefined : parse(argument);
      if (argument !== undefined && parsed === undefined)
        throw new UsageError(`${name} is ${expected}, not ${argument}`);
      return parsed;
    },
  };
}

function withDefault<T>(fallback: string, parsed: Parsed<T>): Option<T> {
  const option = maybe(parsed);
  return { ...option, default: fallback, read: (supplied, name) => option.read([fallback, ...supplied], name) as T };
}

/** Makes an option with some fixed values, of which the first one is the default. */
export function choice<const T extends string>(allowed: readonly [T, ...T[]], about: string): Option<T> {
  const parse = (argument: string): T | undefined => allowed.find((each) => each === argument);
  const expected = `one of ${allowed.join(", ")}`;
  return withDefault(allowed[0], { value: allowed.join("|"), about, expected, parse });
}

/** Makes an option with some fixed values, without a default. */
export function maybeChoice<const T extends string>(allowed: readonly T[], about: string): Option<T | undefined> {
  const parse = (argument: string): T | undefined => allowed.find((each) => each === argument);
  return maybe({ value: allowed.join("|"), about, expected: `one of ${allowed.join(", ")}`, parse });
}

function portOf(about: string): Parsed<number> {
  const parse = (argument: string): number | undefined =>
    /^[0-9]{1,5}$/.test(argument) && Number(argument) <= 65_535 ? Number(argument) : undefined;
  return { value: "PORT", about, expected: "a number from 0 to 65535", parse };
}

export function port(fallback: number, about: string): Option<number> {
  return withDefault(String(fallback), portOf(about));
}

/** Makes an option for a port, without a default. */
export function maybePort(about: string): Option<number | undefined> {
  return maybe(portOf(about));
}

function numberOf(about: string): Parsed<number> {
  const parse = (argument: string): number | undefined =>
    /^[0-9]{1,10}$/.test(argument) ? Number(argument) : undefined;
  return { value: "N", about, expected: "a whole number", parse };
}

export function number(fallback: number, about: string): Option<number> {
  return withDefault(String(fallback), numberOf(about));
}

/** Makes an option for a number, without a default. */
export function maybeNumber(about: string): Option<number | undefined> {
  return maybe(numberOf(about));
}

/** Makes an option for a size as in documents; its value is in bytes, or undefined. */
export function maybeSize(about: string): Option<number | undefined> {
  const parse = (argument: string): number | undefined => parseSize(argument) || undefined;
  return maybe({ value: "SIZE", about, expected: "a size such as 256MB or 1GB", parse });
}

/** Makes an option for a clock duration as in documents; its value is in milliseconds. */
export function duration(fallback: string, about: string): Option<number> {
  const expected = "a duration such as 500ms or 2s";
  return withDefault(fallback, { value: "DURATION", about, expected, parse: parseClockDuration });
}

/**
 * Makes an option for a secret, which is never printed. Users should set it by environment or file, because others can read
 * command lines.
 */
export function secret(about: string): Option<string | undefined> {
  return { ...text("SECRET", about), secret: "value" };
}

/** Makes an option that may contain a password, such as a server's URL. */
export function guarded<T>(option: Option<T>): Option<T> {
  return { ...option, secret: "part" };
}

/** Makes an option for an absolute http or https URL without query and fragment; the trailing slash is removed. */
export function address(about: string): Option<string | undefined> {
  const parse = (argument: string): string | undefined => {
    const url = URL.canParse(argument) ? new URL(argument) : undefined;
    const isAddress = url !== undefined && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
    return isAddress ? argument.replace(/\/+$/, "") : undefined;
  };
  const expected = "an absolute http or https address, such as https://api.example.com";
  return maybe({ value: "URL", about, expected, parse });
}

/** Makes an option for IP addresses or networks. */
export function networks(about: string): Option<readonly string[]> {
  return {
    value: "ADDRESS",
    about,
    repeats: true,
    read(supplied, name) {
      for (const argument of supplied) {
        const [host = "", bits, ...more] = argument.split("/");
        const most = { 0: -1, 4: 32, 6: 128 }[isIP(host)] ?? -1;
        const width = bits === undefined ? most : /^[0-9]{1,3}$/.test(bits) ? Number(bits) : Number.POSITIVE_INFINITY;
        if (most < 0 || width > most || more.length > 0)
          throw new UsageError(`${name} is an address or a network, such as 10.0.0.0/8, not ${argument}`);
      }
      return supplied;
    },
  };
}
