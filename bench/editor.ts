/**
 * How long an editor waits for `nonet lsp`: from a keystroke to the findings, and for completion and hover, over the protocol, as a
 * child process. Prints percentiles in milliseconds.
 *
 *     node bench/editor.ts                  200 keystrokes and requests each
 *     node bench/editor.ts --times 50
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { CompletionItem, Hover, Position } from "vscode-languageserver-protocol";
import { type Editor, startEditor } from "../test/editor/client.ts";

const { values } = parseArgs({ options: { times: { type: "string", default: "200" } } });
const times = Number(values.times);
/** Keystrokes and requests before the measured ones. */
const warmUp = 30;

/** A document with about so many lines: resources with fields, states, operations, permissions and errors, as one writes them. */
function documentOf(lines: number): string {
  const count = Math.round(lines / 42);
  const each = (text: (name: string, index: number) => string): string =>
    Array.from({ length: count }, (_, index) => text(`Thing${index}`, index)).join("\n");
  const block = (title: string, text: string): string =>
    `## ${title}\nWhat a reader should know of it.\n\n\`\`\`yaml\n${text}\n\`\`\`\n`;
  const operations = (index: number): readonly string[] =>
    ["add", "get", "list", "change", "close", "reopen"].map((verb) => `${verb}Thing${index}`);
  return [
    "# Things\n",
    block(
      "What the service does",
      `nonet: 1\nservice: things\nusers: [member, admin]\noperations:\n${each((_, index) =>
        operations(index)
          .map((one) => `  ${one}: Do it`)
          .join("\n"),
      )}`,
    ),
    block(
      "Resources and their fields",
      `${each((name, index) => `${name}:\n  id: id(t${index})\n  owner: user = caller, read-only, filter\n  title: string(1..80), filter, sort\n  note?: string(..500)\n  size: small | medium | large = medium\n  count: integer(0..100) = 0\n  before?: Thing${Math.max(0, index - 1)}\n  dueAt?: datetime\n  createdAt: datetime = now, read-only, sort`)}\nrules:\n${each((name) => `  ${name}: count <= 50 || size == 'large' else too-many`)}`,
    ),
    block(
      "States and transitions",
      each(
        (name, index) =>
          `${name}:\n  states: { open: to do, closed: done }\n  start: open\n  final: none\n  moves:\n    open -> closed: { by: closeThing${index}, if: count > 0, else: too-many, set: { count: count + 1 } }\n    closed -> open: by reopenThing${index}`,
      ),
    ),
    block(
      "Endpoints",
      `lists: cursor, 20 per page, at most 100\nendpoints:\n${each((_, index) => `  addThing${index}: POST /thing${index}s\n  getThing${index}: GET /thing${index}s/{id}\n  listThing${index}: GET /thing${index}s\n  changeThing${index}: PATCH /thing${index}s/{id}\n  closeThing${index}: POST /thing${index}s/{id}/close\n  reopenThing${index}: POST /thing${index}s/{id}/reopen`)}`,
    ),
    block(
      "Authentication",
      `credentials:\n  key: { kind: api-key, sent: Authorization Bearer, prefix: th_, lasts: 365d, revoked: at once }\nroles: [member, admin]\nown:\n${each((name) => `  ${name}: owner == caller.id`)}\nallow:\n${each(
        (_, index) =>
          operations(index)
            .map((one) => `  ${one}: admin | member if own`)
            .join("\n"),
      )}\nunseen: 404`,
    ),
    block("Events", `out:\n${each((name, index) => `  thing${index}.closed: ${name} -> closed`)}`),
    block("Errors", "errors:\n  too-many: 409 There are too many"),
    block("Limits", "rate: { all: 600/min per user }"),
    block("Versioning", "scheme: none"),
  ].join("\n");
}

interface Measured {
  readonly name: string;
  readonly text: string;
  /** The line in which one types, and the text that one types at its end. */
  readonly line: string;
}

const flagship = readFileSync(new URL("../examples/card-payments.md", import.meta.url), "utf8");
const large = documentOf(3000);
const measured: readonly Measured[] = [
  { name: `card-payments.md, ${flagship.split("\n").length} lines`, text: flagship, line: "  received: integer" },
  {
    name: `a generated document, ${large.split("\n").length} lines`,
    text: large,
    line: "  count: integer(0..100) = 0",
  },
];

async function measure(editor: Editor, { line, name, text }: Measured): Promise<void> {
  const uri = `file:///bench/${encodeURIComponent(name)}.md`;
  const { diagnostics } = await editor.open(uri, text);
  const lines = text.split("\n");
  const at = lines.findIndex((one) => one.startsWith(line));
  const end: Position = { line: at, character: lines[at]?.length ?? 0 };
  const typed = ", filter";
  const keystroke = async (index: number): Promise<void> => {
    const step = index % (2 * typed.length);
    const written = Math.min(step, 2 * typed.length - step);
    const position = { ...end, character: end.character + written };
    // Forth and back again, so that the text is half-written most of the time.
    if (step < typed.length)
      await editor.change(uri, [{ range: { start: position, end: position }, text: typed.charAt(written) }]);
    else
      await editor.change(uri, [
        { range: { start: { ...position, character: position.character - 1 }, end: position }, text: "" },
      ]);
  };
  const expression = lines.findIndex((one) => / else /.test(one) || /if: /.test(one));
  const complete = (position: Position) => () =>
    editor.request<CompletionItem[]>("textDocument/completion", { textDocument: { uri }, position });
  const word = lines[expression]?.search(/(?<=if: |: )[a-z_]+ [<>=&|]/) ?? 0;
  const rows: readonly (readonly [what: string, run: (index: number) => Promise<unknown>])[] = [
    ["findings after a keystroke", keystroke],
    ["completion of a word", complete({ line: at, character: end.character })],
    ["completion in an expression", complete({ line: expression, character: Math.max(0, word) })],
    [
      "hover",
      () =>
        editor.request<Hover | null>("textDocument/hover", {
          textDocument: { uri },
          position: { line: at, character: 4 },
        }),
    ],
    ["outline", () => editor.request("textDocument/documentSymbol", { textDocument: { uri } })],
    ["semantic tokens", () => editor.request("textDocument/semanticTokens/full", { textDocument: { uri } })],
  ];
  process.stdout.write(`\n${name}, ${diagnostics.length} findings\n`);
  for (const [what, run] of rows) {
    const spent: number[] = [];
    for (let index = 0; index < warmUp + times; index++) {
      const start = performance.now();
      await run(index);
      if (index >= warmUp) spent.push(performance.now() - start);
    }
    const ordered = spent.toSorted((a, b) => a - b);
    const at = (share: number): string =>
      (ordered[Math.floor(share * (ordered.length - 1))] ?? 0).toFixed(1).padStart(7);
    process.stdout.write(`  ${what.padEnd(30)} p50 ${at(0.5)}   p95 ${at(0.95)}   p99 ${at(0.99)}\n`);
  }
}

await using editor = await startEditor();
for (const one of measured) await measure(editor, one);
