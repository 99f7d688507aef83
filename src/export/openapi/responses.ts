/** Describes every response of an operation: status, header fields and body. */
import { pascalCase, withArticle } from "../../base/case.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type { ErrorBody } from "../../language/errors/model.ts";
import { readingActions, sessionActions } from "../../language/endpoints/model.ts";
import type { FilePlan } from "../../plan/resources/types.ts";
import type { ListPlan, Operation } from "../../plan/endpoints/types.ts";
import type { Plan } from "../../plan/plan.ts";
import { isBodiless } from "../../plan/endpoints/outcomes.ts";
import { type StreamParts, streamParts } from "./events.ts";
import { inlined } from "./deprecated.ts";
import { bytesContent } from "./files.ts";
import { headersOf, type ResponseHeader, responseHeaders } from "./headers.ts";
import type { ComponentNames } from "./names.ts";
import { hasScopes, type PossibleError, possibleErrorsOf } from "./possible-errors.ts";
import { oneOrAny } from "./problem-shape.ts";
import { bodiesOfCode, createdSchema, refTo, responseOf } from "./schemas.ts";

type Named = ResponseHeader | `${ResponseHeader}?`;

/** What the functions that describe operations have in common. */
export interface DescriptionContext {
  readonly plan: Plan;
  readonly names: ComponentNames;
  /** Responses that several operations share, by component name; filled as operations are described. */
  readonly shared: Map<string, JsonObject>;
}

export function responsesOf(context: DescriptionContext, operation: Operation): JsonObject {
  const byStatus = Map.groupBy(possibleErrorsOf(context.plan, operation), ({ status }) => status);
  const errors = [...byStatus].map(([status, codes]): [string, Json] => [
    String(status),
    errorResponse(context, operation, status, codes),
  ]);
  const described = new Map<string, Json>(successes(context, operation));
  for (const [status, response] of errors) {
    const success = described.get(status);
    described.set(status, success === undefined ? response : eitherResponse(context, success, response));
  }
  return Object.fromEntries(described);
}

/** Returns the response of a status that both a success and an error have. */
function eitherResponse({ shared }: DescriptionContext, success: Json, error: Json): JsonObject {
  const [one, other] = [success, error].map((response) => inlined(response, shared) as unknown as ResponseObject) as [
    ResponseObject,
    ResponseObject,
  ];
  const names = [...new Set([...Object.keys(one.content ?? {}), ...Object.keys(other.content ?? {})])];
  const content = names.map((media) => {
    const schemas = [one, other].flatMap(({ content: found = {} }): JsonObject[] => {
      const schema = found[media]?.schema;
      return schema === undefined ? [] : [schema];
    });
    return [media, { schema: oneOrAny(schemas) }];
  });
  const optional = Object.entries({ ...other.headers, ...one.headers }).map(([name, header]) => [
    name,
    name in (one.headers ?? {}) && name in (other.headers ?? {}) ? header : optionalHeader(name, header as JsonObject),
  ]);
  return {
    description: `${one.description}\n${other.description}`,
    ...(optional.length === 0 ? {} : { headers: Object.fromEntries(optional) as JsonObject }),
    content: Object.fromEntries(content) as JsonObject,
  };
}

/** Returns a header field as an optional one. OpenAPI ignores members beside `$ref`, so it does not refer to the component. */
function optionalHeader(name: string, header: JsonObject): JsonObject {
  const written = Object.hasOwn(header, "$ref") ? responseHeaders[name as ResponseHeader] : header;
  return { ...written, required: false };
}

interface ResponseObject {
  readonly description: string;
  readonly headers?: JsonObject;
  readonly content?: Readonly<Record<string, { readonly schema: JsonObject }>>;
}

/** Returns the rate limit fields that every success has: both if a limit applies to all requests. */
function rateLimitHeaders({ rates }: Plan, operation: Operation): readonly Named[] {
  const always = operation.rates.some(({ limit }) => rates[limit]?.of === "all");
  return [
    ...(always || operation.quotas.length > 0 ? (["RateLimit-Policy"] as const) : []),
    ...(always ? (["RateLimit"] as const) : []),
  ];
}

// ── Successes ──────────────────────────────────────────────────────────────────────────────────────────────────────

