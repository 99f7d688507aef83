/** What part 7 says of the response with an error: its status and its body. */
import { shortText } from "../case.ts";
import { parseClockDuration } from "../../base/duration.ts";
import { isObject, type Json } from "../../base/json.ts";
import { pathInDots } from "../../base/json-pointer.ts";
import { templatePattern } from "../../base/template-pattern.ts";
import {
  bodyFor,
  type ErrorBody,
  protocolErrors,
  standardErrors,
  violationCodes,
  withoutField,
} from "../../language/errors/model.ts";
import { lookup } from "../../language/resources/fields.ts";
import type { Contract, Operation } from "../contract.ts";
import { furtherErrors, guardErrors } from "../effects.ts";
import type { Response } from "../interaction.ts";
import { type Deviation } from "../deviations.ts";

/** An error that a request must get. */
export interface ExpectedError {
  readonly code: string;
  /** The usual status of the code here, if the document does not declare another: `invalid-request` is 400 or 422. */
  readonly status?: number;
  /** Pointers, parameters or headers of single errors of which one must be there, with the codes that it may have. */
  readonly entries?: readonly ExpectedEntry[];
}

export interface ExpectedEntry {
  /** `#/user/email`, a parameter's name, or a header's. */
  readonly place: string;
  readonly codes: readonly string[];
}

/** Returns whether the document states the error: it declares it, or part 7 takes it from the standard ones. */
export function isStated({ model: { errors } }: Contract, code: string): boolean {
  if (lookup(errors.errors, code) !== undefined || lookup(errors.status ?? {}, code) !== undefined) return true;
  const { standard } = errors;
  if (standard === "all") return Object.hasOwn(standardErrors, code) || Object.hasOwn(protocolErrors, code);
  return standard?.includes(code) === true;
}

/** Returns the status of an error in an operation. `usual`: that of a code with several. */
export function statusOf({ model }: Contract, code: string, operation?: string, usual?: number): number | undefined {
  const endpoint = operation === undefined ? undefined : lookup(model.endpoints.endpoints, operation);
  return (
    lookup(endpoint?.statuses?.errors ?? {}, code) ??
    lookup(model.errors.status ?? {}, code) ??
    lookup(model.errors.errors, code)?.status ??
    usual ??
    lookup(standardErrors, code)?.status ??
    lookup(protocolErrors, code)?.status
  );
}

/** Returns the path of the statement from which the status of an error follows. */
function statusPath({ model }: Contract, code: string, operation?: string): string {
  const endpoint = operation === undefined ? undefined : lookup(model.endpoints.endpoints, operation);
  if (lookup(endpoint?.statuses?.errors ?? {}, code) !== undefined) return `endpoints/endpoints/${operation}/status`;
  if (lookup(model.errors.status ?? {}, code) !== undefined) return `errors/status/${code}`;
  return lookup(model.errors.errors, code) === undefined ? "errors/standard" : `errors/errors/${code}`;
}

/** Returns all codes that a response may have. */
export function knownCodes({ model: { errors } }: Contract): ReadonlySet<string> {
  return new Set([...Object.keys(errors.errors), ...Object.keys(standardErrors), ...Object.keys(protocolErrors)]);
}

/** Returns the name by which clients get a code. */
export function nameOf({ model }: Contract, code: string): string {
  return lookup(model.errors.codes ?? {}, code) ?? code;
}

/** Returns the body of an error, undefined if part 7 declares none, and the path of the statement that declares it. */
export function bodyOf(
  { model: { errors } }: Contract,
  code: string,
  operation: string | undefined,
  hasField: boolean,
): { readonly body: ErrorBody | undefined; readonly path: string } {
  const { bodies = {}, body } = errors;
  const keys = Object.keys(bodies);
  const key =
    keys.find((one) => bodyFor(one).code === code && operation !== undefined && bodyFor(one).operation === operation) ??
    keys.find((one) => one === code) ??
    (hasField ? undefined : keys.find((one) => one === withoutField));
  const special = key === undefined ? undefined : bodies[key];
  return special === undefined ? { body, path: "errors/body" } : { body: special, path: `errors/bodies/${key}` };
}

