/**
 * What a function answers where its document describes the wire: `{ status, body, headers }`, held to what is said of that
 * status. What Nonet itself refuses is told as the document says errors are, where it says so and the words are found.
 */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { Operation, Plan, WiredAnswer } from "../../plan/plan.ts";
import { essenceOf, isJson, resolved, typesOf } from "../../plan/wire.ts";
import type { Judge } from "../judge.ts";
import type { Call } from "../context.ts";
import type { Answer } from "../exchange.ts";
import { type Fault, Refusal } from "../refusal.ts";
import { type Strip, withoutWriteOnly } from "../write-only.ts";
import { wrong } from "./call.ts";

/** The answers of an operation, with the judges of what is in them. */
export interface PreparedWire {
  readonly answers: readonly PreparedAnswer[];
  readonly schemas: Plan["schemas"];
  /** The media types of all answers. */
  readonly offers: readonly string[] | undefined;
}

interface PreparedAnswer extends WiredAnswer {
  readonly judge: Judge | undefined;
  readonly strip: Strip | undefined;
  readonly judges: ReadonlyMap<string, Judge>;
}

export function prepareWire(
  { wire }: Operation,
  judgeOf: (schema: JsonObject) => Judge,
  schemas: Plan["schemas"],
): PreparedWire | undefined {
  if (wire === undefined) return undefined;
  const offers = [...new Set(wire.answers.flatMap(({ media }) => media.map(essenceOf)))];
  return {
    schemas,
    offers: offers.length === 0 || offers.includes("*/*") ? undefined : offers,
    answers: wire.answers.map((answer) => ({
      ...answer,
      judge: answer.schema === undefined ? undefined : judgeOf(answer.schema),
      strip: answer.schema === undefined ? undefined : withoutWriteOnly(answer.schema, schemas),
      judges: new Map(answer.headers.map(({ name, schema }) => [name.toLowerCase(), judgeOf(schema)])),
    })),
  };
}

/** @throws Refusal with the answer, where it is an error: everything is undone. */
export function wireAnswer(call: Call, wire: PreparedWire, given: unknown): Answer {
  const told = isGiven(given) ? given : undefined;
  if (told === undefined) throw fault(call, "an answer is `{ status, body, headers }`");
  const { status } = told;
  const described = answerFor(wire, status);
  if (described === undefined) throw fault(call, `there is no answer ${status}`);
  const { fields, body } = contentOf(call, wire, described, told);
  const headers = [...fields, ...headersOf(call, described, told.headers ?? {})];
  const whole: Answer = { status, headers, ...(body === undefined ? {} : { body }) };
  if (status >= 400) throw new Refusal(String(status), { undo: true, answer: whole });
  return whole;
}

interface Given {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
}

function isGiven(given: unknown): given is Given {
  if (typeof given !== "object" || given === null || !("status" in given)) return false;
  const { status } = given;
  return typeof status === "number" && Number.isInteger(status) && status >= 200 && status < 600;
}

/** The status itself, its class, or all others. */
function answerFor({ answers }: PreparedWire, status: number): PreparedAnswer | undefined {
  const named = (name: string): PreparedAnswer | undefined => answers.find((one) => one.status === name);
  return named(String(status)) ?? named(`${Math.floor(status / 100)}XX`) ?? named("default");
}

function fault(call: Call, detail: string, pointer = "#"): Error {
  return wrong(call, "the handler", [{ pointer, detail }]);
}

/** What HTTP itself says of an answer is not for functions to say. */
const framing = new Set(["content-length", "content-type", "transfer-encoding", "connection", "date", "request-id"]);

function headersOf(call: Call, described: PreparedAnswer, given: Readonly<Record<string, unknown>>): string[] {
  const lines: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || framing.has(name.toLowerCase())) continue;
    const judge = described.judges.get(name.toLowerCase());
    const pointer = `#/headers/${name}`;
    if (judge === undefined) throw fault(call, `${described.status} has no header ${name}`, pointer);
    for (const { detail } of judge(value as Json)) throw fault(call, detail, pointer);
    const text = headerText(value as Json);
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) throw fault(call, "a header is one line of Latin-1", pointer);
    lines.push(name, text);
  }
  const names = new Set(lines.map((line) => line.toLowerCase()));
  const missing = described.headers.find(({ name, required }) => required && !names.has(name.toLowerCase()));
  if (missing !== undefined && !framing.has(missing.name.toLowerCase()))
    throw fault(call, `${described.status} has a header ${missing.name}`, `#/headers/${missing.name}`);
  if (!names.has("cache-control")) lines.push("Cache-Control", "no-store");
  return lines;
}

function headerText(value: Json): string {
  if (Array.isArray(value)) return (value as readonly Json[]).map(headerText).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

interface Content {
  readonly fields: readonly string[];
  readonly body?: string | Uint8Array;
}

function contentOf(call: Call, wire: PreparedWire, described: PreparedAnswer, { body, headers = {} }: Given): Content {
  const absent = body === undefined || (body === null && described.media.length === 0);
  if (described.media.length === 0) {
    if (!absent) throw fault(call, `${described.status} has no body`, "#/body");
    return { fields: [] };
  }
  const said = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1];
  const media = typeof said === "string" ? said : usual(described);
  if (!described.media.some((one) => covers(essenceOf(one), essenceOf(media))))
    throw fault(call, `${described.status} has no content of ${media}`, "#/headers/Content-Type");
  const fields = ["Content-Type", media];
  if (!isJson(media)) {
    if (body instanceof Uint8Array) return { fields, body };
    if (typeof body !== "string") throw fault(call, `the body of ${media} is a text or bytes`, "#/body");
    const isText = typesOf(described.schema, wire.schemas).includes("string");
    const faults = isText ? (described.judge?.(body) ?? []) : [];
    if (faults.length > 0) throw wrong(call, "the handler", faults.map(inBody));
    return { fields, body };
  }
  const value = body === undefined ? undefined : (JSON.parse(JSON.stringify(body)) as Json);
  if (value === undefined) throw fault(call, `${described.status} has a body`, "#/body");
  const faults = described.judge?.(value) ?? [];
  if (faults.length > 0) throw wrong(call, "the handler", faults.map(inBody));
  return { fields, body: JSON.stringify(described.strip?.(value) ?? value) };
}

