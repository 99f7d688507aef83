/** Prints a page of Markdown: as it is for a program, without link targets and in the pager for a person. */
import { styleText } from "node:util";
import type { Terminal } from "../server/terminal.ts";

export async function printPage(markdown: string, terminal: Terminal): Promise<void> {
  const text = markdown.replace(/^<!--.*-->\n/, "");
  if (terminal.page === undefined) terminal.out(text);
  else await terminal.page(forPerson(text, terminal.colour));
}

function forPerson(markdown: string, colour: boolean): string {
  const bold = (text: string): string => (colour ? styleText("bold", text, { validateStream: false }) : text);
  let isFence = false;
  const lines = markdown.replaceAll(/\[([^\][]+)\]\([^()\s]+\)/g, "$1").split("\n");
  return lines
    .map((line) => {
      if (line.startsWith("```")) isFence = !isFence;
      return !isFence && /^#+ /.test(line) ? bold(line) : line;
    })
    .join("\n");
}
