/** The engine of the playground, in Node: it checks, serves and keeps records as long as their form stays. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { address, createEngine, type Engine } from "../../playground/engine.ts";

const examplePaths = globSync("examples/*.md");
const todo = readFileSync("examples/todo-backend.md", "utf8");

function engineOf(notices: string[] = []): Engine {
  return createEngine({ clock: { now: () => Date.now() }, random: randomBytes, notice: (one) => notices.push(one) });
}

async function add(engine: Engine): Promise<string> {
  const headers = { "Content-Type": "application/json" };
  const response = await engine.respond(
    new Request(`${address}/`, { method: "POST", headers, body: '{"title":"rest"}' }),
  );
  assert.equal(response.status, 201);
  return ((await response.json()) as { readonly id: string }).id;
}

async function statusOf(engine: Engine, id: string): Promise<number> {
  return (await engine.respond(new Request(`${address}/${id}`))).status;
}

test("every example that can be served is, with its page and its description", async () => {
  const notices: string[] = [];
  for (const path of examplePaths) {
    const engine = engineOf(notices);
    const { summary, unserved } = engine.analyse(readFileSync(path, "utf8"));
    assert.equal(summary.errors, 0, path);
    if (unserved !== undefined) {
      await assert.rejects(engine.serve(), /nothing is served/);
      continue;
    }
    const { description } = await engine.serve();
    assert.deepEqual(engine.description(), description);
    const page = engine.page();
    assert.match(page, /<h1>/, path);
    assert.doesNotMatch(page, / href="errors\//, path);
    assert.match(JSON.stringify(description["openapi"]), /^"3\.1\./, path);
    await engine.tick();
  }
  assert.deepEqual(notices, []);
});

test("records stay when a change has nothing to do with them, and go when it has", async () => {
  const engine = engineOf();
  engine.analyse(todo);
  await engine.serve();
  const id = await add(engine);
  assert.equal(await statusOf(engine, id), 200);
  engine.analyse(todo.replace("A list of things to do", "Things to do"));
  await engine.serve();
  assert.equal(await statusOf(engine, id), 200);
  engine.analyse(todo.replace("order?: integer", "order?: integer\n  note?: string(1..20)"));
  await engine.serve();
  assert.equal(await statusOf(engine, id), 404);
});

test("a document with errors is not served, and neither is the one before", async () => {
  const engine = engineOf();
  engine.analyse(todo);
  await engine.serve();
  const { diagnostics, unserved } = engine.analyse(todo.replace("string(1..200)", "strin(1..200)"));
  assert.equal(diagnostics[0]?.severity, "error");
  assert.equal(unserved, "The document has errors.");
  await assert.rejects(engine.respond(new Request(address)), /nothing is served/);
});

test("records outlive a mistake that is corrected, and a document is planned only when something needs it", async () => {
  const engine = engineOf();
  engine.analyse(todo);
  const id = await add(engine);
  engine.analyse(todo.replace("string(1..200)", "strin(1..200)"));
  await assert.rejects(engine.respond(new Request(`${address}/${id}`)), /nothing is served/);
  assert.throws(() => engine.page(), /nothing is served/);
  assert.throws(() => engine.description(), /nothing is served/);
  assert.equal(await engine.tick(), 0);
  engine.analyse(todo);
  assert.equal(await statusOf(engine, id), 200);
});

test("words are completed by place, also in a document with mistakes", () => {
  const engine = engineOf();
  const text = todo.replace("order?: integer", "order?: integer, fil");
  const at = text.indexOf("integer, fil") + "integer, fil".length;
  engine.analyse(text);
  const { end, items, start } = engine.complete(text, at);
  assert.equal(text.slice(start, end), "fil");
  assert.ok(items.some(({ label }) => label === "filter"));
  assert.deepEqual(engine.complete(text, 3).items, []);
});

test("what is open is listed, and why nothing can be served", () => {
  const { questions, summary, unserved } = engineOf().analyse(readFileSync("examples/nothing-yet.md", "utf8"));
  assert.equal(summary.gaps, 9);
  assert.ok(questions.length > 9);
  assert.match(unserved ?? "", /does not say its/);
});
