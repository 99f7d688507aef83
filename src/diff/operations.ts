/** Differences of part 4: methods, paths, requests, responses, lists, idempotency keys and preconditions. */
import { includes, nameOf } from "../language/authentication/grants.ts";
import { editEffect, endpoints, parameterEffect } from "../language/endpoints/grammar.ts";
import { boundFields, inputOf } from "../language/endpoints/input.ts";
import { type ResolvedEndpoint, resolveEndpoint, styleOf } from "../language/endpoints/resolve.ts";
import {
  type Endpoint,
  type Endpoints,
  type ListParameterName,
  type ListStyle,
  listWords,
  type Mcp,
  type IdempotencyStyle,
} from "../language/endpoints/model.ts";
import type { Effect } from "../language/grammar/changes.ts";
import { requests } from "../language/endpoints/requests.ts";
import { expand } from "../language/endpoints/selection.ts";
import { declaredInput } from "../language/endpoints/shape.ts";
import type { Model } from "../language/model.ts";
import { lookup } from "../language/resources/fields.ts";
import { durationOf } from "../language/grammar/amounts.ts";
import { conditionDifferences } from "./conditions.ts";
import { actionDifferences, actionMembers } from "./actions.ts";
import { type ContractPair, contractDifferences } from "./contracts.ts";
import {
  below,
  type Difference,
  difference,
  measured,
  pairs,
  type Site,
  restated,
  same,
  unhandledKeys,
} from "./difference.ts";
import { fieldDifferences } from "./fields.ts";
import { routeShape, withPathNames } from "./handovers.ts";
import { type Both, errorCodeDifference } from "./resources.ts";
import { responseDifferences, locationDifferences, pageDifferences } from "./shapes.ts";
import { schemaUses } from "./schema-uses.ts";
import { isSummary, summaryDifferences } from "./summaries.ts";
import type { Use } from "./uses.ts";
import { partDifferences, type Statement, statementDifferences } from "./walk.ts";

export function* operationDifferences(both: Both): Iterable<Difference> {
  const { endpoints: old } = both.old.model;
  const { endpoints: now } = both.now.model;
  const renamed = renamedOperations(old, now);
  const newNames = new Set(renamed.values());
  const differences = partDifferences("endpoints", endpoints, old, now, {
    lists: (before: ListStyle | undefined, after: ListStyle | undefined, site) => listDifferences(site, before, after),
    repeats: idempotencyDifferences,
    expand: (before: Endpoints["expand"], after: Endpoints["expand"], site) => expandDifferences(site, before, after),
    cors: corsDifferences,
    mcp: agentDifferences,
    "endpoints/*": (before: Endpoint | undefined, after: Endpoint | undefined, site) => {
      const { name } = site;
      if (after === undefined) return before && [removedOperation(now, name, before, renamed.get(name))];
      if (before !== undefined && isHandedOver(both, name)) return routeDifferences(site, before, after);
      if (before !== undefined) return endpointDifferences(both, name, before, after);
      const message = `\`${name}\` (${route(after)}) is new`;
      return newNames.has(name) ? [] : [difference("additive", "operation-added", site, message)];
    },
  });
  const isOfNobody = both.handovers !== undefined && !isPerformedInBoth(both);
  for (const one of differences) if (!isOfNobody || !stylePath.test(one.at)) yield one;
  const models = [both.old.model, both.now.model] as const;
  const uses = schemaUses(both.now.model);
  const contracts = [...contractPairs(old, now, renamed), ...sentPairs(both)];
  yield* contractDifferences(contracts, ...models, { uses });
  yield* both.handovers?.differences ?? [];
}

/** The styles of the operations that Nonet performs. */
const stylePath = /^endpoints\/(?:edits|expand|fields|lists|repeats|requests|wrap)(?:\/|$)/;

/** Whether Nonet performs an operation in both documents. */
function isPerformedInBoth({ old, now }: Both): boolean {
  const isPerformed = (model: Model, name: string): boolean => resolveEndpoint(model, name)?.kind === "resource";
  return Object.keys(now.model.endpoints.endpoints).some(
    (name) => isPerformed(now.model, name) && isPerformed(old.model, name),
  );
}

function isHandedOver({ handovers }: Both, operation: string): boolean {
  return handovers?.operations.has(operation) === true;
}

function route({ method, path }: Endpoint): string {
  return `${method} ${path}`;
}

