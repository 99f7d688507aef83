/** The how-to on importing shows the command's real output. */
import assert from "node:assert/strict";
import test from "node:test";
import { run } from "../../src/cli/run.ts";
import { check } from "../../src/language/check.ts";
import { fencesOf } from "./fences.ts";

const page = "docs/how-to/import.md";
const shown = (meta: string): string => fencesOf(page).find((fence) => fence.meta[meta] === "")?.text ?? "";

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
