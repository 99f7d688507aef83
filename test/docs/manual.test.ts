/** `nonet docs` and `nonet explain` print the pages of the repository. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { run } from "../../src/cli/run.ts";
import { partNames } from "../../src/language/model.ts";
import { codePages } from "../../scripts/code-pages.ts";
import { root } from "./fences.ts";

async function outcome(...args: readonly string[]): Promise<{ code: number; out: string; err: string; paged: string }> {
  let [out, err, paged] = ["", "", ""];
  const code = await run(args.slice(args[0] === "paged" ? 1 : 0), {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    colour: false,
    columns: 100,
    interactive: false,
    ...(args[0] === "paged" && { page: async (text: string) => void (paged += text) }),
    environment: {},
    read: () => Promise.reject(new Error("nothing is read")),
    write: () => Promise.reject(new Error("nothing is written")),
    stopped: () => Promise.resolve("SIGINT"),
  });
  return { code, out, err, paged };
}

test("each finding has its page", async () => {
  for (const { code, path } of codePages()) {
    const { code: exit, out } = await outcome("explain", code);
    assert.equal(exit, 0, code);
    assert.equal(out, readFileSync(join(root, path), "utf8"));
  }
});

const explained: readonly (readonly [typed: string, exit: number, text: RegExp])[] = [
  ["dead-end", 0, /^# No transition leaves a state\n\n`states\/dead-end`/],
  ["states/unknown-key", 0, /^# An unknown key/],
  ["document/gap", 0, /^# An open question/],
  ["R2.5", 0, /^# R2.5\n\nstrict JSON.*RFC 7493\)\n$/],
  ["r1.1", 0, /^# R1.1\n\n`\/openapi.json` is generated from the served plan\n$/],
  ["states/dead-ent", 2, /^nonet explain: there is no finding states\/dead-ent; did you mean states\/dead-end\?\n$/],
  ["ded-end", 2, /did you mean dead-end\?/],
  ["bogus/unknown-key", 2, /^nonet explain: there is no finding bogus\/unknown-key/],
  ["something else", 2, /nonet docs checks lists all/],
];

for (const [typed, exit, text] of explained)
  test(`nonet explain ${typed}`, async () => {
    const { code, out, err } = await outcome("explain", typed);
    assert.equal(code, exit);
    assert.match(out + err, text);
  });

const topics: readonly (readonly [typed: string, exit: number, text: RegExp])[] = [
  ...partNames.map((part, index) => [part, 0, new RegExp(`^## ${index + 1}\\. `)] as const),
  ["language", 0, /^# The language\n/],
  ["cli", 0, /^# The commands\n/],
  ["Rules of", 2, /there is no topic/],
  ["quotas and", 2, /nonet docs --list prints all/],
  ["fields", 0, /^### Fields\n/],
  ["lenguage", 2, /did you mean language\?/],
];

for (const [typed, exit, text] of topics)
  test(`nonet docs ${typed}`, async () => {
    const { code, out, err } = await outcome("docs", typed);
    assert.equal(code, exit);
    assert.match(out + err, text);
  });

test("the sections of the language are the language", async () => {
  const { out: page } = await outcome("docs");
  assert.match(page, /^# The language\n/);
  const { out: list } = await outcome("docs", "--list");
  assert(list.includes("\nevents "), list);
  const { out: section } = await outcome("docs", "events");
  assert(page.includes(section) && section.includes("### Envelopes") && !section.includes("## 7."), section);
});

const guides: readonly (readonly [format: string, start: RegExp])[] = [
  ["page", /^# Nonet on one page\n\nFor/],
  ["llms", /^# Nonet\n\n> Write, check.* version \d+\.\d+\.\d+\.\n\nFor/],
  ["skill", /^---\nname: nonet\ndescription: .+\n---\n\n# Nonet on one page\n/],
];

for (const [format, start] of guides)
  test(`nonet guide --format ${format}`, async () => {
    const { code, out } = await outcome("guide", "--format", format);
    assert.equal(code, 0);
    assert.match(out, start);
    assert.doesNotMatch(out, /<!--/);
    assert(out.includes("\n## Traps\n") && out.includes("\n## What the service does\n"));
  });

test("a person gets a page in the pager, without the targets of links", async () => {
  const { out, paged } = await outcome("paged", "docs", "events");
  assert.equal(out, "");
  assert.match(paged, /^## 6\. /);
  assert.doesNotMatch(paged, /\]\([\w.#/-]+\)/);
});
