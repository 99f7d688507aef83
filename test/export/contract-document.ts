/** A document with operations that have a wire: an import in which Nonet performs none. */
import type { JsonObject } from "../../src/base/json.ts";
import { carried } from "../import/round-trip.ts";

const thing = { $ref: "#/components/schemas/Thing" };
const id = { name: "id", in: "path", required: true, schema: { type: "integer" } };
const answer = (media: string, schema: JsonObject): JsonObject => ({
  "200": { description: "It", content: { [media]: { schema } } },
});

const source: JsonObject = {
  openapi: "3.1.0",
  info: { title: "Things", version: "1" },
  servers: [{ url: "https://{region}.things.example", variables: { region: { default: "eu" } } }],
  paths: {
    "/things/{id}/send": { post: { operationId: "sendThing", summary: "Send it", description: "At length.", parameters: [id, { name: "X-Tenant", in: "header", required: true, schema: { type: "string" } }, { name: "page[size]", in: "query", schema: { type: "integer" } }], requestBody: { required: true, content: { "text/csv": { schema: { type: "string" } }, "application/json": { schema: thing } } }, responses: answer("application/hal+json", thing) } },
    "/things/{id}/pdf": { get: { operationId: "thingAsPdf", parameters: [id], responses: answer("application/pdf", {}) } },
    "/things/{id}/csv": { put: { operationId: "readCsv", parameters: [id], requestBody: { content: { "text/csv": { schema: { type: "string" } } } }, responses: { "204": { description: "Done" } } } },
  },
  components: { schemas: { Thing: { type: "object", required: ["name"], properties: { name: { type: "string" } } } } },
  webhooks: { gone: { delete: { responses: { "204": { description: "Got it" } } } } },
}; // biome-ignore format: a description

export const contractsText: string = carried(source).document;
