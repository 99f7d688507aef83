/** The exported JSON Schema: it compiles alone, refers to nothing outside, and matches real requests and responses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Json, JsonObject } from "../../src/base/json.ts";
import { describe } from "../../src/export/described.ts";
import { exampleOf } from "../../src/export/example.ts";
import { jsonSchema } from "../../src/export/json-schema.ts";
import { by, documentText, serve } from "../serve/scenario.ts";
import { at, baseUrl } from "./documents.ts";
import { everyDocument } from "./every-document.ts";

function compiler(document: JsonObject): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false, allErrors: true });
  ajv.addSchema(document);
  return ajv;
}

test("every definition of every document, in each version, compiles under its own id", () => {
  for (const { plans, result } of everyDocument) {
    for (const [name, plan] of plans) {
      const document = jsonSchema(plan, result.model, baseUrl);
      const ajv = compiler(document);
      assert.ok(ajv.validateSchema(document), name);
      for (const definition of Object.keys(at(document, "$defs")))
        assert.ok(ajv.getSchema(`${baseUrl}/schemas/${definition}`), `${name} ${definition}`);
      assert.doesNotMatch(JSON.stringify(document), /#\/components\//, name);
    }
  }
});

test("every example of a body is one that its schema takes", () => {
  for (const { plans, result } of everyDocument) {
    for (const [name, plan] of plans) {
      const ajv = compiler(jsonSchema(plan, result.model, baseUrl));
      const { schemas } = describe(plan, baseUrl);
      for (const [component, schema] of Object.entries(schemas)) {
        const example = exampleOf(schemas, schema);
        const judge = ajv.getSchema(`${baseUrl}/schemas/${component}`);
        if (example !== undefined) assert.ok(judge?.(example), `${name} ${component} ${JSON.stringify(judge?.errors)}`);
      }
    }
  }
});

test("resources, what makes and changes them, types and events are told apart", () => {
  const flagship = everyDocument.find(({ name }) => name === "parcel-lockers");
  assert.ok(flagship !== undefined);
  const definitions = at(
    jsonSchema([...flagship.plans.values()][0] as never, flagship.result.model, "https://lockers.example/"),
    "$defs",
  );
  const titles = ["Parcel", "AnnounceParcelInput", "ChangeParcelInput", "CollectAnswer"].map((name) => {
    return (definitions[name] as JsonObject)["title"];
  });
  assert.deepEqual(titles, [
    "Parcel, as it is read",
    "Parcel, as announceParcel creates it",
    "Parcel, as changeParcel changes it",
    "What collect gives",
  ]);
  assert.equal((definitions["Address"] as JsonObject)["$id"], "https://lockers.example/schemas/Address");
  assert.ok(Object.hasOwn(definitions, "ParcelStoredEvent"));
});

test("what is served fits it", async () => {
  await using subject = await serve(documentText("orders"), { store: "memory" });
  const { client, running } = subject;
  const orders = everyDocument.find(({ name }) => name === "orders");
  assert.ok(orders !== undefined);
  const ajv = compiler(jsonSchema(running.plan, orders.result.model, running.url));
  const ann = by(await running.key("ann", "shop"));
  const body = { email: "x@example.com", margin: 7, note: "n" };
  const made = await client.send({ method: "POST", path: "/orders", headers: ann, body });
  const refused = await client.send({ method: "POST", path: "/orders", headers: ann, body: { margin: "7" } });
  const fits = (definition: string, value: Json): void => {
    const judge = ajv.getSchema(`${running.url}/schemas/${definition}`);
    assert.ok(judge?.(value), `${definition}: ${JSON.stringify(judge?.errors)}`);
  };
  fits("Order", made.json as Json);
  fits("Problem", refused.json as Json);
  fits("InvalidRequestProblem", refused.json as Json);
  assert.equal(ajv.getSchema(`${running.url}/schemas/Order`)?.({ ...(made.json as object), id: 5 }), false);
});
