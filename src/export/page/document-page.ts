/** Renders the page at `/`: the prose of each part, next to its definitions. */
import { type Content, html, type Html } from "../../base/html.ts";
import { fencesHtml, proseHtml } from "../../base/prose-html.ts";
import { hasEvents } from "../../plan/events/events.ts";
import { partNames, type PartName } from "../../language/model.ts";
import { partHeadings, partOfHeading } from "../../language/grammar/sections.ts";
import { type Block, type Blocks, descriptionList, type Target } from "../document/content.ts";
import { operationBlock, operationsOf } from "../document/operations.ts";
import * as parts from "../document/parts.ts";
import { type Source as Described, sourceOf } from "../document/source.ts";
import { blocksHtml, wordsHtml } from "../document/to-html.ts";
import { fence } from "../document/to-markdown.ts";
import { consolePath, page } from "./page.ts";
import { readSections, type Section } from "./prose.ts";
import { isOpen, type Source } from "./source.ts";
import { descriptionOf } from "../../plan/endpoints/operations.ts";

/** A page that a service serves, or one in a file, with the sections in place of the service's other pages. */
export type PageForm =
  | { readonly kind: "served" /** Whether the program of the console is served, too. */; readonly console: boolean }
  | { readonly kind: "file"; readonly style: string; readonly sections: Content };

/** Returns the page in pieces. */
export function documentPage(source: Source, form: PageForm): Iterable<string> {
  const { plan } = source;
  const frame = {
    title: plan.title,
    description: plan.purpose,
    root: "./",
    ...(form.kind === "file" && { style: form.style }),
    ...(hasConsole(form) && { script: consolePath }),
    navigation: navigation(source, form.kind === "served", hasConsole(form)),
  };
  return page(frame, mainOf(source, form));
}

function hasConsole(form: PageForm): boolean {
  return form.kind === "served" && form.console;
}

function* mainOf(source: Source, form: PageForm): Iterable<Html> {
  const { plan, result, baseUrl } = source;
  const data = /\.(?:ya?ml|json)$/i.test(result.name);
  const sections = data ? [] : readSections(result.text);
  const described = sourceOf(plan, result.model, baseUrl);
  const opening = sections.filter(({ heading }) => heading === undefined);
  yield html`<header class="opening">
<p class="kicker">${result.model.purpose.domain ?? "A service"}</p>
<h1>${plan.title}</h1>
${plan.purpose === "" ? undefined : html`<p class="lead">${plan.purpose}</p>`}
${summary(source)}
${opening.map(({ words }) => words.map(proseHtml))}
</header>
`;
  for (const [index, part] of partNames.entries())
    yield* partSection(source, part, index + 1, sections, partBlocks[part](described));
  yield html`
${data ? html`<section id="document"><h2>The document</h2>${proseHtml(fence("yaml", result.text))}</section>` : undefined}
${unenforced(source)}
${hasConsole(form) ? html`<section id="try-it" aria-labelledby="try-it-heading" data-try-it hidden><h2 id="try-it-heading">Try it</h2></section>` : undefined}
${sections
  .filter(({ heading }) => heading !== undefined && partOfHeading(heading) === undefined)
  .map(
    ({ heading, words, blocks }) =>
      html`<section><h2>${heading}</h2>${words.map(proseHtml)}${proseHtml(blocks)}</section>`,
  )}${form.kind === "file" ? form.sections : undefined}`;
}

const partBlocks: Readonly<Record<PartName, (source: Described) => Blocks>> = {
  purpose: (source) => [descriptionList(parts.purposeEntries(source))],
  resources: (source) => [
    ...byResource(
      source,
      (resource) => parts.resourceBlocks(source, resource),
      () => "resource",
    ),
    ...parts.schemaBlocks(source),
  ],
  states: (source) => byResource(source, (resource) => [parts.statesBlock(source, resource)]),
  endpoints: (source) => [
    descriptionList(parts.conventionEntries(source)),
    ...byResource(
      source,
      (resource) =>
        operationsOf(source, resource)
          .filter(({ name }) => isServed(source, name))
          .map((operation) => operationBlock(source, operation)),
      // A link to a resource without members leads to its operations.
      (resource) => (parts.resourceBlocks(source, resource).every((one) => one === undefined) ? "resource" : undefined),
    ),
    ...unserved(source),
  ],
  authentication: parts.authentication,
  events: (source) => parts.events(source, undefined),
  errors: parts.errors,
  limits: parts.limits,
  versioning: parts.versioning,
};

function byResource(
  { resources }: Described,
  blocksOf: (resource: string) => Blocks,
  targetOf: (resource: string) => Target | undefined = () => undefined,
): Blocks {
  return resources.flatMap((name): Blocks => {
    const blocks = blocksOf(name).filter((block) => block !== undefined);
    const to = targetOf(name);
    const heading: Block = { kind: "heading", level: 3, name, ...(to && { to }) };
    return blocks.length === 0 ? [] : [...(name === "" ? [] : [heading]), ...blocks];
  });
}

/** Without functions, an operation with a contract is described, and not served. */
function isServed({ described, plan }: Described, name: string): boolean {
  const isDescribed = described.operations.some((operation) => operation.name === name);
  const isContract = plan.contractOperations.some((operation) => operation.name === name);
  return isDescribed && (!isContract || plan.operations.some((operation) => operation.name === name));
}

