/** A hidden record responds like a missing one, in every operation (R5.8). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Reply } from "./client.ts";
import { archive, snapshots, missing } from "./archive.ts";
import { served } from "./scenario.ts";
import { addTool, once, people, toolLibrary } from "./tool-library.ts";

const requests: readonly (readonly [
  method: string,
  kind: "shelf" | "box" | "paper",
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
])[] = [
  ["GET", "shelf"],
  ["HEAD", "shelf"],
  ["GET", "shelf", undefined, { "If-None-Match": "*" }],
  ["GET", "shelf", undefined, { "If-None-Match": '"x"' }],
  ["PATCH", "shelf", { label: "x" }],
  ["PATCH", "shelf", {}],
  ["PATCH", "shelf", { label: 5, unheard: 1 }],
  ["PATCH", "shelf", { label: "x" }, { "If-Match": '"x"' }],
  ["PATCH", "shelf", { label: "x" }, { "If-Match": "*" }],
  ["PATCH", "shelf", { label: "x" }, { "If-None-Match": "*" }],
  ["PATCH", "shelf", { label: "x" }, { "Idempotency-Key": "unseen" }],
  ["PUT", "shelf", { label: "x" }],
  ["PUT", "shelf", {}],
  ["PUT", "shelf", { label: "x" }, { "If-Match": "*" }],
  ["DELETE", "shelf"],
  ["DELETE", "shelf", undefined, { "If-Match": "*" }],
  ["GET", "box"],
  ["DELETE", "box"],
  ["PATCH", "paper", { title: "x", pages: 1 }],
  ["PATCH", "paper", { title: "forbidden" }],
  ["GET", "paper"],
  ["DELETE", "paper"],
];

for (const unseen of [404, 403]) {
  served(`unseen: ${unseen}`, archive.replace("unseen: 404", `unseen: ${unseen}`), (subject) => {
    const { add, get, sendWith, comparable } = snapshots(subject);
    let theirs: Record<"shelf" | "box" | "paper", string>;
    const paths = { shelf: "/shelves", box: "/boxes", paper: "/papers" };

    before(async () => {
      const shelf = await add("bob", "/shelves", { label: "s" });
      const box = await add("bob", "/boxes", { shelf, label: "b" });
      theirs = { shelf, box, paper: await add("bob", "/papers", { title: "bob's", box }) };
    });

    for (const [method, kind, body, headers = {}] of requests) {
      const what = [
        method,
        kind,
        body === undefined ? "" : JSON.stringify(body),
        ...Object.entries(headers).flat(),
      ].join(" ");
      test(`R5.8 ${what}`, async () => {
        const hidden = theirs[kind];
        const absent = missing(hidden);
        const replies: Reply[] = [];
        for (const [index, id] of [hidden, absent].entries()) {
          const key = headers["Idempotency-Key"] === undefined ? {} : { "Idempotency-Key": `unseen${index}` };
          replies.push(await sendWith("ada", method, `${paths[kind]}/${id}`, body, { ...headers, ...key }));
        }
        const [one, other] = replies.map((reply, index) =>
          JSON.stringify(comparable(reply)).replaceAll(index === 0 ? hidden : absent, "ID"),
        );
        assert.equal(replies[0]?.status, unseen, one ?? "");
        assert.equal(one, other);
        assert.doesNotMatch(one ?? "", /etag/i);
      });
    }

    test("R5.8 nothing of it happened", async () => {
      for (const kind of ["shelf", "box", "paper"] as const) {
        const found = await get("bob", `${paths[kind]}/${theirs[kind]}`);
        assert.equal(found.status, 200);
      }
      assert.equal((await get("bob", `/papers/${theirs.paper}`)).json["title"], "bob's");
    });

    test("R5.8 lists do not have it, and filters do not find it", async () => {
      for (const query of ["", `?owner=bob`, "?sort=title", "?pages=1", "?long=false"]) {
        const { json, status } = await get("ada", `/papers${query}`);
        assert.deepEqual([status, json["items"], json["next"]], [200, [], null], query);
      }
      assert.equal(((await get("kim", "/papers")).json["items"] as unknown[]).length, 1);
    });

    test("who may see every record is told that there is none", async () => {
      assert.equal((await get("kim", `/shelves/${theirs.shelf}`)).status, 200);
      assert.equal((await get("kim", `/shelves/${missing(theirs.shelf)}`)).status, 404);
      assert.equal((await get("ada", `/tags/${missing("tag_x")}`)).status, 404);
    });
  });
}

served("unseen: 403, below a parent", toolLibrary.replace("unseen: 404", "unseen: 403"), (subject) => {
  const who = people(subject);

  test("R5.8 a parent that is hidden or absent is what `unseen` says, whoever sees all that is below it", async () => {
    const hidden = await addTool(subject, who.other, { open: false });
    for (const path of [hidden.path, missing(hidden.path)]) {
      for (const method of ["GET", "POST"]) {
        const headers = { ...who.member, ...once() };
        const body = method === "POST" ? { body: { body: "x" } } : {};
        const reply = await subject.client.send({ method, path: `${path}/remarks`, headers, ...body });
        assert.equal(reply.status, 403, reply.text);
      }
    }
    const reply = await subject.client.send({
      method: "GET",
      path: `${missing(hidden.path)}/remarks`,
      headers: who.keeper,
    });
    assert.equal(reply.status, 404, "a keeper sees every tool there is");
  });
});
