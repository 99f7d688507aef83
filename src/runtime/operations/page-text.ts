/** Writes the body of a list response in the document's shape; compiled once per list. */
import { onceFor } from "../../base/once.ts";
import type { ListPlan, PageShape } from "../../plan/endpoints/types.ts";

/** The parts of a page as JSON text; `items` is without brackets. */
export interface PageParts {
  readonly items: string;
  readonly next: string;
  readonly count: string;
}

const writerFor = onceFor((plan: ListPlan) => writerOf(plan.page));

export function pageText(plan: ListPlan, parts: PageParts): string {
  return writerFor(plan)(parts);
}

/** Compiles a shape to pieces: constant texts at even indexes, names of parts at odd ones. */
function writerOf(shape: PageShape): (parts: PageParts) => string {
  const pieces: string[] = [""];
  const text = (more: string): void => {
    pieces[pieces.length - 1] += more;
  };
  const write = (one: PageShape): void => {
    if (one.kind !== "object") {
      if (one.kind === "items") text("[");
      pieces.push(one.kind, one.kind === "items" ? "]" : "");
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
    for (let index = 1; index < pieces.length; index += 2)
      all += parts[pieces[index] as keyof PageParts] + (pieces[index + 1] as string);
    return all;
  };
}

/** Whether a page of this shape contains the part. */
export function hasPart(shape: PageShape, part: keyof PageParts): boolean {
  return shape.kind === "object" ? shape.members.some((member) => hasPart(member.shape, part)) : shape.kind === part;
}
