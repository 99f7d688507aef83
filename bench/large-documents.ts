/**
 * Documents of any size, each of which repeats one construct: what a reader, a check or a printer may take more than
 * linear time for. `check` ends soon for all of them; `large-checks.ts` measures that, and
 * `test/checks/growth.test.ts` asserts it.
 */

/** The document, with about so many characters. */
export type Grow = (characters: number) => string;

/** Each part's lines in the small document that the construct is added to. */
const parts = {
  purpose: "nonet: 1\nservice: large\noperations:\n  addItem: Add one\n  getItem: See one\n  changeItem: Change one\n",
  resources: "Item:\n  id: id(it)\n  name: string(1..80)\n  size: integer(0..1000000)\n",
  states:
    "Item:\n  states: { open: is open, closed: is closed }\n  start: open\n  moves:\n    open -> closed: after 1h\n",
  endpoints: "endpoints:\n  addItem: POST /items\n  getItem: GET /items/{id}\n  changeItem: PATCH /items/{id}\n",
  authentication:
    "credentials:\n  key: { kind: api-key, sent: Authorization Bearer, prefix: l_ }\nroles: [user]\nallow:\n  addItem, getItem, changeItem: user\n",
  events: "out:\n  item.closed: Item -> closed\n",
  errors: "errors:\n  wrong: 409 It is wrong\n",
  limits: "rate:\n  all: 600/min per user\n",
  versioning: "scheme: numbered\nversions:\n  1: first\n",
};

type Part = keyof typeof parts;

const titles: Readonly<Record<Part, string>> = {
  purpose: "What the service does",
  resources: "Resources and their fields",
  states: "States and transitions",
  endpoints: "Endpoints",
  authentication: "Authentication",
  events: "Events",
  errors: "Errors",
  limits: "Limits",
  versioning: "Versioning",
};

function documentOf(changed: Partial<Record<Part, string>>, prose = ""): string {
  const sections = (Object.keys(parts) as Part[]).map(
    (part) => `## ${titles[part]}\n\`\`\`yaml\n${changed[part] ?? parts[part]}\`\`\`\n`,
  );
  return `# Large\n\n${prose}\n\n${sections.join("\n")}`;
}

/** `piece(0)`, `piece(1)`, … until there are so many characters. */
function repeated(characters: number, piece: (index: number) => string): string {
  const pieces: string[] = [];
  let length = 0;
  for (let index = 0; length < characters; index += 1) {
    const one = piece(index);
    pieces.push(one);
    length += one.length;
  }
  return pieces.join("");
}

const prose =
  (piece: (index: number) => string): Grow =>
  (characters) =>
    documentOf({}, repeated(characters, piece));

/** More lines at the end of parts; each part gets its share of the characters. */
function lines(
  pieces: Partial<Record<Part, (index: number) => string>>,
  starts: Partial<Record<Part, string>> = {},
): Grow {
  const names = Object.keys(pieces) as Part[];
  return (characters) => {
    const sample = names.map((part) => pieces[part]?.(12_345).length ?? 0).reduce((sum, length) => sum + length, 0);
    const count = Math.ceil(characters / sample);
    const changed: Partial<Record<Part, string>> = {};
    for (const part of names) {
      const piece = pieces[part] as (index: number) => string;
      changed[part] =
        (starts[part] ?? parts[part]) + Array.from({ length: count }, (_, index) => piece(index)).join("");
    }
    return documentOf({ ...starts, ...changed });
  };
}

/** One line of a part that is `before`, then the pieces, then `after`. */
function oneLine(
  part: Part,
  before: string,
  piece: (index: number) => string,
  after = "\n",
  start = parts[part],
): Grow {
  return (characters) => documentOf({ [part]: `${start}${before}${repeated(characters, piece)}${after}` });
}

/** A rule of the resource `Item`. */
const rule =
  (before: string, piece: (index: number) => string, after: (count: number) => string = () => ""): Grow =>
  (characters) => {
    const text = repeated(characters, piece);
    const count = text.length / piece(0).length;
    return documentOf({ resources: `${parts.resources}rules:\n  Item: ${before}${text}${after(count)} else wrong\n` });
  };

const plainYaml = (text: string): string => `nonet: 1\npurpose:\n  service: large\n${text}`;

