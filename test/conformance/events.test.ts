/**
 * The cases of part 6: a service that does what its document says breaks no statement, and a service of an altered document breaks
 * the statement that was altered.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import type { Report } from "../../src/conformance/result.ts";
import type { Receiver } from "../../src/conformance/receiver.ts";
import { sampled } from "../nightly.ts";
import { testServed, type ServedTest } from "./served.ts";

const text = `# Doors

## What the service does
Things that are shut.
\`\`\`yaml
nonet: 1
service: doors
purpose: Know which things are shut.
users: { owner: has things, clerk: sees all of them }
operations:
  addThing: Have a thing
  getThing: Look at a thing
  changeThing: Change a thing
  shut: Shut a thing
  open: Open a thing
  drop: Throw a thing away
\`\`\`

## Resources and their fields
\`\`\`yaml
Thing:
  id: id(thi)
  owner: user = caller, read-only
  name: string(1..20)
  note?: string(1..20)
  margin: integer(0..100)
\`\`\`

## States and transitions
\`\`\`yaml
Thing:
  states: { open: usable, shut: not usable, gone: thrown away }
  start: open
  final: [gone]
  moves:
    open -> shut: [by shut, when door.shut]
    shut -> open: by open
    shut -> gone: by drop
\`\`\`

## Endpoints
\`\`\`yaml
base: "{base_url}"
edits: none
repeats: none
endpoints:
  addThing: POST /things
  getThing: GET /things/{id}
  changeThing: PATCH /things/{id}
  shut: POST /things/{id}/shut
  open: POST /things/{id}/open
  drop: POST /things/{id}/drop
\`\`\`

## Authentication
\`\`\`yaml
credentials:
  key: { kind: api-key, sent: Authorization Bearer, prefix: th_, lasts: 365d, revoked: at once }
  door: { kind: hmac-sha256, sent: header Door-Signature, secret: env DOOR_SECRET }
  gate: { kind: hmac-sha256, sent: header Gate-Signature, secret: env GATE_SECRET }
roles: [owner, clerk]
own: { Thing: owner == caller.id }
allow:
  addThing: owner
  getThing, changeThing, shut, open, drop: clerk | owner if own
show: { Thing.margin: clerk }
unseen: 404
\`\`\`

## Events
\`\`\`yaml
envelope: cloudevents
out:
  thing.added: Thing -> open
  thing.shut: Thing -> shut
  thing.gone: { when: Thing -> gone, carries: [id, name] }
  thing.changed: changeThing
in:
  door.shut: { at: POST /hooks/doors, with: door, carries: { thing: Thing, by: wind | hand, note?: string(1..20) } }
delivery:
  webhook:
    subscribe: POST /webhooks
    for: clerk | owner if own
    signed: standard-webhooks
    promise: at least once, in order per resource
    timeout: 5s
    retry: 10s 5m 1h
    then: disable and keep 9d
  stream: { at: GET /events, for: clerk | owner if own, kind: server-sent, resume: Last-Event-ID, keep: 7d }
\`\`\`

## Errors
\`\`\`yaml
body: problem+json
standard: all
\`\`\`

## Limits
none

## Versioning
none
`;

type Edit = readonly (readonly [from: string, to: string])[];

function edited(base: string, edit: Edit): string {
  return edit.reduce((result, [from, to]) => {
    assert.ok(result.includes(from), from);
    return result.replace(from, to);
  }, base);
}

/** Returns the paths of the statements that are broken. */
function brokenIn({ cases }: Report): readonly string[] {
  const paths = cases.flatMap(({ kind, aspects }) => (kind === "broken" ? aspects.map(({ path }) => path) : []));
  return [...new Set(paths)].toSorted();
}

/** Tests only the cases about the line with this text. */
function testLine(tested: string, line: string, options: ServedTest): Promise<Report> {
  const number = tested.slice(0, tested.indexOf(line)).split("\n").length;
  assert.ok(tested.includes(line), line);
  return testServed(tested, { eventMilliseconds: 4000, only: [String(number)], workers: 2, ...options });
}

function hasNoResult({ cases }: Report): boolean {
  return cases.some(({ kind }) => kind === "not tried");
}

