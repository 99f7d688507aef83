/** The version of a request (R9.1, R9.2), its header fields in every response, and versions after their sunset (R9.5). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, type Reply, type Sent } from "../client.ts";
import { pagesOf } from "./pages.ts";
import { run, type RunOptions } from "../running.ts";
import { stores } from "../scenario.ts";
import { notes } from "./document.ts";

interface Caller {
  /** Sends a request as this caller; the version goes where the row says. */
  readonly ask: (sent: Sent) => Promise<Reply>;
  readonly anonymous: (sent: Sent) => Promise<Reply>;
  readonly pass: (milliseconds: number) => void;
}

function served(name: string, text: string, work: (caller: Caller) => Promise<void>, options: RunOptions = {}): void {
  for (const store of stores) {
    void test(`${name} (${store})`, async () => {
      await using running = await run(text, { ...options, store, pages: pagesOf(text) });
      using client = createClient(running.port, () => {});
      const keyed = (key: string) => (sent: Sent) =>
        client.send({ ...sent, headers: { Authorization: `Bearer ${key}`, ...sent.headers } });
      await work({
        ask: keyed(await running.key("ann")),
        anonymous: (sent) => client.send(sent),
        pass: (milliseconds) => running.pass(milliseconds),
      });
      assert.deepEqual(running.failures, []);
    });
  }
}

const note = { text: "hello" };

/** The member that a note has in each version. */
const member: Readonly<Record<string, string>> = { 3: "text", 2: "body", 1: "words" };

function versionOf(reply: Reply): string {
  const found = Object.entries(member).find(([, name]) => Object.hasOwn((reply.json ?? {}) as object, name));
  return found?.[0] ?? `${reply.status} ${reply.text}`;
}

const get = (path: string, headers: Sent["headers"] = {}): Sent => ({ method: "GET", path, headers });
const post = (path: string, body: object, headers: Sent["headers"] = {}): Sent => ({
  method: "POST",
  path,
  body,
  headers,
});

// ── Where it is said ───────────────────────────────────────────────────────────────────────────────────────────────

served("R9.1 in a header", notes({ sent: "header Notes-Version", absent: "newest" }), async ({ ask }) => {
  const made = await ask(post("/notes", note));
  const path = String(made.headers["location"]);
  for (const version of ["1", "2", "3"]) {
    const reply = await ask(get(path, { "Notes-Version": version }));
    assert.equal(versionOf(reply), version);
    assert.equal(reply.headers["notes-version"], version);
    assert.match(String(reply.headers["vary"]), /Notes-Version/);
  }
  assert.equal((await ask(get(path))).headers["notes-version"], "3");
  const missing = await ask(get("/notes/note_x", { "Notes-Version": "1" }));
  assert.deepEqual([missing.status, missing.headers["notes-version"]], [404, "1"]);
  const rows = [
    ["9", "unknown-version"],
    ["two", "bad-version"],
    ["", "bad-version"],
    ["2026-01-01", "bad-version"],
    [["1", "1"], "repeated-version"],
    [["1", "2"], "repeated-version"],
  ] as const;
  for (const [value, code] of rows) {
    const reply = await ask(get(path, { "Notes-Version": value }));
    const { errors, supported } = reply.json as { errors: { header: string; code: string }[]; supported?: string[] };
    assert.deepEqual([reply.status, errors[0]?.header, errors[0]?.code], [400, "notes-version", code]);
    if (code !== "repeated-version") assert.deepEqual(supported, ["3", "2", "1"]);
  }
});

served(
  "R0.1 what is wrong with a version is told after 401, and before 403",
  notes({ sent: "header V" }),
  async ({ anonymous, ask }) => {
    assert.equal((await anonymous(get("/notes", { V: "9", Authorization: "Bearer k_wrong" }))).status, 401);
    assert.equal((await anonymous(get("/notes", { V: "9" }))).status, 400);
    assert.equal((await ask(get("/nothing", { V: "9" }))).status, 404);
    assert.equal((await ask({ method: "DELETE", path: "/notes", headers: { V: "9" } })).status, 405);
  },
);

