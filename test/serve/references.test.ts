/** References: checked with the rights of the caller who creates them, and intact when records are deleted (R2.10). */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { archive, snapshots, missing } from "./archive.ts";
import { documentOf } from "../enforced/document.ts";
import { by, faultsOf, served } from "./scenario.ts";

served("references", archive, (subject) => {
  const keep = snapshots(subject);
  const { add, get, send } = keep;
  let mine: Record<"shelf" | "box" | "paper" | "tag", string>;
  let theirs: Record<"shelf" | "box" | "paper", string>;

  before(async () => {
    const all = async (who: "ada" | "bob") => {
      const shelf = await add(who, "/shelves", { label: "s" });
      const box = await add(who, "/boxes", { shelf, label: "b" });
      return { shelf, box, paper: await add(who, "/papers", { title: `p of ${who} ${Math.random()}`, box }) };
    };
    mine = { ...(await all("ada")), tag: await add("ada", "/tags", { name: "known" }) };
    theirs = await all("bob");
  });

  test("R7.2 what cannot be an id is told whose id is wanted", async () => {
    const reply = await send("ada", "POST", "/papers", { title: "r0", box: "nonsense", tags: ["no", mine.tag] });
    assert.deepEqual(
      (reply.json as { errors: { pointer: string; detail: string }[] }).errors.map(({ pointer, detail }) => [
        pointer,
        detail,
      ]),
      [
        ["#/box", "box must be the id of a Box"],
        ["#/tags/0", "tags.0 must be the id of a Tag"],
      ],
    );
  });

  describe("R2.10 R5.8 what is missing and what the caller may not see are refused alike", () => {
    const forms: readonly [
      path: string,
      body: (id: string) => object,
      pointer: string,
      of: "shelf" | "box" | "paper",
    ][] = [
      ["/boxes", (shelf) => ({ shelf, label: "x" }), "#/shelf", "shelf"],
      ["/papers", (box) => ({ title: "r1", box }), "#/box", "box"],
      ["/papers", (copyOf) => ({ title: "r2", copyOf }), "#/copyOf", "paper"],
      ["/papers", (shelf) => ({ title: "r3", spots: { "a/b": shelf } }), "#/spots/a~1b", "shelf"],
      ["/papers", (about) => ({ title: "r4", note: { about } }), "#/note/about", "box"],
      ["/papers", (about) => ({ title: "r5", notes: [{ about: mine.box }, { about }] }), "#/notes/1/about", "box"],
    ];
    for (const [path, body, pointer, of] of forms) {
      test(`POST ${path} ${pointer}`, async () => {
        const absent = await send("ada", "POST", path, body(missing(mine[of])));
        const hidden = await send("ada", "POST", path, body(theirs[of]));
        for (const reply of [absent, hidden]) {
          assert.equal(reply.status, 422, reply.text);
          assert.deepEqual(faultsOf(reply), [`${pointer} reference-not-found`]);
        }
        assert.deepEqual(keep.comparable(hidden), keep.comparable(absent));
        assert.equal((await send("ada", "POST", path, body(mine[of]))).status, 201, "one's own is found");
      });
    }

    test("PATCH and PUT look as well", async () => {
      for (const box of [missing(mine.box), theirs.box]) {
        const reply = await send("ada", "PATCH", `/papers/${mine.paper}`, { box });
        assert.deepEqual([reply.status, faultsOf(reply)], [422, ["#/box reference-not-found"]]);
      }
      for (const shelf of [missing(mine.shelf), theirs.shelf]) {
        const reply = await send("ada", "PUT", `/boxes/${mine.box}`, { label: "l", shelf });
        assert.deepEqual([reply.status, faultsOf(reply)], [422, ["#/shelf reference-not-found"]]);
      }
      assert.equal((await get("ada", `/papers/${mine.paper}`)).json["box"], mine.box);
    });

    test("a keeper, who sees all, refers to all", async () => {
      assert.equal((await send("kim", "POST", "/papers", { title: "kept", box: theirs.box })).status, 201);
    });

    test("what a record refers to already is sent back although the caller does not see it any more", async () => {
      const { id } = (await send("kim", "POST", "/boxes", { shelf: theirs.shelf, label: "k" })).json as { id: string };
      assert.equal((await send("kim", "PUT", `/boxes/${id}`, { shelf: theirs.shelf, label: "k2" })).status, 200);
    });

    test("an id of another kind is no id of this one", async () => {
      const reply = await send("ada", "POST", "/papers", { title: "kind", box: mine.shelf });
      assert.deepEqual([reply.status, faultsOf(reply)], [422, ["#/box wrong-pattern"]]);
    });

    test("each item of a list is looked at", async () => {
      const tags = [mine.tag, missing(mine.tag), mine.tag, missing(mine.tag)];
      const reply = await send("ada", "POST", "/papers", { title: "tagged", tags });
      assert.deepEqual(faultsOf(reply), ["#/tags/1 reference-not-found", "#/tags/3 reference-not-found"]);
      assert.equal((await send("ada", "POST", "/papers", { title: "tagged", tags: [mine.tag, mine.tag] })).status, 201);
      assert.equal((await send("ada", "POST", "/papers", { title: "untagged", tags: [] })).status, 201);
    });
  });

  describe("R2.10 deleting what others refer to", () => {
    test("is refused with the relation, and nothing happens", async () => {
      const tag = await add("ada", "/tags", { name: "used" });
      const paper = await add("ada", "/papers", { title: "stamped" });
      const stamp = await add("ada", "/stamps", { paper, tag });
      const refused = await send("ada", "DELETE", `/tags/${tag}`);
      assert.equal(refused.status, 409, refused.text);
      const { code, resource, field } = refused.json as Record<string, string>;
      assert.deepEqual([code, resource, field], ["still-referenced", "Stamp", "tag"]);
      assert.equal((await get("ada", `/tags/${tag}`)).status, 200);
      assert.equal((await send("ada", "DELETE", `/stamps/${stamp}`)).status, 204);
      assert.equal((await send("ada", "DELETE", `/tags/${tag}`)).status, 204);
      assert.equal((await get("ada", `/tags/${tag}`)).status, 404);
      assert.equal((await send("ada", "DELETE", `/tags/${tag}`)).status, 404, "once");
    });

    test("takes along what says `delete with`, through any number of records", async () => {
      const shelf = await add("ada", "/shelves", { label: "s" });
      const boxes = [
        await add("ada", "/boxes", { shelf, label: "b1" }),
        await add("ada", "/boxes", { shelf, label: "b2" }),
      ];
      const papers = await Promise.all(
        boxes.map((box, index) => add("ada", "/papers", { title: `going ${index} ${box}`, box })),
      );
      const tag = await add("ada", "/tags", { name: "stays" });
      const stamps = await Promise.all(papers.map((paper) => add("ada", "/stamps", { paper, tag })));
      const copy = await add("ada", "/papers", { title: `copy ${shelf}`, copyOf: papers[0] });
      const before = await get("ada", `/papers/${copy}`);
      assert.equal((await send("ada", "DELETE", `/shelves/${shelf}`)).status, 204);
      const gone = [
        `/shelves/${shelf}`,
        ...boxes.map((id) => `/boxes/${id}`),
        ...papers.map((id) => `/papers/${id}`),
        ...stamps.map((id) => `/stamps/${id}`),
      ];
      for (const path of gone) assert.equal((await get("ada", path)).status, 404, path);
      assert.equal((await get("ada", `/tags/${tag}`)).status, 200);
      const after = await get("ada", `/papers/${copy}`);
      assert(!("copyOf" in after.json), "`clear` takes the reference away");
      assert.notEqual(after.tag, before.tag, "R4.15 and that is a visible change");
      const stale = await keep.sendWith("ada", "PATCH", `/papers/${copy}`, { pages: 2 }, { "If-Match": before.tag });
      assert.equal(stale.status, 412);
    });

    test("is refused where something that would go along may not, and then nothing goes", async () => {
      const shelf = await add("ada", "/shelves", { label: "s" });
      const box = await add("ada", "/boxes", { shelf, label: "lent" });
      const other = await add("ada", "/boxes", { shelf, label: "not lent" });
      const paper = await add("ada", "/papers", { title: `kept ${box}`, box: other });
      const loan = await add("ada", "/loans", { box });
      const refused = await send("ada", "DELETE", `/shelves/${shelf}`);
      assert.equal(refused.status, 409, refused.text);
      const { resource, field } = refused.json as Record<string, string>;
      assert.deepEqual([resource, field], ["Loan", "box"]);
      for (const path of [`/shelves/${shelf}`, `/boxes/${box}`, `/boxes/${other}`, `/papers/${paper}`]) {
        assert.equal((await get("ada", path)).status, 200, path);
      }
      assert.equal((await send("ada", "DELETE", `/loans/${loan}`)).status, 204);
      assert.equal((await send("ada", "DELETE", `/shelves/${shelf}`)).status, 204);
    });

    test("a record that refers to itself or in a circle can go", async () => {
      const one = await add("ada", "/papers", { title: `self ${Math.random()}` });
      const two = await add("ada", "/papers", { title: `circle ${Math.random()}`, copyOf: one });
      assert.equal((await send("ada", "PATCH", `/papers/${one}`, { copyOf: two })).status, 200);
      assert.equal((await send("ada", "DELETE", `/papers/${one}`)).status, 204);
      assert(!("copyOf" in (await get("ada", `/papers/${two}`)).json));
      assert.equal((await send("ada", "PATCH", `/papers/${two}`, { copyOf: two })).status, 200);
      assert.equal((await send("ada", "DELETE", `/papers/${two}`)).status, 204);
    });

    test("making a reference and deleting its target at the same time leaves no dangling one", async () => {
      for (let round = 0; round < 10; round += 1) {
        const tag = await add("ada", "/tags", { name: `race ${round}` });
        const [made, removed] = await Promise.all([
          send("ada", "POST", "/stamps", { paper: mine.paper, tag }),
          send("ada", "DELETE", `/tags/${tag}`),
        ]);
        const outcome = `${made.status} ${removed.status}`;
        assert(["201 409", "422 204"].includes(outcome), outcome);
      }
    });
  });
});

