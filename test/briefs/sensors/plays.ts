/** Sensor readings: what the brief promises. */
import type { Plays, Step } from "../../docs/play.ts";

const sensor = { name: "Air", kind: "temperature", lowest: -40, highest: 60, alarmAbove: 50 };
const stations: readonly Step[] = [
  ["office POST /stations", { name: "North", user: "north" }, "201 as $north"],
  ["office POST /stations", { name: "South", user: "south" }, "201 as $south"],
  ["office POST /sensors", { ...sensor, station: "$north" }, "201 as $air"],
  ["office POST /sensors", { ...sensor, station: "$south" }, "201 as $far"],
];
const reading = (at: string, value: number, of = "$air"): object => ({ sensor: of, at: `2026-11-${at}:00Z`, value });
const send = "north POST /readings";

export const sensors: Plays = {
  callers: { office: ["operator"], north: ["station"], south: ["station"] },
  promises: {
    "A request is stored whole or not at all, and the same reading (sensor and moment) is never stored twice.": [
      ...stations,
      [send, [reading("01T10:00", 20), reading("01T11:00", 21)], "201"],
      [send, [reading("01T12:00", 22), reading("01T11:00", 21)], "409 already-stored"],
      [send, [reading("01T13:00", 22), reading("01T13:00", 23)], "409 already-stored"],
      [send, [reading("01T14:00", 22), { sensor: "$air", at: "soon", value: 1 }], "422 invalid-request"],
      ["office GET /sensors/$air/readings", "200 items.length=2"],
      [
        "at once",
        [
          [send, [reading("01T15:00", 1)], ""],
          [send, [reading("01T15:00", 1)], ""],
        ],
        "201 | 409 already-stored",
      ],
      [
        send,
        Array.from({ length: 501 }, (_, index) => reading(`02T${10 + (index % 10)}:10`, index)),
        "422 invalid-request",
      ],
      ["office GET /sensors/$air/readings", "200 items.length=3"],
    ],
    "A reading of another station's sensor is refused.": [
      ...stations,
      [send, [reading("01T10:00", 20), reading("01T10:00", 20, "$far")], "422 invalid-request"],
      ["office GET /sensors/$air/readings", "200 items.length=0"],
      ["south POST /readings", [reading("01T10:00", 20, "$far")], "201"],
      ["north GET /sensors", "200 items.length=1"],
      ["north GET /sensors/$air/readings", "403 forbidden"],
    ],
    "A reading outside of the plausible range is stored and marked as suspicious.": [
      ...stations,
      [send, [reading("01T10:00", -41), reading("01T11:00", 60), reading("01T12:00", 61)], "201"],
      [
        "office GET /sensors/$air/readings",
        "200 items.0.suspicious=true items.1.suspicious=false items.2.suspicious=true",
      ],
    ],
    "an alarm is opened for the sensor, unless one is open already; operators acknowledge it and close it with a note":
      [
        ...stations,
        [send, [reading("01T10:00", 50)], "201"],
        ["office GET /alarms", "200 items.length=0"],
        [send, [reading("01T11:00", 51), reading("01T12:00", 52)], "201"],
        [send, [reading("01T13:00", 53)], "201"],
        ["office GET /alarms", "200 items.length=1 items.0.value=51 as $alarms"],
        ["north POST /alarms/$alarms.items.0.id/acknowledge", "403 forbidden"],
        ["office POST /alarms/$alarms.items.0.id/acknowledge", "200 state=acknowledged acknowledgedBy=office"],
        ["office POST /alarms/$alarms.items.0.id/close", {}, "422 invalid-request"],
        ["office POST /alarms/$alarms.items.0.id/close", { note: "dust" }, "200 state=closed note=dust"],
        [send, [reading("01T14:00", 54)], "201"],
        ["office GET /alarms?state=open", "200 items.length=1"],
        [
          "at once",
          [
            ["south POST /readings", [reading("01T10:00", 51, "$far")], ""],
            ["south POST /readings", [reading("01T11:00", 51, "$far")], ""],
          ],
          "201 | 201",
        ],
        ["office GET /alarms?sensor=$far", "200 items.length=1"],
      ],
    "Operators read the readings of a sensor between two moments, newest first.": [
      ...stations,
      [send, [reading("01T11:00", 2), reading("01T10:00", 1), reading("01T12:00", 3), reading("01T13:00", 4)], "201"],
      [
        "office GET /sensors/$air/readings?at[gte]=2026-11-01T11:00:00Z&at[lt]=2026-11-01T13:00:00Z",
        "200 items.length=2 items.0.value=3 items.1.value=2",
      ],
    ],
    "For each sensor they get the number, the lowest, the highest and the average value per day.": [
      ...stations,
      [send, [reading("01T10:00", 1), reading("01T11:00", 3), reading("02T00:00", 8)], "201"],
      [
        "office GET /readings/per-day",
        "200 items.length=2 items.0.readings=2 items.0.lowest=1 items.0.highest=3 items.0.average=2 items.1.readings=1",
      ],
    ],
    "Readings are kept for 13 months.": [
      ...stations,
      [send, [reading("02T10:00", 1)], "201"],
      ["pass 394d"],
      ["office GET /sensors/$air/readings", "200 items.length=1"],
      ["pass 1d"],
      ["office GET /sensors/$air/readings", "200 items.length=0"],
    ],
    "A station may send 60 requests a minute.": [
      ...stations,
      ["60 times north POST /readings", [], "422 invalid-request"],
      ["north POST /readings", [], "429 rate-limited"],
      ["south POST /readings", [reading("01T10:00", 1, "$far")], "201"],
      ["pass 1m"],
      ["north POST /readings", [reading("01T10:00", 1)], "201"],
    ],
  },
};