served(
  "in the query, which lists and further pages keep",
  notes({ sent: "query v", absent: "newest" }),
  async ({ ask }) => {
    for (const text of ["a", "b", "c"]) await ask(post("/notes", { text }));
    const first = await ask(get("/notes/all?v=1&sort=words"));
    assert.equal(first.status, 200, first.text);
    const link = /<http:\/\/[^/]+([^>]+)>; rel="next"/.exec(String(first.headers["link"]))?.[1] ?? "";
    const second = await ask(get(link));
    assert.deepEqual(
      (second.json as { items: { words: string }[] }).items.map(({ words }) => words),
      ["c"],
    );
    assert.equal((await ask(get("/notes?v=1&v=1"))).status, 400);
    assert.equal((await ask(get("/notes?v=9"))).status, 400);
    assert.equal((await ask(post("/notes?v=2", { body: "x" }))).status, 201);
  },
);

const withPages = notes({ sent: "query v", absent: "newest" })
  .replace(
    "states: { Note: none }",
    "states: { Note: { states: { draft: new, sent: away }, start: draft, final: [], moves: { draft -> sent: by flip, sent -> draft: by flop } } }",
  )
  .replace(
    "    addNote: POST /notes\n",
    '$&    flip: "POST /notes/{id}/flip"\n    flop: "POST /notes/{id}/flop"\n    noteHistory: "GET /notes/{id}/history"\n',
  )
  .replace("allow: { ", "allow: { flip: signed-in, flop: signed-in, noteHistory: signed-in, ")
  .replace(
    "events: none",
    "events: { envelope: plain, out: { note.sent: Note -> sent }, delivery: { stream: { at: GET /events, for: signed-in, kind: server-sent, resume: Last-Event-ID, keep: 7d } } }",
  );

served("in the query, which the pages of events and of a history keep", withPages, async ({ ask }) => {
  const made = await ask(post("/notes?v=1", { words: "a" }));
  assert.equal(made.status, 201, made.text);
  const path = String(made.headers["location"]);
  for (const move of ["flip", "flop", "flip", "flop"])
    assert.equal((await ask(post(`${path}/${move}`, {}))).status, 200);
  for (const list of [`${path}/history?limit=1&v=1`, "/events?limit=1&v=1"]) {
    const first = await ask({ ...get(list), headers: { Accept: "application/json" } });
    assert.equal(first.status, 200, first.text);
    const link = /<http:\/\/[^/]+([^>]+)>; rel="next"/.exec(String(first.headers["link"]))?.[1] ?? "";
    assert.match(link, /[?&]v=1(?:&|$)/, list);
  }
});

served("before the path", notes({ sent: "path /v{n}", absent: "newest", base: "/api" }), async ({ ask }) => {
  const made = await ask(post("/api/v1/notes", { words: "x" }));
  assert.equal(made.status, 201, made.text);
  const location = String(made.headers["location"]);
  assert.match(location, /^\/api\/v1\/notes\/note_/);
  assert.equal(versionOf(await ask(get(location))), "1");
  assert.equal(versionOf(await ask(get(location.replace("/v1", "/v2")))), "2");
  assert.equal(versionOf(await ask(get(location.replace("/v1", "")))), "3");
  assert.equal((await ask(get(location.replace("/v1", "/v9")))).status, 400);
  assert.equal((await ask(get(location.replace("/v1", "/vx")))).status, 404);
  assert.equal((await ask(get("/v1/api/notes"))).status, 404);
});

served("with the media type", notes({ sent: "media-type", absent: "newest" }), async ({ ask }) => {
  const json = "application/json; version=";
  const made = await ask(post("/notes", { words: "x" }, { "Content-Type": `${json}1` }));
  assert.equal(made.status, 201, made.text);
  assert.equal(made.headers["content-type"], `${json}1`);
  const path = String(made.headers["location"]);
  assert.equal(versionOf(await ask(get(path, { Accept: `${json}"2"` }))), "2");
  assert.equal(versionOf(await ask(get(path))), "3");
  assert.equal(
    (await ask(post("/notes", { words: "x" }, { "Content-Type": `${json}1`, Accept: `${json}2` }))).status,
    400,
  );
  assert.match(String(made.headers["vary"]), /Accept/);
});

served(
  "of dates, and nowhere",
  notes({ scheme: "dated", versions: ["2026-03-01", "2026-02-01", "2026-01-01"], absent: "oldest" }),
  async ({ ask }) => {
    assert.equal(versionOf(await ask(post("/notes", { words: "x" }))), "1");
  },
);

