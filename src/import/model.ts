/** Converts OpenAPI and Swagger to the nine parts of a document, and their descriptions to the prose of each part. */
import { kebabCase } from "../base/case.ts";
import { isObject, isWrittenAlike, type Json, type JsonObject } from "../base/json.ts";
import type { Endpoint, RequestStyle } from "../language/endpoints/model.ts";
import type { Errors } from "../language/errors/model.ts";
import type { Model, PartName, PartStatus } from "../language/model.ts";
import { partNames } from "../language/model.ts";
import type { Prose } from "../language/print.ts";
import type { ImportContext } from "./contracts.ts";
import { errorsOf } from "./errors.ts";
import { eventsOf, type ImportedEvents } from "./events.ts";
import { type ImportedOperation, linkOf, shortText, operationsOf } from "./operations.ts";
import { type Keys, withKeys } from "./keys.ts";
import { openapiOf } from "./openapi-members.ts";
import { plain, quoted } from "./prose.ts";
import { repeatedSchemas } from "./repeated-schemas.ts";
import { below, entriesOf, type ImportNotices, itemsOf, textsOf } from "./report.ts";
import { versioningOf } from "./deprecations.ts";
import { withKnownContract, withoutClash } from "./known-contracts.ts";
import { contractOperations } from "./resources/groups.ts";
import { type ImportedResources, resourcesOf } from "./resources/resources.ts";
import { createSchemas, type Dialect, referencesIn } from "./schemas.ts";
import { keyNamesOf, securityOf } from "./security.ts";

export interface Parts {
  readonly model: Model;
  readonly prose: Prose;
}

export interface ImportChoice {
  /** Whether every operation stays a handler with its contract, and no resource is declared. */
  readonly contractsOnly?: boolean;
}

export function modelOf(
  root: JsonObject,
  dialect: Dialect,
  notices: ImportNotices,
  { contractsOnly = false }: ImportChoice,
): Parts {
  const schemas = createSchemas(root, dialect, notices, repeatedSchemas(root));
  const base = baseOf(root, dialect, notices);
  const source: ImportContext = { dialect, root, schemas, notices, ...(base === undefined ? {} : { base }) };
  const operations = operationsOf(source);
  const events = eventsOf(source, operations);
  reportUnused(root, notices);
  const named = schemas.all();
  const resources = resourcesOf(contractsOnly ? [] : contractOperations(operations), named, keyNamesOf(root));
  const isServed = resources.endpoints.size > 0;
  const errors = errorsOf(operations, named, (operation) => resources.endpoints.has(operation), notices);
  const declared = securityOf(root, operations, schemas, notices, isServed);
  const keys = declared && withKeys(declared, resources.endpoints.keys());
  const security = keys?.security;
  report(operations, resources, keys, notices);
  const info = isObject(root["info"]) ? root["info"] : {};
  const purpose = purposeOf(info, operations);
  const openapi = documentMembers(root, dialect, purpose.purpose.purpose);
  const { versioning, gaps } = versioningOf(operations);
  const found: Found = { base, operations, security, events, errors, named, resources, versioning };
  const model: Model = {
    ...(typeof info["title"] === "string" && info["title"].trim() !== ""
      ? { title: info["title"].replaceAll(/\s+/g, " ").trim() }
      : {}),
    status: statusOf(found),
    purpose: purpose.purpose,
    resources: {
      resources: resources.resources,
      types: {},
      ...(Object.keys(named).length === 0 ? {} : { schemas: named }),
      ...(Object.keys(resources.views).length === 0 ? {} : { views: resources.views }),
      rules: resources.rules,
    },
    states: {},
    endpoints: {
      ...(base === undefined ? {} : { base }),
      ...(isServed ? { requests: requestStyleOf(resources) } : {}),
      ...openapi,
      endpoints: Object.fromEntries(
        operations.flatMap(({ name, endpoint }) =>
          endpoint === undefined ? [] : [[name, finalEndpoint(name, endpoint, resources)]],
        ),
      ),
    },
    authentication: {
      credentials: security?.credentials ?? {},
      ...(security?.roles === undefined ? {} : { roles: security.roles }),
      own: {},
      allow: security?.allow ?? {},
      show: {},
    },
    events:
      Object.keys(events.requests).length === 0 ? {} : { wire: withoutClashes(events.requests, resources.resources) },
    errors,
    limits: {},
    versioning,
    gaps: [...purpose.gaps, ...gapsOf(found), ...gaps],
  };
  return { model, prose: proseOf(operations) };
}

function withoutClashes(
  requests: ImportedEvents["requests"],
  resources: Model["resources"]["resources"],
): ImportedEvents["requests"] {
  return Object.fromEntries(Object.entries(requests).map(([name, one]) => [name, withoutClash(one, resources)]));
}

/** Returns the declared endpoint of an operation with its imported contract beside it, else its handler. */
function finalEndpoint(name: string, handler: Endpoint, { endpoints, resources }: ImportedResources): Endpoint {
  const wire = handler.wire && withoutClash(handler.wire, resources);
  const declared = endpoints.get(name);
  if (declared !== undefined && wire !== undefined) return withKnownContract(declared, handler.path, wire);
  return { ...handler, ...(wire === undefined ? {} : { wire }) };
}

/** What the schemas of requests allow: forms, and members that they do not name. */
function requestStyleOf({ requests: { form, open } }: ImportedResources): RequestStyle {
  return {
    ...(form ? { media: [{ type: "application/json" }, { type: "application/x-www-form-urlencoded" }] } : {}),
    ...(open ? { unknown: "ignored" as const } : {}),
  };
}

/** Reports why operations stay handlers, and what the resources were guessed from. */
function report(
  operations: readonly ImportedOperation[],
  found: ImportedResources,
  keys: Keys | undefined,
  notices: ImportNotices,
): void {
  if (keys?.added !== undefined)
    notices.guessed(
      "/components/securitySchemes",
      "that keys may stand for tokens whose issuer is not said",
      keys.added,
    );
  if (found.endpoints.size > 0)
    notices.guessed(
      "/paths",
      "that a caller may run an operation on every record: the source does not say who owns one",
    );
  for (const { name, pointer } of operations) {
    const need = keys?.needs.find(({ operation }) => operation === name);
    if (need !== undefined) notices.needs(pointer, need.what, name);
    const reason = found.reasons.get(name);
    if (reason === undefined) continue;
    notices.handler(pointer, reason.what, reason.detail === undefined ? name : `${name}: ${reason.detail}`);
  }
  for (const { kind, pointer, what, detail } of found.notices) notices[kind](pointer, what, detail);
}

/** What the import found for each part. A part for which it found nothing becomes `not shown`. */
interface Found {
  readonly base: string | undefined;
  readonly operations: readonly ImportedOperation[];
  readonly security: ReturnType<typeof securityOf>;
  readonly events: ImportedEvents;
  readonly errors: Errors;
  readonly named: ReturnType<ReturnType<typeof createSchemas>["all"]>;
  readonly resources: ImportedResources;
  readonly versioning: Model["versioning"];
}

function statusOf({
  security,
  events,
  errors,
  named,
  resources,
  versioning,
}: Found): Readonly<Record<PartName, PartStatus>> {
  return {
    ...everyPart("not shown"),
    purpose: "shown",
    resources: Object.keys({ ...named, ...resources.resources }).length === 0 ? "not shown" : "shown",
    endpoints: "shown",
    authentication: security === undefined ? "not shown" : "shown",
    events: Object.keys(events.requests).length === 0 ? "not shown" : "shown",
    errors: isEmpty(errors) ? "not shown" : "shown",
    versioning: versioning.deprecated === undefined ? "not shown" : "shown",
  };
}

