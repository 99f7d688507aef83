/** Two operations at one method and path. */
import type { Check } from "../../analysis/finding.ts";
import { allRoutesOf } from "../routes.ts";

export const check: Check = {
  code: "endpoints/same-route",
  severity: "error",
  why: "The service could not tell which of the two a request means.",
  *run({ model }) {
    const first = new Map<string, string>();
    for (const { method, path, shape, name, at } of allRoutesOf(model)) {
      const route = `${method} /${shape.join("/")}`;
      const other = first.get(route);
      if (other === undefined) first.set(route, name);
      else
        yield {
          at,
          message: `\`${name}\` has \`${method} ${path}\`, as \`${other}\` has`,
          help: "change one of the two",
        };
    }
  },
};