/** Finds renamed operations by method and path: generated clients call an operation by its name. */
function renamedOperations(old: Endpoints, now: Endpoints): ReadonlyMap<string, string> {
  const added = Object.entries(now.endpoints).filter(([name]) => !Object.hasOwn(old.endpoints, name));
  const byRoute = new Map(added.map(([name, endpoint]) => [routeShape(endpoint), name]));
  return new Map(
    Object.entries(old.endpoints).flatMap(([name, endpoint]) => {
      const other = Object.hasOwn(now.endpoints, name) ? undefined : byRoute.get(routeShape(endpoint));
      return other === undefined ? [] : [[name, other] as const];
    }),
  );
}

function removedOperation(now: Endpoints, name: string, endpoint: Endpoint, renamed: string | undefined): Difference {
  const site = { subject: name, at: `endpoints/endpoints/${renamed ?? name}` };
  if (renamed === undefined) {
    const entry = { kind: "remove", target: { of: name } } as const;
    return difference("breaking", "operation-removed", site, `\`${name}\` (${route(endpoint)}) is removed`, { entry });
  }
  const entry = { kind: "rename", from: { of: name }, to: renamed } as const;
  const details = { entry, also: renamed, oldAt: `endpoints/endpoints/${name}` };
  // No request contains the name. That of an operation with a wire often is the import's, made from the path.
  const hasContract = endpoint.wire !== undefined && lookup(now.endpoints, renamed)?.wire !== undefined;
  const effect = hasContract ? "neutral" : "breaking";
  return difference(effect, "operation-renamed", site, `\`${name}\` is called \`${renamed}\``, details);
}

/** Returns the contracts of the operations in both documents. A renamed path parameter has its new name in both. */
function contractPairs(old: Endpoints, now: Endpoints, renamed: ReadonlyMap<string, string>): readonly ContractPair[] {
  const formerNames = new Map([...renamed].map(([former, name]) => [name, former]));
  return Object.entries(now.endpoints).flatMap(([name, after]): ContractPair[] => {
    const before = lookup(old.endpoints, formerNames.get(name) ?? name);
    if (before?.wire === undefined || after.wire === undefined) return [];
    const site = { subject: name, at: `endpoints/endpoints/${name}/wire` };
    return [{ site, old: withPathNames(before.wire, before, after), now: after.wire }];
  });
}

/** Returns the requests to receivers that both documents describe. */
function sentPairs({ old, now }: Both): readonly ContractPair[] {
  return pairs(old.model.events.wire, now.model.events.wire).flatMap(({ name, old: before, now: after }) => {
    const site = { subject: name, at: `events/wire/${name}` };
    return before === undefined || after === undefined ? [] : [{ site, old: before, now: after, isSent: true }];
  });
}

// ── What holds for all operations ──────────────────────────────────────────────────────────────────────────────────

/** Yields differences of CORS; removing an allowed origin breaks the pages of that origin. */
function* corsDifferences(old: Endpoints["cors"], now: Endpoints["cors"], site: Statement): Iterable<Difference> {
  if (same(old, now)) return;
  const [before, after] = [originsOf(old), originsOf(now)];
  const kept = after.includes("any") || before.every((origin) => after.includes(origin));
  const sent = (cors: Endpoints["cors"]) => cors !== undefined && cors !== "none" && cors.credentials === true;
  const effect = !kept || (sent(old) && !sent(now)) ? "breaking" : same(before, after) ? "neutral" : "additive";
  const message = `Pages of ${after.join(", ") || "no other origin"} may call, and before those of ${before.join(", ") || "no other origin"}`;
  yield difference(effect, "cors-changed", site, message, { category: "right" });
}

/** Yields differences of the address for agents; every agent has it in its settings. */
function* agentDifferences(old: Endpoints["mcp"], now: Endpoints["mcp"], site: Statement): Iterable<Difference> {
  const [before, after] = [agentsOf(old), agentsOf(now)];
  if (same(before, after)) return;
  const right = { category: "right" } as const;
  if (before === undefined)
    return yield difference("additive", "mcp-added", site, `Agents may call operations at ${after?.at}`, right);
  if (after === undefined)
    return yield difference("breaking", "mcp-removed", site, `Agents no longer call operations at ${before.at}`, right);
  if (before.at !== after.at) {
    const message = `The address for agents is ${after.at}, and was ${before.at}`;
    yield difference("breaking", "mcp-moved", site, message, right);
  }
  if (same(before.for, after.for)) return;
  const isWider = before.for.every(({ who }) => after.for.some((wider) => includes(wider.who, who)));
  const message = `The address for agents is for ${after.for.map(nameOf).join(" | ")}, and was for ${before.for.map(nameOf).join(" | ")}`;
  yield difference(isWider ? "additive" : "breaking", "mcp-callers-changed", site, message, right);
}

