/**
 * A proof that a construct is enforced: a document with it, the same document without it, and a list of requests with expected
 * responses. With the construct all responses match; without it at least one does not.
 */
import assert from "node:assert/strict";
import type { Json } from "../../src/base/json.ts";
import type { ServiceFunctions } from "../../src/runtime/functions/functions.ts";
import type { Reply, Sent } from "../serve/client.ts";
import { createReceiver, type Received, type Receiver } from "../serve/receiver.ts";
import type { Running } from "../serve/running.ts";
import { faultsOf, type Subject } from "../serve/scenario.ts";

export interface Proof {
  /** The constructs that it proves. */
  readonly of: readonly string[];
  /** The document's text. */
  readonly with: string;
  readonly without: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** What the service's owner does in it. */
  readonly functions?: ServiceFunctions;
  /** Its documents are served once for all proofs that have them: they look only at what they make themselves. */
  readonly shared?: true;
  /** Asks for older versions, whose errors and answers are not those of the newest. */
  readonly unobserved?: true;
  readonly play: readonly Step[];
}

/** What is refused by the check, because it could not be enforced, is a construct that says so. */
export interface ApiError {
  readonly of: readonly string[];
  readonly with: string;
  /** The code of the finding, an error. */
  readonly refused: string;
  /** A sound document. */
  readonly without: string;
}

/** Throws an AssertionError where what it sees is not what has to be. */
export type Step = (scene: Scene) => Promise<void>;

export interface Scene {
  readonly running: Running;
  send(sent: Sent): Promise<Reply>;
  /** The replies so far, the first of them 1. */
  readonly replies: Reply[];
  /** A text with `{1.id}`, `{1}` for the same, `{2:etag}` for a header. */
  filled(text: string): string;
  /** Where webhooks are sent to; made when it is first asked for. */
  receiver(): Promise<Receiver>;
  /** What came there, once it is so many; an AssertionError where it does not come to that in time. */
  received(count: number): Promise<readonly Received[]>;
  /** A key of a caller by name. */
  key(caller: string): Promise<string>;
}

/** `201`, `409 already-exists`, `422 #/code too-long`; or the status and members that the body has, at least. */
export type Expected = string | Expectation | ((reply: Reply, scene: Scene) => void);

export interface Expectation {
  readonly status?: string;
  readonly has?: unknown;
  readonly is?: unknown;
  /** The number of items of a list, or what `pick` finds in each. */
  readonly items?: number | readonly unknown[];
  /** Members that the body has not, texts that occur nowhere in the reply. */
  readonly lacks?: readonly string[];
  readonly headers?: Readonly<Record<string, string | RegExp | null>>;
}

type Cast = Readonly<Record<string, readonly string[]>>;

/** Who has which roles; the plays are acted by these. */
const cast: Cast = {
  ann: ["member"],
  bob: ["member"],
  olga: ["admin"],
  zoe: [],
};

/** `ask("ann POST /things", { name: "a" }, "201")`; header fields in the lines below the request's own. */
export function ask(
  request: string,
  ...rest: readonly [body: Json | undefined, gets: Expected] | readonly [gets: Expected]
): Step {
  const body = rest.length === 2 ? rest[0] : undefined;
  const gets = rest.length === 2 ? rest[1] : rest[0];
  return async (scene) => {
    const sent = await sentOf(scene, request, body);
    const reply = await scene.send(sent);
    scene.replies.push(reply);
    meets(scene, reply, gets, `${request} ${body === undefined ? "" : JSON.stringify(body)}`);
  };
}

/** Time that passes, and does what is due then. */
export function pass(milliseconds: number): Step {
  return async ({ running }) => {
    running.pass(milliseconds);
    while ((await running.tick()) > 0);
  };
}

async function sentOf(scene: Scene, request: string, body: Json | undefined): Promise<Sent> {
  const [line = "", ...fields] = scene.filled(request).split("\n");
  const [, caller, method = "", path = ""] = /^(?:([a-z]+) )?([A-Z]+) (\S+)$/.exec(line) ?? [];
  const headers = Object.fromEntries(fields.map((field) => field.split(/:\s*(.*)/s).slice(0, 2) as [string, string]));
  const who = caller === undefined ? {} : { Authorization: `Bearer ${await scene.key(caller)}` };
  const text = body === undefined ? undefined : scene.filled(JSON.stringify(body));
  const json = text === undefined ? {} : { body: JSON.parse(text) as Json };
  return { method, path, headers: { ...who, ...headers }, ...json };
}

