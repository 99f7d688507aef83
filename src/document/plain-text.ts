/** Markdown's inline marks taken off a paragraph, in linear time: enough to read its words, not to render it. */

const aside = 0xe000;

/** The words of `markdown`: no emphasis, code, link or HTML marks; line ends become spaces. */
export function plainText(markdown: string): string {
  return (
    markdown
      // What is escaped is no mark: it is put aside in the private use area until the marks are gone.
      .replace(/\\([!-/:-@[-`{-~])/g, (_, character: string) => String.fromCharCode(aside + character.charCodeAt(0)))
      .replace(/<!--[^<>]*>|<\/?[A-Za-z][^<>]*>/g, (tag) => (/^<[a-z]+:|@/i.test(tag) ? tag.slice(1, -1) : ""))
      .replace(/!?\[([^[\]]*)\]\([^()\s]*(?:\s"[^"\n]*")?\)/g, "$1")
      .replace(/\[([^[\]]*)\]\[[^[\]]*\]/g, "$1")
      // A mark is emphasis only beside a word's edge: `2 * 3` and `snake_case` keep theirs.
      .replace(/(^|[\s("'*_~[])(?:\*{1,3}|_{1,3}|~~)(?=\S)/g, "$1")
      .replace(/(\S)(?:\*{1,3}|_{1,3}|~~)(?=$|[\s)"'.,;:!?*_~\]])/g, "$1")
      .replace(/`+/g, "")
      .replace(/[\ue021-\ue07e]/g, (character) => String.fromCharCode(character.charCodeAt(0) - aside))
      .replace(/\s+/g, " ")
      .trim()
  );
}
