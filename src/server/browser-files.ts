/** Serves the programs of the pages, which run in the reader's browser: the files of `src/browser`, without their types. */
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import type { Page } from "../export/page/pages.ts";

const files: Readonly<Record<string, () => URL>> = {
  "console.js": () => new URL("../browser/console.ts", import.meta.url),
  "sample.js": () => new URL("../browser/sample.ts", import.meta.url),
  "served.js": () => new URL("../browser/served.ts", import.meta.url),
};

export function browserFiles(): readonly Page[] {
  return Object.entries(files).map(([name, file]): Page => {
    let text: string | undefined;
    return {
      path: ["assets", name].map((segment) => ({ kind: "literal", text: segment })),
      page: () => {
        text ??= withoutTypes(readFileSync(file(), "utf8"));
        return {
          status: 200,
          headers: ["Content-Type", "text/javascript; charset=utf-8", "Cache-Control", "private, no-cache"],
          body: text,
        };
      },
    };
  });
}

function withoutTypes(text: string): string {
  return stripTypeScriptTypes(text).replaceAll(/(from ".\/\w+)\.ts"/g, '$1.js"');
}
