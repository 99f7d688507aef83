/** Part 6: what each form means, and what is complained about, where. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readBlock } from "../../../test/part-block.ts";
import type { Events } from "./model.ts";
import { events } from "./grammar.ts";

const operator = [{ who: { kind: "role", role: "operator" } }] as const;
const hook = { method: "POST", path: "/webhooks", for: operator } as const;
const enters = { kind: "enters", resource: "Parcel", state: "stored" } as const;

const forms: readonly [yaml: string, expected: Events][] = [
  [
    `delivery: { webhook: { subscribe: POST /w, for: [], signed: { headers: { X-S: "a={hex}" }, separator: comma, key: base64 } } }`,
    {
      delivery: {
        webhook: {
          ...{ method: "POST", path: "/w", for: [] },
          signed: { over: "{body}", headers: { "X-S": "a={hex}" }, separator: "comma", key: "base64" },
        },
      },
    },
  ],
  ["envelope: plain\nout: none\nin: none\ndelivery: none", { envelope: "plain", out: {}, in: {}, delivery: {} }],
  ["out: { parcel.stored: Parcel -> stored }", { out: { "parcel.stored": { when: enters } } }],
  ["out: { a: Parcel->stored }", { out: { a: { when: enters } } }],
  ["out: { a: { when: { resource: Parcel, state: stored } } }", { out: { a: { when: enters } } }],
  ["out: { a: dropOff }", { out: { a: { when: { kind: "operation", operation: "dropOff" } } } }],
  [
    "out: { a: { when: { operation: dropOff } } }",
    { out: { a: { when: { kind: "operation", operation: "dropOff" } } } },
  ],
  [
    "out: { a: { when: Parcel -> stored, carries: [id, state] } }",
    { out: { a: { when: enters, carries: ["id", "state"] } } },
  ],
  ["out: { a: { when: Parcel -> stored, carries: none } }", { out: { a: { when: enters, carries: [] } } }],
  [
    "in: { door.faulted: { at: POST /hooks, with: device, carries: { locker: Locker, fault?: jammed | power } } }",
    {
      in: {
        "door.faulted": {
          method: "POST",
          path: "/hooks",
          with: "device",
          carries: {
            locker: { kind: "named", name: "Locker" },
            fault: { kind: "one-of", values: ["jammed", "power"], open: false },
          },
          optional: ["fault"],
        },
      },
    },
  ],
  [
    "in: { a: { at: { method: PUT, path: /a }, with: device, carries: { x: { schema: { type: object } } } } }",
    {
      in: {
        a: {
          method: "PUT",
          path: "/a",
          with: "device",
          carries: { x: { kind: "schema", schema: { type: "object" } } },
        },
      },
    },
  ],
  [
    "in: { a: { at: POST /a, with: device } }",
    { in: { a: { method: "POST", path: "/a", with: "device", carries: {} } } },
  ],
  ["delivery: { webhook: { subscribe: POST /webhooks, for: operator } }", { delivery: { webhook: hook } }],
  [
    "delivery:\n  webhook:\n    subscribe: { method: POST, path: /webhooks }\n    for: operator\n    signed: none\n    promise: at least once\n    timeout: 15s\n    retry: [5s, 5m]\n    then: { disable: true, keep: 30d }",
    {
      delivery: {
        webhook: {
          ...hook,
          signed: "none",
          promise: "at least once",
          timeout: "15s",
          retry: ["5s", "5m"],
          then: { disable: true, keep: "30d" },
        },
      },
    },
  ],
  [
    "delivery:\n  webhook: { subscribe: POST /webhooks, for: operator, then: disable }",
    { delivery: { webhook: { ...hook, then: { disable: true } } } },
  ],
  [
    "delivery:\n  webhook: { subscribe: POST /webhooks, for: operator, then: keep 3d, retry: none }",
    { delivery: { webhook: { ...hook, then: { disable: false, keep: "3d" }, retry: [] } } },
  ],
  [
    "delivery: { stream: { at: GET /events, for: anyone } }",
    {
      delivery: { stream: { method: "GET", path: "/events", for: [{ who: { kind: "anyone" } }], kind: "server-sent" } },
    },
  ],
  [
    "out: { a: not shown, b: { when: not shown } }\ndelivery: { webhook: { subscribe: not shown, for: not shown } }",
    { out: {}, delivery: {} },
  ],
];

for (const [yaml, expected] of forms) {
  test(yaml.replaceAll("\n", " ⏎ "), () => {
    const { part, faults } = readBlock(events.readPart, `${yaml}\n`);
    assert.deepEqual(faults, []);
    assert.deepEqual(part, expected);
  });
}

const webhook = (rest: string) => `delivery:\n  webhook:\n    subscribe: POST /w\n    for: operator\n    ${rest}`;

const wrong: readonly [yaml: string, ...faults: string[]][] = [
  ["envelop: plain", "1:1 events/unknown-key envelop"],
  ["envelope: cloudevent", "1:11 events/unknown-value cloudevent"],
  ["out: [a]", "1:6 events/not-a-map [a]"],
  ["out: { a b: dropOff }", "1:8 events/bad-name a b"],
  ["out: { a: Parcel -> }", "1:11 events/bad-source Parcel ->"],
  ["out: { a: Parcel stored }", "1:11 events/bad-source Parcel stored"],
  ["out: { a: Parcel -> stored now }", "1:11 events/bad-source Parcel -> stored now"],
  ["out: { a: { carries: [id] } }", "1:8 events/missing-member a"],
  ["out: { a: { when: x, carries: [id, locker.door] } }", "1:36 events/bad-field locker.door"],
  ["out: { a: { when: { operation: x, state: y } } }", "1:19 events/bad-source { operation: x, state: y }"],
  ["in: { a: POST /a }", "1:10 events/not-a-map POST /a"],
  ["in: { a: { at: POST /a } }", "1:7 events/missing-member a"],
  ["in: { a: { at: /a, with: d } }", "1:16 events/bad-address /a"],
  ["in: { a: { at: post /a, with: d } }", "1:16 events/bad-method post"],
  ["in: { a: { at: POST a, with: d } }", "1:21 events/bad-path a"],
  ["in: { a: { at: POST /a, with: d, carries: { x: strin } } }", "1:48 events/unknown-type strin"],
  ["in: { a: { at: POST /a, with: d, carries: { 1x: string } } }", "1:45 events/bad-field 1x"],
  ["delivery: { webhook: { subscribe: POST /w } }", "1:13 events/missing-member webhook"],
  ["delivery: { stream: { for: operator } }", "1:13 events/missing-member stream"],
  ["delivery: { stream: { at: GET /e, for: operator, kind: websocket } }", "1:56 events/unknown-value websocket"],
  ["delivery: { webhook: { subscribe: POST /w, for: anyone, signed: svix } }", "1:65 events/unknown-value svix"],
  ...[
    ["{ headers: {} }", 65],
    ["{ over: '{body}' }", 65],
    ["{ headers: { A: '{hex}', B: '{base64}' } }", 65],
    ["{ over: '{seconds}.{body}', headers: { A: '{hex}' } }", 65],
    ["{ over: '{seconds}', headers: { A: 't={seconds},v={hex}' } }", 65],
    ["{ headers: { A: '{hex}', B: '{seconds}' } }", 65],
    ["{ headers: { A: '{sha1}' } }", 82, "{sha1}"],
    ["{ over: '{body}{body}', headers: { A: '{hex}' } }", 74, "{body}{body}"],
    ["{ headers: { A: '{hex}', Content-Type: '{type}' } }", 90, "Content-Type"],
    ["{ headers: { A: '{hex}', 'a b': '{type}' } }", 91, "a b"],
  ].map(([signed, column, text = signed]): [string, string] => [
    `delivery: { webhook: { subscribe: POST /w, for: anyone, signed: ${signed} } }`,
    `1:${column} events/bad-signature ${text}`,
  ]),
  ["delivery: { stream: { at: GET /e, for: public } }", "1:40 events/bad-grant public"],
  [webhook("promise: exactly once"), "5:14 events/bad-promise exactly once"],
  [webhook("promise: at least once, sorted"), "5:29 events/unknown-value sorted"],
  [webhook("promise: at least once, in any order, fast"), "5:43 events/bad-promise fast"],
  [webhook("signed: hmac"), "5:13 events/unknown-value hmac"],
  [webhook("retry: 5s 5 20m"), "5:15 events/bad-duration 5"],
  [webhook("timeout: 1y"), "5:14 events/bad-duration 1y"],
  [webhook("timeout: 25d"), "5:14 events/bad-duration 25d"],
  [webhook("retry: 5s 24d 2000000w"), "5:19 events/bad-duration 2000000w"],
  [webhook("then: give up"), "5:11 events/bad-then give up"],
  [webhook("then: disable keep 3d"), "5:11 events/bad-then disable keep 3d"],
  [webhook("then: disable and"), "5:11 events/bad-then disable and"],
  [webhook("then: keep long"), "5:16 events/bad-duration long"],
];

for (const [yaml, ...expected] of wrong) {
  test(`wrong: ${yaml.replaceAll("\n", " ⏎ ")}`, () => {
    assert.deepEqual(readBlock(events.readPart, `${yaml}\n`).faults, expected);
  });
}
