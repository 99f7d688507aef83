/**
 * The labelled pairs of descriptions of oasdiff (github.com/oasdiff/oasdiff), from the tests in its folder `checker`. `NONET_OASDIFF`
 * is a folder with `pairs.json`, a list of `{ id, label, tests, ids }`, and for each pair the files `ID-base.json` and
 * `ID-revision.json`. The label is `breaking`, `may break` or `not`. Where Nonet judges differently, a row of
 * docs/reference/contract-changes.md says why.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import test from "node:test";
import { compare } from "../../src/diff/compare.ts";
import { importDocument } from "../../src/import/import.ts";
import type { Model } from "../../src/language/model.ts";
import { tableRows } from "../docs/fences.ts";

const folder = process.env["NONET_OASDIFF"];
const skip = folder === undefined && "NONET_OASDIFF is not the folder of oasdiff's labelled pairs";

interface Pair {
  readonly id: string;
  readonly label: "breaking" | "may break" | "not";
  /** The tests of oasdiff that compare the pair. */
  readonly tests: readonly string[];
}

/** The tests whose label differs, by the row of the page. */
const argued: Readonly<Record<string, readonly string[]>> = {
  "a request needs a credential, a scope or another kind of credential": [
    "TestAPIGlobalSecurityyAdded", "TestAPISecurityAdded", "TestAPISecurityScopeAdded", "TestComponentSecurityTypeUpdated",
    "TestComponentSecurityRemoved",
  ],
  "another address of the server": ["TestBreaking_Servers"],
  "a date of a deprecation is removed or is no date": [
    "TestBreaking_SunsetDeletedForDeprecatedEndpoint", "TestBreaking_SunsetModifiedToInvalidForDeprecatedEndpoint",
    "TestBreaking_SunsetDeletedForDeprecatedParameter", "TestBreaking_SunsetDeletedForDeprecatedAndRenamedParameter",
    "TestBreaking_SunsetModifiedToInvalidForDeprecatedParameter", "TestBreaking_SunsetModifiedFromInvalidForDeprecatedParameter",
    "TestRequestPropertyDeprecation_WithInvalidSunset",
  ],
  "a deprecated parameter without a sunset is removed": ["TestBreaking_ParameterDeprecationNoSunset"],
  "a level of stability (`x-stability-level`)": [
    "TestBreaking_InvaidStability", "TestBreaking_InvalidStabilityLevelInRevision", "TestBreaking_InvalidStabilityLevelInBase",
    "TestBreaking_InvalidNonJsonStabilityLevel", "TestBreaking_RemovedParameterForAlpha",
  ],
  "a member of a request becomes read-only": [
    "TestRequestReadOnlyPropertyEnumValueRemovedCheck", "TestRequestReadOnlyPropertyMaxLengthDecreasedCheck",
    "TestRequestReadOnlyPropertyMaxDecreasedCheck", "TestRequestReadOnlyPropertyMinIncreasedCheck",
    "TestRequestOptionalPropertyBecameReadOnly", "TestRequestRequiredPropertyBecameReadOnly",
  ],
  "a required member of a request is no longer read-only": ["TestRequestRequiredPropertyBecameNonReadOnly"],
  "a member of a response becomes write-only": [
    "TestBreaking_RequiredPropertyWriteOnlyEnabled", "TestResponseOptionalPropertyBecameWriteOnly",
  ],
  "a member of a response is no longer write-only": [
    "TestBreaking_RequiredPropertyWriteOnlyDisabled", "TestResponseRequiredPropertyBecameNotWriteOnly",
  ],
  "a pattern of a read-only member of a request": ["TestBreaking_AddPattern", "TestBreaking_AddPatternRecursive"],
  "a pattern of a response is removed or changed": [
    "TestBreaking_DeletePatten", "TestBreaking_GeneralizedPattern", "TestResponsePropertyPatternChanged",
    "TestResponsePropertyPatternRemoved",
  ],
  "an alternative of `anyOf` in a response": ["TestResponsePropertyAnyOfAdded"],
  "a part of `allOf` that says nothing new, or only an optional member": [
    "TestBreaking_RequestPropertyAllOfAdded", "TestBreaking_RequestPropertyAllOfRemoved",
    "TestRequestPropertyAllOfAdded_WithSources_Inline",
  ],
  "an alternative is replaced by another one with the same schema": ["TestRequestBodyAnyOfMultiMediaTypeDetails"],
  "another default of a member, or none": [
    "TestRequestPropertyDefaultValueChanged", "TestRequestBodyDefaultValueRemoving", "TestRequestBodyDefaultValueChanged",
  ],
  "a default where there was none": [
    "TestBreaking_SettingOptionalParamDefaultValue", "TestRequestParameterDefaultValueAdded",
  ],
  "a required name that no property describes": [
    "TestBreaking_ReqBodyNewRequiredPropertyNew", "TestRequestPropertyMarkedOptional",
  ],
  "a path parameter that the path does not have": [
    "TestRequestParameterBecameEnum", "TestRequestParameterMinIncreased", "TestRequestPathParamTypeChanged",
    "TestRequestPathParamFormatChanged", "TestListOfTypesIntegration_ParameterChanges",
    "TestRequestParameterXExtensibleEnumValueRemoved",
  ],
  "the list of an open enumeration (`x-extensible-enum`)": ["TestRequestPropertyXExtensibleEnumValueRemovedCheck"],
  "an empty `enum`": ["TestBreaking_RequestBodyEnumRemoved"],
  "a parameter in a part of `allOf`": ["TestBreaking_RequestParameterMaxItemsWithoutFlatten"],
  "a number becomes a text in a parameter's object": ["TestBreaking_ReqQueryParamTypeNumberToString"],
  "the body of a webhook becomes required": ["TestWebhookOperationChangesDetected"],
  "an object becomes a text in XML": [
    "TestRequestBodyTypeLooselyTypedCompatible", "TestResponseBodyTypeLooselyTypedCompatible",
  ],
}; // biome-ignore format: a table

