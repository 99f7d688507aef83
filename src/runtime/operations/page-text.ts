/** Writes the body of a list response in the document's shape; compiled once per list. */
import { onceFor } from "../../base/once.ts";
import { compileFunction, type Variables } from "../../expression/evaluate.ts";
import { readsVariable } from "../../expression/typed.ts";
import type { ListPlan, PageShape } from "../../plan/endpoints/types.ts";

/** The parts of a page as JSON text; `items` is without brackets. */
export interface PageParts {
  readonly items: string;
  readonly next: string;
  readonly count: string;
  /** Returns the variables of expressions about the page. */
  readonly variables: () => Variables;
}

type Part = Exclude<PageShape["kind"], "object" | "expression" | "item">;

const writerFor = onceFor((plan: Paged) => writerOf(plan.page));

type Paged = Pick<ListPlan, "page">;

export function pageText(plan: Paged, parts: PageParts): string {
  return writerFor(plan)(parts);
}

/** Compiles a shape to pieces: constant texts at even indexes, names of parts and computed values at odd ones. */
function writerOf(shape: PageShape): (parts: PageParts) => string {
  const pieces: (string | ((variables: Variables) => string))[] = [""];
  const text = (more: string): void => {
    pieces[pieces.length - 1] += more;
  };
  const write = (one: PageShape): void => {
    if (one.kind === "expression") {
      const evaluate = compileFunction(one.expression);
      pieces.push((variables) => JSON.stringify(evaluate({ record: {}, variables })), "");
      return;
    }
    if (one.kind !== "object") {
      if (one.kind === "items") text("[");
      pieces.push(one.kind === "item" ? "items" : one.kind, one.kind === "items" ? "]" : "");
      return;
    }
    for (const [index, { name, shape: inner }] of one.members.entries()) {
      text(`${index === 0 ? "{" : ","}${JSON.stringify(name)}:`);
      write(inner);
    }
    text(one.members.length === 0 ? "{}" : "}");
  };
  write(shape);
  return (parts) => {
    let all = pieces[0] as string;
    let variables: Variables | undefined;
    for (let index = 1; index < pieces.length; index += 2) {
      const piece = pieces[index];
      all += typeof piece === "function" ? piece((variables ??= parts.variables())) : parts[piece as Part];
      all += pieces[index + 1] as string;
    }
    return all;
  };
}

/** Whether a page of this shape contains the part, or a value computed from it. */
export function hasPart(shape: PageShape, part: Part): boolean {
  if (shape.kind === "object") return shape.members.some((member) => hasPart(member.shape, part));
  return shape.kind === "expression" ? readsVariable(shape.expression, part) : shape.kind === part;
}
