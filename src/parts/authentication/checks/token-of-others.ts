/** Tokens in answers that are about other records than the caller's own. */
import { givesToken } from "../../../expression/typed.ts";
import { answerShape, expressionsGiven, type Shape } from "../../endpoints/shape.ts";
import type { ResourceEndpoint } from "../../endpoints/meaning.ts";
import type { Facts } from "../../facts.ts";
import type { Check } from "../../finding.ts";
import { own } from "../../resources/fields.ts";

export const check: Check = {
  code: "authentication/token-of-others",
  severity: "error",
  why: "Whoever has a token is whom it is of, so nobody is told one of somebody else, and there is null in its place.",
  *run(facts) {
    for (const meaning of facts.endpoints.values()) {
      if (meaning.kind !== "resource" || isOwn(meaning)) continue;
      const { operation, resource } = meaning;
      if (!hasToken(facts, meaning)) continue;
      yield {
        at: `endpoints/endpoints/${operation}/gives`,
        message: `\`${operation}\` gives tokens, and is about a ${resource} that need not be the caller`,
        help: "write `the: id == caller.id` where it is, or a view without the token",
      };
    }
  },
};

/** What makes a record, or proves which one it is, and what is about the caller's own. */
function isOwn({ deed, endpoint }: ResourceEndpoint): boolean {
  return deed === "create" || deed === "login" || deed === "renew" || endpoint.the !== undefined;
}

function hasToken({ model, typed }: Facts, meaning: ResourceEndpoint): boolean {
  const gives = (path: string): boolean => {
    const expression = typed.get(path);
    return expression !== undefined && givesToken(expression);
  };
  const { item, page } = answerShape(model, meaning);
  const shapes = [item, page].filter((shape) => shape !== undefined);
  const at = `endpoints/endpoints/${meaning.operation}/gives`;
  const given = shapes.some((shape) => expressionsGiven(shape).some(({ path }) => gives([at, ...path].join("/"))));
  const views = shapes.flatMap(viewsIn);
  return (
    given ||
    views.some((view) =>
      Object.keys(own(model.resources.views ?? {}, view)?.members ?? {}).some((name) =>
        gives(`resources/views/${view}/${name}/computed`),
      ),
    )
  );
}

function viewsIn(shape: Shape): readonly string[] {
  if (shape.kind === "view") return [shape.view];
  return shape.kind === "object" ? Object.values(shape.members).flatMap(viewsIn) : [];
}
