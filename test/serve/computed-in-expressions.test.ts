/** Every kind of expression can use computed fields. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Json } from "../../src/base/json.ts";
import { documentOf } from "../enforced/document.ts";
import { by, served } from "./scenario.ts";

const text = documentOf({
  resources: {
    Room: { id: "string(1..9)", cents: "integer(0..100000)", booked: "integer := Booking.filter(b, b.room == id && b.isOpen).size()", isBusy: "boolean := booked > 1" },
    Booking: {
      id: "id(bok)",
      room: "Room, create-only, filter",
      arrival: "date",
      departure: "date",
      nights: "integer := (departure - arrival).getHours() / 24",
      "total": "integer := nights * room.cents, read-only",
      isLong: "boolean := nights > 6, filter",
      isOpen: "boolean := state == 'open'",
      isSoon: "boolean := now < timestamp(arrival, '00:00', 'UTC')",
      "paid?": "integer, read-only",
      "last?": "integer, read-only",
      changes: "integer = 0, read-only",
    },
    rules: {
      Booking: [
        "nights >= 1 else ends-before-it-begins",
        "room.booked <= 2 else room-full",
        "!Booking.exists(b, b.room == room && b.id != id && b.total > 50000 && b.isOpen) else room-blocked",
        "old == null || old.nights <= nights else shortened",
      ],
    },
    views: { Bill: { of: "Booking", fields: ["id"], lines: "string := string(nights) + ' x ' + string(room.cents)", "other?": "integer := Booking.filter(b, b.room == room && b.id != id).first().nights" } },
  },
  states: {
    Room: "none",
    Booking: {
      states: ["open", "closed"],
      start: "open",
      final: "none",
      moves: { "open -> closed": { by: "close", if: "total > 1000", else: "too-cheap", set: { paid: "total" }, also: { change: "Booking", where: "room == this.room && nights < this.nights", set: { last: "nights * 10 + this.nights" } } } },
    },
  },
  endpoints: {
    endpoints: {
      addRoom: "POST /rooms",
      getRoom: "GET /rooms/{id}",
      busyRooms: { at: "GET /rooms", where: "isBusy" },
      addBooking: "POST /bookings",
      changeBooking: "PATCH /bookings/{id}",
      getBooking: "GET /bookings/{id}",
      longBookings: { at: "GET /bookings", where: "total >= input.least && nights > 1", query: { least: "integer = 0" } },
      bill: { at: "GET /bookings/{id}/bill", gives: "Bill" },
      close: "POST /bookings/{id}/close",
      perNights: { at: "GET /bookings/per-nights", group: { nights: "nights" }, gives: { bookings: "count(isOpen)", total: "sum(total)" } },
    },
  },
  errors: {
    errors: Object.fromEntries(["ends-before-it-begins", "room-full", "room-blocked", "shortened", "too-cheap"].map((code) => [code, "409 It cannot be"])),
  },
  authentication: {
    allow: { "addRoom, getRoom, busyRooms, addBooking, longBookings, bill, close, perNights, changeBooking": "signed-in", getBooking: "signed-in if nights < 20" },
  },
}); // biome-ignore format: a table

served(
  "computed fields in expressions",
  text,
  (subject) => {
    let headers: { readonly Authorization: string };
    before(async () => {
      headers = by(await subject.running.key("ann", "member"));
    });
    const send = async (method: string, path: string, body?: object) => {
      const reply = await subject.client.send({ method, path, headers, ...(body === undefined ? {} : { body }) });
      return { ...reply, json: reply.json as Record<string, Json> };
    };
    const book = (room: string, arrival: string, departure: string) => send("POST", "/bookings", { room, arrival, departure });
    const id = async (...given: Parameters<typeof book>): Promise<string> => {
      const { status, json, text: said } = await book(...given);
      assert.equal(status, 201, said);
      return json["id"] as string;
    };
    const room = async (name: string, cents: number): Promise<void> =>
      assert.equal((await send("POST", "/rooms", { id: name, cents })).status, 201);
    const items = async (path: string): Promise<readonly Record<string, Json>[]> =>
      ((await send("GET", path)).json["items"] ?? []) as unknown as readonly Record<string, Json>[];

    test("a field that is computed from computed fields of its own and of another record", async () => {
      await room("a", 500);
      const { json } = await book("a", "2026-02-27", "2026-03-02");
      assert.deepEqual([json["nights"], json["total"], json["isLong"], json["isOpen"]], [3, 1500, false, true]);
      assert.equal((await book("a", "2026-01-01", "2026-01-08")).json["isLong"], true);
      assert.deepEqual((await send("GET", "/rooms/a")).json, { id: "a", cents: 500, booked: 2, isBusy: true });
      assert.deepEqual(await items("/rooms"), [{ id: "a", cents: 500, booked: 2, isBusy: true }]);
      const [long] = await items("/bookings?isLong=true");
      assert.equal(long?.["nights"], 7);
    });

    test("rules, also about the record before and about other records", async () => {
      await room("b", 100);
      const refused = async (code: string, reply: Promise<{ readonly status: number; readonly json: Record<string, Json> }>) =>
        assert.deepEqual([(await reply).status, (await reply).json["code"]], [409, code]);
      await refused("ends-before-it-begins", book("b", "2026-05-02", "2026-05-02"));
      const first = await id("b", "2026-05-02", "2026-05-04");
      await refused("shortened", send("PATCH", `/bookings/${first}`, { departure: "2026-05-03" }));
      assert.equal((await send("PATCH", `/bookings/${first}`, { departure: "2026-05-05" })).json["nights"], 3);
      await id("b", "2026-06-02", "2026-06-04");
      await refused("room-full", book("b", "2026-07-02", "2026-07-04"));
      await room("c", 30_000);
      await id("c", "2026-05-02", "2026-05-04");
      await refused("room-blocked", book("c", "2026-07-02", "2026-07-03"));
    });

    test("transitions, further writes, lists, views, permissions and summaries", async () => {
      await room("d", 600);
      const short = await id("d", "2026-05-02", "2026-05-03");
      const long = await id("d", "2026-05-02", "2026-05-27");
      assert.equal((await send("POST", `/bookings/${short}/close`)).json["code"], "too-cheap");
      assert.equal((await send("POST", `/bookings/${long}/close`)).json["paid"], 15_000);
      assert.equal((await send("GET", `/bookings/${short}`)).json["last"], 1 * 10 + 25);
      assert.notEqual((await send("GET", `/bookings/${long}`)).status, 200);
      assert.deepEqual((await items("/bookings?least=15000")).map((one) => one["total"]), [15_000, 60_000]);
      assert.deepEqual((await send("GET", `/bookings/${long}/bill`)).json, { id: long, lines: "25 x 600", other: 1 });
      const groups = (await items("/bookings/per-nights")).map((one) => [one["nights"], one["bookings"], one["total"]]);
      assert.deepEqual(groups, [[1, 1, 600], [2, 2, 60_200], [3, 2, 1800], [7, 1, 3500], [25, 0, 15_000]]);
    });
  },
); // biome-ignore format: rows
