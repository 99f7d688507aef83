/**
 * Reads and prints a version entry: one difference between a version and the one before.
 *
 *     rename place -> name                              map: { rename: place, to }
 *     add place[, taken as value before]                map: { add: place, taken }
 *     remove place[: field][, seen as value before]     map: { remove: place, type, seen }
 *     require place, taken as value before              map: { require: place, taken }
 *     relax place[, was type][, seen as value before]   map: { relax: place, was, seen }
 *     retype place, was type[, seen as value before][, taken as value before]   map: { retype: place, was, seen, taken }
 *     path operation, was METHOD /path                  map: { path: operation, was }
 *     error code, was status code                       map: { error: code, was }
 *     event name[, was name]                            map: { event: name, was }
 *     state Resource.state, seen as state before        map: { state: Resource.state, seen }
 *     add value place value, seen as value before       map: { add value: place, value, seen }
 *
 * A place is `Resource.field`, `operation.member`, or a resource or operation alone. To remove a field, the entry needs its
 * type, and the marks that callers noticed: `remove Parcel.door: integer, read-only`. The order of the clauses does not
 * matter. YAML reads `- remove Parcel.note: string` as a map with one line; the reader treats it as the line that the author
 * meant.
 */
import { didYouMean } from "../../base/suggest.ts";
import type { MapNode, Node } from "../../document/document.ts";
import type { Tree } from "../../document/print.ts";
import { isSame } from "../grammar/form.ts";
import type { Grammar } from "../grammar/grammar.ts";
import { present } from "../grammar/schema.ts";
import { cutAt, unlocatedText, type SourceText, sourceTextOf, slice, spanOf, splitAt } from "../grammar/source-text.ts";
import { createReader, expectText, knownEntries, type Path, locateAt, type Reader, report } from "../grammar/reader.ts";
import { readFieldText } from "../resources/field.ts";
import { readType } from "../resources/field-type.ts";
import { address } from "../endpoints/address.ts";
import { readStatus, readText } from "../grammar/values.ts";
import { type Change, type ChangeTarget, targetName } from "./model.ts";

const verbs = [
  "rename", "add value", "add", "remove", "require", "relax", "retype", "path", "error", "event", "state",
] as const; // biome-ignore format: a table

type Verb = (typeof verbs)[number];
type Clause = "to" | "type" | "value" | "was" | "seen" | "taken";

/** The clauses of each kind of change after its subject; `!` marks required ones. */
const clausesOf: Readonly<Record<Verb, readonly (Clause | `${Clause}!`)[]>> = {
  rename: ["to!"],
  add: ["taken"],
  remove: ["type", "seen"],
  require: ["taken!"],
  relax: ["was", "seen"],
  retype: ["was!", "seen", "taken"],
  path: ["was!"],
  error: ["was!"],
  event: ["was"],
  state: ["seen!"],
  "add value": ["value!", "seen!"],
};

const examples: Readonly<Record<Verb, string>> = {
  rename: "rename Parcel.reference -> trackingNumber",
  add: "add Parcel.note, taken as '' before",
  remove: "remove Parcel.note: string, seen as '' before",
  require: "require Parcel.weightKg, taken as 1 before",
  relax: "relax Parcel.note, seen as '' before",
  retype: "retype Parcel.weightKg, was integer",
  path: "path takeBack, was POST /parcels/{id}/return",
  error: "error no-free-locker, was 503 no-capacity",
  event: "event parcel.stored, was parcel.arrived",
  state: "state Parcel.expired, seen as stored before",
  "add value": "add value Locker.size large, seen as medium before",
};

/** The parts of an entry: its verb, subject and clauses, from either form. */
interface Parts {
  readonly verb: Verb;
  readonly subject: SourceText;
  readonly clauses: Partial<Record<Clause, SourceText>>;
}

