/** A run as a whole: the same seed makes the same requests, nothing is left behind, and the budget ends it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { crud, documentOf } from "../enforced/document.ts";
import { run } from "../serve/running.ts";
import { examples, serveTimed } from "./mutants/served.ts";
import { testRunning, testServed } from "./served.ts";

const things = documentOf({
  resources: { Thing: { id: "id(thi)", name: "string(1..40)", "count?": "integer(0..9)" } },
  endpoints: { endpoints: crud },
});

/** The requests of a run, without what the service and the system choose: ids, entity tags and ports. */
async function requestsWith(seed: number): Promise<readonly string[]> {
  const requests: string[] = [];
  await testServed(things, {
    seed,
    observed: ({ request: { body, method, url } }) =>
      requests.push(
        `${method} ${url} ${String(body)}`.replaceAll(/thi_\w+/g, "id").replace(/127\.0\.0\.1:\d+/, "service"),
      ),
  });
  return requests;
}

test("the same seed makes the same requests, and another one others", async () => {
  const requests = await requestsWith(3);
  assert.ok(requests.length > 50, `${requests.length}`);
  assert.deepEqual(await requestsWith(3), requests);
  assert.notDeepEqual(await requestsWith(4), requests);
});

test("the records that the test made are deleted at its end", async () => {
  await using running = await run(things, { store: "memory" });
  const { requests } = await testRunning(things, running, { workers: 2 });
  assert.ok(requests > 50, `${requests}`);
  const { items } = (await (await fetch(`${running.url}/things`)).json()) as { readonly items: readonly unknown[] };
  assert.deepEqual(items, []);
});

test("what the budget has no time for is not tried", async () => {
  const { cases } = await testServed(things, { budgetMilliseconds: -1 });
  const tried = cases.filter((one) => one.kind !== "not tried");
  assert.deepEqual(tried, []);
  assert.ok(cases.some((one) => one.kind === "not tried" && one.reason === "the test ran out of time"));
});

test("a case that runs when the budget ends sends nothing more, and only the records are deleted then", async () => {
  const late: string[] = [];
  const milliseconds = 250;
  let end = Number.POSITIVE_INFINITY;
  const { cases } = await testServed(things, {
    budgetMilliseconds: milliseconds,
    observed({ request: { method, url }, startedAt }) {
      end = Math.min(end, startedAt + milliseconds + 50);
      if (startedAt > end && method !== "DELETE") late.push(`${method} ${url}`);
    },
  });
  assert.deepEqual(late, []);
  const isOver = (one: (typeof cases)[number]): boolean =>
    one.kind === "not tried" && one.reason === "the test ran out of time";
  assert.ok(cases.some(isOver));
  assert.ok(cases.some(({ kind }) => kind === "holds"));
});

/** People sign up, so few of them a minute that each case has to wait for the next one. */
const people = documentOf({
  resources: {
    Person: { id: "id(per)", email: "email, unique", password: "string(8..72), secret", age: "integer(1..99)" },
  },
  endpoints: {
    endpoints: {
      register: "POST /people",
      login: {
        at: "POST /login",
        does: "login",
        of: "Person",
        takes: { email: "email", password: "string(1..72)" },
        gives: { token: "token(session)" },
      },
      getPerson: "GET /people/{id}",
    },
  },
  authentication: {
    credentials: {
      session: { kind: "password", of: "Person", name: "email", secret: "password", lasts: "60d", revoked: "at once" },
    },
    allow: { "register, login": "anyone", getPerson: "signed-in" },
  },
  limits: { rate: { anyone: "2/min per ip" } },
});

test("a sign-up that a rate limit rejects is sent again, also for a case that runs again with the smallest values", {
  timeout: 30_000,
}, async () => {
  const { cases } = await testServed(people, { served: people.replace("1..99", "1..98") });
  assert.ok(cases.some(({ kind }) => kind === "broken"));
});

test("records that functions make with another record, or in time, are found and tested", async () => {
  const { functions, text } = examples.find(({ name }) => name === "courier-rates") ?? assert.fail();
  await using running = await serveTimed(text, { store: "memory", ...(functions && { functions }) });
  const { statements } = await testRunning(text, running, { only: ["resources", "states"] });
  const kindOf = (path: string): string | undefined => statements.find((one) => one.statement.path === path)?.kind;
  for (const path of ["states/Invoice/moves/draft -> sent", "resources/Invoice/id", "resources/Day/id"])
    assert.equal(kindOf(path), "holds", path);
});
