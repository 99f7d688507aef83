/** The reference of the language: every sample is valid, and every table of words equals the code's. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { readDocument } from "../../src/document/read.ts";
import { credentialKinds } from "../../src/language/authentication/model.ts";
import { check } from "../../src/language/check.ts";
import { actions, editStyles, listKinds, methods, idempotencyScopes } from "../../src/language/endpoints/model.ts";
import { standardErrors } from "../../src/language/errors/model.ts";
import { typeExpressions } from "../../src/language/analysis/expressions.ts";
import { editions } from "../../src/language/purpose/model.ts";
import { type Model, type PartName, partNames } from "../../src/language/model.ts";
import { readModel } from "../../src/language/read.ts";
import { maxima } from "../../src/language/resources/json-schema.ts";
import { marks, scalarNames } from "../../src/language/resources/model.ts";
import { documentKeys, partHeadings, partOfHeading } from "../../src/language/grammar/sections.ts";
import { type Fence, fencesOf, firstColumn, readPage, root, tableRows } from "./fences.ts";

const page = "docs/reference/language.md";
const base = readFileSync(join(root, "examples", "parcel-lockers.md"), "utf8");

/** The flagship with a sample as one of its parts, and the lines that the sample has there. */
function withSample(
  part: string,
  text: string,
): { readonly document: string; readonly from: number; readonly to: number } {
  const sections = base.split(/^(?=## )/m);
  const index = sections.findIndex((section) => partOfHeading((section.split("\n")[0] ?? "").slice(3)) === part);
  assert(index >= 0, part);
  const heading = `${sections[index]?.split("\n")[0]}\n\`\`\`yaml\n`;
  const from = sections.slice(0, index).join("").split("\n").length + 2;
  const document = sections.with(index, `${heading}${text}\`\`\`\n\n`).join("");
  return { document, from, to: from + text.split("\n").length - 2 };
}

interface Reading {
  readonly model: Model;
  /** Codes of what is wrong in the sample: its reading, and its expressions. */
  readonly faults: readonly string[];
}

function readSample(part: string, text: string): Reading {
  const { document, from, to } = withSample(part, text);
  const reading = readDocument("sample.md", document);
  const { model, diagnostics } = readModel(reading.document);
  const inside = [...reading.diagnostics, ...diagnostics].filter(
    ({ span }) => span.start.line >= from && span.start.line <= to,
  );
  const expressions = typeExpressions(model).problems.filter(({ path }) => path.startsWith(`${part}/`));
  return {
    model,
    faults: [
      ...inside.map(({ code, message }) => `${code}: ${message}`),
      ...expressions.map(({ path, problem }) => `${path}: ${problem.message}`),
    ],
  };
}

/** Without the places of expressions, and with the alternatives of a permission in one order, which has no meaning. */
function meaningOf(part: PartName, model: Model): unknown {
  if (part !== "authentication") return model[part];
  const { allow } = model.authentication;
  const sorted = Object.entries(allow).map(([name, grants]) => [
    name,
    grants.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  ]);
  return { ...model.authentication, allow: Object.fromEntries(sorted) };
}

const samples = fencesOf(page, "yaml").filter(({ meta }) => meta["part"] !== undefined);

for (const { at, meta, text } of samples.filter((sample) => sample.meta["error"] === undefined)) {
  test(`${at} reads without a fault`, () => assert.deepEqual(readSample(meta["part"] ?? "", text).faults, []));
}

for (const { at, meta, text } of samples.filter((sample) => sample.meta["error"] !== undefined)) {
  test(`${at} is ${meta["error"]}`, () => {
    const { document, from, to } = withSample(meta["part"] ?? "", text);
    const found = check("sample.md", document).diagnostics.filter(
      ({ span }) => span.start.line >= from && span.start.line <= to,
    );
    const errors = found.filter(({ severity }) => severity === "error").map(({ code }) => code);
    assert.deepEqual([...new Set(errors)], [meta["error"]]);
  });
}

for (const [sample, before] of pairs(samples)) {
  test(`${sample.at} means the same as the sample before it`, () => {
    const part = sample.meta["part"] as PartName;
    const [one, other] = [before, sample].map(({ text }) => meaningOf(part, readSample(part, text).model));
    assert.deepEqual(other, one);
  });
}

function pairs(all: readonly Fence[]): readonly (readonly [Fence, Fence])[] {
  return all.flatMap((sample, index) => {
    const before = all[index - 1];
    return sample.meta["same"] === undefined || before === undefined ? [] : [[sample, before] as const];
  });
}

test("a document in one file is read", () => {
  const documents = fencesOf(page, "yaml").filter(({ meta }) => meta["document"] !== undefined);
  assert.equal(documents.length, 1);
  for (const { text } of documents) {
    const { diagnostics, parts } = check("sample.yaml", text);
    assert.deepEqual(
      diagnostics.filter(({ severity }) => severity === "error"),
      [],
    );
    assert.deepEqual(
      parts.filter(({ status }) => status === "gap").map(({ part }) => part),
      ["errors"],
    );
  }
});

test("the samples of a language are blocks of yaml that are run", () => {
  const stray = fencesOf(page).filter(({ language, meta }) => language !== "yaml" || Object.keys(meta).length === 0);
  assert.deepEqual(stray, []);
  assert.deepEqual(
    partNames.filter((part) => samples.every(({ meta }) => meta["part"] !== part)),
    [],
  );
});

test("the tables of words are the code's", () => {
  const headings = tableRows(page, "Headings").map(([part = "", heading = "", also = ""]) => [
    part.replaceAll("`", ""),
    [heading, ...also.split(", ").filter((name) => name !== "")],
  ]);
  assert.deepEqual(Object.fromEntries(headings), partHeadings);
  assert.deepEqual(documentKeys, ["title", ...headings.map(([part]) => part)]);
  assert.deepEqual(names("Types").slice(0, scalarNames.length), [...scalarNames]);
  assert.deepEqual(firstColumn(page, "Modifiers"), [...marks]);
  assert.deepEqual(
    names("Credentials")
      .filter((name) => (credentialKinds as readonly string[]).includes(name))
      .toSorted(),
    [...credentialKinds].toSorted(),
  );
  assert.deepEqual(
    tableRows(page, "Standard errors").map(([code = "", status = ""]) => [
      code.replaceAll("`", ""),
      Number.parseInt(status, 10),
    ]),
    Object.entries(standardErrors).map(([code, { status }]) => [code, status]),
  );
});

test("lists of words in the text are complete", () => {
  const text = readPage(page);
  for (const words of [actions, methods, listKinds, editStyles, idempotencyScopes, editions]) {
    assert.deepEqual(
      words.filter((word) => !new RegExp(`[\`"|, ]${word}[\`, .]`).test(text)),
      [],
    );
  }
  for (const most of Object.values(maxima)) assert(text.includes(most.toLocaleString("en")), String(most));
});

test("every change of a version is read", () => {
  const rows = tableRows(page, "Changes");
  for (const [kind = "", written = ""] of rows) {
    const change = written.replaceAll("`", "");
    const { model, faults } = readSample(
      "versioning",
      `scheme: dated\nversions:\n  2026-09-01:\n    - ${change}\n  2026-03-01: first\n`,
    );
    assert.deepEqual(faults, [], change);
    assert.equal(
      model.versioning.versions?.[0]?.changes?.[0]?.kind,
      kind.replaceAll("`", "").replace(" ", "-"),
      change,
    );
  }
  assert.equal(rows.length, 11);
});

/** The names in backticks of the first column, in order. */
function names(heading: string): readonly string[] {
  return tableRows(page, heading).flatMap(([first = ""]) =>
    [...first.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
  );
}
