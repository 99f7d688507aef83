/** Part 8: what each form means, and what is complained about, where. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readBlock } from "../../../test/part-block.ts";
import type { Limits } from "./model.ts";
import { limits } from "./grammar.ts";

const forms: readonly [yaml: string, expected: Limits][] = [
  ["rate: { all: 600/min per user }", { rate: { all: [{ count: 600, window: "min", per: "user" }] } }],
  [
    "rate:\n  x: 5/15min per Parcel, burst 10",
    { rate: { x: [{ count: 5, window: "15min", per: "Parcel", burst: 10 }] } },
  ],
  ["rate: { x: 5 / h per ip }", { rate: { x: [{ count: 5, window: "h", per: "ip" }] } }],
  [
    "rate: { x: [5/s per user, 100/day per ip] }",
    {
      rate: {
        x: [
          { count: 5, window: "s", per: "user" },
          { count: 100, window: "day", per: "ip" },
        ],
      },
    },
  ],
  [
    "rate: { x: { count: 5, window: 15min, per: user, burst: 7 } }",
    { rate: { x: [{ count: 5, window: "15min", per: "user", burst: 7 }] } },
  ],
  ["rate: { x: none }", { rate: { x: [] } }],
  [
    "rate: none\nquota: none\nsize: none\ntime: none\nkeep: none",
    { rate: {}, quota: {}, size: {}, time: {}, keep: {} },
  ],
  ["quota: { a: 5000/day per user }", { quota: { a: [{ kind: "window", count: 5000, window: "day", per: "user" }] } }],
  [
    "quota: { Parcel: 300 in announced | stored per user }",
    { quota: { Parcel: [{ kind: "live", count: 300, states: ["announced", "stored"], per: "user" }] } },
  ],
  ["quota: { webhook: 20 per user }", { quota: { webhook: [{ kind: "live", count: 20, states: [], per: "user" }] } }],
  [
    "quota: { a: [{ count: 5, window: day, per: user }, { count: 9, in: [x, y], per: Site }, { count: 1, in: x | y, per: ip }] }",
    {
      quota: {
        a: [
          { kind: "window", count: 5, window: "day", per: "user" },
          { kind: "live", count: 9, states: ["x", "y"], per: "Site" },
          { kind: "live", count: 1, states: ["x", "y"], per: "ip" },
        ],
      },
    },
  ],
  [
    "size: { request: 256KB }\ntime: { request: 10s, addSite: 500ms }",
    { size: { request: "256KB" }, time: { request: "10s", addSite: "500ms" } },
  ],
  ["keep: { Parcel: 90d after final }", { keep: { Parcel: { duration: "90d", after: "final", act: "delete" } } }],
  [
    "keep:\n  Parcel: 12mo after createdAt, erase",
    { keep: { Parcel: { duration: "12mo", after: "createdAt", act: "erase" } } },
  ],
  [
    "quota: { x: 5/week in europe/oslo per user }",
    { quota: { x: [{ kind: "window", count: 5, window: "week", per: "user", zone: "europe/oslo" }] } },
  ],
  [
    "rate: { x: 5/day in Etc/GMT+5 per user }",
    { rate: { x: [{ count: 5, window: "day", per: "user", zone: "Etc/GMT+5" }] } },
  ],
  ["keep: { P: { duration: 1d, after: final } }", { keep: { P: { duration: "1d", after: "final", act: "delete" } } }],
  ["rate: not shown\nkeep: { P: not shown }", { keep: {} }],
];

for (const [yaml, expected] of forms) {
  test(yaml.replaceAll("\n", " ⏎ "), () => {
    const { part, faults } = readBlock(limits.readPart, `${yaml}\n`);
    assert.deepEqual(faults, []);
    assert.deepEqual(part, expected);
  });
}

const wrong: readonly [yaml: string, ...faults: string[]][] = [
  ["rates: { all: 1/s per ip }", "1:1 limits/unknown-key rates"],
  ["rate: 600/min per user", "1:7 limits/not-a-map 600/min per user"],
  ["rate: { x: lots }", "1:12 limits/bad-rate lots"],
  ["rate: { x: 5/min }", "1:12 limits/no-per 5/min"],
  ["rate: { x: 5/min per }", "1:12 limits/no-per 5/min per"],
  ["rate: { x: 5/fortnight per user }", "1:14 limits/bad-window fortnight"],
  ["rate: { x: 0/min per user }", "1:12 limits/bad-number 0"],
  ["rate: { x: 1.5/min per user }", "1:12 limits/bad-number 1.5"],
  ["rate: { x: 5/min per users }", "1:22 limits/bad-per users"],
  ["rate:\n  x: 5/min per user, bursts 3", "2:22 limits/bad-rate bursts 3"],
  ["rate:\n  x: 5/min per user, burst 3, burst 4", "2:31 limits/bad-rate burst 4"],
  ["rate: { x: 5/day in Oslo per user }", "1:21 limits/bad-zone Oslo"],
  ["rate: { x: 5/day in Etc/GMT5 per user }", "1:21 limits/bad-zone Etc/GMT5"],
  ["rate: { x: 5/h in Europe/Oslo per user }", "1:12 limits/bad-rate 5/h in Europe/Oslo per user"],
  [
    "rate: { x: { count: 5, window: day, zone: Europe/Oslo, per: user, burst: 9 } }",
    "1:12 limits/bad-rate { count: 5, window: day, zone: Europe/Oslo, per: user, burst: 9 }",
  ],
  ["rate: { x: { count: 5, per: user } }", "1:12 limits/missing-member { count: 5, per: user }"],
  ["rate: { x: [5/min per user, wrong] }", "1:29 limits/bad-rate wrong"],
  ["quota:\n  x: 300 in a, b per user", "2:13 limits/bad-state a, b"],
  ["quota: { x: many per user }", "1:13 limits/bad-number many"],
  ["quota: { x: 5/day in Oslo per user }", "1:22 limits/bad-zone Oslo"],
  ["quota: { x: 5/h in Europe/Oslo per user }", "1:13 limits/bad-quota 5/h in Europe/Oslo per user"],
  ["quota: { x: 300 announced per user }", "1:13 limits/bad-quota 300 announced per user"],
  ["quota: { x: 300 in announced }", "1:13 limits/no-per 300 in announced"],
  ["quota: { x: { count: 3, window: day, in: [a], per: user } }", "1:38 limits/bad-quota in"],
  ["size: { request: 256 }", "1:18 limits/bad-size 256"],
  ["time: { request: 1mo }", "1:18 limits/bad-duration 1mo"],
  ["time: { request: 25d }", "1:18 limits/bad-duration 25d"],
  ["time: { request: 10 }", "1:18 limits/bad-duration 10"],
  ["keep: { P: 90d }", "1:12 limits/bad-retention 90d"],
  ["keep: { P: 90 after final }", "1:12 limits/bad-duration 90"],
  ["keep:\n  P: 90d after final, archive", "2:23 limits/unknown-value archive"],
];

for (const [yaml, ...expected] of wrong) {
  test(`wrong: ${yaml.replace("\n", " ⏎ ")}`, () => {
    assert.deepEqual(readBlock(limits.readPart, `${yaml}\n`).faults, expected);
  });
}