/** Returns the body of an expected error, as `bodyOf`. */
export function expectedBody(
  contract: Contract,
  { code, entries = [] }: ExpectedError,
  operation: string | undefined,
): ReturnType<typeof bodyOf> {
  return bodyOf(contract, code, operation, entries.length > 0 || code === "already-exists");
}

/** Returns the code that a response names; undefined if its body has none. */
export function codeIn({ model: { errors } }: Contract, response: Response): string | undefined {
  const { json } = response;
  if (!isObject(json)) return undefined;
  const code = lookup(json, "code");
  const named = typeof code === "string" ? code : undefined;
  const type = lookup(json, "type");
  const byType = typeof type === "string" && type !== "about:blank" ? type.split(/[/#:]/).at(-1) : undefined;
  const found = named ?? byType;
  const original = Object.entries(errors.codes ?? {}).find(([, name]) => name === found)?.[0];
  return original ?? found;
}

/** Whether a response is the error: by its code, or by its status if its body names no code of the document. */
export function isError(contract: Contract, response: Response, code: string, operation?: string): boolean {
  const found = codeIn(contract, response);
  if (found !== undefined && knownCodes(contract).has(found)) return found === code;
  if (response.status !== statusOf(contract, code, operation)) return false;
  // An error with the status of a success has the body of the error.
  return response.status >= 400 || errorDeviations(contract, response, { code }, operation).length === 0;
}

/**
 * Whether the response is the error of a guard or choice of the operation, which the test may not be able to satisfy: by its status, and
 * by its code if the body of the error shows it.
 */
export function isRejectedByGuard(contract: Contract, response: Response, called: Operation): boolean {
  const { operation } = called;
  return guardErrors(contract, called).some((code) => {
    if (response.status !== statusOf(contract, code, operation)) return false;
    const { body } = bodyOf(contract, code, operation, false);
    if (body === undefined) return true;
    const hasCode = body === "problem+json" || JSON.stringify(body.shape).includes("{code}");
    return !hasCode || response.text.includes(nameOf(contract, code));
  });
}

/** Whether the response is an error of the further writes of the operation. */
export function isFurtherError(contract: Contract, response: Response, called: Operation): boolean {
  return furtherErrors(contract, called).some((code) => isError(contract, response, code, called.operation));
}

/** The errors that a request may get before the service runs its operation. */
const earlyErrors: readonly string[] = [
  ...["unauthenticated", "forbidden", "not-found", "method-not-allowed", "not-implemented", "version-gone"],
  ...["rate-limited", "internal", "overloaded", "timed-out"],
];

/** Whether a response is that of an operation, and not that of something before it, which responds to any request. */
export function isByOperation(contract: Contract, response: Response, operation: string): boolean {
  return response.status < 500 && !earlyErrors.some((code) => isError(contract, response, code, operation));
}

/** Returns what is wrong with the response of a request that must get the error. */
export function errorDeviations(
  contract: Contract,
  response: Response,
  error: ExpectedError,
  operation: string | undefined,
): readonly Deviation[] {
  const { model } = contract;
  const { code, status: usual, entries } = error;
  const status = statusOf(contract, code, operation, usual);
  const where = lookup(model.errors.errors, code) === undefined ? "errors/standard" : `errors/errors/${code}`;
  if (status !== undefined && response.status !== status) {
    const isSame = codeIn(contract, response) === code;
    const path = isSame ? statusPath(contract, code, operation) : where;
    return [{ path, expected: `${status} ${code}`, got: statusText(contract, response) }];
  }
  const late = retryDeviations(contract, response, code);
  if (late.length > 0) return late;
  const { body, path } = expectedBody(contract, error, operation);
  if (body === undefined) return [];
  if (body !== "problem+json") {
    // A body that is one text need not be JSON.
    const { json = response.text === "" ? undefined : response.text } = response;
    const observed = typeof body.shape === "string" ? json : response.json;
    const problem = templateProblem(body.shape, observed, { ...response, code: nameOf(contract, code) });
    if (problem !== undefined)
      return [{ path, expected: `an error body as declared: ${problem}`, got: shortText(observed) }];
    const misplaced = pathDeviations(body.shape, observed, path, entries);
    return misplaced.length > 0
      ? misplaced
      : textDeviations(contract, response, code, { entries, template: body.shape });
  }
  if (!isObject(response.json))
    return [{ path, expected: "an object as RFC 9457 describes it", got: shortText(response.json ?? response.text) }];
  if (!/^application\/problem\+json\b/.test(response.headers["content-type"] ?? ""))
    return [
      { path, expected: "Content-Type application/problem+json", got: response.headers["content-type"] ?? "none" },
    ];
  const named = lookup(response.json, "status");
  if (named !== undefined && named !== response.status)
    return [{ path, expected: `the member \`status\` with ${response.status}`, got: shortText(named) }];
  const found = codeIn(contract, response);
  if (found !== code)
    return [
      {
        path: isRenamed(contract, code, found) ? `errors/codes/${code}` : where,
        expected: `the error ${nameOf(contract, code)}`,
        got: statusText(contract, response),
      },
    ];
  const name = lookup(response.json, "code");
  if (name !== undefined && name !== nameOf(contract, code))
    return [{ path: `errors/codes/${code}`, expected: `the code ${nameOf(contract, code)}`, got: shortText(name) }];
  // Another text for the name of a code is the concern of `textDeviations`.
  const renamed = entries?.map((one) => ({ ...one, codes: one.codes.map((each) => nameOf(contract, each)) }));
  const [entry] = entryDeviations(contract, response.json, renamed);
  return entry === undefined ? textDeviations(contract, response, code, { entries }) : [entry];
}

/** Where a declared body has `{path}`, one of the paths is that of an expected entry. */
function pathDeviations(
  template: Json,
  json: Json | undefined,
  path: string,
  entries: readonly ExpectedEntry[] = [],
): readonly Deviation[] {
  const expected = entries.map(({ place }) => pathInDots(place));
  const found = valuesAt("{path}", template, json);
  if (expected.length === 0 || found.length === 0 || found.some((one) => expected.includes(one))) return [];
  return [{ path, expected: `the path ${expected.join(" or ")}`, got: shortText([...found]) }];
}

/** Whether the document gives the code another name, and a response has a name that no error has. */
function isRenamed(contract: Contract, code: string, found: string | undefined): boolean {
  const isNamed = lookup(contract.model.errors.codes ?? {}, code) !== undefined;
  return isNamed && found !== undefined && !knownCodes(contract).has(found);
}

/** How many seconds more or less a response may name than the document. */
const retryTolerance = 1;

/** A declared error says after which time to try again, as the document does. */
function retryDeviations({ model }: Contract, { headers }: Response, code: string): readonly Deviation[] {
  const written = lookup(model.errors.errors, code)?.retryAfter;
  const milliseconds = written === undefined ? undefined : parseClockDuration(written);
  if (milliseconds === undefined) return [];
  const header = headers["retry-after"];
  const date =
    header === undefined || /^\d+$/.test(header) ? Number.NaN : Date.parse(header) - Date.parse(headers["date"] ?? "");
  const seconds = header !== undefined && /^\d+$/.test(header) ? Number(header) : date / 1000;
  if (Math.abs(seconds - milliseconds / 1000) <= retryTolerance) return [];
  return [
    {
      path: `errors/errors/${code}`,
      expected: `Retry-After with ${milliseconds / 1000} seconds`,
      got: header ?? "no such header",
    },
  ];
}

/** The texts that the document writes: the name of a single error, the sentence of a declared error, and the messages of errors and of single errors. */
function textDeviations(
  { model: { errors } }: Contract,
  { json, text }: Response,
  code: string,
  { entries = [], template }: { readonly entries?: readonly ExpectedEntry[] | undefined; readonly template?: Json },
): readonly Deviation[] {
  const [entry] = entries;
  const single = entries.length === 1 && entry?.codes.length === 1 ? entry.codes[0] : undefined;
  const about = single ?? (entries.length === 0 ? code : undefined);
  const name = single === undefined ? undefined : lookup(errors.codes ?? {}, single);
  const lacks = (placeholder: string, written: string): boolean =>
    (template === undefined || JSON.stringify(template).includes(placeholder)) &&
    !hasText(json, text, patternOf(written));
  if (name !== undefined && lacks("{fault}", name))
    return [{ path: `errors/codes/${single}`, expected: `the name "${name}"`, got: shortText(json ?? text) }];
  const message = about === undefined ? undefined : lookup(errors.messages ?? {}, about);
  if (message !== undefined && lacks("{message}", message))
    return [{ path: `errors/messages/${about}`, expected: `the message "${message}"`, got: shortText(json ?? text) }];
  // Around a list of single errors there is the message of the whole one.
  const outer = entries.length === 0 ? undefined : lookup(errors.messages ?? {}, code);
  const member = outer === undefined ? undefined : messageAround(template);
  if (
    outer !== undefined &&
    member !== undefined &&
    isObject(json) &&
    !hasText(lookup(json, member), "", patternOf(outer))
  )
    return [{ path: `errors/messages/${code}`, expected: `the message "${outer}"`, got: shortText(json) }];
  const sentence = message === undefined ? lookup(errors.errors, code)?.sentence : undefined;
  // The message of a declared error is its cause in this request, but its title is the sentence.
  if (sentence !== undefined && sentence !== "" && lacks("{title}", sentence))
    return [{ path: `errors/errors/${code}`, expected: `the sentence "${sentence}"`, got: shortText(json ?? text) }];
  return [];
}

/** Returns the member with the message of an error, if another one is a list of its single errors. */
function messageAround(template: Json | undefined): string | undefined {
  if (!isObject(template) || !Object.values(template).some((one) => Array.isArray(one))) return undefined;
  return Object.keys(template).find((name) => template[name] === "{message}");
}

/** Returns a place without percent-encoding: in a fragment a pointer may encode more characters than it has to (RFC 3986). */
function decoded(place: unknown): unknown {
  if (typeof place !== "string") return place;
  try {
    return decodeURIComponent(place);
  } catch {
    return place;
  }
}

/** Returns a pattern of the texts that a written text stands for: its placeholders have values that the test need not know. */
function patternOf(written: string): string {
  const parts = written.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  return parts.join("[^]*");
}

/** Whether a member of a body, at any depth, is exactly such a text. A body that is no JSON contains it. */
function hasText(json: Json | undefined, body: string, pattern: string): boolean {
  if (json === undefined) return new RegExp(pattern).test(body);
  if (typeof json === "string") return new RegExp(`^${pattern}$`).test(json);
  if (typeof json !== "object" || json === null) return false;
  return Object.values(json).some((inner: Json) => hasText(inner, body, pattern));
}

function entryDeviations(
  contract: Contract,
  json: Readonly<Record<string, Json>>,
  entries: readonly ExpectedEntry[] = [],
): readonly Deviation[] {
  const { errors } = json;
  if (entries.length === 0 || !Array.isArray(errors)) return [];
  const found = errors
    .filter(isObject)
    .map((one) => ({ place: one["pointer"] ?? one["parameter"] ?? one["header"], code: one["code"] }));
  // RFC 9457 has no such entries: others may list errors without places, and with codes of their own.
  if (found.every(({ place }) => place === undefined)) return [];
  const names = violationCodes.map((code) => nameOf(contract, code));
  const isKnown = (code: Json | undefined): boolean => typeof code === "string" && names.includes(code);
  const isSame = (one: (typeof found)[number], { place, codes }: ExpectedEntry): boolean =>
    decoded(one.place) === decoded(place) &&
    (codes.length === 0 || !isKnown(one.code) || codes.includes(one.code as string));
  if (found.some((one) => entries.some((entry) => isSame(one, entry)))) return [];
  const expected = entries.map(({ place, codes }) => `${codes.join(" or ")} at ${place}`).join(", or ");
  return [
    { path: "errors/body", expected: `an entry of \`errors\`: ${expected}`, got: shortText(found as unknown as Json) },
  ];
}

/** Returns `409 state-conflict`: what a response was, in a few words. */
export function statusText(contract: Contract, response: Response): string {
  const code = codeIn(contract, response);
  return code === undefined ? String(response.status) : `${response.status} ${code}`;
}

/** What the test knows of an error that its body may name. */
interface KnownOfError extends Pick<Response, "status" | "statusText"> {
  readonly code: string;
}

/** Returns what a body lacks of a declared error body; the texts of messages are free. */
export function templateProblem(template: Json, value: Json | undefined, known: KnownOfError): string | undefined {
  if (typeof template === "string") {
    if (template === "{status}")
      return value === known.status || value === String(known.status) ? undefined : `the status ${known.status}`;
    if (template === "{code}") return value === known.code ? undefined : `the code ${known.code}`;
    if (!/\{\w+\}/.test(template)) return value === template ? undefined : `\`${template}\``;
    return typeof value === "string" && textPattern(template, known).test(value) ? undefined : `a text for ${template}`;
  }
  if (Array.isArray(template)) {
    if (!Array.isArray(value)) return "a list";
    if (/\{(?:field|pointer|parameter|path|fault|message)\}/.test(JSON.stringify(template)))
      return value.length === 0 ? "an entry" : undefined;
    return template.length === value.length ? undefined : `${template.length} items`;
  }
  if (!isObject(template)) return template === value ? undefined : JSON.stringify(template);
  if (!isObject(value)) return "an object";
  for (const [name, inner] of Object.entries(template)) {
    if (/\{(?:field|pointer|parameter|path|fault|resource)\}/.test(name)) {
      if (Object.keys(value).length === 0) return `a member ${name}`;
      continue;
    }
    const problem = templateProblem(inner, lookup(value, name), known);
    if (problem !== undefined) return `member \`${name}\`: ${problem}`;
  }
  return undefined;
}

/** Returns what matches the texts that a template can become. */
function textPattern(template: string, { code, status, statusText }: KnownOfError): RegExp {
  const known: Readonly<Record<string, string>> = {
    code: RegExp.escape(code),
    status: String(status),
    ...(statusText === undefined ? {} : { reason: `(?i:${RegExp.escape(statusText)})` }),
  };
  return templatePattern(template, (name) => lookup(known, name) ?? "[^]*");
}

type Placeholder = "{field}" | "{path}" | "{parameter}" | "{fault}";

/** Returns the texts at a placeholder of the declared body of an error; none if the body has another form. */
export function textsIn(
  contract: Contract,
  response: Response,
  { operation }: Operation,
  code: string,
  placeholder: Placeholder,
): readonly string[] {
  const { body } = bodyOf(contract, code, operation, true);
  return body === undefined || body === "problem+json" ? [] : valuesAt(placeholder, body.shape, response.json);
}

/** Returns the texts in the body of a response, at the places where a declared body has the placeholder. */
function valuesAt(placeholder: Placeholder, template: Json, value: Json | undefined): readonly string[] {
  if (template === placeholder) return typeof value === "string" ? [value] : [];
  if (Array.isArray(template) && Array.isArray(value))
    return value.flatMap((item: Json) => template.flatMap((inner: Json) => valuesAt(placeholder, inner, item)));
  if (!isObject(template) || !isObject(value)) return [];
  return Object.entries(template).flatMap(([name, inner]) =>
    name === placeholder ? Object.keys(value) : valuesAt(placeholder, inner, lookup(value, name)),
  );
}
