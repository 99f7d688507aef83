/**
 * Part 7, read: the service's errors and the form of their bodies.
 *
 *     body       `problem+json`, or the body itself as a map or list in which names in braces, `{code}`, `{message}`, `{field}`,
 *                … stand for the facts of an error; a text that is one such name and nothing else takes the fact's own
 *                type. Around `{field}` as a key or `{message}` in a list, one entry for each fault.
 *     bodies     another body for some errors, by `without field`, a code, or `code in operation`; `{}` says nothing
 *     status     code: status   of a code of the catalogue, instead of all that it has there
 *     codes      code: what the wire calls it
 *     messages   code: sentence   of an error or of a fault
 *     standard   `all`, `none` or a list of the catalogue's codes
 *     errors     code: status sentence[, retry after duration]   map: { status, sentence, retry after }   or `none`
 */
import { didYouMean } from "../../base/suggest.ts";
import { toJson } from "../../document/data.ts";
import type { Entry, MapNode, Node, TextNode } from "../../document/document.ts";
import { type Phrase, phraseOf, slice, spanOf } from "../phrase.ts";
import { expectMap, isNone, knownEntries, openEntries, type Path, type Reader, report } from "../reader.ts";
import { namesAt, readClockDuration, readLines, readStatus, readText } from "../values.ts";
import { type DeclaredError, type ErrorBody, type Errors, facts, messageFacts, standardErrors } from "./model.ts";

export function readErrors(reader: Reader, body: MapNode): Errors {
  const path = ["errors"];
  const entries = knownEntries(reader, path, body, keys, "Errors");
  const shape = entries.body === undefined ? undefined : readBody(reader, entries.body.value);
  const standard = entries.standard === undefined ? undefined : readStandard(reader, path, entries.standard.value);
  const lines = <Value>(
    key: (typeof keys)[number],
    example: string,
    read: (line: Entry, path: Path) => Value | undefined,
  ) => readByCode(reader, [...path, key], entries[key], example, read);
  const said = {
    bodies: lines("bodies", 'without field: { error: "{message}" }', ({ value }) => readBody(reader, value)),
    status: lines("status", "invalid-request: 400", (line, at) => {
      const text = readText(reader, at, line, `The status of ${line.key.value}`);
      return text && readStatus(reader, at, text, `The status of ${line.key.value}`);
    }),
    codes: lines("codes", "not-found: NotFound", (line, at) => {
      return readText(reader, at, line, `The name of ${line.key.value}`)?.text;
    }),
    messages: lines("messages", "required: can't be blank", (line, at) => {
      const text = readText(reader, at, line, `The message of ${line.key.value}`);
      if (text !== undefined && line.value.kind === "text") checkFacts(reader, line.value, messageFacts);
      return text?.text;
    }),
  };
  return {
    ...(shape === undefined ? {} : { body: shape }),
    ...definedOf(said),
    ...(standard === undefined ? {} : { standard }),
    errors: readDeclared(reader, [...path, "errors"], entries.errors),
  };
}

const keys = ["body", "bodies", "status", "codes", "messages", "standard", "errors"] as const;

/** A map whose keys are codes of errors, or say which errors are meant. */
function readByCode<Value>(
  reader: Reader,
  path: Path,
  entry: Entry | undefined,
  example: string,
  read: (line: Entry, path: Path) => Value | undefined,
): Readonly<Record<string, Value>> | undefined {
  if (entry === undefined || isNone(entry.value)) return undefined;
  const map = expectMap(reader, path, entry.value, `\`${path.at(-1)}\``, example);
  if (map === undefined) return undefined;
  return readLines(openEntries(reader, path, map), (line) => read(line, [...path, line.key.value]));
}

type Defined<Members> = { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> };

function definedOf<Members extends object>(members: Members): Defined<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<Members>;
}

function readStandard(reader: Reader, path: Path, node: Node): Errors["standard"] {
  if (node.kind === "text" && node.value === "all") return "all";
  const codes = Object.keys(standardErrors);
  return namesAt(reader, path, node, "The list of standard errors").flatMap((code) => {
    if (codes.includes(code.text)) return [code.text];
    const near = didYouMean(code.text, codes);
    report(reader, "errors/unknown-standard", spanOf(code), `The catalogue has no error \`${code.text}\``, {
      help: near === undefined ? "write `all`, or codes of the catalogue" : `did you mean \`${near}\`?`,
      ...(near === undefined ? {} : { fix: { title: `write \`${near}\``, span: spanOf(code), text: near } }),
    });
    return [];
  });
}

