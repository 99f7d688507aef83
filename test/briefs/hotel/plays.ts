/** A small hotel: what the brief promises. */
import type { Plays, Step } from "../../docs/play.ts";

const room = { number: "12", capacity: 2, euroCentsPerNight: 9000 };
const stay = (arrival: number, departure: number): object => ({
  ...{ room: "$room", arrival: `2026-12-${arrival}`, departure: `2026-12-${departure}`, guests: 2 },
});
const addRoom: Step = ["staff POST /rooms", room, "201 as $room"];

export const hotel: Plays = {
  callers: { staff: ["staff"], ann: ["guest"], bob: ["guest"], partner: ["partner"] },
  promises: {
    "A room is never booked twice for the same night, also if two guests try at the same moment.": [
      addRoom,
      [
        "at once",
        [
          ["ann POST /bookings", stay(10, 12), ""],
          ["bob POST /bookings", stay(11, 13), ""],
        ],
        "201 | 409 room-taken",
      ],
      ["bob POST /bookings", stay(12, 14), "201 as $next"],
      ["ann POST /bookings", stay(13, 15), "409 room-taken"],
      ["ann POST /bookings", stay(10, 20), "409 room-taken"],
      ["bob POST /bookings/$next/cancel", "200 state=cancelled"],
      ["ann POST /bookings", stay(13, 15), "201"],
    ],
    "a number that no other room has; a room is booked for a number of guests that it holds": [
      addRoom,
      ["staff POST /rooms", room, "409 already-exists"],
      ["ann POST /rooms", { ...room, number: "13" }, "403 forbidden"],
      ["nobody GET /rooms", "200 items.length=1"],
      ["nobody POST /bookings", stay(10, 12), "401 unauthenticated"],
      ["ann POST /bookings", { ...stay(10, 12), guests: 3 }, "422 too-many-guests"],
      ["ann POST /bookings", stay(12, 12), "422 departure-before-arrival"],
    ],
    "A guest who has logged in books": [
      addRoom,
      [
        "nobody POST /accounts",
        { name: "Eve", email: "eve@x.example", password: "correct horse" },
        "201 role=guest password=undefined",
      ],
      [
        "nobody POST /accounts",
        { name: "Eve", email: "eva@x.example", password: "correct horse", role: "staff" },
        "422 invalid-request",
      ],
      ["nobody POST /sessions", { email: "eve@x.example", password: "wrong horse 1" }, "401 unauthenticated"],
      ["nobody POST /sessions", { email: "eve@x.example", password: "correct horse" }, "200 as $login"],
      ["$login.token POST /bookings", stay(10, 12), "201"],
      ["$login.token POST /rooms", { ...room, number: "13" }, "403 forbidden"],
    ],
    "The booking keeps the price per night of the day it was made, and its total.": [
      addRoom,
      ["ann POST /bookings", stay(10, 13), "201 euroCentsPerNight=9000 totalEuroCents=27000 as $stay"],
      ["staff PATCH /rooms/$room", { euroCentsPerNight: 20_000 }, "200"],
      ["ann GET /bookings/$stay", "200 euroCentsPerNight=9000 totalEuroCents=27000"],
      ["staff POST /bookings/$stay/confirm", "200 euroCentsPerNight=9000"],
    ],
    "requested, then confirmed by staff, then checked in and checked out; cancelled until it is checked in": [
      addRoom,
      ["ann POST /bookings", stay(10, 12), "201 state=requested as $stay"],
      ["ann POST /bookings/$stay/confirm", "403 forbidden"],
      ["staff POST /bookings/$stay/check-in", "409 state-conflict"],
      ["staff POST /bookings/$stay/confirm", "200 state=confirmed"],
      ["bob POST /bookings/$stay/cancel", "404 not-found"],
      ["staff POST /bookings/$stay/check-in", "200 state=checkedIn"],
      ["ann POST /bookings/$stay/cancel", "409 state-conflict"],
      ["staff POST /bookings/$stay/check-out", "200 state=checkedOut"],
      ["ann POST /bookings", stay(20, 22), "201 as $other"],
      ["staff POST /bookings/$other/confirm", "200"],
      ["ann POST /bookings/$other/cancel", "200 state=cancelled"],
    ],
    "A request that nobody confirms within 24 hours expires by itself.": [
      addRoom,
      ["ann POST /bookings", stay(10, 12), "201 as $stay"],
      ["ann POST /bookings", stay(20, 22), "201 as $other"],
      ["staff POST /bookings/$other/confirm", "200"],
      ["pass 23h"],
      ["ann GET /bookings/$stay", "200 state=requested"],
      ["pass 1h"],
      ["ann GET /bookings/$stay", "200 state=expired"],
      ["ann GET /bookings/$other", "200 state=confirmed"],
      ["staff POST /bookings/$stay/confirm", "409 state-conflict"],
      ["bob POST /bookings", stay(10, 12), "201"],
    ],
    "Guests see their own bookings, staff see all.": [
      addRoom,
      ["ann POST /bookings", stay(10, 12), "201 as $stay"],
      ["bob GET /bookings/$stay", "404 not-found"],
      ["bob GET /bookings", "200 items.length=0"],
      ["ann GET /bookings", "200 items.length=1"],
      ["staff GET /bookings", "200 items.length=1"],
      ["partner GET /bookings", "403 forbidden"],
    ],
    "The property system of a partner is told when a booking is confirmed or cancelled.": [
      addRoom,
      ["partner subscribes"],
      ["ann POST /bookings", stay(10, 12), "201 as $stay"],
      ["staff POST /bookings/$stay/confirm", "200"],
      ["ann POST /bookings/$stay/cancel", "200"],
      ["partner hears", "booking.cancelled booking.confirmed"],
      ["ann POST /webhooks", { url: "http://127.0.0.1:9/x" }, "403 forbidden"],
    ],
  },
};
