/** A view that holds itself, through however many others. */
import { onCircles } from "../../analysis/circles.ts";
import type { Check } from "../../analysis/finding.ts";
import { nestedView } from "../fields.ts";

export const check: Check = {
  code: "resources/view-inside-itself",
  severity: "error",
  why: "A response with this view would have no end.",
  *run({ model }) {
    const { views = {} } = model.resources;
    const uses = Object.entries(views).flatMap(([enclosing, { members = {} }]) =>
      Object.entries(members).flatMap(([member, { type }]) => {
        const nested = nestedView(model, type);
        return nested === undefined ? [] : [{ enclosing, member, name: nested.view }];
      }),
    );
    const inside = new Map(Object.keys(views).map((name) => [name, [] as string[]]));
    for (const { name, enclosing } of uses) inside.get(enclosing)?.push(name);
    const circles = onCircles(inside);
    for (const { enclosing, member, name } of uses) {
      if (!circles.has(name) || circles.get(enclosing) !== circles.get(name)) continue;
      yield {
        at: `resources/views/${enclosing}/${member}`,
        message: `A \`${enclosing}\` would contain a \`${enclosing}\``,
        help: `write a smaller view for \`${member}\``,
      };
    }
  },
};
