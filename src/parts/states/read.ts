/**
 * Part 3, read: the life of each resource.
 *
 *     Resource: none   or   { states, start, final, moves }
 *     states    name: sentence   or a list of names
 *     start     a state
 *     final     a list of states, or names on one line with commas; `none`: there is none
 *     moves     from -> to: trigger, or a list of triggers, each of them enough
 *               or a list of maps { from, to, and what a trigger's map has }
 *       from    a state, several with `|` (in a map also a list), or `any`
 *       trigger = "by" operation | "after" duration | "at" field | "when" event { "|" event } [ "at" field ]
 *       map     { by | after | at | when, if, else, set }; `at` beside `when` is the member of the payload
 *     set       field: expression
 *
 * A move is placed under its key as written and under its `moveName`; its triggers as items from 0, each with the
 * members of the map form.
 */
import type { Span } from "../../base/span.ts";
import type { Entry, MapNode, Node } from "../../document/document.ts";
import { cutAt, type Phrase, phraseOf, slice, spanOf, splitAt } from "../phrase.ts";
import {
  expectMap,
  expectText,
  isNone,
  knownEntries,
  isGap,
  openEntries,
  type Path,
  place,
  placeAt,
  placeBoth,
  type Reader,
  report,
} from "../reader.ts";
import { namesAt, readDuration, readText } from "../values.ts";
import { type Cause, type Lifecycle, type Move, moveName, type States, type Trigger } from "./model.ts";

const path: Path = ["states"];

export const lifecycleKeys = ["states", "start", "final", "moves"] as const;
export const triggerKeys = ["by", "after", "at", "when", "if", "else", "set"] as const;

export function readStates(reader: Reader, body: MapNode): States {
  const states: Record<string, Lifecycle | "none"> = {};
  for (const entry of openEntries(reader, path, body)) {
    const name = entry.key.value;
    if (isNone(entry.value)) states[name] = "none";
    else {
      const map = expectMap(
        reader,
        path,
        entry.value,
        `The life of \`${name}\``,
        "{ states: { open: may change }, start: open, moves: … }",
      );
      if (map !== undefined) states[name] = readLifecycle(reader, [...path, name], map);
    }
  }
  return states;
}

function readLifecycle(reader: Reader, at: Path, map: MapNode): Lifecycle {
  const entries = knownEntries(reader, at, map, lifecycleKeys, `The life of \`${at[1]}\``);
  const start = readText(reader, at, entries.start, "`start`");
  return {
    states: readStateNames(reader, [...at, "states"], entries.states),
    ...(start === undefined ? {} : { start: start.text }),
    ...(entries.final === undefined ? {} : { final: readFinal(reader, [...at, "final"], entries.final) }),
    moves: readMoves(reader, [...at, "moves"], entries.moves),
  };
}

function readStateNames(reader: Reader, at: Path, entry: Entry | undefined): Record<string, string> {
  const states: Record<string, string> = {};
  if (entry === undefined) return states;
  if (entry.value.kind === "list") {
    for (const name of namesAt(reader, at, entry.value, "`states`")) {
      placeAt(reader, [...at, name.text], name);
      if (isStateName(reader, name)) states[name.text] = "";
    }
    return states;
  }
  const map = expectMap(reader, at, entry.value, "`states`", "{ open: may change, closed: settled }");
  for (const line of map?.entries ?? []) {
    const named = [...at, line.key.value];
    place(reader, named, line);
    // There is the state, whatever it means.
    const sentence = isGap(reader, named, line.value)
      ? undefined
      : expectText(reader, at, line.value, `The sentence of \`${line.key.value}\``);
    if (isStateName(reader, phraseOf(line.key)))
      states[line.key.value] = sentence === undefined ? "" : phraseOf(sentence).text;
  }
  return states;
}

function isStateName(reader: Reader, name: Phrase): boolean {
  const known = /^[A-Za-z][A-Za-z0-9_-]*$/.test(name.text);
  if (known && name.text !== "any") return true;
  report(
    reader,
    "states/bad-name",
    spanOf(name),
    known ? "`any` means every state and cannot name one" : `\`${name.text}\` cannot name a state`,
    {
      help: "a state's name starts with a letter and has letters, digits, `-` and `_`",
    },
  );
  return false;
}

