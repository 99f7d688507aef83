/** Decodes the bytes of a file as text, whatever they are. */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { linesOf, spanIn } from "./source.ts";

export interface Decoded {
  /** The text without a byte order mark; invalid bytes become U+FFFD. */
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

export function decode(input: string | Uint8Array): Decoded {
  if (typeof input === "string") return decodeText(input);
  const text = new TextDecoder("utf-8", { ignoreBOM: false }).decode(input);
  const valid = isUtf8(input);
  const checked = checkCharacters(text);
  if (valid) return checked;
  const diagnostic = notUtf8(checked.text, Math.max(0, checked.text.indexOf("\uFFFD")));
  return { text: checked.text, diagnostics: [diagnostic, ...checked.diagnostics] };
}

function decodeText(input: string): Decoded {
  const text = input.startsWith("\uFEFF") ? input.slice(1) : input;
  if (text.isWellFormed()) return checkCharacters(text);
  const wellFormed = text.toWellFormed();
  const checked = checkCharacters(wellFormed);
  const diagnostic = notUtf8(checked.text, firstDifference(text, wellFormed));
  return { text: checked.text, diagnostics: [diagnostic, ...checked.diagnostics] };
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    // The platform's decoder reports invalid UTF-8 only by throwing, so an exception means that the bytes are invalid.
    return false;
  }
}

function notUtf8(text: string, offset: number): Diagnostic {
  return {
    code: "document/not-utf-8",
    severity: "error",
    message: "The document is not UTF-8 text; this is the first place where it is not.",
    span: spanIn(linesOf(text), offset, offset + 1),
    why: "What cannot be decoded is lost, and the rest may be misread.",
    help: "Save the document in the encoding UTF-8.",
  };
}

function firstDifference(a: string, b: string): number {
  let index = 0;
  while (index < a.length && a[index] === b[index]) index += 1;
  return index;
}

/** Control characters except tab, line feed, form feed and carriage return. */
const controlCharacter = /[^\P{Cc}\t\n\f\r]/u;

/** Reports the first control character: they are invisible and have no meaning in Markdown or YAML. */
function checkCharacters(text: string): Decoded {
  const at = text.search(controlCharacter);
  if (at < 0) return { text, diagnostics: [] };
  const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, "0");
  const diagnostic: Diagnostic = {
    code: "document/control-character",
    severity: "warning",
    message: `The document holds a character that cannot be seen, U+${code}.`,
    span: spanIn(linesOf(text), at, at + 1),
    help: "Delete it.",
  };
  return { text, diagnostics: [diagnostic] };
}
