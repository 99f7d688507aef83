/**
 * Tables of requests with their expected responses, forbidden content, and the state afterwards. Each table runs against a served
 * document over a real socket, once for each of `stores`.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { recordInto } from "../export/recorded.ts";
import type { Client, Reply, Sent } from "./client.ts";
import { createClient } from "./client.ts";
import { everyAnswer } from "./every-answer.ts";
import type { RunOptions, Running } from "./running.ts";
import { run } from "./running.ts";

export interface Scenario {
  /** The rule that it holds the service to stands first: `R4.12 the last page has no next`. */
  readonly name: string;
  /** The request; text is written to the socket as it is. */
  readonly send: Sent | string | (() => Sent | string | Promise<Sent>);
  readonly status: number;
  /** Of a problem. */
  readonly code?: string;
  /** Of a problem: pointer, parameter or header, and code of each fault, in any order. */
  readonly faults?: readonly string[];
  /** A value that the header has, a pattern that it matches, or null for one that must not be there. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>;
  /** Members that the body has, at least; in lists every item counts. */
  readonly has?: unknown;
  /** Texts that occur nowhere in the reply. */
  readonly lacks?: readonly string[];
  /** Looks at the reply, and at what the request left behind. */
  readonly then?: (reply: Reply) => void | Promise<void>;
}

/** A service under test and who talks to it. */
export interface Subject {
  readonly running: Running;
  readonly client: Client;
}

/** `npm run test:postgres` sets it to PostgreSQL. What the memory store does differently, the contract suite of stores would find. */
export const stores: readonly ("sqlite" | "memory" | "postgres")[] = (process.env["NONET_TEST_STORE"]?.split(
  ",",
) as never) ?? ["sqlite"];

export function documentText(name: string): string {
  return readFileSync(new URL(`./documents/${name}.md`, import.meta.url), "utf8");
}

/** Serves a text for the tests that `define` defines, once for each of `stores`; fails them for failures of Nonet's own. */
export function served(
  title: string,
  text: string,
  define: (subject: Subject) => void,
  options: RunOptions = {},
): void {
  for (const store of stores) {
    void describe(`${title} (${store})`, () => {
      const subject = {} as { running: Running; client: Client };
      before(async () => {
        Object.assign(subject, await serve(text, { ...options, store }));
      });
      after(async () => {
        subject.client[Symbol.dispose]();
        await subject.running[Symbol.asyncDispose]();
        assert.deepEqual(subject.running.failures, []);
      });
      define(subject);
    });
  }
}

/** For a test that needs a service of its own. */
export async function serve(text: string, options: RunOptions): Promise<Subject & AsyncDisposable> {
  const running = await run(text, options);
  const holds = everyAnswer(running.plan);
  const recording = recordInto(openapi(running.plan, running.url));
  const client = createClient(running.port, (sent, reply) => {
    holds(sent, reply);
    // What the parser refuses is no request to an operation, and has no place in a description of operations.
    if (typeof sent === "string") return;
    const faults = recording.check(sent, { ...reply, headers: Object.entries(reply.headers), body: reply.text });
    assert.deepEqual(faults, [], "R1.1 everything that is answered is in the OpenAPI document");
  });
  return subjectOf(running, client);
}

/** Both end with it. */
export function subjectOf(running: Running, client: Client): Subject & AsyncDisposable {
  return {
    running,
    client,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      await running[Symbol.asyncDispose]();
    },
  };
}

/** Defines a test for each scenario. */
export function play(subject: Subject, scenarios: readonly Scenario[]): void {
  for (const scenario of scenarios) void test(scenario.name, async () => void (await perform(subject, scenario)));
}

export async function perform({ client }: Subject, scenario: Scenario): Promise<Reply> {
  const sent = typeof scenario.send === "function" ? await scenario.send() : scenario.send;
  const reply = typeof sent === "string" ? (await client.raw(sent, 1))[0] : await client.send(sent);
  assert(reply, "there is an answer");
  assert.equal(reply.status, scenario.status, reply.text);
  if (scenario.code !== undefined) assert.equal((reply.json as { code?: string }).code, scenario.code, reply.text);
  if (scenario.faults !== undefined) assert.deepEqual(faultsOf(reply), scenario.faults.toSorted(), reply.text);
  for (const [name, expected] of Object.entries(scenario.headers ?? {})) {
    const value: string | undefined = reply.headers[name.toLowerCase()];
    if (expected === null) assert.equal(value, undefined, `${name} is not there`);
    else if (typeof expected === "string") assert.equal(value, expected, name);
    else assert.match(value ?? "", expected, name);
  }
  if (scenario.has !== undefined) assert.partialDeepStrictEqual(reply.json, scenario.has);
  const all = `${JSON.stringify(reply.headers)}${reply.text}`;
  for (const text of scenario.lacks ?? []) assert(!all.includes(text), `${text} is not in ${all}`);
  await scenario.then?.(reply);
  return reply;
}

/** By the work of this thread, served and asking, since `before`: what passes says more of what else the machine does. */
export function assertLittleWork(before: NodeJS.CpuUsage, milliseconds: number): void {
  const { user, system } = process.threadCpuUsage(before);
  assert((user + system) / 1000 < milliseconds, `it took ${(user + system) / 1000} ms`);
}

/** `#/name required`, sorted. */
export function faultsOf(reply: Pick<Reply, "json">): readonly string[] {
  const { errors = [] } = reply.json as { errors?: readonly Readonly<Record<string, string>>[] };
  return errors
    .map(({ pointer, parameter, header, code }) => `${pointer ?? parameter ?? header ?? ""} ${code}`.trim())
    .toSorted();
}

/** Who sends, as a header. */
export function by(key: string): { readonly Authorization: string } {
  return { Authorization: `Bearer ${key}` };
}
