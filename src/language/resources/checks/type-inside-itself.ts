/** An embedded type that contains itself. */
import { onCircles } from "../../analysis/circles.ts";
import type { Check } from "../../analysis/finding.ts";
import { namedTypes } from "../type-names.ts";

export const check: Check = {
  code: "resources/type-inside-itself",
  severity: "error",
  why: "A value that contains itself has no end, so it can be neither stored nor described.",
  *run({ model }) {
    const { types } = model.resources;
    const uses = namedTypes(model).filter(({ name, enclosing }) => {
      return enclosing !== undefined && Object.hasOwn(types, enclosing) && Object.hasOwn(types, name);
    });
    const inside = new Map(Object.keys(types).map((name) => [name, [] as string[]]));
    for (const { name, enclosing = "" } of uses) inside.get(enclosing)?.push(name);
    const circles = onCircles(inside);
    for (const { name, enclosing = "", at } of uses) {
      if (!circles.has(name) || circles.get(enclosing) !== circles.get(name)) continue;
      yield {
        at,
        message: `A \`${enclosing}\` would contain a \`${enclosing}\``,
        help: "make it a resource and refer to it, or describe it with `schema:`",
      };
    }
  },
};