function readDeclared(reader: Reader, path: Path, entry: Entry | undefined): Errors["errors"] {
  if (entry === undefined || isNone(entry.value)) return {};
  const map = expectMap(reader, path, entry.value, "`errors`", "wrong-code: 403 The code does not open this door");
  return readLines(map === undefined ? [] : openEntries(reader, path, map), (line) => {
    const code = line.key.value;
    if (/^[A-Za-z][\w.-]*$/.test(code)) return readError(reader, [...path, code], line);
    report(reader, "errors/bad-code", line.key.span, `\`${code}\` cannot be the code of an error`, {
      help: "a code is one word of letters, digits and `-`: `wrong-code`",
    });
    return undefined;
  });
}

function readError(reader: Reader, path: Path, line: Entry): DeclaredError | undefined {
  if (line.value.kind === "map") return readErrorMap(reader, path, line.key, line.value);
  const text = readText(reader, path, line, `The error ${line.key.value}`);
  if (text === undefined) return undefined;
  const first = /^\S*/.exec(text.text)?.[0] ?? "";
  const status = readStatus(reader, path, slice(text, 0, first.length), `What the error ${line.key.value} starts with`);
  if (status === undefined) return undefined;
  const { sentence, wait } = splitRetry(slice(text, first.length));
  if (sentence.text === "") {
    reportNoSentence(reader, line.key);
    return undefined;
  }
  const retryAfter = readClockDuration(reader, path, wait, "How long to wait");
  return { status, sentence: sentence.text, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

/** `sentence, retry after 10m`: the last such end counts. */
export function splitRetry(phrase: Phrase): { readonly sentence: Phrase; readonly wait?: Phrase } {
  const end = /,\s*retry after(?:\s+([^,]*))?$/.exec(phrase.text);
  if (end === null) return { sentence: phrase };
  const wait = end[1] ?? "";
  return { sentence: slice(phrase, 0, end.index), wait: slice(phrase, phrase.text.length - wait.length) };
}

function readErrorMap(reader: Reader, path: Path, key: TextNode, map: MapNode): DeclaredError | undefined {
  const entries = knownEntries(reader, path, map, ["status", "sentence", "retry after"], `The error ${key.value}`);
  const statusText = readText(reader, path, entries.status, "The status");
  const sentence = readText(reader, path, entries.sentence, "The sentence");
  const status = statusText && readStatus(reader, path, statusText, `The status of ${key.value}`);
  const wait = readText(reader, path, entries["retry after"], "How long to wait");
  const retryAfter = readClockDuration(reader, path, wait, "How long to wait");
  if (entries.status === undefined) {
    report(reader, "errors/no-status", key.span, `The error ${key.value} has no status`, {
      help: "write `status: 409`",
    });
  }
  if (entries.sentence === undefined) reportNoSentence(reader, key);
  if (status === undefined || sentence === undefined) return undefined;
  return { status, sentence: sentence.text, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

function reportNoSentence(reader: Reader, key: TextNode): void {
  report(reader, "errors/no-sentence", key.span, `The error ${key.value} has no sentence`, {
    why: "The sentence is what the caller reads.",
    help: "write the status and a sentence: `409 No locker of this size is free`",
  });
}

function readBody(reader: Reader, node: Node): ErrorBody | undefined {
  if (node.kind !== "text") {
    checkShape(reader, node);
    return { shape: toJson(node) };
  }
  const text = phraseOf(node);
  if (text.text === "problem+json" || text.text === "application/problem+json") return "problem+json";
  report(reader, "errors/bad-body", spanOf(text), `\`${text.text}\` is not a form of error bodies`, {
    help: 'write `problem+json`, or the body itself: `{ error: { code: "{code}", message: "{message}" } }`',
  });
  return undefined;
}

/** The names in braces of a body, at any depth, keys included. */
function checkShape(reader: Reader, node: Node): void {
  if (node.kind === "text") checkFacts(reader, node, facts);
  else if (node.kind === "list") for (const item of node.items) checkShape(reader, item);
  else {
    for (const { key, value } of node.entries) {
      checkFacts(reader, key, facts);
      checkShape(reader, value);
    }
  }
}

function checkFacts(reader: Reader, node: TextNode, known: readonly string[]): void {
  for (const match of node.value.matchAll(/\{([^{}]*)\}/g)) {
    const name = match[1] as string;
    if (known.includes(name)) continue;
    const span = spanOf({ text: match[0], node, from: match.index });
    const near = didYouMean(name, known);
    report(reader, "errors/unknown-fact", span, `An error has no \`${match[0]}\``, {
      help:
        near === undefined
          ? `known here: ${known.map((fact) => `\`{${fact}}\``).join(", ")}`
          : `did you mean \`{${near}}\`?`,
      ...(near === undefined ? {} : { fix: { title: `write \`{${near}}\``, span, text: `{${near}}` } }),
    });
  }
}