function agentsOf(mcp: Endpoints["mcp"]): Required<Mcp> | undefined {
  if (mcp === undefined || mcp === "none") return undefined;
  return { at: mcp.at, for: mcp.for ?? [{ who: { kind: "anyone" } }] };
}

function originsOf(cors: Endpoints["cors"]): readonly string[] {
  if (cors === undefined || cors === "none") return [];
  return cors.origins === "any" ? ["any"] : cors.origins;
}

function* listDifferences(
  site: Site,
  old: Partial<ListStyle> = {},
  now: Partial<ListStyle> = {},
): Iterable<Difference> {
  const { subject } = site;
  const pages = subject === "lists" ? "lists" : `the list of \`${subject}\``;
  if (old.kind !== now.kind) {
    yield* restated("breaking", "list-kind-changed", site, `The kind of pages of ${pages}`, [old.kind, now.kind]);
    return;
  }
  const size = `The size of a page of ${pages}`;
  yield* measured("page-size-changed", below(site, "size"), size, [old.size, now.size], Number);
  const most = `The largest size of a page of ${pages}`;
  yield* measured("page-maximum-changed", below(site, "max"), most, [old.max, now.max], Number);
  const shapes = [old, now].map(({ bare }) => (bare === true ? "a bare array" : "an object"));
  const shape = `The response of ${pages}`;
  yield* restated("breaking", "list-shape-changed", below(site, "bare"), shape, [shapes[0], shapes[1]]);
  for (const { name, old: before, now: after } of pairs(namesOf(old), namesOf(now))) {
    const named = { subject: `${subject}.${name}`, at: `${site.at}/names/${name}` };
    const what = `The name of \`${name}\` in ${pages}`;
    // A new member with the count, or a new parameter, disturbs no client. But with directions, `-` reverses no field.
    const effect = before === undefined && name !== "direction" ? "additive" : "breaking";
    yield* restated(effect, "list-name-changed", named, what, [before, after]);
  }
  yield* optionDifferences(site, pages, old, now);
  yield* unhandledKeys(site, old, now, [
    "kind",
    "size",
    "max",
    "clamped",
    "bare",
    "names",
    "gives",
    "links",
    "headers",
    "operators",
  ]);
}

/** Yields differences in the options of lists: a new option is additive, a removed or changed one breaking. */
function* optionDifferences(
  site: Site,
  pages: string,
  old: Partial<ListStyle>,
  now: Partial<ListStyle>,
): Iterable<Difference> {
  const clamped = [old, now].map((one) => (one.clamped === true ? "is reduced" : "is an error"));
  const limit = `A limit beyond the largest page of ${pages}`;
  yield* restated(now.clamped === true ? "additive" : "breaking", "list-limit-changed", below(site, "clamped"), limit, [
    clamped[0],
    clamped[1],
  ]);
  const [links, nowLinks] = [old.links ?? ["next"], now.links ?? ["next"]];
  const hasAllLinks = links.every((link) => nowLinks.some((one) => one === link));
  yield* restated(
    hasAllLinks ? "additive" : "breaking",
    "list-links-changed",
    below(site, "links"),
    `\`Link\` of ${pages}`,
    [links.join(", "), nowLinks.join(", ")],
  );
  yield* pageDifferences(below(site, "gives"), pages, old.gives, now.gives);
  yield* headerDifferences(below(site, "headers"), pages, old.headers, now.headers);
  const names = [old, now].map(({ operators = {} }) =>
    Object.fromEntries(
      Object.entries(operators).map(([operator, one]: [string, string | ListParameterName]) => [
        operator,
        typeof one === "string" ? one : [one.as, one.several ?? "commas"].join(", "),
      ]),
    ),
  );
  for (const { name, old: before, now: after } of pairs(names[0] ?? {}, names[1] ?? {})) {
    const named = { subject: `${site.subject}.${name}`, at: `${site.at}/operators/${name}` };
    const what = `The parameter of \`${name}\` in ${pages}`;
    // These operators exist without a declaration, under other names.
    const isRenamed = before === undefined && usualOperators.has(name);
    const effect = before === undefined && !isRenamed ? "additive" : "breaking";
    yield* restated(effect, "list-operator-changed", named, what, [before, after]);
  }
}

