/** Every record that a service accepts has a path, whatever its key contains. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createClient } from "./client.ts";
import { run } from "./running.ts";

const document = `# Shelves

## What the service does
\`\`\`yaml
nonet: 1
service: shelves
purpose: Keys that callers choose, and keys that are made of names.
operations: { addShelf: Add one, putShelf: Put one, getShelf: Look at one, addBook: Add a book, getBook: Look at a book, nameBook: Name it otherwise }
\`\`\`

## Resources and their fields
\`\`\`yaml
Shelf:
  id: string(0..40)
  note?: string(0..40)
Book:
  id: id(boo)
  shelf: Shelf, create-only
  title: string(0..40)
  slug: string := slugify(title), unique
\`\`\`

## States and transitions
\`\`\`yaml
none
\`\`\`

## Endpoints
\`\`\`yaml
endpoints:
  addShelf: POST /shelves
  putShelf: PUT /shelves/{id}
  getShelf: GET /shelves/{id}
  addBook: POST /shelves/{shelf}/books
  getBook: GET /shelves/{shelf}/books/{slug}
  nameBook: PATCH /shelves/{shelf}/books/{slug}
\`\`\`

## Authentication
\`\`\`yaml
allow:
  # ok anyone-may-write: a test
  addShelf, putShelf, getShelf, addBook, getBook, nameBook: anyone
\`\`\`

## Events
\`\`\`yaml
out: none
\`\`\`

## Errors
\`\`\`yaml
body: problem+json
\`\`\`

## Limits
\`\`\`yaml
rate: none
\`\`\`

## Versioning
\`\`\`yaml
scheme: none
\`\`\`
`;

const key = (name: string) => ({
  pointer: `#/${name}`,
  code: "not-allowed",
  detail: `${name} is part of an address: it cannot be empty, "." or "..", nor contain a control character`,
});

test("a key that no path can hold is refused, whoever makes it", async () => {
  await using running = await run(document);
  using client = createClient(running.port, () => {});
  const errors = async (method: string, path: string, body: unknown): Promise<unknown> => {
    const reply = await client.send({ method, path, body });
    return reply.status === 422 ? (reply.json as { errors: unknown }).errors : reply.status;
  };
  for (const id of ["", ".", "..", "a\nb", "\u0085", "\u007f"]) assert.deepEqual(await errors("POST", "/shelves", { id }), [key("id")], id); // biome-ignore format: short
  for (const id of ["...", ".a", " ", "/", "a/b", "%2e", "é", "?", "#"]) assert.equal(await errors("POST", "/shelves", { id }), 201, id); // biome-ignore format: short
  const [put] = await client.raw(
    "PUT /shelves/. HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
  );
  assert.equal(put?.status, 422);
  for (const title of ["東京", "", "—"]) assert.deepEqual(await errors("POST", "/shelves/.a/books", { title }), [key("slug")], title); // biome-ignore format: short
  assert.equal(await errors("POST", "/shelves/.a/books", { title: "Tokyo 東京" }), 201);
  assert.deepEqual(await errors("PATCH", "/shelves/.a/books/tokyo", { title: "東京" }), [key("slug")]);
  assert.equal((await fetch(`${running.url}/shelves/.a/books/tokyo`)).status, 200);
});

test("whatever is made is found at its address by a client that normalises addresses", async () => {
  await using running = await run(document);
  const unit = fc.oneof(fc.constantFrom(".", "/", "%", "?", "#", "\\", " ", "+", ";", "2", "e"), fc.string({ unit: "grapheme", maxLength: 1 })); // biome-ignore format: short
  await fc.assert(
    fc.asyncProperty(fc.array(unit, { maxLength: 6 }), async (units) => {
      const id = units.join("");
      const made = await fetch(`${running.url}/shelves`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ id }),
      });
      if (made.status === 409 || made.status === 422) return;
      assert.equal(made.status, 201, JSON.stringify(id));
      const location = new URL(made.headers.get("location") ?? "", running.url);
      const found = await fetch(location);
      assert.equal(found.status, 200, `${JSON.stringify(id)} at ${location.href}`);
      assert.equal(((await found.json()) as { id: string }).id, id);
    }),
    { numRuns: 200 },
  );
});
