/**
 * The output formats of `nonet check`: the published JSON, member by member and in order, and the requirements of SARIF 2.1.0 and
 * GitHub. The documents are the examples, and one for each kind of finding.
 */
import assert from "node:assert/strict";
import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { finishedHere, root, temporaryFolder } from "./process.ts";
import { shelf } from "./shelf.ts";

const documents: Readonly<Record<string, string>> = {
  "sound.md": shelf(),
  "errors.md": shelf().replace("id: id(book)", "id: id(book), uniqe"),
  "empty.md": "",
  "garbage.md": "# \u0000\n```yaml\n{{{",
  "several lines.md": shelf().replace("title: string(1..80)", "title: {\n    type: }"),
  "one.yaml": "purpose: { nonet: 1, service: one }\nresources: not shown\n",
};

const partNames = ["purpose", "resources", "states", "endpoints", "authentication", "events", "errors", "limits", "versioning"]; // biome-ignore format: a list

const closed = (properties: object) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const whole = { type: "integer", minimum: 0 };
const position = { type: "integer", minimum: 1 };

const contract = closed({
  service: { type: ["string", "null"] },
  summary: closed({ errors: whole, warnings: whole, gaps: whole, shown: whole, questions: whole }),
  parts: {
    type: "array",
    minItems: 9,
    maxItems: 9,
    items: closed({
      part: { enum: partNames },
      status: { enum: ["shown", "partial", "gap", "none"] },
      stated: { type: "boolean" },
      questions: {
        type: "array",
        minItems: 1,
        items: closed({
          id: { type: "string", pattern: "^[a-z]+/[a-z-]+$" },
          status: { enum: ["shown", "none", "default", "not shown", "silent"] },
          line: position,
        }),
      },
    }),
  },
  diagnostics: {
    type: "array",
    items: closed({
      code: { type: "string", pattern: "^[a-z]+/[a-z0-9-]+$" },
      severity: { enum: ["error", "warning", "hint"] },
      message: { type: "string", minLength: 1 },
      line: position,
      column: position,
      endLine: position,
      endColumn: position,
      help: { type: "string" },
    }),
  },
});

/** Fails where an object's members are in another order than the schema's. */
function assertOrder(schema: { properties?: Record<string, object>; items?: object }, value: unknown, at = "$"): void {
  if (schema.items !== undefined)
    for (const [index, item] of (value as unknown[]).entries()) assertOrder(schema.items, item, `${at}[${index}]`);
  if (schema.properties === undefined) return;
  assert.deepEqual(Object.keys(value as object), Object.keys(schema.properties), at);
  for (const [name, member] of Object.entries(schema.properties))
    assertOrder(member, (value as Record<string, unknown>)[name], `${at}.${name}`);
}

interface Checked {
  readonly summary: { errors: number; warnings: number; gaps: number; shown: number; questions: number };
  readonly parts: readonly {
    part: string;
    status: string;
    stated: boolean;
    questions: readonly { status: string }[];
  }[];
  readonly diagnostics: readonly { code: string; severity: string; line: number; column: number }[];
}

const isContract = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(contract);

test("JSON is as published, whatever the document", async (t) => {
  const folder = temporaryFolder(t);
  for (const [name, text] of Object.entries(documents)) writeFileSync(join(folder, name), text);
  const examples = globSync("examples/*.md", { cwd: root }).map((path) => join(root, path));
  for (const path of [...Object.keys(documents), ...examples]) {
    for (const strict of [[], ["--strict"]]) {
      const { code, output } = await finishedHere(["check", path, "--format", "json", ...strict], { folder });
      const checked = JSON.parse(output) as Checked;
      assert.ok(isContract(checked), `${path}: ${JSON.stringify(isContract.errors)}`);
      assertOrder(contract as object, checked);
      assert.deepEqual(checked.parts.map(({ part }) => part), partNames); // biome-ignore format: short
      const { errors, warnings, gaps, shown, questions } = checked.summary;
      const count = (severity: string) => checked.diagnostics.filter((each) => each.severity === severity).length;
      assert.equal(errors, count("error"), path);
      assert.equal(warnings, count("warning"), path);
      assert.equal(code, errors > 0 ? 1 : 0, path);
      const answers = checked.parts.flatMap((part) => part.questions.map(({ status }) => status));
      assert.equal(questions, answers.length);
      assert.equal(shown, answers.filter((status) => status === "shown").length);
      assert.equal(
        checked.diagnostics.filter((each) => each.code === "document/gap").length,
        strict.length * gaps,
        path,
      );
    }
  }
});

