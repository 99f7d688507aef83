/** `GET /events` as a stream: who receives which events, the format, resumption, and the end (R6.15, R6.16, R5.10). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, before, describe, test } from "node:test";
import { openapi } from "../../src/export/openapi/openapi.ts";
import type { Json } from "../../src/base/json.ts";
import { recordInto } from "../export/recorded.ts";
import type { Reply } from "./client.ts";
import type { Follower } from "./follower.ts";
import { blocksOf, follow } from "./follower.ts";
import type { Running } from "./running.ts";
import { by, documentText, serve, served, stores } from "./scenario.ts";

const day = 86_400_000;
const stream = { Accept: "text/event-stream" };

interface Event {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly sequence: number;
  readonly request?: { readonly id: string };
  readonly data: Readonly<Record<string, Json>>;
}

function told(follower: Follower): readonly Event[] {
  return follower.events.map(({ data = "" }) => JSON.parse(data) as Event);
}

/** `order.placed note-1` */
function said(follower: Follower): readonly string[] {
  return told(follower).map(({ type, data }) => `${type} ${String(data["note"] as string)}`);
}

served("the stream", documentText("orders"), (subject) => {
  let ann: { readonly Authorization: string };
  let bob: { readonly Authorization: string };
  let kim: { readonly Authorization: string };
  const open: Follower[] = [];
  let count = 0;

  before(async () => {
    ann = by(await subject.running.key("ann", "shop"));
    bob = by(await subject.running.key("bob", "shop"));
    kim = by(await subject.running.key("kim", "clerk"));
  });
  afterEach(() => {
    const recording = recordInto(openapi(subject.running.plan, subject.running.url));
    for (const { headers, status, text } of open.splice(0)) {
      recording.check({ method: "GET", path: "/events" }, { status, headers: Object.entries(headers), body: text });
    }
    assert.deepEqual(recording.violations, []);
  });

  const following = async (
    headers: Readonly<Record<string, string>>,
    path = "/events",
    extra: Readonly<Record<string, string>> = stream,
  ): Promise<Follower> => {
    const follower = await follow(subject.running.port, { ...headers, ...extra }, path);
    open.push(follower);
    return follower;
  };
  const send = (method: string, path: string, who: object, body?: object): Promise<Reply> =>
    subject.client.send({ method, path, headers: { ...who }, ...(body === undefined ? {} : { body }) });
  /** Places an order with a note of its own, and gives its path. */
  const order = async (who: object, note = `n${(count += 1)}`): Promise<string> => {
    const reply = await send("POST", "/orders", who, { email: "x@example.com", margin: 7, note });
    assert.equal(reply.status, 201, reply.text);
    return `/orders/${(reply.json as { id: string }).id}`;
  };
  const pay = async (path: string): Promise<void> => {
    const reply = await send("POST", `${path}/pay`, kim);
    assert.equal(reply.status, 200, reply.text);
  };
  const last = async (): Promise<string> => {
    const follower = await following(kim);
    await follower.until(({ text }) => text.includes("\n\n"));
    follower[Symbol.dispose]();
    return blocksOf(follower.text)[0]?.id ?? "";
  };

  test("R6.15 its form: fields of the head, then retry, then blocks of id, event and one line of data", async () => {
    using follower = await following(kim);
    assert.equal(follower.status, 200);
    assert.equal(follower.headers["content-type"], "text/event-stream");
    assert.equal(follower.headers["cache-control"], "no-store");
    assert.equal(follower.headers["x-accel-buffering"], "no");
    assert.equal(follower.headers["content-encoding"], undefined);
    assert.match(follower.headers["request-id"] ?? "", /^req_/);
    await order(ann, "line\r\nbreak\u2028");
    await follower.until(({ events }) => events.length === 1);
    const [first, second] = blocksOf(follower.text) as readonly Record<string, string>[];
    assert.match(follower.text, /^retry: 3000\nid: evt_[0-9a-v]{26}\n\nid: /);
    assert.deepEqual(Object.keys(first ?? {}), ["retry", "id"]);
    assert.deepEqual(Object.keys(second ?? {}), ["id", "event", "data"]);
    const event = JSON.parse(second?.["data"] ?? "") as Event;
    assert.deepEqual([second?.["id"], second?.["event"]], [event.id, "order.placed"]);
    assert.deepEqual(Object.keys(event), ["id", "type", "timestamp", "sequence", "request", "data"]);
    assert.equal(event.data["note"], "line\r\nbreak\u2028");
  });

  test("R4.23 it is never compressed", async () => {
    using follower = await following(kim, "/events", { ...stream, "Accept-Encoding": "br, gzip" });
    assert.equal(follower.headers["content-encoding"], undefined);
    assert.equal(follower.headers["vary"], "Accept");
  });

  for (const [accept, type] of [
    [undefined, "text/event-stream"],
    ["*/*", "text/event-stream"],
    ["text/*", "text/event-stream"],
    ["text/html, */*;q=0.8", "text/event-stream"],
    ["application/json", "application/json"],
    ["application/*", "application/json"],
    ["application/json, text/event-stream;q=0.9", "application/json"],
    ["text/html", "application/problem+json"],
    ["text/event-stream;q=0, application/json;q=0", "application/problem+json"],
  ] as const) {
    test(`R6.15 Accept: ${accept ?? "nothing"} is answered with ${type}`, async () => {
      using follower = await following(kim, "/events", accept === undefined ? {} : { Accept: accept });
      assert.equal(follower.headers["content-type"], type);
      assert.equal(follower.status, type === "application/problem+json" ? 406 : 200);
    });
  }

  test("R6.16 who comes is told what happens from now on", async () => {
    await order(ann, "before");
    using follower = await following(kim);
    await follower.until(({ text }) => text.includes("\n\n"));
    const path = await order(ann, "after");
    await pay(path);
    await follower.until(({ events }) => events.length === 2);
    assert.deepEqual(said(follower), ["order.placed after", "order.paid after"]);
  });

  test("R6.13 everybody is told of what is theirs, with what they see, or what the event carries", async () => {
    using forAnn = await following(ann);
    using forBob = await following(bob);
    using forKim = await following(kim);
    const path = await order(ann, "hers");
    await order(bob, "his");
    await pay(path);
    assert.equal((await send("POST", `${path}/ship`, kim)).status, 200);
    await forKim.until(({ events }) => events.length === 4);
    await forAnn.until(({ events }) => events.length === 3);
    await forBob.until(({ events }) => events.length === 1);
    assert.deepEqual(said(forBob), ["order.placed his"]);
    assert.deepEqual(said(forAnn), ["order.placed hers", "order.paid hers", "order.shipped undefined"]);
    assert.deepEqual(
      told(forKim).map(({ type, data }) => [type, data["margin"]]),
      [
        ["order.placed", 7],
        ["order.placed", 7],
        ["order.paid", 7],
        ["order.shipped", undefined],
      ],
    );
    assert(!forAnn.text.includes("margin"), "R5.8: a member that is not seen is not there");
    const shipped = told(forAnn).at(-1);
    assert.deepEqual(Object.keys(shipped?.data ?? {}), ["id", "email"]);
    const sequences = told(forKim).map(({ sequence }) => sequence);
    assert.deepEqual(
      sequences,
      sequences.toSorted((a, b) => a - b),
    );
  });

  test("an event is as the record was, whoever changed it since", async () => {
    const from = await last();
    const path = await order(ann, "first");
    assert.equal((await send("PATCH", path, ann, { note: "second" })).status, 200);
    using follower = await following(ann, "/events", { ...stream, "Last-Event-ID": from });
    await follower.until(({ events }) => events.length === 2);
    assert.deepEqual(said(follower), ["order.placed first", "order.corrected second"]);
  });

  test("`type` chooses", async () => {
    using placed = await following(kim, "/events?type=order.placed");
    using all = await following(kim, "/events?type=order.*");
    using none = await following(kim, "/events?type=webhook.*");
    await pay(await order(ann, "chosen"));
    await all.until(({ events }) => events.length === 2);
    await placed.until(({ events }) => events.length === 1);
    assert.deepEqual(said(placed), ["order.placed chosen"]);
    assert.deepEqual(none.events, []);
  });

  test("R4.13 what a stream takes nothing of", async () => {
    for (const [path, fault] of [
      ["/events?limit=1", "unknown-parameter"],
      ["/events?cursor=x", "unknown-parameter"],
      ["/events?type=*", "wrong-pattern"],
      ["/events?type=", "wrong-pattern"],
      ["/events?type=order.placed&type=order.paid", "repeated-parameter"],
    ] as const) {
      const reply = await subject.client.send({ method: "GET", path, headers: { ...kim, ...stream } });
      assert.equal(reply.status, 400, path);
      const { errors } = reply.json as { errors: { code: string }[] };
      assert.deepEqual(
        errors.map(({ code }) => code),
        [fault],
        path,
      );
    }
  });

  test("R6.16 with Last-Event-ID it goes on strictly after that, in order, with nothing left out or twice", async () => {
    const from = await last();
    const notes = Array.from({ length: 130 }, (_, index) => `many-${index}`);
    for (const note of notes) await order(ann, note);
    using follower = await following(ann, "/events", { ...stream, "Last-Event-ID": from });
    await order(ann, "many-130");
    await follower.until(({ events }) => events.length >= 131);
    const expected = [...notes, "many-130"].map((note) => `order.placed ${note}`);
    assert.deepEqual(said(follower), expected);
    const middle = told(follower)[64]?.id ?? "";
    using rest = await following(ann, "/events", { ...stream, "Last-Event-ID": middle });
    await rest.until(({ events }) => events.length === 66);
    assert.deepEqual(said(rest), expected.slice(65));
  });

  test("R6.16 streams that begin while events come miss none and get none twice", async () => {
    const followers: Follower[] = [];
    const from = await last();
    const writing = (async () => {
      for (let index = 0; index < 60; index += 1) await order(ann, `busy-${index}`);
    })();
    for (let index = 0; index < 9; index += 1) {
      followers.push(await following(ann, "/events", { ...stream, "Last-Event-ID": from }));
    }
    await writing;
    for (const follower of followers) {
      await follower.until(({ events }) => events.length >= 60);
      assert.deepEqual(
        said(follower),
        Array.from({ length: 60 }, (_, index) => `order.placed busy-${index}`),
      );
      follower[Symbol.dispose]();
    }
  });

  test("R6.16 an id that is none, or not this service's, is 410 and no stream", async () => {
    const from = await last();
    const other = from.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"));
    for (const id of ["1", "evt_", "evt_00000000000000000000000000", other, `${from}, ${from}`, "evt_é"]) {
      const reply = await subject.client.send({
        method: "GET",
        path: "/events",
        headers: { ...kim, ...stream, "Last-Event-ID": id },
      });
      assert.equal(reply.status, 410, id);
      assert.equal((reply.json as { code: string }).code, "event-id-expired");
    }
  });

  test("R5.1 who has none of its grants gets no stream, whatever else is wrong", async () => {
    const nobody = by(await subject.running.key("nina"));
    for (const [headers, status] of [
      [{}, 401],
      [by("or_wrong"), 401],
      [nobody, 403],
    ] as const) {
      for (const extra of [{}, { Accept: "text/html" }, { "Last-Event-ID": "x" }]) {
        const reply = await subject.client.send({ method: "GET", path: "/events", headers: { ...headers, ...extra } });
        assert.equal(reply.status, status);
      }
    }
  });

  test("R4.1 R4.2 other methods, and HEAD, which opens no stream", async () => {
    const head = await subject.client.send({ method: "HEAD", path: "/events", headers: { ...kim, ...stream } });
    assert.deepEqual([head.status, head.headers["content-type"], head.text], [200, "text/event-stream", ""]);
    const post = await send("POST", "/events", kim);
    assert.deepEqual([post.status, post.headers["allow"]], [405, "GET, HEAD, OPTIONS"]);
    const options = await send("OPTIONS", "/events", {});
    assert.deepEqual([options.status, options.headers["allow"]], [204, "GET, HEAD, OPTIONS"]);
    const tagged = await follow(subject.running.port, { ...kim, ...stream, "If-None-Match": "*" });
    assert.equal(tagged.status, 200, "a stream has no tag");
    tagged[Symbol.dispose]();
  });

  test("R6.16 the eleventh stream of a user is 429, and there is room again when one is over", async () => {
    const eve = by(await subject.running.key("eve", "shop"));
    const ten = await Promise.all(Array.from({ length: 10 }, () => following(eve)));
    assert.deepEqual(
      ten.map(({ status }) => status),
      Array.from({ length: 10 }, () => 200),
    );
    const eleventh = await subject.client.send({ method: "GET", path: "/events", headers: { ...eve, ...stream } });
    assert.equal(eleventh.status, 429);
    assert.equal((eleventh.json as { code: string }).code, "rate-limited");
    using another = await following(bob);
    assert.equal(another.status, 200, "R8.4: nobody else's");
    ten[0]?.[Symbol.dispose]();
    let again = await following(eve);
    // That the other side is gone is known when its end has come.
    while (again.status === 429) {
      await again.ended;
      again = await following(eve);
    }
    assert.equal(again.status, 200);
    for (const one of [again, ...ten]) one[Symbol.dispose]();
  });

  test("R6.16 a stream is over as soon as its reader sends no more", { timeout: 120_000 }, async () => {
    const socket = connect(subject.running.port, "127.0.0.1");
    const fields = Object.entries({ Host: "x", ...bob, ...stream }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`GET /events HTTP/1.1\r\n${fields.join("")}\r\n`);
    socket.resume();
    await once(socket, "close");
  });

  test("R5.10 a revoked key ends its streams, and another's goes on", async () => {
    const key = await subject.running.key("gus", "shop");
    using ending = await following(by(key));
    using staying = await following(bob);
    const found = (await subject.running.store.keys.list()).find(({ user }) => user === "gus");
    await subject.running.store.keys.revoke(found?.id ?? "", subject.running.now());
    subject.running.pass(5000);
    await ending.ended;
    await order(bob, "goes on");
    await staying.until(({ events }) => events.length === 1);
    assert.deepEqual(said(staying), ["order.placed goes on"]);
  });

  test("R5.10 a key that is revoked after the clock was set back ends its streams too", async () => {
    const key = await subject.running.key("hal", "shop");
    using ending = await following(by(key));
    subject.running.pass(-3_600_000);
    const found = (await subject.running.store.keys.list()).find(({ user }) => user === "hal");
    await subject.running.store.keys.revoke(found?.id ?? "", subject.running.now());
    await ending.ended;
    subject.running.pass(3_600_000);
  });

  test("R6.15 a comment comes every 15 s, and does not tell whether there was something besides", async () => {
    using follower = await following(bob);
    const beats = async (count: number): Promise<void> => {
      subject.running.pass(15_000);
      await follower.until(({ text }) => text.split(/\n\n:\nid: evt_[0-9a-v]{26}(?=\n\n)/).length === count + 1);
    };
    await follower.until(({ text }) => text.includes("\n\n"));
    await beats(1);
    await order(ann, "not for bob");
    await beats(2);
    await beats(3);
    assert.deepEqual(follower.events, []);
    const marks = blocksOf(follower.text).map(({ id }) => id);
    assert.equal(new Set(marks).size, 4, "R5.8: nothing and something look alike");
    const from = marks.at(-1) ?? "";
    await order(bob, "for bob");
    using rest = await following(bob, "/events", { ...stream, "Last-Event-ID": from });
    await rest.until(({ events }) => events.length === 1);
    assert.deepEqual(said(rest), ["order.placed for bob"]);
  });

  // Moves the clock by days, so keys end: it comes last.
  test("R6.16 an id after which something is past `keep` is 410, one after which nothing happened is not", async () => {
    const before = await last();
    await order(ann, "old");
    const after = await last();
    subject.running.pass(8 * day);
    const headers = { ...kim, ...stream };
    const old = await subject.client.send({ method: "GET", path: "/events", headers: { ...headers, "Last-Event-ID": before } }); // biome-ignore format: one request
    assert.equal(old.status, 410);
    await order(ann, "new");
    using follower = await following(kim, "/events", { ...stream, "Last-Event-ID": after });
    await follower.until(({ events }) => events.length === 1);
    assert.deepEqual(said(follower), ["order.placed new"]);
  });
});

