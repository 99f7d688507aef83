/** Definition, references and rename: each row has a mark at a name of an example. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import test from "node:test";
import { marked, withLine } from "../../test/editor/client.ts";
import { type Analysis, analyse } from "./analysis.ts";
import { declarationsOf, keyOf, nameAt, namesIn, occurrencesOf } from "./names.ts";
import { applied, rename } from "./rename.ts";

const examples = new URL("../../examples/", import.meta.url);
const lockers = readFileSync(new URL("parcel-lockers.md", examples), "utf8");
const today = "2026-11-27";

function analysed(line: string, by: string): { readonly analysis: Analysis; readonly offset: number } {
  const { offset, text } = marked(withLine(lockers, line, by));
  return { analysis: analyse("parcel-lockers.md", text), offset };
}

/** The line that declares a name, and the number of its occurrences. */
const uses: readonly (readonly [line: string, by: string, declared: string, count: number])[] = [
  ["    stored -> expired:", "    stored -> expired: at coll▮ectBy", "  collectBy?: datetime, read-only", 6],
  ["      if: extensions", "      if: extens▮ions < 2", "  extensions: integer(0..2) = 0, read-only", 4],
  ["    expired -> returned:", "    expired -> returned: by take▮Back", "  takeBack: POST /parcels/{id}/take-back", 4],
  ["    gives: { door", "    gives: { door: locker.do▮or }", "  door: integer(1..500), create-only", 3],
  ["    free -> faulty:", "    free -> faulty: when door.fau▮lted", "  door.faulted:", 2],
  [
    "    stored -> collected:",
    "    stored -> collected: { by: collect, if: input.code == pickupCode, else: wrong-c▮ode }",
    "  wrong-code:",
    2,
  ],
  ["  collect: anyone", "  collect: opera▮tor", "roles: [courier, operator]", 7],
];

for (const [line, by, declared, count] of uses) {
  test(`finds ${by.trim()}`, () => {
    const { analysis, offset } = analysed(line, by);
    const name = nameAt(analysis, offset);
    assert.ok(name);
    const [first] = declarationsOf(analysis, name);
    const found = analysis.text.split("\n")[(first?.span.start.line ?? 0) - 1] ?? "";
    assert.deepEqual([found.slice(0, declared.length), occurrencesOf(analysis, name).length], [declared, count]);
  });
}

const versioned = readFileSync(new URL("parcel-lockers.md", examples), "utf8");

/** What a rename adds to part 9. */
const entries: readonly (readonly [versions: string, name: string, to: string, part9: string])[] = [
  [
    "  2026-09-01:\n    - rename Parcel.reference -> trackingNumber\n  2026-03-01: first",
    "recipientEmail",
    "email",
    "  2026-11-27:\n    - rename Parcel.recipientEmail -> email\n  2026-09-01:",
  ],
  [
    "  2026-09-01: require Parcel.weightKg, taken as 1 before\n  2026-03-01: first",
    "Parcel",
    "Box",
    "  2026-11-27:\n    - rename Parcel -> Box\n  2026-09-01:",
  ],
  [
    "  2026-12-24: none\n  2026-03-01: first",
    "recipientEmail",
    "email",
    '  2026-12-24: ["rename Parcel.recipientEmail -> email"]\n',
  ],
  [
    "  2026-12-24:\n    - rename Parcel.mail -> recipientEmail\n  2026-03-01: first",
    "recipientEmail",
    "email",
    "    - rename Parcel.mail -> email\n",
  ],
];

for (const [versions, name, to, part9] of entries) {
  test(`declares the rename of ${name} below ${versions.split("\n")[0]?.trim()}`, () => {
    const text = `${versioned.slice(0, versioned.indexOf("versions:"))}versions:\n${versions}\n\`\`\`\n`;
    const analysis = analyse("parcel-lockers.md", text);
    assert.deepEqual(
      analysis.result.diagnostics.filter(({ severity }) => severity === "error"),
      [],
    );
    const renaming = rename(analysis, text.search(new RegExp(`^ *${name}:`, "m")) + 3, to, today);
    assert.ok("edits" in renaming, JSON.stringify(renaming));
    const renamed = applied(text, renaming.edits);
    assert.ok(renamed.includes(part9), renamed.slice(renamed.indexOf("versions:")));
    assert.deepEqual(analyse("parcel-lockers.md", renamed).result.summary, analysis.result.summary);
  });
}

/** Names that are not only names: the id, what a login takes, and what identifies a record together with another parameter. */
const fixed =
  /\.id$|^member login\.|^field (?:User\.(?:email|password)|Repo\.owner)$|^resource (?:Repo|Issue|Label|Milestone|ServiceInstance)$/;

/** The names of each example that the test renames; a check for each takes its time. */
const mostRenamed = 15;

for (const path of globSync("*.md", { cwd: examples })) {
  test(`renames names of ${basename(path)}, and proves it`, () => {
    const analysis = analyse(path, readFileSync(new URL(path, examples), "utf8"));
    const declared = new Map(
      namesIn(analysis)
        .filter(({ declares }) => declares)
        .map((one) => [keyOf(one), one]),
    );
    const names = [...declared].filter(([key]) => !fixed.test(key));
    const stride = Math.max(1, Math.floor(names.length / mostRenamed));
    const rejected = names
      .filter((_, index) => index % stride === 0)
      .flatMap(([key, { kind, name, span }]) => {
        const to = name.includes(".") ? `${name}x` : kind === "error" || kind === "role" ? `${name}-x` : `${name}Xx`;
        const renaming = rename(analysis, span.start.offset, to, today);
        return "rejected" in renaming ? [`${key}: ${renaming.rejected}`] : [];
      });
    assert.deepEqual(rejected, []);
  });
}

/** Names in places that are easy to miss: calls and texts of expressions, and paths. */
const hidden: readonly (readonly [example: string, declared: string, to: string, renamed: string])[] = [
  ["conduit.md", "  session:", "visit", "token(visit)"],
  ["parcel-lockers.md", "free: empty", "vacant", "state == 'vacant'"],
  ["conduit.md", "  slug: string", "handle", "/articles/{handle}"],
  ["pet-clinic.md", "Owner:\n  id", "Keeper", "/owners/{keeperId}"],
];

for (const [example, declared, to, expected] of hidden) {
  test(`renames ${declared.trim()} of ${example} to ${to} everywhere`, () => {
    const text = readFileSync(new URL(example, examples), "utf8");
    const offset = text.indexOf(declared);
    const renaming = rename(analyse(example, text), offset + declared.search(/\w/), to, today);
    assert.ok("edits" in renaming, JSON.stringify(renaming));
    assert.ok(applied(text, renaming.edits).includes(expected));
  });
}

const refusals: readonly (readonly [name: string, to: string, why: RegExp])[] = [
  ["  id: id(par)", "key", /has no field `id`/],
  ["  size: small | medium | large, create-only\n", "locker", /stands twice/],
  ["  size: small | medium | large, create-only\n", "a b", /cannot name a field/],
];

for (const [line, to, why] of refusals) {
  test(`refuses to rename ${line.trim()} to ${to}`, () => {
    const renaming = rename(analyse("parcel-lockers.md", lockers), lockers.indexOf(line) + 3, to, today);
    assert.match("rejected" in renaming ? renaming.rejected : "", why);
  });
}
