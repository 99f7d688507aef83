/** An error that is raised and nowhere declared. */
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "errors/not-declared",
  severity: "error",
  why: "It has neither a status nor a sentence, so it cannot be answered.",
  *run(documentIndex) {
    if (!declares(documentIndex, "errors")) return;
    for (const { code, at } of documentIndex.returned) {
      if (documentIndex.errorNames.has(code) || documentIndex.places.has(`errors/errors/${code}`)) continue;
      yield {
        at,
        message: `Part 7 has no error \`${code}\``,
        unknown: { name: code, known: documentIndex.errorNames },
        help: `write \`${code}: 409 What a caller is told\` in part 7`,
      };
    }
  },
};
