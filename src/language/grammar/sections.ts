/**
 * Splits a document into its nine parts by headings, and merges the blocks of each part; the part's own reader interprets
 * them.
 *
 * A heading matches regardless of case, a leading number, a trailing colon or its alternatives in brackets. All blocks of one
 * part together are one map: a key in two blocks is an error, but a later block may continue the map below a key of the
 * language (`rules`, `endpoints`, `allow`). In the one-file form the parts are top-level keys, next to `title`; a key without
 * a value is a heading without a block, and quotes have no meaning in JSON. `$schema`, which editors read, is ignored.
 */
import { spanning, type Span, startOfText } from "../../base/span.ts";
import { didYouMean } from "../../base/suggest.ts";
import type { Document, Entry, Fence, MapNode, Node, Prose, Section } from "../../document/document.ts";
import { type PartName, partNames, type PartStatus } from "../model.ts";
import { isNone, isText, type Reader, report } from "./reader.ts";

/** One part of a document: its heading, prose and blocks. */
export interface PartSection {
  readonly status: PartStatus;
  /** The heading as written; absent if the document has no such heading. */
  readonly heading?: string;
  /**
   * The span of the heading, or of the key in the one-file form; for a missing part, the location where it is reported
   * missing.
   */
  readonly span: Span;
  readonly prose: readonly Prose[];
  readonly fences: readonly Fence[];
  /** The merged map of the part's blocks. */
  readonly body: MapNode;
}

export interface Sections {
  readonly title?: { readonly text: string; readonly span: Span };
  readonly parts: Readonly<Record<PartName, PartSection>>;
  /** The sections under an H2 heading that is none of the nine. */
  readonly others: readonly Section[];
}

/** The headings of each part: first its name, then its alternatives. */
export const partHeadings: Readonly<Record<PartName, readonly [name: string, ...alternatives: string[]]>> = {
  purpose: ["What the service does", "Purpose"],
  resources: ["Resources and their fields", "Resources"],
  states: ["States and transitions", "States"],
  endpoints: ["Endpoints", "Operations"],
  authentication: ["Authentication", "Authorization", "Security"],
  events: ["Events", "Webhooks"],
  errors: ["Errors"],
  limits: ["Limits", "Quotas", "Rate limits"],
  versioning: ["Versioning", "Versions"],
};

/** The keys at the top of the one-file form. */
export const documentKeys: readonly string[] = ["title", ...partNames];

export function readSections(reader: Reader, document: Document): Sections {
  return document.form === "data" ? sectionsOfData(reader, document) : sectionsOfMarkdown(reader, document);
}

/** Returns the part that a heading names; undefined if the heading is none of the nine. */
export function partOfHeading(heading: string): PartName | undefined {
  const [, name, alternatives] = /^([^[(]+)[[(]([^\])]*)[\])]$/.exec(normal(heading)) ?? [];
  const part = partByHeading.get(name === undefined ? normal(heading) : normal(name));
  // Brackets in a heading may contain the part's alternative names, as in the language's reference page, and nothing else.
  const isOther = (other: string) => partByHeading.get(normal(other)) === part;
  return alternatives === undefined || alternatives.split(",").every(isOther) ? part : undefined;
}

const partByHeading: ReadonlyMap<string, PartName> = new Map(
  partNames.flatMap((part) => partHeadings[part].map((heading) => [normal(heading), part] as const)),
);

function normal(heading: string): string {
  const words = heading.trim().toLowerCase().replaceAll(/\s+/g, " ");
  return words.replace(/^(?:part )?\(?\d+\s*[.):–—-]?\s*/, "").replace(/\s*[:.]$/, "");
}

// ── Markdown ───────────────────────────────────────────────────────────────────────────────────────────────────────

