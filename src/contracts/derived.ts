/**
 * Derives the HTTP contract of the operations that Nonet performs, in the form of `wire`: from the OpenAPI description of the
 * plan, by the code that imports descriptions, so that a derived and an imported contract can be compared.
 */
import type { Json, JsonObject } from "../base/json.ts";
import { openapi } from "../export/openapi/openapi.ts";
import { contractOf } from "../import/contracts.ts";
import { below, createNotices } from "../import/report.ts";
import { createSchemas } from "../import/schemas.ts";
import type { EndpointContract } from "../language/endpoints/model.ts";
import type { Plan } from "../plan/plan.ts";

export interface DerivedContracts {
  /** By name of the operation. */
  readonly contracts: Readonly<Record<string, EndpointContract>>;
  /** The schemas that the contracts refer to, by name. */
  readonly schemas: Readonly<Record<string, Json>>;
  /** The parameters that say where a page begins, by name of the operation: a cursor, the number of a page, an offset. */
  readonly pages: Readonly<Record<string, string>>;
  /** The patterns of generated ids. */
  readonly ids: ReadonlySet<string>;
}

/**
 * Returns the contracts of some operations of a plan. `others`: the contracts that they are compared with; responses and header
 * fields that no comparison needs are left out, since most of a description is errors.
 */
export function derivedContracts(plan: Plan, others: ReadonlyMap<string, EndpointContract>): DerivedContracts {
  const root = withHeaders(openapi(plan, "https://localhost"), headersIn(others));
  const notices = createNotices();
  const source = { dialect: "3.1", root, notices, schemas: createSchemas(root, "3.1", notices) } as const;
  const templates = new Map(plan.operations.map(({ name, template }) => [name, template]));
  const contracts = Object.entries(root["paths"] as Readonly<Record<string, JsonObject>>).flatMap(([path, item]) =>
    Object.entries(item as Readonly<Record<string, JsonObject>>).flatMap(([method, operation]) => {
      const { operationId: name } = operation;
      const other = typeof name === "string" ? others.get(name) : undefined;
      if (typeof name !== "string" || other === undefined) return [];
      const pointer = below("", "paths", path, method);
      const names = renamedParameters(path, templates.get(name) ?? path);
      const rename = (parameter: string): string => names.get(parameter) ?? parameter;
      const value = withResponses(operation, other);
      return [[name, contractOf(source, { value, pointer }, { value: {}, pointer }, rename)] as const];
    }),
  );
  const patterns = plan.tables.map(({ columns }) => columns.find(({ name }) => name === "id")?.schema["pattern"]);
  return {
    contracts: Object.fromEntries(contracts),
    schemas: referredIn(contracts, source.schemas.all()),
    pages: Object.fromEntries(
      plan.operations.flatMap(({ list, name }) =>
        list === undefined || list.kind === "none" ? [] : [[name, list.names[list.kind]]],
      ),
    ),
    ids: new Set(patterns.filter((one) => typeof one === "string")),
  };
}

/**
 * Returns the schemas that the contracts and these schemas refer to. The description has those of handlers, too: two of one name
 * would be compared, although no action has the second one.
 */
function referredIn(
  contracts: readonly (readonly [string, EndpointContract])[],
  all: DerivedContracts["schemas"],
): DerivedContracts["schemas"] {
  const found = new Map<string, Json>();
  const add = (text: string): void => {
    for (const [, referred, named] of text.matchAll(
      /#\/schemas\/([A-Za-z0-9]+)|"kind":"named","name":"([A-Za-z0-9]+)"/g,
    )) {
      const name = referred ?? named ?? "";
      const schema = all[name];
      if (schema === undefined || found.has(name)) continue;
      found.set(name, schema);
      add(JSON.stringify(schema));
    }
  };
  add(JSON.stringify(contracts));
  return Object.fromEntries(found);
}

/** Header fields of Nonet's responses that clients act on, in lower case. */
export const usedHeaders: ReadonlySet<string> = new Set(["etag", "link", "location"]);

/** Returns the names of header fields that a comparison needs, in lower case. */
function headersIn(contracts: ReadonlyMap<string, EndpointContract>): ReadonlySet<string> {
  const names = [...contracts.values()].flatMap(({ answers = {} }) =>
    Object.values(answers).flatMap(({ headers = {} }) => Object.keys(headers)),
  );
  return new Set([...usedHeaders, ...names.map((name) => name.toLowerCase())]);
}

/** Returns the description with these header fields alone; a reference to another one leads nowhere. */
function withHeaders(root: JsonObject, names: ReadonlySet<string>): JsonObject {
  const { headers = {}, ...components } = root["components"] as Readonly<Record<string, JsonObject>>;
  const used = Object.entries(headers).filter(([name]) => names.has(name.toLowerCase()));
  return { ...root, components: { ...components, headers: Object.fromEntries(used) } };
}

/** Returns the operation with its successes and the other responses that the contract has. */
function withResponses(operation: JsonObject, { answers = {} }: EndpointContract): JsonObject {
  const isNeeded = (status: string): boolean =>
    status.startsWith("2") || [status, `${status.charAt(0)}XX`, "default"].some((one) => Object.hasOwn(answers, one));
  const responses = Object.entries(operation["responses"] as JsonObject).filter(([status]) => isNeeded(status));
  return { ...operation, responses: Object.fromEntries(responses) };
}

/** Returns the document's names of the parameters of a path: OpenAPI has one name for those of several operations. */
function renamedParameters(path: string, template: string): ReadonlyMap<string, string> {
  const [described = [], written = []] = [path, template].map((one) =>
    [...one.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name),
  );
  return new Map(described.map((name, index) => [name, written[index] ?? name]));
}