function readFinal(reader: Reader, at: Path, entry: Entry): readonly string[] {
  const names = namesAt(reader, at, entry.value, "`final`");
  for (const name of names) placeAt(reader, [...at, name.text], name);
  return names.map((name) => name.text);
}

function readMoves(reader: Reader, at: Path, entry: Entry | undefined): readonly Move[] {
  if (entry === undefined || isNone(entry.value)) return [];
  const moves = new Map<string, Move>();
  if (entry.value.kind === "list") {
    for (const [index, item] of entry.value.items.entries()) {
      const own: Reader = { ...reader, gaps: [] };
      const written = [...at, String(index)];
      placeAt(own, written, item);
      keepMove(reader, moves, own, written, item.span, readMoveMap(own, written, item));
    }
    return [...moves.values()];
  }
  const map = expectMap(reader, at, entry.value, "`moves`", "open -> closed: by close");
  for (const line of map === undefined ? [] : openEntries(reader, at, map)) {
    const own: Reader = { ...reader, gaps: [] };
    const written = [...at, line.key.value];
    place(own, written, line);
    keepMove(reader, moves, own, written, line.key.span, readMove(own, written, line));
  }
  return [...moves.values()];
}

/** Adds a move under its name, with the gaps that `own` has below the key as written. */
function keepMove(
  reader: Reader,
  moves: Map<string, Move>,
  own: Reader,
  written: Path,
  span: Span,
  move: Move | undefined,
): void {
  const named = move === undefined ? written : [...written.slice(0, -1), moveName(move)];
  placeBoth(reader, written, named);
  for (const gap of own.gaps) reader.gaps.push(named.join("/") + gap.slice(written.join("/").length));
  if (move === undefined) return;
  const name = moveName(move);
  if (!moves.has(name)) moves.set(name, move);
  else {
    report(reader, "states/move-twice", span, `The move \`${name}\` is defined twice`, {
      help: `write its triggers as a list: \`${name}: [by collect, after 48h]\`, each with its own \`set\` in a map: \`[{ by: collect, set: { … } }, { after: 48h, set: { … } }]\``,
    });
  }
}

function readMove(reader: Reader, at: Path, line: Entry): Move | undefined {
  const key = phraseOf(line.key);
  const arrow = cutAt(key, "->");
  if (arrow === undefined) {
    report(reader, "states/bad-move", spanOf(key), `\`${key.text}\` does not say from where to where`, {
      help: "write `open -> closed`",
    });
    return undefined;
  }
  const [left, right] = arrow;
  const from = readFrom(reader, at, splitAt(left, "|"));
  const to = readTo(reader, at, right);
  const triggers = readTriggers(reader, at, line.value);
  return from === undefined || to === undefined ? undefined : { from, to, triggers };
}

function readFrom(reader: Reader, at: Path, names: readonly Phrase[]): Move["from"] | undefined {
  const [first] = names;
  if (first?.text === "any" && names.length === 1) return "any";
  const seen = new Set<string>();
  for (const name of names) {
    placeAt(reader, [...at, "from", name.text], name);
    const twice = seen.has(name.text);
    seen.add(name.text);
    if (/^[A-Za-z][A-Za-z0-9_-]*$/.test(name.text) && name.text !== "any" && !twice) continue;
    const span = name.text === "" ? name.node.span : spanOf(name);
    const message = twice ? `\`${name.text}\` is said twice` : `\`${name.text}\` is not the name of a state`;
    report(reader, "states/bad-move", span, message, {
      help: "write `open -> closed`, `open | held -> closed` or `any -> closed`",
    });
    return undefined;
  }
  return first === undefined ? undefined : names.map((name) => name.text);
}

function readTo(reader: Reader, at: Path, name: Phrase): string | undefined {
  placeAt(reader, [...at, "to"], name);
  if (/^[A-Za-z][A-Za-z0-9_-]*$/.test(name.text) && name.text !== "any") return name.text;
  const span = name.text === "" ? name.node.span : spanOf(name);
  report(reader, "states/bad-move", span, "A move leads to one state", { help: "write `open | held -> closed`" });
  return undefined;
}

