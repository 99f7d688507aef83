/**
 * Part 3: the states and transitions of each resource.
 *
 *     Resource: none   or   { states, start, final, moves }
 *     states    name: sentence   or a list of names
 *     start     a state
 *     final     a list of states, or names on one line with commas; `none`: no state is final
 *     moves     from -> to: trigger, or a list of triggers, each of which is enough
 *               or a list of maps { from, to, and the members of a trigger's map }
 *       from    a state, several with `|` (in a map also a list), or `any`
 *       trigger = "by" operation | "after" duration | "at" field | "when" event { "|" event } [ "at" field ]
 *       map     { by | after | at | when, if, else, set, also }; `at` beside `when` is the member of the payload
 *               { when, where, first, sort, … }: the records that the event moves (also.ts)
 *     set       field: expression
 *
 * A transition has two paths: its key as written, and its `transitionName`. Its triggers are items from 0, each with the
 * members of the map form.
 */
import type { JsonObject } from "../../base/json.ts";
import type { Span } from "../../base/span.ts";
import type { Entry, Node } from "../../document/document.ts";
import type { Tree } from "../../document/print.ts";
import { descriptions, keyed } from "../grammar/collections.ts";
import { converted, form } from "../grammar/form.ts";
import {
  type Below,
  belowOf,
  complain,
  type Grammar,
  nothingBelow,
  type PartGrammar,
  soundName,
} from "../grammar/grammar.ts";
import { closed, lineSchema, mapOf, oneOrMore, orNone, shared } from "../grammar/schema.ts";
import { duration, expression, matching, names, text, type Words } from "../grammar/words.ts";
import { cutAt, type SourceText, sourceTextOf, slice, spanOf, splitAt } from "../grammar/source-text.ts";
import {
  expectMap,
  isGap,
  isNone,
  knownEntries,
  openEntries,
  type Path,
  recordLocation,
  locateAt,
  locateBoth,
  locateAll,
  type Reader,
  report,
} from "../grammar/reader.ts";
import { inside, mapItems, mapName, type MapNames, mapNames } from "../grammar/references.ts";
import { namesAt, readText } from "../grammar/values.ts";
import { also, selection } from "./also.ts";
import {
  type TriggerSource,
  type Lifecycle,
  type Transition,
  transitionName,
  type States,
  type Trigger,
} from "./model.ts";

// ── What makes a move ──────────────────────────────────────────────────────────────────────────────────────────────

const forms = "write `by collect`, `after 48h`, `at collectBy` or `when parcel.stored`";

/** Reads the name after `by` or `at` on one line; conditions are only possible in the map form. */
function named(word: "by" | "at", pattern: RegExp, what: string): Words<string> {
  const found = matching(
    pattern,
    ["bad-trigger", () => `\`${word}\` is followed by the name of ${what}`, { help: forms }],
    {
      pattern: ".*",
    },
  );
  return {
    ...found,
    readWords: (reader, path, line) => withoutCondition(reader, path, line) && found.readWords(reader, path, line),
  };
}

function withoutCondition(reader: Reader, path: Path, line: SourceText): true | undefined {
  const condition = /\s(if|else|set)\s/.exec(` ${line.text}`);
  if (condition === null) return true;
  return complain(reader, path, slice(line, Math.max(0, condition.index - 1)), [
    "bad-trigger",
    () => `\`${condition[1]}\` is only allowed in the map form of a trigger`,
    { help: "write `{ by: collect, if: input.code == pickupCode, else: wrong-code }`" },
  ]);
}

type Events = Omit<Extract<TriggerSource, { kind: "when" }>, "kind">;

/** Reads events, and after `at` the member of their payload that refers to the record. */
const when: Words<Events> = {
  schema: shared("names"),
  pattern: ".*",
  read: (reader, path, statement) => {
    if (statement.value.kind === "list")
      return eventsOf(reader, path, namesAt(reader, path, statement.value, "`when`"));
    const line = statement.key && readText(reader, path, { key: statement.key, value: statement.value }, "`when`");
    return line && when.readWords(reader, path, line);
  },
  readWords: (reader, path, line) => {
    if (!withoutCondition(reader, path, line)) return undefined;
    const split = /\s+at\s+([A-Za-z_]\w*)$/.exec(line.text);
    return eventsOf(reader, path, splitAt(slice(line, 0, split?.index), "|"), split?.[1]);
  },
  print: ({ events, field }) => `${events.join(" | ")}${field === undefined ? "" : ` at ${field}`}`,
};

const mapEvents: MapNames<Events> = (value, scope) => {
  const events = mapNames(value.events, scope, { references: "event" }) ?? [];
  return events === value.events ? value : events.length === 0 ? undefined : { ...value, events };
};

