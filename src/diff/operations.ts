/** Differences of part 4: methods, paths, requests, responses, lists, idempotency keys and preconditions. */
import type { Json } from "../base/json.ts";
import { boundFields, inputOf } from "../language/endpoints/input.ts";
import { type ResolvedEndpoint, resolveEndpoint } from "../language/endpoints/resolve.ts";
import {
  type Endpoint,
  type Endpoints,
  type ListStyle,
  listWords,
  type Parameter,
  type IdempotencyStyle,
  type EndpointContract,
  type ContractResponse,
  type ContractBody,
} from "../language/endpoints/model.ts";
import { inputShape } from "../language/endpoints/shape.ts";
import type { Model } from "../language/model.ts";
import { mapValues } from "../language/versioning/rename.ts";
import { durationOf } from "../language/grammar/amounts.ts";
import { strictnessOf } from "./conditions.ts";
import { actionDifferences, actionMembers } from "./actions.ts";
import { type Difference, difference, measured, pairs, restated, same, unhandledKeys } from "./difference.ts";
import { fieldDifferences } from "./fields.ts";
import { type Both, errorCodeDifference } from "./resources.ts";
import { responseDifferences, locationDifferences } from "./shapes.ts";
import type { Use } from "./uses.ts";

export function* operationDifferences(both: Both): Iterable<Difference> {
  const { endpoints: old } = both.old.model;
  const { endpoints: now } = both.now.model;
  yield* generalDifferences(old, now);
  const renamed = renamedOperations(old, now);
  const newNames = new Set(renamed.values());
  for (const { name, old: before, now: after } of pairs(old.endpoints, now.endpoints)) {
    const at = `endpoints/endpoints/${name}`;
    if (before !== undefined && after !== undefined) yield* endpointDifferences(both, name, before, after);
    else if (after !== undefined && !newNames.has(name))
      yield difference("additive", "operation-added", name, at, `\`${name}\` (${route(after)}) is new`);
    else if (before !== undefined) yield removedOperation(name, before, renamed.get(name));
  }
}

function route({ method, path }: Endpoint): string {
  return `${method} ${path}`;
}

/** Finds renamed operations by method and path: generated clients call an operation by its name. */
function renamedOperations(old: Endpoints, now: Endpoints): ReadonlyMap<string, string> {
  const added = Object.entries(now.endpoints).filter(([name]) => !Object.hasOwn(old.endpoints, name));
  const byRoute = new Map(added.map(([name, endpoint]) => [route(endpoint), name]));
  return new Map(
    Object.entries(old.endpoints).flatMap(([name, endpoint]) => {
      const other = Object.hasOwn(now.endpoints, name) ? undefined : byRoute.get(route(endpoint));
      return other === undefined ? [] : [[name, other] as const];
    }),
  );
}

function removedOperation(name: string, endpoint: Endpoint, renamed: string | undefined): Difference {
  const oldAt = `endpoints/endpoints/${name}`;
  if (renamed === undefined) {
    const entry = { kind: "remove", target: { of: name } } as const;
    return difference("breaking", "operation-removed", name, oldAt, `\`${name}\` (${route(endpoint)}) is gone`, {
      entry,
    });
  }
  const details = { entry: { kind: "rename", from: { of: name }, to: renamed }, also: renamed, oldAt } as const;
  const at = `endpoints/endpoints/${renamed}`;
  return difference("breaking", "operation-renamed", name, at, `\`${name}\` is called \`${renamed}\``, details);
}

// ── What holds for all operations ──────────────────────────────────────────────────────────────────────────────────

function* generalDifferences(old: Endpoints, now: Endpoints): Iterable<Difference> {
  const base = { kind: "base-changed", subject: "base", at: "endpoints/base", what: "The base address" };
  yield* restated(base, old.base, now.base, old.base === undefined || now.base === undefined ? "neutral" : "breaking");
  yield* listDifferences("lists", "endpoints/lists", old.lists, now.lists);
  yield* editDifferences(old, now);
  yield* idempotencyDifferences(old.repeats, now.repeats);
  for (const which of ["one", "many"] as const) {
    const what = which === "one" ? "What a record stands in" : "What a page of records stands in";
    const wrapped = { kind: "wrap-changed", subject: `wrap.${which}`, at: `endpoints/wrap/${which}`, what };
    yield* restated(wrapped, old.wrap?.[which], now.wrap?.[which], "breaking");
  }
  yield* corsDifferences(old.cors, now.cors);
  yield* unhandledKeys({ subject: "endpoints", at: "endpoints" }, old, now, [
    "base",
    "lists",
    "edits",
    "repeats",
    "wrap",
    "cors",
    "endpoints",
  ]);
}

