/**
 * Starts a new check: `node scripts/new-check.ts states/dead-end warning "A dead end"` writes the check and its page, whose tests
 * fail until both are complete, and adds the check to the list. Move it to the file of its noun, if there is one.
 */
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeCodeFiles } from "./code-pages.ts";

const [code = "", severity = "", title = ""] = process.argv.slice(2);
const [, part = "", slug = ""] = /^([a-z]+)\/([a-z0-9]+(?:-[a-z0-9]+)*)$/.exec(code) ?? [];
const folder = join(dirname(import.meta.dirname), "src/language", part, "checks");
if (slug === "" || !["error", "warning", "hint"].includes(severity) || title === "" || !existsSync(dirname(folder))) {
  process.stderr.write('usage: node scripts/new-check.ts part/slug error|warning|hint "The title of its page"\n');
  process.exit(2);
}
if (existsSync(join(folder, `${slug}.md`))) {
  process.stderr.write(`${code} is there already; a code is never used for something else\n`);
  process.exit(1);
}

writeFileSync(
  join(folder, `${slug}.ts`),
  `/** ${title}. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "${code}",
  severity: "${severity}",
  why: "",
  *run({ model }) {
    for (const name of Object.keys(model.${part})) yield { at: \`${part}/\${name}\`, message: "" };
  },
};
`,
);
writeFileSync(
  join(folder, `${slug}.md`),
  `# ${title}

\`${code}\` · ${severity}

What is wrong, why it matters, what to write instead.

\`\`\`yaml wrong
${part}: none # <- here
\`\`\`

\`\`\`yaml right
${part}: none
\`\`\`
`,
);
writeCodeFiles();
process.stdout.write(`src/language/${part}/checks/${slug}.ts\nsrc/language/${part}/checks/${slug}.md\n`);