interface Row {
  readonly what: string;
  /** The line of the tested document whose cases run. */
  readonly line: string;
  readonly served: Edit;
  readonly broken: readonly string[];
  /** What the tested document has in place of the text. */
  readonly tested?: Edit;
}

const plain: Edit = [["envelope: cloudevents", "envelope: plain"]];
const webhook = "events/delivery/webhook";
const stream = "events/delivery/stream";

const rows: readonly Row[] = [
  {
    what: "an event that is never sent",
    line: "thing.shut: Thing",
    served: [["  thing.shut: Thing -> shut\n", ""]],
    broken: ["events/out/thing.shut"],
  },
  {
    what: "an event of another state",
    line: "thing.shut: Thing",
    served: [["thing.shut: Thing -> shut", "thing.shut: Thing -> gone"]],
    broken: ["events/out/thing.shut"],
  },
  {
    what: "an event of another operation",
    line: "thing.changed: change",
    served: [["thing.changed: changeThing", "thing.changed: getThing"]],
    broken: ["events/out/thing.changed"],
  },
  {
    what: "an event of a state that the record has not entered",
    line: "thing.shut: Thing",
    served: [["thing.gone: { when: Thing -> gone", "thing.gone: { when: Thing -> shut"]],
    broken: ["events/out/thing.gone"],
  },
  {
    what: "an event that the document does not declare",
    line: "thing.shut: Thing",
    served: [["  thing.shut:", "  thing.lost: Thing -> shut\n  thing.shut:"]],
    broken: [`${stream}/at`, `${webhook}/subscribe`],
  },
  {
    what: "a payload with a further field",
    line: "thing.gone: {",
    served: [["carries: [id, name]", "carries: [id, name, note, owner]"]],
    broken: ["events/out/thing.gone/carries"],
  },
  {
    what: "a payload without a field",
    line: "thing.gone: {",
    served: [["carries: [id, name]", "carries: [id]"]],
    broken: ["events/out/thing.gone/carries"],
  },
  {
    what: "a field that a receiver must not see",
    line: "thing.shut: Thing",
    served: [["show: { Thing.margin: clerk }\n", ""]],
    broken: ["authentication/show/Thing.margin"],
  },
  {
    what: "another envelope than CloudEvents",
    line: "envelope: cloud",
    served: plain,
    broken: ["events/envelope"],
  },
  {
    what: "CloudEvents in place of the plain envelope",
    line: "envelope: plain",
    tested: plain,
    served: [],
    broken: ["events/envelope"],
  },
  {
    what: "a custom envelope with another constant",
    line: "envelope: {",
    tested: [["envelope: cloudevents", 'envelope: { id: "{id}", type: "{type}", object: event, data: "{data}" }']],
    served: [["envelope: cloudevents", 'envelope: { id: "{id}", type: "{type}", object: thing, data: "{data}" }']],
    broken: ["events/envelope"],
  },
  {
    what: "webhooks without a signature",
    line: "signed: standard",
    served: [["signed: standard-webhooks", "signed: none"]],
    broken: [`${webhook}/signed`],
  },
  {
    what: "webhooks with a signature",
    line: "signed: none",
    tested: [["signed: standard-webhooks", "signed: none"]],
    served: [],
    broken: [`${webhook}/signed`],
  },
  {
    what: "another path for subscriptions",
    line: "subscribe: POST",
    served: [["subscribe: POST /webhooks", "subscribe: POST /hooks"]],
    broken: [`${webhook}/subscribe`],
  },
  {
    what: "a subscriber whom `for` does not name",
    line: "for: clerk\n",
    tested: [["    for: clerk | owner if own\n", "    for: clerk\n"]],
    served: [],
    broken: [`${webhook}/for`],
  },
  {
    what: "no subscription for those whom `for` names",
    line: "    for: clerk | owner if own\n",
    served: [["    for: clerk | owner if own\n", "    for: owner if own\n"]],
    broken: [`${webhook}/for`],
  },
  {
    what: "webhooks about the records of others",
    line: "thing.shut: Thing",
    served: [["    for: clerk | owner if own\n", "    for: clerk | owner\n"]],
    broken: [`${webhook}/for`],
  },
  {
    what: "a stream with the records of others",
    line: "thing.shut: Thing",
    served: [["at: GET /events, for: clerk | owner if own", "at: GET /events, for: clerk | owner"]],
    broken: [`${stream}/for`],
  },
  {
    what: "later events of a record before the one that fails",
    line: "promise: at least",
    served: [["in order per resource", "in any order"]],
    broken: [`${webhook}/promise`],
  },
  {
    what: "a first retry that is too late",
    line: "retry: 10s",
    served: [["retry: 10s", "retry: 40s"]],
    broken: [`${webhook}/retry`],
  },
  {
    what: "a second retry that is too early",
    line: "retry: 10s",
    served: [["10s 5m 1h", "10s 1m 1h"]],
    broken: [`${webhook}/retry`],
  },
  {
    what: "one attempt too many",
    line: "retry: 10s",
    served: [["10s 5m 1h", "10s 5m 1h 2h"]],
    broken: [`${webhook}/retry`],
  },
  {
    what: "one attempt too few",
    line: "retry: 10s",
    served: [["10s 5m 1h", "10s 5m"]],
    broken: [`${webhook}/retry`],
  },
  {
    what: "a retry that the document excludes",
    line: "retry: none",
    tested: [["retry: 10s 5m 1h", "retry: none"]],
    served: [],
    broken: [`${webhook}/retry`],
  },
  {
    what: "a webhook that is still enabled after its last attempt",
    line: "then: disable",
    served: [["then: disable and keep 9d", "then: keep 9d"]],
    broken: [`${webhook}/then`],
  },
  {
    what: "a webhook that is disabled after its last attempt",
    line: "then: keep",
    tested: [["then: disable and keep 9d", "then: keep 9d"]],
    served: [],
    broken: [`${webhook}/then`],
  },
  {
    what: "failed deliveries that are stored too long",
    line: "then: disable",
    served: [["keep 9d", "keep 20d"]],
    broken: [`${webhook}/then`],
  },
  {
    what: "failed deliveries that are not stored long enough",
    line: "then: disable",
    served: [["keep 9d", "keep 4d"]],
    broken: [`${webhook}/then`],
  },
  {
    what: "a longer timeout",
    line: "timeout: 1s",
    tested: [["timeout: 5s", "timeout: 1s"]],
    served: [["timeout: 5s", "timeout: 9s"]],
    broken: [`${webhook}/timeout`],
  },
  {
    what: "a shorter timeout",
    line: "timeout: 3s",
    tested: [["timeout: 5s", "timeout: 3s"]],
    served: [["timeout: 5s", "timeout: 1s"]],
    broken: [`${webhook}/timeout`],
  },
  ...Object.entries({
    stripe: '{ over: "{seconds}{body}", headers: { Stripe-Signature: "t={seconds},v1={hex}" }, separator: comma }',
    github: '{ headers: { X-GitHub-Delivery: "{id}", X-GitHub-Event: "{topic}", X-Hub-Signature-256: "{hex}" } }',
    slack: "none",
    '{ headers: { X-Hub: "a={hex}" } }': '{ headers: { X-Hub: "a={hex}" }, key: base64 }',
  }).map(([scheme, other]) => ({
    what: `webhooks that are not signed by ${scheme}`,
    line: `signed: ${scheme}`,
    tested: [["signed: standard-webhooks", `signed: ${scheme}`]] as const,
    served: [["signed: standard-webhooks", `signed: ${other}`]] as const,
    broken: [`${webhook}/signed`],
  })),
  {
    what: "another path for the stream",
    line: "stream: { at",
    served: [["at: GET /events", "at: GET /changes"]],
    broken: [`${stream}/at`],
  },
  {
    what: "another header to continue a stream",
    line: "resume: Last",
    served: [["resume: Last-Event-ID", "resume: Go-On-After"]],
    broken: [`${stream}/resume`],
  },
  {
    what: "a stream that cannot be continued long enough",
    line: "keep: 7d",
    served: [["keep: 7d", "keep: 2d"]],
    broken: [`${stream}/keep`],
  },
  {
    what: "a stream that can be continued too long",
    line: "keep: 7d",
    served: [["keep: 7d", "keep: 20d"]],
    broken: [`${stream}/keep`],
  },
  {
    what: "an incoming event at another path",
    line: "door.shut: {",
    served: [["POST /hooks/doors", "POST /hooks/door"]],
    broken: ["events/in/door.shut/at"],
  },
  {
    what: "an incoming event with another credential",
    line: "door.shut: {",
    served: [["with: door", "with: gate"]],
    broken: ["events/in/door.shut/at"],
  },
  {
    what: "an incoming event with a value that it must not have",
    line: "door.shut: {",
    served: [["by: wind | hand", "by: string"]],
    broken: ["events/in/door.shut/carries/by"],
  },
  {
    what: "an incoming event without a member",
    line: "door.shut: {",
    served: [["by: wind | hand", "by?: wind | hand"]],
    broken: ["events/in/door.shut/carries/by"],
  },
  {
    what: "an incoming event that needs an optional member",
    line: "door.shut: {",
    served: [["note?: string(1..20) } }", "note: string(1..20) } }"]],
    broken: ["events/in/door.shut/carries/note"],
  },
  {
    what: "an incoming event that moves nothing",
    line: "door.shut: {",
    served: [["[by shut, when door.shut]", "by shut"]],
    broken: ["events/in/door.shut/at"],
  },
  {
    what: "an incoming event about a record that is missing",
    line: "door.shut: {",
    served: [
      ["carries: { thing: Thing", "carries: { thing: string"],
      ["[by shut, when door.shut]", "by shut"],
    ],
    broken: ["events/in/door.shut/at", "events/in/door.shut/carries/thing"],
  },
];

