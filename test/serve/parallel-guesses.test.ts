/**
 * R5.7 Of any number of concurrent guesses, exactly as many are verified as the failure limit allows; the others get 429 without
 * any read or hash. Concurrent correct passwords all succeed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { register } from "../../src/runtime/auth/oauth/registered.ts";
import { memoryRates } from "../store/memory-rates.ts";
import type { Rates, Store } from "../../src/store/port/store.ts";
import { withMembers } from "../with-members.ts";
import type { Reply } from "./client.ts";
import { documentText, type Subject, serve, stores } from "./scenario.ts";

const document = documentText("notebook").replace(
  "  app:\n",
  "  direct: { kind: basic, of: User, name: email, secret: password, roles: field role }\n  app:\n",
);
const password = "correct horse battery";
const allowed = 10;
const guesses = 40;
const redirect = "https://client.example/back";

/** How many records were looked for by a name, which comes before each hash. */
function lookups(): { readonly around: (store: Store) => Store; count: number } {
  const looked = {
    count: 0,
    around: (store: Store): Store =>
      withMembers(store, {
        read: (query) => {
          const read = store.read(query);
          if (query.key !== "email") return read;
          return (...given) => {
            looked.count += 1;
            return read(...given);
          };
        },
      }),
  };
  return looked;
}

type Guess = (index: number, right: boolean) => Promise<Reply>;

const basic = (user: string, secret: string): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}`,
});
const form = (fields: Readonly<Record<string, string>>): string => new URLSearchParams(fields).toString();
const formType = { "Content-Type": "application/x-www-form-urlencoded" };

/** Each way to guess a password; gives the guess and the status of a wrong one. */
const ways: Readonly<Record<string, (subject: Subject, email: string) => Promise<{ guess: Guess; wrong: number }>>> = {
  "an operation that logs in": async ({ client }, email) => ({
    wrong: 401,
    guess: (index, right) =>
      client.send({
        method: "POST",
        path: "/login",
        body: { email, password: right ? password : `wrong guess ${index}` },
      }),
  }),
  "Basic of a record": async ({ client }, email) => ({
    wrong: 401,
    guess: (index, right) =>
      client.send({
        method: "GET",
        path: "/notes",
        headers: basic(email, right ? password : `wrong guess ${index}`),
      }),
  }),
  "the login page": async ({ client, running }, email) => {
    await running.keyOf("app", "acme", "reader", "writer");
    const key = (await running.store.keys.list()).find(({ user }) => user === "acme");
    assert(key !== undefined);
    await register(running.store.grants, key, { redirects: [redirect], isPublic: true });
    const query = form({
      client_id: key.id,
      response_type: "code",
      redirect_uri: redirect,
      scope: "notes:read",
      state: "s",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
    });
    const begun = await client.send({ method: "GET", path: `/oauth/authorize?${query}` });
    const cookies = [...(begun.headers["set-cookie"] ?? "").matchAll(/(?:^|, )([a-z_.]+=[^;]+)/g)].map(
      ([, one]) => one,
    );
    const path = new URL(begun.headers["location"] ?? "", running.url).pathname;
    const headers = { Cookie: cookies.join("; ") };
    const page = await client.send({ method: "GET", path, headers });
    const [, token = ""] = /name="token" value="([^"]+)"/.exec(page.text) ?? [];
    return {
      wrong: 400,
      guess: (index, right) =>
        client.send({
          method: "POST",
          path,
          headers: { ...headers, ...formType },
          body: form({ token, answer: "login", name: email, secret: right ? password : `wrong guess ${index}` }),
        }),
    };
  },
};

async function withUser(subject: Subject): Promise<string> {
  const email = "ann@example.com";
  const made = await subject.client.send({ method: "POST", path: "/users", body: { email, password } });
  assert.equal(made.status, 201, made.text);
  return email;
}

function counts(replies: readonly Reply[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...Map.groupBy(replies, ({ status }) => status)].map(([status, { length }]) => [status, length]),
  );
}

const all = <Value>(count: number, make: (index: number) => Promise<Value>): Promise<readonly Value[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

for (const store of stores) {
  for (const [name, way] of Object.entries(ways)) {
    for (const [counted, options] of [["alone", {}], ["together", { rates: memoryRates() }]] as const) // biome-ignore format: a table
      test(`R5.7 ${name}, counted ${counted}: exactly ${allowed} of ${guesses} at once are verified (${store})`, async () => {
        const looked = lookups();
        await using subject = await serve(document, { store, around: looked.around, ...options });
        const { guess, wrong } = await way(subject, await withUser(subject));
        looked.count = 0;
        const replies = await all(guesses, (index) => guess(index, false));
        assert.deepEqual(counts(replies), { [wrong]: allowed, 429: guesses - allowed });
        // Basic needs the record to know whether this very secret was right before.
        if (!name.startsWith("Basic")) assert.equal(looked.count, allowed, "nothing is read for the others");
        for (const { status, headers } of replies)
          if (status === 429) assert.ok(Number(headers["retry-after"]) >= 1 && Number(headers["retry-after"]) <= 60);
        assert.equal((await guess(guesses, true)).status, 429, "a right guess too");
        subject.running.pass(60_001);
        assert.equal((await guess(guesses, false)).status, wrong);
      });
  }

  test(`R5.7 any number of right passwords at once pass (${store})`, async () => {
    await using subject = await serve(document, { store });
    const email = await withUser(subject);
    for (const name of ["an operation that logs in", "Basic of a record"] as const) {
      const { guess } = await (ways[name] as (typeof ways)[string])(subject, email);
      assert.deepEqual(counts(await all(20, (index) => guess(index, true))), { 200: 20 }, name);
      // They are no failures: all ten are left.
      subject.running.pass(60_001);
      assert.deepEqual(counts(await all(20, (index) => guess(index, false))), { 401: 10, 429: 10 }, name);
      subject.running.pass(60_001);
    }
  });
}

/** Two services on one store, which count together. */
async function together(rates: Rates, run: (subjects: readonly Subject[]) => Promise<void>): Promise<void> {
  await using one = await serve(document, { store: "memory", rates });
  await using other = await serve(document, { store: "memory", rates });
  await run([one, other]);
}

test("R5.7 two processes together verify exactly as many, and so with keys and clients", async () => {
  await together(memoryRates(), async (subjects) => {
    const emails = await Promise.all(subjects.map(withUser));
    const login = ways["an operation that logs in"] as (typeof ways)[string];
    const made = await Promise.all(subjects.map((subject, index) => login(subject, emails[index] ?? "")));
    const replies = await all(guesses, (index) => (made[index % 2] as { guess: Guess }).guess(index, false));
    assert.deepEqual(counts(replies), { 401: allowed, 429: guesses - allowed });
    for (const { running } of subjects) running.pass(60_001);
    const keys = await all(40, (index) =>
      (subjects[index % 2] as Subject).client.send({
        method: "GET",
        path: "/notes",
        headers: { Authorization: `Bearer app_t_${index}` },
      }),
    );
    assert.deepEqual(counts(keys), { 401: allowed, 429: 30 });
    for (const { running } of subjects) running.pass(60_001);
    const clients = await all(40, (index) =>
      (subjects[index % 2] as Subject).client.send({
        method: "POST",
        path: "/oauth/token",
        headers: { ...formType, ...basic("key_1", `app_${index}`) },
        body: form({ grant_type: "client_credentials" }),
      }),
    );
    assert.deepEqual(counts(clients), { 401: allowed, 429: 30 });
  });
});