function eventsOf(reader: Reader, path: Path, events: readonly SourceText[], field?: string): Events | undefined {
  const wrong = events.find((event) => !/^[A-Za-z][\w.-]*$/.test(event.text));
  if (wrong === undefined && events.length > 0) {
    for (const event of events) locateAt(reader, [...path, event.text], event);
    return { events: events.map((event) => event.text), ...(field === undefined ? {} : { field }) };
  }
  const trigger = reader.places.get(path.slice(0, -1).join("/"));
  const span = wrong === undefined || wrong.text === "" ? trigger : spanOf(wrong);
  if (span !== undefined)
    report(reader, "states/bad-trigger", span, "`when` is followed by the name of an event", {
      help: "write `when parcel.stored | parcel.returned`, or `when parcel.stored at locker`",
    });
  return undefined;
}

interface WrittenTrigger extends Omit<Trigger, "on"> {
  readonly by?: string;
  readonly after?: string;
  readonly at?: string;
  readonly when?: Events;
}

const triggerKinds = ["by", "after", "at", "when"] as const;

const writtenTrigger = form<WrittenTrigger>({
  what: "A trigger",
  example: "{ by: collect }",
  line: triggerKinds.map((kind) => `${kind} {${kind}}`),
  lineSchema: lineSchema("(by|after|at|when)\\s.+", "`by operation`, `after duration`, `at field` or `when event`."),
  members: {
    by: {
      ...named("by", /^[A-Za-z][A-Za-z0-9_-]*$/, "an operation"),
      references: "operation",
      isLocated: true,
      orNothing: true,
    },
    after: { ...duration("What follows `after`"), pattern: ".*", isLocated: true, orNothing: true },
    at: {
      ...named("at", /^[A-Za-z_][A-Za-z0-9_]*$/, "a field"),
      references: "field",
      isLocated: true,
      orNothing: true,
    },
    when: { ...when, mapNames: mapEvents, isLocated: true, orNothing: true },
    ...selection,
    if: expression("`if`"),
    else: { ...text(), references: "error" },
    set: keyed(
      expression((path) => `The new value of \`${path.at(-1)}\``),
      {
        example: "{ collectBy: now + duration('72h') }",
        references: "field",
      },
    ),
    also,
  },
  scope: ({ by, when: events }, scope) => ({ ...scope, operation: by, event: events?.events[0] }),
  wrong: (reader, path, line) =>
    complain(reader, path, line, [
      "bad-trigger",
      (found) => `\`${found}\` is not a trigger`,
      {
        help: (found) =>
          /^(?!(?:by|after|at|when)$)[A-Za-z][\w-]*$/.test(found)
            ? `write \`by ${found}\` if that is an operation`
            : forms,
      },
    ]),
});

const trigger = converted<WrittenTrigger, Trigger>(
  writtenTrigger,
  (reader, _, { after, at, by, when: events, ...rest }, { value }) => {
    const on: TriggerSource[] = [
      ...(by === undefined ? [] : [{ kind: "by", operation: by } as const]),
      ...(after === undefined ? [] : [{ kind: "after", duration: after } as const]),
      ...(at === undefined || events !== undefined ? [] : [{ kind: "at", field: at } as const]),
      ...(events === undefined
        ? []
        : [{ kind: "when", ...events, ...(at === undefined ? {} : { field: at }) } as const]),
    ];
    const [first, second] = on;
    if (first !== undefined && second === undefined) return { on: first, ...rest };
    const isOpen =
      value.kind === "map" && value.entries.some(({ key }) => triggerKinds.some((kind) => kind === key.value));
    if (second === undefined && isOpen) return undefined;
    const message =
      first === undefined || second === undefined
        ? "This transition has no trigger"
        : `A trigger has one source, not \`${first.kind}\` and \`${second.kind}\``;
    report(reader, "states/bad-trigger", value.span, message, {
      help: second === undefined ? forms : "write two triggers as a list",
    });
    return undefined;
  },
  ({ on, ...rest }) => ({ ...writtenSource(on), ...rest }),
);

function writtenSource(on: TriggerSource): Partial<WrittenTrigger> {
  if (on.kind === "by") return { by: on.operation };
  if (on.kind === "after") return { after: on.duration };
  if (on.kind === "at") return { at: on.field };
  const { kind: _, ...events } = on;
  return { when: events };
}

/** The schema of every trigger, for editors. */
export const triggerSchema: JsonObject = trigger.schema;

/**
 * Reads a trigger. `written`: the path of the trigger's members in the document, where the transition's only trigger has no
 * index.
 */
