/** Proofs of part 6, with receivers that are real servers on this machine. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { Json } from "../../src/base/json.ts";
import { signatureField } from "../../src/runtime/auth/hmac.ts";
import { envelopeVariables } from "../../src/language/events/model.ts";
import { follow } from "../serve/follower.ts";
import type { Received, Receiver } from "../serve/receiver.ts";
import { by } from "../serve/scenario.ts";
import type { Block } from "./document.ts";
import { crud, documentOf } from "./document.ts";
import type { Expected, Proof, Scene, Step } from "./proof.ts";
import { ask, pass } from "./proof.ts";
import { says } from "./resources.ts";

const environment = { DOOR_SECRET: "a secret of the door's own" };

/** Things that are shut by a door, or by whoever is signed in, and what is told of it. */
function telling(events: Block, move = "by shut"): string {
  const endpoints = { ...crud, shut: "POST /things/{id}/shut", drop: "POST /things/{id}/drop" };
  return documentOf({
    resources: {
      Thing: { id: "id(thi)", "name?": "string(1..9)", "code?": "string(1..9)" },
      views: { Seen: { of: "Thing", object: "string := 'thing'", fields: ["id"] } },
    },
    states: {
      Thing: {
        states: ["open", "shut", "gone"],
        start: "open",
        moves: { "open -> shut": ["by shut", ...(move === "by shut" ? [] : [move])], "open | shut -> gone": "by drop" },
      },
    },
    endpoints: { endpoints },
    authentication: {
      credentials: {
        key: { kind: "api-key", lasts: "365d" },
        door: { kind: "hmac-sha256", sent: "header Door-Signature", secret: "env DOOR_SECRET" },
      },
      allow: Object.fromEntries(Object.keys(endpoints).map((operation) => [operation, "signed-in"])),
    },
    events,
  });
}

const webhook: Block = { subscribe: "POST /webhooks", for: "member" };
const shut: Block = { "thing.shut": "Thing -> shut" };

/** Told by webhooks. */
function told(out: Block, hook: Block = {}, more: Block = {}): string {
  return telling({ envelope: "plain", out, delivery: { webhook: { ...webhook, ...hook } }, ...more });
}

const subscribe: Step = async (scene) => {
  const { url } = await scene.receiver();
  await ask("ann POST /webhooks", { url }, "201")(scene);
};

/** What comes is so many messages, of which this is true. */
function comes(count: number, holds: (received: readonly Received[]) => void): Step {
  return async (scene) => holds(await scene.received(count));
}

const types = (...wanted: readonly string[]): Step =>
  comes(wanted.length, (received) =>
    assert.deepEqual(
      received.map(({ body }) => bodyOf(body)["type"]),
      wanted,
    ),
  );

function bodyOf(text: string): Readonly<Record<string, Json>> {
  return JSON.parse(text) as Readonly<Record<string, Json>>;
}

const shutting: readonly Step[] = [
  ask("ann POST /things", { name: "a" }, "201"),
  ask("ann POST /things/{2}/shut", "200"),
];

const out: readonly Proof[] = [
  {
    of: ["events/out", "events/out/when/enters"],
    with: told(shut),
    without: told({ "thing.shut": "Thing -> gone" }),
    play: [subscribe, ...shutting, types("thing.shut")],
  },
  {
    of: ["events/out/when/operation"],
    with: told({ "thing.changed": "changeThing" }),
    without: told({ "thing.changed": "putThing" }),
    play: [
      subscribe,
      ask("ann POST /things", {}, "201"),
      ask("ann PATCH /things/{2}", { name: "b" }, "200"),
      types("thing.changed"),
    ],
  },
  {
    of: ["events/out/carries"],
    with: told({ "thing.shut": { when: "Thing -> shut", carries: ["id"] } }),
    without: told(shut),
    play: [
      subscribe,
      ...shutting,
      comes(1, ([one]) => assert.deepEqual(Object.keys(bodyOf(one?.body ?? "{}")["data"] as object), ["id"])),
    ],
  },
  {
    of: ["events/envelope", "events/envelope/cloudevents"],
    with: told(shut, {}, { envelope: "cloudevents" }),
    without: told(shut, {}, { envelope: "plain" }),
    play: [subscribe, ...shutting, comes(1, ([one]) => assert.equal(bodyOf(one?.body ?? "{}")["specversion"], "1.0"))],
  },
  {
    of: ["events/envelope/plain"],
    with: told(shut, {}, { envelope: "plain" }),
    without: told(shut, {}, { envelope: "cloudevents" }),
    play: [
      subscribe,
      ...shutting,
      comes(1, ([one]) => {
        const { type, data, specversion } = bodyOf(one?.body ?? "{}");
        assert.deepEqual([type, (data as Block)["name"], specversion], ["thing.shut", "a", undefined]);
      }),
    ],
  },
];

