/**
 * Every document that `check` passes can be served, whatever its newest version added: the test declares every resource, field,
 * type, operation, event, state and value of all documents as new, and every field as retyped.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../../src/language/check.ts";
import { typeExpressions } from "../../src/language/analysis/expressions.ts";
import type { Model } from "../../src/language/model.ts";
import { bareType, lifecycleOf } from "../../src/language/resources/fields.ts";
import type { FieldType } from "../../src/language/resources/model.ts";
import type { Change } from "../../src/language/versioning/model.ts";
import { buildPlan } from "../../src/plan/build.ts";
import { everyDocument } from "../export/every-document.ts";
import { isNightly } from "../nightly.ts";

/** An entry as part 9 has it, and as a document says it. */
interface Entry {
  readonly change: Change;
  readonly line: string;
}

function entriesOf(model: Model): readonly Entry[] {
  const added = (of: string, field?: string): Entry => ({
    change: { kind: "add", target: field === undefined ? { of } : { of, field } },
    line: `add ${field === undefined ? of : `${of}.${field}`}`,
  });
  const fields = Object.entries(model.resources.resources).flatMap(([of, resource]) =>
    Object.entries(resource.fields).flatMap(([name, { type }]): Entry[] => {
      if (name === "id") return [];
      const was = bareType(type).kind === "scalar" && describes(type, "integer") ? "string" : "integer";
      const retyped: Change = {
        kind: "retype",
        target: { of, field: name },
        was,
        seen: was === "string" ? "'x'" : "1",
        taken: "null",
      };
      return [
        added(of, name),
        {
          change: retyped,
          line: `"retype ${of}.${name}, was ${was}, seen as ${retyped.seen} before, taken as null before"`,
        },
        ...values(of, name, type),
      ];
    }),
  );
  const states = Object.keys(model.resources.resources).flatMap((resource) =>
    Object.keys(lifecycleOf(model, resource)?.states ?? {}).flatMap((name, _, all): Entry[] => {
      const seen = all.find((one) => one !== name);
      if (seen === undefined) return [];
      return [
        { change: { kind: "state", resource, name, seen }, line: `state ${resource}.${name}, seen as ${seen} before` },
      ];
    }),
  );
  const events = Object.keys(model.events.out ?? {}).map(
    (name): Entry => ({ change: { kind: "event", name }, line: `event ${name}` }),
  );
  return [
    ...[...Object.keys(model.resources.resources), ...Object.keys(model.resources.types)].map((name) => added(name)),
    ...Object.keys(model.endpoints.endpoints).map((name) => added(name)),
    ...fields,
    ...states,
    ...events,
  ];
}

function describes(type: FieldType, name: string): boolean {
  const bare = bareType(type);
  return bare.kind === "scalar" && bare.name === name;
}

function values(of: string, field: string, type: FieldType): readonly Entry[] {
  const bare = bareType(type);
  if (bare.kind !== "one-of" || bare.values.length < 2) return [];
  return bare.values.map((value, index, all) => {
    const seen = all[index === 0 ? 1 : 0] ?? "";
    return {
      change: { kind: "add-value", target: { of, field }, value, seen },
      line: `add value ${of}.${field} ${value}, seen as ${seen} before`,
    };
  });
}

const seen = new Set<string>();

for (const { name, text, result } of everyDocument) {
  if (seen.has(name)) continue;
  seen.add(name);
  test(`whatever came later, ${name} is served`, () => {
    // One in four of them; all in the nightly run.
    for (const { change, line } of entriesOf(result.model).filter((_, index) => isNightly || index % 4 === 0)) {
      const versions = [
        { name: "2", changes: [change] },
        { name: "1", changes: [] },
      ];
      try {
        const model: Model = { ...result.model, versioning: { scheme: "numbered", versions } };
        buildPlan(model, result.places, typeExpressions(model));
      } catch (thrown) {
        // Unless the check says why not.
        const told = check(`${name}.md`, withVersions(text, line)).summary.errors > 0;
        assert(told, `${line}: ${String(thrown)}`);
      }
    }
  });
}

/** The document with a part 9 of one entry. */
function withVersions(text: string, line: string): string {
  const part = `\`\`\`yaml\nscheme: numbered\nversions:\n  2:\n    - ${line}\n  1: first\n\`\`\`\n`;
  const start = /^## .*(?:Versioning|Versions)\s*$/m.exec(text);
  assert(start !== null);
  return `${text.slice(0, start.index + start[0].length)}\n\n${part}`;
}
