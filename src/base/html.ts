/** Builds HTML from template literals: escapes every value, unless it is `Html` already. */

export interface Html {
  readonly html: string;
}

export type Content = Html | string | number | undefined | readonly Content[];

/** A template tag, as in `html\`<p>${text}</p>\``: joins lists and renders undefined as nothing. */
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
