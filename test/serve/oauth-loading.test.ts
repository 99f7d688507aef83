/** When an optional package is loaded, and the error text if it is missing. */
import assert from "node:assert/strict";
import { registerHooks } from "node:module";
import { test } from "node:test";
import { loadPackage } from "../../src/runtime/auth/oauth/provider.ts";
import { run } from "./running.ts";
import { documentText } from "./scenario.ts";

const asked: string[] = [];
let missing = false;
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === "oidc-provider") {
      asked.push(specifier);
      if (missing) throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
    }
    return next(specifier, context);
  },
});

const notebook = documentText("notebook");

test("where it is missing, what to install is said", async () => {
  missing = true;
  await assert.rejects(loadPackage(), /oidc-provider.*npm install oidc-provider@9/);
  missing = false;
  asked.length = 0;
});

test("a document whose clients act for themselves loads nothing of it", async () => {
  await using running = await run(notebook.replace("    login: session\n", "").replace("    renewed: 30d\n", ""));
  await running.keyOf("app", "acme", "reader");
  const [key] = await running.store.keys.list();
  const form = new URLSearchParams({ grant_type: "client_credentials", client_id: key?.id ?? "", client_secret: "x" });
  assert.equal((await fetch(`${running.url}/oauth/token`, { method: "POST", body: form })).status, 401);
  assert.equal((await fetch(`${running.url}/oauth/authorize`)).status, 404);
  assert.deepEqual(asked, []);
});

test("one whose clients act for users loads it at the first of them", async () => {
  await using running = await run(notebook);
  assert.equal((await fetch(`${running.url}/.well-known/oauth-authorization-server`)).status, 200);
  assert.deepEqual(asked, []);
  assert.equal((await fetch(`${running.url}/oauth/authorize`)).status, 400);
  assert.deepEqual(asked, ["oidc-provider"]);
});
