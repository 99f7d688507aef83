/** The exports for callers have the operations with a wire, with the types of their contracts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { markdown } from "../../src/export/markdown/markdown.ts";
import { typescriptClient } from "../../src/export/typescript/client.ts";
import { check, soundModel } from "../../src/language/check.ts";
import { buildPlan } from "../../src/plan/build.ts";
import { parts } from "./client-of.ts";
import { contractsText } from "./contract-document.ts";

const result = check("things.md", contractsText);
const sound = soundModel(result);
assert(sound !== undefined);
const plan = buildPlan(sound, result.places, result.expressions);

test("the typed client", () => {
  const text = typescriptClient(plan, parts);
  for (const line of [
    "export interface Thing {\n  readonly name: string;\n}",
    '  sendThing(id: number, body: Thing, query: SendThingQuery | undefined, options: CallOptions & { readonly headers: { readonly "X-Tenant": string } }): Call<Thing, ErrorOf<"sendThing">>;',
    '  readonly "page[size]"?: number | undefined;',
    '  thingAsPdf(id: number, options?: CallOptions): Call<Blob, ErrorOf<"thingAsPdf">>;',
    '  readCsv(id: number, body?: Blob, options?: CallOptions): Call<void, ErrorOf<"readCsv">>;',
  ])
    assert(
      text.replaceAll("CallOptions & KeyOptions", "CallOptions").includes(line),
      `${line}\n${text.slice(0, 9000)}`,
    );
});

test("the Markdown", () => {
  const text = markdown(plan, result.model, "https://a.example");
  for (const part of ["## Operations", "### sendThing", "`POST /things/{id}/send`: Send it", "At length.", "| `X-Tenant` | header | string | Required. |", "**200** It: [Thing](#thing)", "`https://eu.things.example`"])
    assert(text.includes(part), `${part}\n${text}`); // biome-ignore format: a list
  assert.doesNotMatch(text, /\[\]\(#\)/);
});
