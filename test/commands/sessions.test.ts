/** `nonet key` lists the sessions of logged-in users and ends them while the service runs; sessions survive a restart. */
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { addressOf, finishedHere, nonet, temporaryFolder } from "./process.ts";

const clubhouse = join(import.meta.dirname, "../serve/documents/clubhouse.md");

test("a session is listed, outlasts a restart, and ends at once", async (t) => {
  const folder = temporaryFolder(t);
  copyFileSync(clubhouse, join(folder, "clubhouse.md"));
  const serve = ["serve", "clubhouse.md", "--port", "0"];
  const first = nonet(t, serve, { folder });
  const registered = await fetch(`${await addressOf(first)}/members`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: "ann@example.com", password: "correct horse" }),
  });
  const { id, token } = (await registered.json()) as { id: string; token: string };
  first.signal("SIGINT");
  assert.equal(await first.ended, 0);

  const again = nonet(t, serve, { folder });
  const address = await addressOf(again);
  const note = async (): Promise<number> => {
    const headers = { "Content-Type": "application/json", Authorization: `Token ${token}` };
    const reply = await fetch(`${address}/notes`, { method: "POST", headers, body: JSON.stringify({ text: "hello" }) });
    return reply.status;
  };
  assert.equal(await note(), 201);
  const { output } = await finishedHere(["key", "list", "clubhouse.md"], { folder });
  const session = /^(ses_\S+)\s+club_…\S{4}\s+session\s+(\S+)\s/m.exec(output);
  assert.equal(session?.[2], id, output);
  assert(!output.includes(token));
  const ended = await finishedHere(["key", "revoke", "clubhouse.md", "--id", session?.[1] ?? ""], { folder });
  assert.equal(ended.code, 0, ended.output);
  assert.equal(await note(), 401);
  again.signal("SIGINT");
  assert.equal(await again.ended, 0);
});
