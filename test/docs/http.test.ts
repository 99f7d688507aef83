/** The tables of the page on behaviour: codes, signatures, protection of the server. Other tests send the page's requests. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { violationCodes } from "../../src/language/errors/model.ts";
import { signatureField } from "../../src/runtime/auth/hmac.ts";
import { maximumTargetBytes } from "../../src/http/message.ts";
import { planOf } from "../serve/running.ts";
import { fencesOf, readPage, root, tableRows } from "./fences.ts";

const page = "docs/reference/http.md";
const example = readFileSync(join(root, "examples/parcel-lockers.md"), "utf8");
// An operation that ends, since only services with one have the code of its end.
const plan = planOf(example.replace(/^deprecated:\n/m, "$&  takeBack: since 2026-09-01, sunset 2099-01-01\n"));

test("the codes are those of the plan, each with every status it comes with", () => {
  const shown = tableRows(page, "Codes").map(([code = "", statuses = ""]) => [code.slice(1, -1), statuses]);
  const given = Object.entries(plan.errors)
    .filter(([, { source }]) => source !== "document")
    .map(([code, { statuses }]) => [code, statuses.join(", ")]);
  assert.deepEqual(Object.fromEntries(shown), Object.fromEntries(given));
});

test("the order of checks names statuses and codes that there are", () => {
  const named = tableRows(page, "The order of checks").flatMap(([, refusals = ""]) => [
    ...refusals.matchAll(/(\d{3}) `([a-z-]+)`/g),
  ]);
  assert(named.length > 25);
  const wrong = named.filter(([, status, code = ""]) => !plan.errors[code]?.statuses.includes(Number(status)));
  assert.deepEqual(wrong, []);
});

test("the signature is the one that Nonet proves", () => {
  const [sample] = fencesOf(page, "text").filter(({ meta }) => meta["signature"] !== undefined);
  const [head = "", body = ""] = (sample?.text ?? "").trimEnd().split("\n\n");
  const [, method = "", target = "", field = ""] = /^(\S+) (\S+)\n[\w-]+: (\S+)$/.exec(head) ?? [];
  const secret = (sample?.meta["secret"] ?? "").replace("_", " ");
  const seconds = Number(/^t=(\d+)/.exec(field)?.[1]);
  assert.equal(signatureField(secret, seconds, { method, target, body: Buffer.from(body) }), field);
});

test("codes of single errors are those that the code has", () => {
  const files = globSync("src/{http,runtime}/**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
  const text = files.map((file) => readFileSync(join(root, file), "utf8")).join("\n");
  const shown =
    /Each entry of `errors` has one of these codes: ([^.]*)\./.exec(readPage(page).replaceAll("\n", " "))?.[1] ?? "";
  const codes = [...shown.matchAll(/`([a-z-]+)`/g)].map(([, code]) => code);
  assert.deepEqual(
    codes.filter((code) => !text.includes(`"${code}"`)),
    [],
  );
  assert.deepEqual(codes, violationCodes);
  const used = [...text.matchAll(/\bcode: "([a-z-]+)"/g)].map(([, code]) => code);
  assert.deepEqual(
    [...new Set(used)].filter((code) => !codes.includes(code)),
    [],
  );
});

test("bounds of the server are the code's", () => {
  const files = ["node-server.ts", "before-service.ts"];
  const server = files.map((file) => readFileSync(join(root, "src/http", file), "utf8")).join();
  const text = readPage(page);
  assert(text.includes(`${maximumTargetBytes.toLocaleString("en")} bytes`));
  for (const [name, shown] of [
    ["maximumHeaderBytes = 16_384", "16,384 bytes"],
    ["headersMilliseconds = 10_000", "within 10 s"],
    ["keepAliveTimeout: 65_000", "65 s"],
  ] as const) {
    assert(server.includes(name), name);
    assert(text.includes(shown), shown);
  }
  assert.deepEqual([plan.limits.requestBytes, plan.limits.requestMilliseconds], [256 * 1024, 10_000]);
  const silent = planOf(
    "# T\n\n## Purpose\n## Resources\n```yaml\nA: { id: id(a) }\n```\n## States\n## Endpoints\n## Security\n## Events\n## Errors\n## Limits\n## Versions\n",
  );
  assert.deepEqual([silent.limits.requestBytes, silent.limits.requestMilliseconds], [1_048_576, 30_000]);
});
