/** The unchanged `@octokit/rest` works with examples/issue-tracker.md: each operation, pages, filters, media types and errors. */
import assert from "node:assert/strict";
import test from "node:test";
import { Octokit } from "@octokit/rest";
import { openTracker, stores } from "./tracker.ts";

/** The status and message of the error with which a call fails. */
async function failure(call: Promise<unknown>): Promise<readonly [status: number, message: string]> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const { status, response } = error as { status: number; response: { data: { message: string } } };
  return [status, response.data.message];
}

for (const store of stores) {
  test(`Octokit works unchanged (${store})`, async (t) => {
    await using tracker = await openTracker(store);
    const as = (auth?: string): Octokit =>
      new Octokit({ baseUrl: tracker.url, ...(auth === undefined ? {} : { auth }), log: silent });
    const [ann, bob, anyone] = [as(tracker.tokens.ann), as(tracker.tokens.bob), as()];
    for (const [one, login] of [
      [ann, "ann"],
      [bob, "bob"],
    ] as const)
      await one.request("PUT /users/{login}", { login, name: login.toUpperCase() });
    const at = { owner: "ann", repo: "site" };

    await t.test("accounts and repositories", async () => {
      const { data: user } = await ann.rest.users.getAuthenticated();
      assert.deepEqual([user.login, user.name], ["ann", "ANN"]);
      const { data, status } = await ann.rest.repos.createForAuthenticatedUser({ name: "site", description: "A site" });
      assert.deepEqual([status, data.full_name, data.owner.login], [201, "ann/site", "ann"]);
      assert.equal((await anyone.rest.repos.get(at)).data.description, "A site");
      assert.deepEqual(await failure(anyone.rest.repos.get({ ...at, repo: "other" })), [404, "Not Found"]);
      assert.equal((await failure(ann.rest.repos.createForAuthenticatedUser({ name: "site" })))[0], 422);
      assert.deepEqual(await failure(as("it_wrong").rest.users.getAuthenticated()), [401, "Bad credentials"]);
    });

    await t.test("labels", async () => {
      for (const name of ["bug", "good first issue"])
        assert.equal((await ann.rest.issues.createLabel({ ...at, name, color: "ff0000" })).status, 201);
      assert.equal((await failure(ann.rest.issues.createLabel({ ...at, name: "bug" })))[0], 422);
      assert.equal((await failure(bob.rest.issues.createLabel({ ...at, name: "mine" })))[0], 403);
      const name = "good first issue";
      assert.equal((await anyone.rest.issues.getLabel({ ...at, name })).data.color, "ff0000");
      const changed = await ann.rest.issues.updateLabel({ ...at, name, description: "Start here" });
      assert.equal(changed.data.description, "Start here");
      const { data } = await anyone.rest.issues.listLabelsForRepo(at);
      assert.deepEqual(
        data.map((label) => label.name),
        ["bug", name],
      );
      await ann.rest.issues.createLabel({ ...at, name: "old" });
      assert.equal((await ann.rest.issues.deleteLabel({ ...at, name: "old" })).status, 204);
      assert.deepEqual(await failure(ann.rest.issues.getLabel({ ...at, name: "old" })), [404, "Not Found"]);
    });

    await t.test("issues: created, read, edited, closed", async () => {
      const { data: issue, status } = await bob.rest.issues.create({
        ...at,
        title: "It is broken",
        body: "Very",
        labels: ["bug"],
        // GitHub knows more members than this service.
        assignees: ["ann"],
      });
      assert.equal(status, 201);
      assert.deepEqual([issue.number, issue.state, issue.user?.login, issue.locked], [1, "open", "bob", false]);
      assert.deepEqual(
        issue.labels.map((label) => (typeof label === "string" ? label : label.name)),
        ["bug"],
      );
      await ann.rest.issues.create({ ...at, title: "Another" });
      const read = await anyone.rest.issues.get({ ...at, issue_number: 1, mediaType: { format: "full" } });
      assert.equal(read.data.title, "It is broken");
      assert.equal(read.headers["content-type"], "application/json");
      const closed = await ann.rest.issues.update({
        ...at,
        issue_number: 1,
        state: "closed",
        state_reason: "completed",
      });
      assert.deepEqual([closed.data.state, closed.data.title], ["closed", "It is broken"]);
      assert.equal((await failure(bob.rest.issues.update({ ...at, issue_number: 2, title: "Mine" })))[0], 403);
      assert.deepEqual(await failure(bob.rest.issues.get({ ...at, issue_number: 9 })), [404, "Not Found"]);
      assert.deepEqual(await failure(anyone.rest.issues.create({ ...at, title: "No" })), [401, "Bad credentials"]);
      const refused = await bob.rest.issues.create({ ...at, title: "" }).catch((error: unknown) => error);
      const { data } = (refused as { response: { data: { message: string; errors: readonly object[] } } }).response;
      assert.deepEqual([data.message, data.errors], ["Validation Failed", [{ field: "title", code: "too-short" }]]);
    });

    await t.test("issues: pages, filters, orders", async () => {
      for (let count = 3; count <= 8; count += 1) await ann.rest.issues.create({ ...at, title: `Task ${count}` });
      const numbers = async (query: object): Promise<readonly number[]> =>
        (await anyone.rest.issues.listForRepo({ ...at, ...query })).data.map((issue) => issue.number);
      assert.deepEqual(await numbers({}), [8, 7, 6, 5, 4, 3, 2]);
      assert.deepEqual(await numbers({ state: "closed" }), [1]);
      assert.deepEqual(await numbers({ state: "all", creator: "bob" }), [1]);
      assert.deepEqual(await numbers({ state: "all", labels: "bug" }), [1]);
      assert.deepEqual(await numbers({ sort: "created", direction: "asc", per_page: 2, page: 2 }), [4, 5]);
      assert.deepEqual(await numbers({ since: "2100-01-01T00:00:00Z" }), []);
      assert.equal((await numbers({ per_page: 1000 })).length, 7);
      const all = await anyone.paginate(anyone.rest.issues.listForRepo, { ...at, state: "all", per_page: 3 });
      assert.deepEqual(
        all.map((issue) => issue.number),
        [8, 7, 6, 5, 4, 3, 2, 1],
      );
      const { headers } = await anyone.rest.issues.listForRepo({ ...at, per_page: 3, page: 2 });
      for (const rel of ["first", "prev", "next", "last"]) assert.match(headers.link ?? "", new RegExp(`rel="${rel}"`));
    });

    await t.test("comments, and a conversation that is locked", async () => {
      const { data: comment } = await bob.rest.issues.createComment({ ...at, issue_number: 2, body: "Me too" });
      assert.deepEqual([comment.user?.login, comment.body], ["bob", "Me too"]);
      const one = { ...at, comment_id: comment.id };
      assert.equal((await anyone.rest.issues.getComment(one)).data.body, "Me too");
      assert.equal((await bob.rest.issues.updateComment({ ...one, body: "Not me" })).data.body, "Not me");
      assert.equal((await anyone.rest.issues.listComments({ ...at, issue_number: 2 })).data.length, 1);
      assert.equal((await anyone.rest.issues.get({ ...at, issue_number: 2 })).data.comments, 1);
      assert.equal((await ann.rest.issues.lock({ ...at, issue_number: 2 })).status, 204);
      assert.equal((await failure(bob.rest.issues.createComment({ ...at, issue_number: 2, body: "?" })))[0], 403);
      assert.equal((await ann.rest.issues.createComment({ ...at, issue_number: 2, body: "The end" })).status, 201);
      assert.equal((await ann.rest.issues.unlock({ ...at, issue_number: 2 })).status, 204);
      assert.equal((await bob.rest.issues.createComment({ ...at, issue_number: 2, body: "Thanks" })).status, 201);
      assert.equal((await bob.rest.issues.deleteComment(one)).status, 204);
      assert.equal((await failure(bob.rest.issues.getComment(one)))[0], 404);
    });

    await t.test("milestones", async () => {
      const { data } = await ann.rest.issues.createMilestone({ ...at, title: "1.0" });
      assert.deepEqual([data.number, data.state], [1, "open"]);
      const one = { ...at, milestone_number: 1 };
      assert.equal((await ann.rest.issues.updateMilestone({ ...one, state: "closed" })).data.state, "closed");
      assert.equal((await anyone.rest.issues.getMilestone(one)).data.title, "1.0");
      const closed = await anyone.rest.issues.listMilestones({ ...at, state: "closed" });
      assert.deepEqual(
        closed.data.map((milestone) => milestone.number),
        [1],
      );
      assert.equal((await ann.rest.issues.deleteMilestone(one)).status, 204);
      assert.equal((await ann.rest.issues.createMilestone({ ...at, title: "2.0" })).data.number, 2);
    });
  });
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };
