/** Converts OpenAPI and Swagger to the nine parts of a document, and their descriptions to the prose of each part. */
import { kebabCase } from "../base/case.ts";
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import type { Endpoint, RequestStyle } from "../language/endpoints/model.ts";
import type { Errors } from "../language/errors/model.ts";
import type { Model, PartName, PartStatus } from "../language/model.ts";
import { partNames } from "../language/model.ts";
import type { Prose } from "../language/print.ts";
import { errorsOf } from "./errors.ts";
import { webhooksOf } from "./events.ts";
import { type ImportedOperation, linkOf, shortText, operationsOf } from "./operations.ts";
import { type Keys, withKeys } from "./keys.ts";
import { plain, quoted } from "./prose.ts";
import { below, type ImportNotices, itemsOf, textsOf } from "./report.ts";
import { versioningOf } from "./deprecations.ts";
import { withKnownContract, withoutClash } from "./known-contracts.ts";
import { contractOperations } from "./resources/groups.ts";
import { type ImportedResources, resourcesOf } from "./resources/resources.ts";
import { createSchemas, type Dialect } from "./schemas.ts";
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
  const schemas = createSchemas(root, dialect, notices);
  const base = baseOf(root, dialect, notices);
  const operations = operationsOf({ dialect, root, schemas, notices, ...(base === undefined ? {} : { base }) });
  const events = webhooksOf(root, operations, schemas, notices);
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
  for (const member of Object.keys(root))
    if (member.startsWith("x-")) notices.lost(below("", member), "an extension of the whole description", member);
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
    events: {},
    errors,
    limits: {},
    versioning,
    gaps: [...purpose.gaps, ...gapsOf(found), ...gaps],
  };
  return { model, prose: proseOf(root, info, operations, events.prose, dialect) };
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
  readonly events: ReturnType<typeof webhooksOf>;
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
    events: events.names.length === 0 ? "not shown" : "shown",
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
    ...events.names.map((name) => `events/out/${name}`),
    ...(events.names.length === 0 ? [] : ["events/envelope", "events/delivery"]),
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
  const [url, at] = dialect === "2.0" ? [swaggerBase(root), "/host"] : [firstServer(root, notices), "/servers/0"];
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

function firstServer({ servers }: JsonObject, notices: ImportNotices): string | undefined {
  const [first, ...more] = itemsOf(servers);
  if (more.length > 0) notices.lost("/servers", "servers after the first one", `${more.length}`);
  if (!isObject(first) || typeof first["url"] !== "string") return undefined;
  const { variables } = first;
  if (!isObject(variables)) return first["url"];
  if (Object.keys(variables).length > 0)
    notices.lost("/servers/0/variables", "the variables of a server, beside their defaults");
  return first["url"].replaceAll(/\{([^{}]+)\}/g, (braced, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isObject(variable) && typeof variable["default"] === "string" ? variable["default"] : braced;
  });
}

// ── Prose ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function proseOf(
  root: JsonObject,
  info: JsonObject,
  operations: readonly ImportedOperation[],
  events: readonly string[],
  dialect: Dialect,
): Prose {
  const counting = [...countingHeaders(operations)];
  const version = typeof info["version"] === "string" ? info["version"] : undefined;
  return {
    purpose: { before: aboutTheSource(info, root) },
    endpoints: { after: headings(root, operations) },
    ...(events.length === 0 ? {} : { events: { after: events } }),
    limits: {
      before:
        counting.length === 0
          ? []
          : [
              `The answers of the source carry ${counting.map((name) => `\`${name}\``).join(", ")}; what they count is not shown.`,
            ],
    },
    versioning: {
      before: [
        ...(version === undefined
          ? []
          : [
              `The source is version ${plain(version)} of its description (${dialect === "2.0" ? "Swagger" : "OpenAPI"}); how versions of the service are told apart is not shown.`,
            ]),
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

/** Returns a heading for each tag, and below it one for each operation with more prose than its description. */
function headings(root: JsonObject, operations: readonly ImportedOperation[]): readonly string[] {
  const tags = new Map<string, JsonObject>();
  for (const tag of itemsOf(root["tags"]))
    if (isObject(tag) && typeof tag["name"] === "string") tags.set(tag["name"], tag);
  const groups = Map.groupBy(operations, ({ tag }) => tag ?? "");
  return [...new Set([...tags.keys(), ...groups.keys()])].flatMap((tag): readonly string[] => {
    const { description, externalDocs } = tags.get(tag) ?? {};
    const list = groups.get(tag) ?? [];
    const names = list.map(({ name }) => `\`${name}\``).join(", ");
    const spoken = list.filter(({ prose }) => prose.length > 0);
    return [
      ...(tag === "" ? (tags.size > 0 && list.length > 0 ? ["### Others"] : []) : [`### ${plain(tag)}`]),
      ...textsOf(description).map(quoted),
      ...(isObject(externalDocs) ? [`More: ${plain(linkOf(externalDocs))}.`] : []),
      ...(tag === "" || names === "" ? [] : [`${names}.`]),
      ...spoken.flatMap(({ name, prose }) => [`#### ${name}`, ...prose.map(quoted)]),
    ];
  });
}

/** Returns the names of response headers about rate limits. */
function countingHeaders(operations: readonly ImportedOperation[]): ReadonlySet<string> {
  const names = operations.flatMap(({ endpoint }) =>
    Object.values(endpoint?.wire?.answers ?? {}).flatMap(({ headers = {} }) => Object.keys(headers)),
  );
  return new Set(names.filter((name) => /rate-?limit|retry-after/i.test(name)));
}