/** What arrives is signed as the proof of an own scheme declares. */
const signedByOwn: Step = async (scene) => {
  const [one] = await scene.received(1);
  const secret = (scene.replies[0]?.json as Readonly<Record<string, string>> | undefined)?.["secret"] ?? "";
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const hex = createHmac("sha256", key).update(`${one?.body}.`).digest("hex");
  assert.equal(one?.headers["x-s"], `a=${hex},b=thing.shut`);
};

const shape: Block = {
  id: "{id}",
  type: "{type}",
  of: ["{topic}", "{action}", "{resource}/{record}"],
  time: "{time}",
  seconds: "{seconds}",
  sequence: "{sequence}",
  source: "{source}",
  version: "{version}",
  request: { id: "{request}" },
  live: false,
  "{resource}": "{data}",
};

const shaped: Proof = {
  of: [
    ...["events/envelope/shape", "events/out/view"],
    ...envelopeVariables.map((variable) => `events/envelope/shape/${variable}`),
  ],
  with: told({ "thing.shut": { when: "Thing -> shut", carries: "Seen" } }, {}, { envelope: shape }),
  without: told({ "thing.shut": { when: "Thing -> shut", carries: ["id"] } }, {}, { envelope: "plain" }),
  play: [
    subscribe,
    ...shutting,
    comes(1, ([one]) => {
      const { id, thing, time, seconds, sequence, source, request, ...rest } = bodyOf(one?.body ?? "{}");
      assert(thing !== undefined);
      const record = (thing as Block)["id"] as string;
      assert.equal(id, one?.headers["webhook-id"]);
      assert.deepEqual(thing, { object: "thing", id: record });
      assert.equal(seconds, Math.floor(Date.parse(time as string) / 1000));
      assert.match(source as string, /^http:/);
      assert.deepEqual([typeof sequence, typeof (request as Block)["id"]], ["number", "string"]);
      assert.deepEqual(rest, {
        type: "thing.shut",
        of: ["thing", "shut", `thing/${record}`],
        version: null,
        live: false,
      });
    }),
  ],
};

const delivery: readonly Proof[] = [
  shaped,
  {
    of: ["events/delivery", "events/delivery/webhook"],
    with: told(shut),
    without: telling({ envelope: "plain", out: shut, delivery: "none" }),
    play: [subscribe, ...shutting, types("thing.shut")],
  },
  {
    of: ["events/delivery/webhook/for"],
    with: told(shut),
    without: told(shut, { for: "admin" }),
    play: [subscribe, ask("olga POST /webhooks", { url: "https://example.org/" }, "403 forbidden")],
  },
  {
    of: ["events/delivery/webhook/signed", "events/delivery/webhook/signed/standard-webhooks"],
    with: told(shut, { signed: "standard-webhooks" }),
    without: told(shut, { signed: "none" }),
    play: [subscribe, ...shutting, comes(1, ([one]) => assert.match(one?.headers["webhook-signature"] ?? "", /^v1,/))],
  },
  ...Object.entries({
    stripe: ["stripe-signature", /^t=\d+,v1=[0-9a-f]{64}$/],
    github: ["x-hub-signature-256", /^sha256=[0-9a-f]{64}$/],
    slack: ["x-slack-signature", /^v0=[0-9a-f]{64}$/],
  } as const).map(
    ([scheme, [field, form]]): Proof => ({
      of: [`events/delivery/webhook/signed/${scheme}`],
      with: told(shut, { signed: scheme }),
      without: told(shut, { signed: "none" }),
      play: [subscribe, ...shutting, comes(1, ([one]) => assert.match(one?.headers[field] ?? "", form))],
    }),
  ),
  {
    of: ["over", "headers", "separator", "key"].map((name) => `events/delivery/webhook/signed/${name}`),
    with: told(shut, { signed: { over: "{body}.", headers: { "X-S": "a={hex},b={type}" }, separator: "comma", key: "base64" } }), // biome-ignore format: short
    without: told(shut, { signed: { headers: { "X-S": "a={hex},b={type}" } } }),
    play: [subscribe, ...shutting, signedByOwn],
  },
  {
    of: ["events/delivery/webhook/signed/none"],
    with: told(shut, { signed: "none" }),
    without: told(shut, { signed: "standard-webhooks" }),
    play: [subscribe, ...shutting, comes(1, ([one]) => assert.equal(one?.headers["webhook-signature"], undefined))],
  },
  {
    of: ["events/delivery/webhook/promise"],
    with: told(shut, { promise: "at least once, in any order" }),
    without: told(shut, { promise: "at least once, in order per resource" }),
    play: [ask("GET /\nAccept: text/html", says("at least once, in any order"))],
  },
];

