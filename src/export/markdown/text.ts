/** Markdown that renders on GitHub: tables, code and links, with what the document says escaped where it would mean something. */

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |\n`;
  return `${line(head)}|${" --- |".repeat(head.length)}\n${rows.map(line).join("")}`;
}

function cell(text: string): string {
  return text
    .replaceAll(/\s*\n\s*/g, " ")
    .replaceAll("|", "\\|")
    .trim();
}

/** With as many backticks around it as it takes. */
export function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = "`".repeat(longest + 1);
  const space = longest > 0 ? " " : "";
  return text === "" ? "" : `${ticks}${space}${text.replaceAll("\n", " ")}${space}${ticks}`;
}

/** Words of the document, in which nothing is markup but code between backticks. */
export function prose(text: string): string {
  return text
    .split(/(`[^`\n]+`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/[\\`*_[\]<>#]/g, "\\$&")))
    .join("");
}

export function fence(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${language}\n${text.replace(/\n?$/, "\n")}${ticks}\n`;
}

/** To a heading, by the anchor that GitHub gives it. */
export function link(heading: string): string {
  return `[${prose(heading)}](#${anchor(heading)})`;
}

function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}

/** Parts with an empty line between them. */
export function parts(...all: readonly (string | undefined)[]): string {
  return all
    .filter((one): one is string => one !== undefined && one.trim() !== "")
    .map((one) => one.replace(/\n*$/, "\n"))
    .join("\n");
}