function successes({ plan, names }: DescriptionContext, operation: Operation): readonly [string, JsonObject][] {
  const described = rateLimitHeaders(plan, operation);
  const declared = { ...declaredHeaders(operation), ...cookieHeader(plan, operation) };
  const stream = streamParts(plan, operation);
  if (stream !== undefined) return [["200", streamed(operation, stream, names, described)], revalidated];
  if (operation.action === "read" && operation.file !== undefined) return bytesResponse(operation.file, described);
  const byStatus = Map.groupBy(outcomesOf(operation), ({ status }) => status);
  return [
    ...[...byStatus].map(([status, outcomes]): [string, JsonObject] => [
      String(status),
      withHeaders(success(operation, status, outcomes, names, described), declared),
    ]),
    ...(isRevalidated(operation) ? [revalidated] : []),
  ];
}

/** Describes the cookie that a login, a renewal or a logout sets. */
function cookieHeader({ credentials }: Plan, { session }: Operation): JsonObject {
  const sent = credentials.find(({ name }) => name === session?.credential)?.sent ?? [];
  if (!sent.some((one) => "cookie" in one && one.set !== undefined)) return {};
  const description = "The cookie with the token of the session.";
  return { "Set-Cookie": { description, required: false, schema: { type: "string" } } };
}

/** Returns the header fields that the document declares for the operation. */
function declaredHeaders({ headers = [], repeats }: Operation): JsonObject {
  const { header = "", echoed, required = false } = repeats ?? {};
  return Object.fromEntries([
    ...headers.map(({ expression, name, schema }) => [name, { required: !expression.nullable, schema }]),
    ...(echoed === true
      ? [[header, { description: "The key of the request.", required, schema: { type: "string" } }]]
      : []),
  ]);
}

function withHeaders(response: JsonObject, declared: JsonObject): JsonObject {
  if (Object.keys(declared).length === 0) return response;
  return { ...response, headers: { ...(response["headers"] as JsonObject), ...declared } };
}

/** A possible outcome of an operation and its status. */
interface PossibleOutcome {
  readonly what: "given" | "created" | "same" | "accepted";
  readonly status: number;
}

function outcomesOf({ action, creates, response }: Operation): readonly PossibleOutcome[] {
  const { status, created = status, same = status, accepted } = response;
  const makes = action === "create" || action === "link" || creates;
  const repeats =
    action === "create" ? response.same !== undefined : makes || action === "update" || action === "unlink";
  return [
    ...(action === "create" || action === "link" ? [] : [{ what: "given", status } as const]),
    ...(makes ? [{ what: "created", status: created } as const] : []),
    ...(repeats || action === "replace" ? [{ what: "same", status: same } as const] : []),
    ...(accepted === undefined ? [] : [{ what: "accepted", status: accepted.status } as const]),
  ];
}

/** Returns the `Location` of a created record; a record that `link` creates has none. */
function located({ action, batch, creates }: Operation, outcomes: readonly PossibleOutcome[]): readonly Named[] {
  const makes =
    (action === "create" || creates) && outcomes.some(({ what }) => what === "created" || what === "accepted");
  if (!makes || batch !== undefined) return [];
  return outcomes.every(({ what }) => what === "created") ? ["Location"] : ["Location?"];
}

/** Returns the responses with a file's bytes, complete or as a range. */
function bytesResponse(file: FilePlan, described: readonly Named[]): readonly [string, JsonObject][] {
  const names = ["Accept-Ranges", "ETag", "Content-Disposition", ...described] as const;
  const content = bytesContent(file);
  return [
    ["200", { description: "The file.", ...headersOf(names), content }],
    ["206", { description: "A part of the file.", ...headersOf([...names, "Content-Range"]), content }],
    ["304", { description: "The client has the current version.", ...headersOf(["ETag", "Accept-Ranges"]) }],
  ];
}

const revalidated: [string, JsonObject] = [
  "304",
  { description: "The client has the current version.", ...headersOf(["ETag"]) },
];

/**
 * Returns the responses of the event stream, or of a page of the same events: each has required header fields that the other
 * may lack.
 */
function streamed(
  { name }: Operation,
  { content }: StreamParts,
  names: ComponentNames,
  described: readonly Named[],
): JsonObject {
  const headers = headersOf(["Accept-Ranges?", "ETag?", "Link", "X-Accel-Buffering", ...described]);
  const page = withBody("The events from now on, or a page of past events.", headers, refTo(names.list(name)));
  return { ...page, content: { ...content, ...(page["content"] as JsonObject) } };
}

