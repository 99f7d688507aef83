/**
 * Exports a service as reference documentation in Markdown, for a repository or a wiki: operations by resource with requests,
 * responses and errors; fields, states, events, limits and versions.
 */
import type { Model } from "../../language/model.ts";
import type { Plan } from "../../plan/plan.ts";
import { type Block, type Blocks, descriptionList, joined, link } from "../document/content.ts";
import { operationBlock, operationsOf } from "../document/operations.ts";
import * as parts from "../document/parts.ts";
import { sourceOf } from "../document/source.ts";
import { blocksMarkdown } from "../document/to-markdown.ts";
import { diagrams } from "../mermaid/mermaid.ts";

export function markdown(plan: Plan, model: Model, baseUrl: string): string {
  const source = sourceOf(plan, model, baseUrl);
  const resources = source.resources.filter((resource) => resource !== "");
  const diagram = (name: string): string | undefined => diagrams(plan, model).find((one) => one.name === name)?.text;
  const relations = diagram("relations");
  const index = resources.map((resource) => [
    link("resource", resource),
    ": ",
    joined(operationsOf(source, resource), ", ", ({ name }) => link("operation", name)),
  ]);
  const title = blocksMarkdown([{ kind: "heading", level: 1, name: plan.title }]);
  const note = "<!-- Made by `nonet export markdown`: change the document, not this page. -->\n";
  const blocks: Blocks = [
    { kind: "paragraph", words: plan.purpose },
    descriptionList([...parts.conventionEntries(source), ...parts.purposeEntries(source)]),
    { kind: "list", items: index },
    ...section("Authentication", parts.authentication(source)),
    ...resources.flatMap((resource) =>
      section(resource, [
        ...parts.resourceBlocks(source, resource),
        parts.statesBlock(source, resource),
        ...operationsOf(source, resource).map((operation) => operationBlock(source, operation)),
      ]),
    ),
    ...section("Operations", [...operationsOf(source, "").map((operation) => operationBlock(source, operation))]),
    ...section("Schemas", parts.schemaBlocks(source)),
    ...section("Relations", [relations === undefined ? undefined : { kind: "diagram", text: relations }]),
    ...section("Events", parts.events(source, diagram("events"))),
    ...section("Errors", parts.errors(source)),
    ...section("Limits", parts.limits(source)),
    ...section("Versions", parts.versioning(source)),
  ];
  return [title, note, blocksMarkdown(blocks)].join("\n");
}

/** Builds a section with a heading; empty if all blocks are undefined. */
function section(name: string, blocks: Blocks): Blocks {
  const heading: Block = { kind: "heading", level: 2, name };
  return blocks.every((block) => block === undefined) ? [] : [heading, ...blocks];
}
