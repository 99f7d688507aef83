/** examples/conduit.md, beyond RealWorld's own suite: other users, errors, pages, and requests of browsers. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createClient } from "../serve/client.ts";
import { everyAnswer } from "../serve/every-answer.ts";
import { run } from "../serve/running.ts";
import test from "node:test";

const text = readFileSync(new URL("../../examples/conduit.md", import.meta.url), "utf8");

for (const store of ["sqlite", "memory"] as const) {
  test(`people write, follow, favour and comment (${store})`, async () => {
    await using service = await run(text, { store });
    using client = createClient(service.port, everyAnswer(service.plan));
    const tokens = new Map<string, string>();
    const ask = async (who: string, request: string, status: number, body?: unknown) => {
      const [method = "", path = ""] = request.split(" ");
      const token = tokens.get(who);
      const headers = token === undefined ? {} : { Authorization: `Token ${token}` };
      const sent = { method, path: `/api${path}`, headers, ...(body === undefined ? {} : { body }) };
      const reply = await client.send(sent);
      assert.equal(reply.status, status, `${request}: ${reply.text}`);
      return reply.json as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    };
    const articles = async (who: string, path: string) => {
      const given = (await ask(who, `GET ${path}`, 200)) as unknown as {
        articles: { slug: string; favorited: boolean; author: { following: boolean } }[];
        articlesCount: number;
      };
      return {
        slugs: given.articles.map(({ slug }) => slug),
        followed: given.articles.map(({ author }) => author.following),
        favorited: given.articles.map(({ favorited }) => favorited),
        count: given.articlesCount,
      };
    };
    for (const username of ["ann", "bob"]) {
      const user = { username, email: `${username}@mail.example`, password: "correct horse" };
      const made = await ask("nobody", "POST /users", 201, { user });
      tokens.set(username, made["user"]?.["token"] as string);
    }

    const taken = { username: "ann", email: "bob", password: "short" };
    assert.deepEqual(await ask("nobody", "POST /users", 422, { user: taken }), {
      errors: { email: ["is invalid"], password: ["can't be blank"] },
    });
    const again = { ...taken, email: "ann@mail.example", password: "correct horse" };
    assert.deepEqual(Object.values((await ask("nobody", "POST /users", 422, { user: again }))["errors"] ?? {}), [
      ["has already been taken"],
    ]);
    const login = { email: "ann@mail.example", password: "wrong horse" };
    assert.deepEqual(Object.keys((await ask("nobody", "POST /users/login", 401, { user: login }))["errors"] ?? {}), [
      "body",
    ]);
    await ask("nobody", "GET /user", 401);
    const changed = await ask("ann", "PUT /user", 200, { user: { bio: "Bakes", image: "" } });
    assert.partialDeepStrictEqual(changed, { user: { username: "ann", bio: "Bakes", image: "" } });

    for (const [title, tagList] of [
      ["Rye Bread", ["rye", "bread"]],
      ["Pie", ["cake"]],
      ["Crème brûlée", undefined],
    ] as const)
      await ask("ann", "POST /articles", 201, { article: { title, description: "d", body: "b", tagList } });
    await ask("nobody", "POST /articles", 401, { article: { title: "t", description: "d", body: "b" } });
    for (const title of ["Feed", "!!!"])
      await ask("ann", "POST /articles", 422, { article: { title, description: "d", body: "b" } });
    const twice = await ask("bob", "POST /articles", 422, { article: { title: "pie!", description: "d", body: "b" } });
    assert.deepEqual(twice, { errors: { slug: ["has already been taken"] } });
    assert.deepEqual(await ask("nobody", "GET /tags", 200), { tags: ["bread", "cake", "rye"] });

    assert.deepEqual((await articles("bob", "/articles/feed")).slugs, []);
    await ask("bob", "POST /profiles/ann/follow", 200);
    await ask("bob", "POST /profiles/ann/follow", 200, { user: { email: "bob@mail.example" } });
    const feed = await articles("bob", "/articles/feed?limit=2&offset=1");
    assert.deepEqual([feed.slugs, feed.followed, feed.count], [["pie", "rye-bread"], [true, true], 3]);
    assert.deepEqual((await articles("ann", "/articles/feed")).slugs, []);
    assert.deepEqual((await articles("nobody", "/articles?tag=rye")).slugs, ["rye-bread"]);
    assert.deepEqual((await articles("nobody", "/articles?author=bob")).count, 0);
    await ask("bob", "POST /articles/pie/favorite", 200);
    assert.deepEqual((await articles("bob", "/articles?favorited=bob")).favorited, [true]);
    assert.deepEqual((await articles("ann", "/articles?favorited=bob")).favorited, [false]);

    await ask("bob", "PUT /articles/pie", 403, { article: { body: "mine" } });
    await ask("bob", "DELETE /articles/pie", 403);
    const said = await ask("bob", "POST /articles/pie/comments", 200, { comment: { body: "Good" } });
    await ask("ann", `DELETE /articles/pie/comments/${said["comment"]?.["id"] as number}`, 403);
    await ask("ann", "GET /articles/tart/comments", 404);
    const moved = await ask("ann", "PUT /articles/pie", 200, { article: { title: "Apple Pie" } });
    assert.partialDeepStrictEqual(moved, { article: { slug: "apple-pie", favoritesCount: 1 } });
    await ask("ann", "GET /articles/pie", 404);
    const { comments } = await ask("ann", "GET /articles/apple-pie/comments", 200);
    assert.partialDeepStrictEqual(comments, [{ body: "Good", author: { username: "bob", following: false } }]);
    await ask("ann", "DELETE /articles/apple-pie", 204);
    assert.deepEqual((await articles("bob", "/articles?favorited=bob")).slugs, []);

    const asked = { Origin: "https://app.example", "Access-Control-Request-Method": "POST" };
    const preflight = await client.send({ method: "OPTIONS", path: "/api/articles", headers: asked });
    assert.equal(preflight.headers["access-control-allow-origin"], "*");
    assert.match(preflight.headers["access-control-allow-headers"] ?? "", /Authorization, .*X-Requested-With/);
    assert.deepEqual(service.failures, []);
  });
}
