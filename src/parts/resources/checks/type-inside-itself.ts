/** An embedded value that holds one of its own kind. */
import { onCircles } from "../../circles.ts";
import type { Check } from "../../finding.ts";
import { namedTypes } from "../type-names.ts";

export const check: Check = {
  code: "resources/type-inside-itself",
  severity: "error",
  why: "A value inside itself has no end, and no column and no form can be made for it.",
  *run({ model }) {
    const { types } = model.resources;
    const uses = namedTypes(model).filter(({ name, within }) => {
      return within !== undefined && Object.hasOwn(types, within) && Object.hasOwn(types, name);
    });
    const inside = new Map(Object.keys(types).map((name) => [name, [] as string[]]));
    for (const { name, within = "" } of uses) inside.get(within)?.push(name);
    const circles = onCircles(inside);
    for (const { name, within = "", at } of uses) {
      if (!circles.has(name) || circles.get(within) !== circles.get(name)) continue;
      yield {
        at,
        message: `A \`${within}\` would hold a \`${within}\``,
        help: "make it a resource and refer to it, or describe it with `schema:`",
      };
    }
  },
};
