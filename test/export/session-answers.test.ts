/** OpenAPI declares the real responses of session operations, also those with the record itself. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { documentOf } from "../enforced/document.ts";
import { planOf, run } from "../serve/running.ts";
import { recordInto } from "./recorded.ts";

test("a login, a renewal and a logout that give the record", async () => {
  const text = documentOf({
    resources: {
      User: { id: "id(usr)", email: "string(3..90), unique", password: "string(12..64), write-only, secret" },
    },
    endpoints: {
      endpoints: {
        addUser: "POST /users",
        getUser: "GET /users/{id}",
        login: { at: "POST /login", does: "login", of: "User", gives: "User" },
        enter: { at: "POST /enter", does: "login", of: "User" },
        renew: { at: "POST /renew", does: "renew", of: "User", gives: "User" },
        logout: { at: "POST /logout", does: "logout", of: "User", gives: "User" },
      },
    },
    authentication: {
      credentials: {
        session: { kind: "password", of: "User", name: "email", secret: "password", lasts: "1h", renewed: "1d" },
      },
      roles: [],
      allow: { logout: "signed-in" },
    },
  });
  await using running = await run(text);
  const recording = recordInto(openapi(planOf(text), running.url));
  const send = async (path: string, body?: object, token?: string): Promise<Record<string, string>> => {
    const response = await fetch(running.url + path, {
      method: "POST",
      headers: {
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const sent = await response.text();
    assert(response.ok, `${path}: ${sent}`);
    recording.check({ method: "POST", path }, { status: response.status, headers: response.headers, body: sent });
    return JSON.parse(sent) as Record<string, string>;
  };
  const user = { email: "ann@example.com", password: "correct horse battery" };
  const { id } = await send("/users", user);
  assert.equal((await send("/login", user))["id"], id);
  const { token, refreshToken } = await send("/enter", user);
  assert.equal((await send("/logout", undefined, token))["id"], id);
  const again = await send("/enter", user);
  assert.equal((await send("/renew", { refreshToken: again["refreshToken"] }))["id"], id);
  assert(refreshToken !== undefined);
  assert.deepEqual(recording.violations, []);
});