export const change: Grammar<Change> = {
  schema: {
    // In YAML, a line with a colon such as `remove Parcel.note: string` is a map.
    anyOf: [present, { type: "object", minProperties: 1 }],
  },
  read: (reader, path, { value }) => readChange(reader, path, value),
  print: (value) => printChange(value),
};

/** Reads the entry at `path`; the path of each clause is `path/clause`. */
function readChange(reader: Reader, path: Path, node: Node): Change | undefined {
  locateAt(reader, path, node);
  const parts = splitChange(reader, path, node);
  if (parts === undefined) return undefined;
  for (const [clause, sourceText] of Object.entries(parts.clauses)) locateAt(reader, [...path, clause], sourceText);
  return complete(reader, parts) ? changeOf(reader, path, parts) : undefined;
}

function splitChange(reader: Reader, path: Path, node: Node): Parts | undefined {
  if (node.kind !== "map") {
    const text = expectText(reader, path, node, "A change");
    return text && partsOfLine(reader, sourceTextOf(text));
  }
  const [only, more] = node.entries;
  if (only !== undefined && more === undefined && /\s/.test(only.key.value) && only.key.value !== "add value") {
    const rest = readText(reader, path, only, "The type");
    return rest && partsOfLine(reader, sourceTextOf(only.key), rest);
  }
  return partsOfMap(reader, path, node);
}

/** Splits a line into its parts. `rest` is the text that YAML separated at a colon: a type and the clauses after it. */
function partsOfLine(reader: Reader, line: SourceText, rest?: SourceText): Parts | undefined {
  const verb = verbs.find((name) => line.text === name || line.text.startsWith(`${name} `));
  if (verb === undefined) {
    reportVerb(reader, line);
    return undefined;
  }
  const [first, ...others] = clausePieces(slice(line, verb.length));
  const head = first && headOf(verb, first);
  if (head === undefined || head.subject.text === "") {
    reportIncomplete(reader, line, verb, `\`${line.text}\` needs a subject`);
    return undefined;
  }
  const clauses: Partial<Record<Clause, SourceText>> = { ...head.clauses };
  const [type, ...afterType] = rest === undefined ? [] : clausePieces(rest);
  if (type !== undefined) clauses.type = type;
  for (const piece of [...others, ...afterType]) addClause(reader, verb, clauses, piece);
  return { verb, subject: head.subject, clauses };
}

/** Splits the text before the first clause: the subject, and the clause that some verbs have directly after it. */
function headOf(verb: Verb, head: SourceText): Pick<Parts, "subject" | "clauses"> {
  if (verb === "rename") {
    const cut = cutAt(head, "->");
    return cut === undefined ? { subject: head, clauses: {} } : { subject: cut[0], clauses: { to: cut[1] } };
  }
  if (verb === "remove") {
    const cut = cutAt(head, ":");
    return cut === undefined ? { subject: head, clauses: {} } : { subject: cut[0], clauses: { type: cut[1] } };
  }
  const name = /^\S+/.exec(head.text)?.[0] ?? "";
  if (verb !== "add value" || name === head.text) return { subject: head, clauses: {} };
  return { subject: slice(head, 0, name.length), clauses: { value: slice(head, name.length) } };
}

/** Splits a line at the commas before a clause; other commas belong to the text around them. */
function clausePieces(line: SourceText): SourceText[] {
  const starts = splitAt(line, ",").filter((piece, index) => index === 0 || /^(was|seen|taken)\b/.test(piece.text));
  return starts.map((piece, index) => {
    const next = starts[index + 1];
    const from = piece.from - line.from;
    if (next === undefined) return slice(line, from);
    const before = slice(line, from, next.from - line.from);
    return slice(before, 0, before.text.length - 1);
  });
}