test("each other judgement is in the page, and each row of the page has a pair", () => {
  const rows = tableRows("docs/reference/contract-changes.md", "Other judgements").map(([change]) => change);
  assert.deepEqual(Object.keys(argued), rows);
});

test("at least 95 % of oasdiff's pairs are judged as labelled, or with a reason", { skip, timeout: 240_000 }, (t) => {
  const at = resolve(folder ?? "");
  const pairs = JSON.parse(readFileSync(join(at, "pairs.json"), "utf8")) as readonly Pair[];
  const modelOf = (name: string): Model => {
    const imported = importDocument(name, readFileSync(join(at, name)), { contractsOnly: true });
    assert.equal(imported.kind, "imported", name);
    return (imported as { readonly model: Model }).model;
  };
  const reasons = new Set(Object.values(argued).flat());
  const found = pairs.map(({ id, label, tests }) => {
    const { differences } = compare(modelOf(`${id}-base.json`), modelOf(`${id}-revision.json`), "2026-11-27");
    const breaks = differences.some(({ difference }) => difference.effect === "breaking");
    return { id, tests, agrees: breaks === (label !== "not"), hasReason: tests.some((name) => reasons.has(name)) };
  });
  const agreed = found.filter(({ agrees }) => agrees);
  const open = found.filter(({ agrees, hasReason }) => !agrees && !hasReason);
  t.diagnostic(
    `${found.length} pairs: ${agreed.length} as labelled, ${found.length - agreed.length - open.length} with a reason`,
  );
  for (const { id, tests } of open) t.diagnostic(`neither: ${id} ${tests.join(", ")}`);
  assert.deepEqual(
    agreed.filter(({ hasReason }) => hasReason),
    [],
    "a reason that no pair needs",
  );
  assert.ok(open.length <= pairs.length * 0.05, open.flatMap(({ tests }) => tests).join(", "));
});