served(
  "none at all: a header means nothing",
  notes({ scheme: "none", sent: "header V", versions: [] }),
  async ({ ask }) => {
    const reply = await ask(post("/notes", note, { V: "9" }));
    assert.equal(reply.status, 201);
    assert.equal(reply.headers["v"], undefined);
    assert.equal(reply.headers["etag"], '"1"'.replace("1", String(reply.headers["etag"]).slice(1, -1)));
  },
);

// ── Where it is not said ───────────────────────────────────────────────────────────────────────────────────────────

served("absent: the oldest", notes({ sent: "header V", absent: "oldest" }), async ({ ask }) => {
  assert.equal(versionOf(await ask(post("/notes", { words: "x" }))), "1");
});

served("absent: refused", notes({ sent: "header V", absent: "refuse" }), async ({ ask, anonymous }) => {
  const reply = await ask(get("/notes"));
  assert.equal(reply.status, 400);
  assert.deepEqual((reply.json as { supported: string[] }).supported, ["3", "2", "1"]);
  assert.equal((await ask(get("/notes", { V: "3" }))).status, 200);
  assert.equal((await anonymous(get("/livez"))).status, 200);
  assert.equal((await anonymous(get("/openapi.json"))).status, 200);
});

served(
  "an error of the document's own for a version that there is not, and for none",
  notes({ sent: "header V", absent: "refuse" })
    .replace("after sunset: 410 version-gone }", "unknown: 412 which-version }")
    .replace("errors: {} }", "errors: { which-version: 412 Say a version that there is } }"),
  async ({ ask }) => {
    for (const headers of [{}, { V: "4" }, { V: "four" }]) {
      const reply = await ask(get("/notes", headers));
      assert.deepEqual([reply.status, (reply.json as { code: string }).code], [412, "which-version"]);
      assert.deepEqual((reply.json as { supported: string[] }).supported, ["3", "2", "1"]);
    }
    assert.equal((await ask(get("/notes", { V: "3" }))).status, 200);
  },
);

served(
  "absent: pinned to the newest, which anonymous callers get",
  notes({ sent: "header V", absent: "pinned" }),
  async ({ ask, anonymous }) => {
    const made = await ask(post("/notes", note));
    assert.equal(versionOf(made), "3");
    assert.equal(versionOf(await anonymous(get(String(made.headers["location"])))), "3");
  },
);

for (const store of stores) {
  void test(`R9.2 a credential keeps the version that it began with, and others begin with the newest (${store})`, async () => {
    const choice = { sent: "header V", absent: "pinned" } as const;
    await using first = await run(notes({ ...choice, versions: ["3", "2", "1"] }), { store });
    using client = createClient(first.port, () => {});
    const old = await first.key("old");
    const young = await first.key("young");
    await first.store.pins.pin("key", "old", "1");
    await first.store.pins.pin("key", "lost", "0");
    await first.store.pins.pin("key", "ahead", "4");
    const as = (key: string, sent: Sent) =>
      client.send({ ...sent, headers: { Authorization: `Bearer ${key}`, ...sent.headers } });
    assert.equal(versionOf(await as(old, post("/notes", { words: "x" }))), "1");
    assert.equal(versionOf(await as(old, post("/notes", note, { V: "3" }))), "3");
    assert.equal(versionOf(await as(old, post("/notes", { words: "x" }))), "1");
    // The first call counts, also one that says a version.
    assert.equal(versionOf(await as(young, post("/notes", { words: "x" }, { V: "1" }))), "1");
    assert.equal(await first.store.pins.find("key", "young"), "3");
    assert.equal(versionOf(await as(young, post("/notes", note))), "3");
    // Paths are those of the version that it is pinned to.
    assert.equal((await as(old, get("/notes/all"))).status, 200);
    assert.equal((await as(old, get("/notes"))).status, 405);
    assert.equal((await as(young, get("/notes"))).status, 200);
    assert.equal((await as(young, get("/notes/all"))).status, 404);
    assert.equal((await as(await first.key("lost"), get("/notes"))).status, 410);
    // Pinned by a process whose document is newer already, on the same data.
    assert.equal(versionOf(await as(await first.key("ahead"), post("/notes", note))), "3");
    assert.equal(await first.store.pins.find("key", "ahead"), "4");
    assert.deepEqual(first.failures, []);
  });
}