/** What the receiver answers with from now on. */
function answers(answer: ReturnType<Receiver["answer"]>): Step {
  return async (scene) => {
    const receiver = await scene.receiver();
    receiver.answer = () => answer;
  };
}

/** The clock alone: the engine sends what is due then by itself. */
const later =
  (milliseconds: number): Step =>
  ({ running }) =>
    Promise.resolve(running.pass(milliseconds));

/** What comes to be so by itself, within a few seconds. */
function becomes(path: string, holds: (told: Readonly<Record<string, Json>>) => boolean): Step {
  return async (scene) => {
    const headers = by(await scene.key("ann"));
    let text = "";
    for (let tries = 0; tries < 80; tries += 1) {
      ({ text } = await scene.send({ method: "GET", path: scene.filled(path), headers }));
      if (holds(bodyOf(text))) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail(`${path} came to be ${text}`);
  };
}

const attempted = (count: number): Step =>
  becomes("/webhooks/{1}/deliveries", ({ items }) => {
    const [delivery] = items as readonly { readonly attempts: readonly Json[] }[];
    return delivery?.attempts.length === count;
  });

const minute = 60_000;
const failing: readonly Step[] = [
  subscribe,
  answers({ status: 500 }),
  ...shutting,
  attempted(1),
  later(minute),
  attempted(2),
];

const failure: readonly Proof[] = [
  {
    of: ["events/delivery/webhook/timeout"],
    with: told(shut, { timeout: "1s" }),
    without: told(shut),
    play: [subscribe, answers("hang"), ...shutting, attempted(1)],
  },
  {
    of: ["events/delivery/webhook/retry"],
    with: told(shut, { retry: "50s" }),
    without: told(shut, { retry: "2h" }),
    play: failing,
  },
  {
    of: ["events/delivery/webhook/then", "events/delivery/webhook/then/disable"],
    with: told(shut, { retry: "50s", then: "disable" }),
    without: told(shut, { retry: "50s", then: "keep 30d" }),
    play: [...failing, becomes("/webhooks/{1}", ({ state }) => state === "disabled")],
  },
  {
    of: ["events/delivery/webhook/then/keep"],
    with: told(shut, { then: "keep 2d" }),
    without: told(shut, { then: "keep 9d" }),
    play: [
      subscribe,
      ...shutting,
      attempted(1),
      pass(3 * 86_400_000),
      ask("ann GET /webhooks/{1}/deliveries", { items: 0 }),
    ],
  },
];

/** Told by a stream, which is read as pages. */
function streamed(stream: Block): string {
  return telling({ envelope: "plain", out: shut, delivery: { stream: { at: "GET /events", ...stream } } });
}

const page = "GET /events\nAccept: application/json";

/** A stream is open until somebody ends it, so it is not waited for. */
function opens(status: number, field: string, value: (scene: Scene) => string): Step {
  return async (scene) => {
    const headers = { ...by(await scene.key("ann")), [field]: value(scene) };
    using follower = await follow(scene.running.port, headers);
    assert.equal(follower.status, status);
    if (status === 200) assert.equal(follower.headers["content-type"], "text/event-stream");
  };
}

const shuts: readonly Step[] = [
  ask("ann POST /things", { name: "a" }, "201"),
  ask("ann POST /things/{1}/shut", "200"),
  ask(`ann ${page}`, { status: "200", items: 1 }),
];

const stream: readonly Proof[] = [
  {
    of: ["events/delivery/stream"],
    with: streamed({ for: "member" }),
    without: telling({ envelope: "plain", out: shut, delivery: "none" }),
    play: [...shuts, opens(200, "Accept", () => "text/event-stream")],
  },
  {
    of: ["events/delivery/stream/for"],
    with: streamed({ for: "member" }),
    without: streamed({ for: "signed-in" }),
    play: [...shuts, ask(`olga ${page}`, "403 forbidden")],
  },
  {
    of: ["events/delivery/stream/resume"],
    with: streamed({ for: "member", resume: "Go-On-After" }),
    without: streamed({ for: "member" }),
    play: [opens(410, "Go-On-After", () => "nothing")],
  },
  {
    of: ["events/delivery/stream/keep"],
    with: streamed({ for: "member", keep: "1d" }),
    without: streamed({ for: "member", keep: "9d" }),
    play: [
      ...shuts,
      ask("ann POST /things", { name: "b" }, "201"),
      ask("ann POST /things/{4}/shut", "200"),
      async ({ running }) => running.pass(2 * 86_400_000),
      opens(410, "Last-Event-ID", ({ replies }) => {
        const page = replies[2]?.json as { readonly items: readonly { readonly id: string }[] } | undefined;
        return page?.items[0]?.id ?? "";
      }),
    ],
  },
];

/** The door tells; signed by its secret, or by another. */
function doorSays(body: Json, gets: Expected, secret: string = environment.DOOR_SECRET): Step {
  return async (scene) => {
    const text = scene.filled(JSON.stringify(body));
    const signed = { method: "POST", target: "/hooks/doors", body: Buffer.from(text) };
    const field = signatureField(secret, Math.floor(scene.running.now() / 1000), signed);
    await ask(`POST /hooks/doors\nDoor-Signature: ${field}`, JSON.parse(text) as Json, gets)(scene);
  };
}

/** A door that says which thing it shut. */
function hearing(carries: Block, move = "when door.shut"): string {
  return telling({ in: { "door.shut": { at: "POST /hooks/doors", with: "door", carries } } }, move);
}

/** The door says what it did; beside `is`, another event receives all other kinds. */
function ofKind(event: Block): string {
  const at = { at: "POST /hooks/doors", with: "door" };
  const other = event["is"] === undefined ? {} : { "door.other": { ...at, unknown: "ignored" } };
  const carries = { thing: "Thing", "kind?": "string" };
  return telling({ in: { "door.shut": { ...at, carries, ...event }, ...other } }, "when door.shut");
}

const made = ask("ann POST /things", {}, "201");

const inbound: readonly Proof[] = [
  {
    of: ["events/in"],
    with: hearing({ thing: "Thing" }),
    without: hearing({ thing: "Thing" }, "by shut"),
    environment,
    play: [
      made,
      doorSays({ thing: "{1}" }, "401 unauthenticated", "guessed"),
      ask("ann GET /things/{1}", { has: { state: "open" } }),
      doorSays({ thing: "{1}" }, "202"),
      ask("ann GET /things/{1}", { has: { state: "shut" } }),
    ],
  },
  {
    of: ["events/in/carries"],
    with: hearing({ thing: "Thing", fault: "jammed | power" }),
    without: hearing({ thing: "Thing", fault: "string" }),
    environment,
    play: [
      made,
      doorSays({ thing: "{1}", fault: "tired" }, "422 #/fault not-one-of"),
      doorSays({ thing: "{1}" }, "422 #/fault required"),
      doorSays({ thing: "{1}", fault: "power" }, "202"),
    ],
  },
  {
    of: ["events/in/is"],
    with: ofKind({ is: { kind: "shut" } }),
    without: ofKind({}),
    environment,
    play: [
      made,
      doorSays({ thing: "{1}", kind: "opened" }, "202"),
      ask("ann GET /things/{1}", { has: { state: "open" } }),
      doorSays({ thing: "{1}", kind: "shut" }, "202"),
      ask("ann GET /things/{1}", { has: { state: "shut" } }),
    ],
  },
  {
    of: ["events/in/unknown", "events/in/unknown/ignored", "events/in/unknown/rejected"],
    with: ofKind({ unknown: "ignored" }),
    without: ofKind({ unknown: "rejected" }),
    environment,
    play: [made, doorSays({ thing: "{1}", kind: "shut", more: 1 }, "202")],
  },
  {
    of: ["events/in/once"],
    with: ofKind({ once: "kind" }),
    without: ofKind({}),
    environment,
    play: [
      made,
      made,
      doorSays({ thing: "{1}", kind: "first" }, "202"),
      doorSays({ thing: "{2}", kind: "first" }, "202"),
      ask("ann GET /things/{2}", { has: { state: "open" } }),
      doorSays({ thing: "{2}", kind: "second" }, "202"),
      ask("ann GET /things/{2}", { has: { state: "shut" } }),
    ],
  },
  {
    of: ["events/in/optional"],
    with: hearing({ thing: "Thing", "fault?": "string" }),
    without: hearing({ thing: "Thing", fault: "string" }),
    environment,
    play: [made, doorSays({ thing: "{1}" }, "202")],
  },
];

export const eventProofs: readonly Proof[] = [...out, ...delivery, ...failure, ...stream, ...inbound];
