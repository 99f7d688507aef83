/** Every answer that an operation can give: status, header fields, body. */
import { pascalCase } from "../../base/case.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type { ErrorBody } from "../../parts/errors/model.ts";
import { readingDeeds, sessionDeeds } from "../../parts/endpoints/model.ts";
import type { FilePlan, Operation, Plan } from "../../plan/plan.ts";
import { isBodiless } from "../../plan/outcomes.ts";
import { type StreamParts, streamParts } from "./events.ts";
import { bytesContent } from "./files.ts";
import { headersOf, type ResponseHeader } from "./headers.ts";
import type { ComponentNames } from "./names.ts";
import { hasScopes, type PossibleRefusal, refusalsOf } from "./refusals.ts";
import { answerOf, bodiesOfCode, referTo } from "./schemas.ts";

type Named = ResponseHeader | `${ResponseHeader}?`;

/** Responses that several operations share, by component name; filled while operations are written. */
export type SharedResponses = Map<string, JsonObject>;

export function responsesOf(
  plan: Plan,
  operation: Operation,
  names: ComponentNames,
  shared: SharedResponses,
): JsonObject {
  const byStatus = Map.groupBy(refusalsOf(plan, operation), ({ status }) => status);
  const refusals = [...byStatus].map(([status, codes]): [string, Json] => [
    String(status),
    refusalResponse(plan, operation, status, codes, names, shared),
  ]);
  return Object.fromEntries([...successes(plan, operation, names), ...refusals]);
}

/** What a success says of limits: those that hold for every request are always told of. */
function limitsTold({ rates }: Plan, operation: Operation): readonly Named[] {
  if (operation.rates.length === 0 && operation.quotas.length === 0) return [];
  const always = operation.rates.some(({ limit }) => rates[limit]?.of === "all");
  return [
    always || operation.quotas.length > 0 ? "RateLimit-Policy" : "RateLimit-Policy?",
    always ? "RateLimit" : "RateLimit?",
  ];
}

// ── Successes ──────────────────────────────────────────────────────────────────────────────────────────────────────

function successes(plan: Plan, operation: Operation, names: ComponentNames): readonly [string, JsonObject][] {
  const told = limitsTold(plan, operation);
  const stream = streamParts(plan, operation);
  if (stream !== undefined) return [["200", streamed(operation, stream, names, told)], revalidated];
  if (operation.deed === "read" && operation.file !== undefined) return bytesGiven(operation.file, told);
  const byStatus = Map.groupBy(outcomesOf(operation), ({ status }) => status);
  return [
    ...[...byStatus].map(([status, outcomes]): [string, JsonObject] => [
      String(status),
      success(operation, status, outcomes, names, told),
    ]),
    ...(isRevalidated(operation) ? [revalidated] : []),
  ];
}

/** What an operation can come to, and with which status. */
interface PossibleOutcome {
  readonly what: "given" | "created" | "same" | "accepted";
  readonly status: number;
}

function outcomesOf({ deed, creates, answer }: Operation): readonly PossibleOutcome[] {
  const { status, created = status, same = status, accepted } = answer;
  const makes = deed === "create" || deed === "link" || creates;
  const repeats = deed === "create" ? answer.same !== undefined : makes || deed === "update" || deed === "unlink";
  return [
    ...(deed === "create" || deed === "link" ? [] : [{ what: "given", status } as const]),
    ...(makes ? [{ what: "created", status: created } as const] : []),
    ...(repeats || deed === "replace" ? [{ what: "same", status: same } as const] : []),
    ...(accepted === undefined ? [] : [{ what: "accepted", status: accepted.status } as const]),
  ];
}

/** A record that is made has an address, but for one that a link makes. */
function located({ deed, creates }: Operation, outcomes: readonly PossibleOutcome[]): readonly Named[] {
  const makes =
    (deed === "create" || creates) && outcomes.some(({ what }) => what === "created" || what === "accepted");
  if (!makes) return [];
  return outcomes.every(({ what }) => what === "created") ? ["Location"] : ["Location?"];
}

