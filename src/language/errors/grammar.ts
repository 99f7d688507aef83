/**
 * Part 7: the service's errors and the form of their bodies.
 *
 *     body       `problem+json`, or the body itself as a map or list in which names in braces, `{code}`, `{message}`, `{field}`,
 *                … are replaced by facts of the error; a text that is a single such name becomes the fact's own JSON
 *                type. `{field}` in a key or `{message}` in a list repeats the entry for each violation. A text with such
 *                names is a body in plain text.
 *     bodies     another body for some errors, by `without field`, a code, or `code in operation`; `{}` is an empty body
 *     status     code: status   of a code of the catalogue, instead of all its statuses there
 *     codes      code: its external name
 *     messages   code: sentence   of an error or of a violation
 *     standard   `all`, `none` or a list of the catalogue's codes
 *     errors     code: status sentence[, retry after duration]   map: { status, sentence, retry after }   or `none`
 */
import { toJson } from "../../document/data.ts";
import type { Node, TextNode } from "../../document/document.ts";
import { jsonTree } from "../../document/print.ts";
import type { Effect } from "../grammar/changes.ts";
import { named } from "../grammar/collections.ts";
import { form, part } from "../grammar/form.ts";
import { complain, type Grammar, type PartGrammar, soundName } from "../grammar/grammar.ts";
import { either, lineSchema, oneOf, present, shared } from "../grammar/schema.ts";
import { readStatus } from "../grammar/values.ts";
import { clockDuration, names, text, words } from "../grammar/words.ts";
import { type SourceText, sourceTextOf, slice } from "../grammar/source-text.ts";
import { checkPlaceholders } from "../grammar/placeholders.ts";
import { isText, type Path, type Reader, report } from "../grammar/reader.ts";
import { inside, mapName, type Scope } from "../grammar/references.ts";
import {
  bodyFor,
  type DeclaredError,
  type ErrorBody,
  type Errors,
  errorVariables,
  messageVariables,
  standardErrors,
  withoutField,
} from "./model.ts";

