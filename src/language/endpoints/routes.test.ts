/** The routes that webhooks and the stream bring with them are those that are served. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readDocument } from "../../document/read.ts";
import { withWebhooks } from "../../plan/events/webhooks.ts";
import { readModel } from "../read.ts";
import { allRoutesOf, routesOf } from "./routes.ts";

test("what is served below the address of webhooks", () => {
  const text = "events:\n  delivery: { webhook: { subscribe: POST /hooks, for: signed-in } }\n";
  const { model } = readModel(readDocument("hooks.nonet.yaml", text).document);
  const { model: bare } = readModel(readDocument("bare.nonet.yaml", "events: none\n").document);
  const written = (routes: ReturnType<typeof routesOf>) => routes.map(({ method, path }) => `${method} ${path}`);
  const added = Object.values(withWebhooks(model).endpoints.endpoints).map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(written(allRoutesOf(model)).toSorted(), added.toSorted());
  assert.deepEqual(allRoutesOf(bare), routesOf(bare));
});

test("what is served below the address of the stream", () => {
  const text = "events:\n  delivery: { stream: { at: GET /events, for: signed-in } }\n";
  const { model } = readModel(readDocument("stream.nonet.yaml", text).document);
  const routes = allRoutesOf(model).map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(routes, ["GET /events", "GET /events/{id}"]);
});
