/** Plans the header fields that the document declares for the responses of an operation. */
import { listStyleOf } from "../../language/endpoints/list-style.ts";
import type { FreeEndpoint, ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { lookup } from "../../language/resources/fields.ts";
import { seersOf } from "../authentication/permissions.ts";
import { type PlanInput, typedAt, unique } from "../input.ts";
import { jsonTypeOfExpression, schemaOfExpression } from "../resources/columns.ts";
import type { HeaderPlan, Operation } from "./types.ts";

/** Plans the header fields of an operation; for a list also those of its style. */
export function headerPlans(
  planInput: PlanInput,
  { action, endpoint, operation, resource = "" }: ResourceEndpoint | FreeEndpoint,
): Pick<Operation, "headers"> {
  const { model } = planInput;
  const at = `endpoints/endpoints/${operation}`;
  const styled = action === "list" ? Object.keys(listStyleOf(model, endpoint).headers ?? {}) : [];
  const own = Object.keys(endpoint.headers ?? {});
  const headers = unique([...styled, ...own]).map((name): HeaderPlan => {
    const isStyled = lookup(endpoint.lists?.headers ?? {}, name) !== undefined;
    const path = own.includes(name) ? at : isStyled ? `${at}/lists` : "endpoints/lists";
    const expression = typedAt(planInput, `${path}/headers/${name}`);
    const visibleTo = action === "list" ? [] : seersOf(planInput, resource, expression);
    return {
      name,
      expression,
      type: jsonTypeOfExpression(model, resource, expression),
      schema: schemaOfExpression(model, resource, { ...expression, nullable: false }),
      ...(visibleTo.length === 0 ? {} : { visibleTo }),
    };
  });
  return headers.length === 0 ? {} : { headers };
}
