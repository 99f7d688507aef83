/** The exported AsyncAPI: valid for AsyncAPI's own parser, and the delivered messages match it. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ValidateFunction } from "ajv/dist/2020.js";
import type { Json, JsonObject } from "../../src/base/json.ts";
import { asyncapi } from "../../src/export/asyncapi/asyncapi.ts";
import { createReceiver } from "../serve/receiver.ts";
import { follow } from "../serve/follower.ts";
import { by, documentText, serve, stores } from "../serve/scenario.ts";
import { documentOf } from "../enforced/document.ts";
import { planOf } from "../serve/running.ts";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { at, baseUrl, text } from "./documents.ts";
import { everyDocument } from "./every-document.ts";
import { installed } from "./installed.ts";
import { sampled } from "../nightly.ts";

const folder = fileURLToPath(new URL("../validators", import.meta.url));

interface Finding {
  readonly code: string;
  readonly message: string;
  readonly path: readonly (string | number)[];
}

test("every document, in each of its versions, is valid for @asyncapi/parser", async (t) => {
  if (!(await installed(t, folder))) return;
  const { Parser } = createRequire(join(folder, "package.json"))("@asyncapi/parser") as {
    Parser: new () => { parse(text: string): Promise<{ document?: object; diagnostics: readonly Finding[] }> };
  };
  const parser = new Parser();
  for (const { plans } of sampled(everyDocument, 6)) {
    for (const [name, plan] of plans) {
      const { document, diagnostics } = await parser.parse(JSON.stringify(asyncapi(plan, baseUrl)));
      // 3.1 is newer, and adds nothing that a service over HTTP could say.
      const found = diagnostics.filter(({ code }) => code !== "asyncapi-latest-version");
      assert.deepEqual(
        found.map(({ code, message, path }) => `${code} ${path.join("/")}: ${message}`),
        [],
        name,
      );
      assert.ok(document !== undefined, name);
    }
  }
});

test("AsyncAPI and OpenAPI describe how long a signature is valid", () => {
  const signed = { kind: "hmac-sha256", secret: "env SECRET", sent: "header X-Signature" };
  const plan = planOf(
    documentOf({
      authentication: {
        credentials: {
          usual: signed,
          long: { ...signed, tolerance: "10m" },
          stripe: { kind: "hmac-sha256", secret: "env SECRET", scheme: "stripe", tolerance: "90s" },
          slack: { kind: "hmac-sha256", secret: "env SECRET", scheme: "slack" },
          github: { kind: "hmac-sha256", secret: "env SECRET", scheme: "github" },
        },
      },
    }),
  );
  for (const document of [asyncapi(plan, baseUrl), openapi(plan, baseUrl)]) {
    const schemes = Object.entries(at(document, "components", "securitySchemes"));
    assert.deepEqual(
      schemes.map(([name, scheme]) => [name, /Valid.*/.exec(text((scheme as JsonObject)["description"]))?.[0]]),
      [
        ["usual", "Valid for 5 minutes and one use."],
        ["long", "Valid for 10 minutes and one use."],
        ["stripe", "Valid for 90 seconds."],
        ["slack", "Valid for 5 minutes."],
        ["github", undefined],
      ],
    );
  }
});

test("every example is a value that its schema takes", () => {
  for (const { plans } of everyDocument) {
    for (const [name, plan] of plans) {
      const document = asyncapi(plan, baseUrl);
      const judges = judgesOf(document);
      for (const [message, said] of Object.entries(at(document, "components", "messages"))) {
        for (const { payload } of ((said as JsonObject)["examples"] ?? []) as readonly { payload: Json }[])
          assert.deepEqual(judges(message)(payload) ? [] : judges(message).errors, [], `${name} ${message}`);
      }
    }
  }
});

for (const store of stores) {
  test(`what is sent to a webhook and on the stream is what is described (${store})`, async () => {
    await using receiver = await createReceiver();
    await using subject = await serve(documentText("orders"), { store });
    const { client, running } = subject;
    const document = asyncapi(running.plan, running.url);
    const judges = judgesOf(document);
    const kim = by(await running.key("kim", "clerk"));
    const made = await client.send({ method: "POST", path: "/webhooks", headers: kim, body: { url: receiver.url } });
    assert.equal(made.status, 201, made.text);
    using follower = await follow(running.port, { ...kim, Accept: "text/event-stream" }, "/events");
    const ann = by(await running.key("ann", "shop"));
    const order = { email: "x@example.com", margin: 7, note: "n" };
    const placed = await client.send({ method: "POST", path: "/orders", headers: ann, body: order });
    assert.equal(placed.status, 201, placed.text);
    await client.send({ method: "POST", path: `/orders/${(placed.json as { id: string }).id}/pay`, headers: kim });
    const sent = await receiver.until(2);
    await follower.until(({ events }) => events.length >= 2);
    const texts = [
      ...sent.map(({ body }): [string, string] => ["Webhook", body]),
      ...follower.events.map(({ data = "" }): [string, string] => ["Streamed", data]),
    ];
    assert.ok(texts.length >= 4);
    for (const [kind, text] of texts) {
      const event = JSON.parse(text) as { readonly type: string };
      const names = Object.entries(at(document, "components", "messages")).filter(([name, said]) => {
        return (said as JsonObject)["name"] === event.type && name.endsWith(kind);
      });
      assert.equal(names.length, 1, `${event.type} ${kind}`);
      const judge = judges(names[0]?.[0] ?? "");
      assert.deepEqual(judge(event) ? [] : judge.errors, [], text);
    }
  });
}

/** By the name of a message what judges its payload. */
function judgesOf(document: JsonObject): (message: string) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false, allErrors: true });
  const { components } = document as { components: { messages: JsonObject; schemas: JsonObject } };
  ajv.addSchema({ $id: "document", components: { schemas: components.schemas, messages: components.messages } });
  const known = new Map<string, ValidateFunction>();
  return (message) => {
    const judge = known.get(message) ?? ajv.compile({ $ref: `document#/components/messages/${message}/payload` });
    known.set(message, judge);
    return judge;
  };
}
