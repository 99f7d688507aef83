/**
 * Renders the document's prose: Markdown to HTML by micromark, which escapes raw HTML. Pages load no external resources, so an
 * image becomes a link.
 */
import { fromMarkdown } from "mdast-util-from-markdown";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import type { Html } from "./html.ts";

/** The Markdown below an H2 heading, or before the first one. */
export interface Section {
  readonly heading: string | undefined;
  /** The prose, with the link definitions of the whole document. */
  readonly words: string;
  /** The YAML blocks that define the service. */
  readonly blocks: string;
}

export function readSections(text: string): readonly Section[] {
  const tree = fromMarkdown(text);
  const sections: { heading: string | undefined; words: string; blocks: string }[] = [
    { heading: undefined, words: "", blocks: "" },
  ];
  let definitions = "";
  for (const node of tree.children) {
    if (node.position === undefined) continue;
    const { start, end } = node.position;
    const written = `${text.slice((start.offset ?? 0) - start.column + 1, end.offset)}\n\n`;
    const section = sections.at(-1) as (typeof sections)[number];
    if (node.type === "heading" && node.depth === 2) sections.push({ heading: plain(node), words: "", blocks: "" });
    else if (node.type === "definition") definitions += written;
    else if (node.type === "code" && node.lang === "yaml" && (node.meta ?? "") === "") section.blocks += written;
    else if (node.type !== "heading" || node.depth !== 1) section.words += written;
  }
  return sections.map((section) => ({ ...section, words: section.words && section.words + definitions }));
}

function plain(node: object): string {
  const { value, children = [] } = node as { readonly value?: string; readonly children?: readonly object[] };
  return value ?? children.map(plain).join("");
}

export function proseHtml(markdown: string): Html {
  const written = micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
  const html = written
    .replaceAll(/<a href="([^"]*)"[^>]*>(.*?)<\/a>/gs, (_, address: string, text: string) => link(address, text))
    .replaceAll(/<img src="([^"]*)" alt="([^"]*)"[^>]*>/g, (_, address: string, text: string) =>
      link(address, text || address),
    )
    .replaceAll(/<input [^>]*>/g, (box) => (box.includes("checked") ? "☑" : "☐"))
    .replaceAll(/<th(?=[ >])/g, '<th scope="col"')
    .replaceAll("<table>", '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>')
    .replaceAll("</table>", "</table></div>")
    .replaceAll(
      /<pre><code class="language-yaml">(.*?)<\/code>/gs,
      (_, yaml: string) => `<pre><code>${highlighted(yaml)}</code>`,
    )
    .replaceAll(/<pre><code[^>]*>/g, '<pre tabindex="0"><code>');
  return { html };
}

/** Renders a link if it is an http, mailto or relative URL; any other link, such as `javascript:`, becomes plain text. */
function link(address: string, text: string): string {
  return /^(?:https?:\/\/|mailto:|#|\.{0,2}\/)/i.test(address)
    ? `<a href="${address}" rel="noreferrer">${text}</a>`
    : text;
}

/** Highlights keys and comments of YAML for readers; it does not parse YAML. */
function highlighted(yaml: string): string {
  return yaml
    .split("\n")
    .map((line) => {
      const [content = "", comment = ""] = line.split(/((?:^|\s)#(?:\s.*|$))/);
      const key = content.replace(
        /^(\s*(?:- )?)((?:&quot;.*?&quot;|[^\s#'{[][^#']*?))(?=:(?:\s|$))/,
        '$1<span class="key">$2</span>',
      );
      return comment === "" ? key : `${key}<span class="comment">${comment}</span>`;
    })
    .join("\n");
}
