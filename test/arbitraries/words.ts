/** Generates the words of documents: names, sentences, durations, addresses, dates. */
import { pathProblem } from "../../src/language/endpoints/address.ts";
import fc from "fast-check";

/** `parcel`, `trackingNumber`, `a1`; also the names that every object has. */
export const names: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[a-z][A-Za-z0-9]{0,8}$/) },
  { weight: 1, arbitrary: fc.constantFrom("constructor", "toString", "null", "true", "if1", "size") },
);

/** `Parcel` */
export const resourceNames: fc.Arbitrary<string> = fc.stringMatching(/^[A-Z][A-Za-z0-9]{0,8}$/);

/** `wrong-code` */
export const kebabNames: fc.Arbitrary<string> = fc.stringMatching(/^[a-z][a-z0-9]{0,5}(-[a-z0-9]{1,5}){0,2}$/);

/** Any text on one line that is not blank at its ends and that no part takes for a word of its own. */
export const sentences: fc.Arbitrary<string> = fc
  .oneof(fc.string({ minLength: 1, maxLength: 30 }), fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }))
  .map((text) => text.replaceAll(/\s+/g, " ").trim())
  .filter((text) => text !== "" && text !== "none" && text !== "not shown");

export const durations: fc.Arbitrary<string> = fc
  .tuple(fc.integer({ min: 1, max: 999 }), fc.constantFrom("ms", "s", "m", "h", "d", "w"))
  .map(([amount, unit]) => `${amount}${unit}`);

/** Of time-outs and waits. */
export const waits: fc.Arbitrary<string> = fc
  .tuple(fc.integer({ min: 1, max: 500 }), fc.constantFrom("ms", "s", "m", "h"))
  .map(([amount, unit]) => `${amount}${unit}`);

export const methods: fc.Arbitrary<"GET" | "POST" | "PUT" | "PATCH" | "DELETE"> = fc.constantFrom(
  "GET",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
);

/** `/parcels/{id}/repair`, `/parcels/{id}.json`, `/parcels/` */
export const paths: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(
      fc.oneof(
        fc.stringMatching(/^[a-z0-9._~-]{1,8}$/),
        names.map((name) => `{${name}}`),
        fc.tuple(names, fc.stringMatching(/^[.:~-][a-z0-9]{0,4}$/)).map(([name, after]) => `{${name}}${after}`),
      ),
      { maxLength: 4 },
    ),
    fc.constantFrom("", "", "", "/"),
  )
  .map(([segments, slash]) => `/${segments.join("/")}${segments.length === 0 ? "" : slash}`)
  .filter((path) => pathProblem(path) === undefined);

/** `2026-09-01`, of this century. */
export const dates: fc.Arbitrary<string> = fc
  .date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

/** An expression, as far as the parts care: text with brackets and quotes that are closed. */
export const expressions: fc.Arbitrary<string> = fc.oneof(
  fc.constant("own"),
  fc.constantFrom(
    "courier == caller.id",
    "state == 'a | b' || size > 2",
    "own && (state in ['free', 'held'] || size < 3)",
    'name.matches("^[a-z]{1,3}$")',
    "Like.exists(l, l.recipe == id && l.user == caller.id)",
    "\"a\" == 'it'",
    "'quoted'",
    '"whole"',
  ),
  names.map((name) => `${name} == caller.id`),
);

/** A record of `values` by `keys`. */
export function records<Value>(
  keys: fc.Arbitrary<string>,
  values: fc.Arbitrary<Value>,
  maxKeys = 4,
): fc.Arbitrary<Readonly<Record<string, Value>>> {
  return fc.dictionary(keys, values, { maxKeys, noNullPrototype: true });
}
