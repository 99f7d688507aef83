/** A small document in variants, without credentials, for tests of the command alone. */

export interface ShelfOptions {
  /** Further fields of a book, each a line of YAML. */
  readonly fields?: readonly string[];
  /** Whether a book can be looked at alone. */
  readonly getBook?: boolean;
  readonly service?: string;
  /** Entries of the version 2026-09-01, each a line; without any the document has no versions. */
  readonly changes?: readonly string[];
}

export function shelf({
  fields = ["title: string(1..80)"],
  getBook = false,
  service = "shelf",
  changes = [],
}: ShelfOptions = {}): string {
  const operations = ["addBook", "listBooks", ...(getBook ? ["getBook"] : [])];
  return `# Shelf

## What the service does
\`\`\`yaml
nonet: 1
service: ${service}
domain: libraries
purpose: Keep books on a shelf.
users: { reader: borrows }
operations: { addBook: Put a book on the shelf, listBooks: See the books${getBook ? ", getBook: See a book" : ""} }
\`\`\`

## Resources and their fields
\`\`\`yaml
Book:
  id: id(book)
${fields.map((field) => `  ${field}`).join("\n")}
\`\`\`

## States and transitions
\`\`\`yaml
none
\`\`\`

## Endpoints
\`\`\`yaml
base: "{base_url}"
endpoints:
  addBook: POST /books
  listBooks: GET /books
${getBook ? "  getBook: GET /books/{id}\n" : ""}\`\`\`

## Authentication
\`\`\`yaml
allow:
  ${operations.join(", ")}: anyone   # ok anyone-may-write: a test
\`\`\`

## Events
To be decided.

## Errors
\`\`\`yaml
standard: all
\`\`\`

## Limits
To be decided.

## Versioning
\`\`\`yaml
${changes.length === 0 ? "none" : versioning(changes)}
\`\`\`
`;
}

function versioning(changes: readonly string[]): string {
  return `scheme: dated
sent: header Shelf-Version
absent: newest
versions:
  2026-09-01:
${changes.map((change) => `    - ${change}`).join("\n")}
  2026-03-01: first`;
}
