/** Colours a document in the editor: Markdown's headings and fences, and YAML inside fences. */
import { HighlightStyle, StreamLanguage, type StringStream, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { tags } from "@lezer/highlight";

interface Place {
  fenced: boolean;
}

const language = StreamLanguage.define<Place>({
  startState: () => ({ fenced: false }),
  token(stream, place) {
    if (stream.sol() && stream.match(/^\s{0,3}(?:```|~~~).*/)) {
      place.fenced = !place.fenced;
      return "meta";
    }
    return place.fenced ? yaml(stream) : prose(stream);
  },
});

function prose(stream: StringStream): string | null {
  if (stream.sol() && stream.match(/^#{1,6}\s.*/)) return "heading";
  if (stream.match(/^`[^`]+`/)) return "string";
  if (stream.match(/^\*\*[^*]+\*\*/)) return "strong";
  stream.next();
  stream.match(/^[^`*]+/);
  return null;
}

function yaml(stream: StringStream): string | null {
  if (stream.eatSpace()) return null;
  if (stream.match(/^#.*/)) return "comment";
  if (
    stream.match(/^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')(?=\s*:(?:\s|$))/) ||
    stream.match(/^[\w$./@-]+\??(?=\s*:(?:\s|$))/)
  )
    return "propertyName";
  if (stream.match(/^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/)) return "string";
  if (stream.match(/^(?:true|false|null|none|not shown)\b/)) return "atom";
  if (stream.match(/^-?\d[\d.,_]*(?:ms|s|m|h|d|KB|MB|GB)?\b/)) return "number";
  if (stream.match(/^(?::=|->|&&|\|\||[=!<>]=|[{}[\],:|=])/)) return "punctuation";
  if (stream.match(/^[\w-]+/)) return null;
  stream.next();
  return null;
}

const colours = HighlightStyle.define([
  { tag: tags.heading, class: "t-heading" },
  { tag: tags.strong, class: "t-strong" },
  { tag: tags.propertyName, class: "t-key" },
  { tag: tags.string, class: "t-text" },
  { tag: tags.comment, class: "t-quiet" },
  { tag: tags.meta, class: "t-quiet" },
  { tag: [tags.number, tags.atom], class: "t-value" },
]);

export const highlighting: Extension = [language, syntaxHighlighting(colours)];