export const constructs: Readonly<Record<string, Grow>> = {
  // Markdown.
  "quotes with lazy lines": prose(() => "> a\nb\n"),
  "one quote with lazy lines": (characters) => documentOf({}, `> a\n${repeated(characters, () => "b\n")}`),
  quotes: prose(() => "> a\n\n"),
  "one quote": prose(() => "> a\n"),
  "quotes in quotes": prose((index) => `${">".repeat(1 + (index % 40))} a\n`),
  "deep quotes with lazy lines": prose(() => `${">".repeat(60)} a\nb\n`),
  "list items": prose(() => "- a\n"),
  "list items with lazy lines": prose(() => "- a\nb\n"),
  "ordered items": prose((index) => `${index}. a\n`),
  "lists in lists": prose((index) => `${"  ".repeat(index % 40)}- a\n`),
  "loose list": prose(() => "- a\n\n  b\n\n"),
  "quotes in lists": prose(() => "- > a\nb\n"),
  "one long paragraph": prose(() => "word *and* [more](x) `code`\n"),
  "one long line": prose(() => "word *and* [more](x) `code` "),
  brackets: prose(() => "["),
  stars: prose(() => "*a "),
  backticks: prose((index) => `${"`".repeat(1 + (index % 300))} `),
  "headings of level 1": prose((index) => `# H ${index}\n`),
  "headings of level 2": prose((index) => `## H ${index}\n`),
  "one part again and again": (characters) =>
    documentOf({}) + repeated(characters, () => "\n## Resources and their fields\n"),
  "headings of level 3": prose((index) => `### H ${index}\n`),
  "underlined headings": prose((index) => `H ${index}\n---\n`),
  rules: prose(() => "---\n"),
  "blocks that define nothing": prose(() => "```json\n{}\n```\n"),
  "open fences": prose((index) => `${"`".repeat(3 + (index % 90))}\n`),
  "fences in quotes": prose(() => "> ```yaml\n> a: b\n> ```\n\n"),
  "a fence in a quote": (characters) =>
    documentOf({}, `> \`\`\`yaml\n${repeated(characters, (index) => `> a${index}: b\n`)}> \`\`\`\n`),
  html: prose(() => "<div>\n"),
  "html comments": prose(() => "<!--\n"),
  definitions: prose((index) => `[a${index}]: /x\n`),
  tabs: prose(() => "\t- a\n"),
  "empty lines": prose(() => "\n"),
  "blocks of one part": (characters) =>
    documentOf({}) +
    repeated(
      characters,
      (index) => `\n## Resources and their fields\n\`\`\`yaml\nK${index}:\n  id: id(k${index})\n\`\`\`\n`,
    ),
  "blocks in one section": (characters) =>
    documentOf({
      versioning: `${parts.versioning}\`\`\`\n${repeated(characters, (index) => `\`\`\`yaml\nv${index}: a\n\`\`\`\n`)}\`\`\`yaml\n`,
    }),

  // YAML.
  "deep flow lists": oneLine("resources", "types:\n  A: ", () => "["),
  "deep flow maps": oneLine("resources", "types:\n  A: ", () => "{ a: "),
  "deep closed flow lists": (characters) =>
    documentOf({
      resources: `${parts.resources}types:\n  A: ${"[".repeat(characters / 2)}${"]".repeat(characters / 2)}\n`,
    }),
  "deep maps": (characters) => {
    const depth = Math.floor(Math.sqrt(characters * 2));
    return documentOf({
      resources: parts.resources + Array.from({ length: depth }, (_, at) => `${" ".repeat(at)}a:\n`).join(""),
    });
  },
  "deep lists of yaml": oneLine("resources", "types:\n  A:\n    ", () => "- "),
  "one long word": oneLine("purpose", "purpose: ", () => "aaaaaaaaaa"),
  "one long quoted text": oneLine("purpose", 'purpose: "', () => "\\n\\u00e9 ", '"\n'),
  "one folded text": oneLine("purpose", "purpose: >\n", () => "  some words\n", ""),
  "one plain text on many lines": oneLine("purpose", "purpose: a\n", () => "  some words\n", ""),
  "duplicate keys": lines({ resources: () => "Item: none\n" }),
  "unknown keys": lines({ purpose: (index) => `unknwon${index}: a\n` }),
  "unknown keys of one field": oneLine("resources", "  extra: { ", (index) => `k${index}: a, `, "}\n", parts.resources),
  anchors: lines({ resources: (index) => `A${index}: &a${index} none\n` }),
  aliases: oneLine("resources", "types: &a { x: string }\nB: [", () => "*a, ", "]\n"),
  "doubling aliases": lines(
    { resources: (index) => `a${index}: &a${index} [*a${index - 1}, *a${index - 1}]\n` },
    { resources: `${parts.resources}a0: &a0 x\n` },
  ),
  tags: lines({ resources: (index) => `A${index}: !!str none\n` }),
  "lines that yaml misreads": lines({ states: (index) => `    open -> closed: a: b ${index}\n` }),
  "tabs in yaml": lines({ resources: () => "\tname: string\n" }),
  comments: lines({ resources: (index) => `# a comment ${index}\n` }),
  "comments after lines": lines({ resources: (index) => `  f${index}: string # a comment\n` }),
  suppressions: lines({ resources: (index) => `  f${index}: string # ok unused-field: a reason\n` }),
  "suppressions of nothing": lines({ resources: () => "# ok never-changes: because\n" }),
  "documents of yaml": lines({ resources: () => "---\n" }),
  directives: lines({ resources: () => "%YAML 1.2\n" }),
  "open quotes": lines({ resources: (index) => `  f${index}: "string\n` }),
  "block scalars": lines({ resources: (index) => `  f${index}: |\n    text\n` }),
  "question marks": lines({ resources: () => "? a\n: b\n" }),

  // The nine parts.
  operations: lines({ purpose: (index) => `  op${index}: Do it\n` }),
  "operations with endpoints": lines({
    purpose: (index) => `  op${index}Item: Do it\n`,
    endpoints: (index) => `  op${index}Item: POST /items/{id}/op${index}\n`,
    authentication: (index) => `  op${index}Item: user\n`,
  }),
  users: lines({ purpose: (index) => `  u${index}: a user\n` }, { purpose: `${parts.purpose}users:\n` }),
  resources: lines({ resources: (index) => `R${index}:\n  id: id(r${index})\n  name: string\n` }),
  "resources alike": lines({ resources: (index) => `Items${"s".repeat(index % 20)}${index}:\n  id: id(r${index})\n` }),
  fields: lines({ resources: (index) => `  field${index}: string(1..80)\n` }),
  "fields with marks": lines({ resources: (index) => `  field${index}?: integer(0..9), unique, filter, sort\n` }),
  "fields of unknown types": lines({ resources: (index) => `  field${index}: strng${index}\n` }),
  "open fields": lines({ resources: (index) => `  field${index}: not shown\n  other${index}: strng${index}\n` }),
  references: lines({ resources: (index) => `  field${index}?: Item\n` }),
  "resources that refer in a circle": lines({
    resources: (index) => `R${index}:\n  id: id(r${index})\n  next?: R${index + 1}\n`,
  }),
  "computed fields": lines({ resources: (index) => `  c${index} := ${index === 0 ? "size" : `c${index - 1}`} + 1\n` }),
  defaults: lines({ resources: (index) => `  d${index}: integer = ${index}\n` }),
  "enum values": oneLine("resources", "  kind: ", (index) => `${index === 0 ? "" : " | "}value-${index}`),
  "enum values twice": oneLine("resources", "  kind: ", (index) => `${index === 0 ? "" : " | "}value-${index >> 1}`),
  "short enum values": oneLine("resources", "  kind: ", (index) => `${index === 0 ? "" : "|"}${index.toString(36)}`),
  "one field's marks": oneLine("resources", "  kind: string", () => ", unique"),
  types: lines(
    { resources: (index) => `  T${index}: { a: string, b: integer }\n` },
    { resources: `${parts.resources}types:\n` },
  ),
  "types of types": lines(
    { resources: (index) => `  T${index}: { a: T${index + 1}, b: T${index + 1} }\n` },
    { resources: `${parts.resources}types:\n` },
  ),
  "deep inline types": oneLine("resources", "  deep: ", () => "{ a: "),
  "members of a type": oneLine("resources", "types:\n  T: { ", (index) => `m${index}: string, `, "z: string }\n"),
  "a json schema": oneLine(
    "resources",
    "  s:\n    schema: { type: object, properties: { ",
    (index) => `p${index}: { type: string }, `,
    "z: {} } }\n",
  ),
  "rules of one resource": lines(
    { resources: (index) => `    - size > ${index} else wrong\n` },
    { resources: `${parts.resources}rules:\n  Item:\n` },
  ),
  "unique rules": lines(
    { resources: (index) => `    - unique name + f${index}\n` },
    { resources: `${parts.resources}rules:\n  Item:\n` },
  ),
  states: oneLine("states", "", (index) => `    s${index}: a state\n`, "  start: s0\n", "Item:\n  states:\n"),
  "states and transitions": (characters) => {
    const count = Math.ceil(characters / 60);
    const all = (line: (index: number) => string): string =>
      Array.from({ length: count }, (_, index) => line(index)).join("");
    return documentOf({
      states: `Item:\n  states:\n${all((index) => `    s${index}: a state\n`)}  start: s0\n  moves:\n${all((index) => `    s${index} -> s${index + 1}: after 1h\n`)}`,
    });
  },
  "transitions of one state": lines({ states: () => "    open -> closed: after 1h\n" }),
  "transitions of unknown states": lines({ states: (index) => `    opne${index} -> closed: after 1h\n` }),
  "sources of one transition": oneLine("states", "    ", (index) => `open${index} | `, "open -> closed: after 2h\n"),
  "triggers of one transition": oneLine(
    "states",
    "    closed -> open: [",
    (index) => `after ${index + 1}h, `,
    "after 1s]\n",
  ),
  "what one transition sets": oneLine(
    "states",
    "    closed -> open: { after: 1h, set: { ",
    () => "size: size + 1, ",
    "size: 1 } }\n",
  ),
  "resources with states": lines({
    resources: (index) => `R${index}:\n  id: id(r${index})\n`,
    states: (index) => `R${index}: { states: { a: a, b: b }, start: a, moves: { a -> b: after 1h } }\n`,
  }),
  endpoints: lines({ endpoints: (index) => `  op${index}: POST /op${index}\n` }),
  "endpoints at one path": lines({ endpoints: (index) => `  op${index}: GET /items\n` }),
  "endpoints with parameters": lines({ endpoints: (index) => `  op${index}: GET /{a}/b${index}/{c}\n` }),
  "segments of one path": oneLine("endpoints", "  longItem: GET ", () => "/a"),
  "parameters of one path": oneLine("endpoints", "  longItem: GET ", (index) => `/{p${index}}`),
  "what an endpoint takes": oneLine(
    "endpoints",
    "  longItem: { at: POST /long, takes: { ",
    (index) => `m${index}: string, `,
    "z: string } }\n",
  ),
  roles: oneLine(
    "authentication",
    "",
    (index) => `${index === 0 ? "" : ", "}r${index}`,
    "]\n",
    `${parts.authentication}roles: [`,
  ),
  "allow lines": lines({ authentication: (index) => `  op${index}: user\n` }),
  "operations of one allow line": oneLine("authentication", "  ", (index) => `op${index}, `, "getItem: user\n"),
  "who one allow line lets": oneLine("authentication", "  getItem: ", (index) => `user${index} | `, "user\n"),
  "alternatives with a condition": oneLine(
    "authentication",
    "  getItem: ",
    (index) => `user if size > ${index} | `,
    "user\n",
  ),
  "own lines": lines(
    { authentication: (index) => `  R${index}: a == caller.id\n` },
    { authentication: `${parts.authentication}own:\n` },
  ),
  "show lines": lines(
    { authentication: (index) => `  Item.f${index}: user\n` },
    { authentication: `${parts.authentication}show:\n` },
  ),
  credentials: lines(
    { authentication: (index) => `  k${index}: { kind: api-key, sent: Authorization Bearer, prefix: k${index}_ }\n` },
    { authentication: "roles: [user]\nallow: { getItem: user }\ncredentials:\n" },
  ),
  events: lines({ events: (index) => `  item.e${index}: Item -> closed\n` }),
  "what an event carries": oneLine(
    "events",
    "  item.long: { when: Item -> closed, carries: [",
    (index) => `f${index}, `,
    "id] }\n",
  ),
  "events that come in": lines(
    { events: (index) => `  in.e${index}: { at: POST /hooks/${index}, with: key, carries: { item: Item } }\n` },
    { events: `${parts.events}in:\n` },
  ),
  errors: lines({ errors: (index) => `  error-${index}: 409 It is wrong\n` }),
  "one long error": oneLine("errors", "  long: 409 ", () => "wrong "),
  rates: lines({ limits: (index) => `  op${index}: 5/min per user\n` }),
  "rates of one operation": oneLine(
    "limits",
    "  getItem: [",
    (index) => `${index + 1}/min per user, `,
    "1/s per ip]\n",
  ),
  quotas: lines({ limits: (index) => `  op${index}: 5/day per user\n` }, { limits: `${parts.limits}quota:\n` }),
  retention: lines({ limits: (index) => `  R${index}: 90d\n` }, { limits: `${parts.limits}keep:\n` }),
  versions: oneLine(
    "versioning",
    "",
    (index) => `  ${100_000 - index}: [rename Item.a${index} -> b${index}]\n`,
    "  1: first\n",
    "scheme: numbered\nversions:\n",
  ),
  "steps of one version": lines(
    { versioning: (index) => `    - rename Item.a${index} -> b${index}\n` },
    { versioning: "scheme: numbered\nversions:\n  1: first\n  2:\n" },
  ),
  "steps that rename on": oneLine(
    "versioning",
    "",
    (index) => `  ${100_000 - index}: [rename Item.name${index + 1} -> name${index === 0 ? "" : index}]\n`,
    "  1: first\n",
    "scheme: numbered\nversions:\n",
  ),
  "deprecated versions": lines(
    { versioning: (index) => `  ${index}: since 2, sunset 2030-01-01\n` },
    { versioning: `${parts.versioning}deprecated:\n` },
  ),

  // Expressions.
  "a sum": rule("size > 0", () => " + 1"),
  "a long condition": rule("size > 0", () => " && size < 9"),
  alternatives: rule("size > 0", () => " || size == 9"),
  "conditions that contradict": rule("size > 0", (index) => ` && size != ${index}`),
  "alternatives of conditions": rule("size > 0", (index) => ` || (size > ${index} && name != 'a')`),
  "conditions of alternatives": rule("size > 0", (index) => ` && (size > ${index} || name != 'a')`),
  "nested brackets": rule(
    "",
    () => "(",
    (count) => `size > 0${")".repeat(count)}`,
  ),
  "nested negations": rule(
    "",
    () => "!(",
    (count) => `size > 0${")".repeat(count)}`,
  ),
  "minus signs": rule(
    "size > ",
    () => "-",
    () => "1",
  ),
  "nested choices": rule(
    "",
    () => "size > 1 ? size > 2 : ",
    () => "size > 3",
  ),
  "nested lists": rule(
    "size in ",
    () => "[",
    (count) => "]".repeat(count),
  ),
  "a long list": rule(
    "size in [",
    (index) => `${index}, `,
    () => "1]",
  ),
  "nested calls": rule(
    "",
    () => "Item.exists(i, ",
    (count) => `i.size > 0${")".repeat(count)}`,
  ),
  "a chain of members": rule(
    "name",
    () => ".name",
    () => " == 'a'",
  ),
  "a long text in an expression": rule(
    "name == '",
    () => "\\n\\u00e9",
    () => "'",
  ),
  "open strings": rule("name == ", () => "'"),
  "unknown names": rule("size > 0", (index) => ` && sice${index} > 1`),

  // The form of one file of YAML.
  "plain yaml: fields": (characters) =>
    plainYaml(`resources:\n  Item:\n    id: id(it)\n${repeated(characters, (index) => `    f${index}: string\n`)}`),
  "plain yaml: unknown keys": (characters) => plainYaml(repeated(characters, (index) => `k${index}: a\n`)),
  "plain yaml: flow": (characters) =>
    plainYaml(`resources: { ${repeated(characters, (index) => `R${index}: { id: id(r${index}) }, `)} }\n`),
  json: (characters) =>
    `{"nonet":1,"purpose":{"service":"large"},"resources":{${repeated(characters, (index) => `"R${index}":{"id":"id(r${index})"},`)}"Z":{"id":"id(z)"}}}`,
};

/** What such a document's file is called. */
export function fileNameOf(construct: string): string {
  return construct === "json" ? "large.json" : construct.startsWith("plain yaml") ? "large.yaml" : "large.md";
}
