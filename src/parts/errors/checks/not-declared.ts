/** An error that is raised and nowhere declared. */
import { says } from "../../facts.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "errors/not-declared",
  severity: "error",
  why: "It has neither a status nor a sentence, so it cannot be answered.",
  *run(facts) {
    if (!says(facts, "errors")) return;
    for (const { code, at } of facts.raised) {
      if (facts.errorNames.has(code) || facts.places.has(`errors/errors/${code}`)) continue;
      yield {
        at,
        message: `Part 7 has no error \`${code}\``,
        unknown: { name: code, known: facts.errorNames },
        help: `write \`${code}: 409 What a caller is told\` in part 7`,
      };
    }
  },
};
