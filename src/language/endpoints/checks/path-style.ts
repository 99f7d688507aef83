/** A path that is written as paths mostly are not. */
import { kebabCase } from "../../../base/case.ts";
import type { Check } from "../../analysis/finding.ts";
import { routesOf } from "../routes.ts";

export const check: Check = {
  code: "endpoints/path-style",
  severity: "hint",
  why: "Paths are case-sensitive, and clients type them by hand.",
  *run({ model }) {
    for (const { path, shape, at } of routesOf(model)) {
      const odd = shape.find((segment) => /[A-Z]/.test(segment));
      const slash = path.length > 1 && path.endsWith("/");
      if (odd === undefined && !slash) continue;
      yield {
        at,
        message: slash ? `\`${path}\` ends in a slash` : `\`${odd}\` has capital letters`,
        help: slash ? `write \`${path.replace(/\/+$/, "")}\`` : `write \`${kebabCase(odd ?? "")}\``,
      };
    }
  },
};
