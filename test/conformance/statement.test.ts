/** Which sentences of a document are statements: all that it writes, each once. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { statementFinder, statementsOf, type Statement } from "../../src/conformance/statement.ts";
import { check } from "../../src/language/check.ts";
import type { PartName } from "../../src/language/model.ts";
import { partOfHeading } from "../../src/language/grammar/sections.ts";
import { fencesOf } from "../docs/fences.ts";
import { flagshipText, libraryText } from "../export/documents.ts";

const root = join(import.meta.dirname, "..", "..");

interface Read {
  readonly name: string;
  readonly text: string;
  readonly result: ReturnType<typeof check>;
  readonly statements: readonly Statement[];
}

function read(name: string, text: string): Read {
  const result = check(name, text);
  return { name, text, result, statements: statementsOf(result.model, result.places) };
}

/** The flagship with another block as one of its parts. */
function withPart(part: string, yaml: string): string {
  return flagshipText
    .split(/^(?=## )/m)
    .map((section) => {
      const heading = section.split("\n")[0] ?? "";
      return partOfHeading(heading.slice(3)) === part ? `${heading}\n\`\`\`yaml\n${yaml}\`\`\`\n\n` : section;
    })
    .join("");
}

/** `line:column path`, below the name of the part. */
function listed(statements: readonly Statement[]): string {
  let part: PartName | undefined;
  return statements
    .flatMap(({ path, part: of, span: { start } }) => {
      const heading = part === of ? [] : [`  ${of}`];
      part = of;
      return [...heading, `    ${start.line}:${start.column} ${path.slice(of.length + 1)}`];
    })
    .join("\n");
}

test("the statements of the parcel lockers", () => {
  assert.equal(
    `\n${listed(read("parcel-lockers.md", flagshipText).statements)}\n`,
    `
  purpose
    6:1 nonet
    7:1 service
    8:1 domain
    9:1 purpose
    11:3 users/courier
    12:3 users/recipient
    13:3 users/operator
    14:1 outside
    16:3 operations/addSite
    17:3 operations/listSites
    18:3 operations/addLocker
    19:3 operations/listLockers
    20:3 operations/repairLocker
    21:3 operations/announceParcel
    22:3 operations/getParcel
    23:3 operations/listParcels
    24:3 operations/changeParcel
    25:3 operations/dropOff
    26:3 operations/extendParcel
    27:3 operations/collect
    28:3 operations/cancelParcel
    29:3 operations/takeBack
  resources
    35:3 Site/id
    36:3 Site/name
    37:3 Site/address
    38:3 Site/timezone
    40:3 Locker/id
    41:3 Locker/site
    42:3 Locker/door
    43:3 Locker/size
    45:3 Parcel/id
    46:3 Parcel/courier
    47:3 Parcel/site
    48:3 Parcel/size
    49:3 Parcel/locker
    50:3 Parcel/trackingNumber
    51:3 Parcel/recipientEmail
    52:3 Parcel/weightKg
    53:3 Parcel/labels?
    54:3 Parcel/pickupCode
    55:3 Parcel/extensions
    56:3 Parcel/collectBy?
    57:3 Parcel/createdAt
    58:3 Parcel/customs?
    61:14 types/Address/street
    61:38 types/Address/postcode
    61:63 types/Address/country
    63:3 rules/Locker
    64:3 rules/Parcel
  states
    69:1 Site
    71:13 Locker/states/free
    71:26 Locker/states/held
    71:62 Locker/states/occupied
    71:92 Locker/states/faulty
    72:3 Locker/start
    74:5 Locker/moves/free -> held
    75:5 Locker/moves/held -> occupied
    76:5 Locker/moves/held -> free
    77:5 Locker/moves/occupied -> free
    78:5 Locker/moves/free -> faulty
    79:5 Locker/moves/faulty -> free
    82:5 Parcel/states/announced
    83:5 Parcel/states/stored
    84:5 Parcel/states/expired
    85:5 Parcel/states/collected
    86:5 Parcel/states/returned
    87:5 Parcel/states/cancelled
    88:3 Parcel/start
    89:3 Parcel/final
    91:5 Parcel/moves/announced -> stored
    92:5 Parcel/moves/announced -> cancelled
    93:5 Parcel/moves/stored -> collected
    94:5 Parcel/moves/stored -> stored
    99:5 Parcel/moves/stored -> expired
    100:5 Parcel/moves/expired -> returned
  endpoints
    105:1 base
    106:1 lists
    107:1 edits
    108:1 repeats
    110:3 endpoints/addSite
    111:3 endpoints/listSites
    112:3 endpoints/addLocker
    113:3 endpoints/listLockers
    114:3 endpoints/repairLocker
    116:9 endpoints/announceParcel/at
    117:5 endpoints/announceParcel/choose
    119:3 endpoints/getParcel
    120:3 endpoints/listParcels
    121:3 endpoints/changeParcel
    122:3 endpoints/dropOff
    123:3 endpoints/extendParcel
    125:9 endpoints/collect/at
    126:5 endpoints/collect/takes
    127:5 endpoints/collect/gives
    128:3 endpoints/cancelParcel
    129:3 endpoints/takeBack
  authentication
    135:10 credentials/key/kind
    135:25 credentials/key/sent
    135:53 credentials/key/prefix
    135:66 credentials/key/lasts
    135:79 credentials/key/revoked
    136:13 credentials/device/kind
    136:32 credentials/device/sent
    136:61 credentials/device/secret
    137:1 roles
    138:8 own/Parcel
    140:3 allow/addSite
    141:3 allow/listSites
    142:3 allow/announceParcel
    143:3 allow/getParcel
    144:3 allow/changeParcel
    145:3 allow/collect
    146:9 show/Parcel.pickupCode
    147:1 unseen
  events
    152:1 envelope
    154:3 out/parcel.announced
    156:5 out/parcel.stored/when
    157:5 out/parcel.stored/carries
    158:3 out/parcel.expired
    159:3 out/parcel.collected
    160:3 out/parcel.returned
    161:3 out/parcel.cancelled
    163:19 in/door.faulted/at
    163:42 in/door.faulted/with
    163:56 in/door.faulted/carries
    166:5 delivery/webhook/subscribe
    167:5 delivery/webhook/for
    168:5 delivery/webhook/signed
    169:5 delivery/webhook/promise
    170:5 delivery/webhook/timeout
    171:5 delivery/webhook/retry
    172:5 delivery/webhook/then
    173:13 delivery/stream/at
    173:30 delivery/stream/for
    173:62 delivery/stream/kind
    173:81 delivery/stream/resume
    173:104 delivery/stream/keep
  errors
    178:1 body
    179:1 standard
    181:3 errors/wrong-code
    182:3 errors/no-free-locker
    183:3 errors/no-more-extensions
    184:3 errors/label-too-heavy
  limits
    190:3 rate/all
    191:3 rate/collect
    192:3 rate/anyone
    194:3 quota/announceParcel
    195:3 quota/Parcel
    196:3 quota/webhook
    197:9 size/request
    198:9 time/request
    199:9 keep/Parcel
  versioning
    204:1 scheme
    205:1 sent
    206:1 absent
    207:11 policy/breaking
    207:39 policy/notice
    207:53 policy/support
    207:68 policy/after sunset
    210:7 versions/2026-09-01/0
    211:7 versions/2026-09-01/1
    212:7 versions/2026-09-01/2
    213:7 versions/2026-09-01/3
    214:7 versions/2026-09-01/4
    215:3 versions/2026-03-01
    217:3 deprecated/2026-03-01
`,
  );
});

test("the names of one statement: operations of a line of `allow`, an optional field, the operation of `at`", () => {
  const { statements } = read("parcel-lockers.md", flagshipText);
  const named = statements.filter(({ aliases }) => aliases.length > 0).map(({ path, aliases }) => [path, ...aliases]);
  assert.deepEqual(named, [
    ["resources/Parcel/labels?", "resources/Parcel/labels"],
    ["resources/Parcel/collectBy?", "resources/Parcel/collectBy"],
    ["resources/Parcel/customs?", "resources/Parcel/customs"],
    ["endpoints/endpoints/announceParcel/at", "endpoints/endpoints/announceParcel"],
    ["endpoints/endpoints/collect/at", "endpoints/endpoints/collect"],
    ["authentication/credentials/key/kind", "authentication/credentials/key"],
    ["authentication/credentials/device/kind", "authentication/credentials/device"],
    ["authentication/allow/addSite", "authentication/allow/addLocker", "authentication/allow/repairLocker"],
    ["authentication/allow/listSites", "authentication/allow/listLockers"],
    ["authentication/allow/getParcel", "authentication/allow/listParcels", "authentication/allow/takeBack"],
    ["changeParcel", "dropOff", "extendParcel", "cancelParcel"].map((name) => `authentication/allow/${name}`),
    ["events/out/parcel.stored/when", "events/out/parcel.stored"],
    ["events/in/door.faulted/at", "events/in/door.faulted"],
  ]);
});

/** Blocks of one part, and the statements in them. */
const forms: readonly (readonly [what: string, part: PartName, yaml: string, expected: readonly string[]])[] = [
  ["names in a list", "purpose", "users: [courier, operator]\noperations: none\n", ["users/courier", "users/operator", "operations"]],
  ["a part that is none", "events", "none\n", [""]],
  ["a gap", "limits", "quota: not shown\nsize: { request: 1MB, collect: not shown }\n", ["size/request"]],
  ["a state without a description", "states", "Parcel:\n  states: { here: not shown, gone: away }\n", ["Parcel/states/here", "Parcel/states/gone"]],
  ["one rule", "resources", "Site: { id: id }\nrules:\n  Site: unique id\n", ["Site/id", "rules/Site"]],
  ["one rule as a map", "resources", "rules:\n  Site: { unique: [id] }\n", ["rules/Site"]],
  ["two rules", "resources", "rules:\n  Site:\n    - unique id\n    - id > 0 else bad\n", ["rules/Site/0", "rules/Site/1"]],
  ["a field in both forms", "resources", "Site:\n  a?: string = x, unique\n  b?: { type: string, default: x, marks: [unique] }\n", ["Site/a?", "Site/b?"]],
  ["a view", "resources", "views:\n  Place: { of: Site, fields: [name], lockers: integer := 1 }\n", ["views/Place/of", "views/Place/fields", "views/Place/lockers"]],
  ["a schema", "resources", "schemas:\n  Box: { type: object, required: [label] }\n", ["schemas/Box"]],
  ["transitions in a list", "states", "Parcel:\n  moves:\n    - { from: a, to: b, by: collect }\n    - { from: b, to: a, after: 1h }\n", ["Parcel/moves/0", "Parcel/moves/1"]],
  ["one operation in three forms", "endpoints", "endpoints:\n  a: GET /parcels\n  b: { at: GET /parcels }\n  c:\n    at: GET /parcels\n    lists: none\n", ["endpoints/a", "endpoints/b/at", "endpoints/c/at", "endpoints/c/lists"]],
  ["one limit and two", "limits", "rate:\n  all: 600/min per user\n  collect: [5/min per ip, 9/h per ip]\nquota:\n  Parcel: { count: 3, per: user }\n", ["rate/all", "rate/collect/0", "rate/collect/1", "quota/Parcel"]],
  ["a credential in both forms", "authentication", "credentials:\n  a: api-key\n  b: { kind: api-key, lasts: 9d }\n", ["credentials/a", "credentials/b/kind", "credentials/b/lasts"]],
  [
    "operations that several lines of `allow` name",
    "authentication",
    "allow:\n  addSite, addLocker: operator\n  addSite: courier\n  addLocker, collect: anyone\n",
    ["allow/addSite", "allow/addSite/1", "allow/collect"],
  ],
  ["events in both forms", "events", "out:\n  a: Parcel -> stored\n  b: { when: Parcel -> stored, carries: [id] }\nin: none\ndelivery: none\n", ["out/a", "out/b/when", "out/b/carries", "in", "delivery"]],
  ["an error in both forms", "errors", "standard: [not-found]\nerrors:\n  a: 409 No\n  b: { status: 409, sentence: No }\n", ["standard", "errors/a", "errors/b"]],
  ["a version without changes", "versioning", "versions:\n  2026-09-01: none\n  2026-03-01: first\n", ["versions/2026-09-01", "versions/2026-03-01"]],
]; // biome-ignore format: a table
for (const [what, part, yaml, expected] of forms) {
  test(`statements of ${what}`, () => {
    const { statements } = read("form.md", withPart(part, yaml));
    const found = statements.filter((one) => one.part === part).map(({ path }) => path);
    assert.deepEqual(found, expected.map((path) => (path === "" ? part : `${part}/${path}`))); // biome-ignore format: two lists
  });
}

test("a document of YAML has the statements of its Markdown form", () => {
  const yaml =
    "title: T\npurpose: { nonet: 1, service: t, operations: none }\nevents: none\nlimits:\n  size: { request: 1MB }\n";
  const { statements } = read("t.yaml", yaml);
  assert.deepEqual(
    statements.map(({ path }) => path),
    ["purpose/nonet", "purpose/service", "purpose/operations", "events", "limits/size/request"],
  );
});

const finds: readonly (readonly [path: string, expected: string | undefined])[] = [
  ["resources/Parcel/size/marks/create-only", "resources/Parcel/size"],
  ["resources/Parcel/size/not there", "resources/Parcel/size"],
  ["resources/Parcel/labels/type", "resources/Parcel/labels?"],
  ["resources/rules/Parcel/0/else", "resources/rules/Parcel"],
  ["states/Parcel/moves/stored -> stored/0/if", "states/Parcel/moves/stored -> stored"],
  ["endpoints/endpoints/addSite/at", "endpoints/endpoints/addSite"],
  ["endpoints/endpoints/collect", "endpoints/endpoints/collect/at"],
  ["endpoints/endpoints/collect/gives/door", "endpoints/endpoints/collect/gives"],
  ["authentication/allow/takeBack/1/if", "authentication/allow/getParcel"],
  ["authentication/credentials/key/lasts", "authentication/credentials/key/lasts"],
  ["events/out/parcel.stored", "events/out/parcel.stored/when"],
  ["limits/rate/collect/0", "limits/rate/collect"],
  ["resources/Parcel", undefined],
  ["resources/Parcel/other", undefined],
  ["errors", undefined],
  ["", undefined],
];
for (const [path, expected] of finds) {
  test(`the statement of ${path === "" ? "nothing" : path}`, () => {
    assert.equal(statementFinder(read("parcel-lockers.md", flagshipText).statements)(path)?.path, expected);
  });
}

// ── Every document ─────────────────────────────────────────────────────────────────────────────────────────────────

const documents = [
  ...globSync(["examples/*.md", "examples/*/*.md", "test/serve/documents/*.md"], { cwd: root })
    .toSorted()
    .map((path) => read(basename(path), readFileSync(join(root, path), "utf8"))),
  read("library.md", libraryText),
];
const samples = fencesOf("docs/reference/language.md", "yaml")
  .filter(({ meta }) => meta["part"] !== undefined && meta["error"] === undefined)
  .map(({ at, meta, text }) => ({ part: meta["part"] as PartName, ...read(at, withPart(meta["part"] ?? "", text)) }));

/** Paths that belong to no statement although nothing is below them: a part that is open, and an empty map. */
const emptyHeadings = /^[a-z]+$|^resources\/types$/;

for (const { name, text, result, statements } of [...documents, ...samples]) {
  test(`${name}: each sentence is one statement`, () => {
    const { model, places } = result;
    const find = statementFinder(statements);
    const paths = [...places.keys()];
    const parents = new Set(paths.map((path) => path.slice(0, Math.max(0, path.lastIndexOf("/")))));
    const gaps = model.gaps.map((path) => places.get(path)?.start.offset);
    for (const path of paths) {
      const span = places.get(path);
      assert.ok(span !== undefined);
      const statement = find(path);
      if (statement === undefined) {
        const isLeaf = !parents.has(path);
        assert.ok(!isLeaf || gaps.includes(span.start.offset) || emptyHeadings.test(path), `${path} is lost`);
      } else if (!statement.aliases.includes(path)) {
        const isInside =
          span.start.offset >= statement.span.start.offset && span.end.offset <= statement.span.end.offset;
        assert.ok(isInside, `${path} is outside of ${statement.path}`);
      }
    }
    for (const [index, { path, span, aliases }] of statements.entries()) {
      assert.ok(places.has(path), path);
      assert.deepEqual(places.get(path), span);
      assert.notEqual(text.slice(span.start.offset, span.end.offset).trim(), "");
      for (const alias of [path, ...aliases]) assert.equal(find(alias)?.path, path);
      const next = statements[index + 1];
      assert.ok(next === undefined || next.span.start.offset >= span.end.offset, `${path} and ${next?.path} overlap`);
    }
  });
}

/** Lines of a block that only open what follows: `moves:`, `Parcel:`, `own: {`, `- {`, `}`. */
const opening = /^\s*(?:-\s*)*(?:"[^"]*"|[^\s"][^:]*):\s*[[{]?\s*$|^\s*[\]},\s]*$|^\s*-?\s*\{?\s*$/;

for (const { name, text, statements, result } of documents.filter((one) => !one.name.startsWith("nothing-yet"))) {
  test(`${name}: every line of a block is a statement, or opens some`, () => {
    const gapLines = result.model.gaps.map((path) => result.places.get(path)?.start.line);
    let isInside = false;
    const lost = text.split("\n").flatMap((line, index) => {
      if (line.startsWith("```")) {
        isInside = line === "```yaml";
        return [];
      }
      const content = line.replace(/(?:^|\s)#.*$/, "");
      if (!isInside || opening.test(content) || gapLines.includes(index + 1)) return [];
      const isStated = statements.some(({ span: { start, end } }) => start.line <= index + 1 && index + 1 <= end.line);
      return isStated ? [] : [`${index + 1}: ${line}`];
    });
    assert.deepEqual(lost, []);
  });
}
