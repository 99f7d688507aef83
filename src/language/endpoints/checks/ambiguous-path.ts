/** Two paths that one address can mean. */
import type { Check } from "../../analysis/finding.ts";
import { type Route, routesOf } from "../routes.ts";

export const check: Check = {
  code: "endpoints/ambiguous-path",
  severity: "warning",
  why: "The value in the address would decide which of the two operations runs.",
  *run({ model }) {
    // Only paths of one method, with as many segments and the same first word, can meet.
    const groups = Map.groupBy(routesOf(model), ({ method, shape }) => `${method} ${shape.length} ${shape[0]}`);
    for (const group of groups.values()) {
      const mixed = group.filter(({ shape }) => shape.some(isOpen));
      for (const [index, second] of mixed.entries()) {
        const first = mixed.slice(0, Math.min(index, mostCompared)).find((one) => cross(one, second));
        if (first === undefined) continue;
        yield {
          at: second.at,
          message: `\`${second.path}\` and \`${first.path}\` of \`${first.name}\` can match the same address`,
          help: "let the paths differ in a fixed segment at the same position",
        };
      }
    }
  },
};

/** A bound on the work for a document with a great many paths of one shape. */
const mostCompared = 200;

/** Whether some address fits both, and neither fits all addresses of the other. */
function cross({ shape: one }: Route, { shape: other }: Route): boolean {
  const at = (segment: string, index: number) => [segment, other[index] ?? ""] as const;
  const pairs = one.map(at);
  return (
    pairs.every(([first, second]) => meet(first, second)) &&
    pairs.some(([first, second]) => !covers(second, first)) &&
    pairs.some(([first, second]) => !covers(first, second))
  );
}

function isOpen(segment: string): boolean {
  return segment.includes("{}");
}

/** The text before and after the parameter of a segment. */
function around(segment: string): readonly [before: string, after: string] {
  const [before = "", after = ""] = segment.split("{}");
  return [before, after];
}

/** Whether one text fits both segments. */
function meet(one: string, other: string): boolean {
  if (!isOpen(one)) return covers(other, one);
  if (!isOpen(other)) return covers(one, other);
  const [[start, end], [otherStart, otherEnd]] = [around(one), around(other)];
  const startsMeet = start.startsWith(otherStart) || otherStart.startsWith(start);
  return startsMeet && (end.endsWith(otherEnd) || otherEnd.endsWith(end));
}

/** Whether each text that fits the narrower segment fits the wider one. */
function covers(wider: string, narrower: string): boolean {
  if (wider === narrower) return true;
  if (!isOpen(wider)) return false;
  const [before, after] = around(wider);
  const [start, end] = isOpen(narrower) ? around(narrower) : [narrower, narrower];
  const isLongEnough = isOpen(narrower) || narrower.length > before.length + after.length;
  return start.startsWith(before) && end.endsWith(after) && isLongEnough;
}
