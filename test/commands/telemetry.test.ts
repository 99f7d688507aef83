/** An OpenTelemetry SDK that is loaded with `--import`, as in the how-to page. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { addressOf, nonet, root, temporaryFolder } from "./process.ts";
import { shelf } from "./shelf.ts";

const sdk = pathToFileURL(join(root, "test", "serve", "telemetry-sdk.ts")).href;
const registration = `
import { registerSdk } from ${JSON.stringify(sdk)};
const { spans, values } = registerSdk();
process.once("beforeExit", () => console.log("recorded " + JSON.stringify([spans, values])));
`;

test("R1.5 what is served is told to it, and the process ends so that the rest can be sent", async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "shelf.md"), shelf());
  writeFileSync(join(folder, "telemetry.mjs"), registration);
  const environment = { NODE_OPTIONS: "--import ./telemetry.mjs" };
  const running = nonet(t, ["serve", "shelf.md", "--port", "0", "--data", "memory"], { folder, environment });
  const address = await addressOf(running);
  await (await fetch(`${address}/books?limit=1`)).text();
  running.signal("SIGINT");
  assert.equal(await running.ended, 0);
  const text = /^recorded (.*)$/m.exec(running.output)?.[1] ?? assert.fail(running.output);
  const [spans, values] = JSON.parse(text) as [{ name: string; attributes: object }[], { name: string }[]];
  assert.deepEqual(
    spans.map(({ name }) => name),
    ["GET /books"],
  );
  assert.partialDeepStrictEqual(spans[0]?.attributes, {
    "url.path": "/books",
    "server.port": Number(new URL(address).port),
  });
  const [duration, ...others] = values.filter(({ name }) => name.startsWith("http."));
  assert.deepEqual([duration?.name, others], ["http.server.request.duration", []]);
  // What the store does is told, too.
  assert(values.some(({ name }) => name === "nonet.store.operation.duration"));
});
