/** The page at `/`: the document itself, its own words beside what they come to. */
import { hasEvents } from "../../plan/events.ts";
import { partNames, type PartName } from "../../parts/model.ts";
import { partHeadings, partOfHeading } from "../../parts/sections.ts";
import { type Content, facts, html, type Html } from "./html.ts";
import { defaultsTaken, inlineCode, openQuestions, partViews } from "./parts.ts";
import { page } from "./page.ts";
import { highlighted, type Part, readParts, renderBlocks } from "./prose.ts";
import { isOpen, type Source } from "./source.ts";

export function documentPage(source: Source): string {
  const { plan, result } = source;
  const data = /\.(?:ya?ml|json)$/i.test(result.name);
  const prose = data ? [] : readParts(result.text);
  const opening = prose.filter(({ heading }) => heading === undefined).flatMap(({ blocks }) => blocks);
  return page({
    title: plan.title,
    description: plan.purpose,
    root: "./",
    navigation: navigation(source),
    main: html`<header class="opening">
<p class="kicker">${result.model.purpose.domain ?? "A service"}</p>
<h1>${plan.title}</h1>
${plan.purpose === "" ? undefined : html`<p class="lead">${plan.purpose}</p>`}
${summary(source)}
${renderBlocks(opening, prose)}
</header>
${partNames.map((part, index) => partSection(source, part, index + 1, prose))}
${data ? html`<section id="document"><h2>The document</h2><pre tabindex="0"><code>${highlighted(result.text)}</code></pre></section>` : undefined}
${unenforced(source)}
${otherSections(prose)}`,
  });
}

function navigation({ plan, result }: Source): Html {
  const status = new Map(result.parts.map((one) => [one.part, one.status]));
  return html`<p class="brand"><a href="#content">${plan.title}</a></p>
<ol>${partNames.map((part) => {
    const open = result.questions.filter((question) => question.part === part && isOpen(question)).length;
    return html`<li><a href="#${part}">${shortName(part)}${open === 0 ? undefined : html` <span class="count" title="${open} open">${open}<span class="hidden"> open</span></span>`}${
      status.get(part) === "none" ? html` <span class="quiet">none</span>` : undefined
    }</a></li>`;
  })}</ol>
<ul>
<li><a href="openapi.json">OpenAPI</a></li>
${hasEvents(plan) ? html`<li><a href="asyncapi.json">AsyncAPI</a></li>\n` : undefined}<li><a href="readyz">Health</a></li>
</ul>`;
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
  return facts([
    ["Address", html`<code>${plan.base.replace("{base_url}", baseUrl)}</code>`],
    ["Operations", String(plan.operations.length)],
    ["Resources", plan.tables.map(({ resource }) => resource).join(", ")],
    ["Specified", `${answered} of ${result.questions.length} questions answered`],
    ["Version", plan.version],
  ]);
}

function partSection(source: Source, part: PartName, number: number, prose: readonly Part[]): Html {
  const said = prose
    .filter(({ heading }) => heading !== undefined && partOfHeading(heading) === part)
    .flatMap(({ blocks }) => blocks);
  const [name] = partHeadings[part];
  const isBlock = ({ type, lang, meta }: (typeof said)[number]): boolean =>
    type === "code" && lang === "yaml" && (meta ?? "") === "";
  const definitions = said.filter(isBlock);
  const words = said.filter((block) => !isBlock(block));
  return html`<section id="${part}" aria-labelledby="${part}-heading">
<h2 id="${part}-heading"><span class="number">${number}</span> ${name}</h2>
<div class="columns">
<div class="reading">
${renderBlocks(words, prose)}
${openQuestions(source, part)}
${source.result.model.status[part] === "none" ? html`<p>The service has none.</p>` : partViews[part](source)}
${defaultsTaken(source, part)}
</div>
${
  definitions.length === 0
    ? undefined
    : html`<aside class="definition" aria-label="What the document says: ${name}">
<details open><summary>As the document says it</summary>${renderBlocks(definitions, prose)}</details>
</aside>`
}
</div>
</section>
`;
}

/** What is said and not yet kept: nobody should read it as a promise. */
function unenforced({ plan }: Source): Content {
  if (plan.unenforced.length === 0) return undefined;
  return html`<section id="not-yet" aria-labelledby="not-yet-heading">
<h2 id="not-yet-heading">Not enforced yet</h2>
<p>The document says these things, and this release of the engine does not act on them.</p>
<details><summary>${plan.unenforced.length} statements</summary>
<ul>${plan.unenforced.map(({ line, what }) => html`<li><span class="quiet">line ${line}</span> ${inlineCode(what)}</li>`)}</ul>
</details>
</section>`;
}

/** What stands under a heading that is none of the nine. */
function otherSections(prose: readonly Part[]): Content {
  return prose
    .filter(({ heading }) => heading !== undefined && partOfHeading(heading) === undefined)
    .map(({ heading, blocks }) => html`<section><h2>${heading}</h2>${renderBlocks(blocks, prose)}</section>`);
}