function sectionsOfMarkdown(reader: Reader, document: Document): Sections {
  const found = new Map<PartName, Section[]>();
  const others: Section[] = [];
  let furthest: PartName | undefined;
  for (const section of document.sections) {
    const part = partOfHeading(section.heading);
    if (part === undefined) {
      others.push(section);
      continue;
    }
    const before = found.get(part);
    before?.push(section);
    if (before !== undefined) reportTwice(reader, section.span, section.heading, before[0]);
    else if (furthest !== undefined && partNames.indexOf(part) < partNames.indexOf(furthest))
      reportOrder(reader, section, furthest);
    else furthest = part;
    if (before === undefined) found.set(part, [section]);
  }
  for (const section of others) reportOther(reader, section, found);
  const start = document.title?.span ?? startOfText;
  const parts = eachPart((part) => {
    const sections = found.get(part);
    return sections === undefined ? missing(missingFrom(part, found) ?? start) : definedSection(reader, part, sections);
  });
  reportMissing(reader, parts, start);
  return { ...(document.title && { title: document.title }), parts, others };
}

function eachPart<Value>(value: (part: PartName) => Value): Record<PartName, Value> {
  return Object.fromEntries(partNames.map((part) => [part, value(part)])) as Record<PartName, Value>;
}

function missing(span: Span): PartSection {
  return { status: "silent", span, prose: [], fences: [], body: emptyMap(span) };
}

/** Returns where to report a missing part: at the heading of the nearest earlier part that the document has. */
function missingFrom(part: PartName, found: ReadonlyMap<PartName, readonly Section[]>): Span | undefined {
  const before = partNames.slice(0, partNames.indexOf(part)).filter((name) => found.has(name));
  return found.get(before.at(-1) ?? part)?.[0]?.span;
}

function definedSection(reader: Reader, part: PartName, sections: readonly Section[]): PartSection {
  const [{ heading, span }] = sections as [Section, ...Section[]];
  const prose = sections.flatMap((section) => section.prose);
  const fences = sections.flatMap((section) => section.fences);
  const blocks = fences.filter(
    (fence) => fence.language.toLowerCase() === "yaml" && fence.meta === "" && fence.text.trim() !== "",
  );
  const { status, body } = readBlocks(reader, part, blocks, span);
  return { heading, span, prose, fences, body, status: status ?? inWords(prose) };
}

/** Returns the status of a part without a block from its prose; only the single word `none` is unambiguous. */
function inWords(prose: readonly Prose[]): PartStatus {
  if (prose.length === 1 && /^\s*none\.?\s*$/i.test(prose[0]?.text ?? "")) return "none";
  return prose.some(isOpen) ? "not shown" : "silent";
}

/** Whether the prose declares that the part is open. */
function isOpen(prose: Prose): boolean {
  return /\b(?:not shown|not specified|to be decided|tbd|open questions?)\b/i.test(prose.text);
}

interface Blocks {
  /** The part's status as its blocks declare it; absent if there is no block. */
  readonly status?: PartStatus;
  readonly body: MapNode;
}

function readBlocks(reader: Reader, part: PartName, blocks: readonly Fence[], heading: Span): Blocks {
  const [first] = blocks;
  if (first === undefined) return { body: emptyMap(heading) };
  const bodies = blocks.flatMap((block) => (block.body === undefined ? [] : [block.body]));
  const word = bodies.find(isWord);
  if (word === undefined) return { status: "shown", body: merged(reader, part, bodies, first.span) };
  if (blocks.length > 1) {
    report(
      reader,
      "document/none-and-more",
      word.span,
      `This block says \`${word.value}\`, but another block of the part has content`,
      {
        help: "remove one of the two",
      },
    );
    return {
      status: "shown",
      body: merged(
        reader,
        part,
        bodies.filter((body) => body !== word),
        first.span,
      ),
    };
  }
  return { status: isNone(word) ? "none" : "not shown", body: emptyMap(word.span) };
}

function isWord(node: Node): node is Node & { kind: "text" } {
  return isText(node) && (isNone(node) || (!node.quoted && node.value === "not shown"));
}

function emptyMap(span: Span): MapNode {
  return { kind: "map", entries: [], span };
}

