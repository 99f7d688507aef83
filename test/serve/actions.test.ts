/** Operations of existing APIs: the caller's own record, following, lists at the root, resources with ids of clients. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf } from "../enforced/document.ts";
import { faultsOf, served } from "./scenario.ts";
import type { Subject } from "./scenario.ts";

function caller({ running, client }: Subject) {
  const keys = new Map<string, Promise<string>>();
  return async (who: string, method: string, path: string, body?: unknown, headers = {}) => {
    const key = keys.get(who) ?? running.key(who, "member");
    keys.set(who, key);
    const authorization = who === "nobody" ? {} : { Authorization: `Bearer ${await key}` };
    return client.send({
      method,
      path,
      headers: { ...authorization, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  };
}

function itemsOf(reply: { json: unknown }): readonly Record<string, unknown>[] {
  return (reply.json as { items: Record<string, unknown>[] }).items;
}

const signedIn = "signed-in";

const recipes = documentOf({
  resources: {
    Cook: {
      id: "string(1..20)",
      handle: "string(1..20), unique",
      "bio?": "string(1..99)",
      "secretName?": "string(1..20)",
      fans: "integer := Subscription.filter(s, s.of == id).size()",
      followed: "boolean := Subscription.exists(s, s.by == caller.id && s.of == id)",
    },
    Subscription: {
      id: "id(sub)",
      by: "Cook = caller, read-only, delete with",
      of: "Cook, delete with",
      since: "datetime = now, read-only",
      size: "integer = 0",
    },
    Recipe: {
      id: "id(rec)",
      slug: "string(1..20), unique, create-only",
      author: "Cook = caller, read-only",
      "title?": "string(1..40)",
      "labels?": "string(1..20)[]",
      draft: "boolean = true",
    },
    Note: { id: "id(not)", recipe: "Recipe", text: "string(1..99)" },
    rules: { Subscription: ["unique by + of", "by != of else self-love", "size < 5 else too-many"] },
  },
  endpoints: {
    lists: "cursor, 20 per page, at most 50",
    endpoints: {
      putCook: "PUT /cooks/{id}",
      getCook: { at: "GET /profiles/{handle}", of: "Cook" },
      getMe: { at: "GET /me", of: "Cook", the: "id == caller.id" },
      changeMe: {
        at: "PUT /me",
        of: "Cook",
        the: "id == caller.id",
        does: "update",
        takes: { "bio?": "string(1..99)" },
      },
      removeMe: { at: "DELETE /me", of: "Cook", the: "id == caller.id" },
      follow: {
        at: "POST /profiles/{handle}/follow",
        of: "Cook",
        link: { in: "Subscription", with: { by: "caller.id", of: "id" } },
      },
      unfollow: {
        at: "DELETE /profiles/{handle}/follow",
        of: "Cook",
        unlink: { in: "Subscription", with: { by: "caller.id", of: "id" } },
      },
      join: {
        at: "POST /profiles/{handle}/join",
        of: "Cook",
        takes: { subscription: { size: "integer(0..9)" } },
        link: { in: "Subscription", with: { by: "caller.id", of: "id", size: "input.size" } },
        if: "input.size != 3",
        else: "too-many",
      },
      part: {
        at: "POST /profiles/{handle}/part",
        of: "Cook",
        takes: { "why?": "string(1..9)" },
        unlink: { in: "Subscription", with: { by: "caller.id", of: "id" } },
      },
      listSubscriptions: "GET /subscriptions",
      addRecipe: "POST /recipes",
      getRecipe: "GET /recipes/{slug}",
      listRecipes: {
        at: "GET /recipes",
        filters: {
          label: "label in labels",
          author: "author.handle == value",
          ofName: "author.secretName == value",
          fanOf: "Subscription.exists(s, s.by.handle == value && s.of == author)",
          draft: "draft == value",
        },
      },
      feed: {
        at: "GET /recipes/feed",
        of: "Recipe",
        where: "Subscription.exists(s, s.by == caller.id && s.of == author)",
      },
      clearDrafts: { at: "DELETE /drafts", of: "Recipe", where: "draft" },
      removeRecipe: { at: "DELETE /recipes/{slug}", gives: { slug: "slug" } },
      addNote: "POST /notes",
    },
  },
  authentication: {
    own: { Recipe: "author == caller.id", Subscription: "by == caller.id" },
    allow: {
      putCook: "anyone",
      getCook: "anyone",
      getMe: signedIn,
      changeMe: signedIn,
      removeMe: signedIn,
      follow: signedIn,
      unfollow: signedIn,
      join: signedIn,
      part: signedIn,
      listSubscriptions: "anyone",
      addRecipe: signedIn,
      getRecipe: "anyone",
      listRecipes: "anyone",
      feed: signedIn,
      clearDrafts: "signed-in if own",
      removeRecipe: "signed-in if own",
      addNote: "anyone",
    },
    show: { "Cook.secretName": "admin" },
  },
  events: {
    out: { followed: "follow", unfollowed: "unfollow", cleared: "clearDrafts" },
    delivery: { stream: { at: "GET /events", for: "signed-in" } },
  },
  errors: {
    errors: { "self-love": "422 Nobody follows themselves", "too-many": "422 Too many" },
  },
  limits: { quota: { Subscription: "3 per user" } },
});

served("recipes", recipes, (subject) => {
  let send: ReturnType<typeof caller>;
  let count = 0;
  test("begin", () => {
    send = caller(subject);
  });

  async function cook(): Promise<string> {
    const id = `cook${(count += 1)}`;
    assert.equal((await send("nobody", "PUT", `/cooks/${id}`, { handle: `${id}-h` })).status, 201);
    return id;
  }

  test("one's own record is read, changed and deleted without a key", async () => {
    const [ann, bob] = [await cook(), await cook()];
    assert.equal(((await send(ann, "GET", "/me")).json as { id: string }).id, ann);
    const changed = await send(bob, "PUT", "/me", { bio: "b" });
    assert.deepEqual([changed.status, (changed.json as { id: string; bio: string }).bio], [200, "b"]);
    assert.equal(((await send(ann, "GET", "/me")).json as { bio?: string }).bio, undefined);
    assert.equal((await send("nobody", "GET", "/me")).status, 401);
    assert.equal((await send("ghost", "GET", "/me")).status, 404);
    assert.equal((await send("ghost", "PUT", "/me", { bio: "b" })).status, 404);
    const read = await send(ann, "GET", "/me");
    assert.equal((await send(ann, "GET", "/me", undefined, { "If-None-Match": read.headers["etag"] })).status, 304);
    assert.equal((await send(ann, "DELETE", "/me")).status, 204);
    assert.equal((await send(ann, "GET", "/me")).status, 404);
    assert.equal((await send("nobody", "GET", `/profiles/${bob}-h`)).status, 200);
  });

  test("of 50 at once one follows, all are told so, and it is one event", async () => {
    const [ann, bob] = [await cook(), await cook()];
    const replies = await Promise.all(Array.from({ length: 50 }, () => send(ann, "POST", `/profiles/${bob}-h/follow`)));
    for (const { status, json } of replies) {
      assert.equal(status, 200);
      assert.partialDeepStrictEqual(json, { id: bob, fans: 1, followed: true });
    }
    const kept = itemsOf(await send(ann, "GET", "/subscriptions")).filter(({ by }) => by === ann);
    assert.equal(kept.length, 1);
    assert.deepEqual([kept[0]?.["of"], kept[0]?.["size"], typeof kept[0]?.["since"]], [bob, 0, "string"]);
    const told = (await subject.running.store.journal.events(0, 10_000)).filter(
      ({ event, data }) => event === "followed" && data?.["by"] === ann,
    );
    assert.deepEqual(
      told.map(({ resource, data }) => [resource, data?.["of"]]),
      [["Subscription", bob]],
    );
  });

  test("unfollowing is done any number of times, and is told once", async () => {
    const [ann, bob] = [await cook(), await cook()];
    assert.equal((await send(ann, "DELETE", `/profiles/${bob}-h/follow`)).status, 200);
    await send(ann, "POST", `/profiles/${bob}-h/follow`);
    for (const _ of [1, 2]) {
      const reply = await send(ann, "DELETE", `/profiles/${bob}-h/follow`);
      assert.partialDeepStrictEqual(reply.json, { id: bob, fans: 0, followed: false });
    }
    const told = (await subject.running.store.journal.events(0, 10_000)).filter(
      ({ event, data }) => event === "unfollowed" && data?.["by"] === ann,
    );
    assert.equal(told.length, 1);
  });

  test("a link is made by the rules of any creation, or not at all", async () => {
    const ann = await cook();
    const others = [await cook(), await cook(), await cook(), await cook()];
    const self = await send(ann, "POST", `/profiles/${ann}-h/follow`);
    assert.deepEqual([self.status, (self.json as { code: string }).code], [422, "self-love"]);
    for (const one of others.slice(0, 3))
      assert.equal((await send(ann, "POST", `/profiles/${one}-h/follow`)).status, 200);
    const full = await send(ann, "POST", `/profiles/${others[3]}-h/follow`);
    assert.deepEqual([full.status, (full.json as { code: string }).code], [403, "quota-exceeded"]);
    assert.equal((await send(ann, "POST", `/profiles/${others[0]}-h/follow`)).status, 200, "it is there already");
    assert.equal((await send(ann, "POST", "/profiles/nobody-h/follow")).status, 404);
    assert.equal((await send("nobody", "POST", `/profiles/${ann}-h/follow`)).status, 401);
    const ghost = await send("ghost", "POST", `/profiles/${ann}-h/follow`);
    assert.deepEqual([ghost.status, faultsOf(ghost)], [422, ["# reference-not-found"]]);
    assert.equal((await send(ann, "POST", `/profiles/${others[0]}-h/follow`, { a: 1 })).status, 400);
    assert.equal((await send(ann, "POST", `/profiles/${others[0]}-h/follow`, {})).status, 200);
  });

  test("what a link takes is judged as any body is, and can be one of its values", async () => {
    const [ann, bob] = [await cook(), await cook()];
    const join = (body?: unknown) => send(ann, "POST", `/profiles/${bob}-h/join`, body);
    const joined = await join({ subscription: { size: 2 } });
    assert.equal(joined.status, 200);
    assert.partialDeepStrictEqual(joined.json, { id: bob, fans: 1 });
    const [made] = itemsOf(await send(ann, "GET", "/subscriptions")).filter(({ by }) => by === ann);
    assert.equal(made?.["size"], 2);
    for (const [body, status, fault] of [
      [{ subscription: { size: 10 } }, 422, "#/subscription/size too-large"],
      [{ subscription: { size: 1, by: "x" } }, 422, "#/subscription/by unknown-field"],
      [{ size: 1 }, 422, "#/subscription required"],
      [{}, 422, "#/subscription required"],
    ] as const) {
      const wrong = await join(body);
      assert.equal(wrong.status, status, JSON.stringify(body));
      assert.ok(faultsOf(wrong).includes(fault), `${fault}: ${faultsOf(wrong).join()}`);
    }
    assert.equal((await join()).status, 415, "there is no body");
    assert.equal(((await join({ subscription: { size: 3 } })).json as { code: string }).code, "too-many");
    const part = (body?: unknown) => send(ann, "POST", `/profiles/${bob}-h/part`, body);
    assert.deepEqual(faultsOf(await part({ why: "" })), ["#/why too-short"]);
    assert.partialDeepStrictEqual((await part({ why: "bored" })).json, { id: bob, fans: 0 });
    assert.equal((await part()).status, 200, "nothing has to be sent, and nothing is left to do");
  });

  test("a list is cut down by what the document says, page by page", async () => {
    const [ann, bob, eve] = [await cook(), await cook(), await cook()];
    await send(eve, "POST", `/profiles/${ann}-h/follow`);
    for (let each = 0; each < 6; each += 1)
      await send(each % 2 === 0 ? ann : bob, "POST", "/recipes", {
        slug: `${ann}-${each}`,
        labels: [`l${each % 3}`, ann],
      });
    const slugs = async (query: string, who = "nobody") =>
      itemsOf(await send(who, "GET", `/recipes${query}`)).map(({ slug }) => (slug as string).slice(ann.length + 1));
    assert.deepEqual(await slugs(`?label=${ann}`), ["5", "4", "3", "2", "1", "0"]);
    assert.deepEqual(await slugs(`?author=${ann}-h`), ["4", "2", "0"]);
    assert.deepEqual(await slugs(`?author=${ann}-h&label=l2`), ["2"]);
    assert.deepEqual(await slugs(`?fanOf=${eve}-h`), ["4", "2", "0"]);
    assert.deepEqual(await slugs("?author=nobody-h"), []);
    assert.deepEqual(await slugs("/feed", eve), ["4", "2", "0"]);
    assert.deepEqual(await slugs("/feed", ann), []);
    const first = await send("nobody", "GET", `/recipes?label=${ann}&limit=4`);
    const { next } = first.json as { next: string };
    assert.deepEqual(await slugs(`?label=${ann}&limit=4&cursor=${encodeURIComponent(next)}`), ["1", "0"]);
    for (const other of ["label=l1", `author=${ann}-h`, `label=${ann}&author=${ann}-h`]) {
      const moved = await send("nobody", "GET", `/recipes?${other}&limit=4&cursor=${encodeURIComponent(next)}`);
      assert.deepEqual([moved.status, faultsOf(moved)], [400, ["cursor bad-cursor"]], other);
    }
    for (const [query, fault] of [
      ["draft=yes", "draft wrong-type"],
      ["label=", "label wrong-type"],
      [`label=${"x".repeat(21)}`, "label too-long"],
      ["label[in]=a", "label[in] unknown-parameter"],
      ["fan=a", "fan unknown-parameter"],
    ] as const) {
      const wrong = await send("nobody", "GET", `/recipes?${query}`);
      assert.deepEqual([wrong.status, faultsOf(wrong)], [400, [fault]], query);
    }
  });

  test("a filter that reads what is hidden is none for whom it is hidden from", async () => {
    const wrong = await send("ann", "GET", "/recipes?ofName=a");
    assert.deepEqual([wrong.status, faultsOf(wrong)], [400, ["ofName unknown-parameter"]]);
    const key = await subject.running.key("boss", "admin");
    const headers = { Authorization: `Bearer ${key}` };
    assert.equal((await subject.client.send({ method: "GET", path: "/recipes?ofName=a", headers })).status, 200);
  });

  test("all that one may delete go at once, or none", async () => {
    const [ann, bob] = [await cook(), await cook()];
    const ids: string[] = [];
    for (const [who, slug, draft] of [
      [ann, "x", true],
      [ann, "y", true],
      [ann, "z", false],
      [bob, "w", true],
    ] as const) {
      const made = await send(who, "POST", "/recipes", { slug: `${ann}${slug}`, draft, labels: [ann] });
      ids.push((made.json as { id: string }).id);
    }
    await send("nobody", "POST", "/notes", { recipe: ids[1], text: "t" });
    const refused = await send(ann, "DELETE", "/drafts");
    assert.deepEqual([refused.status, (refused.json as { code: string }).code], [409, "still-referenced"]);
    const left = async () => itemsOf(await send("nobody", "GET", `/recipes?label=${ann}`)).length;
    assert.equal(await left(), 4);
    assert.equal((await send(bob, "DELETE", "/drafts")).status, 204);
    assert.equal(await left(), 3);
    assert.equal((await send("nobody", "DELETE", "/drafts")).status, 401);
    const told = (await subject.running.store.journal.events(0, 10_000)).filter(({ event }) => event === "cleared");
    assert.deepEqual(
      told.map(({ record }) => record),
      [ids[3]],
    );
  });

  test("a deletion gives what the document says, of the record as it was", async () => {
    const ann = await cook();
    await send(ann, "POST", "/recipes", { slug: `${ann}-r` });
    const gone = await send(ann, "DELETE", `/recipes/${ann}-r`);
    assert.deepEqual([gone.status, gone.json], [200, { slug: `${ann}-r` }]);
    assert.equal((await send(ann, "GET", `/recipes/${ann}-r`)).status, 404);
  });
});

const todos = documentOf({
  resources: { Todo: { id: "id(tod)", title: "string(1..40)", completed: "boolean = false" } },
  endpoints: {
    lists: { kind: "none", bare: "true" },
    endpoints: {
      listTodos: { at: "GET /", of: "Todo" },
      addTodo: { at: "POST /", of: "Todo" },
      clearTodos: { at: "DELETE /", of: "Todo" },
      getTodo: { at: "GET /{id}", of: "Todo" },
      changeTodo: { at: "PATCH /{id}", of: "Todo" },
      removeTodo: { at: "DELETE /{id}", of: "Todo", gives: {} },
    },
  },
});

served("todos at the root", todos, (subject) => {
  const send = (method: string, path: string, body?: unknown) =>
    subject.client.send({ method, path, ...(body === undefined ? {} : { body }) });

  test("the root is the collection, and is emptied at once", async () => {
    assert.deepEqual((await send("GET", "/")).json, []);
    const made = await send("POST", "/", { title: "a" });
    const { id } = made.json as { id: string };
    assert.deepEqual([made.status, made.headers["location"]], [201, `/${id}`]);
    await send("POST", "/", { title: "b" });
    assert.equal(((await send("GET", "/")).json as unknown[]).length, 2);
    assert.deepEqual((await send("PATCH", `/${id}`, { completed: true })).json, { id, title: "a", completed: true });
    const gone = await send("DELETE", `/${id}`);
    assert.deepEqual([gone.status, gone.json], [200, {}]);
    assert.equal((await send("GET", `/${id}`)).status, 404);
    assert.equal((await send("DELETE", "/")).status, 204);
    assert.equal((await send("DELETE", "/")).status, 204);
    assert.deepEqual((await send("GET", "/")).json, []);
    assert.equal((await send("PUT", "/", {})).status, 405);
    assert.equal((await send("GET", "/livez")).status, 200);
  });
});

const broker = documentOf({
  resources: {
    ServiceInstance: {
      id: "string(1..40)",
      service_id: "string(1..40), create-only",
      plan_id: "string(1..40)",
      slow: "boolean = false, create-only",
      "space?": "string(1..40), create-only",
    },
    ServiceBinding: {
      id: "string(1..40)",
      instance: "ServiceInstance, create-only",
      plan_id: "string(1..40), create-only",
    },
  },
  states: {
    ServiceInstance: {
      states: { "in-progress": "Is being made", succeeded: "Is there", removing: "Goes" },
      start: "in-progress",
      moves: { "in-progress -> succeeded": ["after 10s", "by finish"] },
    },
  },
  endpoints: {
    edits: "none",
    endpoints: {
      provision: {
        at: "PUT /v2/service_instances/{instance_id}",
        query: { "accepts_incomplete?": "boolean = false" },
        if: "state != null || !input.slow || input.accepts_incomplete",
        else: "async-required",
        gives: { dashboard: "'/dash/' + id" },
        status: { created: 201, same: 200, accepted: "202 if slow && state == 'in-progress'", differs: "conflict" },
      },
      finish: { at: "POST /v2/service_instances/{instance_id}/finish" },
      lastOperation: {
        at: "GET /v2/service_instances/{instance_id}/last_operation",
        query: { "plan_id?": "string(1..40)" },
        gives: { state: "state" },
        status: { "not-found": 410 },
      },
      deprovision: {
        at: "DELETE /v2/service_instances/{instance_id}",
        query: { service_id: "string(1..40)", plan_id: "string(1..40)" },
        if: "plan_id == input.plan_id && service_id == input.service_id",
        else: "conflict",
        gives: {},
        status: { "not-found": 410 },
      },
      bind: {
        at: "PUT /v2/service_instances/{instance_id}/service_bindings/{binding_id}",
        status: { created: 201, same: 200, differs: "conflict" },
      },
      addOnce: { at: "POST /bindings", of: "ServiceBinding", status: { created: 201, same: 200 } },
      listBindings: { at: "GET /bindings", of: "ServiceBinding" },
    },
  },
  errors: {
    errors: { "async-required": "422 Only asynchronously", conflict: "409 There is another one" },
  },
});

served("a broker of services", broker, (subject) => {
  const send = (method: string, path: string, body?: unknown) =>
    subject.client.send({ method, path, ...(body === undefined ? {} : { body }) });
  const at = (id: string, rest = "") => `/v2/service_instances/${id}${rest}`;
  const told = ({ status, json }: { status: number; json: unknown }) => [status, (json as { code?: string })?.code];

  test("made once, the same again, never another", async () => {
    const body = { service_id: "s", plan_id: "p", space: "x" };
    const made = await send("PUT", at("one"), body);
    assert.deepEqual([made.status, made.json], [201, { dashboard: "/dash/one" }]);
    const again = await send("PUT", at("one"), body);
    assert.deepEqual([again.status, again.json], [200, { dashboard: "/dash/one" }]);
    for (const other of [
      { ...body, plan_id: "q" },
      { ...body, service_id: "t" },
      { ...body, space: "y" },
    ])
      assert.deepEqual(told(await send("PUT", at("one"), other)), [409, "conflict"], JSON.stringify(other));
    assert.deepEqual(told(await send("PUT", at("one"), { plan_id: 1, service_id: "t" })), [422, "invalid-request"]);
    assert.deepEqual(told(await send("PUT", at("one"), {})), [422, "invalid-request"]);
    assert.deepEqual((await send("GET", at("one", "/last_operation?plan_id=p"))).json, { state: "in-progress" });
  });

  test("of 20 at once one makes it", async () => {
    const body = { service_id: "s", plan_id: "p" };
    const replies = await Promise.all(Array.from({ length: 20 }, () => send("PUT", at("many"), body)));
    const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
    assert.deepEqual(statuses, [...Array.from({ length: 19 }, () => 200), 201]);
  });

  test("what goes on is accepted, until it is done", async () => {
    const body = { service_id: "s", plan_id: "p", slow: true };
    assert.deepEqual(told(await send("PUT", at("two"), body)), [422, "async-required"]);
    assert.deepEqual(told(await send("PUT", at("two?accepts_incomplete=false"), body)), [422, "async-required"]);
    assert.deepEqual(told(await send("PUT", at("two?accepts_incomplete=1"), body)), [400, "invalid-request"]);
    const made = await send("PUT", at("two?accepts_incomplete=true"), body);
    assert.deepEqual([made.status, made.json], [202, { dashboard: "/dash/two" }]);
    assert.match(made.headers["retry-after"] ?? "", /^1[01]$/);
    assert.equal((await send("PUT", at("two?accepts_incomplete=true"), body)).status, 202);
    await send("POST", at("two", "/finish"));
    assert.equal((await send("PUT", at("two?accepts_incomplete=true"), body)).status, 200);
    assert.deepEqual((await send("GET", at("two", "/last_operation"))).json, { state: "succeeded" });
  });

  test("what is gone is 410, and what is asked for has to be told", async () => {
    await send("PUT", at("three"), { service_id: "s", plan_id: "p" });
    const missing = await send("DELETE", at("three?plan_id=p"));
    assert.deepEqual([missing.status, faultsOf(missing)], [400, ["service_id required"]]);
    assert.deepEqual(told(await send("DELETE", at("three?plan_id=q&service_id=s"))), [409, "conflict"]);
    const gone = await send("DELETE", at("three?plan_id=p&service_id=s"));
    assert.deepEqual([gone.status, gone.json], [200, {}]);
    assert.deepEqual(told(await send("DELETE", at("three?plan_id=p&service_id=s"))), [410, "not-found"]);
    assert.deepEqual(told(await send("GET", at("three", "/last_operation"))), [410, "not-found"]);
  });

  test("below its instance, which the path binds; and created once by its id", async () => {
    await send("PUT", at("four"), { service_id: "s", plan_id: "p" });
    const path = at("four", "/service_bindings/b1");
    assert.equal((await send("PUT", path, { plan_id: "p" })).status, 201);
    assert.equal((await send("PUT", path, { plan_id: "p" })).status, 200);
    assert.deepEqual(told(await send("PUT", path, { plan_id: "q" })), [409, "conflict"]);
    assert.deepEqual(told(await send("PUT", at("none", "/service_bindings/b1"), { plan_id: "p" })), [404, "not-found"]);
    const once = { id: "b2", instance: "four", plan_id: "p" };
    const made = await send("POST", "/bindings", once);
    assert.equal(made.status, 201);
    const again = await send("POST", "/bindings", { ...once, plan_id: "other" });
    assert.deepEqual([again.status, again.json], [200, made.json], "the record that there is, is given");
    assert.equal(itemsOf(await send("GET", "/bindings")).length, 2);
  });
});