for (const store of stores) {
  void describe(`streams end (${store})`, () => {
    test("R1.8 a stop ends them at once, and is not held up", async () => {
      await using subject = await serve(documentText("orders"), { store });
      const { running } = subject;
      const kim = by(await running.key("kim", "clerk"));
      const followers = await Promise.all(Array.from({ length: 5 }, () => follow(running.port, kim)));
      const stopped = running.stop(60_000);
      for (const { ended } of followers) await ended;
      await stopped;
    });

    test("who comes while it stops is given a stream that ends, and so comes back", async () => {
      await using subject = await serve(documentText("orders"), { store });
      const { running } = subject;
      const kim = by(await running.key("kim", "clerk"));
      const stopped = running.stop(60_000, 300);
      const follower = await follow(running.port, kim);
      assert.equal(follower.status, 200);
      await follower.ended;
      assert.match(follower.text, /^retry: 3000\nid: evt_\w+\n\n$/);
      await stopped;
    });

    test("R6.16 a reader that takes nothing is cut off, and others are told all", async () => {
      const text = documentText("orders").replace("note?: string(1..80)", "note?: string(1..200000)");
      await using subject = await serve(text, { store });
      const { running } = subject;
      const kim = by(await running.key("kim", "clerk"));
      using slow = await follow(running.port, kim);
      using quick = await follow(running.port, kim);
      await slow.until((one) => one.text.includes("\n\n"));
      slow.pause();
      const note = "x".repeat(200_000);
      // What the sockets of both sides hold comes on top of the 1 MiB.
      for (let sent = 0; sent < 120; sent += 1) {
        const body = { email: "x@example.com", margin: 1, note };
        const reply = await subject.client.send({ method: "POST", path: "/orders", headers: by(await keyOf(running)), body }); // biome-ignore format: one request
        assert.equal(reply.status, 201, reply.text);
        await quick.until(({ events }) => events.length === sent + 1);
      }
      slow.resume();
      await slow.ended;
      assert(slow.events.length < 120, `${slow.events.length}`);
    });
  });
}

const keys = new WeakMap<Running, Promise<string>>();
function keyOf(running: Running): Promise<string> {
  const key = keys.get(running) ?? running.key("ann", "shop");
  keys.set(running, key);
  return key;
}
