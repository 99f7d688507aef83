/** Runs the tutorial and the how-to pages. */
import { globSync } from "node:fs";
import test from "node:test";
import { root } from "./fences.ts";
import { follow } from "./walkthrough.ts";

const pages = [
  "README.md",
  "docs/tutorial.md",
  "docs/operations.md",
  "docs/reference/http.md",
  ...globSync("docs/how-to/*.md", { cwd: root }),
];

for (const page of pages.map((path) => path.replaceAll("\\", "/"))) {
  test(`${page} is as it says`, { timeout: 120_000 }, () => follow(page));
}