function addClause(reader: Reader, verb: Verb, clauses: Partial<Record<Clause, SourceText>>, piece: SourceText): void {
  const match = /^(?:(was)|(seen|taken)\s+as)(?:\s+(.*))?$/s.exec(piece.text);
  const clause = (match?.[1] ?? match?.[2]) as "was" | "seen" | "taken" | undefined;
  const present = match?.[3] ?? "";
  if (clause === undefined || present === "") {
    reportIncomplete(reader, piece, verb, `\`${piece.text}\` needs the earlier value`);
    return;
  }
  const value = slice(piece, piece.text.length - present.length);
  if (clauses[clause] !== undefined) {
    report(reader, "versioning/clause-twice", spanOf(piece), `\`${clause}\` is given twice`);
  } else if (clause === "was") clauses.was = value;
  else if (/\sbefore$/.test(value.text)) clauses[clause] = slice(value, 0, value.text.length - "before".length);
  else {
    report(reader, "versioning/no-before", spanOf(piece), `\`${piece.text}\` does not end in \`before\``, {
      help: `write \`${piece.text} before\``,
      fix: { title: "add `before`", span: spanOf(piece), text: `${piece.text} before` },
    });
    clauses[clause] = value;
  }
}

function partsOfMap(reader: Reader, path: Path, map: MapNode): Parts | undefined {
  const verb = verbs.find((name) => map.entries.some((entry) => entry.key.value === name));
  if (verb === undefined) {
    const first = map.entries[0]?.key;
    if (first !== undefined) reportVerb(reader, sourceTextOf(first));
    return undefined;
  }
  const names = clausesOf[verb].map((clause) => clause.replace("!", "") as Clause);
  const entries = knownEntries<Verb | Clause>(reader, path, map, [verb, ...names], `A change of kind ${verb}`);
  const subject = readText(reader, path, entries[verb], "The subject of a change");
  if (subject === undefined) return undefined;
  const clauses: Partial<Record<Clause, SourceText>> = {};
  for (const name of names) {
    const sourceText = readText(reader, path, entries[name], `\`${name}\``);
    if (sourceText !== undefined) clauses[name] = sourceText;
  }
  return { verb, subject, clauses };
}

/** Reports missing and unknown clauses of a verb, and returns whether there are none. */
function complete(reader: Reader, { verb, subject, clauses }: Parts): boolean {
  const known = clausesOf[verb];
  let sound = true;
  for (const [clause, sourceText] of Object.entries(clauses)) {
    if (known.some((name) => name.replace("!", "") === clause)) continue;
    reportIncomplete(reader, sourceText, verb, `A change of kind \`${verb}\` has no \`${clause}\``);
    sound = false;
  }
  for (const name of known) {
    if (!name.endsWith("!") || clauses[name.slice(0, -1) as Clause] !== undefined) continue;
    reportIncomplete(
      reader,
      subject,
      verb,
      `\`${verb} ${subject.text}\` needs ${clauseDescription[name.slice(0, -1) as Clause]}`,
    );
    sound = false;
  }
  return sound;
}

const clauseDescription: Readonly<Record<Clause, string>> = {
  to: "the new name",
  type: "the earlier type",
  value: "the new value",
  was: "the earlier value",
  seen: "the value that older callers see",
  taken: "the value to use when older callers do not send it",
};

function changeOf(reader: Reader, path: Path, { verb, subject, clauses }: Parts): Change | undefined {
  const { seen, taken, was } = clauses;
  switch (verb) {
    case "path":
      return was && pathChange(reader, path, subject, was);
    case "error":
      return was && errorChange(reader, path, subject, was);
    case "event":
      return { kind: "event", name: subject.text, ...(was === undefined ? {} : { was: was.text }) };
    case "state":
      return seen && stateChange(reader, subject, seen);
    default:
  }
  const target = readTarget(reader, verb, subject);
  if (target === undefined) return undefined;
  const down = seen === undefined ? {} : { seen: seen.text };
  const up = taken === undefined ? {} : { taken: taken.text };
  const before = was === undefined ? {} : { was: was.text };
  switch (verb) {
    case "rename":
      return renameChange(reader, target, subject, clauses.to as SourceText);
    case "add":
      return { kind: "add", target, ...up };
    case "remove":
      return removeChange(reader, path, target, subject, clauses);
    case "require":
      return { kind: "require", target, taken: (taken as SourceText).text };
    case "relax":
      if (was !== undefined && readType(reader, "versioning", was) === undefined) return undefined;
      return { kind: "relax", target, ...before, ...down };
    case "retype":
      if (readType(reader, "versioning", was as SourceText) === undefined) return undefined;
      return { kind: "retype", target, was: (was as SourceText).text, ...down, ...up };
    case "add value":
      return { kind: "add-value", target, value: (clauses.value as SourceText).text, seen: (seen as SourceText).text };
  }
}