/** The bytes of a file, or those that were asked for. */
function bytesGiven(file: FilePlan, told: readonly Named[]): readonly [string, JsonObject][] {
  const names = ["Accept-Ranges", "ETag", "Content-Disposition", ...told] as const;
  const content = bytesContent(file);
  return [
    ["200", { description: "The file.", headers: headersOf(names), content }],
    ["206", { description: "A part of the file.", headers: headersOf([...names, "Content-Range"]), content }],
    ["304", { description: "The caller has it as it is.", headers: headersOf(["ETag", "Accept-Ranges"]) }],
  ];
}

const revalidated: [string, JsonObject] = [
  "304",
  { description: "The caller has it as it is.", headers: headersOf(["ETag"]) },
];

/** The stream, or a page of what it would have told: what one of them has, the other need not. */
function streamed(
  { name }: Operation,
  { content }: StreamParts,
  names: ComponentNames,
  told: readonly Named[],
): JsonObject {
  const headers = headersOf(["Content-Encoding", "Accept-Ranges?", "ETag?", "Link", "X-Accel-Buffering", ...told]);
  const page = withBody(
    "What happens from now on, or a page of what has happened.",
    headers,
    referTo(names.list(name)),
  );
  return { ...page, content: { ...content, ...(page["content"] as JsonObject) } };
}

/** Whether what is read has a tag, by which the caller learns that it has it already. */
export function isRevalidated({ deed, answer }: Operation): boolean {
  return readingDeeds.has(deed) && answer.kind !== "none";
}