// ── Its end ────────────────────────────────────────────────────────────────────────────────────────────────────────

const day = 86_400_000;
const inDays = (days: number): string => new Date(Date.now() + days * day).toISOString().slice(0, 10);
const ending = `1: since ${inDays(-30)}, sunset ${inDays(10)}, guide https://docs.example/1`;

served(
  "R9.5 deprecated on every answer, gone from the second of its sunset",
  notes({ sent: "header V", absent: "newest", deprecated: ending }),
  async ({ ask, pass }) => {
    const replies = [
      await ask(post("/notes", { words: "x" }, { V: "1" })),
      await ask(post("/notes", { text: "x" }, { V: "1" })),
      await ask(get("/notes/note_x", { V: "1" })),
      await ask(get("/nothing", { V: "1" })),
      await ask(get("/openapi.json", { V: "1" })),
    ];
    assert.deepEqual(
      replies.map(({ status }) => status),
      [201, 422, 404, 404, 200],
    );
    const told = (reply: Reply): void => {
      assert.equal(reply.headers["deprecation"], `@${Date.parse(inDays(-30)) / 1000}`);
      assert.equal(reply.headers["sunset"], new Date(inDays(10)).toUTCString());
      assert.match(String(reply.headers["link"]), /<https:\/\/docs\.example\/1>; rel="deprecation"; type="text\/html"/);
    };
    for (const reply of replies) told(reply);
    const other = await ask(get("/notes", { V: "3" }));
    assert.deepEqual([other.headers["deprecation"], other.headers["sunset"]], [undefined, undefined]);
    pass(Date.parse(inDays(10)) - Date.now() - 2000);
    assert.equal((await ask(get("/notes/all", { V: "1" }))).status, 200);
    pass(3000);
    const gone = await ask(get("/notes/all", { V: "1" }));
    assert.equal(gone.status, 410);
    const { code, supported } = gone.json as { code: string; supported: string[] };
    assert.deepEqual([code, supported], ["version-gone", ["3", "2"]]);
    told(gone);
    assert.equal((await ask(get("/openapi.json", { V: "1" }))).status, 410);
    assert.equal((await ask(get("/notes", { V: "2" }))).status, 200);
    assert.equal((await ask(get("/notes/all", { V: "2" }))).status, 404);
  },
);

served(
  "the oldest is the oldest that is served",
  notes({ absent: "oldest", deprecated: ending }),
  async ({ ask, pass }) => {
    assert.equal(versionOf(await ask(post("/notes", { words: "x" }))), "1");
    pass(11 * day);
    assert.equal(versionOf(await ask(post("/notes", { body: "x" }))), "2");
  },
);

// ── The same everywhere ────────────────────────────────────────────────────────────────────────────────────────────

served(
  "paths, methods and OpenAPI are each version's own",
  notes({ sent: "header V", absent: "newest" }),
  async ({ ask, anonymous }) => {
    const rows = [
    ["GET", "/notes", "3", 200], ["GET", "/notes", "1", 405], ["POST", "/notes", "1", 201],
    ["GET", "/notes/all", "1", 200], ["GET", "/notes/all", "3", 404],
    ["GET", "/notes/note_x/read", "3", 404], ["GET", "/notes/note_x/read", "1", 404],
  ] as const; // biome-ignore format: a table
    for (const [method, path, version, status] of rows) {
      const body = method === "POST" ? { body: { words: "x" } } : {};
      assert.equal(
        (await ask({ method, path, headers: { V: version }, ...body })).status,
        status,
        `${method} ${path} ${version}`,
      );
    }
    assert.equal(
      (await ask({ method: "OPTIONS", path: "/notes", headers: { V: "1" } })).headers["allow"],
      "POST, OPTIONS",
    );
    assert.equal(
      (await ask({ method: "OPTIONS", path: "/notes", headers: { V: "3" } })).headers["allow"],
      "POST, GET, HEAD, OPTIONS",
    );
    assert.equal((await ask(get("/notes", { V: "1" }))).headers["allow"], "POST, OPTIONS");
    const described = async (version: string): Promise<string> =>
      (await anonymous(get("/openapi.json", { V: version }))).text;
    assert.match(await described("1"), /"words"/);
    assert.doesNotMatch(await described("1"), /readNote|"text":/);
    assert.match(await described("3"), /readNote/);
  },
);