/** Members have keys by their ids, and so may somebody who is none. */
const club = documentOf({
  resources: {
    Hall: { id: "string(2..20)" },
    Member: { id: "string(2..20)" },
    Game: {
      id: "id(gam)",
      host: "Member = caller, read-only",
      "guest?": "Member, read-only",
      "hall?": "Hall, read-only",
    },
    Note: { id: "id(not)", hall: "Hall = main, read-only" },
  },
  states: {
    Game: {
      states: ["open", "full", "moved"],
      start: "open",
      final: ["full", "moved"],
      moves: {
        "open -> full": { by: "join", set: { guest: "caller.id" } },
        "open -> moved": { by: "relocate", set: { hall: "'annex'" } },
      },
    },
  },
  endpoints: {
    endpoints: {
      putHall: "PUT /halls/{id}",
      putMember: "PUT /members/{id}",
      addGame: "POST /games",
      join: "POST /games/{id}/join",
      relocate: "POST /games/{id}/relocate",
      addNote: "POST /notes",
    },
  },
  authentication: { allow: { addGame: "signed-in", join: "signed-in" } },
});

served("references that no body says", club, (subject) => {
  const post = async (user: string, path: string) =>
    subject.client.send({ method: "POST", path, headers: by(await subject.running.key(user)), body: {} });
  const refused = [422, ["# reference-not-found"]];

  before(async () => {
    for (const path of ["/members/ann", "/members/bob"]) await subject.client.send({ method: "PUT", path, body: {} });
  });

  test("R2.10 a default is the caller, who need not be a record", async () => {
    const reply = await post("nobody", "/games");
    assert.deepEqual([reply.status, faultsOf(reply)], refused, reply.text);
    assert.equal((await post("ann", "/games")).status, 201);
  });

  test("R2.10 a move sets the caller, and what there may not be", async () => {
    const { id } = (await post("ann", "/games")).json as { readonly id: string };
    for (const path of [`/games/${id}/join`, `/games/${id}/relocate`]) {
      const reply = await post("nobody", path);
      assert.deepEqual([reply.status, faultsOf(reply)], refused, reply.text);
    }
    assert.equal((await post("bob", `/games/${id}/join`)).status, 200);
  });

  test("R2.10 a default is a record that is there only later", async () => {
    const reply = await post("ann", "/notes");
    assert.deepEqual([reply.status, faultsOf(reply)], refused, reply.text);
    assert.equal((await subject.client.send({ method: "PUT", path: "/halls/main", body: {} })).status, 201);
    assert.equal((await post("ann", "/notes")).status, 201);
  });
});

