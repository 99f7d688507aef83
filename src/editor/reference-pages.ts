/**
 * Finds the explanation of a key or word of the language in the pages that define the language: in the tables of the section about
 * the part, else in the first sentence there that has the word.
 */
import { type PartName, partNames } from "../language/model.ts";

export interface Explanation {
  readonly text: string;
  /** The page and the heading that explains it: `language.md#types`. */
  readonly page: string;
}

export interface ReferencePages {
  /** Returns the explanation of a key or word in a part. `near`: keys around it, which choose between several meanings. */
  readonly explanation: (part: PartName, word: string, near?: readonly string[]) => Explanation | undefined;
  /** Returns example calls of a function of expressions, with their values. */
  readonly samples: (functionName: string) => readonly string[];
  /** Returns the address of the section about a part. */
  readonly section: (part: PartName) => string;
}

/** A row of a table, or a sentence, which has the same texts as a row of a table with two columns. */
interface Row {
  readonly part: PartName | undefined;
  readonly heading: string;
  readonly texts: readonly string[];
  readonly columns: readonly string[];
}

/** `language`, `expressions`: the Markdown of these pages; empty texts if they are not installed. */
export function referencePages(language: string, expressions: string): ReferencePages {
  const rows = [...rowsOf(language), ...proseOf(language)];
  const byWord = new Map<string, Row[]>();
  for (const row of rows) {
    for (const word of codesIn(row.texts[0] ?? "")) {
      for (const key of [`${row.part} ${word}`, word]) byWord.set(key, [...(byWord.get(key) ?? []), row]);
    }
  }
  const calls = rowsOf(expressions).flatMap(({ texts }) => (texts.length === 2 ? [texts] : []));
  return {
    explanation: (part, word, near = []) => {
      const found = byWord.get(`${part} ${word}`) ?? byWord.get(word) ?? [];
      const row = found.find(({ heading }) => near.some((key) => isAbout(heading, key))) ?? found[0];
      return row && { text: explanationOf(row), page: `language.md#${anchorOf(row.heading)}` };
    },
    samples: (name) => {
      const call = new RegExp(`\\b${name}\\(`);
      return calls.flatMap(([expression = "", value = ""]) =>
        call.test(expression) ? [`${plain(expression)} → ${plain(value)}`] : [],
      );
    },
    section: (part) => {
      const number = partNames.indexOf(part) + 1;
      return `language.md#${anchorOf(new RegExp(`^## (${number}\\. .*)$`, "m").exec(language)?.[1] ?? "")}`;
    },
  };
}

interface Paragraph {
  readonly part: PartName | undefined;
  readonly heading: string;
  readonly lines: readonly string[];
}

/** Returns the paragraphs and tables of a page, without code. */
function paragraphsOf(page: string): readonly Paragraph[] {
  let part: PartName | undefined;
  let heading = "";
  return page
    .replaceAll(/^```[^]*?^```$/gm, "")
    .split(/\n\s*\n/)
    .map((paragraph): Paragraph => {
      const lines = paragraph.split("\n").filter((line) => {
        const [, level, text] = /^(#{2,4}) (.*)$/.exec(line) ?? [];
        if (text === undefined) return line !== "";
        heading = text;
        if (level === "##") part = partNames[Number(/^(\d)\. /.exec(text)?.[1] ?? 0) - 1];
        return false;
      });
      return { part, heading, lines };
    });
}

function rowsOf(page: string): readonly Row[] {
  return paragraphsOf(page).flatMap(({ part, heading, lines }): Row[] => {
    const [columns = [], _, ...rows] = lines.filter((line) => line.startsWith("|")).map(columnsOf);
    return rows.map((texts) => ({ part, heading, texts, columns }));
  });
}

function proseOf(page: string): readonly Row[] {
  return paragraphsOf(page).flatMap(({ part, heading, lines }): Row[] => {
    if (lines[0] === undefined || lines[0].startsWith("|")) return [];
    const text = lines.map((line) => line.trim().replace(/^[-*] /, "")).join(" ");
    return (text.match(/(?:[^.:`]|`[^`]*`|[.:](?!\s))+[.:]?/g) ?? []).map((sentence) => {
      return { part, heading, texts: [sentence, sentence.trim().replace(/:$/, ".")], columns: [] };
    });
  });
}

function columnsOf(line: string): readonly string[] {
  return line
    .replace(/^\|/, "")
    .replace(/\|\s*$/, "")
    .split(/(?<!\\)\|/)
    .map((text) => text.trim().replaceAll("\\|", "|"));
}

function codesIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].flatMap(([, code = ""]) => [code, code.replace(/[\s(:].*$/s, "")]);
}

function explanationOf({ texts, columns }: Row): string {
  if (texts.length <= 2) return texts[1] ?? "";
  return texts
    .slice(1)
    .flatMap((text, index) => (text === "" ? [] : [`${columns[index + 1]}: ${text}`]))
    .join("; ");
}

function plain(text: string): string {
  return text.replaceAll("`", "");
}

function isAbout(heading: string, key: string): boolean {
  const singular = key.toLowerCase().replace(/s$/, "");
  return singular.length > 2 && heading.toLowerCase().includes(singular);
}

/** Returns the anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");
}