/** Merges the maps of a part's blocks into one; reports blocks that are not maps. */
function merged(reader: Reader, part: PartName, bodies: readonly Node[], span: Span): MapNode {
  const entries = new Map<string, Entry>();
  const growing = new Map<string, Growing>();
  for (const body of bodies) {
    if (body.kind !== "map") {
      report(
        reader,
        "document/not-a-map",
        body.span,
        `A block of part ${partNames.indexOf(part) + 1} is a map of names and values, not a ${body.kind}`,
        {
          help: "write `name: value` lines, or the one word `none`",
        },
      );
      continue;
    }
    const added = new Set<string>();
    for (const entry of body.entries) {
      const name = entry.key.value;
      const before = entries.get(name);
      // A repeated key in one block is reported by the document's reader; the first entry counts.
      if (added.has(name)) continue;
      if (before === undefined) {
        entries.set(name, entry);
        added.add(name);
      } else if (/^[a-z]/.test(name) && before.value.kind === "map" && entry.value.kind === "map") {
        const growingSection = growing.get(name) ?? growingFrom(before.value);
        growing.set(name, growingSection);
        join(reader, growingSection, entry.value);
      } else reportKeyTwice(reader, entry, before);
    }
  }
  return {
    kind: "map",
    entries: [...entries.values()].map((entry) => mergedEntry(entry, growing.get(entry.key.value))),
    span: bodies[0] === undefined ? span : spanning(bodies[0].span, bodies.at(-1)?.span ?? span),
  };
}

/** A map under construction, to which several blocks can add entries. */
interface Growing {
  readonly entries: Map<string, Entry>;
  readonly first: Span;
  last: Span;
}

function growingFrom({ entries, span }: MapNode): Growing {
  return { entries: new Map(entries.map((entry) => [entry.key.value, entry])), first: span, last: span };
}

function join(reader: Reader, growingSection: Growing, { entries, span }: MapNode): void {
  for (const entry of entries) {
    const other = growingSection.entries.get(entry.key.value);
    if (other === undefined) growingSection.entries.set(entry.key.value, entry);
    else reportKeyTwice(reader, entry, other);
  }
  growingSection.last = span;
}

function mergedEntry(entry: Entry, growingSection: Growing | undefined): Entry {
  if (growingSection === undefined) return entry;
  const { entries, first, last } = growingSection;
  return { key: entry.key, value: { kind: "map", entries: [...entries.values()], span: spanning(first, last) } };
}

// ── One file of data ───────────────────────────────────────────────────────────────────────────────────────────────

function sectionsOfData(reader: Reader, document: Document): Sections {
  const root = document.root && (document.text.trimStart().startsWith("{") ? plain(document.root) : document.root);
  if (root !== undefined && root.kind !== "map") {
    report(
      reader,
      "document/not-a-map",
      root.span,
      `A document in one file is a map of the nine parts, not a ${root.kind}`,
      {
        help: `its keys are ${partNames.join(", ")}`,
      },
    );
  }
  const entries = new Map<string, Entry>();
  for (const entry of root?.kind === "map" ? root.entries : []) {
    if (documentKeys.includes(entry.key.value)) entries.set(entry.key.value, entry);
    else if (entry.key.value !== "$schema") reportKey(reader, entry);
  }
  const title = entries.get("title")?.value;
  const parts = eachPart((part) => {
    const entry = entries.get(part);
    return entry === undefined ? missing(root?.span ?? startOfText) : definedValue(reader, part, entry);
  });
  reportMissing(reader, parts, startOfText);
  return { ...(title?.kind === "text" && { title: { text: title.value, span: title.span } }), parts, others: [] };
}

function definedValue(reader: Reader, part: PartName, entry: Entry): PartSection {
  const { key, value } = entry;
  const impliedSection = { heading: key.value, span: key.span, prose: [], fences: [] };
  if (value.kind === "text" && (value.value === "" || (!value.quoted && /^(?:~|null)$/.test(value.value)))) {
    return { ...impliedSection, status: "silent", body: emptyMap(value.span) };
  }
  if (isWord(value))
    return { ...impliedSection, status: isNone(value) ? "none" : "not shown", body: emptyMap(value.span) };
  return { ...impliedSection, status: "shown", body: merged(reader, part, [value], value.span) };
}