/** `{ from, to, … }`: a move as an item of a list, with one trigger. */
function readMoveMap(reader: Reader, at: Path, item: Node): Move | undefined {
  const map = expectMap(reader, at, item, "A move in a list", "{ from: open, to: closed, by: close }");
  if (map === undefined) return undefined;
  const ends = {
    ...map,
    entries: map.entries.filter((entry) => entry.key.value === "from" || entry.key.value === "to"),
  };
  const entries = knownEntries(reader, at, ends, ["from", "to"], "A move");
  const target = readText(reader, at, entries.to, "`to`");
  const names =
    entries.from &&
    (entries.from.value.kind === "text"
      ? splitAt(phraseOf(entries.from.value), "|")
      : namesAt(reader, at, entries.from.value, "`from`"));
  if (target === undefined || names === undefined) {
    report(reader, "states/bad-move", map.span, "This move does not say from where to where", {
      help: "write `{ from: open, to: closed, by: close }`",
    });
    return undefined;
  }
  const from = readFrom(reader, at, names);
  const to = readTo(reader, at, target);
  const rest = { ...map, entries: map.entries.filter((entry) => !ends.entries.includes(entry)) };
  const trigger = readTriggerMap(reader, [...at, "0"], rest, at);
  return from === undefined || to === undefined
    ? undefined
    : { from, to, triggers: trigger === undefined ? [] : [trigger] };
}

function readTriggers(reader: Reader, at: Path, value: Node): readonly Trigger[] {
  const nodes = value.kind === "list" ? value.items : [value];
  const triggers: Trigger[] = [];
  for (const [index, node] of nodes.entries()) {
    const item = [...at, String(triggers.length)];
    placeAt(reader, item, node);
    if (isGap(reader, [...at, String(index)], node)) continue;
    const written = value === node ? at : nodes.length === 1 ? at : [...at, String(index)];
    const trigger =
      node.kind === "map" ? readTriggerMap(reader, item, node, written) : readTriggerLine(reader, item, node);
    if (trigger !== undefined) triggers.push(trigger);
  }
  if (nodes.length === 0)
    report(reader, "states/bad-trigger", value.span, "Nothing triggers this move", { help: forms });
  return triggers;
}

const forms = "write `by collect`, `after 48h`, `at collectBy` or `when parcel.stored`";

function readTriggerLine(reader: Reader, at: Path, node: Node): Trigger | undefined {
  const text = expectText(reader, at, node, "What triggers a move");
  if (text === undefined) return undefined;
  const line = phraseOf(text);
  const [word = ""] = /^\S*/.exec(line.text) ?? [];
  const rest = slice(line, word.length);
  if (word !== "by" && word !== "after" && word !== "at" && word !== "when") {
    const help = /^[A-Za-z][\w-]*$/.test(line.text) ? `write \`by ${line.text}\` if that is an operation` : forms;
    report(
      reader,
      "states/bad-trigger",
      line.text === "" ? node.span : spanOf(line),
      `\`${line.text}\` is not a trigger`,
      { help },
    );
    return undefined;
  }
  const condition = /\s(if|else|set)\s/.exec(line.text);
  if (condition !== null) {
    const span = spanOf(slice(line, condition.index));
    report(reader, "states/bad-trigger", span, `\`${condition[1]}\` stands only in the map form of a trigger`, {
      help: "write `{ by: collect, if: input.code == pickupCode, else: wrong-code }`",
    });
    return undefined;
  }
  placeAt(reader, [...at, word], rest);
  const on = causeOf(reader, at, word, rest);
  return on && { on };
}

function causeOf(reader: Reader, at: Path, word: Cause["kind"], phrase: Phrase): Cause | undefined {
  if (word === "after") {
    const duration = readDuration(reader, at, phrase, "What follows `after`");
    return duration === undefined ? undefined : { kind: "after", duration };
  }
  if (word === "when") return eventsOf(reader, at, phrase);
  const known = word === "by" ? /^[A-Za-z][A-Za-z0-9_-]*$/ : /^[A-Za-z_][A-Za-z0-9_]*$/;
  if (known.test(phrase.text))
    return word === "by" ? { kind: "by", operation: phrase.text } : { kind: "at", field: phrase.text };
  const span = phrase.text === "" ? phrase.node.span : spanOf(phrase);
  report(
    reader,
    "states/bad-trigger",
    span,
    `\`${word}\` is followed by the name of ${word === "by" ? "an operation" : "a field"}`,
    { help: forms },
  );
  return undefined;
}

