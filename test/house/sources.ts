/** Reads the source for the house tests: its files, their imports, and their identifiers. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

export const root: string = dirname(dirname(import.meta.dirname));

export interface Import {
  /** As written: `./model.ts`, `node:fs`, `yaml`. */
  readonly specifier: string;
  /** Relative to src/, when the import is relative. */
  readonly target: string | undefined;
  readonly typeOnly: boolean;
}

export interface Source {
  /** Relative to src/, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** The text with comments blanked out. */
  readonly code: string;
  readonly imports: readonly Import[];
}

/** All of src without its tests. */
export function readSources(): readonly Source[] {
  return globSync("src/**/*.ts", { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !path.endsWith(".test.ts"))
    .sort()
    .map((path) => readSource(path.slice("src/".length)));
}

function readSource(path: string): Source {
  const text = readFileSync(join(root, "src", path), "utf8");
  const code = text.replace(/\/\*[\s\S]*?\*\/|(?<=^|[\s;{}(),])\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, " "));
  return { path, text, code, imports: readImports(path, text) };
}

/**
 * The imports of a file: static ones, re-exports, and `import("…")`. A static import starts its line, which the
 * formatter guarantees, so an import inside a comment or an indented sample is not taken for one.
 */
function readImports(path: string, text: string): readonly Import[] {
  const statements = text.matchAll(/^(?:import|export)\b(\s+type\b)?(?:[^;"'`()=]*?\bfrom)?\s*"([^"\n]+)"/gm);
  const calls = text.matchAll(/(typeof\s+)?\bimport\(\s*"([^"\n]+)"\s*\)/g);
  return [...statements, ...calls].map(([, type, specifier = ""]) => ({
    specifier,
    target: specifier.startsWith(".") ? posix.normalize(posix.join(posix.dirname(path), specifier)) : undefined,
    typeOnly: type !== undefined,
  }));
}

/** Strings and regular expressions, but not what a template holds between `${` and `}`. */
const literals =
  /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?<=[(,=:[!&|?{};]\s*|\breturn\s+)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g;

/** Each identifier in a file's code, as often as it is used. */
export function identifiersOf({ code }: Pick<Source, "code">): readonly string[] {
  return withoutTemplates(code.replace(literals, '""')).match(/[A-Za-z_$][\w$]*/g) ?? [];
}

/** What templates say goes, the expressions in them stay. */
function withoutTemplates(code: string): string {
  let left = "";
  const open: number[] = [];
  let depth = 0;
  let inText = false;
  for (let index = 0; index < code.length; index++) {
    const char = code[index] as string;
    if (inText) {
      if (char === "\\") index++;
      else if (char === "`") inText = false;
      else if (char === "$" && code[index + 1] === "{") {
        open.push(depth);
        inText = false;
        index++;
        left += " ";
      }
      continue;
    }
    if (char === "`") inText = true;
    else if (char === "{") depth++;
    else if (char === "}") {
      if (open.at(-1) === depth) {
        open.pop();
        inText = true;
        continue;
      }
      depth--;
    }
    left += char === "`" ? " " : char;
  }
  return left;
}

/** `rateOf`: `rate`, `of`. */
export function wordsOf(identifier: string): readonly string[] {
  return (identifier.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase());
}
