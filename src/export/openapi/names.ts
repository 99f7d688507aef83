/** Assigns component schemas their names: unique, and stable for one document. */
import { getOrMake } from "../../base/once.ts";
import { pascalCase, uniqueName } from "../../base/case.ts";
import { everyOperation } from "../../plan/events/events.ts";
import { schemaNameAt } from "../../language/resources/schema.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import type { Plan } from "../../plan/plan.ts";

export interface ComponentNames {
  readonly resource: (resource: string) => string;
  readonly view: (view: string) => string;
  readonly state: (resource: string) => string;
  /** Returns the name of an operation's request body. */
  readonly input: (operation: string) => string;
  /** Returns the name of the response of an operation that declares the shape of its response. */
  readonly response: (operation: string) => string;
  /** Returns the name of a record of which a response has only the requested members, by the name of its whole schema. */
  readonly part: (schema: string) => string;
  /** Returns the name of a list's page. */
  readonly list: (operation: string) => string;
  /** Returns the name of a schema that the document refers to by its URI. */
  readonly schema: (address: string) => string;
  /** Returns the name of an event's payload. */
  readonly event: (event: string) => string;
  readonly problem: (code: string) => string;
  /** Returns the name of an error's body, if the code has a special body in this operation. */
  readonly problemIn: (code: string, operation: string) => string;
  readonly anyProblem: string;
  readonly violation: string;
  readonly health: string;
}

/** Chooses the names. Resources keep their names; any other schema with such a name gets a number appended. */
export function componentNames(plan: Plan): ComponentNames {
  const usedNames = new Set<string>();
  const free = (wanted: string): string => uniqueName(usedNames, wanted);
  const table = (keys: readonly string[], wanted: (key: string) => string): ((key: string) => string) => {
    const names = new Map(keys.map((key) => [key, free(wanted(key))]));
    return (key) => names.get(key) ?? wanted(key);
  };
  const all = everyOperation(plan);
  const { stream } = plan.events;
  const resources = [
    ...plan.tables.map((one) => one.resource),
    ...(stream === undefined ? [] : [stream.read.resource]),
  ];
  const operations = all.map(({ name }) => name);
  const resource = table(resources, (name) => name);
  const view = table(Object.keys(plan.views ?? {}), (name) => name);
  const state = table(resources, (name) => `${name}State`);
  const schema = table(Object.keys(plan.schemas), schemaNameAt);
  const shapes = new Map<string, string>();
  const lists = new Map(
    all.flatMap((operation): [string, string][] => {
      if (operation.list === undefined) return [];
      if (operation.action === "history") return [[operation.name, free(`${operation.resource}History`)]];
      const shape = listShape(operation);
      const known = shapes.get(shape);
      const isOther = shapes.has(operation.resource) || operation.action === "summary";
      const name = known ?? free(isOther ? `${pascalCase(operation.name)}List` : `${operation.resource}List`);
      shapes.set(shape, name);
      if (operation.action !== "summary") shapes.set(operation.resource, name);
      return [[operation.name, name]];
    }),
  );
  const parts = new Map<string, string>();
  const bodies = Object.keys(plan.problemBodies).filter((key) => key.includes(" in "));
  const inOperation = table(bodies, (key) => `${pascalCase(key)}Problem`);
  return {
    resource,
    view,
    state,
    schema,
    input: table(operations, (name) => `${pascalCase(name)}Input`),
    response: table(operations, (name) => `${pascalCase(name)}Answer`),
    part: (full) => getOrMake(parts, full, () => free(`${full}Fields`)),
    list: (operation) => lists.get(operation) ?? operation,
    event: table(Object.keys(plan.events.out), (name) => `${pascalCase(name)}Event`),
    problem: table(Object.keys(plan.errors), (code) => `${pascalCase(code)}Problem`),
    problemIn: (code, operation) => inOperation(`${code} in ${operation}`),
    anyProblem: free("Problem"),
    violation: free("Fault"),
    health: free("Health"),
  };
}

/**
 * Returns a text that is equal for lists of one resource whose items and `next` have the same form: such lists share a schema.
 */
function listShape({ fields, name, resource, response, list }: Operation): string {
  const next = list?.kind === "offset" || list?.kind === "page" ? list.names[list.kind] : `-${list?.names.cursor}`;
  return `${resource} ${response.kind === "members" ? (response.view ?? name) : ""} ${next} ${JSON.stringify(list?.page)}${fields === undefined ? "" : " fields"}`;
}
