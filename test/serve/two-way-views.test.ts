/** Views in bodies and responses: other names for fields, objects around members, and references as objects. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf } from "../enforced/document.ts";
import { documentText, play, type Scenario, served } from "./scenario.ts";

const stay = {
  "first-name": "Ann",
  lastname: "Lee",
  totalprice: 100,
  depositpaid: true,
  bookingdates: { checkin: "2026-01-01", checkout: "2026-01-03" },
};

served("views in both directions", documentText("bookings"), (subject) => {
  const json = { "Content-Type": "application/json" };
  const send = (method: string, path: string, body: object, more: Omit<Scenario, "name" | "send">): Scenario => ({
    name: `R4.24 ${method} ${path} ${JSON.stringify(body).slice(0, 120)}`,
    send: () => ({ method, path, headers: json, body: JSON.stringify(body) }),
    ...more,
  });
  const adds = (change: object, more: Omit<Scenario, "name" | "send">): Scenario =>
    send("POST", "/bookings", { ...stay, ...change }, more);

  play(subject, [
    adds({}, { status: 201, has: { bookingid: 1, booking: stay }, lacks: ["firstName", "checkIn", "guest"] }),
    adds({ "@needs": "a cot" }, { status: 201, has: { booking: { ...stay, "@needs": "a cot" } } }),
    { name: "a read", send: { method: "GET", path: "/bookings/1" }, status: 200, has: stay },
    {
      name: "a list",
      send: { method: "GET", path: "/bookings?firstName=Ann" },
      status: 200,
      has: { bookings: [stay, stay] },
    },
    send("PUT", "/bookings/1", { ...stay, totalprice: 5 }, { status: 200, has: { ...stay, totalprice: 5 } }),
    send(
      "PATCH",
      "/bookings/1",
      { booking: { bookingdates: { checkout: "2026-02-01" } } },
      {
        status: 200,
        has: { bookingdates: { checkin: "2026-01-01", checkout: "2026-02-01" }, totalprice: 5 },
      },
    ),
    send("PATCH", "/bookings/1", { booking: { "@needs": null } }, { status: 200, lacks: ["@needs"] }),
    // What is wrong is named as clients know it.
    adds({ "first-name": 7 }, { status: 422, faults: ["#/first-name wrong-type"], lacks: ["firstName"] }),
    adds({ firstName: "Ann" }, { status: 422, faults: ["#/firstName unknown-field"] }),
    adds({ bookingdates: { checkin: "2026-01-01" } }, { status: 422, faults: ["#/bookingdates/checkout required"] }),
    adds(
      { bookingdates: { checkin: "soon", checkout: "2026-01-03" } },
      {
        status: 422,
        faults: ["#/bookingdates/checkin wrong-format"],
        lacks: ["checkIn"],
      },
    ),
    adds({ bookingdates: undefined }, { status: 422, faults: ["#/bookingdates required"] }),
    adds({ bookingdates: "2026" }, { status: 422, faults: ["#/bookingdates wrong-type"] }),
    adds({ bookingdates: { checkin: "2026-01-03", checkout: "2026-01-03" } }, { status: 422, code: "dates-reversed" }),
    adds(
      { guest: { id: "gue_00000000000000000000000000" } },
      { status: 422, faults: ["#/guest/id reference-not-found"] },
    ),
    send("PATCH", "/bookings/1", { booking: { guest: null } }, { status: 200, lacks: ["guest"] }),
    send(
      "PATCH",
      "/bookings/1",
      { booking: { bookingdates: null } },
      { status: 422, faults: ["#/booking/bookingdates wrong-type"] },
    ),
    adds({ guest: null }, { status: 422, faults: ["#/guest wrong-type"] }),
    adds({ guest: "gue_1" }, { status: 422, faults: ["#/guest wrong-type"] }),
    send("POST", "/notes", { who: stay }, { status: 201 }),
    {
      name: "R4.24 a reference is an object with its id",
      send: async () => {
        const guest = await subject.client.send({
          method: "POST",
          path: "/guests",
          headers: json,
          body: '{"name":"Bo"}',
        });
        const { id } = guest.json as { id: string };
        return { method: "POST", path: "/bookings", headers: json, body: JSON.stringify({ ...stay, guest: { id } }) };
      },
      status: 201,
      then: ({ json: body }) => {
        const { booking } = body as { booking: { guest: { id: string; name: string } } };
        assert.equal(booking.guest.name, "Bo");
        assert.match(booking.guest.id, /^gue_/);
      },
    },
    { name: "a deletion", send: { method: "DELETE", path: "/bookings/2" }, status: 200, has: { removed: stay } },
  ]);
});

const priced = documentOf({
  resources: {
    Price: { id: "id(pri)", amount: "integer", "every?": "day | month", "count?": "integer" },
    views: {
      PriceView: { of: "Price", fields: ["amount"], "recurring?": "Recurring", always: "Recurring" },
      Recurring: { of: "Price", "interval?": "string := every", fields: ["count"] },
    },
  },
  endpoints: {
    endpoints: {
      addPrice: { at: "POST /prices", gives: "PriceView" },
      getPrice: { at: "GET /prices/{id}", gives: { price: "PriceView", id: "id" } },
      listPrices: { at: "GET /prices", gives: "PriceView" },
    },
  },
});

served("optional objects of views", priced, (subject) => {
  test("an optional object without members is left out, after writes and in reads", async () => {
    for (const [body, recurring] of [
      [{ amount: 1 }, undefined],
      [{ amount: 2, every: "month" }, { interval: "month" }],
      [{ amount: 3, count: 2 }, { count: 2 }],
    ] as const) {
      const made = await subject.client.send({ method: "POST", path: "/prices", body });
      const expected = {
        amount: body.amount,
        ...(recurring === undefined ? {} : { recurring }),
        always: recurring ?? {},
      };
      assert.deepEqual(made.json, expected);
      const read = await subject.client.send({ method: "GET", path: made.headers["location"] ?? "" });
      assert.deepEqual((read.json as { price: object }).price, expected);
    }
    const { json } = await subject.client.send({ method: "GET", path: "/prices?limit=3" });
    assert.deepEqual(
      (json as { items: readonly object[] }).items.filter((one) => !Object.hasOwn(one, "recurring")).length,
      1,
    );
  });
});