test("of many findings, text has 200, errors first, and the other formats have all", async (t) => {
  const folder = temporaryFolder(t);
  const hints = Array.from({ length: 300 }, (_, index) => `w${index}?: string`);
  for (const errors of [0, 1, 250]) {
    const wrong = Array.from({ length: errors }, (_, index) => `e${index}: strng`);
    writeFileSync(join(folder, "many.md"), shelf({ fields: ["title: string(1..80)", ...hints, ...wrong] }));
    const json = JSON.parse(
      (await finishedHere(["check", "many.md", "--format", "json"], { folder })).output,
    ) as Checked;
    const count = json.diagnostics.length;
    assert.equal(count, 300 + errors);
    assert.equal(json.summary.errors, errors);
    const { code, output } = await finishedHere(["check", "many.md"], { folder });
    assert.equal(code, json.summary.errors > 0 ? 1 : 0);
    const printed = output.split("\n").filter((line) => line.startsWith("many.md:"));
    assert.equal(printed.length, Math.min(count, 200));
    assert.equal(printed.filter((line) => line.includes(": error: ")).length, Math.min(json.summary.errors, 200));
    assert.equal(output.includes(`… and ${count - 200} more: nonet check --format json gives all\n`), count > 200);
    assert.match(output, new RegExp(`\\b${json.summary.errors} errors?, ${json.summary.warnings} warnings?\n$`));
    const github = (await finishedHere(["check", "many.md", "--format", "github"], { folder })).output;
    assert.ok(github.trimEnd().split("\n").length >= count);
  }
});

test("a document of nine stated gaps", async () => {
  const { code, output } = await finishedHere(["check", "examples/nothing-yet.md", "--format", "json"], {
    folder: root,
  });
  const { summary, parts, diagnostics } = JSON.parse(output) as Checked;
  assert.equal(code, 0);
  assert.deepEqual(summary, { errors: 0, warnings: 0, gaps: 9, shown: 0, questions: 66 });
  assert.ok(parts.every(({ status, stated }) => status === "gap" && stated));
  assert.deepEqual(diagnostics, []);
});

test("SARIF has what 2.1.0 asks for", async (t) => {
  const folder = temporaryFolder(t);
  for (const [name, text] of Object.entries(documents)) writeFileSync(join(folder, name), text);
  for (const name of Object.keys(documents)) {
    const { output } = await finishedHere(["check", name, "--format", "sarif", "--strict"], { folder });
    const log = JSON.parse(output) as SarifLog;
    assert.equal(log.version, "2.1.0");
    assert.equal(new URL(log.$schema).protocol, "https:");
    const [run, ...more] = log.runs;
    assert.ok(run !== undefined && more.length === 0);
    const { driver } = run.tool;
    assert.equal(driver.name, "nonet");
    assert.match(driver.semanticVersion, /^\d+\.\d+\.\d+/);
    assert.equal(new Set(driver.rules.map(({ id }) => id)).size, driver.rules.length, "rules are listed once");
    for (const result of run.results) {
      assert.equal(driver.rules[result.ruleIndex]?.id, result.ruleId);
      assert.match(result.level, /^(error|warning|note)$/);
      assert.notEqual(result.message.text, "");
      const [location] = result.locations;
      const { artifactLocation, region } = location?.physicalLocation ?? assert.fail("a result has a place");
      assert.equal(decodeURIComponent(artifactLocation.uri), name);
      assert.doesNotMatch(artifactLocation.uri, /[ \\]/);
      const { startLine, startColumn, endLine, endColumn } = region;
      assert.ok(startLine >= 1 && startColumn >= 1 && endLine >= startLine);
      assert.ok(endLine > startLine || endColumn >= startColumn);
    }
  }
});

interface SarifLog {
  readonly $schema: string;
  readonly version: string;
  readonly runs: readonly {
    readonly tool: {
      readonly driver: {
        readonly name: string;
        readonly semanticVersion: string;
        readonly rules: readonly { readonly id: string }[];
      };
    };
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly level: string;
      readonly message: { readonly text: string };
      readonly locations: readonly {
        readonly physicalLocation: {
          readonly artifactLocation: { readonly uri: string };
          readonly region: { startLine: number; startColumn: number; endLine: number; endColumn: number };
        };
      }[];
    }[];
  }[];
}

test("GitHub's annotations: a command a line, nothing else", async (t) => {
  const folder = temporaryFolder(t);
  for (const [name, text] of Object.entries(documents)) writeFileSync(join(folder, name), text);
  for (const name of Object.keys(documents)) {
    const { output } = await finishedHere(["check", name, "--format", "github", "--strict"], { folder });
    for (const line of output.split("\n").slice(0, -1)) {
      assert.match(
        line,
        /^::(error|warning|notice) file=[^:,]+,line=\d+,endLine=\d+(,col=\d+,endColumn=\d+)?,title=[a-z]+\/[a-z0-9-]+::./,
      );
    }
  }
});

test("a document of ten thousand lines is a document like any other", async (t) => {
  const folder = temporaryFolder(t);
  const fields = Array.from({ length: 9_950 }, (_, index) => `field${index}?: string(1..80)`);
  writeFileSync(join(folder, "long.md"), shelf({ fields }));
  const { code, output } = await finishedHere(["check", "long.md", "--format", "json"], { folder });
  assert.equal(code, 0, output.slice(-2000));
});