const usualOperators: ReadonlySet<string> = new Set(["eq", "in", "gt", "gte", "lt", "lte"]);

function* headerDifferences(
  site: Site,
  whose: string,
  old: Endpoint["headers"] = {},
  now: Endpoint["headers"] = {},
): Iterable<Difference> {
  for (const { name, old: before, now: after } of pairs(old, now)) {
    const named = { subject: `${site.subject}.${name}`, at: `${site.at}/${name}` };
    const effect = before === undefined ? "additive" : "breaking";
    yield* restated(effect, "header-changed", named, `The header field \`${name}\` of ${whose}`, [before, after]);
  }
}

/** Returns the order of a list as the document writes it. */
function orderOf({ order }: Endpoint): string | undefined {
  return order?.map(({ field, descending }) => `${descending ? "-" : ""}${field}`).join(", ");
}

/** What exists only in lists that name it. */
const optionalWords: ReadonlySet<string> = new Set(["count", "after", "before", "end", "direction"]);

/** Returns the names of a list. Every other parameter and member has a default name. */
function namesOf({ names }: Partial<ListStyle>): Readonly<Record<string, string>> {
  const usual = Object.fromEntries(listWords.filter((word) => !optionalWords.has(word)).map((word) => [word, word]));
  return { ...usual, ...names };
}

type Idempotency = Endpoints["repeats"];

function* idempotencyDifferences(old: Idempotency, now: Idempotency, site: Site): Iterable<Difference> {
  const [before, after] = [keysOf(old), keysOf(now)];
  const changed = (effect: Effect, what: string, values: readonly [unknown, unknown]) =>
    restated(effect, "repeats-changed", site, what, values);
  if (before === undefined || after === undefined) {
    const isStricter = before !== undefined || after?.required === true;
    const effect = isStricter ? "breaking" : after === undefined ? "neutral" : "additive";
    yield* changed(effect, "The idempotency key", [before?.header ?? old, after?.header ?? now]);
    return;
  }
  yield* changed("breaking", "The header of the idempotency key", [before.header, after.header]);
  const isWider = after.on === "write" && !after.required;
  yield* changed(isWider ? "additive" : "breaking", "The requests that an idempotency key is for", [
    before.on,
    after.on,
  ]);
  const required = [before.required, after.required] as const;
  yield* changed(after.required ? "breaking" : "additive", "Whether the idempotency key is required", required);
  const kept = [before.kept, after.kept] as const;
  yield* measured("repeats-kept-changed", site, "How long an idempotency key is stored", kept, durationOf);
  const echoed = [before.echoed === true, after.echoed === true] as const;
  yield* changed(after.echoed === true ? "additive" : "breaking", "Whether responses have the key", echoed);
  yield* unhandledKeys(site, before, after, ["header", "on", "required", "kept", "echoed"]);
}

function keysOf(repeats: Idempotency): IdempotencyStyle | undefined {
  return repeats === "none" ? undefined : repeats;
}

// ── One operation ──────────────────────────────────────────────────────────────────────────────────────────────────

function* routeDifferences(site: Site, old: Endpoint, now: Endpoint): Iterable<Difference> {
  const { subject: name } = site;
  if (routeShape(old) !== routeShape(now)) {
    const entry = { kind: "path", operation: name, method: old.method, path: old.path } as const;
    const message = `\`${name}\` is ${route(now)}, and was ${route(old)}`;
    yield difference("breaking", "route-changed", below(site, "at"), message, { entry });
  } else if (old.path !== now.path) {
    const message = `The path parameters of \`${name}\` have other names`;
    yield difference("neutral", "operation-described", below(site, "at"), message);
  }
}

