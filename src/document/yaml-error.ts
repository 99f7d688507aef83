/** Rewrites errors of the YAML library for authors of documents. */

export interface ErrorText {
  readonly code: string;
  readonly message: string;
  readonly help: string;
}

/** Returns the text for an error; `code` and `message` are the library's. */
export function errorText(code: string, message: string): ErrorText {
  if (code === "UNEXPECTED_TOKEN") return unexpected(message);
  if (code === "BAD_INDENT" && message.includes("end with a")) return notClosed;
  return errorTexts[code] ?? { code: "document/yaml-syntax", message: "This is not YAML.", help: helpQuote };
}

const helpQuote = "Put the value in quotes if it is text.";

function unexpected(message: string): ErrorText {
  if (message.includes("in YAML stream")) {
    return {
      code: "document/yaml-out-of-place",
      message: "This stands outside of the value that the block holds.",
      help: "Look for a bracket too many, a missing colon or a wrong indentation above it.",
    };
  }
  if (message.includes("block-seq-ind")) {
    return {
      code: "document/yaml-syntax",
      message: "A list with dashes cannot start on the line of its key.",
      help: "Start it on the next line, or write `[a, b]`.",
    };
  }
  return {
    code: "document/yaml-syntax",
    message: "The value ends before this.",
    help: "Put the whole value in quotes, or write a comma or a colon where one is missing.",
  };
}

const indentation: ErrorText = {
  code: "document/indentation",
  message: "The indentation of this line fits neither the line above it nor any map that is still open.",
  help: "Indent it exactly as the other entries of its map.",
};

const notClosed: ErrorText = {
  code: "document/not-closed",
  message: "Something that was opened is not closed here, or a colon is missing after a key.",
  help: "Close the quote, bracket or brace; write `key: value` for an entry.",
};

const keyOnOneLine: ErrorText = {
  code: "document/yaml-syntax",
  message: "This line is neither `key: value` nor the continuation of a value.",
  help: "Write a colon and a space after the key.",
};

const tag: ErrorText = {
  code: "document/yaml-tag",
  message: "A value that starts with `!` is a tag of YAML, which has no meaning here.",
  help: "Put the whole value in quotes.",
};

const anchor: ErrorText = {
  code: "document/yaml-anchor",
  message: "Anchors and aliases of YAML (`&`, `*`) have no meaning here.",
  help: "Write the value out, or put it in quotes if text was meant.",
};

const needsQuotes: ErrorText = {
  code: "document/value-needs-quotes",
  message: "YAML does not take a plain value that starts like this.",
  help: "Put the value in quotes.",
};

const errorTexts: Readonly<Record<string, ErrorText>> = {
  ALIAS_PROPS: anchor,
  BAD_ALIAS: anchor,
  MULTIPLE_ANCHORS: anchor,
  BAD_DIRECTIVE: {
    code: "document/yaml-directive",
    message: "A line that starts with `%` is a directive of YAML and has no meaning here.",
    help: "Leave the line out, or put the value in quotes if it is text.",
  },
  BAD_DQ_ESCAPE: {
    code: "document/escape",
    message: "There is no such escape in double quotes.",
    help: "Write `\\\\` for a backslash, or put the value in single quotes.",
  },
  BAD_INDENT: indentation,
  BAD_PROP_ORDER: tag,
  BAD_SCALAR_START: needsQuotes,
  BLOCK_AS_IMPLICIT_KEY: {
    code: "document/value-needs-quotes",
    message: "A value cannot hold a colon and a space unless it is in quotes.",
    help: "Put the value in quotes; start a map on the next line or write it in braces.",
  },
  BLOCK_IN_FLOW: {
    code: "document/yaml-syntax",
    message: "Inside of brackets and braces, lists and maps are written with brackets and braces too.",
    help: "Write `[a, b]` or `{ a: b }`.",
  },
  IMPOSSIBLE: { code: "document/yaml-syntax", message: "This is not YAML.", help: helpQuote },
  KEY_OVER_1024_CHARS: {
    code: "document/yaml-syntax",
    message: "This key is longer than 1024 characters.",
    help: "Look for a missing line break, or shorten the key.",
  },
  MISSING_CHAR: notClosed,
  MULTILINE_IMPLICIT_KEY: keyOnOneLine,
  MULTIPLE_DOCS: {
    code: "document/several-values",
    message: "A second YAML value starts here; a block holds one.",
    help: "Leave the line `---` out, or write a second block.",
  },
  MULTIPLE_TAGS: tag,
  TAG_RESOLVE_FAILED: tag,
  BAD_COLLECTION_TYPE: tag,
  RESOURCE_EXHAUSTION: {
    code: "document/too-deep",
    message: "Values are nested too deep here; the rest was not read.",
    help: "Give the inner value a name of its own and refer to it.",
  },
  TAB_AS_INDENT: {
    code: "document/tab-indentation",
    message: "A tab indents this line; YAML only takes spaces.",
    help: "Write spaces.",
  },
};
