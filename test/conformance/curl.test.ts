/** The lines for a shell are run by real shells with a real curl, and send what the test sent. */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { createServer, request, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { promisify } from "node:util";
import fc from "fast-check";
import type { Interaction, Request } from "../../src/conformance/interaction.ts";
import { curlLines } from "../../src/conformance/report/curl.ts";

const run = promisify(execFile);

function interaction(request: Partial<Request>, more: Partial<Interaction> = {}): Interaction {
  return {
    request: { method: "GET", url: "http://127.0.0.1:8080/sites", headers: {}, ...request },
    response: { status: 200, headers: {}, text: "", json: undefined },
    startedAt: 0,
    milliseconds: 1,
    caller: "courier",
    operation: "listSites",
    ...more,
  };
}

const lines: readonly (readonly [what: string, provided: Partial<Request>, expected: string])[] = [
  ["a plain request", {}, "curl -i http://127.0.0.1:8080/sites"],
  [
    "a body of JSON",
    { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"name":"A"}' },
    `curl -i -X POST http://127.0.0.1:8080/sites \\\n  -H 'Content-Type: application/json' \\\n  --data-raw '{"name":"A"}'`,
  ],
  [
    "a body whose media type is not sent",
    { method: "POST", body: "a" },
    `curl -i -X POST http://127.0.0.1:8080/sites \\\n  -H 'Content-Type:' \\\n  --data-raw a`,
  ],
  ["no body", { method: "HEAD" }, "curl -i -I http://127.0.0.1:8080/sites"],
  [
    "signs of the shell and of curl",
    { url: "http://127.0.0.1:8080/sites?a[b]={c}&d='$x'", headers: { "X-Quote": 'it\'s `$(id)` "$HOME"' } },
    `curl -i --globoff 'http://127.0.0.1:8080/sites?a[b]={c}&d='\\''$x'\\''' \\\n  -H 'X-Quote: it'\\''s \`$(id)\` "$HOME"'`,
  ],
  [
    "line ends and signs that would steer a terminal",
    { method: "PUT", headers: { "Content-Type": "text/plain" }, body: "-a\n100%\t\\\u001b[2J" },
    `printf '\\055a\\n100%%\\t\\\\\\033[2J' |\ncurl -i -X PUT http://127.0.0.1:8080/sites \\\n  -H 'Content-Type: text/plain' \\\n  --data-binary @-`,
  ],
  [
    "a text that is long by design",
    { method: "PUT", headers: { "Content-Type": "text/plain" }, body: `"${"x".repeat(300)}"` },
    `{ printf '%s' '"'; printf '%300s' '' | tr ' ' '\\170'; printf '%s' '"'; } |\ncurl -i -X PUT http://127.0.0.1:8080/sites \\\n  -H 'Content-Type: text/plain' \\\n  --data-binary @-`,
  ],
];
for (const [what, provided, expected] of lines) {
  test(`lines: ${what}`, () => {
    assert.equal(curlLines([interaction(provided)]), `# listSites as courier: 200\n${expected}\n`);
  });
}

test("lines: each interaction has its caller and outcome, on one line", () => {
  const text = curlLines([
    interaction({}, { caller: "a\nrm -rf /" }),
    interaction({}, { response: { problem: "no response within 10 s" } }),
  ]);
  assert.deepEqual(
    text.split("\n").filter((line) => line.startsWith("#")),
    ["# listSites as a rm -rf /: 200", "# listSites as courier: no response within 10 s"],
  );
  assert.equal(text.split("\n").filter((line) => line.startsWith("rm")).length, 0);
});

const redacted: readonly (readonly [what: string, headers: Request["headers"], caller: string, expected: string])[] = [
  ["a token", { Authorization: "Bearer abc" }, "courier", `-H 'Authorization: Bearer '"$TOKEN_COURIER"`],
  [
    "the name of a caller",
    { authorization: "Basic YTpi" },
    "other courier 2",
    `-H 'authorization: Basic '"$TOKEN_OTHER_COURIER_2"`,
  ],
  ["without a scheme", { Authorization: "abc" }, "operator", `-H 'Authorization: '"$TOKEN_OPERATOR"`],
  ["another field", { "X-Key": "abc" }, "operator", `-H 'X-Key: '"$TOKEN_OPERATOR"`],
  ["no credential", { "X-Other": "abc" }, "operator", `-H 'X-Other: abc'`],
];
for (const [what, headers, caller, expected] of redacted) {
  test(`lines without secrets: ${what}`, () => {
    const one = [interaction({ headers }, { caller })];
    const text = curlLines(one, { redact: true, credentialHeaders: ["X-Key"] });
    assert.equal(text.split(" \\\n  ")[1], `${expected}\n`);
    assert.ok(curlLines(one).includes(Object.values(headers)[0] as string), "credentials are there unless redacted");
  });
}

// ── What arrives ───────────────────────────────────────────────────────────────────────────────────────────────────

const missing = ["curl", "sh"].filter((name) => spawnSync(name, ["--version"]).error !== undefined);
const skip =
  missing.length === 0 || process.env["CI"] !== undefined
    ? false
    : `there is no ${missing.join(", no ")} on this machine`;
const shells = [["sh"], ["bash", "--posix"]].filter(([name = ""]) => spawnSync(name, ["-c", ""]).status === 0);

interface Arrived {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** Fields that both clients set by themselves, and that say nothing about the request. */
const ofClients = ["host", "connection", "content-length", "user-agent", "accept", "expect", "transfer-encoding"];

suite("requests that a shell sends", { skip }, () => {
  let server: Server;
  const arrived: Arrived[] = [];

  before(async () => {
    server = createServer((message, response) => {
      void describe(message).then((one) => {
        arrived.push(one);
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });

  after(() => server?.close());

  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function sentByShell(
    shell: readonly string[],
    interactions: readonly Interaction[],
  ): Promise<readonly Arrived[]> {
    arrived.length = 0;
    const [name = "", ...options] = shell;
    const child = run(name, [...options, "-e", "-s"], { env: { ...process.env, https_proxy: "", http_proxy: "" } });
    child.child.stdin?.end(curlLines(interactions));
    await child;
    return [...arrived];
  }

  async function sentByTest(interactions: readonly Interaction[]): Promise<readonly Arrived[]> {
    arrived.length = 0;
    for (const { request: one } of interactions) await send(one);
    return [...arrived];
  }

  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.string({ unit: fc.constantFrom("'", '"', "\\", "$", "`", "%", "\n", "\r", "\t", "\0", "@", "-", "!", "é", "👩‍👩‍👧", "a"), maxLength: 30 }),
    fc.tuple(fc.constantFrom("a", "'", "\\", "-", "%", " ", "é", "9"), fc.integer({ min: 200, max: 200_000 }), fc.string({ maxLength: 3 }))
      .map(([character, count, end]) => `{${character.repeat(count)}${end}`),
    fc.json(),
  ); // biome-ignore format: a table
  const body = fc.oneof(fc.constant(undefined), text, fc.uint8Array({ maxLength: 200 }));
  const latin = fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).filter((code) => code < 0x7f || code > 0xa0).map((code) => String.fromCharCode(code)), maxLength: 20 }).map((value) => value.trim()); // biome-ignore format: one type
  const name = fc
    .string({ unit: fc.constantFrom(...Array.from("abcXYZ019-_'`!$&*+.^|~#%")), minLength: 1, maxLength: 8 })
    .map((rest) => `X-${rest}`);
  const headers = fc.uniqueArray(fc.tuple(name, latin), { maxLength: 4, selector: ([one]) => one.toLowerCase() });
  const path = fc
    .string({ unit: fc.constantFrom(...Array.from("abc/.[]{}()'\"&;$!*~?=%2F,:@|\\^`<>-")), maxLength: 20 })
    .map((rest) => `/${rest.replaceAll("#", "")}`);
  const mediaType = fc.constantFrom(undefined, "application/json", "text/plain;charset=utf-8");

  const requests = fc.record({
    path,
    headers,
    body,
    mediaType,
    method: fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
  });

  for (const shell of shells) {
    test(`${shell.join(" ")}: what arrives is what the test sent`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(requests, { minLength: 1, maxLength: 6 }), async (all) => {
          const interactions = all.map((one) =>
            interaction({
              method: one.method,
              url: `${origin()}${one.path}`,
              headers: Object.fromEntries([
                ...one.headers,
                ...(one.mediaType === undefined ? [] : [["Content-Type", one.mediaType]]),
              ]) as Request["headers"],
              ...(one.body === undefined ? {} : { body: one.body }),
            }),
          );
          assert.deepEqual(await sentByShell(shell, interactions), await sentByTest(interactions));
        }),
        { numRuns: 30 },
      );
    });
  }

  test("a credential comes from the variable", async () => {
    const [first] = await (async () => {
      arrived.length = 0;
      const one = interaction({ url: `${origin()}/`, headers: { Authorization: "Bearer secret" } });
      const lines = curlLines([one], { redact: true });
      assert.ok(!lines.includes("secret"));
      const child = run("sh", ["-e", "-s"], { env: { ...process.env, http_proxy: "", TOKEN_COURIER: "a'b\"c $(d)" } });
      child.child.stdin?.end(lines);
      await child;
      return arrived;
    })();
    assert.deepEqual(first?.headers, [["authorization", "Bearer a'b\"c $(d)"]]);
  });
});

async function describe(message: IncomingMessage): Promise<Arrived> {
  const { method, url, rawHeaders } = message;
  const body = (await buffer(message)).toString("base64");
  const headers: [string, string][] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    if (!ofClients.includes(name)) headers.push([name, rawHeaders[index + 1] ?? ""]);
  }
  return { method, url, headers: headers.toSorted(([one], [other]) => (one < other ? -1 : 1)), body };
}

function send({ method, url, headers, body }: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const path = url.slice(url.indexOf("/", "http://".length));
    const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
    const sent = request({ hostname, port, path, method, headers: { ...headers, ...length } }, (response) => {
      response.resume().on("end", resolve);
    });
    sent.on("error", reject);
    // As bytes: a text would be sent in one piece with the header fields, and change their encoding.
    sent.end(body === undefined ? undefined : Buffer.from(body as string));
  });
}
