/**
 * Tokens, signatures, tags and keys that are forged, stolen, or spelled differently (R5.6, R5.7, RFC 8725). The service rejects
 * each with the same message, however similar it is to a valid one.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from "jose";
import type { GenerateKeyPairResult, JWK } from "jose";
import { signatureField } from "../../src/runtime/auth/hmac.ts";
import type { Reply } from "../serve/client.ts";
import { by, documentText, serve, served } from "../serve/scenario.ts";
import type { Subject } from "../serve/scenario.ts";
import { addTool, aTool, once, people, toolLibrary } from "../serve/tool-library.ts";

const secrets = { TICKET_SECRET: "a shared secret of enough length", BELL_SECRET: "the bell's secret" };

interface KeyServer {
  readonly server: Server;
  readonly url: string;
  keys: readonly JWK[];
  asked: number;
}

async function keyServer(): Promise<KeyServer> {
  const one = { keys: [] as readonly JWK[], asked: 0 };
  const server = createServer((_, response) => {
    one.asked += 1;
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ keys: one.keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(one, { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys` });
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const seconds = (): number => Math.floor(Date.now() / 1000);
const day = 86_400;

describe("tokens that were made up", () => {
  let issuer: KeyServer;
  let mallory: KeyServer;
  let subject: Subject & AsyncDisposable;
  let es: GenerateKeyPairResult;
  let rsa: GenerateKeyPairResult;
  let own: GenerateKeyPairResult;
  let ownJwk: JWK;

  before(async () => {
    [issuer, mallory] = [await keyServer(), await keyServer()];
    es = await generateKeyPair("ES256", { extractable: true });
    rsa = await generateKeyPair("RS256", { extractable: true });
    own = await generateKeyPair("ES256", { extractable: true });
    issuer.keys = [
      { ...(await exportJWK(es.publicKey)), kid: "es", alg: "ES256", use: "sig" },
      { ...(await exportJWK(rsa.publicKey)), kid: "rsa", use: "sig" },
    ];
    ownJwk = await exportJWK(own.publicKey);
    mallory.keys = [{ ...ownJwk, kid: "es" }];
    const text = documentText("gate").replace("http://127.0.0.1:1/jwks", issuer.url);
    subject = await serve(text, { store: "memory", environment: secrets });
  });
  after(async () => {
    await subject[Symbol.asyncDispose]();
    for (const { server } of [issuer, mallory]) server.close();
    assert.deepEqual(subject.running.failures, []);
  });

  const claims = (more: object = {}): Record<string, unknown> => ({
    iss: "https://issuer.example",
    aud: "gate",
    exp: seconds() + 30 * day,
    email: "jo@example.org",
    groups: ["guard"],
    ...more,
  });
  const sign = (payload: object, header: object = {}, key: CryptoKey | Uint8Array = es.privateKey): Promise<string> =>
    new SignJWT(payload as Record<string, unknown>)
      .setProtectedHeader({ alg: "ES256", kid: "es", ...header })
      .sign(key);
  /** Over a header and a payload as they are written, for what the library would not sign. */
  const signText = async (header: string, payload: string): Promise<string> => {
    const head = `${Buffer.from(header).toString("base64url")}.${Buffer.from(payload).toString("base64url")}`;
    const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, es.privateKey, Buffer.from(head));
    return `${head}.${Buffer.from(signature).toString("base64url")}`;
  };
  const hmac = (header: object, payload: object, key: string | Buffer): string => {
    const head = `${encode(header)}.${encode(payload)}`;
    return `${head}.${createHmac("sha256", key).update(head).digest("base64url")}`;
  };
  const send = async (headers: Readonly<Record<string, string>>): Promise<Reply> => {
    const reply = await subject.client.send({ method: "GET", path: "/notes", headers });
    if (reply.status === 401) subject.running.pass(61_000);
    return reply;
  };

  const forged: readonly (readonly [what: string, token: () => Promise<string> | string])[] = [
    ["alg nOnE with the good signature", async () => (await sign(claims())).replace(/^[^.]+/, encode({ alg: "nOnE" }))],
    ["alg twice, the last none", () => `${Buffer.from('{"alg":"ES256","alg":"none","kid":"es"}').toString("base64url")}.${encode(claims())}.`],
    ["alg twice, the first none", () => `${Buffer.from('{"alg":"none","alg":"ES256","kid":"es"}').toString("base64url")}.${encode(claims())}.`],
    ["no alg", () => `${encode({ kid: "es" })}.${encode(claims())}.${"A".repeat(86)}`],
    ["alg that is a list", () => `${encode({ alg: ["ES256", "none"], kid: "es" })}.${encode(claims())}.${"A".repeat(86)}`],
    ["HS256 by the key set's address", () => hmac({ alg: "HS256", kid: "es" }, claims(), issuer.url)],
    ["HS256 by the modulus of the public key", async () => hmac({ alg: "HS256", kid: "rsa" }, claims(), Buffer.from((await exportJWK(rsa.publicKey)).n ?? "", "base64url"))],
    ["HS256 by the thumbprint", async () => hmac({ alg: "HS256", kid: "es" }, claims(), await calculateJwkThumbprint(ownJwk))],
    ["HS256 by nothing", () => hmac({ alg: "HS256", kid: "es" }, claims(), "")],
    ["a signature of noughts", async () => (await sign(claims())).replace(/[^.]+$/, Buffer.alloc(64).toString("base64url"))],
    ["a signature of the curve's order", async () => (await sign(claims())).replace(/[^.]+$/, Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551".repeat(2), "hex").toString("base64url"))],
    ["a signature in DER", async () => (await sign(claims())).replace(/[^.]+$/, Buffer.concat([Buffer.from("3006020100020100", "hex"), Buffer.alloc(56)]).toString("base64url"))],
    ["a key of its own in jwk", () => sign(claims(), { jwk: ownJwk }, own.privateKey)],
    ["a key set of its own in jku", () => sign(claims(), { jku: mallory.url }, own.privateKey)],
    ["a certificate of its own in x5u", () => sign(claims(), { x5u: mallory.url }, own.privateKey)],
    ["a certificate of its own in x5c", () => sign(claims(), { x5c: ["AAAA"] }, own.privateKey)],
    ["a kid that is a path", () => sign(claims(), { kid: "../../../../dev/null" }, own.privateKey)],
    ["a kid that is an address", () => sign(claims(), { kid: mallory.url }, own.privateKey)],
    ["a kid of SQL", () => sign(claims(), { kid: "es' UNION SELECT 'x' --" }, own.privateKey)],
    ["a kid of a prototype", () => sign(claims(), { kid: "__proto__" }, own.privateKey)],
    ["a kid with a NUL", () => sign(claims(), { kid: "es\u0000x" }, own.privateKey)],
    ["a kid that is a list", () => signText('{"alg":"ES256","kid":["es"]}', JSON.stringify(claims()))],
    ["a kid that is nobody's, by a path and nothing", () => hmac({ alg: "HS256", kid: "/dev/null" }, claims(), "")],
    ["b64 false", () => signText('{"alg":"ES256","kid":"es","b64":false,"crit":["b64"]}', JSON.stringify(claims()))],
    ["crit with nothing in it", () => signText('{"alg":"ES256","kid":"es","crit":[]}', JSON.stringify(claims()))],
    ["crit that is a text", () => signText('{"alg":"ES256","kid":"es","crit":"exp"}', JSON.stringify(claims()))],
    ["crit of a name that RFC 7515 has", () => signText('{"alg":"ES256","kid":"es","crit":["kid"]}', JSON.stringify(claims()))],
    ["claims that are a list", () => signText('{"alg":"ES256","kid":"es"}', "[]")],
    ["claims that are no JSON", () => signText('{"alg":"ES256","kid":"es"}', "exp=1")],
    ["claims that are nothing", () => signText('{"alg":"ES256","kid":"es"}', "")],
    ["an end beyond all numbers", () => signText('{"alg":"ES256","kid":"es"}', JSON.stringify(claims({ exp: 0 })).replace('"exp":0', '"exp":1e400'))],
    ["an end that is a text of digits", () => sign(claims({ exp: String(seconds() + day) }))],
    ["an end that is null", () => signText('{"alg":"ES256","kid":"es"}', JSON.stringify(claims({ exp: null })))],
    ["an end before 1970", () => sign(claims({ exp: -1 }))],
    ["a beginning that is a text", () => sign(claims({ nbf: "0" }))],
    ["an audience in an object", () => sign(claims({ aud: { gate: true } }))],
    ["an audience with a blank", () => sign(claims({ aud: "gate " }))],
    ["issuers in a list", () => sign(claims({ iss: ["https://issuer.example"] }))],
    ["a user in a list", () => sign(claims({ email: ["jo@example.org"] }))],
    ["padding", async () => `${await sign(claims())}==`],
    ["a fourth part", async () => `${await sign(claims())}.x`],
    ["an encrypted token", () => `${encode({ alg: "dir", enc: "A256GCM" })}..AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA`],
    ["no token", () => ".."],
    ["a token of 12 KiB that nobody signed", () => `${encode({ alg: "none" })}.${encode({ x: "x".repeat(8000) })}.`],
    ["the other credential's token", () => sign({ sub: "tess", exp: seconds() + day, roles: ["guard"] }, { alg: "HS256", kid: undefined }, bytes(secrets.TICKET_SECRET))],
  ]; // biome-ignore format: a table

  for (const [what, token] of forged) {
    test(`R5.6 is refused: ${what}`, async () => {
      const reply = await send(by(await token()));
      assert.equal(reply.status, 401, reply.text);
      const plain = await send(by("gt_nobody"));
      const words = ({ json }: Reply): unknown => {
        const { instance: _instance, request_id: _id, ...rest } = json as Record<string, unknown>;
        return rest;
      };
      assert.deepEqual(words(reply), words(plain), "R5.7 the same words for all of them");
      assert.equal(reply.headers["www-authenticate"], plain.headers["www-authenticate"]);
    });
  }

  test("R5.6 the good one is taken, and nobody has been asked for keys but the issuer", async () => {
    assert.equal((await send(by(await sign(claims())))).status, 200);
    assert.equal(mallory.asked, 0);
    assert(issuer.asked > 0);
  });

  test("R4.3 a token that is longer than all headers may be is 431, and is not looked at", async () => {
    assert.equal((await send(by(await sign(claims({ x: "x".repeat(20_000) }))))).status, 431);
  });

  test("R5.2 a token with blanks or line breaks in it is malformed", async () => {
    const [head = "", ...rest] = (await sign(claims())).split(".");
    assert.equal((await send(by(`${head} .${rest.join(".")}`))).status, 400);
    const raw = `GET /notes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${head}\r\n .${rest.join(".")}\r\n\r\n`;
    assert.equal((await subject.client.raw(raw, 1))[0]?.status, 400);
  });

  const tickets: readonly (readonly [what: string, token: () => string])[] = [
    ["HS384 under the name of HS256", () => { const head = `${encode({ alg: "HS256" })}.${encode({ sub: "t", exp: seconds() + 9 * day })}`; return `${head}.${createHmac("sha384", secrets.TICKET_SECRET).update(head).digest("base64url")}`; }],
    ["hs256 in small letters", () => hmac({ alg: "hs256" }, { sub: "t", exp: seconds() + 9 * day }, secrets.TICKET_SECRET)],
    ["a signature that is cut to a byte", () => hmac({ alg: "HS256" }, { sub: "t", exp: seconds() + 9 * day }, secrets.TICKET_SECRET).replace(/([^.]{2})[^.]*$/, "$1")],
    ["a signature with a byte more", () => `${hmac({ alg: "HS256" }, { sub: "t", exp: seconds() + 9 * day }, secrets.TICKET_SECRET)}AA`],
    ["the secret with a NUL more", () => hmac({ alg: "HS256" }, { sub: "t", exp: seconds() + 9 * day }, `${secrets.TICKET_SECRET}x`)],
    ["a public key in place of the secret", () => hmac({ alg: "HS256" }, { sub: "t", exp: seconds() + 9 * day }, JSON.stringify(ownJwk))],
  ]; // biome-ignore format: a table
  for (const [what, token] of tickets) {
    test(`R5.6 of a shared secret is refused: ${what}`, async () => {
      assert.equal((await send({ "X-Ticket": token() })).status, 401);
    });
  }
});