function* endpointDifferences(both: Both, name: string, old: Endpoint, now: Endpoint): Iterable<Difference> {
  const site = { subject: name, at: `endpoints/endpoints/${name}` };
  yield* routeDifferences(site, old, now);
  const [before, after] = [resolveEndpoint(both.old.model, name), resolveEndpoint(both.now.model, name)];
  yield* restated("breaking", "deed-changed", site, `The action of \`${name}\``, [actionOf(before), actionOf(after)]);
  const [was, is] = [resourceOf(before), resourceOf(after)];
  if (was === undefined || is === undefined || !both.alike(was, is))
    yield* restated("breaking", "subject-changed", site, `The resource of \`${name}\``, [was, is]);
  const statuses = [statusOf(old, before), statusOf(now, after)] as const;
  yield* restated("breaking", "status-changed", below(site, "status"), `The status of \`${name}\``, statuses);
  yield* inputDifferences(both, name);
  yield* locationDifferences(both, name, old, now);
  yield* shapeDifferences(both, below(site, "gives"), old, now);
  const isSummaries = isSummary(both.old.model, name) && isSummary(both.now.model, name);
  yield* isSummaries ? summaryDifferences(both, name, old, now) : responseDifferences(both, name, old, now);
  yield* choiceDifferences(both, name, old, now);
  if (old.lists !== undefined || now.lists !== undefined)
    yield* listDifferences(
      below(site, "lists"),
      old.lists ?? both.old.model.endpoints.lists,
      now.lists ?? both.now.model.endpoints.lists,
    );
  yield* restated("breaking", "list-order-changed", below(site, "order"), `The usual order of \`${name}\``, [
    orderOf(old),
    orderOf(now),
  ]);
  yield* headerDifferences(below(site, "headers"), `\`${name}\``, old.headers, now.headers);
  yield* styleDifferences(both, site, old, now);
  // A tighter condition of a list means that the list returns fewer records.
  const where = { kind: "where", what: `The condition of the list \`${name}\`` };
  if (!isSummaries) yield* conditionDifferences(both, below(site, "where"), where, [old.where, now.where]);
  yield* actionDifferences(both, name, old, now);
  yield* restated("breaking", "refusal-changed", site, `The error of \`${name}\``, [
    old.else ?? "unauthenticated",
    now.else ?? "unauthenticated",
  ]);
  if ((old.wire === undefined) !== (now.wire === undefined)) {
    const message = `\`${name}\` ${now.wire === undefined ? "no longer has a `wire`" : "has a `wire`, and had none"}`;
    yield difference("breaking", "statement-changed", below(site, "wire"), message);
  }
  if (!same(old.knownContract, now.knownContract)) {
    const message = `What callers know of \`${name}\` is described differently`;
    yield difference("neutral", "operation-described", below(site, "wire"), message);
  }
  yield* unhandledKeys(site, old, now, [
    "method",
    "path",
    "of",
    "does",
    "takes",
    "nesting",
    "takesView",
    "manyRecords",
    "gives",
    "choose",
    "status",
    "lists",
    "group",
    "order",
    "headers",
    "requests",
    "expand",
    "fields",
    "edits",
    "repeats",
    "where",
    "else",
    "shape",
    "wire",
    "knownContract",
    ...actionMembers,
  ]);
}

/** Yields differences in the styles that the operation declares in place of those of part 4. */
function* styleDifferences(both: Both, site: Site, old: Endpoint, now: Endpoint): Iterable<Difference> {
  const stylesOf = <Key extends "requests" | "expand" | "fields" | "edits" | "repeats">(key: Key) =>
    [styleOf(both.old.model.endpoints, old, key), styleOf(both.now.model.endpoints, now, key)] as const;
  const isLocal = (key: "requests" | "expand" | "fields" | "edits" | "repeats"): boolean =>
    (old[key] ?? now[key]) !== undefined;
  if (isLocal("requests"))
    yield* statementDifferences(below(site, "requests"), "requests", requests, stylesOf("requests"));
  if (isLocal("expand")) yield* expandDifferences(below(site, "expand"), ...stylesOf("expand"));
  const { subject } = site;
  const fields = stylesOf("fields");
  if (isLocal("fields"))
    yield* restated(
      parameterEffect(fields[0]),
      "fields-changed",
      below(site, "fields"),
      `The parameter for some members of the records of \`${subject}\``,
      fields,
    );
  const edits = stylesOf("edits");
  if (isLocal("edits"))
    yield* restated(
      editEffect(...edits),
      "edits-changed",
      below(site, "edits"),
      `The precondition of \`${subject}\``,
      edits,
    );
  if (isLocal("repeats")) yield* idempotencyDifferences(...stylesOf("repeats"), below(site, "repeats"));
}

/** Yields differences in the parameter with which requests ask for records in place of ids. */
function expandDifferences(site: Site, old: Endpoints["expand"], now: Endpoints["expand"]): Iterable<Difference> {
  const [before, after] = [old, now].map((style) => (style === "none" ? undefined : style));
  return statementDifferences(site, "expand", expand, [before, after]);
}

