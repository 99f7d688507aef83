/** No command prints the database password, whatever fails (I7). */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { withoutPasswords } from "../../src/observability/redact.ts";
import { finished, finishedHere, root, temporaryFolder } from "./process.ts";

const document = join(root, "examples", "parcel-lockers.md");
const password = "hunter2-hunter2";

const addresses: readonly (readonly [given: string, shown: string])[] = [
  [`postgres://sam:${password}@db/x`, "postgres://[redacted]@db/x"],
  [`postgres://sam:${password}/w@rd@db:5432/x?schema=a`, "postgres://[redacted]@db:5432/x?schema=a"],
  [
    `postgresql://db/x?user=sam&password=${password}&schema=a`,
    "postgresql://db/x?user=sam&password=[redacted]&schema=a",
  ],
  [`mysql://sam:${password}@db/x`, "mysql://[redacted]@db/x"],
  ["postgres://db/x", "postgres://db/x"],
  ["lockers.db", "lockers.db"],
  ["secret: env DOOR_SECRET, a sentence of a document", "secret: env DOOR_SECRET, a sentence of a document"],
];
for (const [given, shown] of addresses)
  test(`I7 ${shown}`, () => assert.equal(withoutPasswords(`x "${given}" y`), `x "${shown}" y`));

/** Each command that takes data, with an address at which nothing is, and with one of another kind. */
const commands: readonly (readonly string[])[] = [
  ["serve", document, "--port", "0"],
  ["migrate", document],
  ["migrate", document, "--plan"],
  ["key", "create", document, "--user", "ann", "--role", "operator"],
  ["key", "list", document],
  ["backup", "out.backup"],
  ["find", "ann"],
  ["doctor", document],
  ["config", document],
];
for (const command of commands) {
  // One in a process of its own, whose last words are the process's; the others in this one.
  const isServed = command[0] === "serve";
  test(`I7 nonet ${command.join(" ").replace(document, "DOC")} does not print it`, async (t) => {
    const folder = temporaryFolder(t);
    const environment = { DOOR_SECRET: "0123456789abcdef", HOME: folder };
    for (const scheme of ["postgres", "mysql"]) {
      const data = `${scheme}://sam:${password}@127.0.0.1:1/x`;
      const args = [...command, "--data", data];
      const { output } = await (isServed
        ? finished(t, args, { folder, environment })
        : finishedHere(args, { folder, environment }));
      assert.notEqual(output, "", "it says something");
      assert(!output.includes(password), output);
    }
  });
}
