/** Generated renames of what the documents of the corpus declare: a name changes wherever it is, and nothing else does. */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { documents } from "../../../test/corpus/documents.ts";
import { typeExpressions } from "../analysis/expressions.ts";
import { mapReferences, references } from "../analysis/references.ts";
import { check } from "../check.ts";
import type { Reference } from "../grammar/references.ts";
import type { Model } from "../model.ts";
import { printData } from "../print.ts";
import { renamed, renamedMembers } from "./rename.ts";

interface Declaration {
  readonly document: string;
  readonly model: Model;
  readonly reference: Reference;
}

const declarations: readonly Declaration[] = documents.flatMap(({ name, text }) => {
  const { model: read } = check(name, text);
  // Entries of versions name what there was then.
  const model = { ...read, versioning: {} };
  return references(model)
    .filter(({ declares }) => declares)
    .map((reference) => ({ document: name, model, reference }));
});

const declared = (...kinds: readonly string[]): fc.Arbitrary<Declaration> =>
  fc.constantFrom(...declarations.filter(({ reference }) => kinds.includes(String(reference.kinds))));

/** A name that no document has, in the style of the name. */
function fresh(name: string): string {
  return `${name}zyx`;
}

function withName({ kinds, name, of }: Reference, model: Model, to: string): Model {
  const { typed } = typeExpressions(model);
  const isIt = (other: Reference): boolean =>
    other.name === name && other.of === of && kinds.some((kind) => other.kinds.includes(kind));
  return mapReferences(model, (other) => (isIt(other) ? to : other.name), typed);
}

function findings(model: Model): readonly string[] {
  const { diagnostics } = check("generated", printData(model));
  return diagnostics.map(({ code, message, help }) => `${code}: ${message}; ${help}`);
}

/** If a path under another name no longer implies its meaning, `meant` states the meaning. */
function unexplained(model: Model): Model {
  const endpoints = Object.entries(model.endpoints.endpoints).map(([name, endpoint]) => {
    const { does: _, meant: __, of: ___, ...rest } = endpoint;
    return [name, rest];
  });
  return { ...model, endpoints: { ...model.endpoints, endpoints: Object.fromEntries(endpoints) as never } };
}

suite("a name that changes", () => {
  test("and changes back leaves the model as it was", () => {
    const any = declared("type", "view", "operation", "event", "error", "role", "credential", "state", "member");
    fc.assert(
      fc.property(any, ({ model, reference }) => {
        const to = fresh(reference.name);
        const there = withName(reference, model, to);
        assert.notDeepEqual(there, model);
        const moved = { ...reference, name: to };
        assert.deepEqual(withName(moved, there, reference.name), model);
      }),
    );
  });

  test("of a resource or a field too, with what the paths mean", () => {
    fc.assert(
      fc.property(declared("resource", "field"), ({ model, reference: { kinds, name, of = "" } }) => {
        // A resource without an `id` has no references to it.
        fc.pre(name !== "id");
        const to = fresh(name);
        const change = (from: Model, a: string, b: string): Model =>
          kinds.includes("resource") ? renamed(from, a, b) : renamedMembers(from, [{ of, from: a, to: b }]);
        const there = change(model, name, to);
        assert.notDeepEqual(there, model);
        assert.deepEqual(unexplained(change(there, to, name)), unexplained(model));
      }),
    );
  });

  test("leaves the findings as they are, but for the name", () => {
    const any = declared("type", "view", "operation", "event", "error", "credential");
    fc.assert(
      fc.property(any, ({ model, reference }) => {
        const to = fresh(reference.name);
        const after = findings(withName(reference, model, to)).map((text) => text.replaceAll(to, reference.name));
        assert.deepEqual(after.toSorted(), findings(model).toSorted());
      }),
    );
  });
});
