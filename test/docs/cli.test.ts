/** The page on the commands: their options, the output of `check` for programs, and the exit codes. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { commands } from "../../src/cli/commands.ts";
import { run } from "../../src/cli/run.ts";
import { fencesOf, readPage, root, tableRows } from "./fences.ts";

const page = "docs/reference/cli.md";
async function outcome(
  args: readonly string[],
  input = "",
  files: Readonly<Record<string, string>> = {},
): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ["", ""];
  const code = await run(args, {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    colour: false,
    columns: 100,
    interactive: false,
    environment: { SOURCE_DATE_EPOCH: "1795305600" },
    read: (path) => {
      const text = path === "-" ? input : files[path];
      return text === undefined ? readFile(join(root, path)) : Promise.resolve(Buffer.from(text));
    },
    write: () => Promise.reject(new Error("nothing is written")),
    stopped: () => Promise.resolve("SIGINT"),
  });
  return { code, out, err };
}

for (const { words, operand, options } of commands) {
  test(`nonet ${words} takes the options that are shown`, () => {
    const heading = `nonet ${words}`;
    const taken = Object.entries(options).map(([name, option]) => {
      return [`--${name}${option.value === undefined ? "" : ` ${option.value}`}`, option.default ?? ""];
    });
    const shown = tableRows(page, heading).map(([option = "", , value = ""]) => [unquoted(option), unquoted(value)]);
    assert.deepEqual(shown, taken);
    assert(readPage(page).includes(`\`${`nonet ${words} ${operand}`.trimEnd()}\``), operand);
  });
}

function unquoted(cell: string): string {
  return cell.replace(/^`(.*)`$/, "$1");
}

test("there is a section for every command and for none that is not there", async () => {
  const { code, out } = await outcome(["help"]);
  assert.equal(code, 0);
  const headings = [...readPage(page).matchAll(/^## nonet (.+)$/gm)].map(([, words]) => words);
  assert.deepEqual(
    headings,
    commands.map(({ words }) => words),
  );
  for (const { words } of commands) assert(out.includes(`nonet ${words} `), words);
});

test("no page speaks of an option that there is not", () => {
  const known = new Set([...commands.flatMap(({ options }) => Object.keys(options)), "help", "version"]);
  // Of compose and of openapi-typescript, which two pages call.
  const others = new Set(["profile", "default-non-nullable"]);
  const pages = globSync("{SECURITY,README,docs/*,docs/{how-to,reference}/*}.md", { cwd: root });
  assert.ok(pages.length > 30, `${pages.length} pages`);
  const wrong = pages.flatMap((path) =>
    [...readPage(path).matchAll(/`--([a-z][a-z-]*)/g)].flatMap(([, name = ""]) =>
      known.has(name) || others.has(name) ? [] : [`${path}: --${name}`],
    ),
  );
  assert.deepEqual(wrong, []);
});

test("`--format json` has the members that are shown", async () => {
  const shown = JSON.parse(fencesOf(page, "json")[0]?.text ?? "") as Members;
  const document = readFileSync(join(root, "examples/parcel-lockers.md"), "utf8").replace(
    "create-only, unique,",
    "create-only, uniqe,",
  );
  const { code, out } = await outcome(["check", "-", "--format", "json"], document);
  assert.equal(code, 1);
  const given = JSON.parse(out) as Members;
  assert.deepEqual(Object.keys(given), Object.keys(shown));
  assert.deepEqual(Object.keys(given.summary), Object.keys(shown.summary));
  assert.equal(given.summary["questions"], shown.summary["questions"]);
  assert.deepEqual(Object.keys(given.parts[0] ?? {}), Object.keys(shown.parts[0] ?? {}));
  assert.deepEqual(given.parts[0]?.questions[0], shown.parts[0]?.questions[0]);
  const [wanted] = shown.diagnostics;
  const found = given.diagnostics.find((one) => one["code"] === wanted?.["code"]);
  assert.deepEqual(Object.keys(found ?? {}), Object.keys(wanted ?? {}));
  assert.equal(found?.["message"], wanted?.["message"]);
});

test("`nonet diff --format json` gives what is shown", async () => {
  const [shown] = fencesOf(page, "json").filter(({ meta }) => meta["diff"] !== undefined);
  const old = readFileSync(join(root, "examples/parcel-lockers.md"), "utf8");
  const now = old.replace("  trackingNumber: string(6..40)", "  code: string(6..40)");
  const { code, out } = await outcome(["diff", "old.md", "new.md", "--format", "json"], "", {
    "old.md": old,
    "new.md": now,
  });
  assert.equal(code, 1);
  assert.deepEqual(JSON.parse(out), JSON.parse(shown?.text ?? ""));
});

test("`nonet diff` prints a few of many neutral differences of a kind, and none of the permissions of a new operation", async () => {
  const described = (text: string, length: number): string => {
    const get = (index: number) => ({
      operationId: `get${index}`,
      summary: `Get ${index}`,
      description: text,
      responses: { 200: { description: "" } },
    });
    const paths = Object.fromEntries(Array.from({ length }, (_, index) => [`/a${index}`, { get: get(index) }]));
    return JSON.stringify({ openapi: "3.1.0", info: { title: "A", version: "1" }, paths });
  };
  const { out } = await outcome(["diff", "old.json", "new.json"], "", {
    "old.json": described("One", 30),
    "new.json": described("Two", 31),
  });
  assert.equal(out.match(/is described differently/g)?.length, 3, out);
  assert.match(out, /^ {2}and 27 more of the kind `operation-described`: --format json has all of them$/m);
  assert.match(out, /`get30` \(GET \/a30\) is new/);
  assert.doesNotMatch(out, /Who may run/);
});

interface Members {
  readonly summary: Readonly<Record<string, number>>;
  readonly parts: readonly { readonly questions: readonly object[] }[];
  readonly diagnostics: readonly Readonly<Record<string, unknown>>[];
}

test("exit codes are as they are shown", async () => {
  const rows: readonly (readonly [code: number, args: readonly string[]])[] = [
    [0, ["help"]],
    [0, ["check", "examples/parcel-lockers.md"]],
    [0, ["check", "examples/nothing-yet.md"]],
    [1, ["check", "examples/nothing-yet.md", "--strict"]],
    [1, ["serve", "examples/nothing-yet.md"]],
    [1, ["export", "openapi", "examples/nothing-yet.md"]],
    [0, ["diff", "examples/parcel-lockers.md", "examples/parcel-lockers.md"]],
    [0, ["check", "examples/parcel-lockers.md", "--against", "examples/parcel-lockers.md"]],
    [1, ["check", "examples/parcel-lockers.md", "--against", "examples/print-shop.md"]],
    [1, ["diff", "examples/print-shop.md", "examples/parcel-lockers.md"]],
    [2, []],
    [2, ["export"]],
    [2, ["export", "opneapi", "examples/parcel-lockers.md"]],
    [2, ["export", "openapi", "examples/parcel-lockers.md", "--out", "nowhere/openapi.json"]],
    [0, ["export", "typescript", "examples/parcel-lockers.md"]],
    [1, ["export", "typescript", "examples/nothing-yet.md"]],
    [2, ["diff", "examples/parcel-lockers.md"]],
    [2, ["diff", "-", "-"]],
    [2, ["diff", "examples/nowhere.md", "examples/parcel-lockers.md"]],
    [2, ["check", "examples/parcel-lockers.md", "--against", "examples/nowhere.md"]],
    [2, ["chekc"]],
    [2, ["check"]],
    [2, ["check", "examples/nowhere.md"]],
    [2, ["check", "examples"]],
    [2, ["check", "examples/parcel-lockers.md", "--format", "xml"]],
    [2, ["check", "examples/parcel-lockers.md", "--loud"]],
    [2, ["serve", "examples/parcel-lockers.md", "--port", "a"]],
    [2, ["key", "make", "examples/parcel-lockers.md"]],
    [2, ["key", "create", "examples/parcel-lockers.md", "--data", "memory", "--user", "ann"]],
  ];
  for (const [code, args] of rows) assert.equal((await outcome(args)).code, code, args.join(" "));
  assert.deepEqual(
    tableRows(page, "Exit codes").map(([code]) => code),
    ["0", "1", "2"],
  );
});