/** Both are known by numbers, and callers by the same as a text. */
const forum = documentOf({
  resources: {
    Writer: { id: "id(counter)", name: "string(1..20)", posts: "integer := Post.filter(p, p.author == id).size()" },
    Post: {
      id: "id(counter)",
      author: "Writer = caller, read-only",
      title: "string(1..20)",
      label: "string := 'by ' + string(author), filter",
      tag: "string := string(author)",
      likes: "integer := Like.filter(l, l.post == id && l.post.id != 0).size()",
    },
    Like: { id: "id(lik)", "by?": "Writer", post: "Post" },
  },
  endpoints: {
    endpoints: {
      addWriter: "POST /writers",
      getWriter: "GET /writers/{id}",
      addPost: "POST /posts",
      listPosts: "GET /posts",
      getPost: "GET /posts/{id}",
      changePost: "PATCH /posts/{id}",
      like: { at: "POST /posts/{id}/like", link: { in: "Like", with: { by: "int(caller.id)", post: "id" } } },
    },
  },
  authentication: {
    own: { Post: "string(author) == caller.id" },
    allow: {
      addPost: "signed-in",
      getPost: "signed-in if own",
      listPosts: "signed-in if own",
      changePost: "signed-in if own",
      like: "signed-in if own",
    },
  },
});

