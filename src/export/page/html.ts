/** HTML made from templates: whatever is put into one is escaped, unless it is HTML already. */

export interface Html {
  readonly html: string;
}

export type Content = Html | string | number | undefined | readonly Content[];

/** `html\`<p>${text}</p>\``: lists are joined, undefined is nothing. */
export function html(pieces: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return { html: pieces.map((piece, index) => piece + render(contents[index])).join("") };
}

export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function render(content: Content): string {
  if (content === undefined) return "";
  if (typeof content === "string" || typeof content === "number") return escape(String(content));
  return "html" in content ? content.html : content.map(render).join("");
}

/** `contents` with `between` between each two. */
export function joined(contents: readonly Content[], between: Content): readonly Content[] {
  return contents.flatMap((content, index) => (index === 0 ? [content] : [between, content]));
}

export function code(text: string): Html {
  return html`<code>${text}</code>`;
}

/** A name for an anchor: letters, digits and hyphens. */
export function anchor(...words: readonly string[]): string {
  return words.join("-").replace(/[^A-Za-z0-9-]+/g, "-");
}

/** A table with a heading for each column; nothing where there are no rows. `named`: a heading above it names it already. */
export function table(
  caption: string,
  headings: readonly string[],
  rows: readonly (readonly Content[])[],
  named = false,
): Html | undefined {
  if (rows.length === 0) return undefined;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table>
<caption${named ? html` class="hidden"` : undefined}>${caption}</caption>
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${rows.map(
    (
      row,
    ) => html`<tr>${row.map((cell, index) => (index === 0 ? html`<th scope="row">${cell}</th>` : html`<td>${cell}</td>`))}</tr>
`,
  )}</tbody>
</table></div>`;
}

/** Terms with what they mean; those without content are left out. */
export function facts(entries: readonly (readonly [term: string, content: Content])[]): Html | undefined {
  const said = entries.filter(
    ([, content]) => content !== undefined && content !== "" && !(Array.isArray(content) && content.length === 0),
  );
  if (said.length === 0) return undefined;
  return html`<dl class="facts">${said.map(([term, content]) => html`<div><dt>${term}</dt><dd>${content}</dd></div>`)}</dl>`;
}
