/** Renders content as HTML for the pages of the service: folds long blocks and draws states. */
import { stateDiagram } from "../page/diagram.ts";
import { type Content, html, type Html } from "../../base/html.ts";
import { anchor, type Block, type Blocks, type Table, type Words } from "./content.ts";
import { stateTables } from "./parts.ts";

export function blocksHtml(blocks: Blocks): Content {
  return blocks.map((block) => (block === undefined ? undefined : blockHtml(block)));
}

function blockHtml(block: Block): Content {
  switch (block.kind) {
    case "heading": {
      const { level, to, name } = block;
      return html`<h${level}${to && html` id="${anchor(to, name)}"`}>${name}</h${level}>`;
    }
    case "paragraph":
      return html`<p>${wordsHtml(block.words)}</p>`;
    case "list":
      return html`<ul>${block.items.map((item) => html`<li>${wordsHtml(item)}</li>`)}</ul>`;
    case "table":
      return tableHtml(block);
    case "descriptions":
      return html`<dl class="facts">${block.entries.map(([label, words]) => html`<div><dt>${label}</dt><dd>${wordsHtml(words)}</dd></div>`)}</dl>`;
    case "code":
      return folded(block.title, html`<pre tabindex="0"><code>${block.text}</code></pre>`);
    case "details":
      return folded(block.title, blocksHtml(block.blocks), block.to && anchor(block.to, block.title));
    case "states": {
      const { resource, lifecycle } = block;
      const tables = blocksHtml(stateTables(resource, lifecycle));
      return [stateDiagram(resource, lifecycle), folded(`The states and transitions of ${resource} as tables`, tables)];
    }
    case "diagram":
      return undefined;
    case "operation": {
      const { name, method, path, sentence, blocks } = block;
      return html`<article class="operation"><h4 id="${anchor("operation", name)}"><span class="method ${method.toLowerCase()}">${method}</span> <code class="path">${path.split(/(?<=\/)/).map((piece) => html`${piece}<wbr>`)}</code> <span class="name">${name}</span></h4>
<p>${wordsHtml(sentence)}</p>
${blocksHtml(blocks.filter((one) => !isFolded(one)))}${blocksHtml(blocks.filter(isFolded))}</article>
`;
    }
  }
}

/** Whether a block is folded; all folded blocks share one row below the others. */
function isFolded(block: Block | undefined): boolean {
  return block?.kind === "details" || block?.kind === "code";
}

function folded(title: string, content: Content, id?: string): Html {
  return html`<details${id && html` id="${id}"`}><summary>${title}</summary>
${content}</details>
`;
}

function tableHtml({ caption, named, head, rows }: Table): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table>
<caption${named && html` class="hidden"`}>${caption}</caption>
<thead><tr>${head.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([
      first,
      ...rest
    ]) => html`<tr><th scope="row">${wordsHtml(first)}</th>${rest.map((words) => html`<td>${wordsHtml(words)}</td>`)}</tr>
`,
  )}</tbody>
</table></div>`;
}

export function wordsHtml(words: Words): Content {
  if (words === undefined) return undefined;
  if (typeof words !== "object") {
    const pieces = String(words).split(/`([^`\n]+)`/);
    return pieces.map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece));
  }
  if (!("kind" in words)) return words.map(wordsHtml);
  switch (words.kind) {
    case "code":
      return html`<code>${words.text}</code>`;
    case "strong":
      return html`<strong>${words.text}</strong>`;
    case "mark":
    case "quiet":
      return html`<span class="${words.kind}">${words.text}</span>`;
    case "link": {
      const { to, name } = words;
      const text = to === "resource" || to === "schema" ? html`${name}` : html`<code>${name}</code>`;
      return html`<a href="${to === "error" ? `errors/${name}` : `#${anchor(to, name)}`}">${text}</a>`;
    }
    case "address":
      return words.url.startsWith("#")
        ? html`<a href="${words.url}">${words.text}</a>`
        : html`<a href="${words.url}" rel="noreferrer">${words.text}</a>`;
    case "lines":
      return words.lines.flatMap((line, index) => [index === 0 ? undefined : html`<br>`, wordsHtml(line)]);
  }
}
