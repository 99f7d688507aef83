/** The how-tos on importing show the command's real output. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { run } from "../../src/cli/run.ts";
import { check } from "../../src/language/check.ts";
import { streamsHere, temporaryFolder } from "../commands/process.ts";
import { fencesOf } from "./fences.ts";

const shown = (meta: string, page = "docs/how-to/import.md"): string =>
  fencesOf(page).find((fence) => fence.meta[meta] === "")?.text ?? "";

test("the page's description becomes the page's document, with the page's report", async () => {
  let [out, err] = ["", ""];
  const code = await run(["import", "pets.yaml"], {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    colour: false,
    columns: 100,
    interactive: false,
    environment: {},
    read: () => Promise.resolve(Buffer.from(shown("source"))),
    write: () => Promise.reject(new Error("nothing is written")),
    stopped: () => Promise.resolve("SIGINT"),
  });
  assert.equal(code, 0);
  assert.equal(out, shown("document"));
  assert.equal(err, shown("report"));
  assert.deepEqual(
    check("pets.md", out).diagnostics.filter(({ severity }) => severity === "error"),
    [],
  );
});

test("the page's tables become the page's resources, with the page's report", async (t) => {
  const folder = temporaryFolder(t);
  const database = new DatabaseSync(join(folder, "clinic.db"));
  const page = "docs/how-to/existing-database.md";
  database.exec(shown("source", page));
  database.close();
  const { stderr, stdout } = await streamsHere(["import", "clinic.db"], { folder });
  assert.ok(stdout.includes(shown("document", page)), stdout);
  const withoutVersion = (text: string): string => text.replace(/SQLite \S+:/, "SQLite:");
  assert.equal(withoutVersion(stderr), withoutVersion(shown("report", page)));
});