/** Reads `Resource.field`, `operation.member`, or a name alone. */
function readTarget(reader: Reader, verb: Verb, subject: SourceText): ChangeTarget | undefined {
  const match = /^([A-Za-z]\w*)(?:\.([A-Za-z_]\w*))?$/.exec(subject.text);
  if (match !== null) return { of: match[1] as string, ...(match[2] === undefined ? {} : { field: match[2] }) };
  report(reader, "versioning/bad-place", spanOf(subject), `\`${subject.text}\` does not name a field`, {
    help: `write \`${examples[verb]}\``,
  });
  return undefined;
}

function renameChange(reader: Reader, from: ChangeTarget, subject: SourceText, to: SourceText): Change | undefined {
  const name = to.text.startsWith(`${from.of}.`) ? slice(to, from.of.length + 1) : to;
  if (/^[A-Za-z_][\w-]*$/.test(to.text)) return { kind: "rename", from, to: to.text };
  report(reader, "versioning/bad-name", spanOf(to), `\`${to.text}\` is not a new name`, {
    help: name === to ? `write \`${examples.rename}\`` : `write \`rename ${subject.text} -> ${name.text}\``,
    ...(name === to ? {} : { fix: { title: `write \`${name.text}\``, span: spanOf(to), text: name.text } }),
  });
  return undefined;
}

function removeChange(
  reader: Reader,
  path: Path,
  target: ChangeTarget,
  subject: SourceText,
  { type, seen }: Partial<Record<Clause, SourceText>>,
): Change | undefined {
  if (type === undefined && target.field !== undefined) {
    reportIncomplete(reader, subject, "remove", `\`remove ${subject.text}\` needs ${clauseDescription.type}`);
    return undefined;
  }
  if (type !== undefined && readFieldText(reader, [...path, "type"], type) === undefined) return undefined;
  return {
    kind: "remove",
    target,
    ...(type === undefined ? {} : { type: type.text }),
    ...(seen === undefined ? {} : { seen: seen.text }),
  };
}

const formerAddress = address("The earlier value");

function pathChange(reader: Reader, path: Path, operation: SourceText, was: SourceText): Change | undefined {
  const before = formerAddress.readWords?.(reader, path, was);
  return before && { kind: "path", operation: operation.text, ...before };
}

function errorChange(reader: Reader, path: Path, code: SourceText, was: SourceText): Change | undefined {
  const match = /^(\S+)\s+(\S+)$/.exec(was.text);
  if (match === null) {
    reportIncomplete(reader, was, "error", `\`${was.text}\` is not a status and a code`);
    return undefined;
  }
  const status = readStatus(reader, path, slice(was, 0, (match[1] as string).length), "The earlier value");
  return status === undefined ? undefined : { kind: "error", code: code.text, status, was: match[2] as string };
}

function stateChange(reader: Reader, subject: SourceText, seen: SourceText): Change | undefined {
  const match = /^([A-Za-z]\w*)\.([A-Za-z][\w-]*)$/.exec(subject.text);
  if (match !== null) return { kind: "state", resource: match[1] as string, name: match[2] as string, seen: seen.text };
  report(reader, "versioning/bad-place", spanOf(subject), `\`${subject.text}\` does not name a state`, {
    help: `write \`${examples.state}\``,
  });
  return undefined;
}

