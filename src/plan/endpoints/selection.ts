/** Plans the parameters with which requests select what a response contains. */
import { defaultDepth } from "../../language/endpoints/selection.ts";
import { type ExpandStyle, sessionActions } from "../../language/endpoints/model.ts";
import { type ResourceEndpoint, styleOf } from "../../language/endpoints/resolve.ts";
import type { PlanInput } from "../input.ts";
import type { Table } from "../resources/types.ts";
import type { ViewPlans } from "./responses.ts";
import type { Operation, PageShape, PathParameterPlan, ResponseMember } from "./types.ts";

/** The records and views that responses contain. */
interface Contents {
  readonly tables: readonly Table[];
  readonly views: ViewPlans;
}

type Responding = Pick<Operation, "resource" | "response" | "list" | "batch">;

export function selectionPlan(
  { model }: PlanInput,
  { action, endpoint }: Pick<ResourceEndpoint, "action" | "endpoint">,
  responding: Responding,
  contents: Contents,
): Pick<Operation, "expand" | "fields"> {
  const expand = styleOf(model.endpoints, endpoint, "expand") ?? "none";
  const fields = styleOf(model.endpoints, endpoint, "fields") ?? "none";
  const { kind } = responding.response;
  const isSelectable =
    action !== "history" &&
    action !== "clear" &&
    !sessionActions.has(action) &&
    (kind === "record" || kind === "members");
  if (!isSelectable) return {};
  return {
    ...(expand === "none" || !isExpandable(responding, contents)
      ? {}
      : { expand: { ...parameterPlan(expand, responding), depth: expand.depth ?? defaultDepth } }),
    ...(fields === "none" ? {} : { fields: parameterPlan({ name: fields }, responding) }),
  };
}

function parameterPlan({ name, from }: ExpandStyle, { batch, response, list }: Responding): PathParameterPlan {
  const page = (list ?? batch)?.page;
  const outer = page === undefined ? (response.wrap === undefined ? [] : [response.wrap]) : (itemsIn(page) ?? []);
  return {
    name: name.replace(/\[\]$/, ""),
    hasBrackets: name.endsWith("[]"),
    prefix: from === "response" ? outer : [],
  };
}

/** Returns the names of the objects around the items of a page; undefined if they are not in this part of the page. */
function itemsIn(shape: PageShape): readonly string[] | undefined {
  if (shape.kind === "items") return [];
  if (shape.kind !== "object") return undefined;
  for (const { name, shape: inner } of shape.members) {
    const found = itemsIn(inner);
    if (found !== undefined) return [name, ...found];
  }
  return undefined;
}

/** Whether a response contains a reference that requests may expand, at any depth. */
function isExpandable({ resource, response }: Responding, { tables, views }: Contents): boolean {
  const visited = new Set<string>();
  const inRecord = (name: string): boolean =>
    tables.find((table) => table.resource === name)?.columns.some((column) => column.expandableFor !== undefined) ===
    true;
  const inView = (name: string): boolean => {
    if (visited.has(name)) return false;
    visited.add(name);
    return (views[name]?.members ?? []).some(inMember);
  };
  const inMember = ({ source }: ResponseMember): boolean => {
    switch (source.kind) {
      case "object":
        return source.members.some(inMember);
      case "whole":
        return inRecord(resource);
      case "view":
        return inView(source.view);
      case "record":
      case "records":
        return source.expand !== undefined || inView(source.view);
      default:
        return false;
    }
  };
  if (response.kind === "record") return inRecord(resource);
  return response.kind === "members" && (response.members ?? []).some(inMember);
}
