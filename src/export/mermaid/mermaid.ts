/** Exports a document as Mermaid diagrams: the states of each resource, references between resources, and events. */
import type { Model } from "../../language/model.ts";
import type { EventsPart } from "../../plan/events/types.ts";
import type { PurposePart } from "../../plan/purpose/types.ts";
import { eventFlow } from "./events.ts";
import { relations } from "./relations.ts";
import { stateDiagram } from "./states.ts";

export interface Diagram {
  /** The name of a resource, `relations` or `events`: the argument of `--only`. */
  readonly name: string;
  readonly title: string;
  /** The text in Mermaid's syntax, which ends with a newline. */
  readonly text: string;
}

/** Returns the diagrams of a document, without empty ones. */
export function diagrams(plan: EventsPart, model: Model): readonly Diagram[] {
  const related = relations(model);
  const flow = eventFlow(plan, model);
  return [
    ...stateDiagrams(model),
    ...(related === undefined ? [] : [{ name: "relations", title: "Relations", text: related }]),
    ...(flow === undefined ? [] : [{ name: "events", title: "Events", text: flow }]),
  ];
}

export function stateDiagrams({ states }: Pick<Model, "states">): readonly Diagram[] {
  return Object.entries(states).flatMap(([resource, lifecycle]) =>
    lifecycle === "none" ? [] : [{ name: resource, title: `States of ${resource}`, text: stateDiagram(lifecycle) }],
  );
}

/** Returns Markdown with the diagrams, which GitHub and Mermaid's command line can render. */
export function mermaidMarkdown({ title }: Pick<PurposePart, "title">, all: readonly Diagram[]): string {
  return `# ${title}\n${all.map((one) => `\n## ${one.title}\n\n${fenced(one)}`).join("")}`;
}

export function fenced({ text }: Pick<Diagram, "text">): string {
  return `\`\`\`mermaid\n${text}\`\`\`\n`;
}