/** Deeds whose answer in a shape of its own is still of a record, and so has a tag. */
const tagged: ReadonlySet<Operation["deed"]> = new Set([
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
  told: readonly Named[],
): JsonObject {
  const { answer, resource, list, repeats } = operation;
  const goesOn = outcomes.some(({ what }) => what === "accepted");
  const replayed: readonly Named[] = [
    ...(repeats === undefined ? [] : (["Idempotent-Replayed"] as const)),
    ...(goesOn ? (["Retry-After?"] as const) : []),
    ...told,
  ];
  const address = located(operation, outcomes);
  if (answer.kind === "none" || isBodiless(status)) {
    const description = operation.deed === "receive" ? "Taken." : "Done; there is nothing to say.";
    return { description, headers: headersOf([...address, ...replayed]) };
  }
  const encoded: readonly Named[] = ["Content-Encoding"];
  if (list !== undefined) {
    return withBody(
      operation.deed === "history" ? `A page of the moves of a ${resource}.` : `A page of ${resource} records.`,
      headersOf([...encoded, "Accept-Ranges", "ETag", "Link", ...told]),
      referTo(names.list(operation.name)),
    );
  }
  const record = answer.kind === "record";
  const makes = outcomes.every(({ what }) => what === "created") && operation.deed !== "link";
  // What a session answers is not stored, whatever it holds, and no edit follows from it.
  const hasTag = (record && !sessionDeeds.has(operation.deed)) || tagged.has(operation.deed);
  const headers = headersOf([
    ...encoded,
    ...(operation.deed === "read" ? (["Accept-Ranges"] as const) : []),
    ...(hasTag ? (["ETag"] as const) : []),
    ...address,
    ...replayed,
  ]);
  const description = record
    ? makes
      ? `The ${resource} that was created.`
      : `The ${resource} as it ${operation.deed === "delete" ? "was" : "is now"}.`
    : "What the operation gives.";
  return withBody(description, headers, answerOf(operation, names));
}

function withBody(description: string, headers: JsonObject, schema: JsonObject): JsonObject {
  return { description, headers, content: { "application/json": { schema } } };
}

// ── Refusals ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Refusals that no operation adds anything to are components. */
function refusalResponse(
  plan: Plan,
  operation: Operation,
  status: number,
  refusals: readonly PossibleRefusal[],
  names: ComponentNames,
  shared: SharedResponses,
): JsonObject {
  const response = problemResponse(plan, operation, status, refusals, names);
  const [first] = refusals;
  if (first === undefined || refusals.some(({ code }) => plan.errors[code]?.source === "document")) return response;
  const wanted = refusals.map(({ code }) => pascalCase(code)).join("Or");
  const text = JSON.stringify(response);
  for (let count = 1; ; count += 1) {
    const name = `${wanted}${status === plan.errors[first.code]?.status ? "" : status}${count === 1 ? "" : `-${count}`}`;
    const known = shared.get(name);
    if (known === undefined) shared.set(name, response);
    if (known === undefined || JSON.stringify(known) === text) return { $ref: `#/components/responses/${name}` };
  }
}

export function problemResponse(
  plan: Plan,
  operation: Operation | undefined,
  status: number,
  refusals: readonly PossibleRefusal[],
  names: ComponentNames,
): JsonObject {
  const schemaOf = ({ code }: PossibleRefusal): JsonObject => {
    const inOperation = operation !== undefined && Object.hasOwn(plan.problemBodies, `${code} in ${operation.name}`);
    return referTo(inOperation ? names.problemIn(code, operation.name) : names.problem(code));
  };
  const told = (refusal: PossibleRefusal): readonly ErrorBody[] => bodiesOfCode(plan, refusal.code, operation?.name);
  const standard = refusals.filter((refusal) => told(refusal).includes("problem+json"));
  const others = refusals.filter((refusal) => told(refusal).some((body) => body !== "problem+json"));
  return {
    description: refusals.map(({ code }) => `\`${code}\`: ${plan.errors[code]?.title ?? ""}.`).join("\n"),
    headers: headersOf([
      "Content-Language",
      "Content-Encoding",
      ...headersOfRefusals(plan, operation, status, refusals),
    ]),
    content: {
      ...(standard.length === 0
        ? {}
        : { "application/problem+json": { schema: oneOf(standard.map(schemaOf), standard, plan, names) } }),
      ...(others.length === 0 ? {} : { "application/json": { schema: anyOf(others.map(schemaOf)) } }),
    },
  };
}

function oneOf(
  schemas: readonly JsonObject[],
  refusals: readonly PossibleRefusal[],
  plan: Plan,
  names: ComponentNames,
): JsonObject {
  const [only, ...rest] = schemas;
  if (only !== undefined && rest.length === 0) return only;
  const mapping = refusals.map(({ code }) => [
    plan.errors[code]?.wire ?? code,
    `#/components/schemas/${names.problem(code)}`,
  ]);
  return { oneOf: schemas, discriminator: { propertyName: "code", mapping: Object.fromEntries(mapping) } };
}

/** The document's own body need not tell the codes apart, so more than one may fit. */
function anyOf(schemas: readonly JsonObject[]): JsonObject {
  const [only, ...rest] = schemas;
  return only !== undefined && rest.length === 0 ? only : { anyOf: schemas };
}

function headersOfRefusals(
  plan: Plan,
  operation: Operation | undefined,
  status: number,
  refusals: readonly PossibleRefusal[],
): readonly Named[] {
  const waits = refusals.filter(
    ({ code }) => code === "rate-limited" || plan.errors[code]?.retryAfterSeconds !== undefined,
  );
  // Of a quota in a window it is known when there is room again.
  const mayWait = refusals.some(({ code }) => code === "quota-exceeded") && (operation?.quotas ?? []).length > 0;
  const limited = status < 500 && ((operation?.rates ?? []).length > 0 || (operation?.quotas ?? []).length > 0);
  const some = (...codes: readonly string[]): boolean => refusals.some(({ code }) => codes.includes(code));
  const business = status === 409 || refusals.some(({ code }) => plan.errors[code]?.source === "document");
  const retry: Named = waits.length === refusals.length ? "Retry-After" : "Retry-After?";
  const alone = refusals.length === 1;
  return [
    ...(some("unauthenticated") ? ([alone ? "WWW-Authenticate" : "WWW-Authenticate?"] as const) : []),
    ...(some("forbidden") && plan.credentials.some(hasScopes) ? (["WWW-Authenticate?"] as const) : []),
    ...(some("invalid-request") &&
    status === (plan.errors["invalid-request"]?.statuses.at(-1) ?? 400) &&
    plan.credentials.length > 0
      ? (["WWW-Authenticate?"] as const)
      : []),
    ...(waits.length > 0 || mayWait || some("overloaded", "timed-out") ? [retry] : []),
    ...(limited ? (["RateLimit-Policy?", "RateLimit?"] as const) : []),
    ...(some("stale", "precondition-needed") ? (["ETag?"] as const) : []),
    ...(some("range-not-satisfiable") ? (["Content-Range"] as const) : []),
    ...(some("unsupported-media") ? (["Accept", "Accept-Patch", "Accept-Encoding"] as const) : []),
    ...(business && operation?.repeats !== undefined ? (["Idempotent-Replayed"] as const) : []),
  ];
}
