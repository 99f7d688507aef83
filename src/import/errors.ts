/** Imports part 7: an error for each status, and the body and statuses of the errors of operations that Nonet performs. */
import { kebabCase } from "../base/case.ts";
import { isObject, type Json } from "../base/json.ts";
import type { Errors } from "../language/errors/model.ts";
import { type ImportedOperation, shortText } from "./operations.ts";
import type { ImportNotices } from "./report.ts";
import { schemaOf } from "./resources/answers.ts";
import { type NamedSchemas, plainSchema, shapeOf, typesOf } from "./resources/schema.ts";

/** `served`: whether Nonet performs the operation of this name. */
export function errorsOf(
  operations: readonly ImportedOperation[],
  named: NamedSchemas,
  served: (operation: string) => boolean,
  notices: ImportNotices,
): Errors {
  const answers = operations.flatMap(({ name, endpoint, pointer }) =>
    Object.entries(endpoint?.wire?.answers ?? {}).flatMap(([status, answer]) =>
      /^(?:[45]|default$)/.test(status) ? [{ name, pointer, status, answer, isServed: served(name) }] : [],
    ),
  );
  const descriptions = new Map<number, Map<string, number>>();
  for (const { status, answer } of answers) {
    if (!/^[45][0-9]{2}$/.test(status)) continue;
    const counts = descriptions.get(Number(status)) ?? new Map<string, number>();
    descriptions.set(Number(status), counts);
    const sentence = shortText(answer.note ?? "");
    if (sentence !== "") counts.set(sentence, (counts.get(sentence) ?? 0) + 1);
  }
  if (descriptions.size > 0)
    notices.guessed("/paths", "codes of errors, from the statuses of the answers: the source has none");
  const statuses = new Set(answers.filter(({ isServed }) => isServed).map(({ status }) => status));
  const typed = answers.filter(({ answer, isServed }) => isServed && answer.type !== undefined);
  const [chosen, body] =
    mostCommonBody(
      typed.map(({ answer }) => answer),
      named,
    ) ?? [];
  for (const [pointer, [first]] of Map.groupBy(typed, (one) => one.pointer))
    if (typed.some((one) => one.pointer === pointer && typeText(one.answer) !== chosen))
      notices.lost(
        pointer,
        "a body of errors that Nonet cannot fill, or that most operations do not have",
        first?.name ?? "",
      );
  if (body !== undefined && body !== "problem+json")
    notices.guessed("/paths", "what the members of an error mean, from their names", JSON.stringify(body.shape));
  return {
    ...(body === undefined ? {} : { body }),
    // An invalid request is 422 in Nonet.
    ...(statuses.has("400") && !statuses.has("422") ? { status: { "invalid-request": 400 } } : {}),
    errors: Object.fromEntries(
      [...descriptions]
        .toSorted(([one], [other]) => one - other)
        .map(([status, counts]) => {
          const [most] = [...counts].toSorted(([, one], [, other]) => other - one);
          const sourceText = reasons[status] ?? `Status ${status}`;
          return [kebabCase(sourceText), { status, sentence: most?.[0] ?? sourceText }];
        }),
    ),
  };
}

type ErrorAnswer = NonNullable<NonNullable<NonNullable<ImportedOperation["endpoint"]>["wire"]>["answers"]>[string];

/** Returns the type that most errors have of those whose required members Nonet can fill, as a text, and their body. */
function mostCommonBody(
  answers: readonly ErrorAnswer[],
  named: NamedSchemas,
): readonly [type: string, body: NonNullable<Errors["body"]>] | undefined {
  const groups = [...Map.groupBy(answers, typeText)].toSorted(([, one], [, other]) => other.length - one.length);
  for (const [type, group] of groups) {
    const body = bodyOf(group, named);
    if (body !== undefined) return [type, body];
  }
  return undefined;
}

function typeText({ type }: ErrorAnswer): string {
  return JSON.stringify(type);
}

/** Returns the body of answers of one type, if Nonet can fill all of its required members. */
function bodyOf(answers: readonly ErrorAnswer[], named: NamedSchemas): Errors["body"] | undefined {
  const [first] = answers;
  if (first?.type === undefined) return undefined;
  const schema = schemaOf(first.type);
  if (answers.every(({ media }) => media?.includes("application/problem+json") === true)) {
    const members = [...(shapeOf(schema, named)?.members ?? [])];
    return members.every(([name, { required }]) => !required || problemMembers.includes(name))
      ? "problem+json"
      : undefined;
  }
  const shape = filled(schema, named, 0);
  return shape === undefined ? undefined : { shape };
}

const problemMembers = ["type", "title", "status", "detail", "instance"];

/** Returns an object with a placeholder for each member that has one; undefined if a required member has none. */
function filled(schema: Json, named: NamedSchemas, depth: number): Json | undefined {
  const members = shapeOf(schema, named)?.members;
  if (members === undefined) return undefined;
  const found: Record<string, Json> = {};
  for (const [name, member] of members) {
    const value =
      placeholder(name, plainSchema(member.schema, named)) ??
      (depth < 2 ? filled(member.schema, named, depth + 1) : undefined);
    if (value !== undefined) found[name] = value;
    else if (member.required) return undefined;
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

function placeholder(name: string, schema: ReturnType<typeof plainSchema>): string | undefined {
  const types = typesOf(schema["type"]);
  if (schema["enum"] !== undefined || schema["const"] !== undefined || isObject(schema["items"])) return undefined;
  const word = name.toLowerCase().replaceAll(/[^a-z]/g, "");
  if (types.includes("integer") || types.includes("number"))
    return /^(?:code|status|statuscode|httpstatus|errorcode)$/.test(word) ? "{status}" : undefined;
  if (!types.includes("string") || schema["format"] !== undefined) return undefined;
  return Object.hasOwn(texts, word) ? texts[word] : undefined;
}

const texts: Readonly<Record<string, string>> = {
  code: "{code}", errorcode: "{code}", error: "{code}", type: "{code}", title: "{title}",
  message: "{message}", msg: "{message}", errormessage: "{message}", description: "{message}", detail: "{message}",
  details: "{message}", reason: "{message}", errordescription: "{message}", requestid: "{request}", traceid: "{request}",
}; // biome-ignore format: a table

/** Reason phrases of the IANA registry (RFC 9110 and others). */
const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
  405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
  411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
  415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed", 421: "Misdirected Request",
  422: "Unprocessable Content", 423: "Locked", 424: "Failed Dependency", 426: "Upgrade Required",
  428: "Precondition Required", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
  451: "Unavailable For Legal Reasons", 500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
  503: "Service Unavailable", 504: "Gateway Timeout",
}; // biome-ignore format: a table
