/** Ids from clients, members that a PUT omits, computed fields, and secrets. */
import assert from "node:assert/strict";
import { argon2Sync } from "node:crypto";
import { test } from "node:test";
import { doesNotTell } from "../does-not-tell.ts";
import { archive, snapshots } from "./archive.ts";
import { faultsOf, served } from "./scenario.ts";

served("defaults", archive, (subject) => {
  const { send, add, get } = snapshots(subject);

  test("R4.7 PUT creates with the path's id, every kind of default, 201 and Location", async () => {
    const reply = await send("ada", "PUT", "/binders/alpha", { kind: "ring" });
    assert.equal(reply.status, 201, reply.text);
    assert.equal(reply.headers["location"], "/binders/alpha");
    const json = reply.json as Record<string, unknown>;
    const { made, code, ...rest } = json;
    assert.deepEqual(rest, { id: "alpha", kind: "ring", colour: "grey", size: 5, maker: "ada" });
    assert.match(String(made), /Z$/);
    assert.match(String(code), /^[0-9]{4}$/);
  });

  test("R4.7 PUT again: what the service made stays, literals are taken anew, create-only stays", async () => {
    const tag = await add("ada", "/tags", { name: "bound" });
    const first = await send("ada", "PUT", "/binders/beta", { kind: "ring", colour: "red", size: 7, tag });
    assert.equal(first.status, 201, first.text);
    subject.running.pass(1000);
    const second = await send("bob", "PUT", "/binders/beta", { kind: "ring" });
    assert.equal(second.status, 200, second.text);
    assert.deepEqual(second.json, { ...(first.json as object), colour: "grey" });
    const third = await send("bob", "PUT", "/binders/beta", { kind: "ring" });
    assert.equal(third.headers["etag"], second.headers["etag"], "R4.8 idempotent");
    for (const [body, fault, detail] of [
      [{ kind: "spring" }, "#/kind read-only", "kind cannot be changed after creation"],
      [{ kind: "ring", size: 5 }, "#/size read-only", "size cannot be changed after creation"],
      [{ kind: "ring", tag: null }, "#/tag read-only", "tag cannot be changed after creation"],
      [{ kind: "ring", id: "gamma" }, "#/id read-only", "id has to be the value in the path"],
    ] as const) {
      const reply = await send("ada", "PUT", "/binders/beta", body);
      assert.equal(reply.status, 422, reply.text);
      assert(faultsOf(reply).includes(fault), reply.text);
      assert(reply.text.includes(detail), reply.text);
    }
    assert.equal((await send("ada", "PUT", "/binders/beta", first.json)).status, 200, "R2.4 as it was read");
  });

  test("R5.9 a PUT by somebody who does not see a field does not take its value away", async () => {
    await send("kim", "PUT", "/binders/shy", { kind: "ring", hidden: "gold" });
    const reply = await send("ada", "PUT", "/binders/shy", { kind: "ring", colour: "blue" });
    assert.equal(reply.status, 200, reply.text);
    assert(!("hidden" in (reply.json as object)));
    assert.equal((await get("kim", "/binders/shy")).json["hidden"], "gold");
  });

  test("R2.1 client-given ids: taken once, only in their form, by POST as by PUT", async () => {
    assert.equal((await send("ada", "POST", "/binders", { id: "delta", kind: "ring" })).status, 201);
    const again = await send("bob", "POST", "/binders", { id: "delta", kind: "ring" });
    assert.deepEqual([again.status, faultsOf(again)], [409, ["#/id already-exists"]]);
    const long = await send("ada", "PUT", `/binders/${"x".repeat(21)}`, { kind: "ring" });
    assert.deepEqual([long.status, faultsOf(long)], [422, ["#/id too-long"]], long.text);
    const other = await send("ada", "PUT", "/binders/epsilon", { id: "zeta", kind: "ring" });
    assert.deepEqual([other.status, faultsOf(other)], [422, ["#/id read-only"]]);
    const odd = await send("ada", "PUT", `/binders/${encodeURIComponent("å b/c?")}`, { kind: "ring" });
    assert.equal(odd.status, 201, odd.text);
    assert.equal((await get("ada", odd.headers["location"] ?? "")).json["id"], "å b/c?");
  });

  test("R2.11 of 50 that create by PUT at once one does", async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        send("ada", "PUT", "/binders/rush", { kind: "ring", colour: `c${index % 5}` }),
      ),
    );
    const others = replies.filter(({ status }) => status !== 200);
    assert.deepEqual(
      others.map(({ status, text }) => [status, status === 201 ? "" : text]),
      [[201, ""]],
    );
  });

  test("computed fields: stored ones are current and can be asked for, others are worked out at reading", async () => {
    const box = await add("ada", "/boxes", { shelf: await add("ada", "/shelves", { label: "s" }), label: "first" });
    const id = await add("ada", "/papers", { title: "Computed One", pages: 100, box });
    const read = async () => (await get("ada", `/papers/${id}`)).json;
    assert.deepEqual(pick(await read()), { slug: "computed-one", long: false, double: 200, stamps: 0, inBox: "first" });
    const patched = await send("ada", "PATCH", `/papers/${id}`, { pages: 101 });
    assert.deepEqual(pick(patched.json as never), {
      slug: "computed-one",
      long: true,
      double: 202,
      stamps: 0,
      inBox: "first",
    });
    const long = await get("ada", "/papers?long=true&limit=200");
    assert((long.json["items"] as { id: string }[]).some((each) => each.id === id));
    const sorted = await get("ada", "/papers?sort=-double&limit=1");
    assert.equal((sorted.json["items"] as { id: string }[])[0]?.id, id);
    const before = await get("ada", `/papers/${id}`);
    await add("ada", "/stamps", { paper: id, tag: await add("ada", "/tags", { name: "counted" }) });
    const after = await get("ada", `/papers/${id}`);
    assert.equal(after.json["stamps"], 1);
    assert.notEqual(after.tag, before.tag, "R4.15 what changes visibly changes the tag");
    for (const [field, value] of [
      ["stamps", 5],
      ["inBox", "other"],
      ["long", false],
      ["slug", "x"],
    ] as const) {
      const refused = await send("ada", "PATCH", `/papers/${id}`, { [field]: value });
      assert.deepEqual([refused.status, faultsOf(refused)], [422, [`#/${field} read-only`]], refused.text);
      assert.equal(
        (await send("ada", "PATCH", `/papers/${id}`, { [field]: after.json[field] })).status,
        200,
        `R2.4 ${field}`,
      );
    }
  });

  test("R2.4 secrets are taken, never given back, and not to be asked for", async () => {
    const shelf = await send("kim", "POST", "/shelves", { label: "safe", alarm: "open sesame" });
    assert.equal(shelf.status, 201, shelf.text);
    const { id } = shelf.json as { id: string };
    const replies = [
      shelf,
      await send("kim", "GET", `/shelves/${id}`),
      await send("kim", "PATCH", `/shelves/${id}`, { alarm: "another one" }),
      await send("kim", "PUT", `/shelves/${id}`, { label: "safe" }),
    ];
    for (const reply of replies) {
      assert(reply.status < 300, reply.text);
      doesNotTell(reply.text, /alarm|master|sesame|another|scrypt/);
    }
    const bad = await send("kim", "PATCH", `/shelves/${id}`, { alarm: "abc" });
    assert.deepEqual([bad.status, faultsOf(bad)], [422, ["#/alarm too-short"]]);
    doesNotTell(bad.text, /abc/, "R7.2");
    const master = await send("kim", "PATCH", `/shelves/${id}`, { master: "x" });
    assert.deepEqual([master.status, faultsOf(master)], [422, ["#/master unknown-field"]]);
    assert.equal((await send("kim", "PATCH", `/shelves/${id}`, { alarm: null })).status, 200);
  });

  test("secrets are kept as Argon2id hashes with a salt each", async () => {
    const values = await Promise.all([1, 2].map(() => add("kim", "/shelves", { label: "twin", alarm: "same secret" })));
    const hashes = await subject.running.store.transaction(async (tx) =>
      Promise.all(values.map(async (id) => (await tx.get("Shelf", "id", id)) ?? {})),
    );
    const kept = hashes.map(({ alarm }) => alarm as string);
    assert.notEqual(kept[0], kept[1]);
    for (const text of [...kept, hashes[0]?.["master"] as string]) {
      assert.match(text, /^argon2id\$19456\$2\$1\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=$/);
    }
    for (const text of kept) {
      const [, m, t, p, salt = "", hash = ""] = text.split("$");
      const again = argon2Sync("argon2id", {
        message: "same secret",
        nonce: Buffer.from(salt, "base64"),
        memory: Number(m),
        passes: Number(t),
        parallelism: Number(p),
        tagLength: 32,
      });
      assert.equal(again.toString("base64"), hash);
    }
  });
});

function pick({ slug, long, double, stamps, inBox }: Readonly<Record<string, unknown>>): unknown {
  return { slug, long, double, stamps, inBox };
}