// The tests wait for events most of the time, so they run side by side.
describe("cases of part 6", { concurrency: 5 }, () => {
  test("a service that does what its document says breaks nothing, and every statement is tried", async () => {
    const report = await testServed(text, { only: ["events"], eventMilliseconds: 15_000, workers: 4 });
    assert.deepEqual(brokenIn(report), []);
    const open = report.statements.filter(({ kind, statement }) => kind !== "holds" && statement.part === "events");
    assert.deepEqual(
      open.map(({ statement }) => statement.path),
      [],
    );
  });

  for (const { what, line, served, tested = [], broken } of sampled(rows, 2))
    test(`found: ${what}`, async () => {
      const whole = edited(text, tested);
      let report = await testLine(whole, line, { served: edited(text, served) });
      // On a slow machine a case may have no result, since what it waits for came too late.
      for (let tries = 1; tries < 3 && brokenIn(report).length === 0 && hasNoResult(report); tries += 1)
        report = await testLine(whole, line, { served: edited(text, served) });
      assert.deepEqual(brokenIn(report), [...broken].toSorted());
    });

  test("events in a custom envelope, and incoming events by the scheme of a provider: nothing is broken", async () => {
    const whole = edited(text, [
      [
        "envelope: cloudevents",
        'envelope: { id: "{id}", type: "{type}", at: "{seconds}", data: { object: "{data}" } }',
      ],
      ["signed: standard-webhooks", "signed: stripe"],
      ["kind: hmac-sha256, ", "kind: hmac-sha256, scheme: stripe, "],
    ]);
    const report = await testServed(whole, { only: ["events"], eventMilliseconds: 15_000, workers: 4 });
    assert.deepEqual(brokenIn(report), []);
    const open = report.statements.filter(({ kind, statement }) => kind !== "holds" && statement.part === "events");
    assert.deepEqual(
      open.map(({ statement }) => statement.path),
      [],
    );
  });

  test("without a receiver and a clock nothing about webhooks is broken, and each reason has a remedy", async () => {
    const report = await testServed(text, { only: ["events"], withoutReceiver: true, withoutClock: true });
    assert.deepEqual(brokenIn(report), []);
    const about = report.statements.filter(({ statement }) => statement.path.startsWith(`${webhook}/`));
    // Callers whom `for` does not name can be rejected without a receiver.
    assert.deepEqual(
      about.flatMap(({ kind, statement }) => (kind === "holds" ? [statement.path] : [])),
      [`${webhook}/for`],
    );
    for (const { cases } of about)
      for (const one of cases) assert.ok(one.kind !== "not tried" || one.remedy !== undefined, one.id);
  });

  test("nothing about webhooks is broken if the service cannot reach the receiver, or may not", async () => {
    const addresses: readonly (readonly [address: string, reason: RegExp])[] = [
      ["http://127.0.0.1:9", /may not reach it/],
      ["http://10.0.0.1", /rejects the address/],
    ];
    for (const [receiverUrl, reason] of addresses) {
      const receiver = (one: Receiver): Receiver => ({ ...one, url: (path) => `${receiverUrl}${path}` });
      const report = await testLine(text, "thing.shut: Thing", { receiver, eventMilliseconds: 300 });
      assert.deepEqual(brokenIn(report), [], receiverUrl);
      const untried = report.cases.flatMap((one) => (one.kind === "not tried" ? [one] : []));
      assert.deepEqual(
        untried.map(({ id }) => id),
        ["events/out/thing.shut: webhook"],
      );
      assert.match(untried[0]?.reason ?? "", reason);
      assert.match(untried[0]?.remedy ?? "", /--receiver/);
    }
  });

  test("an attempt that is too early is found by its signature, too, if it arrives after the test has looked", async () => {
    const served = edited(text, [["10s 5m 1h", "10s 1m 1h"]]);
    // Longer than a case waits for an early attempt, with more patience too.
    const hidden = 2500;
    const receiver = (one: Receiver): Receiver => ({
      ...one,
      received: (path) => one.received(path).filter(({ arrivedAt }) => Date.now() - arrivedAt > hidden),
    });
    const report = await testLine(text, "retry: 10s", { served, receiver });
    assert.deepEqual(brokenIn(report), [`${webhook}/retry`]);
    const found = report.cases.flatMap((one) => (one.kind === "broken" ? [one.got] : []));
    // The test moved the clock by 60 % of 5 minutes; some real time passes, too.
    const after = Number(/^it was signed after (\d+) ms$/.exec(found.join())?.[1]);
    assert.ok(after >= 180_000 && after < 225_000, found.join());
  });

  test("an event that waits for the retry of an earlier one is not missing, whatever page lists that delivery", async () => {
    const whole = edited(text, [
      ["edits: none", "edits: none\nlists: cursor, 1 per page, at most 2"],
      ["timeout: 5s", "timeout: 1s"],
    ]);
    const receiver = (one: Receiver): Receiver => ({
      ...one,
      url(path) {
        // Longer than the timeout of the document: the sender tries the first event of each webhook again, 10 s later.
        one.reply(path, { status: 204, delayMilliseconds: 1500 }, { status: 204 });
        return one.url(path);
      },
    });
    const report = await testLine(whole, "thing.shut: Thing", { receiver, eventMilliseconds: 500 });
    assert.deepEqual(brokenIn(report), []);
    const webhooks = report.cases.find(({ id }) => id === "events/out/thing.shut: webhook");
    assert.equal(webhooks?.kind === "not tried" && webhooks.reason, "an attempt to deliver the event has failed");
  });

  test("an event may have a part of the record if the document does not write what it carries", async () => {
    const served = edited(text, [["thing.shut: Thing -> shut", "thing.shut: { when: Thing -> shut, carries: [id] }"]]);
    assert.deepEqual(brokenIn(await testLine(text, "thing.shut: Thing", { served })), []);
  });

  test("an older version has its own names of events and fields", async () => {
    const versions = `\`\`\`yaml
scheme: numbered
sent: path /v{n}
absent: newest
policy: { breaking: new version only, notice: 180d, support: 12mo }
versions:
  2: [rename Thing.title -> name, "event thing.added, was thing.created"]
  1: first
\`\`\``;
    const versioned = edited(text, [["## Versioning\nnone", `## Versioning\n${versions}`]]);
    const report = await testLine(versioned, "thing.added: Thing", { version: "1" });
    assert.deepEqual(brokenIn(report), []);
    const found = report.statements.find(({ statement }) => statement.path === "events/out/thing.added");
    assert.equal(found?.kind, "holds");
  });

  test("on the examples nothing is broken", async () => {
    for (const name of ["print-shop", "conduit", "todo-backend"]) {
      const report = await testServed(readFileSync(`examples/${name}.md`, "utf8"), { only: ["events"] });
      assert.deepEqual(brokenIn(report), [], name);
    }
  });
});
