/** Each expression of a document sees the names of its place and no others, and what is wrong with one points at its words. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readDocument } from "../document/read.ts";
import { typeExpressions } from "./analysis/expressions.ts";
import { readModel } from "./read.ts";

/** The problems of a document's expressions, each as `path [words] code`. */
function problemsOf(text: string): string[] {
  const { model, places, diagnostics } = readModel(readDocument("service.md", text).document);
  assert.deepEqual(diagnostics, []);
  return typeExpressions(model).problems.map(({ path, text: expression, problem }) => {
    assert.ok(places.get(`${path}#value`), `${path} has a place`);
    return `${path} [${expression.slice(problem.start, problem.end)}] ${problem.code}`;
  });
}

const resources = {
  Shelf: "{ id: id(she), room: string(1..20), free: integer = 0 }",
  Book: `
  id: id(boo)
  title: string(1..80)
  owner: user = caller, read-only
  shelf?: Shelf
  pages: integer(1..)
  read: integer = 0
  due?: datetime
  genre: crime | poetry
  extra: json
  price?: money
  label: string := title + ' of ' + owner
  slug: string := slugify(title), unique`,
};

interface Blocks {
  readonly [part: string]: string | undefined;
}

function documentOf({ rules = "none", ...blocks }: Blocks): string {
  const part = (heading: string, body: string | undefined): string => {
    return `## ${heading}\n\`\`\`yaml\n${body?.trim() ?? "none"}\n\`\`\`\n`;
  };
  const lines = Object.entries(resources).map(([name, fields]) => `${name}: ${fields}`);
  return [
    "# Books\n",
    part("What the service does", "service: books"),
    part("Resources and their fields", [...lines, `rules: ${rules}`].join("\n")),
    part(
      "States and transitions",
      blocks["moves"] && `Book:\n  states: { here: h, lent: l }\n  start: here\n  moves:\n    ${blocks["moves"]}`,
    ),
    part("Endpoints", blocks["endpoints"] && `endpoints:\n  ${blocks["endpoints"]}`),
    part("Authentication", blocks["authentication"]),
    part("Events", blocks["events"]),
    part("Errors", undefined),
    part("Limits", undefined),
    part("Versioning", undefined),
  ].join("\n");
}

const lend = "lend: { at: POST /books/{id}/lend, takes: { to: string, days?: integer, fine: integer = 3 } }";

// What is right, and what is wrong with the path and the words that it is about.
const rows: readonly (readonly [what: string, blocks: Blocks, ...problems: string[]])[] = [
  ["a rule names fields, old and the moment", { rules: "{ Book: read <= pages && (old == null || old.pages == pages) else wrong }" }],
  ["a rule has no input", { rules: "{ Book: input.pages > 1 else wrong }" }, "resources/rules/Book/0/holds [input] unknown-name"],
  ["a rule is a condition", { rules: "{ Book: [read <= pages else wrong, pages else wrong] }" }, "resources/rules/Book/1/holds [pages] wrong-type"],
  ["a reference is walked once", { rules: "{ Book: shelf == null || shelf.free >= 0 else wrong }" }],
  ["a field that is not there", { rules: "{ Book: shelf.size > 1 else wrong }" }, "resources/rules/Book/0/holds [size] unknown-field"],
  ["a rule uses what is computed at reading", { rules: "{ Book: label != '' else wrong }" }],
  ["what is computed and stored has one", { rules: "{ Book: slug != '' else wrong }" }],
  ["a closed list has no other value", { rules: "{ Book: genre == 'prose' else wrong }" }, "resources/rules/Book/0/holds ['prose'] never-equal"],
  ["json is taken as what it is compared with", { rules: "{ Book: extra.weight < 3 else wrong }" }],
  ["money has an amount and a currency", { rules: "{ Book: price == null || price.currency == 'EUR' else wrong }" }],
  ["a guard has the input of its operation", {
    endpoints: lend,
    moves: "here -> lent: { by: lend, if: input.to != owner, else: wrong, set: { due: now + duration('24h'), read: old.read + 1 } }",
  }],
  ["a default stands in for what may be left out of the input", {
    endpoints: lend,
    moves: "here -> lent: { by: lend, set: { read: input.fine } }",
  }],
  ["a value is of its field's type", {
    endpoints: lend,
    moves: "here -> lent: { by: lend, set: { due: now, title: pages } }",
  }, "states/Book/moves/here -> lent/0/set/title [pages] wrong-type"],
  ["the input has the members that are taken", {
    endpoints: lend,
    moves: "here -> lent: [after 3d, { by: lend, if: input.until > now, else: wrong }]",
  }, "states/Book/moves/here -> lent/1/if [until] unknown-field"],
  ["time has no caller", { moves: "here -> lent: { after: 3d, if: caller.id == owner }" }, "states/Book/moves/here -> lent/0/if [caller] unknown-name"],
  ["an event has its payload", {
    moves: "here -> lent: { when: shelf.moved, if: input.room == 'attic' && input.shelf.free > 0 }",
    events: "in: { shelf.moved: { at: POST /hooks, with: door, carries: { book: Book, room: string, shelf: Shelf } } }",
  }],
  ["choose names the fields of what it looks for", {
    endpoints: "addBook: { at: POST /books, choose: { shelf: { from: Shelf, if: free > 0 && room == input.genre, else: full } } }",
  }],
  ["what is chosen is no input", {
    endpoints: "addBook: { at: POST /books, choose: { shelf: { from: Shelf, if: id == input.shelf, else: full } } }",
  }, "endpoints/endpoints/addBook/choose/shelf/if [shelf] unknown-field"],
  ["an answer walks and looks at the input", { endpoints: "lend: { at: POST /books/{id}/lend, takes: { to: string }, gives: { room: shelf.room, to: input.to } }" }],
  ["a list's condition has no input", { endpoints: "mine: { at: GET /books/mine, where: input.owner == owner }" }, "endpoints/endpoints/mine/where [input] unknown-name"],
  ["own stands for the ownership expression", {
    endpoints: "getBook: GET /books/{id}",
    authentication: "own: { Book: owner == caller.id }\nallow: { getBook: reader if own && pages < 100 }\nshow: { Book.pages: reader if !own }",
  }],
  ["without one it stands for nothing", {
    endpoints: "getShelf: GET /shelves/{id}",
    authentication: "own: { Book: owner == caller.id }\nallow: { getShelf: admin | reader if own }",
  }, "authentication/allow/getShelf/1/if [own] no-ownership"],
  ["what is wrong with ownership is said once", {
    endpoints: "getBook: GET /books/{id}",
    authentication: "own: { Book: ovner == caller.id }\nallow: { getBook: reader if own }",
  }, "authentication/own/Book [ovner] unknown-name"],
  ["who sees a field is asked of its record", { authentication: "show: { Book.pages: reader if caller.claims.vip == true && room == '' }" }, "authentication/show/Book.pages/0/if [room] unknown-name"],
  ["what cannot be read", { rules: "{ Book: pages >> 3 else wrong }" }, "resources/rules/Book/0/holds [>] unexpected-token"],
]; // biome-ignore format: a table

for (const [what, blocks, ...problems] of rows) {
  test(what, () => assert.deepEqual(problemsOf(documentOf(blocks)), problems));
}