/** Whether the response has an `ETag`, so that the caller can revalidate its copy. */
export function isRevalidated({ action, response }: Operation): boolean {
  return readingActions.has(action) && response.kind !== "none";
}

/** Actions whose response is about a record, even in a custom shape, and so has an `ETag`. */
const tagged: ReadonlySet<Operation["action"]> = new Set([
  "read",
  "create",
  "update",
  "replace",
  "link",
  "unlink",
  "move",
]);

function success(
  operation: Operation,
  status: number,
  outcomes: readonly PossibleOutcome[],
  names: ComponentNames,
  described: readonly Named[],
): JsonObject {
  const { response, resource, list, repeats } = operation;
  const goesOn = outcomes.some(({ what }) => what === "accepted");
  const replayed: readonly Named[] = [
    ...(repeats === undefined ? [] : (["Idempotent-Replayed"] as const)),
    ...(goesOn ? (["Retry-After?"] as const) : []),
    ...described,
  ];
  const address = located(operation, outcomes);
  if (response.kind === "none" || isBodiless(status)) {
    const description = operation.action === "receive" ? "Taken." : "Done, without content.";
    return { description, ...headersOf([...address, ...replayed]) };
  }
  if (list !== undefined) {
    return withBody(
      pageDescription(operation),
      listHeaders(["Accept-Ranges", "ETag", ...described], list),
      refTo(names.list(operation.name)),
      operation,
    );
  }
  if (operation.batch !== undefined) {
    const schema = createdSchema(operation, operation.batch, names);
    return withBody(`The ${resource} records that were created.`, headersOf(replayed), schema, operation);
  }
  const record = response.kind === "record";
  const makes = outcomes.every(({ what }) => what === "created") && operation.action !== "link";
  // Responses about sessions have no `ETag`: clients neither cache nor edit them.
  const hasTag = (record && !sessionActions.has(operation.action)) || tagged.has(operation.action);
  const headers = headersOf([
    ...(operation.action === "read" ? (["Accept-Ranges"] as const) : []),
    ...(hasTag ? (["ETag"] as const) : []),
    ...address,
    ...replayed,
  ]);
  const description = record
    ? makes
      ? `The ${resource} that was created.`
      : `The ${resource} as it ${operation.action === "delete" ? "was" : "is now"}.`
    : "The result of the operation.";
  return withBody(description, headers, responseOf(operation, names), operation);
}

function pageDescription({ action, list, resource }: Operation): string {
  if (action === "history") return `A page of the transitions of ${withArticle(resource)}.`;
  if (action !== "summary") return `A page of ${resource} records.`;
  return list?.page.kind === "item" ? `A summary of ${resource} records.` : `A page of groups of ${resource} records.`;
}

/** Describes the `Link` of a list with other links than that of the next page. */
function listHeaders(usual: readonly Named[], { links }: ListPlan): ReturnType<typeof headersOf> {
  if (links === undefined) return headersOf([...usual, "Link"]);
  if (links.length === 0) return headersOf(usual);
  const relations = links.map((relation) => `\`rel="${relation}"\``).join(", ");
  const description = `The addresses of other pages (RFC 8288): ${relations}.`;
  return {
    headers: { ...headersOf(usual).headers, Link: { description, required: false, schema: { type: "string" } } },
  };
}

function withBody(
  description: string,
  headers: ReturnType<typeof headersOf>,
  schema: JsonObject,
  { offers = [{ type: "application/json" }] }: Pick<Operation, "offers"> = {},
): JsonObject {
  const media = new Set(offers.map(({ type, as = type }) => as));
  return { description, ...headers, content: Object.fromEntries([...media].map((type) => [type, { schema }])) };
}

// ── Refusals ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Returns the response of some errors. Without errors of the document it becomes a shared component. */
function errorResponse(
  context: DescriptionContext,
  operation: Operation,
  status: number,
  errors: readonly PossibleError[],
): JsonObject {
  const { plan, shared } = context;
  const response = problemResponse(context, operation, status, errors);
  const [first] = errors;
  if (first === undefined || errors.some(({ code }) => plan.errors[code]?.source === "document")) return response;
  const wanted = errors.map(({ code }) => pascalCase(code)).join("Or");
  const text = JSON.stringify(response);
  for (let count = 1; ; count += 1) {
    const name = `${wanted}${status === plan.errors[first.code]?.status ? "" : status}${count === 1 ? "" : `-${count}`}`;
    const known = shared.get(name);
    if (known === undefined) shared.set(name, response);
    if (known === undefined || JSON.stringify(known) === text) return { $ref: `#/components/responses/${name}` };
  }
}