/** Removing an allowed origin breaks the pages of that origin. */
function* corsDifferences(old: Endpoints["cors"], now: Endpoints["cors"]): Iterable<Difference> {
  if (same(old, now)) return;
  const [before, after] = [originsOf(old), originsOf(now)];
  const kept = after.includes("any") || before.every((origin) => after.includes(origin));
  const sent = (cors: Endpoints["cors"]) => cors !== undefined && cors !== "none" && cors.credentials === true;
  const effect = !kept || (sent(old) && !sent(now)) ? "breaking" : same(before, after) ? "neutral" : "additive";
  const message = `Pages of ${after.join(", ") || "no other origin"} may call, and those of ${before.join(", ") || "none"} could`;
  yield difference(effect, "cors-changed", "cors", "endpoints/cors", message, { category: "right" });
}

function originsOf(cors: Endpoints["cors"]): readonly string[] {
  if (cors === undefined || cors === "none") return [];
  return cors.origins === "any" ? ["any"] : cors.origins;
}

function* listDifferences(
  subject: string,
  at: string,
  old: ListStyle | undefined,
  now: ListStyle | undefined,
): Iterable<Difference> {
  const pages = subject === "lists" ? "Lists" : `The list of \`${subject}\``;
  if (old?.kind !== now?.kind) {
    const statement = {
      kind: "list-kind-changed",
      subject,
      at,
      what: `How ${pages.charAt(0).toLowerCase()}${pages.slice(1)} pages`,
    };
    yield* restated(statement, old?.kind, now?.kind, "breaking");
    return;
  }
  const number = (value: string | number): number => Number(value);
  const weights = { less: "breaking", more: "additive" } as const;
  const size = {
    kind: "page-size-changed",
    subject,
    at: `${at}/size`,
    what: `The size of a page of ${pages.toLowerCase()}`,
  };
  yield* measured(size, old?.size, now?.size, number, weights);
  const most = {
    kind: "page-maximum-changed",
    subject,
    at: `${at}/max`,
    what: `The most that a page of ${pages.toLowerCase()} has`,
  };
  yield* measured(most, old?.max, now?.max, number, weights);
  const bare = { kind: "list-shape-changed", subject, at: `${at}/bare`, what: `The answer of ${pages.toLowerCase()}` };
  const shapeOf = (style: ListStyle | undefined): string => (style?.bare === true ? "a bare array" : "an object");
  yield* restated(bare, shapeOf(old), shapeOf(now), "breaking");
  for (const { name, old: before, now: after } of pairs(namesOf(old), namesOf(now))) {
    const named = {
      kind: "list-name-changed",
      subject: `${subject}.${name}`,
      at: `${at}/names/${name}`,
      what: `The name of \`${name}\` in ${pages.toLowerCase()}`,
    };
    // A new count member disturbs no client that does not read it.
    yield* restated(named, before, after, before === undefined ? "additive" : "breaking");
  }
  yield* unhandledKeys<Partial<ListStyle>>({ subject, at }, old ?? {}, now ?? {}, [
    "kind",
    "size",
    "max",
    "bare",
    "names",
  ]);
}

/** Every parameter and member has a default name, except the count, which exists only if the document names it. */
function namesOf(style: ListStyle | undefined): Readonly<Record<string, string>> {
  const usual = Object.fromEntries(listWords.filter((word) => word !== "count").map((word) => [word, word]));
  return { ...usual, ...style?.names };
}

function* editDifferences({ edits: old }: Endpoints, { edits: now }: Endpoints): Iterable<Difference> {
  const statement = {
    kind: "edits-changed",
    subject: "edits",
    at: "endpoints/edits",
    what: "What edits need of If-Match",
  };
  // `required` rejects clients without preconditions; ignoring preconditions removes the protection against lost updates.
  const harmless = old === undefined || now === undefined || (now === "optional" && old !== "optional");
  yield* restated(statement, old, now, harmless && now !== "required" ? "additive" : "breaking");
}

