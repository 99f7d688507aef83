/** Imports the operations of a description: a valid name, the endpoint, and the security requirements. */
import { camelCase, uniqueName } from "../base/case.ts";
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { type Endpoint, type Method, methods } from "../language/endpoints/model.ts";
import { pathSegments, segmentShape } from "../language/endpoints/resolve.ts";
import { pathProblem } from "../language/endpoints/address.ts";
import type { Deprecation } from "../language/versioning/model.ts";
import { below, entriesOf, itemsOf, textsOf } from "./report.ts";
import type { Found } from "./schemas.ts";
import { contractOf, type ImportContext } from "./contracts.ts";
import { deprecationIn, withoutDeprecation } from "./deprecations.ts";

export interface ImportedOperation {
  readonly name: string;
  /** A JSON pointer into the source. */
  readonly pointer: string;
  readonly purpose?: string;
  /** The endpoint; absent if the language does not support the method or path. The operation is then a gap. */
  readonly endpoint?: Endpoint;
  /** The alternative security requirements, as in OpenAPI; undefined if neither the operation nor the source declares any. */
  readonly security?: readonly Json[];
  /** The tag whose heading the operation appears under. */
  readonly tag?: string;
  readonly prose: readonly string[];
  /** The deprecation, with the dates and the guide that the source has. */
  readonly deprecated?: Deprecation;
}

/** Paths at which every service responds to `GET`, unless its base URL has a path. */
const reservedPaths: ReadonlySet<string> = new Set(["/livez", "/readyz", "/openapi.json", "/.well-known/api-catalog"]);

/** Methods that OpenAPI has and the language does not; version 3.2 has `query`. */
const otherMethods = ["head", "options", "trace", "query"] as const;

/** The members of a path that are no operations. */
const pathMembersRead: ReadonlySet<string> = new Set(["parameters", "servers", "$ref"]);

export function operationsOf(source: ImportContext): readonly ImportedOperation[] {
  const located = locatedOperations(source);
  const routes = new Set<string>();
  const renamed = new Map(
    located.flatMap(({ operation, name }) => {
      const id = operation.value["operationId"];
      return typeof id === "string" && id !== name ? [[id, name] as const] : [];
    }),
  );
  return located.map(({ operation, item, ...location }) =>
    importedOperation({ ...source, renamed }, location, operation, item, routes),
  );
}

interface LocatedOperation extends OperationLocation {
  readonly operation: Found;
  readonly item: Found;
}

/** Returns the operations in the order of the source, with their names. */
function locatedOperations(source: ImportContext): readonly LocatedOperation[] {
  const { root, schemas, notices } = source;
  const { paths } = root;
  const names = new Set<string>();
  return entriesOf(paths).flatMap(([path, value]): readonly LocatedOperation[] => {
    const at = below("", "paths", path);
    if (path.startsWith("x-")) {
      notices.lost(at, "an extension of the paths", path);
      return [];
    }
    const item = schemas.resolve(value, at);
    if (item === undefined) return [];
    reportPath(source, item);
    return Object.entries(item.value).flatMap(([key, one]): readonly LocatedOperation[] => {
      const method = methods.find((name) => name.toLowerCase() === key);
      const other = otherMethods.find((name) => name === key);
      if ((method === undefined && other === undefined) || !isObject(one)) return [];
      const at = below(item.pointer, key);
      // No standard allows a reference in place of an operation, but some descriptions in several files contain one.
      const operation = schemas.resolve(one, at) ?? { value: {}, pointer: at };
      const name = nameOf(source, operation, path, key, names);
      return [{ name, path, method, written: key.toUpperCase(), operation, item }];
    });
  });
}

/** Reports the members of a path that are about none of its operations, and operations by other methods of version 3.2. */
function reportPath({ notices }: ImportContext, { value, pointer }: Found): void {
  for (const [key, member] of Object.entries(value)) {
    const at = below(pointer, key);
    if (key === "summary" || key === "description") notices.lost(at, "a text about a whole path");
    else if (key.startsWith("x-")) notices.lost(at, "an extension of a path", key);
    else if (key === "additionalOperations")
      notices.lost(at, otherMethod, isObject(member) ? Object.keys(member).join(", ") : undefined);
    else if (!pathMembersRead.has(key) && !(isMethod(key) && isObject(member)))
      notices.lost(at, "a member of a path that is no operation", key);
  }
}

const otherMethod = "an operation by a method that the language does not have";

function isMethod(key: string): boolean {
  return [...methods, ...otherMethods].some((method) => method.toLowerCase() === key);
}

interface OperationLocation {
  readonly name: string;
  readonly path: string;
  readonly method: Method | undefined;
  readonly written: string;
}