function problemResponse(
  { plan, names }: DescriptionContext,
  operation: Operation,
  status: number,
  errors: readonly PossibleError[],
): JsonObject {
  const schemaOf = ({ code }: PossibleError): JsonObject => {
    const inOperation = Object.hasOwn(plan.problemBodies, `${code} in ${operation.name}`);
    return refTo(inOperation ? names.problemIn(code, operation.name) : names.problem(code));
  };
  const described = (error: PossibleError): readonly ErrorBody[] => bodiesOfCode(plan, error.code, operation.name);
  const standard = errors.filter((error) => described(error).includes("problem+json"));
  const others = errors.filter((error) =>
    described(error).some((body) => body !== "problem+json" && typeof body.shape !== "string"),
  );
  const texts = errors.some((error) =>
    described(error).some((body) => body !== "problem+json" && typeof body.shape === "string"),
  );
  return {
    description: errors.map(({ code }) => `\`${code}\`: ${plan.errors[code]?.title ?? ""}.`).join("\n"),
    ...headersOf(errorHeaders(plan, operation, status, errors)),
    content: {
      ...(standard.length === 0
        ? {}
        : { "application/problem+json": { schema: oneOf(standard.map(schemaOf), standard, plan, names) } }),
      ...(others.length === 0 ? {} : { "application/json": { schema: oneOrAny(others.map(schemaOf)) } }),
      ...(texts ? { "text/plain": { schema: { type: "string" } } } : {}),
    },
  };
}

function oneOf(
  schemas: readonly JsonObject[],
  errors: readonly PossibleError[],
  plan: Plan,
  names: ComponentNames,
): JsonObject {
  const [only, ...rest] = schemas;
  if (only !== undefined && rest.length === 0) return only;
  const mapping = errors.map(({ code }) => [
    plan.errors[code]?.wire ?? code,
    `#/components/schemas/${names.problem(code)}`,
  ]);
  return { oneOf: schemas, discriminator: { propertyName: "code", mapping: Object.fromEntries(mapping) } };
}

function errorHeaders(
  plan: Plan,
  { quotas, repeats }: Operation,
  status: number,
  errors: readonly PossibleError[],
): readonly Named[] {
  const waits = errors.filter(
    ({ code }) => code === "rate-limited" || plan.errors[code]?.retryAfterSeconds !== undefined,
  );
  // For a quota in a window, the server knows when the window ends, so it can send `Retry-After`.
  const mayWait = errors.some(({ code }) => code === "quota-exceeded") && quotas.length > 0;
  const some = (...codes: readonly string[]): boolean => errors.some(({ code }) => codes.includes(code));
  const business = status === 409 || errors.some(({ code }) => plan.errors[code]?.source === "document");
  const retry: Named = waits.length === errors.length ? "Retry-After" : "Retry-After?";
  const isSingle = errors.length === 1;
  return [
    ...(some("unauthenticated") ? ([isSingle ? "WWW-Authenticate" : "WWW-Authenticate?"] as const) : []),
    ...(some("forbidden") && plan.credentials.some(hasScopes) ? (["WWW-Authenticate?"] as const) : []),
    ...(some("invalid-request") &&
    status === (plan.errors["invalid-request"]?.statuses.at(-1) ?? 400) &&
    plan.credentials.length > 0
      ? (["WWW-Authenticate?"] as const)
      : []),
    ...(waits.length > 0 || mayWait || some("overloaded", "timed-out") ? [retry] : []),
    ...(some("stale", "precondition-needed") ? (["ETag?"] as const) : []),
    ...(some("range-not-satisfiable") ? (["Content-Range"] as const) : []),
    ...(some("unsupported-media") ? (["Accept", "Accept-Patch", "Accept-Encoding"] as const) : []),
    ...(business && repeats !== undefined ? (["Idempotent-Replayed"] as const) : []),
  ];
}