served("references by number", forum, (subject) => {
  const send = async (user: string, method: string, path: string, body?: object) =>
    subject.client.send({
      method,
      path,
      headers: by(await subject.running.key(user)),
      ...(body === undefined ? {} : { body }),
    });

  test("R2.10 are compared as numbers, in what is asked of the database and what is not", async () => {
    assert.deepEqual((await send("1", "POST", "/writers", { name: "Ann" })).json, { id: 1, name: "Ann", posts: 0 });
    const post = { id: 1, author: 1, title: "a", label: "by 1", tag: "1", likes: 0 };
    assert.deepEqual((await send("1", "POST", "/posts", { title: "a" })).json, post);
    assert.deepEqual((await send("1", "GET", "/posts")).json, { items: [post], next: null });
    assert.deepEqual((await send("1", "PATCH", "/posts/1", { title: "b" })).json, { ...post, title: "b" });
    assert.deepEqual((await send("1", "POST", "/posts/1/like")).json, { ...post, title: "b", likes: 1 });
    assert.deepEqual((await send("1", "GET", "/posts?label=by%201")).json, {
      items: [{ ...post, title: "b", likes: 1 }],
      next: null,
    });
    assert.deepEqual((await send("1", "GET", "/writers/1")).json, { id: 1, name: "Ann", posts: 1 });
    for (const other of ["2", "01", "1.0", "ann"])
      assert.equal((await send(other, "PATCH", "/posts/1", { title: "c" })).status, 404, other);
  });

  test("R2.10 a caller whose name is no number is no record", async () => {
    for (const user of ["nobody", "77", "01"]) {
      const reply = await send(user, "POST", "/posts", { title: "a" });
      assert.deepEqual([reply.status, faultsOf(reply)], [422, ["# reference-not-found"]], reply.text);
    }
  });
});