/** Removes the quotes of texts in JSON, where every text is quoted. Not below `schema` and `example`, which contain JSON. */
function plain(node: Node): Node {
  if (node.kind === "list") return { ...node, items: node.items.map(plain) };
  if (node.kind === "map") {
    const holdsJson = (entry: Entry): boolean => entry.key.value === "schema" || entry.key.value === "example";
    return {
      ...node,
      entries: node.entries.map((entry) => (holdsJson(entry) ? entry : { ...entry, value: plain(entry.value) })),
    };
  }
  if (!node.quoted) return node;
  const { start, end } = node.span;
  if (node.pieces !== undefined) return { ...node, quoted: false };
  const inner = {
    start: { ...start, column: start.column + 1, offset: start.offset + 1 },
    end: { ...end, column: end.column - 1, offset: end.offset - 1 },
  };
  return { ...node, quoted: false, span: inner };
}

// ── Complaints ─────────────────────────────────────────────────────────────────────────────────────────────────────

function reportTwice(reader: Reader, span: Span, heading: string, first: Section | undefined): void {
  report(
    reader,
    "document/part-twice",
    span,
    `The part \`${heading}\` appears twice; it began at line ${first?.span.start.line}`,
    {
      help: "move its content below the first heading; use `###` to divide a part",
    },
  );
}

function reportOrder(reader: Reader, section: Section, furthest: PartName): void {
  report(
    reader,
    "document/part-order",
    section.span,
    `\`${section.heading}\` comes after \`${partHeadings[furthest][0]}\``,
    {
      severity: "warning",
      why: "Readers expect the parts in the same order in every document.",
      help: `the order is ${partNames.map((part) => partHeadings[part][0]).join(", ")}`,
    },
  );
}

function reportOther(reader: Reader, section: Section, found: ReadonlyMap<PartName, unknown>): void {
  const free = partNames.filter((part) => !found.has(part)).flatMap((part) => partHeadings[part]);
  const near = didYouMean(normal(section.heading), free);
  const defines = section.fences.some((fence) => fence.body !== undefined);
  if (near === undefined && !defines) return;
  report(reader, "document/unknown-heading", section.span, `\`${section.heading}\` is not one of the nine parts`, {
    why: "Blocks below it have no effect.",
    help:
      near === undefined
        ? "move its blocks into a part, or mark them as `yaml example`"
        : `did you mean \`## ${near}\`?`,
    ...(near === undefined ? {} : { fix: { title: `write \`## ${near}\``, span: section.span, text: `## ${near}` } }),
  });
}

/**
 * Reports missing parts. A part is reported if the document has other parts; a document without any part gets one error, not
 * nine.
 */
function reportMissing(reader: Reader, parts: Readonly<Record<PartName, PartSection>>, start: Span): void {
  const absent = partNames.filter((part) => parts[part].heading === undefined);
  if (absent.length === partNames.length) {
    report(reader, "document/no-parts", start, "This document has no part", {
      help: `start with \`## ${partHeadings.purpose[0]}\``,
    });
    return;
  }
  for (const part of absent) {
    const [heading] = partHeadings[part];
    report(reader, "document/part-missing", parts[part].span, `The part \`${heading}\` is missing`, {
      why: "A document has nine parts, so that nothing is left out by accident.",
      help: `write the heading \`## ${heading}\`, and below it a block with the content, a block with the word \`none\`, or the text "not specified"`,
    });
  }
}

function reportKey(reader: Reader, entry: Entry): void {
  const near = didYouMean(entry.key.value, documentKeys) ?? partOfHeading(entry.key.value);
  report(reader, "document/unknown-key", entry.key.span, `\`${entry.key.value}\` is not one of the nine parts`, {
    help: near === undefined ? `the keys at the top are ${documentKeys.join(", ")}` : `did you mean \`${near}\`?`,
    ...(near === undefined ? {} : { fix: { title: `write \`${near}\``, span: entry.key.span, text: near } }),
  });
}

function reportKeyTwice(reader: Reader, entry: Entry, first: Entry): void {
  report(reader, "document/key-in-two-blocks", entry.key.span, `\`${entry.key.value}\` is in two blocks of this part`, {
    help: `keep one of the two; the other is at line ${first.key.span.start.line}`,
  });
}
