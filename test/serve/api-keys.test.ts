/** API keys and how clients send them: accepted and rejected forms, and error texts that say what to do (R5.2 to R5.4). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { crc32 } from "node:zlib";
import type { Reply } from "./client.ts";
import { by, documentText, play, served } from "./scenario.ts";
import type { Scenario } from "./scenario.ts";

const gate = documentText("gate");

served("api keys", gate, (subject) => {
  let key: string;
  let badge: string;
  let pass: string;
  before(async () => {
    key = await subject.running.keyOf("key", "gina", "guard");
    badge = await subject.running.keyOf("badge", "bert", "porter");
    pass = await subject.running.keyOf("pass", "pia");
  });

  const get = (headers: Readonly<Record<string, string | readonly string[]>>, path = "/notes"): Promise<Reply> =>
    subject.client.send({ method: "GET", path, headers });
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;

  const challenges = [
    'Bearer realm="gate"',
    'ApiKey realm="gate", header="X-Badge"',
    'Basic realm="gate"',
    'Token realm="gate", header="X-Ticket"',
    'Signature realm="gate", header="Bell-Signature"',
  ];
  /** All challenges, with the error in those of the credentials that were tried, and in no other. */
  const challenged = (error: string, ...tried: readonly string[]): RegExp =>
    new RegExp(
      `^${challenges.map((text) => (tried.includes(text.split(" ")[0] ?? "") ? `${text}, error="${error}", error_description="[^"]+"` : text)).join(", ")}$`,
    );
  const bare = challenged("");
  const invalid = challenged("invalid_token", "Bearer");
  const invalidBadge = challenged("invalid_token", "ApiKey");
  const malformed = challenged("invalid_request", "Bearer");
  const malformedBadge = challenged("invalid_request", "ApiKey");
  const malformedBoth = challenged("invalid_request", "Bearer", "ApiKey");

  const taken = (name: string, headers: () => Readonly<Record<string, string>>): Scenario => ({
    name,
    send: () => ({ method: "GET", path: "/notes", headers: headers() }),
    status: 200,
    headers: { "WWW-Authenticate": null },
  });
  const refused = (
    name: string,
    headers: () => Readonly<Record<string, string | readonly string[]>>,
    status: number,
    challenge: RegExp,
  ): Scenario => ({
    name,
    send: () => ({ method: "GET", path: "/notes", headers: headers() }),
    status,
    code: status === 401 ? "unauthenticated" : "invalid-request",
    headers: { "WWW-Authenticate": challenge, "Cache-Control": "no-store" },
    lacks: ["items"],
    then: () => subject.running.pass(61_000),
  });

  play(subject, [
    taken("R5.2 a key as a bearer token", () => by(key)),
    taken("R5.2 the scheme's case does not count", () => ({ authorization: `bEARER ${key}` })),
    taken("R5.3 a key as the user of Basic with an empty password", () => ({ Authorization: basic(`${key}:`) })),
    taken("R5.2 a key in a field of its own", () => ({ "X-Badge": badge })),
    taken("R5.2 a user's key as the password of Basic", () => ({ Authorization: basic(`pia:${pass}`) })),
    refused("R5.2 no credential: a challenge without an error", () => ({}), 401, bare),
    refused("R5.2 a scheme that is not taken: 401 without an error", () => ({ Authorization: "Digest x" }), 401, bare),
    refused("R5.2 a scheme without anything", () => ({ Authorization: "Bearer" }), 400, malformed),
    refused("R5.2 a scheme and blanks", () => ({ Authorization: "Bearer   " }), 400, malformed),
    refused("R5.2 two words", () => ({ Authorization: `Bearer ${key} ${key}` }), 400, malformed),
    refused("R5.2 an empty field", () => ({ "X-Badge": "" }), 400, malformedBadge),
    refused("R5.2 the field twice", () => ({ Authorization: [`Bearer ${key}`, `Bearer ${key}`] }), 400, malformed),
    refused("R5.2 two credentials", () => ({ ...by(key), "X-Badge": badge }), 400, malformedBoth),
    refused(
      "R5.2 two credentials, one of them bad",
      () => ({ Authorization: "Bearer x", "X-Badge": badge }),
      401,
      invalid,
    ),
    refused("R5.4 not a key", () => by("gt_x"), 401, invalid),
    refused("R5.4 a key with one letter changed", () => by(changed(key)), 401, invalid),
    refused("R5.4 a key of the right form that nobody has", () => by(forged("gt_")), 401, invalid),
    refused("R5.4 a key in lower case", () => by(key.toLowerCase()), 401, invalid),
    refused("R5.4 a key and more", () => by(`${key}0`), 401, invalid),
    refused("R5.4 a key of another credential", () => by(badge), 401, invalid),
    refused("R5.4 a key of this one in the other's field", () => ({ "X-Badge": key }), 401, invalidBadge),
    refused("R5.3 a key as the password of Basic", () => ({ Authorization: basic(`:${key}`) }), 401, bare),
    refused("R5.3 a key as the user and a password", () => ({ Authorization: basic(`${key}:x`) }), 401, bare),
    refused("R5.2 somebody else's key with Basic", () => ({ Authorization: basic(`ada:${pass}`) }), 401, bare),
    refused("R5.2 Basic without a colon", () => ({ Authorization: basic("pia") }), 401, bare),
    refused("R5.2 Basic that is no base 64", () => ({ Authorization: "Basic %%%" }), 401, bare),
    refused("R5.2 a bearer token where a scheme is expected", () => ({ Authorization: key }), 401, bare),
  ]);

  test("R5.3 keys in the address or the body are not looked at", async () => {
    for (const path of [`/notes?access_token=${key}`, `/notes?key=${key}`, `/notes?Authorization=Bearer%20${key}`]) {
      assert.equal((await get({}, path)).status, 401);
    }
    const reply = await subject.client.send({ method: "POST", path: "/notes", body: { access_token: key } });
    assert.equal(reply.status, 401);
  });

  test("R5.2 what is open to anyone is still closed to a bad credential", async () => {
    assert.equal((await get({}, "/board")).status, 200);
    assert.equal((await get(by(forged("gt_")), "/board")).status, 401);
    assert.equal((await get({ Authorization: "Digest x" }, "/board")).status, 401);
  });

  test("R5.4 a key that was revoked is not good again when the clock is set back", async () => {
    const { running } = subject;
    const [known, fresh] = [await running.keyOf("key", "rosa", "guard"), await running.keyOf("key", "ruth", "guard")];
    assert.equal((await get(by(known))).status, 200);
    for (const { id, user } of await running.store.keys.list())
      if (user === "rosa" || user === "ruth") await running.store.keys.revoke(id, running.now());
    running.pass(-3_600_000);
    try {
      assert.equal((await get(by(known))).status, 401, "known from before");
      assert.equal((await get(by(fresh))).status, 401);
    } finally {
      running.pass(3_600_000);
    }
  });

  test("R5.4 nor when the clock comes to the moment once more at which it was good", async (t) => {
    const { running } = subject;
    const known = await running.keyOf("key", "remy", "guard");
    assert.equal((await get(by(known))).status, 200);
    for (const { id, user } of await running.store.keys.list())
      if (user === "remy") await running.store.keys.revoke(id, running.now());
    // A second goes by, of which the clock that is set knows nothing.
    const elapsed = performance.now.bind(performance);
    t.mock.method(performance, "now", () => elapsed() + 1000);
    assert.equal((await get(by(known))).status, 401);
  });

  test("R5.7 R5.4 unknown, expired and revoked keys are refused with the same words", async () => {
    const texts: string[] = [];
    const note = ({ text, headers, status }: Reply): void => {
      assert.equal(status, 401);
      texts.push(text.replaceAll(headers["request-id"] ?? "", ""), headers["www-authenticate"] ?? "");
    };
    const revoked = await subject.running.keyOf("key", "rita", "guard");
    assert.equal((await get(by(revoked))).status, 200);
    const listed = await subject.running.store.keys.list();
    const id = listed.find(({ user }) => user === "rita")?.id ?? "";
    await subject.running.store.keys.revoke(id, Date.now());
    subject.running.pass(1000);
    note(await get(by(revoked)));
    note(await get(by(forged("gt_"))));
    const expiring = await subject.running.keyOf("key", "ed", "guard");
    subject.running.pass(30 * 86_400_000 - 1000);
    assert.equal((await get(by(expiring))).status, 200);
    subject.running.pass(1000);
    note(await get(by(expiring)));
    assert.equal((await get({ "X-Badge": badge })).status, 200, "without `lasts` a key lasts until it is revoked");
    assert.deepEqual(texts.slice(2, 4), texts.slice(0, 2));
    assert.deepEqual(texts.slice(4, 6), texts.slice(0, 2));
    key = await subject.running.keyOf("key", "gina", "guard");
  });

  test("R5.10 a caller has the roles of the key and no others", async () => {
    const both = await subject.running.keyOf("key", "gina", "guard", "porter", "emperor");
    const { json } = await subject.client.send({ method: "POST", path: "/notes", headers: by(both), body: {} });
    const note = json as { id: string; by: string };
    assert.equal(note.by, "gina");
    assert.equal(
      (await subject.client.send({ method: "DELETE", path: `/notes/${note.id}`, headers: { "X-Badge": badge } }))
        .status,
      403,
    );
    assert.equal(
      (await subject.client.send({ method: "POST", path: `/notes/${note.id}/pin`, headers: by(key) })).status,
      403,
    );
    assert.equal(
      (await subject.client.send({ method: "POST", path: `/notes/${note.id}/pin`, headers: { "X-Badge": badge } }))
        .status,
      200,
    );
    assert.equal(
      (await subject.client.send({ method: "DELETE", path: `/notes/${note.id}`, headers: by(key) })).status,
      204,
    );
  });
});

/** The key with one of its letters another, and the checksum as it was. */
function changed(key: string): string {
  return key.slice(0, 10) + (key[10] === "a" ? "b" : "a") + key.slice(11);
}

/** A key that passes the checksum. */
function forged(prefix: string): string {
  const body = prefix + "1".repeat(27);
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  let check = "";
  for (let rest = crc32(body); check.length < 6; rest = Math.floor(rest / 62)) check = alphabet[rest % 62] + check;
  return body + check;
}