function inBody({ pointer = "#", detail }: Fault): { readonly pointer: string; readonly detail: string } {
  return { pointer: `#/body${pointer.slice(1)}`, detail };
}

/** JSON where it may be that. */
function usual({ media }: WiredAnswer): string {
  return media.find(isJson) ?? media.find((one) => !one.includes("*")) ?? "application/json";
}

function covers(range: string, media: string): boolean {
  return range === "*/*" || range === media || (range.endsWith("/*") && media.startsWith(range.slice(0, -1)));
}

// ── What Nonet refuses ─────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A refusal in the words of the wire: with a status that it has, and in the shape of that status. Where it has none, or a
 * shape that nothing that is known fits into, it is told as every service tells it.
 */
export function asWired(wire: PreparedWire, { code }: Refusal, told: Answer): Answer {
  const status = statusOf(wire, code, told.status);
  const described = answerFor(wire, status);
  if (described === undefined) return told;
  const headers = pairs(told.headers).filter(([name]) => name.toLowerCase() !== "content-type");
  const bare = { ...told, status, headers: headers.flat() };
  if (described.media.length === 0) {
    const { body: _, ...rest } = bare;
    return rest;
  }
  const media = described.media.find(isJson);
  if (media === undefined || typeof told.body !== "string") return told;
  const said = JSON.parse(told.body) as Json;
  const facts = factsOf(said, code, status);
  const fits = [said, filled(described.schema ?? {}, facts, wire.schemas)].find(
    (value) => value !== undefined && (described.judge?.(value) ?? []).length === 0,
  );
  return fits === undefined
    ? told
    : { ...bare, headers: ["Content-Type", media, ...bare.headers], body: JSON.stringify(fits) };
}

/** What is wrong with a request has one of two statuses, and many interfaces know but one of them. */
function statusOf(wire: PreparedWire, code: string, status: number): number {
  const said = (one: number): boolean => wire.answers.some((answer) => answer.status === String(one));
  if (code !== "invalid-request" || said(status)) return status;
  return [400, 422].find(said) ?? status;
}

function pairs(headers: readonly string[]): readonly (readonly [string, string])[] {
  return headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? ""] as const] : []));
}

interface Facts {
  readonly code: string;
  readonly status: number;
  readonly message: string;
}

function factsOf(said: Json, code: string, status: number): Facts {
  const { detail, title } = isObject(said) ? said : {};
  const message = typeof detail === "string" ? detail : typeof title === "string" ? title : code;
  return { code, status, message };
}

/** Members that are called what errors are usually called by. Others that have to be there are not made up. */
function filled(schema: JsonObject, facts: Facts, schemas: Plan["schemas"], depth = 0): Json | undefined {
  if (depth > 4) return undefined;
  const { allOf, properties, items } = resolved(schema, schemas);
  if (Array.isArray(allOf)) {
    const all = (allOf as readonly Json[]).map((one) => (isObject(one) ? filled(one, facts, schemas, depth + 1) : {}));
    return Object.assign({}, ...all.map((one) => (isObject(one) ? one : {}))) as JsonObject;
  }
  const types = typesOf(schema, schemas);
  if (types.includes("array"))
    return isObject(items) ? [filled(items, facts, schemas, depth + 1) ?? facts.message] : [facts.message];
  if (!isObject(properties)) return types.includes("string") ? facts.message : undefined;
  const members = Object.entries(properties).flatMap(([name, one]): [string, Json][] => {
    const member = isObject(one) ? memberOf(name, one, facts, schemas, depth) : undefined;
    return member === undefined ? [] : [[name, member]];
  });
  return Object.fromEntries(members);
}

const names: Readonly<Record<keyof Facts, RegExp>> = {
  status: /^(?:status|statuscode|httpstatus|code)$/,
  code: /^(?:code|error|errorcode|type|reason|name|key)$/,
  message: /^(?:message|msg|detail|details|description|errordescription|errormessage|title|text|error)$/,
};

function memberOf(
  name: string,
  schema: JsonObject,
  facts: Facts,
  schemas: Plan["schemas"],
  depth: number,
): Json | undefined {
  const plain = name.toLowerCase().replace(/[^a-z]/g, "");
  const types = typesOf(schema, schemas);
  if (types.includes("integer") || types.includes("number")) return names.status.test(plain) ? facts.status : undefined;
  if (types.includes("string")) {
    if (names.code.test(plain)) return facts.code;
    return names.message.test(plain) ? facts.message : names.status.test(plain) ? String(facts.status) : undefined;
  }
  return /^(?:errors?|fault|problem|details?|messages?)$/.test(plain)
    ? filled(schema, facts, schemas, depth + 1)
    : undefined;
}
