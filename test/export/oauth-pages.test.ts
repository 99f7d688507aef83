/** The pages where users authorize clients, in a real browser: forms reach the client, the policy blocks all else. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite, test } from "node:test";
import { register } from "../../src/runtime/auth/oauth/registered.ts";
import { run } from "../serve/running.ts";
import { documentText } from "../serve/scenario.ts";
import { executable, launch, reason, skip } from "./browser.ts";

suite("in a browser", { skip }, () => {
  test("a user logs in, agrees, and is with the client again, without a complaint of the browser", async () => {
    assert(executable !== undefined, reason);
    await using running = await run(documentText("notebook"));
    const client = createServer((_, response) => response.end("<title>back</title>"));
    await new Promise<void>((resolve) => client.listen(0, "127.0.0.1", resolve));
    const redirect = `http://127.0.0.1:${(client.address() as AddressInfo).port}/back`;
    const browser = await launch(executable);
    try {
      await running.keyOf("app", "acme", "reader");
      const [key] = await running.store.keys.list();
      assert(key !== undefined);
      await register(running.store.grants, key, { redirects: ["http://127.0.0.1/back"], isPublic: true });
      const body = JSON.stringify({ email: "ann@example.com", password: "correct horse battery" });
      const headers = { "Content-Type": "application/json" };
      assert.equal((await fetch(`${running.url}/users`, { method: "POST", headers, body })).status, 201);
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      const asked = {
        client_id: key.id,
        response_type: "code",
        redirect_uri: redirect,
        state: "s",
        code_challenge_method: "S256",
        code_challenge: createHash("sha256").update(randomBytes(8)).digest("base64url"),
      };
      await page.goto(`${running.url}/oauth/authorize?${new URLSearchParams(asked).toString()}`);
      assert.match((await page.textContent("body")) ?? "", /acme asks to act for you/);
      assert.notEqual(
        await page.evaluate("getComputedStyle(document.body).maxWidth"),
        "none",
        "the style is let through",
      );
      await page.fill("[name=name]", "ann@example.com");
      await page.fill("[name=secret]", "wrong battery");
      await page.click("button[value=login]");
      await page.waitForSelector("[role=alert]");
      assert.match((await page.textContent("[role=alert]")) ?? "", /name is unknown/);
      await page.fill("[name=name]", "ann@example.com");
      await page.fill("[name=secret]", "correct horse battery");
      await page.click("button[value=login]");
      await page.waitForSelector("button[value=allow]");
      assert.match((await page.textContent("li")) ?? "", /notes:read/);
      await page.click("button[value=allow]");
      await page.waitForURL(/\/back\?/);
      const told = new URL(page.url()).searchParams;
      assert.deepEqual([told.get("state"), told.get("iss"), told.has("code")], ["s", running.url, true]);
      // A browser notes each page that is answered with 400 or more.
      assert.deepEqual(
        complaints.filter((one) => !/status of (?:400|404)/.test(one)),
        [],
      );
    } finally {
      await browser.close();
      client.close();
    }
    assert.deepEqual(running.failures, []);
  });
});
