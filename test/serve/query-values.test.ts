/** Query parameters with several values (R4.13): lists with commas, repeated or with brackets, and objects (deepObject of OpenAPI). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf } from "../enforced/document.ts";
import { moduleOf } from "../export/client-of.ts";
import type { Reply } from "./client.ts";
import { faultsOf, served } from "./scenario.ts";

const shelf = documentOf({
  resources: {
    Thing: { id: "id(thi)", name: "string(1..40)", count: "integer", made: "datetime", "tags?": "string(1..9)[]" },
    types: {
      Range: { "min?": "integer", "max?": "integer(..100)" },
      Window: { "from?": "datetime", "sizes?": "(small | large)[](..2)", "inner?": "Range" },
    },
  },
  endpoints: {
    endpoints: {
      addThing: "POST /things",
      listThings: {
        at: "GET /things",
        lists: "cursor, 1 per page",
        order: "count",
        query: {
          "count?": "Range",
          "names?": "string(1..40)[](1..3), repeated",
          "made?": "Window",
        },
        where:
          "(input.count == null || input.count.min == null || count >= input.count.min) && (input.count == null || input.count.max == null || count <= input.count.max) && (input.names == null || name in input.names) && (input.made == null || input.made.from == null || made >= input.made.from)",
        filters: { tagged: { type: "string(1..9)[](1..3)", several: "repeated", if: "value.all(v, v in tags)" } },
      },
      echo: {
        at: "GET /echo",
        query: {
          "ids?": "integer[](..3)",
          "words?": "string(1..20)[](1..3), brackets",
          "when?": "Window",
          "labels?": "map(string(..9))",
          days: "date[](..3) = [2026-01-01], repeated",
        },
        gives: {
          ids: "input.ids",
          words: "input.words",
          from: "input.when.from",
          sizes: "input.when.sizes",
          max: "input.when.inner.max",
          labels: "input.labels",
          days: "input.days",
        },
      },
    },
  },
  authentication: { credentials: "none", allow: { "addThing, listThings, echo": "anyone" } },
});

const echoes: readonly (readonly [query: string, expected: object])[] = [
  ["", { ids: null, words: null, from: null, sizes: null, max: null, labels: null, days: ["2026-01-01"] }],
  ["ids=1,2", { ids: [1, 2] }],
  ["words[]=a&words[]=b%2Cc", { words: ["a", "b,c"] }],
  ["words[0]=a&words[1]=b", { words: ["a", "b"] }],
  ["words%5B%5D=a", { words: ["a"] }],
  ["days=2026-02-03&days=2026-02-04", { days: ["2026-02-03", "2026-02-04"] }],
  ["days=2026-02-03", { days: ["2026-02-03"] }],
  ["when[from]=2026-01-01T02:00:00%2B02:00", { from: "2026-01-01T00:00:00.000Z" }],
  ["when[sizes][]=small&when[sizes][]=large", { sizes: ["small", "large"] }],
  ["when[inner][max]=7", { max: 7 }],
  ["labels[a]=x&labels[constructor]=y", { labels: { a: "x", constructor: "y" } }],
];

const wrong: readonly (readonly [query: string, parameter: string, code: string])[] = [
  ["ids=1,x", "ids", "wrong-type"],
  ["ids=1,2,3,4", "ids", "too-many"],
  ["ids=1&ids=2", "ids", "repeated-parameter"],
  ["ids[]=1", "ids[]", "unknown-parameter"],
  ["words=a", "words", "unknown-parameter"],
  ["words[x]=a", "words", "wrong-type"],
  ["words[0]=a&words[0]=b", "words[0]", "repeated-parameter"],
  ["words[0][a]=b", "words[0]", "wrong-type"],
  ["words[]=a&words[]=b&words[]=c&words[]=d", "words", "too-many"],
  ["when=x", "when", "unknown-parameter"],
  ["when[from]=yesterday", "when[from]", "wrong-format"],
  ["when[other]=1", "when[other]", "unknown-field"],
  ["when[inner]=1&when[inner][max]=2", "when[inner][max]", "wrong-type"],
  ["when[inner][max]=101", "when[inner][max]", "too-large"],
  ["when[sizes][]=huge", "when[sizes][0]", "not-one-of"],
  ["labels[a]=0123456789", "labels[a]", "too-long"],
  [`labels${"[a]".repeat(11)}=x`, `labels${"[a]".repeat(11)}`, "wrong-type"],
  ["days=2026-02-30", "days", "wrong-format"],
  ["day=2026-02-03", "day", "unknown-parameter"],
];

served("query values", shelf, (subject) => {
  const get = (path: string): Promise<Reply> => subject.client.send({ method: "GET", path });

  void test("in the forms that the document declares", async () => {
    for (const [query, expected] of echoes) {
      const { json, status, text } = await get(`/echo?${query}`);
      assert.equal(status, 200, `${query}: ${text}`);
      for (const [name, value] of Object.entries(expected))
        assert.deepEqual((json as Record<string, unknown>)[name], value, query);
    }
  });

  void test("invalid ones are rejected with their name", async () => {
    for (const [query, parameter, code] of wrong) {
      const reply = await get(`/echo?${query}`);
      assert.equal(reply.status, 400, `${query}: ${reply.text}`);
      assert.deepEqual(faultsOf(reply), [`${parameter} ${code}`], `${query}: ${reply.text}`);
    }
  });

  void test("in the conditions of a list, and in the address of its next page", async () => {
    for (const [count, name] of ["a", "b", "c", "d", "e"].entries()) {
      const body = { name, count, made: `2026-01-0${count + 1}T00:00:00Z`, tags: ["x", ...(count > 2 ? ["y"] : [])] };
      assert.equal((await subject.client.send({ method: "POST", path: "/things", body })).status, 201);
    }
    const namesOf = async (query: string): Promise<string> => {
      const names: string[] = [];
      let target: string | undefined = `/things?${query}`;
      while (target !== undefined) {
        const reply = await get(target);
        assert.equal(reply.status, 200, `${target}: ${reply.text}`);
        names.push(...(reply.json as { items: { name: string }[] }).items.map((one) => one.name));
        target = /<http:\/\/[^/]+([^>]+)>; rel="next"/.exec(String(reply.headers["link"] ?? ""))?.[1];
      }
      return names.join("");
    };
    assert.equal(await namesOf(""), "abcde");
    assert.equal(await namesOf("count[min]=1&count[max]=3"), "bcd");
    assert.equal(await namesOf("names=e&names=a&names=c"), "ace");
    assert.equal(await namesOf("made[from]=2026-01-03T01:00:00%2B01:00&names=c&names=a"), "c");
    assert.equal(await namesOf("tagged=x&tagged=y"), "de");
  });

  void test("as the exported client sends them", async () => {
    const { createClient } = await moduleOf(subject.running.plan);
    const client = createClient({ baseUrl: subject.running.url });
    const when = { from: "2026-01-01T02:00:00+02:00", sizes: ["small", "large"], inner: { max: 7 } };
    const query = {
      ids: [1, 2],
      "words[]": ["a", "b,c"],
      days: ["2026-02-03", "2026-02-04"],
      when,
      labels: { a: "x&y" },
    };
    assert.deepEqual(
      { ...(await client.echo(query)) },
      {
        ids: [1, 2],
        words: ["a", "b,c"],
        from: "2026-01-01T00:00:00.000Z",
        sizes: ["small", "large"],
        max: 7,
        labels: { a: "x&y" },
        days: ["2026-02-03", "2026-02-04"],
      },
    );
  });
});