function importedOperation(
  source: ImportContext,
  location: OperationLocation,
  operation: Found,
  item: Found,
  routes: Set<string>,
): ImportedOperation {
  const { notices, root } = source;
  const { pointer } = operation;
  const deprecation = deprecationIn(operation, notices);
  const value = withoutDeprecation(operation.value, deprecation);
  const endpoint = endpointOf(source, location, { value, pointer }, item, routes);
  const security = Object.hasOwn(value, "security") ? value["security"] : root["security"];
  const tags = Array.isArray(value["tags"]) ? value["tags"].filter((tag) => typeof tag === "string") : [];
  const purpose = descriptionOf(value);
  const { summary } = value;
  if (typeof summary === "string" && summary.trim() !== purpose) notices.lost(below(pointer, "summary"), longSummary);
  return {
    name: location.name,
    pointer,
    ...(purpose === undefined ? {} : { purpose }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(security === undefined ? {} : { security: Array.isArray(security) ? itemsOf(security) : [null] }),
    ...(tags[0] === undefined ? {} : { tag: tags[0] }),
    // The contract of an endpoint has all texts of the operation.
    prose:
      endpoint === undefined
        ? proseOf(operation.value, purpose, tags.slice(1), `${location.written} ${location.path}`)
        : [],
    // Part 9 can name only an operation that the document has.
    ...(deprecation === undefined || endpoint === undefined ? {} : { deprecated: deprecation }),
  };
}

function endpointOf(
  source: ImportContext,
  { path, method, name }: OperationLocation,
  operation: Found,
  item: Found,
  routes: Set<string>,
): Endpoint | undefined {
  const { notices } = source;
  const lost = (what: string): undefined => {
    notices.lost(operation.pointer, what, `${name}: ${path}`);
    return undefined;
  };
  if (method === undefined) return lost(otherMethod);
  const template = templateOf(path);
  if (template === undefined) return lost("an operation at a path that the language cannot say");
  const mounted = /^[^:]*:\/\/[^/]*\/+[^/]|^\{base_url\}\/+[^/]/.test(source.base ?? "");
  if (!mounted && method === "GET" && reservedPaths.has(template.path))
    return lost("an operation at a path where every service has something of its own");
  const shape = pathSegments(template.path).map(segmentShape);
  const route = `${method} /${shape.join("/")}`;
  if (routes.has(route)) return lost("an operation at a path that another one has");
  routes.add(route);
  for (const [written, parameterName] of template.renamed)
    if (written !== parameterName)
      notices.renamed(
        operation.pointer,
        "a path parameter by a name that a document cannot have",
        `${written} is ${parameterName}`,
      );
  const wire = contractOf(source, operation, item, (written) => template.renamed.get(written));
  return { method, path: template.path, does: "handler", wire };
}

/** Returns the path with valid parameter names, and the renamed parameters; undefined for an unsupported path. */
function templateOf(
  path: string,
): { readonly path: string; readonly renamed: ReadonlyMap<string, string> } | undefined {
  const renamed = new Map<string, string>();
  let twice = false;
  const written = path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const plain = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : camelCase(name) || "value";
    const wanted = /^[0-9]/.test(plain) ? `value${plain}` : plain;
    if (renamed.has(name)) twice = true;
    let parameterName = wanted;
    for (let count = 2; [...renamed.values()].includes(parameterName); count++) parameterName = `${wanted}${count}`;
    renamed.set(name, parameterName);
    return `{${parameterName}}`;
  });
  return pathProblem(written) === undefined && !twice ? { path: written, renamed } : undefined;
}

function nameOf(
  source: ImportContext,
  { value, pointer }: Found,
  path: string,
  method: string,
  names: Set<string>,
): string {
  const id = value["operationId"];
  const written = typeof id === "string" && id.trim() !== "" ? id : undefined;
  const fits = written !== undefined && /^[A-Za-z][A-Za-z0-9_-]*$/.test(written);
  const made = camelCase(written ?? `${method} ${path.replaceAll(/[{}]/g, " ").replace(/^\/$/, " root")}`);
  const wanted = fits ? written : /^[a-z]/.test(made) ? made.replaceAll(/[^A-Za-z0-9_-]/g, "") : `operation${made}`;
  const name = uniqueName(names, wanted);
  if (written === undefined)
    source.notices.guessed(pointer, "the name of an operation that has none, from its method and path", name);
  else if (name !== written)
    source.notices.renamed(
      below(pointer, "operationId"),
      "an operation by a name that a document cannot have",
      `${written} is ${name}`,
    );
  return name;
}

function descriptionOf(value: JsonObject): string | undefined {
  const [text] = textsOf(value["summary"], value["description"]);
  return text === undefined ? undefined : shortText(text);
}

export const longSummary = "a summary of several lines or more than 200 characters";

/** Returns the first sentence or line; a text that is a keyword of the language (`none`) gets a full stop. */
export function shortText(text: string): string {
  const [line = ""] = text.trim().split(/\r?\n/, 1);
  const words = line
    .replaceAll(/\p{Cc}/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  const short = words.length > 200 ? (/^.{20,200}?[.!?](?=\s)/.exec(words)?.[0] ?? `${words.slice(0, 197)}…`) : words;
  return /^(?:not shown|none)$/.test(short) ? `${short}.` : short;
}

function proseOf(
  value: JsonObject,
  purpose: string | undefined,
  otherTags: readonly string[],
  address: string,
): readonly string[] {
  const { summary, description, externalDocs, deprecated } = value;
  return [
    `In the source it is at \`${address}\`.`,
    ...textsOf(summary, description).filter((text) => text.trim() !== purpose),
    ...(deprecated === true ? ["Deprecated."] : []),
    ...(otherTags.length === 0 ? [] : [`Also: ${otherTags.join(", ")}.`]),
    ...(isObject(externalDocs) ? [linkOf(externalDocs)] : []),
  ];
}

export function linkOf(docs: JsonObject): string {
  const { url, description } = docs;
  return [description, url].filter((one) => typeof one === "string").join(": ");
}