/** Lists the operations of the document that the service does not serve; some have a contract all the same. */
function unserved(source: Described): Blocks {
  const { model, described } = source;
  const contracts = new Map(described.operations.map((operation) => [operation.name, operation]));
  const blocks = Object.entries(model.endpoints.endpoints).flatMap(([name, { method, path }]): Blocks => {
    if (isServed(source, name)) return [];
    const contract = contracts.get(name);
    if (contract !== undefined) return [operationBlock(source, contract)];
    return [{ kind: "operation", name, method, path, sentence: descriptionOf(model, name), blocks: [] }];
  });
  return blocks.length === 0 ? [] : [{ kind: "heading", level: 3, name: "Not served yet" }, ...blocks];
}

function navigation({ plan, result }: Source, links: boolean, tryIt: boolean): Html {
  const status = new Map(result.parts.map((one) => [one.part, one.status]));
  return html`<p class="brand"><a href="#content">${plan.title}</a></p>
<ol>${partNames.map((part) => {
    const open = result.questions.filter((question) => question.part === part && isOpen(question)).length;
    return html`<li><a href="#${part}">${shortName(part)}${open === 0 ? undefined : html` <span class="count" title="${open} open">${open}<span class="hidden"> open</span></span>`}${
      status.get(part) === "none" ? html` <span class="quiet">none</span>` : undefined
    }</a></li>`;
  })}</ol>
${
  links
    ? html`<ul>
${tryIt ? html`<li data-try-it hidden><a href="#try-it">Try it</a></li>\n` : undefined}<li><a href="openapi.json">OpenAPI</a></li>
${hasEvents(plan) ? html`<li><a href="asyncapi.json">AsyncAPI</a></li>\n` : undefined}<li><a href="readyz">Health</a></li>
</ul>`
    : undefined
}`;
}

function shortName(part: PartName): string {
  const words: Readonly<Partial<Record<PartName, string>>> = {
    purpose: "Purpose",
    resources: "Resources",
    states: "States",
  };
  return words[part] ?? partHeadings[part][0];
}

function summary({ plan, result, baseUrl }: Source): Content {
  const answered = result.questions.filter((question) => !isOpen(question)).length;
  const entries = descriptionList([
    ["Address", { kind: "code", text: plan.base.replace("{base_url}", baseUrl) }],
    ["Operations", plan.operations.length],
    ["Resources", plan.tables.map(({ resource }) => resource).join(", ")],
    ["Specified", `${answered} of ${result.questions.length} questions answered`],
    ["Version", plan.version],
  ]);
  return blocksHtml([entries]);
}

function* partSection(
  source: Source,
  part: PartName,
  number: number,
  sections: readonly Section[],
  content: Blocks,
): Iterable<Html> {
  const matching = sections.filter(({ heading }) => heading !== undefined && partOfHeading(heading) === part);
  const blocks = matching.map((one) => one.blocks).join("");
  const [name] = partHeadings[part];
  yield html`<section id="${part}" aria-labelledby="${part}-heading">
<h2 id="${part}-heading"><span class="number">${number}</span> ${name}</h2>
<div class="columns">
<div class="reading">
${matching.map(({ words }) => words.map(proseHtml))}
${openQuestions(source, part)}
`;
  if (source.result.model.status[part] === "none") yield html`<p>The service has none.</p>`;
  else for (const block of content) yield html`${blocksHtml([block])}`;
  yield html`
${appliedDefaults(source, part)}
</div>
`;
  if (blocks !== "") yield* definition(name, blocks);
  yield html`
</div>
</section>
`;
}

function* definition(name: string, blocks: string): Iterable<Html> {
  yield html`<aside class="definition" aria-label="Definition: ${name}">
<details open><summary>Definition</summary>`;
  yield* fencesHtml(blocks);
  yield html`</details>
</aside>`;
}

/** Lists the open questions of a part. */
function openQuestions({ result }: Source, part: PartName): Content {
  const open = result.questions.filter((question) => question.part === part && isOpen(question));
  if (open.length === 0) return undefined;
  const items = open.map(({ text, status }) => {
    return html`<li>${text}${status === "not shown" ? html` <span class="quiet">undecided</span>` : undefined}</li>`;
  });
  return html`<div class="note"><h3>Still open</h3><ul>${items}</ul></div>`;
}

/** Lists the defaults of the language that apply because a part declares nothing. */
function appliedDefaults({ result }: Source, part: PartName): Content {
  const taken = result.questions.filter((question) => question.part === part && question.status === "default");
  if (taken.length === 0) return undefined;
  const items = taken.map(
    ({ text, taken: value }) => html`<div><dt>${text}</dt><dd>${wordsHtml(value ?? "the default")}</dd></div>`,
  );
  return html`<details class="defaults"><summary>${taken.length === 1 ? "One default" : `${taken.length} defaults`} applied</summary><dl>${items}</dl></details>`;
}

/** Lists the statements that this release does not enforce, so that readers do not rely on them. */
function unenforced({ plan }: Source): Content {
  if (plan.unenforced.length === 0) return undefined;
  return html`<section id="not-yet" aria-labelledby="not-yet-heading">
<h2 id="not-yet-heading">Not enforced yet</h2>
<p>This release does not enforce the following statements.</p>
<details><summary>${plan.unenforced.length} statements</summary>
<ul>${plan.unenforced.map(({ line, what }) => html`<li><span class="quiet">line ${line}</span> ${wordsHtml(what)}</li>`)}</ul>
</details>
</section>`;
}
