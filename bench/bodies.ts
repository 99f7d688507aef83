/**
 * What bodies hold that come in chunks of one byte and do not end: the memory of the process beside their size, for 1 to 16 at
 * once. Run: node bench/bodies.ts [FOLDER OF ANOTHER CLONE]; `MEMORY=64MB` for another limit. Linux only.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pass } from "node:timers/promises";
import { documentOf } from "../test/enforced/document.ts";

const root = process.argv[2] ?? join(import.meta.dirname, "..");
const mebibyte = 1024 ** 2;
const folder = mkdtempSync(join(tmpdir(), "nonet-bodies-"));
writeFileSync(join(folder, "things.md"), documentOf({ limits: { size: { request: "1MB" } } }));
const memory = process.env["MEMORY"];
const server = spawn(
  process.execPath,
  [join(root, "src/cli.mjs"), "serve", "things.md", "--port", "0", "--data", "memory", "--log", "off", ...(memory === undefined ? [] : ["--request-memory", memory])],
  { cwd: folder, stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, NODE_OPTIONS: "--expose-gc" } },
); // biome-ignore format: a long line
const held = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]) / 1024;

let port = 0;
for await (const line of createInterface({ input: server.stdout })) {
  port = Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1] ?? 0);
  if (port > 0) break;
}

async function settled(): Promise<number> {
  let last = 0;
  for (let same = 0; same < 4; ) {
    await pass(250);
    const now = held();
    same = Math.abs(now - last) < 1 ? same + 1 : 0;
    last = now;
  }
  return last;
}

const bytes = mebibyte - 1024;
const body = Buffer.from("1\r\nx\r\n".repeat(bytes));
const before = await settled();
const sockets: Socket[] = [];
let refused = 0;
for (const count of [1, 4, 16]) {
  while (sockets.length < count) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.on("data", (data) => (refused += data.toString("latin1").startsWith("HTTP/1.1 503") ? 1 : 0));
    socket.write(
      "POST /things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    socket.write(body);
    sockets.push(socket);
  }
  while (sockets.some((one) => one.writableLength > 0 && !one.destroyed)) await pass(20);
  const now = await settled();
  const ratio = ((now - before) / (count * (bytes / mebibyte))).toFixed(1);
  console.log(
    `${count} of ${bytes} bytes: ${(now - before).toFixed(0)} MB, ${ratio} times their size; ${refused} refused`,
  );
}
for (const socket of sockets) socket.destroy();
server.kill();
await once(server, "exit");
rmSync(folder, { recursive: true });
