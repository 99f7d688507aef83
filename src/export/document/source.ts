/** The input of the documentation: plan, model and description of a service. */
import type { Model } from "../../language/model.ts";
import type { Plan } from "../../plan/plan.ts";
import { type Described, describe } from "../described.ts";
import type { Target } from "./content.ts";
import type { MembersOptions } from "./members.ts";

export interface Source {
  readonly plan: Plan;
  readonly model: Model;
  /** The service's absolute URL, without a trailing slash. */
  readonly baseUrl: string;
  readonly described: Described;
  /** The resources, sorted by their first operation; those without operations are last. */
  readonly resources: readonly string[];
  readonly members: MembersOptions;
}

export function sourceOf(plan: Plan, model: Model, baseUrl: string): Source {
  const described = describe(plan, baseUrl);
  const used = described.operations.map(({ operation }) => operation.resource);
  const resources = [...new Set([...used, ...Object.keys(model.resources.resources)])];
  const headings = new Map([
    ...resources.map((name): [string, Target] => [name, "resource"]),
    ...Object.keys(plan.events.out).map((name): [string, Target] => [name, "event"]),
  ]);
  return { plan, model, baseUrl, described, resources, members: { schemas: described.schemas, headings } };
}
