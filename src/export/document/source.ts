/** The input of the documentation: plan, model and description of a service. */
import type { Model } from "../../language/model.ts";
import type { Plan } from "../../plan/plan.ts";
import { contractsOf, type Described, describe, reachedFrom } from "../described.ts";
import type { Target } from "./content.ts";
import type { MembersOptions } from "./members.ts";

export interface Source {
  readonly plan: Plan;
  readonly model: Model;
  /** The service's absolute URL, without a trailing slash. */
  readonly baseUrl: string;
  readonly described: Described;
  /** The resources, and an empty name for operations without one, sorted by their first operation; those without operations are last. */
  readonly resources: readonly string[];
  /** The named schemas of the document that have members, and to which an operation, a resource or an event refers. */
  readonly schemas: readonly string[];
  readonly members: MembersOptions;
}

export function sourceOf(plan: Plan, model: Model, baseUrl: string): Source {
  const described = describe(plan, baseUrl, contractsOf(plan));
  const used = described.operations.map(({ operation }) => operation.resource);
  const resources = [...new Set([...used, ...Object.keys(model.resources.resources)])];
  const schemas = namedSchemas(plan, described);
  const headings = new Map([
    ...schemas.map((name): [string, Target] => [name, "schema"]),
    ...resources.map((name): [string, Target] => [name, "resource"]),
    ...Object.keys(plan.events.out).map((name): [string, Target] => [name, "event"]),
  ]);
  return { plan, model, baseUrl, described, resources, schemas, members: { schemas: described.schemas, headings } };
}

function namedSchemas({ schemas }: Plan, described: Described): readonly string[] {
  const named = new Set(Object.keys(schemas).map((address) => described.names.schema(address)));
  const others = Object.entries(described.schemas).filter(([name]) => !named.has(name));
  const bodies = described.operations.flatMap(({ body, successes }) => [
    body?.schema,
    ...successes.map(({ schema }) => schema),
  ]);
  const roots = [...others.map(([, schema]) => schema), ...bodies.filter((schema) => schema !== undefined)];
  const reached = reachedFrom(described.schemas, roots);
  return [...named].filter((name) => reached.has(name) && described.schemas[name]?.["properties"] !== undefined);
}
