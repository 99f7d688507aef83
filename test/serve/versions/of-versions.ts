/** A service whose callers send their version; each response matches the description of that version. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { openapi } from "../../../src/export/openapi/openapi.ts";
import type { ServiceFunctions } from "../../../src/runtime/functions/functions.ts";
import { recordInto } from "../../export/recorded.ts";
import { createClient, type Client, type Reply } from "../client.ts";
import { run, type Running } from "../running.ts";
import { stores } from "../scenario.ts";

export interface Said {
  readonly body?: unknown;
  /** The oldest of the document's two, where nothing is said. */
  readonly version?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Send = (call: `${string} /${string}`, said?: Said) => Promise<Reply>;

export const oldest = "2026-01-01";
export const newest = "2026-02-01";

export function servedVersions(
  title: string,
  text: string,
  define: (send: Send) => void,
  functions?: ServiceFunctions,
): void {
  for (const store of stores) {
    void describe(`${title} (${store})`, () => {
      const subject = {} as { running: Running; client: Client };
      before(async () => {
        subject.running = await run(text, { store, ...(functions === undefined ? {} : { functions }) });
        subject.client = createClient(subject.running.port, () => {});
      });
      after(async () => {
        subject.client[Symbol.dispose]();
        await subject.running[Symbol.asyncDispose]();
        assert.deepEqual(subject.running.failures, []);
      });
      define(async (call, { body, version = oldest, headers = {} } = {}) => {
        const { plan, url } = subject.running;
        const { versions } = plan;
        const older = versions?.list.find(({ name }) => name === version)?.older?.received;
        const received = older === undefined || versions === undefined ? plan : { ...older, versions };
        const recording = recordInto(openapi(received, url));
        const [method = "", path = ""] = call.split(" ");
        const sent = {
          method,
          path,
          headers: { ...headers, Version: version },
          ...(body === undefined ? {} : { body }),
        };
        const reply = await subject.client.send(sent);
        const given = { status: reply.status, headers: Object.entries(reply.headers), body: reply.text };
        // Of what says itself all that goes over the wire, nothing of Nonet's own is described.
        if (received.contractOperations.some(({ template }) => template === path)) return reply;
        recording.check({ method, path }, given);
        assert.deepEqual(recording.violations, []);
        return reply;
      });
    });
  }
}
