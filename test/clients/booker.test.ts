/**
 * The unchanged specification of restful-booker works with examples/hotel-bookings.md. `NONET_BOOKER` is the folder of its project
 * (github.com/mwinteringham/restful-booker), with its packages. The test runs the specification in a copy of the folder's shape, in
 * which `app` is the address of the service, and `deleteAll` of the model opens a new service without bookings.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, request as ask } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import test from "node:test";
import { type Running, run } from "../serve/running.ts";
import { stores } from "../serve/scenario.ts";

const example = readFileSync(new URL("../../examples/hotel-bookings.md", import.meta.url), "utf8");
const folder = process.env["NONET_BOOKER"];
const skip = folder === undefined && "NONET_BOOKER is not the folder of restful-booker";

for (const store of stores) {
  test(`restful-booker's specification passes unchanged (${store})`, { skip, timeout: 240_000 }, async () => {
    await using switchboard = await openSwitchboard(store);
    const copy = mkdtempSync(join(tmpdir(), "booker-"));
    try {
      const at = resolve(folder ?? "");
      for (const name of ["tests", "models"]) mkdirSync(join(copy, name));
      cpSync(join(at, "tests/spec.js"), join(copy, "tests/spec.js"));
      symlinkSync(join(at, "node_modules"), join(copy, "node_modules"));
      const { url } = switchboard;
      writeFileSync(join(copy, "app.js"), `module.exports = ${JSON.stringify(url)};\n`);
      const reset = `exports.deleteAll = (done) => fetch("${url}/reset", { method: "PURGE" }).then(() => done(), done);\n`;
      writeFileSync(join(copy, "models/booking.js"), reset);
      const report = await play(copy, join(at, "node_modules/mocha/bin/mocha.js"));
      assert.deepEqual(
        report.failures.map(({ fullTitle, err }) => `${fullTitle}: ${err.message}`),
        [],
      );
      assert.deepEqual([report.stats.passes, report.stats.failures], [33, 0]);
      assert.deepEqual(switchboard.failures(), []);
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });
}

interface Report {
  readonly stats: { readonly passes: number; readonly failures: number };
  readonly failures: readonly { readonly fullTitle: string; readonly err: { readonly message: string } }[];
}

async function play(copy: string, mocha: string): Promise<Report> {
  const runner = spawn(process.execPath, [mocha, "--reporter", "json", "--timeout", "20000", "tests/spec.js"], {
    cwd: copy,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  for await (const chunk of runner.stdout.setEncoding("utf8")) output += chunk as string;
  return JSON.parse(output.slice(output.indexOf("{\n"))) as Report;
}

interface Switchboard extends AsyncDisposable {
  readonly url: string;
  readonly failures: () => readonly unknown[];
}

/** Passes requests to a service that `PURGE` replaces by a new one, at the same address. */
async function openSwitchboard(store: (typeof stores)[number]): Promise<Switchboard> {
  const services: Running[] = [];
  const open = async (): Promise<void> => {
    const service = await run(example, { store });
    const body = JSON.stringify({ username: "admin", password: "password123" });
    const headers = { "Content-Type": "application/json" };
    const added = await fetch(`${service.url}/users`, { method: "POST", headers, body });
    assert.ok(added.ok, await added.text());
    services.push(service);
  };
  await open();
  const server = createServer((incoming, response) => {
    if (incoming.method === "PURGE") {
      void open().then(() => response.writeHead(204).end());
      return;
    }
    const { headers, method = "GET", url: path = "/" } = incoming;
    const target = new URL(path, services.at(-1)?.url);
    const passed = ask(target, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(passed);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failures: () => services.flatMap(({ failures }) => failures),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      for (const service of services) await service[Symbol.asyncDispose]();
    },
  };
}