function* idempotencyDifferences(old: Endpoints["repeats"], now: Endpoints["repeats"]): Iterable<Difference> {
  const [before, after] = [styleOf(old), styleOf(now)];
  if (before !== undefined && after !== undefined) {
    yield* idempotencyStyleDifferences(before, after);
    return;
  }
  const statement = {
    kind: "repeats-changed",
    subject: "repeats",
    at: "endpoints/repeats",
    what: "What makes a repeat safe",
  };
  const effect =
    before !== undefined || after?.required === true ? "breaking" : after === undefined ? "neutral" : "additive";
  yield* restated(statement, before?.header ?? old, after?.header ?? now, effect);
}

function styleOf(repeats: Endpoints["repeats"]): IdempotencyStyle | undefined {
  return repeats === "none" ? undefined : repeats;
}

function* idempotencyStyleDifferences(old: IdempotencyStyle, now: IdempotencyStyle): Iterable<Difference> {
  const [at, subject] = ["endpoints/repeats", "repeats"];
  const statement = (what: string) => ({ kind: "repeats-changed", subject, at, what });
  yield* restated(statement("The header that makes a repeat safe"), old.header, now.header, "breaking");
  yield* restated(
    statement("What can be repeated safely"),
    old.on,
    now.on,
    now.on === "write" && !now.required ? "additive" : "breaking",
  );
  yield* restated(
    statement("Whether the header is required"),
    old.required,
    now.required,
    now.required ? "breaking" : "additive",
  );
  const kept = { kind: "repeats-kept-changed", subject, at, what: "For how long a repeat is known" };
  yield* measured(kept, old.kept, now.kept, durationOf, { less: "breaking", more: "additive" });
  yield* unhandledKeys({ subject, at }, old, now, ["header", "on", "required", "kept"]);
}

// ── One operation ──────────────────────────────────────────────────────────────────────────────────────────────────

function* endpointDifferences(both: Both, name: string, old: Endpoint, now: Endpoint): Iterable<Difference> {
  const at = `endpoints/endpoints/${name}`;
  if (route(old) !== route(now)) {
    const entry = { kind: "path", operation: name, method: old.method, path: old.path } as const;
    const message = `\`${name}\` is ${route(now)}, and was ${route(old)}`;
    yield difference("breaking", "route-changed", name, `${at}/at`, message, { entry });
  }
  const before = resolveEndpoint(both.old.model, name);
  const after = resolveEndpoint(both.now.model, name);
  const action = { kind: "deed-changed", subject: name, at, what: `What \`${name}\` does` };
  yield* restated(action, actionOf(before), actionOf(after), "breaking");
  const about = { kind: "subject-changed", subject: name, at, what: `What \`${name}\` is about` };
  const [oldResource, newResource] = [resourceOf(before), resourceOf(after)];
  if (oldResource === undefined || newResource === undefined || !both.alike(oldResource, newResource))
    yield* restated(about, oldResource, newResource, "breaking");
  const status = { kind: "status-changed", subject: name, at: `${at}/status`, what: `The status of \`${name}\`` };
  yield* restated(status, statusOf(old, before), statusOf(now, after), "breaking");
  yield* inputDifferences(both, name, old, now);
  yield* locationDifferences(both, name, old, now);
  yield* shapeDifferences(both, name, `${at}/gives`, old, now);
  yield* responseDifferences(both, name, old, now);
  yield* choiceDifferences(both, name, old, now);
  if (old.lists !== undefined || now.lists !== undefined)
    yield* listDifferences(
      name,
      `${at}/lists`,
      old.lists ?? both.old.model.endpoints.lists,
      now.lists ?? both.now.model.endpoints.lists,
    );
  yield* conditionDifferences(both, name, old, now);
  yield* actionDifferences(both, name, old, now);
  const statement = { kind: "refusal-changed", subject: name, at, what: `The error of \`${name}\`` };
  yield* restated(statement, old.else ?? "unauthenticated", now.else ?? "unauthenticated", "breaking");
  yield* contractDifferences(name, old.wire, now.wire);
  yield* unhandledKeys({ subject: name, at }, old, now, [
    "method",
    "path",
    "of",
    "does",
    "takes",
    "nesting",
    "takesView",
    "gives",
    "choose",
    "status",
    "lists",
    "where",
    "else",
    "shape",
    "wire",
    ...actionMembers,
  ]);
}

