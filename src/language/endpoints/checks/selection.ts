/** Reports members that requests could expand if they could ask for it, and a parameter that could expand nothing. */
import type { Check } from "../../analysis/finding.ts";
import { fieldSites, isExpandable, isOnRequest } from "../../resources/fields.ts";
import type { Model } from "../../model.ts";

const expandUnused: Check = {
  code: "endpoints/expand-unused",
  severity: "error",
  why: "Callers would rely on something that the service does not do.",
  *run({ model }) {
    const sites = parametersFor(model);
    const expandable = fieldSites(model).filter(
      ({ enclosing, field }) =>
        (isExpandable(field) || isOnRequest(field)) && (enclosing === "resource" || enclosing === "view"),
    );
    if (sites.length === 0)
      for (const { at, field, name } of expandable)
        yield {
          at: `${at}/marks/${isOnRequest(field) ? "on request" : "expand"}`,
          message: `No request can expand \`${name}\``,
          help: "name the parameter in part 4: `expand: expand`",
        };
    if (expandable.length === 0)
      for (const at of sites)
        yield {
          at,
          message: "No member of a response can be expanded",
          help: "add the mark `expand` to a reference in part 2: `customer: Customer, expand`",
        };
  },
};

/** Returns where the document names a parameter for records in place of ids. */
function parametersFor({ endpoints: { expand, endpoints } }: Model): readonly string[] {
  const isDeclared = (style: typeof expand): boolean => style !== undefined && style !== "none";
  return [
    ...(isDeclared(expand) ? ["endpoints/expand"] : []),
    ...Object.entries(endpoints).flatMap(([name, endpoint]) =>
      isDeclared(endpoint.expand) ? [`endpoints/endpoints/${name}/expand`] : [],
    ),
  ];
}

export const checks: readonly Check[] = [expandUnused];
