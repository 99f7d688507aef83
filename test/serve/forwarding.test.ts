/**
 * The client's address and scheme (R1.6, R1.7): the service trusts only configured proxies, and rejects plain HTTP without a
 * redirect.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readHeaders } from "../../src/http/message.ts";
import { createForwarding } from "../../src/http/proxies.ts";
import { play, served } from "./scenario.ts";
import { people, toolLibrary } from "./tool-library.ts";

const loopback = ["127.0.0.0/8", "::1"];

served(
  "behind a trusted proxy",
  toolLibrary,
  (subject) => {
    const who = people(subject);
    const from = (proto: string, more: Record<string, string> = {}) => ({
      method: "GET",
      path: "/tools",
      headers: { ...who.member, "X-Forwarded-Proto": proto, ...more },
    });
    const hsts = { "Strict-Transport-Security": "max-age=31536000" };
    play(subject, [
      {
        name: "R1.7 plain HTTP is refused, never redirected",
        send: () => from("http"),
        status: 403,
        code: "https-required",
        headers: { Location: null, "Strict-Transport-Security": null },
        lacks: ["items"],
      },
      { name: "R1.7 whatever its case", send: () => from("HTTP"), status: 403, code: "https-required" },
      { name: "R1.7 on any of the hops", send: () => from("https, http"), status: 403, code: "https-required" },
      { name: "R1.7 R1.6 HTTPS is served, with HSTS", send: () => from("https"), status: 200, headers: hsts },
      {
        name: "R1.6 also with errors",
        send: { method: "GET", path: "/nothing", headers: { "X-Forwarded-Proto": "https" } },
        status: 404,
        headers: hsts,
      },
      {
        name: "R1.6 without a word on the scheme there is no HSTS",
        send: () => ({ method: "GET", path: "/tools", headers: who.member }),
        status: 200,
        headers: { "Strict-Transport-Security": null },
      },
      ...["unknown", "", "999.1.1.1", "a, b, c", "1.2.3.4:99", "[2001:db8::1]:99", "::ffff:10.0.0.1", ","].map(
        (field) => ({
          name: `R1.7 X-Forwarded-For: ${field} breaks nothing`,
          send: () => from("https", { "X-Forwarded-For": field }),
          status: 200,
        }),
      ),
    ]);

    test("R5.7 failed credentials are counted by who sent them, not by the proxy", async () => {
      const attempt = (address: string, credential: { Authorization: string }) =>
        subject.client.send({
          method: "GET",
          path: "/tools",
          headers: { ...credential, "X-Forwarded-For": address, "X-Forwarded-Proto": "https" },
        });
      const wrong = { Authorization: "Bearer tl_wrong" };
      let status = 401;
      for (let time = 0; time < 50 && status === 401; time += 1) ({ status } = await attempt("192.0.2.1", wrong));
      assert.equal(status, 429);
      assert.equal((await attempt("192.0.2.2", wrong)).status, 401);
      assert.equal(
        (await attempt("192.0.2.1, 192.0.2.2", wrong)).status,
        401,
        "what the caller made up does not count",
      );
    });
  },
  { proxies: loopback },
);

served("without a trusted proxy", toolLibrary, (subject) => {
  const who = people(subject);
  play(subject, [
    {
      name: "R1.7 forwarded fields are ignored",
      send: () => ({
        method: "GET",
        path: "/tools",
        headers: { ...who.member, "X-Forwarded-Proto": "http", "X-Forwarded-For": "nonsense" },
      }),
      status: 200,
      headers: { "Strict-Transport-Security": null },
    },
    {
      name: "R1.6 nobody gets HSTS for the asking",
      send: { method: "GET", path: "/livez", headers: { "X-Forwarded-Proto": "https" } },
      status: 200,
      headers: { "Strict-Transport-Security": null },
    },
  ]);
});

test("R1.7 who really sends", () => {
  const forwarding = createForwarding(["10.0.0.0/8", "2001:db8:1::/48", "::1"]);
  const sender = (peer: string, field?: string) =>
    forwarding.peer(peer, readHeaders(field === undefined ? [] : ["X-Forwarded-For", field])).address;
  const rows: readonly (readonly [string, string | undefined, string])[] = [
    ["203.0.113.9", "198.51.100.1", "203.0.113.9"],
    ["10.0.0.1", undefined, "10.0.0.1"],
    ["10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"],
    ["10.0.0.1", "198.51.100.1, 10.9.9.9", "198.51.100.1"],
    ["10.0.0.1", "10.2.2.2, 10.9.9.9", "10.2.2.2"],
    ["10.0.0.1", "198.51.100.1:4711", "198.51.100.1"],
    ["10.0.0.1", "[2001:db8:9::1]:4711", "2001:db8:9::1"],
    ["10.0.0.1", "2001:db8:9::1", "2001:db8:9::1"],
    ["10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"],
    ["::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["2001:db8:1::7", "198.51.100.1", "198.51.100.1"],
    ["10.0.0.1", "198.51.100.1, unknown", "10.0.0.1"],
    ["10.0.0.1", "unknown, 198.51.100.1", "198.51.100.1"],
    ["10.0.0.1", "198.51.100.1, unknown, 10.3.3.3", "10.3.3.3"],
    ["10.0.0.1", " , ,", "10.0.0.1"],
  ];
  for (const [peer, field, expected] of rows) assert.equal(sender(peer, field), expected, `${peer} ${String(field)}`);
});