/** Returns the gaps of the document. */
function gapsOf({ base, operations, security, events, errors }: Found): readonly string[] {
  const open = operations.filter(({ endpoint }) => endpoint === undefined);
  return [
    ...(base === undefined ? ["endpoints/base"] : []),
    "endpoints/lists",
    "endpoints/edits",
    "endpoints/repeats",
    ...open.map(({ name }) => `endpoints/endpoints/${name}`),
    ...(security?.gaps ?? []),
    ...Object.keys(events.requests).map((name) => `events/out/${name}`),
    ...(Object.keys(events.requests).length === 0 ? [] : ["events/envelope", "events/delivery"]),
    ...(isEmpty(errors) || errors.body !== undefined ? [] : ["errors/body"]),
  ];
}

function isEmpty({ body, errors }: Errors): boolean {
  return body === undefined && Object.keys(errors).length === 0;
}

export function everyPart<Value>(value: Value): Record<PartName, Value> {
  return Object.fromEntries(partNames.map((part) => [part, value])) as Record<PartName, Value>;
}

// ── Part 1 ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export function purposeOf(
  info: JsonObject,
  operations: readonly Pick<ImportedOperation, "name" | "purpose">[],
): { readonly purpose: Model["purpose"]; readonly gaps: readonly string[] } {
  const title = typeof info["title"] === "string" ? info["title"] : "";
  const service = kebabCase(title.normalize("NFKD").replaceAll(/[\u0080-\uffff]/g, "")).replace(/^[^a-z]+/, "");
  const [described] = textsOf(info["summary"], info["description"]);
  return {
    purpose: {
      nonet: "1",
      ...(service === "" ? {} : { service }),
      ...(described === undefined ? {} : { purpose: shortText(described.replace(/^[#\s]+/, "")) }),
      users: {},
      operations: Object.fromEntries(
        operations.flatMap(({ name, purpose }) => (purpose === undefined ? [] : [[name, purpose]])),
      ),
    },
    gaps: [
      ...(service === "" ? ["purpose/service"] : []),
      "purpose/domain",
      ...(described === undefined ? ["purpose/purpose"] : []),
      "purpose/users",
      "purpose/outside",
      ...operations.filter(({ purpose }) => purpose === undefined).map(({ name }) => `purpose/operations/${name}`),
    ],
  };
}

// ── Part 4 ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Returns the base URL, from the first server. */
function baseOf(root: JsonObject, dialect: Dialect, notices: ImportNotices): string | undefined {
  const [url, at] = dialect === "2.0" ? [swaggerBase(root), "/host"] : [firstServer(root), "/servers/0"];
  if (url === undefined) return undefined;
  const full = /^https?:\/\//i.test(url) ? url : `{base_url}${url.startsWith("/") ? "" : "/"}${url}`;
  const base = full.replace(/\/+$/, "");
  if (/^(?:\{base_url\}|https?:\/\/[^\s/?#{}]+)(?:\/[^\s?#{}]*)?$/.test(base)) return base;
  notices.lost(at, "the address of a server", url);
  return undefined;
}

function swaggerBase({ host, basePath, schemes }: JsonObject): string | undefined {
  const path = typeof basePath === "string" ? basePath : "";
  if (typeof host !== "string" || host === "") return path === "" ? undefined : path;
  const scheme = Array.isArray(schemes) && !schemes.includes("https") && schemes.includes("http") ? "http" : "https";
  return `${scheme}://${host}${path}`;
}

function firstServer({ servers }: JsonObject): string | undefined {
  const [first] = itemsOf(servers);
  if (!isObject(first) || typeof first["url"] !== "string") return undefined;
  const { variables } = first;
  if (!isObject(variables)) return first["url"];
  return first["url"].replaceAll(/\{([^{}]+)\}/g, (braced, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isObject(variable) && typeof variable["default"] === "string" ? variable["default"] : braced;
  });
}

/** The members of a description that become statements of the document. */
const rootMembersRead: ReadonlySet<string> = new Set([
  "openapi", "swagger", "info", "servers", "paths", "webhooks", "x-webhooks", "components", "security", "definitions",
  "securityDefinitions", "parameters", "responses", "host", "basePath", "schemes", "consumes", "produces", "tags",
]); // biome-ignore format: a table

/**
 * Returns the members of the description that only the exported one has: what `info` says besides the title, tags with more
 * than a name, servers with more than an address.
 */
function documentMembers(
  root: JsonObject,
  dialect: Dialect,
  purpose: string | undefined,
): { readonly openapi?: JsonObject } {
  const info = isObject(root["info"]) ? root["info"] : {};
  const { summary } = info;
  const read = new Set(["title", ...(summary === purpose ? ["summary"] : [])]);
  const { openapi: about } = openapiOf(info, read);
  const servers = dialect === "2.0" ? swaggerServers(root) : itemsOf(root["servers"]);
  const isPlain =
    servers.length < 2 && servers.every((one) => isObject(one) && isWrittenAlike(Object.keys(one), ["url"]));
  const tags = itemsOf(root["tags"]);
  return openapiOf(root, rootMembersRead, {
    ...(about === undefined ? {} : { info: about }),
    ...(isPlain ? {} : { servers }),
    ...(tags.length === 0 ? {} : { tags }),
  });
}

/** Returns the servers of a Swagger 2 description: one for each scheme. */
function swaggerServers(root: JsonObject): readonly Json[] {
  const declared = itemsOf(root["schemes"]);
  const schemes = ["https", "http"].filter((one) => declared.includes(one));
  if (typeof root["host"] !== "string" || schemes.length < 2) return [];
  return schemes.flatMap((scheme) => {
    const url = swaggerBase({ ...root, schemes: [scheme] });
    return url === undefined ? [] : [{ url }];
  });
}

/** Reports the components that nothing refers to, except schemas and credentials, which the document has anyway. */
function reportUnused(root: JsonObject, notices: ImportNotices): void {
  const components = isObject(root["components"]) ? root["components"] : { ...pick(root, "parameters", "responses") };
  const at = isObject(root["components"]) ? "/components" : "";
  const used = referencesIn(root);
  for (const [kind, all] of Object.entries(components)) {
    if (kind === "schemas" || kind === "securitySchemes") continue;
    if (kind.startsWith("x-")) notices.lost(below(at, kind), "an extension of the components", kind);
    for (const [name] of entriesOf(all))
      if (!used.has(below(at, kind, name)) && !kind.startsWith("x-"))
        notices.lost(below(at, kind, name), "a component that nothing refers to");
  }
}

function pick(object: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
}

// ── Prose ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function proseOf(operations: readonly ImportedOperation[]): Prose {
  const counting = [...countingHeaders(operations)];
  const spoken = operations.filter(({ prose }) => prose.length > 0);
  return {
    endpoints: { after: spoken.flatMap(({ name, prose }) => [`#### ${name}`, ...prose.map(quoted)]) },
    limits: {
      before:
        counting.length === 0
          ? []
          : [
              `The answers of the source carry ${counting.map((name) => `\`${name}\``).join(", ")}; what they count is not shown.`,
            ],
    },
  };
}

export function aboutTheSource(info: JsonObject, root: JsonObject): readonly string[] {
  const { description, termsOfService, contact, license } = info;
  const described = (value: Json | undefined): string => {
    return isObject(value)
      ? Object.values(value)
          .filter((one) => typeof one === "string")
          .map((one) => plain(one))
          .join(", ")
      : "";
  };
  return [
    ...textsOf(description).map(quoted),
    ...(described(contact) === "" ? [] : [`Contact: ${described(contact)}.`]),
    ...(described(license) === "" ? [] : [`Licence: ${described(license)}.`]),
    ...(typeof termsOfService === "string" ? [`Terms of service: ${plain(termsOfService)}.`] : []),
    ...(isObject(root["externalDocs"]) ? [`More: ${plain(linkOf(root["externalDocs"]))}.`] : []),
  ];
}

/** Returns the names of response headers about rate limits. */
function countingHeaders(operations: readonly ImportedOperation[]): ReadonlySet<string> {
  const names = operations.flatMap(({ endpoint }) =>
    Object.values(endpoint?.wire?.answers ?? {}).flatMap(({ headers = {} }) => Object.keys(headers)),
  );
  return new Set(names.filter((name) => /rate-?limit|retry-after/i.test(name)));
}
