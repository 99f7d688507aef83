/** Which callers a change of grants or scopes excludes, with tokens bound by scopes (docs/decisions/0022-oauth.md). */
import assert from "node:assert/strict";
import test from "node:test";
import type { Json } from "../../src/base/json.ts";
import { compare } from "../../src/diff/compare.ts";
import { importDocument } from "../../src/import/import.ts";
import { check } from "../../src/language/check.ts";
import { documentText } from "../serve/scenario.ts";

/** The notebook, whose credential `app` has scopes that give roles. */
function notebook(grant: string): string {
  return documentText("notebook").replace("listNotes: reader | writer", `listNotes: ${grant}`);
}

const rows: readonly (readonly [from: string, to: string, ...expected: readonly string[]])[] = [
  ["reader", "signed-in", "breaking right-narrowed", "additive right-widened"],
  ["reader", "any-scope", "additive right-widened"],
  ["any-scope", "signed-in", "breaking right-narrowed"],
  ["signed-in", "any-scope", "additive right-widened"],
  ["any-scope", "signed-in | reader", "breaking right-narrowed"],
  ["reader", "signed-in | reader", "additive right-widened"],
  ["signed-in | reader", "signed-in", "breaking right-narrowed"],
  ["reader", "anyone", "additive right-widened"],
  ["any-scope", "anyone", "additive right-widened"],
  // A token answers who its caller is only as far as its scopes go.
  ["reader if by == caller.id", "anyone if by == caller.id", "breaking right-narrowed", "additive right-widened"],
  ["any-scope if by == caller.id", "anyone if by == caller.id", "breaking right-narrowed", "additive right-widened"],
  ["signed-in if by == caller.id", "anyone if by == caller.id", "additive right-widened"],
  ["anyone if by == caller.id", "anyone", "additive right-widened"],
  ["anyone", "anyone if by == caller.id", "breaking right-narrowed"],
  ["reader if text == 'a'", "anyone if text == 'a'", "additive right-widened"],
];

function told(from: string, to: string): readonly string[] {
  const { differences } = compare(check("old.md", from).model, check("new.md", to).model, "2026-11-24");
  return [
    ...new Set(
      differences
        .filter(({ difference }) => difference.effect !== "neutral")
        .map(({ difference }) => `${difference.effect} ${difference.kind}`),
    ),
  ];
}

for (const [from, to, ...expected] of rows)
  test(`${from} to ${to}`, () => {
    assert.deepEqual([...told(notebook(from), notebook(to))].toSorted(), [...expected].toSorted());
  });

test("scopes that come bind tokens that none bound, and so does one more that a token has to have", () => {
  const scoped = notebook("reader");
  const [said = ""] = /^ {4}scopes: .*\n/m.exec(scoped) ?? [];
  assert.notEqual(said, "");
  const listed = scoped.replace(said, "    scopes: [reader, writer]\n");
  const open = scoped.replace(said, "");
  assert(told(open, scoped).includes("breaking credential-changed"));
  assert(told(open, listed).includes("breaking credential-changed"));
  const elsewhere = (scopes: string): string =>
    scoped.replace(
      said,
      `    issuer: "https://id.example.com"\n    jwks: "https://id.example.com/keys"\n    scopes: ${scopes}\n`,
    );
  assert(told(elsewhere("[a]"), elsewhere("[a, b]")).includes("breaking credential-changed"));
  assert(told(elsewhere("[a, b]"), elsewhere("[a]")).includes("additive credential-changed"));
});

test("the fixed roles of a credential: more are additive, fewer are breaking unless the role is removed", () => {
  const scoped = notebook("reader");
  const [said = ""] = /^ {4}scopes: .*\n/m.exec(scoped) ?? [];
  const fixed = (roles: string, all = "reader, writer"): string =>
    scoped.replace(said, `    roles: [${roles}]\n`).replace(/^roles: .*$/m, `roles: [${all}]`);
  assert.deepEqual(told(fixed("reader"), fixed("reader, writer")), ["additive credential-changed"]);
  assert.deepEqual(told(fixed("reader, writer"), fixed("reader")), ["breaking credential-changed"]);
  assert.deepEqual(told(fixed("reader, extra", "reader, writer, extra"), fixed("reader")), []);
});

test("descriptions: another credential is additive, and an operation that needs none any more", () => {
  const secured = (security: Json): string => {
    const securitySchemes = { a: { type: "apiKey", in: "header", name: "X-A" }, b: { type: "http", scheme: "bearer" } };
    const paths = { "/pets": { get: { operationId: "list", security, responses: { 200: { description: "All" } } } } };
    const source = { openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths, components: { securitySchemes } };
    const imported = importDocument("pets.json", JSON.stringify(source), { contractsOnly: true });
    assert(imported.kind === "imported");
    return imported.document;
  };
  const effects = (from: Json, to: Json) => new Set(told(secured(from), secured(to)).map((one) => one.split(" ")[0]));
  assert.deepEqual(effects([{ a: [] }], [{ a: [] }, { b: [] }]), new Set(["additive"]));
  assert.deepEqual(effects([{ a: [] }], []), new Set(["additive"]));
  assert.deepEqual(effects([{ a: [] }, { b: [] }], [{ a: [] }]), new Set(["breaking"]));
  assert.deepEqual(effects([], [{ a: [] }]), new Set(["breaking", "additive"]));
});

test("`changed` is breaking for whoever changes a password", () => {
  const now = notebook("reader").replace("secret: password,", "secret: password, changed: with currentPassword,");
  const found = told(notebook("reader"), now);
  assert(found.includes("breaking credential-changed"), found.join());
});