function eventsOf(reader: Reader, at: Path, phrase: Phrase): Cause | undefined {
  const split = /\s+at\s+([A-Za-z_]\w*)$/.exec(phrase.text);
  const pieces = splitAt(split === null ? phrase : slice(phrase, 0, split.index), "|");
  return eventCause(reader, at, pieces, split?.[1]);
}

function eventCause(reader: Reader, at: Path, pieces: readonly Phrase[], field: string | undefined): Cause | undefined {
  const wrong = pieces.find((piece) => !/^[A-Za-z][\w.-]*$/.test(piece.text));
  if (wrong !== undefined || pieces.length === 0) {
    const span = wrong === undefined || wrong.text === "" ? reader.places.get(at.join("/")) : spanOf(wrong);
    if (span !== undefined) {
      report(reader, "states/bad-trigger", span, "`when` is followed by the name of an event", {
        help: "write `when parcel.stored | parcel.returned`, or `when parcel.stored at locker`",
      });
    }
    return undefined;
  }
  for (const piece of pieces) placeAt(reader, [...at, "when", piece.text], piece);
  return { kind: "when", events: pieces.map((piece) => piece.text), ...(field === undefined ? {} : { field }) };
}

/** `written` is the place of the keys in the document, where the trigger is the only one of its move. */
function readTriggerMap(reader: Reader, at: Path, map: MapNode, written: Path): Trigger | undefined {
  const entries = knownEntries(reader, written, map, triggerKeys, "A trigger");
  if (written !== at) for (const entry of map.entries) place(reader, [...at, entry.key.value], entry);
  const condition = readText(reader, at, entries.if, "`if`");
  const code = readText(reader, at, entries.else, "`else`");
  const set = entries.set && readSet(reader, [...at, "set"], entries.set, [...written, "set"]);
  const on = causeOfMap(reader, at, map, entries);
  if (on === undefined) return undefined;
  return {
    on,
    ...(condition === undefined ? {} : { if: condition.text }),
    ...(code === undefined ? {} : { else: code.text }),
    ...(set === undefined ? {} : { set }),
  };
}

function causeOfMap(
  reader: Reader,
  at: Path,
  map: MapNode,
  entries: Partial<Record<(typeof triggerKeys)[number], Entry>>,
): Cause | undefined {
  const { when } = entries;
  const given = (["by", "after", "at", "when"] as const).filter(
    (word) => entries[word] !== undefined && !(word === "at" && when !== undefined),
  );
  const [word, second] = given;
  if (word === undefined || second !== undefined) {
    const said = map.entries.some((entry) => ["by", "after", "at", "when"].includes(entry.key.value));
    if (second !== undefined || !said) {
      const message =
        second === undefined
          ? "This move does not say what triggers it"
          : `A trigger has one cause, not \`${word}\` and \`${second}\``;
      report(reader, "states/bad-trigger", map.span, message, {
        help: second === undefined ? forms : "write two triggers as a list",
      });
    }
    return undefined;
  }
  const cause = entries[word];
  if (word === "when" && cause?.value.kind === "list") {
    const field = readText(reader, at, entries.at, "`at`");
    return eventCause(reader, at, namesAt(reader, at, cause.value, "`when`"), field?.text);
  }
  const phrase = readText(reader, at, cause, `\`${word}\``);
  const found = phrase && causeOf(reader, at, word, phrase);
  if (found?.kind !== "when" || entries.at === undefined) return found;
  const field = readText(reader, at, entries.at, "`at`");
  return field === undefined ? found : { ...found, field: field.text };
}

function readSet(reader: Reader, at: Path, entry: Entry, written: Path): Record<string, string> {
  const set: Record<string, string> = {};
  const map = expectMap(reader, at, entry.value, "`set`", "{ collectBy: now + duration('72h') }");
  for (const line of map === undefined ? [] : openEntries(reader, written, map)) {
    if (written !== at) place(reader, [...at, line.key.value], line);
    const expression = readText(reader, at, line, `The new value of \`${line.key.value}\``);
    if (expression !== undefined) set[line.key.value] = expression.text;
  }
  return set;
}
