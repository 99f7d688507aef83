/** A view that holds itself, through however many others. */
import { onCircles } from "../../circles.ts";
import type { Check } from "../../finding.ts";
import { nestedView } from "../fields.ts";

export const check: Check = {
  code: "resources/view-inside-itself",
  severity: "error",
  why: "An answer with it would have no end.",
  *run({ model }) {
    const { views = {} } = model.resources;
    const uses = Object.entries(views).flatMap(([within, { members = {} }]) =>
      Object.entries(members).flatMap(([member, { type }]) => {
        const nested = nestedView(model, type);
        return nested === undefined ? [] : [{ within, member, name: nested.view }];
      }),
    );
    const inside = new Map(Object.keys(views).map((name) => [name, [] as string[]]));
    for (const { name, within } of uses) inside.get(within)?.push(name);
    const circles = onCircles(inside);
    for (const { within, member, name } of uses) {
      if (!circles.has(name) || circles.get(within) !== circles.get(name)) continue;
      yield {
        at: `resources/views/${within}/${member}`,
        message: `A \`${within}\` would hold a \`${within}\``,
        help: `write a smaller view for \`${member}\``,
      };
    }
  },
};
