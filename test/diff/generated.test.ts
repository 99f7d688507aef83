/** In charge of a law: a model does not differ from itself. */
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { differencesOf } from "../../src/diff/differences.ts";
import { models } from "../arbitraries/model.ts";

test("a model does not differ from itself", () => {
  fc.assert(fc.property(models, (model) => assert.deepEqual(differencesOf(model, structuredClone(model)), [])));
});