function readTrigger(reader: Reader, at: Path, node: Node, written: Path): Trigger | undefined {
  const own: Reader = { ...reader, gaps: [] };
  const found = trigger.read(own, at, { value: node });
  for (const gap of own.gaps) reader.gaps.push(written.join("/") + gap.slice(at.join("/").length));
  if (written !== at) locateAll(reader, written, node);
  return found;
}

// ── Moves ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function readTransitions(reader: Reader, at: Path, value: Node): readonly Transition[] {
  if (isNone(value)) return [];
  const moves = new Map<string, Transition>();
  if (value.kind === "list") {
    for (const [index, item] of value.items.entries()) {
      const own: Reader = { ...reader, gaps: [] };
      const written = [...at, String(index)];
      locateAt(own, written, item);
      addTransition(reader, moves, own, written, item.span, readTransitionMap(own, written, item));
    }
    return [...moves.values()];
  }
  const map = expectMap(reader, at, value, "`moves`", "open -> closed: by close");
  for (const line of map === undefined ? [] : openEntries(reader, at, map)) {
    const own: Reader = { ...reader, gaps: [] };
    const written = [...at, line.key.value];
    recordLocation(own, written, line);
    addTransition(reader, moves, own, written, line.key.span, readTransition(own, written, line));
  }
  return [...moves.values()];
}

/** Adds a transition under its name, and below that name the gaps that the reader `own` has recorded. */
function addTransition(
  reader: Reader,
  moves: Map<string, Transition>,
  own: Reader,
  written: Path,
  span: Span,
  transition: Transition | undefined,
): void {
  const named = transition === undefined ? written : [...written.slice(0, -1), transitionName(transition)];
  locateBoth(reader, written, named);
  for (const gap of own.gaps) reader.gaps.push(named.join("/") + gap.slice(written.join("/").length));
  if (transition === undefined) return;
  const name = transitionName(transition);
  if (!moves.has(name)) moves.set(name, transition);
  else {
    report(reader, "states/move-twice", span, `The transition \`${name}\` is defined twice`, {
      help: `write its triggers as a list: \`${name}: [by collect, after 48h]\`, each with its own \`set\` in a map: \`[{ by: collect, set: { … } }, { after: 48h, set: { … } }]\``,
    });
  }
}

