/**
 * Plays a table of requests to a document that is served in memory: who sends what, and the response. Its clock stands still until a
 * step moves it.
 */
import assert from "node:assert/strict";
import { addDuration, parseDuration } from "../../src/base/duration.ts";
import { createService, type EmbeddedService } from "../../src/index.ts";
import { createReceiver, type Receiver } from "../serve/receiver.ts";
import { until } from "../until.ts";

/**
 * One of:
 *
 * - `[CALLER] METHOD PATH`, its body if it has one, and the response: the status, then the code of the problem or `member=value` as often as
 *   needed, then `as $name` to store the response. `nobody` sends no credential, `$login.token` is a caller of that token, without
 *   a caller it is the first one. `CALLER again METHOD PATH` repeats the request with the same idempotency key, and with the
 *   entity tag of its response; `40 times CALLER METHOD PATH` expects the same response each time.
 * - `at once`, several requests, and their responses in alphabetical order, with ` | ` between them.
 * - `pass DURATION`: moves the clock, and runs all due timers.
 * - `CALLER subscribes`: creates a webhook; `CALLER follows PATH`: opens a stream.
 * - `CALLER hears`, and the types of all events that the caller has received, in alphabetical order.
 *
 * `$1` is the id in the response of the first step, `$name` that of the named response, `$name.member` one of its members.
 */
export type Step =
  | readonly [request: string, response?: string]
  | readonly [request: string, body: object | readonly Step[], response: string];

/** The roles of each caller. */
export type Callers = Readonly<Record<string, readonly string[]>>;

/** A response that is not the expected one. */
export interface Difference {
  readonly request: string;
  readonly expected: string;
  readonly came: string;
}

/** When each play begins. */
const beginning = "2026-11-02T10:00:00Z";

