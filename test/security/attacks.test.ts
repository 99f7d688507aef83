/**
 * Every operation of every document, requested without a key, with an unknown key, and with keys of each role, on missing and
 * impossible records: a caller without a grant is rejected before any other check (R5.1, OWASP API5).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Grant } from "../../src/language/authentication/model.ts";
import { keyCredentials } from "../../src/runtime/auth/mint.ts";
import { everyDocument } from "../export/every-document.ts";
import { createClient } from "../serve/client.ts";
import { everyAnswer } from "../serve/every-answer.ts";
import { run } from "../serve/running.ts";
import { stores } from "../serve/scenario.ts";

interface Caller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for who is not signed in. */
  readonly roles: readonly string[] | undefined;
}

function isMeant({ who }: Grant, { roles }: Caller): boolean {
  return who.kind === "anyone" || (roles !== undefined && (who.kind === "signed-in" || roles.includes(who.role)));
}

/** One id that could be, and one that cannot. */
const keys = ["x_00000000000000000000000001", "..%2f%00".replace("%00", "x")];
let requests = 0;

for (const [index, { name, text, result }] of everyDocument.entries()) {
  // One store each: what is tried here is decided before any is asked.
  const store = stores[index % stores.length];
  test(`R5.1 nobody but who is named runs an operation of ${name} (${store})`, async () => {
    const { model } = result;
    const environment = Object.fromEntries(
      Object.values(model.authentication.credentials).flatMap(({ secret }) => (secret === undefined ? [] : [[secret, "s".repeat(40)]])),
    );
    await using running = await run(text, { environment, ...(store === undefined ? {} : { store }) });
    const holds = everyAnswer(running.plan);
    using client = createClient(running.port, (sent, reply) => {
      requests += 1;
      holds(sent, reply);
    });
    const callers: Caller[] = [{ name: "nobody", headers: {}, roles: undefined }];
    const [credential] = keyCredentials(running.plan).filter(({ kind, roles }) => roles.kind === "own" && kind !== "oauth2");
    if (credential !== undefined) {
      const { roles = [] } = model.authentication;
      for (const held of [[], ...roles.map((role) => [role]), [...roles, "unheard-of"]]) {
        const key = await running.keyOf(credential.name, "kim", ...held);
        const { header = "Authorization", scheme } = credential.sent[0] as { header?: string; scheme?: string };
        const secret = scheme === "Basic" ? Buffer.from(`kim:${key}`).toString("base64") : key;
        callers.push({ name: `a key with [${held.join()}]`, headers: { [header]: scheme === undefined ? secret : `${scheme} ${secret}` }, roles: held });
      }
    }
    for (const [operation, endpoint] of Object.entries(model.endpoints.endpoints)) {
      const plan = running.plan.operations.find((one) => one.name === operation);
      if (plan === undefined || plan.inbound !== undefined) continue;
      const grants = model.authentication.allow[operation] ?? [];
      const base = new URL(running.plan.base.replace("{base_url}", "http://x")).pathname.replace(/\/+$/, "");
      for (const caller of callers) {
        const isAllowed = grants.some((grant) => isMeant(grant, caller));
        // Its function is not here.
        if (isAllowed && plan.action === "handler") continue;
        for (const key of keys) {
          const path = base + endpoint.path.replaceAll(/\{[^{}]+\}/g, key);
          const reply = await client.send({ method: endpoint.method, path, headers: caller.headers });
          running.pass(61_000);
          const label = `${endpoint.method} ${path} by ${caller.name}: ${reply.status} ${reply.text.slice(0, 200)}`;
          if (reply.status === 429 || reply.status === 410 || (running.plan.versions !== undefined && reply.text.includes("version"))) continue;
          assert(reply.status < 500 || running.plan.errors["internal"]?.statuses.includes(reply.status) !== true, label);
          if (isAllowed) {
            // Who may run it is refused for something else, if at all: a login that fails, a record that is hidden.
            if (plan.session === undefined) assert(reply.status !== 401, label);
          } else {
            const { statuses = [] } = running.plan.errors[caller.roles === undefined ? "unauthenticated" : "forbidden"] ?? {};
            assert(statuses.includes(reply.status), label);
          }
        }
      }
    }
    assert.deepEqual(running.failures, []);
  });
} // biome-ignore format: long lines

test("there were enough of them", (t) => {
  t.diagnostic(`${requests} requests`);
  assert(requests > 500, `${requests}`);
});
