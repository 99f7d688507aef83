/** Markdown's inline marks taken off a paragraph, in linear time: enough to read its words, not to render it. */

/** The words of `markdown`: no emphasis, code, link or HTML marks; line ends become spaces. */
export function plainText(markdown: string): string {
  return (
    markdown
      .replace(/<!--[^<>]*>|<\/?[A-Za-z][^<>]*>/g, (tag) => (/^<[a-z]+:|@/i.test(tag) ? tag.slice(1, -1) : ""))
      .replace(/!?\[([^[\]]*)\]\([^()\s]*(?:\s"[^"\n]*")?\)/g, "$1")
      .replace(/\[([^[\]]*)\]\[[^[\]]*\]/g, "$1")
      // A mark is emphasis only beside a word's edge: `2 * 3` and `snake_case` keep theirs.
      .replace(/(^|[\s("'*_~[])(?:\*{1,3}|_{1,3}|~~)(?=\S)/g, "$1")
      .replace(/(\S)(?:\*{1,3}|_{1,3}|~~)(?=$|[\s)"'.,;:!?*_~\]])/g, "$1")
      .replace(/`+/g, "")
      .replace(/\\([!-/:-@[-`{-~])/g, "$1")
      .replace(/\s+/g, " ")
      .trim()
  );
}