export interface Scene {
  readonly document: string;
  readonly callers: Callers;
  readonly steps: readonly Step[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The credential of a caller, if it is not the first one that has keys. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Headers of a request, for a caller that signs its requests. */
  readonly signed?: (caller: string, body: string, now: number) => Readonly<Record<string, string>>;
}

/** Returns the differences, in the order of the steps. */
export async function play(scene: Scene): Promise<readonly Difference[]> {
  const { callers, credentials = {}, document, environment = {} } = scene;
  const present = { now: Date.parse(beginning) };
  await using receiver = await createReceiver();
  const service = await createService({
    ...{ document, environment, ticks: false, webhooksToLoopback: true, clock: { now: () => present.now } },
    notice: () => undefined,
    report: (failure) => assert.fail(String(failure)),
  });
  try {
    const keys: Record<string, string> = {};
    for (const [user, roles] of Object.entries(callers)) {
      const credential = credentials[user];
      keys[user] = await service.createKey({ user, roles, ...(credential && { credential }) });
    }
    return await differences({ ...scene, keys, present, receiver, service });
  } finally {
    await service.close();
  }
}

/** The plays of a document: the steps that prove each promise, from the beginning. */
export interface Plays extends Omit<Scene, "document" | "steps"> {
  readonly promises: Readonly<Record<string, readonly Step[]>>;
}

interface Stage extends Scene {
  readonly keys: Readonly<Record<string, string>>;
  readonly present: { now: number };
  readonly receiver: Receiver;
  readonly service: EmbeddedService;
}

type Answer = Readonly<Record<string, unknown>>;

interface Reply {
  readonly status: number;
  readonly answer: Answer;
  readonly tag: string | null;
}

async function differences(stage: Stage): Promise<readonly Difference[]> {
  const { callers, keys, present, receiver, service, signed, steps } = stage;
  const [first = ""] = Object.keys(callers);
  const found: Difference[] = [];
  const answers: Record<string, Answer> = {};
  const sent: Record<string, Readonly<Record<string, string>>> = {};
  const heard: Record<string, () => readonly string[]> = {};
  let count = 0;
  let latest: Answer = {};

  const filled = (words: string): string =>
    words.replaceAll(/\$(\w+(?:\.\w+)*)/g, (_, path: string) => {
      const [name = "", ...members] = path.split(".");
      return String(memberOf(answers[name], members.length === 0 ? ["id"] : members));
    });
  const identity = (caller: string, body: string): Readonly<Record<string, string>> => {
    const key = caller.startsWith("$") ? filled(caller) : keys[caller];
    return key === undefined ? (signed?.(caller, body, present.now) ?? {}) : { Authorization: `Bearer ${key}` };
  };

  async function send(request: string, body: object | undefined): Promise<Reply> {
    const words = request.split(" ");
    const [method = "", path = ""] = words.slice(-2);
    const again = words.at(-3) === "again";
    const caller = words.slice(0, again ? -3 : -2).at(-1) ?? first;
    const written = body === undefined ? "" : filled(JSON.stringify(body));
    const same = [caller, method, path].join(" ");
    const repeated = again ? sent[same] : { "Idempotency-Key": `key-${(count += 1)}` };
    const edits = ["PATCH", "PUT", "DELETE"].includes(method) && !again ? { "If-Match": "*" } : {};
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const headers = {
      ...(body === undefined ? {} : { "Content-Type": type }),
      ...{ ...edits, ...repeated, ...identity(caller, written) },
    };
    const url = `http://x.example${filled(path)}`;
    const response = await service.fetch(new Request(url, { method, headers, ...(body && { body: written }) }));
    const text = await response.text();
    const tag = response.headers.get("etag");
    sent[same] = { ...repeated, ...(method === "GET" && tag !== null && { "If-None-Match": tag }) };
    return { status: response.status, answer: text === "" ? {} : (JSON.parse(text) as Answer), tag };
  }

  async function played(step: Step): Promise<string> {
    const { body, expected, request } = partsOf(step);
    const [word = "", verb = "", path = ""] = request.split(" ");
    if (word === "pass") return pass(verb);
    if (word === "at") {
      const replies = await Promise.all((body as readonly Step[]).map((each) => send(each[0], partsOf(each).body)));
      return replies
        .map((reply) => shown(reply, ""))
        .sort()
        .join(" | ");
    }
    if (verb === "subscribes") return subscribe(word);
    if (verb === "follows") return follow(word, path);
    if (verb === "hears") return hear(word, filled(expected));
    if (verb !== "times") return one(request, body, expected);
    const replies: string[] = [];
    for (let index = 0; index < Number(word); index += 1) replies.push(await one(request, body, expected));
    return [...new Set(replies)].join(" | ");
  }

  async function one(request: string, body: object | undefined, expected: string): Promise<string> {
    const reply = await send(request, body);
    const [, name] = / as \$(\w+)$/.exec(expected) ?? [];
    if (name !== undefined) answers[name] = reply.answer;
    latest = reply.answer;
    return `${shown(reply, expected)}${name === undefined ? "" : ` as $${name}`}`;
  }

  async function pass(duration: string): Promise<string> {
    const length = parseDuration(duration);
    assert(length !== undefined, duration);
    present.now = addDuration(present.now, length);
    while ((await service.tick()) > 0);
    return "";
  }

  async function subscribe(caller: string): Promise<string> {
    const path = `/${caller}`;
    const { answer, status } = await send(`${caller} POST /webhooks`, { url: new URL(path, receiver.url).href });
    assert.equal(status, 201, JSON.stringify(answer));
    heard[caller] = () =>
      receiver.received
        .filter((one) => one.path === path)
        .map(({ body }) => String((JSON.parse(body) as Answer)["type"]));
    return "";
  }

  async function follow(caller: string, path: string): Promise<string> {
    const response = await service.fetch(new Request(`http://x.example${path}`, { headers: identity(caller, "") }));
    assert.equal(response.status, 200);
    let text = "";
    void (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
    })();
    heard[caller] = () => [...text.matchAll(/^event: (.+)$/gm)].map(([, type = ""]) => type);
    return "";
  }

  /** Waits until as many events have come as are expected. */
  async function hear(caller: string, expected: string): Promise<string> {
    const types = heard[caller] ?? assert.fail(caller);
    const wanted = expected.split(" ").filter((type) => type !== "").length;
    await until(() => types().length >= wanted, `${caller} received only ${types().join(" ")} of ${expected}`);
    return [...types()].sort().join(" ");
  }

  for (const [index, step] of steps.entries()) {
    const came = await played(step);
    answers[index + 1] = latest;
    const expected = filled(partsOf(step).expected).replace(/ as \S*$/, "");
    if (came.replace(/ as \S*$/, "") !== expected) found.push({ request: step[0], expected, came });
  }
  return found;
}

function partsOf(step: Step): { readonly request: string; readonly body?: object; readonly expected: string } {
  const [request, ...rest] = step;
  const [body, expected] = rest.length === 2 ? rest : [undefined, rest[0]];
  return { request, expected: expected ?? "", ...(body && { body }) };
}

/** The status, with the code of a problem or with the values that the expected response names. */
function shown({ answer, status }: Reply, expected: string): string {
  if (status >= 400) return `${status} ${String(answer["type"]).split("/").at(-1)}`;
  const members = [...expected.matchAll(/ ([\w.]+)=/g)].map(([, path = ""]) => path);
  return [status, ...members.map((path) => `${path}=${String(memberOf(answer, path.split(".")))}`)].join(" ");
}

function memberOf(answer: unknown, path: readonly string[]): unknown {
  return path.reduce((inner: unknown, name) => (inner as Answer | undefined)?.[name], answer);
}
