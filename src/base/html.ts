/** Builds HTML from template literals: escapes every value, unless it is `Html` already. */

export interface Html {
  readonly html: string;
}

export type Content = Html | string | number | undefined | readonly Content[];

/** A template tag, as in `html\`<p>${text}</p>\``: joins lists and renders undefined as nothing. */
export function html(pieces: TemplateStringsArray, ...contents: readonly Content[]): Html {
  // Appended instead of joined: a nested template refers to the text of its inner ones, and does not copy it.
  return { html: pieces.reduce((text, piece, index) => text + render(contents[index - 1]) + piece) };
}

export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function render(content: Content): string {
  if (content === undefined) return "";
  if (typeof content === "string" || typeof content === "number") return escape(String(content));
  return "html" in content ? content.html : content.reduce((text: string, one) => text + render(one), "");
}