function readTransition(reader: Reader, at: Path, line: Entry): Transition | undefined {
  const key = sourceTextOf(line.key);
  const arrow = cutAt(key, "->");
  if (arrow === undefined) {
    report(reader, "states/bad-move", spanOf(key), `\`${key.text}\` is not a transition from a state to a state`, {
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

function readFrom(reader: Reader, at: Path, names: readonly SourceText[]): Transition["from"] | undefined {
  const [first] = names;
  if (first?.text === "any" && names.length === 1) return "any";
  const known = new Set<string>();
  for (const name of names) {
    locateAt(reader, [...at, "from", name.text], name);
    const twice = known.has(name.text);
    known.add(name.text);
    if (/^[A-Za-z][A-Za-z0-9_-]*$/.test(name.text) && name.text !== "any" && !twice) continue;
    const span = name.text === "" ? name.node.span : spanOf(name);
    const message = twice ? `\`${name.text}\` is listed twice` : `\`${name.text}\` is not the name of a state`;
    report(reader, "states/bad-move", span, message, {
      help: "write `open -> closed`, `open | held -> closed` or `any -> closed`",
    });
    return undefined;
  }
  return first === undefined ? undefined : names.map((name) => name.text);
}

function readTo(reader: Reader, at: Path, name: SourceText): string | undefined {
  locateAt(reader, [...at, "to"], name);
  if (/^[A-Za-z][A-Za-z0-9_-]*$/.test(name.text) && name.text !== "any") return name.text;
  const span = name.text === "" ? name.node.span : spanOf(name);
  report(reader, "states/bad-move", span, "A transition leads to one state", { help: "write `open | held -> closed`" });
  return undefined;
}

/** Reads `{ from, to, … }`: a transition as an item of a list, with one trigger. */
function readTransitionMap(reader: Reader, at: Path, item: Node): Transition | undefined {
  const map = expectMap(reader, at, item, "A transition in a list", "{ from: open, to: closed, by: close }");
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
      ? splitAt(sourceTextOf(entries.from.value), "|")
      : namesAt(reader, at, entries.from.value, "`from`"));
  if (target === undefined || names === undefined) {
    report(reader, "states/bad-move", map.span, "This transition needs a state to start from and a state to lead to", {
      help: "write `{ from: open, to: closed, by: close }`",
    });
    return undefined;
  }
  const from = readFrom(reader, at, names);
  const to = readTo(reader, at, target);
  const rest = { ...map, entries: map.entries.filter((entry) => !ends.entries.includes(entry)) };
  const trigger = readTrigger(reader, [...at, "0"], rest, at);
  return from === undefined || to === undefined
    ? undefined
    : { from, to, triggers: trigger === undefined ? [] : [trigger] };
}

function readTriggers(reader: Reader, at: Path, value: Node): readonly Trigger[] {
  const nodes = value.kind === "list" ? value.items : [value];
  const triggers: Trigger[] = [];
  for (const [index, node] of nodes.entries()) {
    const item = [...at, String(triggers.length)];
    locateAt(reader, item, node);
    if (isGap(reader, [...at, String(index)], node)) continue;
    const written = value === node ? at : nodes.length === 1 ? at : [...at, String(index)];
    const trigger = readTrigger(reader, item, node, written);
    if (trigger !== undefined) triggers.push(trigger);
  }
  if (nodes.length === 0)
    report(reader, "states/bad-trigger", value.span, "Nothing triggers this transition", { help: forms });
  return triggers;
}

function printTriggers({ triggers }: Transition, below: Below): Tree {
  const [first, ...more] = triggers;
  if (first !== undefined && more.length === 0) return trigger.print(first, below);
  return triggers.map((one, index) => trigger.print(one, belowOf(below, String(index))));
}

/** A transition is removed together with its last trigger. */
const mapTransition: MapNames<Transition> = (transition, scope) => {
  const { from, to, triggers } = transition;
  const map = trigger.mapNames ?? ((one) => one);
  const target = mapName(to, inside(scope, "to"), { references: "state" });
  const starts = from === "any" ? from : (mapNames(from, inside(scope, "from"), { references: "state" }) ?? []);
  const remaining = mapItems(triggers, scope, map);
  if (target === undefined || starts.length === 0 || (remaining.length === 0 && triggers.length > 0)) return undefined;
  const isSame = target === to && starts === from && remaining === triggers;
  return isSame ? transition : { from: starts, to: target, triggers: remaining };
};

const moves: Grammar<readonly Transition[]> = {
  mapNames: (all, scope) => mapItems(all, scope, mapTransition, transitionName),
  schema: orNone(mapOf(oneOrMore(shared("trigger")), "->"), {
    type: "array",
    items: closed(
      {
        from: shared("names"),
        to: shared("text"),
        ...(triggerSchema as { anyOf: readonly { properties: Readonly<Record<string, JsonObject>> }[] }).anyOf[1]
          ?.properties,
      },
      "from",
      "to",
    ),
  }),
  read: (reader, path, { value }) => readTransitions(reader, path, value),
  print: (all, below) =>
    Object.fromEntries(
      all.map((transition) => [
        transitionName(transition),
        printTriggers(transition, belowOf(below, transitionName(transition))),
      ]),
    ),
};

// ── The part ───────────────────────────────────────────────────────────────────────────────────────────────────────

const lifecycle = form<Lifecycle>({
  what: (path) => `The lifecycle of \`${path[1]}\``,
  example: "{ states: { open: may change }, start: open, moves: … }",
  members: {
    states: {
      ...descriptions({
        example: "{ open: may change, closed: settled }",
        allowsOpen: true,
        declares: "state",
        isName: soundName(/^(?!any$)[A-Za-z][A-Za-z0-9_-]*$/, [
          "bad-name",
          (name) =>
            name === "any" ? "`any` means every state and cannot name one" : `\`${name}\` cannot name a state`,
          { help: "a state's name starts with a letter and has letters, digits, `-` and `_`" },
        ]),
      }),
      absent: {},
    },
    start: { ...text(), references: "state" },
    final: {
      ...names("`final`", (reader, path, name) => {
        locateAt(reader, [...path, name.text], name);
        return true;
      }),
      references: "state",
    },
    moves: { ...moves, absent: [] },
  },
});

const life: Grammar<Lifecycle | "none"> = {
  schema: orNone(lifecycle.schema),
  mapNames: (value, scope) => (value === "none" ? value : lifecycle.mapNames?.(value, scope)),
  read: (reader, path, statement) => (isNone(statement.value) ? "none" : lifecycle.read(reader, path, statement)),
  print: (value, below) => (value === "none" ? value : lifecycle.print(value, below)),
};

const lives = keyed(life, { example: "Parcel: none", references: "resource" });

export const states: PartGrammar<States> = {
  ...lives,
  schema: mapOf(life.schema),
  print: (value, below = nothingBelow) => lives.print(value, below),
  readPart: (reader, body) => lives.read(reader, ["states"], { value: body }) ?? {},
};
