/** Reports tokens in responses about records other than the caller's own. */
import { withArticle } from "../../../base/case.ts";
import { readsVariable } from "../../../expression/typed.ts";
import { responseShape, responseExpressions, type Shape } from "../../endpoints/shape.ts";
import type { ResourceEndpoint } from "../../endpoints/resolve.ts";
import type { DocumentIndex } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { lookup } from "../../resources/fields.ts";

export const check: Check = {
  code: "authentication/token-of-others",
  severity: "error",
  why: "A token acts as its owner, so the service returns null instead of a token of another caller.",
  *run(documentIndex) {
    for (const resolved of documentIndex.endpoints.values()) {
      if (resolved.kind !== "resource" || isOwnRecord(resolved)) continue;
      const { operation, resource } = resolved;
      if (!hasToken(documentIndex, resolved)) continue;
      yield {
        at: `endpoints/endpoints/${operation}/gives`,
        message: `\`${operation}\` returns tokens of ${withArticle(resource)} that may not be the caller`,
        help: "write `the: id == caller.id` if it always is the caller, or return a view without the token",
      };
    }
  },
};

/** Whether the response is about the caller's own record: the operation creates it, authenticates it, or selects it by `the`. */
function isOwnRecord({ action, endpoint }: ResourceEndpoint): boolean {
  return action === "create" || action === "login" || action === "renew" || endpoint.the !== undefined;
}

function hasToken({ model, typed }: DocumentIndex, resolved: ResourceEndpoint): boolean {
  const isTokenAt = (path: string): boolean => {
    const expression = typed.get(path);
    return expression !== undefined && readsVariable(expression, "tokens");
  };
  const { item, page, pageAt } = responseShape(model, resolved);
  const at = `endpoints/endpoints/${resolved.operation}/gives`;
  // No expression about a page reads a token.
  const shapes = [item, pageAt === at ? page : undefined].filter((shape) => shape !== undefined);
  const isReturned = shapes.some((shape) =>
    responseExpressions(shape).some(({ path }) => isTokenAt([at, ...path].join("/"))),
  );
  const views = shapes.flatMap(viewsIn);
  return (
    isReturned ||
    views.some((view) =>
      Object.keys(lookup(model.resources.views ?? {}, view)?.members ?? {}).some((name) =>
        isTokenAt(`resources/views/${view}/${name}/computed`),
      ),
    )
  );
}

function viewsIn(shape: Shape): readonly string[] {
  if (shape.kind === "view") return [shape.view];
  return shape.kind === "object" ? Object.values(shape.members).flatMap(viewsIn) : [];
}
