/** R1.8 with the real command in a separate process: stopped by a signal, and killed during its work. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Client } from "./client.ts";
import { jar, labels, putCellar, start } from "./pantries-command.ts";

const folder = mkdtempSync(join(tmpdir(), "nonet-shutdown-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Whether a new connection gets an answer; one that the system had taken already may be open for a moment. */
async function isServed(client: Client): Promise<boolean> {
  try {
    using connection = await client.open();
    connection.write("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
    return (await connection.next()) !== undefined;
  } catch {
    return false;
  }
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`R1.8 ${signal}: what is under way is answered, nothing accepted is lost, exit 0`, async () => {
    const data = `${signal}.db`;
    using command = await start(folder, data);
    await putCellar(command.client);
    const body = JSON.stringify({ label: "last" });
    using connection = await command.client.open();
    connection.write(
      `POST /v1/pantries/cellar/jars HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    assert.equal((await connection.next())?.status, 100);
    using idle = await command.client.open();
    idle.write("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
    assert.equal((await idle.next())?.status, 200);
    command.child.kill(signal);
    await idle.ended;
    assert(!(await isServed(command.client)), "nothing new is accepted");
    connection.write(body);
    const reply = await connection.next();
    assert.equal(reply?.status, 201, reply?.text ?? "");
    assert.equal(await command.ended, 0);
    using again = await start(folder, data);
    assert.deepEqual(await labels(again.client), ["last"]);
  });
}

test("R1.8 R4.20 kill -9 at any moment: no accepted write is lost, none is doubled, and a key answers as it did", async () => {
  const data = "killed.db";
  const answered = new Map<string, string>();
  const asked = new Set<string>();
  for (let round = 0; round < 4; round += 1) {
    using command = await start(folder, data);
    const { client } = command;
    await putCellar(client);
    // What the round before left without an answer is asked again, with the same key.
    for (const label of asked) {
      const reply = await client.send(jar(label));
      assert.equal(reply.status, 201, reply.text);
      const before = answered.get(label);
      if (before === undefined) answered.set(label, reply.text);
      else {
        assert.equal(reply.text, before, "the first answer again");
        assert.equal(reply.headers["idempotent-replayed"], "true");
      }
    }
    assert.deepEqual((await labels(client)).toSorted(), [...asked].toSorted());
    if (round === 3) break;
    let running = true;
    const enough = answered.size + 20 + round * 15;
    const writer = async (name: string): Promise<void> => {
      for (let at = 0; running; at += 1) {
        const label = `${round}-${name}-${at}`;
        asked.add(label);
        const reply = await client.send(jar(label)).catch(() => undefined);
        if (reply === undefined) return;
        assert.equal(reply.status, 201, reply.text);
        answered.set(label, reply.text);
        if (answered.size >= enough && running) {
          running = false;
          command.child.kill("SIGKILL");
        }
      }
    };
    await Promise.all(["a", "b", "c", "d", "e", "f"].map(writer));
    assert.equal(await command.ended, "SIGKILL");
  }
  assert(answered.size > 60);
});