const body: Grammar<ErrorBody> = {
  schema: {},
  print: (value) => (typeof value === "string" ? value : jsonTree(value.shape)),
  read: (reader, path, { value }) => {
    if (value.kind !== "text") {
      checkVariables(reader, value, errorVariables);
      return { shape: toJson(value) };
    }
    const found = sourceTextOf(value);
    if (/^(application\/)?problem\+json$/.test(found.text)) return "problem+json";
    // A text is a body in plain text; a single word may be a misspelled form.
    if (/[{\s]/.test(found.text)) {
      checkVariables(reader, value, errorVariables);
      return { shape: found.text };
    }
    return complain(reader, path, found, [
      "bad-body",
      () => `\`${found.text}\` is not a form of error bodies`,
      { help: 'write `problem+json`, or the body itself: `{ error: { code: "{code}", message: "{message}" } }`' },
    ]);
  },
};

const message = words(
  (reader, _, { node, text: sentence }) => {
    checkVariables(reader, node, messageVariables);
    return sentence;
  },
  shared("text"),
  { label: of("The message of") },
);

const codes = Object.keys(standardErrors);
const standardCodes = names("The list of standard errors", (reader, path, code) => {
  const isKnown = codes.includes(code.text);
  if (!isKnown)
    complain(reader, path, code, [
      "unknown-standard",
      (name) => `The catalogue has no error \`${name}\``,
      { known: codes, help: "write `all`, or codes of the catalogue" },
    ]);
  return isKnown;
});

const standard: Grammar<"all" | readonly string[]> = {
  schema: either(oneOf("all", "none"), present, { type: "array", items: { enum: codes } }),
  read: (reader, path, statement) =>
    isText(statement.value) && statement.value.value === "all" ? "all" : standardCodes.read(reader, path, statement),
  print: (value, below) => (value === "all" ? value : standardCodes.print(value, below)),
};

/** The status of an error; 200 for an API that reports it in the body only. */
const status = words(
  (reader, path, found) =>
    found.text === "200" ? 200 : readStatus(reader, path, found, of("The status of")(path), [400, 599], "200 or "),
  shared("text"),
);
const wait = clockDuration("How long to wait");

const declared = form<DeclaredError>({
  what: of("The error"),
  example: "{ status: 409, sentence: None is free }",
  changes: {
    status: { kind: "error-status", what: "The status of {}" },
    sentence: { kind: "error-sentence", what: "The description of {}", effect: "neutral" },
    retryAfter: { kind: "error-retry", what: "The time after which {} may be retried", effect: retryEffect },
  },
  lineSchema: lineSchema("(200|[45][0-9][0-9]).*", "`status sentence[, retry after duration]`"),
  line: {
    read: (reader, path, line, { key }) => {
      const first = /^\S*/.exec(line.text)?.[0] ?? "";
      const code = status.readWords(reader, path, slice(line, 0, first.length));
      if (code === undefined) return undefined;
      const { sentence, after } = splitRetry(slice(line, first.length));
      if (sentence.text === "") return reportMissing(reader, path, "sentence", key);
      const retryAfter = after && wait.readWords(reader, path, after);
      return { status: code, sentence: sentence.text, ...(retryAfter === undefined ? {} : { retryAfter }) };
    },
    print: ({ retryAfter, sentence, status: code }) =>
      `${code} ${sentence}${retryAfter === undefined ? "" : `, retry after ${retryAfter}`}`,
  },
  members: {
    status: { ...status, label: "The status", needed: true },
    sentence: { ...text(), label: "The sentence", needed: true },
    retryAfter: { ...wait, key: "retry after", label: "How long to wait" },
  },
  missing: (reader, path, keys, owner) => {
    for (const key of keys) reportMissing(reader, path, key, owner.key);
  },
});

function retryEffect(old: unknown): Effect {
  return old === undefined ? "additive" : "neutral";
}

function reportMissing(reader: Reader, path: Path, key: string, code: TextNode | undefined): undefined {
  if (code === undefined) return;
  const isStatus = key === "status";
  report(reader, `${path[0]}/no-${key}`, code.span, `The error ${code.value} has no ${key}`, {
    ...(isStatus ? {} : { why: "Callers read the description." }),
    help: isStatus ? "write `status: 409`" : "write the status and a description: `409 No locker of this size is free`",
  });
}

/** Splits `sentence, retry after 10m` at the last `retry after`. */
function splitRetry(line: SourceText): { readonly sentence: SourceText; readonly after?: SourceText } {
  const end = /,\s*retry after(?:\s+([^,]*))?$/.exec(line.text);
  if (end === null) return { sentence: line };
  return { sentence: slice(line, 0, end.index), after: slice(line, line.text.length - (end[1] ?? "").length) };
}

export const errors: PartGrammar<Errors> = part<Errors>("errors", {
  what: "Errors",
  changes: {
    body: { kind: "error-body", what: "The body of errors" },
    bodies: { kind: "error-body", subject: "error {}", what: "The body of {}" },
    status: { kind: "error-status", subject: "error {}", what: "The status of {}" },
    codes: { kind: "error-code", subject: "error {}", what: "The name of {} in responses" },
    messages: { kind: "error-sentence", subject: "error {}", what: "The message of {}", effect: "neutral" },
    errors: { subject: "error {}" },
  },
  example: "{ errors: { wrong-code: 403 The code does not open this door } }",
  members: {
    body,
    bodies: { ...named(body, { example: 'without field: { error: "{message}" }' }), mapNames: mapBodies },
    status: named(status, {
      example: "invalid-request: 400",
      references: "error",
    }),
    codes: named(text(of("The name of")), { example: "not-found: NotFound", references: "error" }),
    messages: named(message, { example: "required: can't be blank", references: "error" }),
    standard,
    errors: {
      ...named(declared, {
        declares: "error",
        example: "wrong-code: 403 The code does not open this door",
        isName: soundName(/^[A-Za-z][\w.-]*$/, [
          "bad-code",
          (code) => `\`${code}\` cannot be the code of an error`,
          { help: "a code is one word of letters, digits and `-`: `wrong-code`" },
        ]),
      }),
      absent: {},
    },
  },
});

/** Maps the names in the keys of `bodies`: a code, or `code in operation`. */
function mapBodies(bodies: NonNullable<Errors["bodies"]>, scope: Scope): NonNullable<Errors["bodies"]> {
  const mapped = Object.entries(bodies).flatMap(([key, one]) => {
    const { code, operation } = bodyFor(key);
    const at = inside(scope, key);
    const name = key === withoutField ? key : mapName(code, at, { references: "error" }, "key");
    const inOperation = operation && mapName(operation, at, { references: "operation" }, "key");
    if (name === undefined || (operation !== undefined && inOperation === undefined)) return [];
    return [[inOperation === undefined ? name : `${name} in ${inOperation}`, one] as const];
  });
  return Object.fromEntries(mapped);
}

/** Returns the label of an entry in a map of codes. */
function of(what: string) {
  return (path: Path): string => `${what} ${path[2]}`;
}

function checkVariables(reader: Reader, node: Node, known: readonly string[]): void {
  checkPlaceholders(reader, ["errors"], node, known, ["unknown-fact", (variable) => `An error has no \`${variable}\``]);
}
