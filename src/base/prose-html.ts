/**
 * Renders prose: Markdown to HTML by micromark, which escapes raw HTML. Pages load no external resources, so an image becomes a
 * link.
 */
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import type { Html } from "./html.ts";

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

/** Renders fences of YAML in pieces, as `proseHtml` does, without parsing them as Markdown: an imported description has 6 MB of them. */
export function* fencesHtml(markdown: string): Iterable<Html> {
  const fences = [...markdown.matchAll(/```yaml\n([^]*?)\n```\n\n/gy)];
  const length = fences.reduce((sum, [fence]) => sum + fence.length, 0);
  // A fence of another form, such as one with four backticks.
  if (length < markdown.length || markdown.includes("````")) return yield proseHtml(markdown);
  for (const [, yaml = ""] of fences) {
    yield { html: `<pre tabindex="0"><code>` };
    for (const line of linesOf(yaml)) yield { html: `${highlightedLine(escaped(line))}\n` };
    yield { html: "</code></pre>\n" };
  }
}

/** Returns the lines one after another, since the lists and copies of all lines would take ten times the memory of the text. */
function* linesOf(text: string): Iterable<string> {
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  yield text.slice(start);
}

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] as string);
}

/** Renders a link if it is an http, mailto or relative URL; any other link, such as `javascript:`, becomes plain text. */
function link(address: string, text: string): string {
  return /^(?:https?:\/\/|mailto:|#|\.{0,2}\/)/i.test(address)
    ? `<a href="${address}" rel="noreferrer">${text}</a>`
    : text;
}

/** Highlights keys and comments of YAML for readers; it does not parse YAML. */
function highlighted(yaml: string): string {
  return yaml.split("\n").map(highlightedLine).join("\n");
}

function highlightedLine(line: string): string {
  const [content = "", comment = ""] = line.split(/((?:^|\s)#(?:\s.*|$))/);
  const key = content.replace(
    /^(\s*(?:- )?)((?:&quot;.*?&quot;|[^\s#'{[][^#']*?))(?=:(?:\s|$))/,
    '$1<span class="key">$2</span>',
  );
  return comment === "" ? key : `${key}<span class="comment">${comment}</span>`;
}