/** Requests and responses of a handler, without notes and examples. */
function* contractDifferences(
  name: string,
  old: EndpointContract | undefined,
  now: EndpointContract | undefined,
): Iterable<Difference> {
  const at = `endpoints/endpoints/${name}/wire`;
  const [before, after] = [old, now].map((wire) => wire && withoutWords(wire));
  const statement = { kind: "statement-changed", subject: name, at, what: `\`wire\` of \`${name}\`` };
  if (!same(before, after)) yield* restated(statement, before, after, "breaking");
  else if (!same(old, now))
    yield difference("neutral", "operation-described", name, at, `\`wire\` of \`${name}\` is described differently`);
}

function withoutWords({ body, answers, ...parameters }: EndpointContract): EndpointContract {
  const bare = <Declared extends { readonly note?: string; readonly example?: Json }>(
    declared: Declared,
  ): Omit<Declared, "note" | "example"> => {
    const { note: _, example: __, ...rest } = declared;
    return rest;
  };
  const bareAll = (declared: Readonly<Record<string, Parameter>>): Readonly<Record<string, Parameter>> =>
    mapValues(declared, (one): Parameter => bare(one) as Parameter);
  return {
    ...mapValues(parameters, bareAll),
    ...(body === undefined ? {} : { body: bare(body) as ContractBody }),
    ...(answers === undefined
      ? {}
      : {
          answers: mapValues(answers, (one) => {
            const { headers, ...rest } = bare(one) as ContractResponse;
            return headers === undefined ? rest : { ...rest, headers: bareAll(headers) };
          }),
        }),
  };
}

function actionOf(resolved: ResolvedEndpoint | undefined): string | undefined {
  return resolved === undefined || resolved.kind === "unclear" ? resolved?.endpoint.does : resolved.action;
}

function resourceOf(resolved: ResolvedEndpoint | undefined): string | undefined {
  return resolved === undefined || resolved.kind === "unclear" ? resolved?.endpoint.of : resolved.resource;
}

function statusOf({ status }: Endpoint, resolved: ResolvedEndpoint | undefined): Endpoint["status"] | number {
  return status ?? { create: 201, delete: 204, clear: 204 }[actionOf(resolved) ?? ""] ?? 200;
}

/** Members that only this operation takes, and record fields that it no longer takes. */
function* inputDifferences(both: Both, name: string, old: Endpoint, now: Endpoint): Iterable<Difference> {
  const at = `endpoints/endpoints/${name}/takes`;
  const before = inputFields(both.old.model, name, old);
  const after = inputFields(both.now.model, name, now);
  const isDeclared = [inputShape(both.old.model, old), inputShape(both.now.model, now)].some(
    (one) => one !== undefined,
  );
  if (isDeclared) {
    const use =
      (members: InputFields) =>
      (_when: string, member: string): Use => {
        const required = members[member]?.required;
        return {
          creates: required === undefined ? undefined : required ? "required" : "optional",
          changes: undefined,
          returned: false,
          listed: false,
        };
      };
    const [oldUse, newUse] = [use(before), use(after)];
    const owner = {
      of: name,
      at,
      use: (when: "old" | "now", member: string) => (when === "old" ? oldUse : newUse)(when, member),
      alike: both.alike,
    };
    yield* fieldDifferences(owner, fieldsOnly(before), fieldsOnly(after));
    return;
  }
  for (const { name: field } of pairs(before, after)) {
    const bound = [boundBy(both.old.model, name).includes(field), boundBy(both.now.model, name).includes(field)];
    if (bound[0] === bound[1]) continue;
    const message = bound[1] ? `\`${name}\` does not take \`${field}\` any more` : `\`${name}\` takes \`${field}\``;
    const effect = bound[1] || after[field]?.required ? "breaking" : "additive";
    yield difference(effect, "input-changed", `${name}.${field}`, `endpoints/endpoints/${name}`, message);
  }
}

