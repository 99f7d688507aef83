/** Failed credentials are limited per address and per key, and callers with valid ones are not affected (R5.7). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { by, documentText, served } from "./scenario.ts";

served(
  "failed logins",
  documentText("gate"),
  (subject) => {
    const from = (address: string, headers: Readonly<Record<string, string>>) =>
      subject.client.send({ method: "GET", path: "/notes", headers: { ...headers, "X-Forwarded-For": address } });

    test("R5.7 ten in a minute are 401, what follows is 429, until the minute is over", async () => {
      for (let i = 0; i < 10; i += 1) assert.equal((await from("192.0.2.1", by(`gt_${i}`))).status, 401);
      for (let i = 0; i < 5; i += 1) {
        const reply = await from("192.0.2.1", by(`gt_${i}`));
        assert.equal(reply.status, 429);
        assert.equal((reply.json as { code: string }).code, "rate-limited");
        const wait = Number(reply.headers["retry-after"]);
        assert(wait >= 1 && wait <= 60);
        assert.equal(reply.headers["www-authenticate"], undefined);
      }
      assert.equal((await from("192.0.2.2", by("gt_x"))).status, 401, "R8.4 another address has its own");
      subject.running.pass(60_001);
      assert.equal((await from("192.0.2.1", by("gt_x"))).status, 401);
    });

    test("R5.7 a good key from the same address is served all the while, also one never seen before", async () => {
      const key = await subject.running.keyOf("key", "gina");
      for (let i = 0; i < 15; i += 1) await from("192.0.2.3", by(`gt_${i}`));
      assert.equal((await from("192.0.2.3", by("gt_x"))).status, 429);
      assert.equal((await from("192.0.2.3", by(key))).status, 200);
      assert.equal((await from("192.0.2.3", {})).status, 401, "R5.2 who sends none is told what to send");
    });

    test("R5.7 good keys and missing ones do not count", async () => {
      const key = await subject.running.keyOf("key", "gina");
      for (let i = 0; i < 15; i += 1) {
        assert.equal((await from("192.0.2.4", by(key))).status, 200);
        assert.equal((await from("192.0.2.4", {})).status, 401);
      }
      assert.equal((await from("192.0.2.4", by("gt_x"))).status, 401);
    });

    test("R8.4 one IPv6 subscriber is one address, whatever the rest of it", async () => {
      for (let i = 0; i < 10; i += 1) await from(`2001:db8:0:1::${i}`, by(`gt_${i}`));
      assert.equal((await from("2001:db8:0:1:ffff::1", by("gt_x"))).status, 429);
      assert.equal((await from("2001:0db8:0000:0001::99", by("gt_x"))).status, 429);
      assert.equal((await from("2001:db8:0:2::1", by("gt_x"))).status, 401);
      assert.equal((await from("2001:db8::1", by("gt_x"))).status, 401);
    });

    let addresses = 0;
    const elsewhere = (headers: Readonly<Record<string, string>>) => {
      addresses += 1;
      return from(`198.51.100.${addresses}`, headers);
    };
    const basic = (user: string, password: string) => ({
      Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
    });

    test("R5.7 a key that is guessed from everywhere is 429 after ten, whoever has it is served", async () => {
      const key = await subject.running.keyOf("key", "gina");
      const beginning = key.slice(0, "gt_".length + 8);
      const guess = (i: number) => by(`${beginning}${String(i).padStart(key.length - beginning.length, "0")}`);
      for (let i = 0; i < 10; i += 1) assert.equal((await elsewhere(guess(i))).status, 401);
      for (let i = 10; i < 15; i += 1) {
        const reply = await elsewhere(guess(i));
        assert.equal(reply.status, 429);
        assert.equal((reply.json as { code: string }).code, "rate-limited");
        const wait = Number(reply.headers["retry-after"]);
        assert(wait >= 1 && wait <= 60);
        assert(!reply.text.includes(beginning));
      }
      assert.equal((await elsewhere(basic(guess(99).Authorization.slice("Bearer ".length), ""))).status, 429);
      assert.equal((await elsewhere(by(key))).status, 200, "R8.4 the guesses are not hers");
      assert.equal((await elsewhere(basic(key, ""))).status, 200);
      assert.equal((await elsewhere({ "X-Badge": guess(99).Authorization.slice("Bearer ".length) })).status, 401);
      const other = `gt_${beginning.slice(3).split("").toReversed().join("")}`;
      assert.equal((await elsewhere(by(other.padEnd(key.length, "0")))).status, 401, "another key is not guessed");
      subject.running.pass(60_001);
      assert.equal((await elsewhere(guess(0))).status, 401);
    });

    test("R5.7 so is a user whose password is guessed", async () => {
      const secret = await subject.running.keyOf("pass", "ursula");
      for (let i = 0; i < 10; i += 1) assert.equal((await elsewhere(basic("ursula", `pw${i}`))).status, 401);
      assert.equal((await elsewhere(basic("ursula", "pw"))).status, 429);
      assert.equal((await elsewhere(basic("ursula", secret))).status, 200);
      assert.equal((await elsewhere(basic("victor", "pw"))).status, 401);
    });

    test("R5.7 what names no key is limited by address alone", async () => {
      for (const headers of [
        by("gt_"),
        by("gt_1234567"),
        by("nonsense"),
        by("a.b.c"),
        { "Bell-Signature": "t=1,v1=x" },
      ])
        for (let i = 0; i < 12; i += 1) assert.equal((await elsewhere(headers as never)).status, 401);
    });

    test("R5.7 every kind of credential counts", async () => {
      const pair = Buffer.from("a:b").toString("base64");
      const kinds = [
        { Authorization: `Basic ${pair}` },
        { "X-Badge": "bd_x" },
        { "X-Ticket": "a.b.c" },
        { "Bell-Signature": "t=1,v1=x" },
        by("a.b.c"),
      ];
      for (let i = 0; i < 10; i += 1) assert.equal((await from("192.0.2.5", kinds[i % 5] as never)).status, 401);
      for (const headers of kinds) assert.equal((await from("192.0.2.5", headers as never)).status, 429);
    });
  },
  { proxies: ["127.0.0.1"], environment: { TICKET_SECRET: "t", BELL_SECRET: "b" } },
);
