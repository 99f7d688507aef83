/** Grammars for values of a few words: a whole statement on one line, or a piece of such a line. */
import type { JsonObject } from "../../base/json.ts";
import { type Measure, sizeOf, durationOf } from "./amounts.ts";
import type { Comparable } from "./changes.ts";
import type { SourceText } from "./source-text.ts";
import type { Path, Reader } from "./reader.ts";
import {
  namesAt,
  readChoice,
  readClockDuration,
  readCount,
  readDuration,
  readSize,
  readStatus,
  readTimeOut,
} from "./values.ts";
import { type Complaint, complain, type Grammar, type Label, labelOf, type NameCheck, textOf } from "./grammar.ts";
import { oneOf, shared } from "./schema.ts";

export interface Words<Value> extends Grammar<Value> {
  readonly readWords: (reader: Reader, path: Path, words: SourceText) => Value | undefined;
  readonly print: (value: Value) => string;
}

interface Options<Value> extends Pick<Comparable, "measure"> {
  readonly label?: Label;
  readonly pattern?: string;
  readonly print?: (value: Value) => string;
}

/** Makes a grammar from a function that reads words. */
export function words<Value>(
  readWords: Words<Value>["readWords"],
  schema: JsonObject,
  { label, measure, pattern, print = String }: Options<Value> = {},
): Words<Value> {
  return {
    measure,
    readWords,
    print,
    schema,
    ...(pattern === undefined ? {} : { pattern }),
    read: (reader, path, statement, labelOverride) => {
      const found = textOf(reader, path, statement, labelOverride ?? label);
      return found && readWords(reader, path, found);
    },
  };
}

/** Reads any text. */
export function text(label?: Label, schema: JsonObject = shared("text")): Words<string> {
  return words((_, __, { text: found }) => found, schema, label === undefined ? {} : { label });
}

export const expression = (label?: Label): Words<string> => ({
  ...text(label, shared("expression")),
  mapNames: (found, scope) => scope.walk.expression(found, scope),
});

/** Reads a text that matches the pattern; reports any other text. */
export function matching(
  pattern: Pick<RegExp, "test">,
  complaint: Complaint,
  { schema = shared("text"), ...options }: Options<string> & { readonly schema?: JsonObject } = {},
): Words<string> {
  const read: Words<string>["readWords"] = (reader, path, found) =>
    pattern.test(found.text) ? found.text : complain(reader, path, found, complaint);
  return words(read, schema, options);
}

/** Reads a fixed word before a value: `env NAME`. The value is the first capture group of the pattern. */
export function prefixed(prefix: string, pattern: RegExp, complaint: Complaint, label?: Label): Words<string> {
  return words(
    (reader, path, found) => pattern.exec(found.text)?.[1] ?? complain(reader, path, found, complaint),
    shared("text"),
    { print: (value) => `${prefix} ${value}`, ...(label === undefined ? {} : { label }) },
  );
}

export function choice<const Word extends string>(choices: readonly Word[], what: Label, label?: Label): Words<Word> {
  return words(
    (reader, path, found) => readChoice(reader, path, found, choices, labelOf(what, path)),
    oneOf(...choices),
    {
      ...(label === undefined ? {} : { label }),
    },
  );
}

type ReadValue<Value> = (reader: Reader, path: Path, words: SourceText, what: string) => Value | undefined;

type Made<Value> = (what: Label, label?: Label) => Words<Value>;

function valueOf<Value>(read: ReadValue<Value>, schema: JsonObject, measure?: Measure): Made<Value> {
  return (what, label) =>
    words((reader, path, found) => read(reader, path, found, labelOf(what, path)), schema, {
      measure,
      ...(label === undefined ? {} : { label }),
    });
}

/** Reads an integer of at least 1; `what` is its name in findings. */
export const count: Made<number> = valueOf(readCount, shared("number"), Number);
export const size: Made<string> = valueOf(readSize, shared("text"), sizeOf);
/** Reads a duration in clock or calendar units: `72h`, `12mo`. */
export const duration: Made<string> = valueOf(readDuration, shared("duration"), durationOf);
export const clockDuration: Made<string> = valueOf(
  (...found) => readClockDuration(...found),
  shared("duration"),
  durationOf,
);
export const timeOut: Made<string> = valueOf(readTimeOut, shared("duration"), durationOf);
/** Reads the HTTP status of an error. */
export const status: Made<number> = valueOf((...found) => readStatus(...found), shared("text"));

/** Reads `true` or `false`, also as `yes` or `no`, in a map. In a line, a fixed phrase means true and its absence false. */
export function flag(key: string, fixed: string = key): Words<boolean> {
  const yesOrNo = ["true", "false", "yes", "no"] as const;
  const choices = words(
    (reader, path, found) => readChoice(reader, path, found, yesOrNo, `\`${key}\``),
    oneOf(...yesOrNo),
  );
  return {
    pattern: fixed.replaceAll(" ", String.raw`\s+`),
    schema: oneOf(...yesOrNo, true, false),
    printWords: () => fixed,
    print: String,
    readWords: () => true,
    read: (reader, path, statement, label) => {
      const found = choices.read(reader, path, statement, label);
      return found === undefined ? undefined : found === "true" || found === "yes";
    },
  };
}

/** Reads names in a list, or on one line with commas; reports invalid names and omits them. */
export function names(what: Label, isName: NameCheck = () => true): Grammar<readonly string[]> {
  return {
    schema: shared("names"),
    read: (reader, path, { value }) =>
      namesAt(reader, path, value, labelOf(what, path)).flatMap((name) =>
        isName(reader, path, name) ? [name.text] : [],
      ),
    print: (found) => (found.length === 0 ? "none" : found),
  };
}
