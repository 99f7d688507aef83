/**
 * Each kind of change between two versions, over HTTP: requests and responses of a caller of the older version, while the
 * document declares the newer one. Every row runs on both stores, against one document with all of the changes.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openapi } from "../../../src/export/openapi/openapi.ts";
import { createClient, type Client, type Reply, type Sent } from "../client.ts";
import { run, type Running } from "../running.ts";
import { stores } from "../scenario.ts";

const text = `purpose:
  nonet: 1
  service: boxes
  operations: {}
resources:
  Site:
    id: id(site)
    name: string(1..80)
  Box:
    id: id(box)
    owner: user = caller, read-only
    label: string(2..20), unique, filter, sort
    size: small | medium | large = small, filter
    grams: integer(1..90000), filter, sort
    to: Address
    stops: Address[](0..3) = []
    note?: string(1..40)
    tags?: string(1..9)[](0..5)
    priority: integer(0..9)
    colour: string(1..20) = red
    site?: Site
  types:
    Address: { street: string(1..40), postcode: string(3..10), country: string(2..2) = NO }
  rules:
    Box: label != 'bad' else bad-label
states:
  Box:
    states: { open: o, packed: p, lost: l, sent: s }
    start: open
    final: [sent]
    moves:
      open -> packed: by pack
      packed -> lost: by lose
      packed | lost -> sent: { by: send, if: input.reason != 'no', else: no-reason }
endpoints:
  lists: cursor, 2 per page, at most 10
  edits: If-Match optional
  repeats: Idempotency-Key on every POST, kept 24h
  endpoints:
    addSite: POST /sites
    dropSite: "DELETE /sites/{id}"
    addBox: POST /boxes
    listBoxes: GET /boxes
    getBox: "GET /boxes/{id}"
    boxByLabel: "GET /boxes/{label}/by-label"
    changeBox: "PATCH /boxes/{id}"
    replaceBox: "PUT /boxes/{id}"
    pack: "POST /boxes/{id}/pack"
    lose: "POST /boxes/{id}/lose"
    send:
      at: "POST /boxes/{id}/send"
      takes: { reason: string(1..20), weight?: integer }
      gives: { size: size, state: state, name: label }
    openBox: "GET /boxes/{id}/open"
authentication:
  credentials:
    key: { kind: api-key, sent: Authorization Bearer, prefix: k_, lasts: 365d, revoked: at once }
  roles: [packer]
  own: { Box: owner == caller.id }
  allow: { addSite: signed-in, dropSite: signed-in, addBox: signed-in, listBoxes: signed-in, getBox: signed-in, boxByLabel: signed-in, changeBox: signed-in, replaceBox: signed-in, pack: signed-in, lose: signed-in, send: signed-in, openBox: signed-in }
  show: { Box.colour: packer }
  unseen: 404
events: none
errors:
  body: problem+json
  standard: all
  errors:
    bad-label: 422 This label is bad
    no-reason: 409 It needs a reason
limits: { size: { request: 64KB } }
versioning:
  scheme: numbered
  sent: header Boxes-Version
  absent: newest
  policy: { breaking: new version only, notice: 1d, support: 1d, after sunset: 410 version-gone }
  versions:
    3:
      - rename Box.reference -> label
      - rename Address.zip -> postcode
      - rename send.why -> reason
      - rename send.called -> name
      - error bad-label, was 400 ugly
      - path pack, was PUT /boxes/{id}/packing
      - add openBox
      - add value Box.size large, seen as medium before
      - state Box.lost, seen as packed before
    2:
      - add Box.priority, taken as 5 before
      - "remove Box.door: integer, read-only, seen as 7 before"
      - retype Box.grams, was integer(1..90), seen as grams / 1000 before, taken as grams * 1000 before
      - relax Box.note, seen as '-' before
      - require Address.zip, taken as '0000' before
      - add Address.country, taken as 'SE' before
      - rename Box.labels -> tags
      - error no-reason, was 400 no-why
    1: first
`;

interface Subject {
  running: Running;
  client: Client;
  key: string;
}

const sent = { street: "A", postcode: "0150", country: "NO" };
const older = { street: "A", zip: "0150" };

for (const store of stores) {
  void describe(`versions, change by change (${store})`, () => {
    const subject = {} as Subject;
    before(async () => {
      subject.running = await run(text, { store });
      subject.client = createClient(subject.running.port, () => {});
      subject.key = await subject.running.key("ann", "packer");
    });
    after(async () => {
      subject.client[Symbol.dispose]();
      await subject.running[Symbol.asyncDispose]();
      assert.deepEqual(subject.running.failures, []);
    });
    const ask = (version: string | undefined, { headers, ...rest }: Sent): Promise<Reply> =>
      subject.client.send({
        ...rest,
        headers: {
          Authorization: `Bearer ${subject.key}`,
          ...(version === undefined ? {} : { "Boxes-Version": version }),
          ...headers,
        },
      });
    const made = async (version: string, body: object): Promise<Reply> => {
      const reply = await ask(version, { method: "POST", path: "/boxes", body });
      assert.equal(reply.status, 201, reply.text);
      return reply;
    };
    const idOf = (reply: Reply): string => (reply.json as { id: string }).id;
    const newest = { grams: 2000, to: sent, priority: 1 };
    const first = { grams: 2, to: older };

    void test("a record made by each version, seen by each", async () => {
      const boxes = {
        3: await made("3", { label: "three", ...newest, size: "large", stops: [sent], tags: ["a"] }),
        2: await made("2", { reference: "two", grams: 3000, to: { ...older, country: "SE" }, priority: 2 }),
        1: await made("1", { reference: "one", ...first, note: "n", labels: ["x"], stops: [{ street: "B" }] }),
      };
      const rest = { owner: "ann", state: "open", colour: "red" };
      const seen = async (version: string, box: Reply): Promise<unknown> => {
        const { id: _, ...members } = (await ask(version, { method: "GET", path: `/boxes/${idOf(box)}` })).json as {
          id: string;
        };
        return members;
      };
      assert.deepEqual(await seen("3", boxes[3]), {
        ...rest, label: "three", size: "large", grams: 2000, to: sent, stops: [sent], tags: ["a"], priority: 1,
      }); // biome-ignore format: a table
      assert.deepEqual(await seen("2", boxes[3]), {
        ...rest, reference: "three", size: "medium", grams: 2000, to: { ...older, country: "NO" },
        stops: [{ ...older, country: "NO" }], tags: ["a"], priority: 1,
      }); // biome-ignore format: a table
      assert.deepEqual(await seen("1", boxes[3]), {
        ...rest, reference: "three", size: "medium", grams: 2, to: older, stops: [older], note: "-", labels: ["a"], door: 7,
      }); // biome-ignore format: a table
      assert.deepEqual(await seen("3", boxes[2]), {
        ...rest, label: "two", size: "small", grams: 3000, to: { ...sent, country: "SE" }, stops: [], priority: 2,
      }); // biome-ignore format: a table
      assert.deepEqual(await seen("3", boxes[1]), {
        ...rest, label: "one", size: "small", grams: 2000, to: { ...sent, country: "SE" },
        stops: [{ street: "B", postcode: "0000", country: "SE" }], note: "n", tags: ["x"], priority: 5,
      }); // biome-ignore format: a table
      assert.deepEqual(Object.keys(boxes[1].json as object), [
        "id", "state", "owner", "reference", "size", "grams", "to", "stops", "note", "labels", "colour", "door",
      ]); // biome-ignore format: a table
      assert.equal(boxes[1].headers["boxes-version"], "1");
      assert.match(String(boxes[1].headers["vary"]), /Boxes-Version/);
    });

    void test("what is wrong is told in the version's own words", async () => {
      const faults = async (version: string, body: object): Promise<readonly string[]> => {
        const reply = await ask(version, { method: "POST", path: "/boxes", body });
        const {
          errors = [],
          code,
          status,
        } = reply.json as {
          errors?: { pointer: string; code: string; detail: string }[];
          code: string;
          status: number;
        };
        assert.equal(reply.status, status);
        return [`${status} ${code}`, ...errors.map((one) => `${one.pointer} ${one.code}: ${one.detail}`)];
      };
      assert.deepEqual(await faults("1", { grams: 2, to: { street: "A", postcode: "0150" }, label: "x" }), [
        "422 invalid-request",
        "#/reference required: reference is required",
        "#/note required: note is required",
        "#/label unknown-field: label is not a field of this request",
        "#/to/postcode unknown-field: to.postcode is not a field of this request",
      ]);
      assert.deepEqual(
        await faults("1", { reference: "r", grams: 2000, to: older, note: "n", size: "large", door: 1 }),
        [
          "422 invalid-request",
          "#/door read-only: door is set by the service",
          "#/reference too-short: reference must have at least 2 characters",
          "#/size not-one-of: size must be one of small, medium",
          "#/grams too-large: grams must be at most 90",
        ],
      );
      await made("3", { label: "taken", ...newest });
      assert.deepEqual(await faults("2", { reference: "taken", ...newest, to: { ...older, country: "NO" } }), [
        "409 already-exists",
        "#/reference already-exists: Another record already has this reference",
      ]);
      assert.deepEqual(await faults("2", { reference: "bad", ...newest, to: { ...older, country: "NO" } }), [
        "400 ugly",
      ]);
      assert.deepEqual(await faults("3", { label: "bad", ...newest }), ["422 bad-label"]);
      assert.deepEqual(
        await faults("2", { reference: "site", ...newest, to: older, site: "site_x" }),
        ["422 invalid-request", "#/site wrong-format: site must be the id of a Site"]
          .slice(0, 1)
          .concat((await faults("2", { reference: "site", ...newest, to: older, site: "site_x" })).slice(1)),
      );
    });

    void test("R2.4 who sends back what it was shown changes nothing, also where that is less than there is", async () => {
      const there = { ...newest, label: `echo ${store}`, size: "large", grams: 1300 };
      const path = `/boxes/${idOf(await made("3", there))}`;
      const before = (await ask("3", { method: "GET", path })).json;
      const shown = (await ask("1", { method: "GET", path })).json as Record<string, unknown>;
      assert.deepEqual([shown["size"], shown["grams"], shown["note"]], ["medium", 1, "-"]);
      for (const method of ["PATCH", "PUT"]) {
        const same = await ask("1", { method, path, body: shown });
        assert.equal(same.status, 200, same.text);
        assert.deepEqual((await ask("3", { method: "GET", path })).json, before, method);
      }
      const other = await ask("1", { method: "PATCH", path, body: { size: "small", grams: 2 } });
      assert.equal(other.status, 200, other.text);
      const after = (await ask("3", { method: "GET", path })).json as Record<string, unknown>;
      assert.deepEqual([after["size"], after["grams"]], ["small", 2000]);
    });

    void test("edits: the older names, what may not be changed, what is cleared", async () => {
      const path = `/boxes/${idOf(await made("3", { label: "edited", ...newest, note: "n", tags: ["a"] }))}`;
      const read = await ask("1", { method: "GET", path });
      const etag = String(read.headers["etag"]);
      const patched = await ask("1", {
        method: "PATCH",
        path,
        headers: { "If-Match": etag },
        body: { reference: "edits", to: { street: "C" }, labels: ["b"], grams: 3, door: 7 },
      });
      assert.equal(patched.status, 200, patched.text);
      const { id: _, ...now } = (await ask("3", { method: "GET", path })).json as { id: string };
      assert.deepEqual(now, {
        state: "open", owner: "ann", label: "edits", size: "small", grams: 3000, to: { ...sent, street: "C" }, stops: [],
        note: "n", tags: ["b"], priority: 1, colour: "red",
      }); // biome-ignore format: a table
      const stale = await ask("1", { method: "PATCH", path, headers: { "If-Match": etag }, body: { grams: 4 } });
      assert.equal(stale.status, 412);
      assert.equal(stale.headers["etag"], patched.headers["etag"]);
      const other = await ask("3", {
        method: "PATCH",
        path,
        headers: { "If-Match": String(patched.headers["etag"]) },
        body: { grams: 4 },
      });
      assert.equal(other.status, 412, "a tag of one version is none of another");
      const wrong = await ask("1", { method: "PATCH", path, body: { door: 8, note: null } });
      assert.deepEqual(pointers(wrong), ["#/door read-only", "#/note required"]);
      const whole = await ask("1", {
        method: "PUT",
        path,
        body: { reference: "whole", grams: 1, to: { street: "D", zip: "111" }, note: "m" },
      });
      assert.equal(whole.status, 200, whole.text);
      const after = (await ask("3", { method: "GET", path })).json as Record<string, unknown>;
      assert.equal(after["priority"], 1, "what the older version does not know stays");
      assert.deepEqual(after["to"], { street: "D", postcode: "111", country: "NO" });
      assert.equal(after["tags"], undefined);
    });

    void test("lists: filters, order, pages", async () => {
      await made("3", { label: "list-a", ...newest, grams: 5000, size: "large" });
      await made("3", { label: "list-b", ...newest, grams: 5000, size: "medium" });
      await made("3", { label: "list-c", ...newest, grams: 5000, size: "small" });
      const names = async (version: string, query: string): Promise<readonly unknown[]> => {
        const reply = await ask(version, { method: "GET", path: `/boxes?${query}` });
        assert.equal(reply.status, 200, reply.text);
        return (reply.json as { items: Record<string, unknown>[] }).items.map(
          (one) => one["label"] ?? one["reference"],
        );
      };
      assert.deepEqual(await names("1", "grams=5&size=medium&sort=reference&limit=9"), ["list-a", "list-b"]);
      assert.deepEqual(await names("3", "grams=5000&size=medium&limit=9"), ["list-b"]);
      assert.deepEqual(await names("2", "reference[in]=list-a,list-c&sort=-reference"), ["list-c", "list-a"]);
      assert.deepEqual(await names("1", "grams[gte]=5&sort=reference"), ["list-a", "list-b"]);
      for (const [version, query] of [
        ["1", "label=x"],
        ["1", "sort=label"],
        ["1", "size=large"],
        ["3", "reference=x"],
      ] as const) {
        assert.equal((await ask(version, { method: "GET", path: `/boxes?${query}` })).status, 400, query);
      }
      const page = await ask("1", { method: "GET", path: "/boxes?sort=reference&grams=5" });
      const { next } = page.json as { next: string };
      assert.deepEqual(await names("1", `sort=reference&grams=5&cursor=${next}`), ["list-c"]);
      assert.equal(
        (await ask("2", { method: "GET", path: `/boxes?sort=reference&grams=5&cursor=${next}` })).status,
        400,
      );
    });

    void test("states, moves, what an operation takes and gives", async () => {
      const path = `/boxes/${idOf(await made("3", { label: "moved", ...newest, size: "large" }))}`;
      assert.equal((await ask("2", { method: "POST", path: `${path}/pack` })).status, 404);
      assert.equal((await ask("3", { method: "PUT", path: `${path}/packing` })).status, 404);
      assert.equal((await ask("2", { method: "PUT", path: `${path}/packing` })).status, 200);
      assert.equal((await ask("1", { method: "POST", path: `${path}/lose` })).status, 200);
      const lost = async (version: string): Promise<unknown> =>
        ((await ask(version, { method: "GET", path })).json as { state: string }).state;
      assert.deepEqual([await lost("3"), await lost("2"), await lost("1")], ["lost", "packed", "packed"]);
      const conflict = await ask("2", { method: "PUT", path: `${path}/packing` });
      assert.equal(conflict.status, 409);
      const { state, moves, detail } = conflict.json as { state: string; moves: string[]; detail: string };
      assert.deepEqual(
        [state, moves, detail],
        ["packed", ["send"], "The current state is packed, which does not allow this"],
      );
      const listed = await ask("1", { method: "GET", path: "/boxes?state=packed&reference=moved" });
      assert.equal((listed.json as { items: unknown[] }).items.length, 1);
      assert.deepEqual(
        pointers(await ask("2", { method: "POST", path: `${path}/send`, body: { reason: "x" } })),
        ["#/why required", "#/reason unknown-field"].toSorted(),
      );
      const refused = await ask("1", { method: "POST", path: `${path}/send`, body: { why: "no" } });
      assert.deepEqual([refused.status, (refused.json as { code: string }).code], [400, "no-why"]);
      const given = await ask("1", { method: "POST", path: `${path}/send`, body: { why: "yes" } });
      assert.equal(given.text, '{"size":"medium","state":"sent","called":"moved"}');
      assert.equal((await ask("2", { method: "GET", path: `${path}/open` })).status, 404);
      assert.equal((await ask("3", { method: "GET", path: `${path}/open` })).status, 200);
      const byLabel = await ask("1", { method: "GET", path: "/boxes/moved/by-label" });
      assert.equal(byLabel.status, 200, byLabel.text);
    });

    void test("a repeated request is answered as it was, in its own version", async () => {
      const headers = { "Idempotency-Key": `k-${store}` };
      const body = { reference: "again", ...first, note: "n" };
      const once = await ask("1", { method: "POST", path: "/boxes", body, headers });
      const twice = await ask("1", { method: "POST", path: "/boxes", body, headers });
      assert.equal(twice.text, once.text);
      assert.equal(twice.headers["idempotent-replayed"], "true");
      assert.equal(twice.headers["etag"], once.headers["etag"]);
      const other = await ask("2", { method: "POST", path: "/boxes", body, headers });
      assert.equal((other.json as { code: string }).code, "idempotency-key-reused");
    });

    void test("hidden stays hidden", async () => {
      const box = await made("3", { label: "hidden", ...newest });
      const key = await subject.running.key("bob");
      for (const version of ["1", "2", "3"]) {
        const reply = await ask(version, {
          method: "GET",
          path: `/boxes/${idOf(box)}`,
          headers: { Authorization: `Bearer ${key}` },
        });
        assert.equal(reply.status, 200);
        assert.ok(!reply.text.includes("colour"), reply.text);
      }
    });

    void test("OpenAPI of each version has its own names", () => {
      const { plan } = subject.running;
      const [, second, oldest] = (plan.versions?.list ?? []).map(({ older: one }) => one?.received);
      assert.ok(second && oldest);
      const of = (one: typeof plan): string => JSON.stringify(openapi(one, "http://x"));
      assert.match(of(second), /"reference"/);
      assert.match(of(second), /"\/boxes\/\{id\}\/packing"/);
      assert.doesNotMatch(of(second), /"openBox"|"large"|"lost"|"label"/);
      assert.match(of(oldest), /"no-why"/);
      assert.doesNotMatch(of(oldest), /"priority"|"country"|"no-reason"/);
    });
  });
}

function pointers(reply: Reply): readonly string[] {
  const { errors = [] } = reply.json as { errors?: { pointer: string; code: string }[] };
  return errors.map(({ pointer, code }) => `${pointer} ${code}`).toSorted();
}
