/** Postman's own library reads the collection of every document, and its runner plays those of examples against the served example. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import newman from "newman";
import type { JsonObject } from "../../src/base/json.ts";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { postman } from "../../src/export/postman/postman.ts";
import { run } from "../serve/running.ts";
import { everyDocument } from "./every-document.ts";
import { recordInto } from "./recorded.ts";

interface Example {
  readonly name: string;
  /** The roles of the caller whose key the collection gets. */
  readonly roles?: readonly string[];
  readonly credential?: string;
  /** How many responses are successes: not all, since an example knows nothing of a guard or a state. */
  readonly successes: number;
}

const examples: readonly Example[] = [
  { name: "todo-backend", successes: 6 },
  { name: "back-office", roles: ["manager"], credential: "key", successes: 0 },
  { name: "print-shop", roles: ["staff"], credential: "key", successes: 0 },
  { name: "parcel-lockers", roles: ["operator"], credential: "key", successes: 0 },
  { name: "issue-tracker", roles: [], credential: "token", successes: 0 },
];

for (const { name, roles = [], credential, successes } of examples)
  test(`the collection of ${name} runs against it`, async () => {
    const text = readFileSync(new URL(`../../examples/${name}.md`, import.meta.url), "utf8");
    await using service = await run(text, { environment: { DOOR_SECRET: "a test" } });
    const token = credential === undefined ? [] : [{ key: credential, value: await service.key("kim", ...roles) }];
    const ours = recordInto(openapi(service.plan, service.url));
    const { stats, failures, statuses } = await play(postman(service.plan, service.url), token, ours);
    assert.deepEqual(
      failures.map(({ source, error }) => `${source.name}: ${error.message}`),
      [],
    );
    assert.equal(stats.assertions.total, stats.requests.total);
    assert.deepEqual(ours.violations, []);
    const good = statuses.filter((status) => status < 300).length;
    assert.ok(good >= successes, `${good} of ${statuses.join(" ")}`);
  });

async function play(
  collection: JsonObject,
  envVar: readonly { readonly key: string; readonly value: string }[],
  ours: ReturnType<typeof recordInto>,
): Promise<newman.Summary["run"] & { readonly statuses: readonly number[] }> {
  const statuses: number[] = [];
  const done = await new Promise<newman.Summary["run"]>((resolve, reject) => {
    const running = newman.run({ collection, envVar }, (failure, summary) => {
      if (failure === null) resolve(summary.run);
      else reject(failure);
    });
    running.on("request", (failure: Error | null, { request, response }: newman.Requested) => {
      if (failure !== null) return;
      const headers = response.headers.all().map(({ key, value }) => [key, value] as const);
      const path = `${request.url.getPath()}?${request.url.getQueryString()}`;
      statuses.push(response.code);
      ours.check({ method: request.method, path }, { status: response.code, body: response.text(), headers });
    });
  });
  return { ...done, statuses };
}

test("every operation of every document is in its collection once, and no placeholder without a variable", () => {
  for (const { plans } of everyDocument)
    for (const [name, plan] of plans) {
      const collection = postman(plan, "http://x");
      const { item, variable } = collection as unknown as {
        readonly item: readonly { readonly item: readonly object[] }[];
        readonly variable: readonly { readonly key: string }[];
      };
      const operations = [...plan.operations, ...plan.contractOperations].length;
      assert.ok(item.flatMap((folder) => folder.item).length >= operations, name);
      const used = [...JSON.stringify(item).matchAll(/\{\{([^{}$]+)\}\}/g)].map(([, key]) => key);
      const known = new Set(variable.map(({ key }) => key));
      assert.deepEqual(
        used.filter((key) => !known.has(key ?? "")),
        [],
        name,
      );
    }
});