function actionOf(resolved: ResolvedEndpoint | undefined): string | undefined {
  const does = resolved?.endpoint.does;
  return resolved === undefined || resolved.kind === "unclear" || does === "none" ? does : resolved.action;
}

function resourceOf(resolved: ResolvedEndpoint | undefined): string | undefined {
  return resolved === undefined || resolved.kind === "unclear" ? resolved?.endpoint.of : resolved.resource;
}

function statusOf({ status }: Endpoint, resolved: ResolvedEndpoint | undefined): Endpoint["status"] | number {
  return status ?? { create: 201, delete: 204, clear: 204 }[actionOf(resolved) ?? ""] ?? 200;
}

/** Yields differences in the members that only this operation takes, and in record fields that it no longer takes. */
function* inputDifferences(both: Both, name: string): Iterable<Difference> {
  const at = `endpoints/endpoints/${name}`;
  const before = inputFields(both.old.model, name);
  const after = inputFields(both.now.model, name);
  if ((declaredInput(both.old.model, name) ?? declaredInput(both.now.model, name)) !== undefined) {
    const use = (when: "old" | "now", member: string): Use => {
      const required = (when === "old" ? before : after)[member]?.required;
      const creates = required === undefined ? undefined : required ? "required" : "optional";
      return { creates, changes: undefined, returned: false, listed: false };
    };
    const owner = { of: name, at: `${at}/takes`, use, alike: both.alike };
    yield* fieldDifferences(owner, fieldsOnly(before), fieldsOnly(after));
    return;
  }
  for (const { name: field } of pairs(before, after)) {
    const [was, is] = [boundBy(both.old.model, name).includes(field), boundBy(both.now.model, name).includes(field)];
    if (was === is) continue;
    const message = is ? `\`${name}\` no longer takes \`${field}\`` : `\`${name}\` takes \`${field}\``;
    const effect = is || after[field]?.required ? "breaking" : "additive";
    yield difference(effect, "input-changed", { subject: `${name}.${field}`, at }, message);
  }
}

type InputFields = Readonly<
  Record<string, { readonly field: NonNullable<Endpoint["takes"]>[string]; readonly required: boolean }>
>;

function inputFields(model: Model, operation: string): InputFields {
  const resolved = resolveEndpoint(model, operation);
  if (resolved?.kind === "resource")
    return Object.fromEntries(inputOf(model, resolved).map(({ name, field, required }) => [name, { field, required }]));
  return Object.fromEntries(
    Object.entries(declaredInput(model, operation)?.fields ?? {}).map(([name, field]) => [
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

/** Compares the typed response of a handler's function as if it were a read-only record. */
function* shapeDifferences(both: Both, site: Site, old: Endpoint, now: Endpoint): Iterable<Difference> {
  const { subject: of, at } = site;
  if (old.shape === undefined && now.shape === undefined) return;
  if (old.shape !== undefined && now.shape !== undefined) {
    yield* fieldDifferences({ of, at, use: () => returned, alike: both.alike }, old.shape, now.shape);
  } else if (old.gives === undefined && now.gives === undefined) {
    const message = `\`${of}\` responds with ${now.shape === undefined ? "nothing, or the record" : "members of its own"}`;
    yield difference("breaking", "answer-changed", site, message);
  }
}

function* choiceDifferences(both: Both, name: string, old: Endpoint, now: Endpoint): Iterable<Difference> {
  for (const { name: field, old: before, now: after } of pairs(old.choose, now.choose)) {
    const subject = `${name}.${field}`;
    const site = { subject, at: `endpoints/endpoints/${name}/choose/${field}` };
    if (after === undefined) {
      const message = `\`${name}\` no longer chooses \`${field}\``;
      yield difference("additive", "choice-removed", site, message, { category: "right" });
    } else if (before === undefined) {
      const message = `\`${name}\` chooses \`${field}\``;
      yield difference("breaking", "choice-added", site, message, { category: "right" });
    } else {
      const what = `The resource that \`${subject}\` is chosen from`;
      if (!both.alike(before.from, after.from))
        yield* restated("breaking", "choice-changed", site, what, [before.from, after.from]);
      const condition = { kind: "choice", what: `The condition of \`${subject}\`` };
      yield* conditionDifferences(both, below(site, "if"), condition, [before.if, after.if]);
      yield* errorCodeDifference(both, subject, site.at, before.else, after.else);
      yield* unhandledKeys(site, before, after, ["from", "if", "else"]);
    }
  }
}