function reportIncomplete(reader: Reader, at: SourceText, verb: Verb, message: string): void {
  report(reader, "versioning/incomplete-change", spanOf(at), message, { help: `write it as \`${examples[verb]}\`` });
}

function reportVerb(reader: Reader, line: SourceText): void {
  const word = /^\S*/.exec(line.text)?.[0] ?? "";
  const near = didYouMean(word, verbs);
  const span = spanOf(slice(line, 0, word.length));
  report(reader, "versioning/unknown-change", span, `\`${word}\` is not a kind of change`, {
    help: near === undefined ? `known here: ${verbs.join(", ")}` : `did you mean \`${examples[near as Verb]}\`?`,
    known: verbs,
    ...(near === undefined ? {} : { fix: { title: `write \`${near}\``, span, text: near } }),
  });
}

// ── Printed ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Prints an entry on one line if reading the line returns the same entry, else as a map. */
function printChange(change: Change): Tree {
  const line = lineOf(change);
  return readsBack(line, change) ? line : mapOf(change);
}

/** Prints an entry as YAML on one line, after `- `: the line form if YAML reads it as plain text, else a map. */
export function changeText(change: Change): string {
  const line = lineOf(change);
  const plain = !/^[^a-z]|\s#|:$/.test(line) && (change.kind === "remove" || !line.includes(": "));
  return readsBack(line, change) ? (plain ? line : JSON.stringify(line)) : JSON.stringify(mapOf(change));
}

function readsBack(line: string, change: Change): boolean {
  const reader = createReader();
  const read = readChange(reader, ["versioning"], unlocatedText(line).node);
  return reader.diagnostics.length === 0 && isSame(read, change);
}

function lineOf(change: Change): string {
  const before = (clause: string, value: string | undefined) =>
    value === undefined ? "" : `, ${clause} as ${value} before`;
  const was = (value: string | undefined) => (value === undefined ? "" : `, was ${value}`);
  switch (change.kind) {
    case "rename":
      return `rename ${targetName(change.from)} -> ${change.to}`;
    case "add":
      return `add ${targetName(change.target)}${before("taken", change.taken)}`;
    case "remove": {
      const type = change.type === undefined ? "" : `: ${change.type}`;
      return `remove ${targetName(change.target)}${type}${before("seen", change.seen)}`;
    }
    case "require":
      return `require ${targetName(change.target)}${before("taken", change.taken)}`;
    case "relax":
      return `relax ${targetName(change.target)}${was(change.was)}${before("seen", change.seen)}`;
    case "retype":
      return `retype ${targetName(change.target)}${was(change.was)}${before("seen", change.seen)}${before("taken", change.taken)}`;
    case "path":
      return `path ${change.operation}${was(`${change.method} ${change.path}`)}`;
    case "error":
      return `error ${change.code}${was(`${change.status} ${change.was}`)}`;
    case "event":
      return `event ${change.name}${was(change.was)}`;
    case "state":
      return `state ${change.resource}.${change.name}${before("seen", change.seen)}`;
    case "add-value":
      return `add value ${targetName(change.target)} ${change.value}${before("seen", change.seen)}`;
  }
}

function mapOf(change: Change): Tree {
  switch (change.kind) {
    case "rename":
      return { rename: targetName(change.from), to: change.to };
    case "path":
      return { path: change.operation, was: `${change.method} ${change.path}` };
    case "error":
      return { error: change.code, was: `${change.status} ${change.was}` };
    case "event":
      return { event: change.name, ...(change.was === undefined ? {} : { was: change.was }) };
    case "state":
      return { state: `${change.resource}.${change.name}`, seen: change.seen };
    case "add-value":
      return { "add value": targetName(change.target), value: change.value, seen: change.seen };
    default: {
      const { kind, target, ...clauses } = change;
      return { [kind]: targetName(target), ...clauses };
    }
  }
}