function meets(scene: Scene, reply: Reply, gets: Expected, asked: string): void {
  if (typeof gets === "function") gets(reply, scene);
  else if (typeof gets === "string") meetsText(reply, gets, asked);
  else meetsMembers(reply, gets, asked);
}

function meetsText(reply: Reply, gets: string, asked: string): void {
  const [status, ...words] = gets.split(" ");
  const told = `${asked}: ${reply.status} ${reply.text}`;
  assert.equal(String(reply.status), status, told);
  const problem = (reply.json ?? {}) as { code?: string };
  const said = words.join(" ");
  if (said === "") return;
  assert([problem.code, ...faultsOf(reply)].includes(said), `${told}\n  lacks ${said}`);
}

function meetsMembers(reply: Reply, expected: Expectation, asked: string): void {
  const told = `${asked}: ${reply.status} ${reply.text}`;
  if (expected.status === undefined) assert(reply.status < 300, told);
  else meetsText(reply, expected.status, asked);
  if (expected.has !== undefined) assert.partialDeepStrictEqual(reply.json, expected.has, told);
  if (expected.is !== undefined) assert.deepEqual(reply.json, expected.is, told);
  if (typeof expected.items === "number") assert.equal(itemsOf(reply).length, expected.items, told);
  else if (expected.items !== undefined) {
    assert.equal(itemsOf(reply).length, expected.items.length, told);
    assert.partialDeepStrictEqual(itemsOf(reply), expected.items, told);
  }
  // A generated id may contain any word.
  const all = `${JSON.stringify(reply.headers)}${reply.text}`.replaceAll(/[a-z]+_[0-9a-z]{26}/g, "");
  for (const text of expected.lacks ?? []) assert(!all.includes(text), `${text} is in ${all}`);
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    const found: string | undefined = reply.headers[name.toLowerCase()];
    if (value === null) assert.equal(found, undefined, `${name}: ${told}`);
    else if (typeof value === "string") assert.equal(found, value, `${name}: ${told}`);
    else assert.match(found ?? "", value, `${name}: ${told}`);
  }
}

function itemsOf(reply: Reply): readonly unknown[] {
  const items: unknown = (reply.json as { items?: unknown } | undefined)?.items ?? reply.json;
  assert(Array.isArray(items), reply.text);
  return items as readonly unknown[];
}

/**
 * `patience`: how long to wait for what comes by itself, milliseconds. `roles`: who has which roles, in a document with roles of
 * its own.
 */
export function sceneOf({ running, client }: Subject, patience = 10_000, roles: Cast = cast): Scene & AsyncDisposable {
  let receiver: Promise<Receiver> | undefined;
  const keys = new Map<string, Promise<string>>();
  const replies: Reply[] = [];
  return {
    running,
    replies,
    send: (sent) => client.send(sent),
    receiver: () => (receiver ??= createReceiver()),
    async received(count) {
      const { received } = await (receiver ??= createReceiver());
      for (const end = performance.now() + patience; received.length < count && performance.now() < end; ) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      assert(received.length >= count, `${received.length} of ${count} came`);
      return received;
    },
    async [Symbol.asyncDispose]() {
      await (await receiver)?.[Symbol.asyncDispose]();
    },
    filled: (text) =>
      text.replaceAll(/\{(\d+)(?:([.:])([\w.-]+))?\}/g, (_, number: string, mark = ".", name = "id") => {
        const reply = replies[Number(number) - 1];
        assert(reply, `there is no reply ${number} yet`);
        return mark === ":"
          ? (reply.headers[name as string] ?? "")
          : String(memberOf(reply.json, (name as string).split(".")));
      }),
    key(caller) {
      const made = keys.get(caller) ?? running.key(caller, ...(roles[caller] ?? []));
      keys.set(caller, made);
      return made;
    },
  };
}

function memberOf(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>> | undefined)?.[name], value);
}
