/** Two paths that one address can mean. */
import type { Check } from "../../finding.ts";
import { type Route, routesOf } from "../routes.ts";

export const check: Check = {
  code: "endpoints/ambiguous-path",
  severity: "warning",
  why: "Which of the two answers depends on the value in the address, and no reader would guess it.",
  *run({ model }) {
    // Only paths of one method, with as many segments and the same first word, can meet.
    const groups = Map.groupBy(routesOf(model), ({ method, shape }) => `${method} ${shape.length} ${shape[0]}`);
    for (const group of groups.values()) {
      const mixed = group.filter(({ shape }) => shape.includes("{}"));
      for (const [index, second] of mixed.entries()) {
        const first = mixed.slice(0, Math.min(index, mostCompared)).find((one) => cross(one, second));
        if (first === undefined) continue;
        yield {
          at: second.at,
          message: `\`${second.path}\` and \`${first.path}\` of \`${first.name}\` can be the same address`,
          help: "let the paths differ in a fixed segment at the same place",
        };
      }
    }
  },
};

/** A bound on the work for a document with a great many paths of one shape. */
const mostCompared = 200;

/** Whether some address fits both, and each has a fixed segment where the other has a parameter. */
function cross({ shape: one }: Route, { shape: other }: Route): boolean {
  const fits = one.every((segment, index) => segment === other[index] || segment === "{}" || other[index] === "{}");
  const freer = (a: readonly string[], b: readonly string[]) =>
    a.some((segment, index) => segment === "{}" && b[index] !== "{}");
  return fits && freer(one, other) && freer(other, one);
}