type InputFields = Readonly<
  Record<string, { readonly field: NonNullable<Endpoint["takes"]>[string]; readonly required: boolean }>
>;

function inputFields(model: Model, operation: string, endpoint: Endpoint): InputFields {
  const resolved = resolveEndpoint(model, operation);
  if (resolved?.kind === "resource")
    return Object.fromEntries(inputOf(model, resolved).map(({ name, field, required }) => [name, { field, required }]));
  return Object.fromEntries(
    Object.entries(inputShape(model, endpoint)?.fields ?? {}).map(([name, field]) => [
      name,
      { field, required: !field.optional && field.default === undefined },
    ]),
  );
}

function fieldsOnly(members: InputFields): Record<string, InputFields[string]["field"]> {
  return Object.fromEntries(Object.entries(members).map(([name, { field }]) => [name, field]));
}

function boundBy(model: Model, operation: string): readonly string[] {
  const resolved = resolveEndpoint(model, operation);
  return resolved?.kind === "resource" ? boundFields(model, resolved) : [];
}

const returned: Use = { creates: undefined, changes: undefined, returned: true, listed: false };

/** Compares the typed response of a handler's function like the fields of a read-only record. */
function* shapeDifferences(both: Both, name: string, at: string, old: Endpoint, now: Endpoint): Iterable<Difference> {
  if (old.shape === undefined && now.shape === undefined) return;
  if (old.shape === undefined || now.shape === undefined) {
    if (old.gives !== undefined || now.gives !== undefined) return;
    const message = `\`${name}\` answers with ${now.shape === undefined ? "nothing, or the record" : "members of its own"}`;
    yield difference("breaking", "answer-changed", name, at, message);
    return;
  }
  yield* fieldDifferences({ of: name, at, use: () => returned, alike: both.alike }, old.shape, now.shape);
}

function* choiceDifferences(both: Both, name: string, old: Endpoint, now: Endpoint): Iterable<Difference> {
  for (const { name: field, old: before, now: after } of pairs(old.choose, now.choose)) {
    const at = `endpoints/endpoints/${name}/choose/${field}`;
    const subject = `${name}.${field}`;
    if (before === undefined || after === undefined) {
      const message =
        after === undefined ? `\`${name}\` does not choose \`${field}\` any more` : `\`${name}\` chooses \`${field}\``;
      const effect = after === undefined ? "additive" : "breaking";
      yield difference(effect, after === undefined ? "choice-removed" : "choice-added", subject, at, message, {
        category: "right",
      });
      continue;
    }
    const from = { kind: "choice-changed", subject, at, what: `What \`${subject}\` is chosen from` };
    if (!both.alike(before.from, after.from)) yield* restated(from, before.from, after.from, "breaking");
    const strictness = strictnessOf(
      { side: both.old, path: `${at}/if`, text: before.if },
      { side: both.now, path: `${at}/if`, text: after.if },
    );
    const condition = {
      kind: `choice-${strictness}`,
      subject,
      at: `${at}/if`,
      what: `What is asked of \`${subject}\``,
    };
    if (strictness !== "same")
      yield* restated(condition, before.if, after.if, strictness === "tighter" ? "breaking" : "additive", {
        category: "right",
      });
    yield* errorCodeDifference(both, subject, at, before.else, after.else);
    yield* unhandledKeys({ subject, at }, before, after, ["from", "if", "else"]);
  }
}

/** The list's `where` condition: if it is tighter, the list returns fewer records. */
function* conditionDifferences(both: Both, name: string, old: Endpoint, now: Endpoint): Iterable<Difference> {
  const at = `endpoints/endpoints/${name}/where`;
  const strictness = strictnessOf(
    { side: both.old, path: at, text: old.where },
    { side: both.now, path: at, text: now.where },
  );
  if (strictness === "same") return;
  const statement = { kind: `where-${strictness}`, subject: name, at, what: `What \`${name}\` lists` };
  yield* restated(statement, old.where, now.where, strictness === "tighter" ? "breaking" : "additive", {
    category: "right",
  });
}