served(
  "signatures that were made up",
  documentText("gate"),
  (subject) => {
    const body = '{"text":"ding"}';
    let at = 0;
    const field = (): string => {
      subject.running.pass(1000);
      at = Math.floor(subject.running.now() / 1000);
      return signatureField(secrets.BELL_SECRET, at, { method: "POST", target: "/notes", body: Buffer.from(body) });
    };
    const send = async (signature: string | readonly string[]): Promise<number> => {
      const headers = { "Bell-Signature": signature, "Content-Type": "application/json" };
      const reply = await subject.client.send({ method: "POST", path: "/notes", headers, body });
      if (reply.status === 401) subject.running.pass(61_000);
      return reply.status;
    };
    const cases: readonly (readonly [what: string, change: (field: string) => string | readonly string[], status: number])[] = [
      ["as it was made", (field) => field, 201],
      ["cut by a digit", (field) => field.slice(0, -1), 401],
      ["cut to a few digits", (field) => field.replace(/v1=(.{8}).*/, "v1=$1"), 401],
      ["with a digit more", (field) => `${field}0`, 401],
      ["under an older version's name", (field) => field.replace("v1=", "v0="), 401],
      ["under a newer version's name", (field) => field.replace("v1=", "v2="), 401],
      ["beside one that is wrong", (field) => `${field},v1=${"0".repeat(64)}`, 401],
      ["behind one that is wrong", (field) => field.replace("v1=", `v1=${"0".repeat(64)},v1=`), 401],
      ["with two times", (field) => `t=1,${field}`, 401],
      ["with its parts in another order", (field) => field.replace(/^(t=\d+),(.*)$/, "$2,$1"), 401],
      ["with a sign before the time", (field) => field.replace("t=", "t=+"), 401],
      ["with a part of a second", (field) => field.replace(",", ".0,"), 401],
      ["in milliseconds", (field) => field.replace(",", "000,"), 401],
      ["with digits of another script", (field) => field.replace(/^t=\d/, "t=\u0661"), 400],
      ["twice", (field) => [field, field], 400],
    ]; // biome-ignore format: a table
    for (const [what, change, status] of cases) {
      test(`R5.6 a signature ${what}: ${status}`, async () => {
        const changed = change(field());
        if (status === 400 && typeof changed === "string") {
          // Node sends no such field, so it is written as it is.
          const raw = `POST /notes HTTP/1.1\r\nHost: x\r\nBell-Signature: ${changed}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
          const reply = (await subject.client.raw(Buffer.from(raw, "utf8"), 1))[0];
          assert.equal(reply?.status, 401, reply?.text ?? "no answer");
          subject.running.pass(61_000);
        } else assert.equal(await send(changed), status);
      });
    }

    test("R5.6 one that was taken is not taken again, however it is spelled", async () => {
      const signature = field();
      assert.equal(await send(signature), 201);
      for (const again of [signature, signature.replace("t=", "t=0"), ` ${signature}`]) {
        // Without the minute that a failure costs, since it would be too old by then.
        const headers = { "Bell-Signature": again, "Content-Type": "application/json" };
        const reply = await subject.client.send({ method: "POST", path: "/notes", headers, body });
        assert.equal(reply.status, 401, again);
      }
    });
  },
  { environment: secrets },
);

served("what is somebody else's", toolLibrary, (subject) => {
  const who = people(subject);

  test("R4.16 tags of other records, of other views, and that were made up change nothing", async () => {
    const mine = await addTool(subject, who.member);
    const other = await addTool(subject, who.member);
    const asKeeper = await subject.client.send({ method: "GET", path: mine.path, headers: who.keeper });
    const tags = [
      asKeeper.headers["etag"] ?? "",
      `W/${mine.tag}`,
      mine.tag.replaceAll('"', ""),
      mine.tag.replace(/^"/, '"0'),
      `"${"9".repeat(40)}"`,
      '"__proto__"',
      `${'"x",'.repeat(3000)}"y"`,
      ...(other.tag === mine.tag ? [] : [other.tag]),
    ];
    for (const tag of tags) {
      const headers = { ...who.member, ...once(), "If-Match": tag };
      const reply = await subject.client.send({ method: "PATCH", path: mine.path, headers, body: { stock: 1 } });
      assert([412, 400].includes(reply.status), `${tag.slice(0, 50)}: ${reply.text}`);
    }
    const after = await subject.client.send({ method: "GET", path: mine.path, headers: who.member });
    assert.equal(after.headers["etag"], mine.tag);
  });

  test("R4.19 another caller's key gives nothing of the first answer, whoever asks", async () => {
    const key = { "Idempotency-Key": "a key that leaked" };
    const body = aTool();
    const first = await subject.client.send({
      method: "POST",
      path: "/tools",
      headers: { ...who.member, ...key },
      body,
    });
    assert.equal(first.status, 201, first.text);
    const { id } = first.json as { id: string };
    for (const headers of [who.other, who.keeper, by(await subject.running.key("mia2", "member"))]) {
      const reply = await subject.client.send({
        method: "POST",
        path: "/tools",
        headers: { ...headers, ...key },
        body,
      });
      assert.equal(reply.headers["idempotent-replayed"], undefined);
      assert(!reply.text.includes(id), reply.text);
    }
    const again = await subject.client.send({
      method: "POST",
      path: "/tools",
      headers: { ...who.member, ...key },
      body,
    });
    assert.equal(again.headers["idempotent-replayed"], "true");
  });
});
