/**
 * Laws of comparisons: a model does not differ from itself, every changed statement is a difference, any two models compare. The
 * models are generated, and modified by removing or changing one statement.
 */
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { compare } from "../../src/diff/compare.ts";
import { canonical } from "../../src/diff/conditions.ts";
import { same } from "../../src/diff/difference.ts";
import { differencesOf } from "../../src/diff/differences.ts";
import { findingsOf } from "../../src/diff/findings.ts";
import { markdownOf } from "../../src/diff/markdown.ts";
import type { Model } from "../../src/language/model.ts";
import { models } from "../arbitraries/model.ts";
import { runs } from "../nightly.ts";

test("a model does not differ from itself", () => {
  fc.assert(fc.property(models, (model) => assert.deepEqual(differencesOf(model, structuredClone(model)), [])));
});

test("no statement of a model changes unseen", () => {
  fc.assert(
    fc.property(models, fc.nat(), fc.boolean(), (model, which, gone) => {
      const places = pathsOf(model);
      const place = places[which % places.length];
      if (place === undefined) return;
      const changed = withAnother(model, place, gone) as Model;
      if (meansTheSame(model, changed, place)) return;
      const what = `${place.join("/")} of ${JSON.stringify(valueAt(model, place))}`;
      assert.notDeepEqual(differencesOf(model, changed), [], what);
    }),
    // The message names the statement; making so large a model smaller would take minutes and say no more.
    { numRuns: runs(150, 500), endOnFailure: true },
  );
});

test("any two models can be compared, and what is found is found once and has a line", () => {
  fc.assert(
    fc.property(models, models, (old, now) => {
      const comparison = compare(old, now, "2026-11-22");
      const findings = [...findingsOf(comparison, new Map()).keys()];
      const open = comparison.differences.filter(({ declared }) => !declared);
      assert.equal(findings.length, open.length + comparison.idle.length);
      assert.ok(markdownOf(comparison, new Set(open)).startsWith("## "));
    }),
  );
});

type Place = readonly string[];

/** Every statement of the model, but for what only says of which kind another one is. */
function pathsOf(value: unknown, place: Place = []): readonly Place[] {
  if (value === null || typeof value !== "object")
    return value === "none" || value === "any" || place.at(-1) === "kind" ? [] : [place];
  const below = Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...place, name]));
  return place.length > 1 ? [place, ...below] : below;
}

function valueAt(value: unknown, [first, ...rest]: Place): unknown {
  if (first === undefined) return value;
  return Object.hasOwn(Object(value), first) ? valueAt((value as Record<string, unknown>)[first], rest) : undefined;
}

/** The value with what stands at the place gone, where it may be, or another. */
function withAnother(value: unknown, [first, ...rest]: Place, gone: boolean): unknown {
  if (first === undefined) return another(value);
  const last = gone && rest.length === 0;
  if (Array.isArray(value)) {
    const index = Number(first);
    return last ? value.toSpliced(index, 1) : value.with(index, withAnother(value[index], rest, gone));
  }
  const { [first]: member, ...others } = value as Record<string, unknown>;
  // There are no other scalars than those of the language.
  if (others["kind"] === "scalar" && first === "name")
    return { ...others, name: ["string", "text"].includes(String(member)) ? "boolean" : "string" };
  // The condition of a filter, which also has a type, is always there; that of an operation may be gone.
  const needed = always.has(first) || (first === "if" && !("method" in others));
  if (last && !("kind" in others) && !needed) return others;
  return { ...others, [first]: withAnother(member, rest, gone) };
}

/** Members that the types of the model say are always there. */
const always = new Set(
  `optional marks type of made open values triggers on who required header disable count per window states moves from to else
  fields expression when carries changes place retry for status sentence path method with resources types rules users
  operations endpoints credentials own allow show errors error name list duration after act choose origins`.split(
    /\s+/,
  ),
);

function another(value: unknown): unknown {
  if (typeof value === "string") return `${value}x`;
  if (typeof value === "number") return value + 1;
  return typeof value === "boolean" ? !value : value;
}

/** Nothing said in another way, blanks in an expression, or one of several alternatives that another one may cover. */
function meansTheSame(model: Model, changed: Model, place: Place): boolean {
  const [before, after] = [valueAt(model, place), valueAt(changed, place)];
  if (same(model, changed) || (says(before) === 0 && says(after) === 0)) return true;
  // A list of fields without a direction is in ascending order.
  if (place.at(-1) === "descending" && [before, after].every((value) => value !== true)) return true;
  // Without a word, several values have commas between them.
  if (place.at(-1) === "several" && [before, after].every((value) => value !== "repeated")) return true;
  if (["allow", "show", "for", "rules"].some((list) => place.indexOf(list) > 0)) return true;
  const media = place.slice(0, place.lastIndexOf("media") + 1);
  if (media.length > 0 && same(uncovered(valueAt(model, media)), uncovered(valueAt(changed, media)))) return true;
  return typeof before === "string" && typeof after === "string" && canonical(before) === canonical(after);
}

/** The media types of a file that no other one of them stands for, such as `image/*` for `image/png`. */
function uncovered(media: unknown): unknown {
  if (!Array.isArray(media)) return media;
  const covers = (range: string, type: string): boolean =>
    range !== type && range.endsWith("/*") && type.startsWith(range.slice(0, -1));
  return media.filter((type: string) => !media.some((range: string) => covers(range, type)));
}

/** How much a value says. */
function says(value: unknown): number {
  if (value === undefined) return 0;
  if (value === null || typeof value !== "object") return 1;
  return Object.values(value).reduce((sum: number, member) => sum + says(member), 0);
}
