/** The document's own words: Markdown to HTML. Raw HTML is shown, not obeyed, and nothing is fetched from anywhere. */
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { type Content, html, type Html } from "./html.ts";

/** What is used of an mdast node, as one type. */
export interface Block {
  readonly type: string;
  readonly depth?: number | undefined;
  readonly value?: string | undefined;
  readonly lang?: string | null | undefined;
  readonly meta?: string | null | undefined;
  readonly ordered?: boolean | null | undefined;
  readonly start?: number | null | undefined;
  /** Of a list and its items: whether paragraphs stand apart. */
  readonly spread?: boolean | null | undefined;
  readonly checked?: boolean | null | undefined;
  readonly url?: string | undefined;
  readonly alt?: string | null | undefined;
  readonly identifier?: string | undefined;
  readonly align?: readonly (string | null)[] | null | undefined;
  readonly children?: readonly Block[] | undefined;
  readonly position?: { readonly start: { readonly line: number } } | undefined;
}

/** What stands under one H2, and before the first. */
export interface Part {
  readonly heading: string | undefined;
  readonly blocks: readonly Block[];
}

export function readParts(text: string): readonly Part[] {
  const tree: Block = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const parts: { heading: string | undefined; blocks: Block[] }[] = [{ heading: undefined, blocks: [] }];
  for (const block of tree.children ?? []) {
    if (block.type === "heading" && block.depth === 1) continue;
    if (block.type === "heading" && block.depth === 2) parts.push({ heading: plain(block), blocks: [] });
    else parts.at(-1)?.blocks.push(block);
  }
  return parts;
}

/** `around` is where link and footnote definitions are looked for. */
export function renderBlocks(blocks: readonly Block[], around: readonly Part[]): readonly Html[] {
  const definitions = new Map(
    around
      .flatMap((part) => part.blocks)
      .filter(({ type }) => type === "definition")
      .map(({ identifier = "", url = "" }) => [identifier, url]),
  );
  return blocks.map((block) => render(block, definitions));
}

type Definitions = ReadonlyMap<string, string>;

function render(node: Block, definitions: Definitions): Html {
  const inside = (): readonly Content[] => (node.children ?? []).map((child) => render(child, definitions));
  switch (node.type) {
    case "text":
      return html`${node.value}`;
    case "paragraph":
      return html`<p>${inside()}</p>`;
    case "heading":
      return heading(node.depth ?? 3, inside());
    case "emphasis":
      return html`<em>${inside()}</em>`;
    case "strong":
      return html`<strong>${inside()}</strong>`;
    case "delete":
      return html`<del>${inside()}</del>`;
    case "inlineCode":
      return html`<code>${node.value}</code>`;
    case "code":
      return codeBlock(node);
    case "html":
      return html`<code>${node.value}</code>`;
    case "break":
      return html`<br>`;
    case "thematicBreak":
      return html`<hr>`;
    case "blockquote":
      return html`<blockquote>${inside()}</blockquote>`;
    case "link":
      return link(node.url ?? "", inside());
    case "linkReference":
      return link(definitions.get(node.identifier ?? "") ?? "", inside());
    case "image":
      return link(node.url ?? "", node.alt ?? node.url);
    case "imageReference":
      return link(definitions.get(node.identifier ?? "") ?? "", node.alt ?? node.identifier);
    case "list":
      return list(node, definitions);
    case "listItem":
      return listItem(node, node.spread === true, definitions);
    case "table":
      return proseTable(node, definitions);
    case "footnoteReference":
      return html`<sup>${node.identifier}</sup>`;
    case "footnoteDefinition":
      return html`<div class="footnote"><sup>${node.identifier}</sup>${inside()}</div>`;
    case "definition":
      return html``;
    default:
      return html`${inside()}`;
  }
}

/** The page's own headings are H1 to H3 in a part; the document's H3 keeps its level. */
function heading(depth: number, content: readonly Content[]): Html {
  if (depth <= 3) return html`<h3>${content}</h3>`;
  return depth === 4 ? html`<h4>${content}</h4>` : html`<h5>${content}</h5>`;
}

function codeBlock({ value = "", lang, meta }: Block): Html {
  return html`<pre tabindex="0"${meta === "example" ? html` class="example"` : undefined}><code>${lang === "yaml" ? highlighted(value) : value}</code></pre>`;
}

function list({ ordered, start, spread, children = [] }: Block, definitions: Definitions): Html {
  const items = children.map((item) => listItem(item, spread === true || item.spread === true, definitions));
  if (ordered !== true) return html`<ul>${items}</ul>`;
  return start === 1 ? html`<ol>${items}</ol>` : html`<ol start="${start ?? 1}">${items}</ol>`;
}

/** In a list whose items are close together, a paragraph is not set apart from what is around it. */
function listItem({ checked, children = [] }: Block, apart: boolean, definitions: Definitions): Html {
  const box = checked === true ? "☑ " : checked === false ? "☐ " : undefined;
  const content = children.map((child) =>
    apart || child.type !== "paragraph"
      ? render(child, definitions)
      : (child.children ?? []).map((inside) => render(inside, definitions)),
  );
  return html`<li>${box}${content}</li>`;
}

/** Only addresses that lead somewhere; a link that would run something is its text. */
function link(url: string, content: Content): Html {
  return /^(?:https?:\/\/|mailto:|#|\.{0,2}\/)/i.test(url)
    ? html`<a href="${url}" rel="noreferrer">${content}</a>`
    : html`${content}`;
}

function proseTable({ children = [] }: Block, definitions: Definitions): Html {
  const [head, ...rows] = children;
  const cells = (row: Block | undefined): readonly (readonly Content[])[] =>
    (row?.children ?? []).map((cell) => (cell.children ?? []).map((child) => render(child, definitions)));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>
<thead><tr>${cells(head).map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${cells(row).map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

function plain(node: Block): string {
  return node.value ?? (node.children ?? []).map(plain).join("");
}

// ── YAML ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Keys and comments set apart, so that a block can be read at a glance. Only for the eye: nothing is understood by it. */
export function highlighted(yaml: string): readonly Content[] {
  return joinLines(
    yaml.split("\n").map((line) => {
      const comment = /(?:^|\s)#(?:\s.*|$)/.exec(line);
      const said = comment === null ? line : line.slice(0, comment.index);
      const rest = comment === null ? undefined : html`<span class="comment">${line.slice(comment.index)}</span>`;
      const key = /^(\s*(?:- )?)((?:"[^"]*"|'[^']*'|[^\s#'"{[][^#"']*?))(:)(?=\s|$)/.exec(said);
      if (key === null) return html`${said}${rest}`;
      const [whole, blanks = "", name = "", colon = ""] = key;
      return html`${blanks}<span class="key">${name}</span>${colon}${said.slice(whole.length)}${rest}`;
    }),
  );
}

function joinLines(lines: readonly Html[]): readonly Content[] {
  return lines.flatMap((line, index) => (index === 0 ? [line] : ["\n", line]));
}
