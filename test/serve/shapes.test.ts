/** Responses and bodies in custom shapes: views, nested records, lists in an envelope, objects around fields. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply } from "./client.ts";
import { documentText, faultsOf, served, type Subject } from "./scenario.ts";

function crew(subject: Subject) {
  const keys = new Map<string, Promise<string>>();
  const keyOf = (who: string): Promise<string> => {
    const key = keys.get(who) ?? subject.running.key(who, "cook");
    keys.set(who, key);
    return key;
  };
  return async (who: string, request: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const [method = "", path = ""] = request.split(" ");
    const named = who === "" ? {} : { Authorization: `Bearer ${await keyOf(who)}` };
    return subject.client.send({
      method,
      path,
      headers: { ...named, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  };
}

served("shapes", documentText("recipes"), (subject) => {
  const send = crew(subject);
  let count = 0;
  const cook = async (): Promise<string> => {
    const id = `cook${(count += 1)}`;
    const user = { id, handle: id, email: "a@example.com", password: "a long one" };
    assert.equal((await send("", "POST /users", { user })).status, 201);
    return id;
  };
  const recipe = async (who: string, more: object = {}): Promise<string> => {
    const slug = `r${(count += 1)}`;
    const made = await send(who, "POST /recipes", { recipe: { slug, title: "Soup", body: "Water", ...more } });
    assert.equal(made.status, 201, made.text);
    return slug;
  };
  const given = (reply: Reply): Record<string, unknown> => (reply.json as { recipe: Record<string, unknown> }).recipe;

  test("a record is given with those that it refers to and that refer to it, as this caller sees them", async () => {
    const [ann, bob] = [await cook(), await cook()];
    const slug = await recipe(ann, { notes: "salt", labels: ["a"] });
    const id = ((await send(ann, `PATCH /recipes/${slug}`, { recipe: {} })).json as { whole: { id: string } }).whole.id;
    await send(bob, "POST /likes", { recipe: id });
    await send(bob, "POST /follows", { of: ann });
    assert.deepEqual((await send(bob, `POST /recipes/${slug}/comments`, { comment: { text: "Good" } })).json, {
      comment: { text: "Good", by: { handle: bob, image: null, following: false } },
    });
    const { createdAt, ...rest } = given(await send(bob, `GET /recipes/${slug}`));
    assert.match(String(createdAt), /^2/);
    assert.deepEqual(rest, {
      slug,
      title: "Soup",
      body: "Water",
      labels: ["a"],
      author: { handle: ann, image: null, following: true },
      favorited: true,
      favoritesCount: 1,
      comments: [{ text: "Good", by: { handle: bob, image: null, following: false } }],
    });
    const own = given(await send(ann, `GET /recipes/${slug}`));
    assert.partialDeepStrictEqual(own, {
      notes: "salt",
      preview: "salt",
      noted: true,
      favorited: false,
      author: { following: false },
    });
    const anybody = given(await send("", `GET /recipes/${slug}`));
    assert.deepEqual([anybody["notes"], anybody["preview"]], [undefined, undefined]);
    // Also what is worked out from it; of other records nobody sees it in whichever they are.
    assert(!("noted" in anybody) && !JSON.stringify([own, anybody]).includes("salt?"));
    assert(!("notedElsewhere" in own) && !("notedElsewhere" in anybody));
  });

  test("members stand where the document says, in what is taken and in what is given", async () => {
    const user = { id: "u1", handle: "u1", email: "u@example.com", password: "a long one", more: { bio: "Cooks" } };
    const made = await send("", "POST /users", { user });
    assert.deepEqual(
      [made.status, made.json],
      [201, { user: { handle: "u1", bio: "Cooks", image: null, following: false } }],
    );
    assert.equal(made.headers["location"], "/users/u1");
    await recipe("u1");
    const read = await send("", "GET /users/u1");
    assert.deepEqual(read.json, {
      user: { handle: "u1", bio: "Cooks", image: null, following: false },
      profile: { email: "u@example.com", recipes: 1 },
    });
  });

  const wrong: readonly (readonly [body: unknown, ...faults: string[]])[] = [
    [{}, "#/user required"],
    [{ user: [] }, "#/user wrong-type"],
    [{ user: {} }, "#/user/email required", "#/user/handle required", "#/user/id required", "#/user/password required"],
    [
      {
        user: { id: "x", handle: "x", email: "no", password: "short", admin: true, more: { bio: 1, more: 2 } },
        role: 1,
      },
      "#/role unknown-field",
      "#/user/admin unknown-field",
      "#/user/email wrong-format",
      "#/user/more/bio wrong-type",
      "#/user/more/more unknown-field",
      "#/user/password too-short",
    ],
    [
      { user: { id: "x", handle: "x", email: "a@example.com", password: "a long one", bio: "there" } },
      "#/user/bio unknown-field",
    ],
    [
      { user: { id: "x", handle: "x", email: "a@example.com", password: "a long one", more: null } },
      "#/user/more wrong-type",
    ],
  ];
  for (const [body, ...faults] of wrong) {
    test(`R7.2 ${JSON.stringify(body)} is refused where it is wrong`, async () => {
      const reply = await send("", "POST /users", body);
      assert.equal(reply.status, 422, reply.text);
      assert.deepEqual(faultsOf(reply).toSorted(), faults.toSorted());
    });
  }

  test("R2.11 what is taken is told at its place in the body", async () => {
    const ann = await cook();
    const user = { id: "other", handle: ann, email: "a@example.com", password: "a long one" };
    const reply = await send("", "POST /users", { user });
    assert.deepEqual([reply.status, faultsOf(reply)], [409, ["#/user/handle already-exists"]]);
  });

  test("a list stands in an envelope with its total, and its link goes on", async () => {
    const ann = await cook();
    for (let each = 0; each < 3; each += 1) await recipe(ann);
    const page = await send("", "GET /recipes?limit=2");
    const { recipes, meta } = page.json as {
      recipes: { author: object }[];
      meta: { recipesCount: number; next: number };
    };
    assert.deepEqual([recipes.length, meta.next], [2, 2]);
    assert(meta.recipesCount >= 3);
    assert.deepEqual(Object.keys(page.json as object), ["recipes", "meta"]);
    assert.match(page.headers["link"] ?? "", /offset=2>; rel="next"/);
    const bare = await send("", "GET /recipes/newest");
    assert.equal((bare.json as unknown[]).length, meta.recipesCount);
    assert.deepEqual((bare.json as unknown[]).slice(0, 2), recipes);
  });

  test("R4.16 a tag of what was read in a shape is of its revision: what else changes makes it old for reads alone", async () => {
    const [ann, bob] = [await cook(), await cook()];
    const slug = await recipe(ann);
    const first = await send(ann, `GET /recipes/${slug}`);
    const tag = first.headers["etag"] ?? "";
    assert.equal((await send(ann, `GET /recipes/${slug}`, undefined, { "If-None-Match": tag })).status, 304);
    await send(bob, "POST /follows", { of: ann });
    await send(bob, `POST /recipes/${slug}/comments`, { comment: { text: "Good" } });
    const second = await send(ann, `GET /recipes/${slug}`, undefined, { "If-None-Match": tag });
    assert.equal(second.status, 200);
    const changed = await send(ann, `PATCH /recipes/${slug}`, { recipe: { title: "Stew" } }, { "If-Match": tag });
    assert.deepEqual([changed.status, given(changed)["title"]], [200, "Stew"]);
    const written = changed.headers["etag"] ?? "";
    const again = await send(ann, `PATCH /recipes/${slug}`, { recipe: { body: "Broth" } }, { "If-Match": written });
    assert.deepEqual(
      [again.status, again.headers["cache-control"]],
      [200, "no-store"],
      "the tag of a write is for the next",
    );
    const stale = await send(ann, `PATCH /recipes/${slug}`, { recipe: { title: "x" } }, { "If-Match": tag });
    assert.equal(stale.status, 412);
    const whole = (changed.json as { whole: Record<string, unknown> }).whole;
    assert.deepEqual([whole["title"], whole["state"], whole["author"]], ["Stew", "draft", ann]);
  });

  test("a view is taken as the fields that callers set", async () => {
    const ann = await cook();
    const slug = await recipe(ann, { notes: "salt" });
    const put = await send(ann, `PUT /recipes/${slug}`, { slug, title: "Pie", body: "Flour" });
    assert.equal(put.status, 200, put.text);
    const { notes, title, labels } = put.json as Record<string, unknown>;
    // Of what a caller does not see of every record it cannot have meant to take anything away.
    assert.deepEqual([notes, title, labels], ["salt", "Pie", []]);
    const whole = await send(ann, "POST /recipes", { recipe: { slug: "x", title: "x", body: "x", favorited: true } });
    assert.deepEqual(faultsOf(whole), ["#/recipe/favorited unknown-field"]);
  });

  test("moves, deletions and repeats give their own shapes", async () => {
    const ann = await cook();
    const slug = await recipe(ann);
    const key = { "Idempotency-Key": slug };
    const path = `POST /recipes/${slug}/publish`;
    const moved = await send(ann, path, { options: { loud: true } }, key);
    assert.partialDeepStrictEqual(moved.json, { state: "shown", loud: true, recipe: { all: { slug, comments: [] } } });
    const again = await send(ann, path, { options: { loud: true } }, key);
    assert.deepEqual([again.headers["idempotent-replayed"], again.text], ["true", moved.text]);
    const wrongMove = await send(ann, path, { loud: true });
    assert.deepEqual(faultsOf(wrongMove).toSorted(), ["#/loud unknown-field", "#/options required"]);
    const gone = await send(ann, `DELETE /recipes/${slug}`);
    assert.equal(gone.status, 200, gone.text);
    assert.partialDeepStrictEqual(gone.json, { gone: slug, recipe: { slug, author: { handle: ann } } });
    assert.equal((await send(ann, `GET /recipes/${slug}`)).status, 404);
  });
});
