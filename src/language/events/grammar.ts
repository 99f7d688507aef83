/**
 * Part 6: outgoing events, incoming events, and their delivery.
 *
 *     envelope   cloudevents | plain, or a map: the envelope, with placeholders such as `{id}` and `{data}`
 *     out        name: Resource -> state   or   name: operation   map: { when, carries }   or `none`
 *       when     as the one line          map: { resource, state } or { operation }
 *       carries  a list of fields of the resource, or the name of a view of it
 *     in         name: { at, with, is, carries, unknown, once, also }   or `none`
 *       at       METHOD /path             map: { method, path }
 *       with     the credential that proves the sender
 *       is       value: text, for each value of a request by which its kind is known (request-value.ts)
 *       carries  field: type; `field?` if it may be absent
 *       unknown  rejected | ignored       members of the body that the event does not carry
 *       once     the value that identifies a delivery (request-value.ts)
 *       also     further writes (../states/also.ts)
 *     wire       name: { method, of, to, note, … }   or `none`: requests to receivers, as they know them, with the members
 *                of a contract (../endpoints/wire-grammar.ts). For an API that already exists: the service does not send them.
 *       of, to   of a callback: the operation whose callers receive it, and its address
 *     delivery   { webhook, stream }      or `none`
 *       webhook  { subscribe, for, signed, promise, timeout, retry, then }
 *         subscribe   METHOD /path        map: { method, path }
 *         for         grants (../authentication/grants.ts)
 *         signed      standard-webhooks | stripe | github | slack | none, or a scheme (../authentication/signature.ts)
 *         promise     `at least once`[, `in order per resource` | `in any order`]
 *         timeout     a duration
 *         retry       durations, separated by blanks or in a list; `none`
 *         then        `disable` | `keep duration` | `disable and keep duration`   map: { disable: true, keep: duration }
 *       stream   { at, for, kind, resume, keep }
 *         kind        server-sent, which is also the default
 *         resume      the name of the header with the last event that the client received
 *         keep        a duration
 */
import { grants } from "../authentication/grants.ts";
import { signature } from "../authentication/signature.ts";
import { address } from "../endpoints/address.ts";
import { methods } from "../endpoints/model.ts";
import { contractMembers } from "../endpoints/wire-grammar.ts";
import { toJson } from "../../document/data.ts";
import type { Node } from "../../document/document.ts";
import { jsonTree } from "../../document/print.ts";
import { additiveIfNew, neutralIfNew } from "../grammar/changes.ts";
import { keyed, named, noneOr } from "../grammar/collections.ts";
import { converted, form, type Owner, part, type Spread } from "../grammar/form.ts";
import { type Complaint, complain, type Grammar, type PartGrammar, soundName } from "../grammar/grammar.ts";
import { checkPlaceholders, textsIn } from "../grammar/placeholders.ts";
import { mapName, mapNames, withMembers } from "../grammar/references.ts";
import { either, shared } from "../grammar/schema.ts";
import { choice, duration, flag, matching, names, text, timeOut, words } from "../grammar/words.ts";
import { sourceTextOf, splitAt, words as wordsOf } from "../grammar/source-text.ts";
import { expectText, isGap, isNone, type Path, type Reader, report } from "../grammar/reader.ts";
import { fieldType, note } from "../resources/field.ts";
import { also } from "../states/also.ts";
import { readChoice, readWait } from "../grammar/values.ts";
import {
  type Delivery,
  type Envelope,
  envelopeVariables,
  type EventSource,
  type Events,
  type InEvent,
  type SentRequest,
  type OutEvent,
  type Stream,
  type Webhook,
} from "./model.ts";
import { requestValuePattern } from "./request-value.ts";

const notAField: Complaint = [
  "bad-field",
  (found) => `\`${found}\` is not the name of a field`,
  { help: "a field is one word: `[id, locker]`, `{ locker: Locker }`" },
];

/** By member, an example of it for the finding that the member is missing. */
const examples: Readonly<Record<string, string>> = {
  when: "when: Parcel -> stored",
  with: "with: device",
  subscribe: "subscribe: POST /webhooks",
  for: "for: operator",
};

function missing(at = "") {
  return (reader: Reader, _: Path, keys: readonly string[], { key: owner, span }: Owner): void => {
    for (const key of keys)
      report(reader, "events/missing-member", owner?.span ?? span, `\`${owner?.value}\` needs \`${key}\``, {
        help: `write \`${key === "at" ? at : examples[key]}\``,
      });
  };
}

interface WrittenSource {
  readonly resource?: string;
  readonly state?: string;
  readonly operation?: string;
}

const name = String.raw`[A-Za-z][\w-]*`;

const source = converted<WrittenSource, EventSource>(
  form<WrittenSource>({
    what: "What emits an event",
    example: "{ resource: Parcel, state: stored }",
    line: ["{resource} -> {state}", "{operation}"],
    members: {
      resource: { ...text("The resource"), pattern: name, references: "resource" },
      state: { ...text("The state"), pattern: name, references: "state" },
      operation: { ...text("The operation"), pattern: name, references: "operation" },
    },
    wrong: (reader, path, line) =>
      complain(reader, path, line, [
        "bad-source",
        (found) => `\`${found}\` is neither a transition nor an operation`,
        {
          help: "write the state that is entered, such as `Parcel -> stored`, or the operation that causes it, such as `dropOff`",
        },
      ]),
  }),
  (reader, _, { operation, resource, state }, { value }) => {
    if (operation !== undefined && resource === undefined && state === undefined)
      return { kind: "operation", operation };
    if (operation === undefined && resource !== undefined && state !== undefined)
      return { kind: "enters", resource, state };
    report(reader, "events/bad-source", value.span, "This is not a source of an event", {
      help: "write `{ resource: Parcel, state: stored }` or `{ operation: dropOff }`",
    });
    return undefined;
  },
  ({ kind: _, ...written }) => written,
);

const envelopeWord = choice(["cloudevents", "plain"], "The envelope");

const envelope: Grammar<Envelope> = {
  schema: either(envelopeWord.schema, { type: "object" }),
  print: (value) => (typeof value === "string" ? value : jsonTree(value.shape)),
  read: (reader, path, statement, label) => {
    const { value } = statement;
    if (value.kind !== "map") return envelopeWord.read(reader, path, statement, label);
    checkPlaceholders(reader, path, value, envelopeVariables, [
      "unknown-placeholder",
      (variable) => `An event has no \`${variable}\``,
    ]);
    checkData(reader, path, value);
    return { shape: toJson(value) };
  },
};

/** Reports `{data}` within a text: the payload is a JSON object. */
function checkData(reader: Reader, path: Path, node: Node): void {
  for (const { text: found, isKey } of textsIn(node)) {
    if (!found.value.includes("{data}") || (found.value === "{data}" && !isKey)) continue;
    complain(reader, path, sourceTextOf(found), [
      "unknown-placeholder",
      () => "`{data}` is the payload, which cannot be part of a text",
      { help: 'write `data: "{data}"`' },
    ]);
  }
}

type Carried = Pick<OutEvent, "carries" | "view">;

const fieldList = names("The list of what an event carries", soundName(/^[A-Za-z_]\w*$/, notAField));

/** What an event carries: a list of fields, or one name with a capital letter, which is a view. */
const carried: Spread<Carried> = {
  gives: ["carries", "view"],
  schema: fieldList.schema,
  read: (reader, path, statement) => {
    const { value } = statement;
    if (value.kind === "text" && /^\s*[A-Z][A-Za-z0-9]*\s*$/.test(value.value)) return { view: value.value.trim() };
    const carries = fieldList.read(reader, path, statement);
    return carries && { carries };
  },
  mapNames: (value, scope) =>
    withMembers(value, [
      ["carries", value.carries && mapNames(value.carries, scope, { references: "field" })],
      ["view", value.view && mapName(value.view, scope, { references: "view" })],
    ]),
  print: ({ carries, view }, below) => view ?? (carries && fieldList.print(carries, below)),
};

const outEvent = form<OutEvent, "carries" | "view">({
  what: (path) => `The event ${path[2]}`,
  example: "{ when: Parcel -> stored, carries: [id] }",
  line: "{when}",
  members: {
    when: { ...source, pattern: ".*", needed: true },
    "...carries": { ...carried, label: "What an event carries" },
  },
  missing: missing(),
});

type Payload = Pick<InEvent, "carries" | "optional">;

const payload = converted<InEvent["carries"], Payload>(
  named(fieldType, {
    example: "{ locker: Locker, fault: jammed | power }",
    isName: soundName(/^[A-Za-z_]\w*\??$/, notAField),
  }),
  (_, __, written) => {
    const bare = (written: string): string => written.replace(/\?$/, "");
    const optional = Object.keys(written).filter((key) => key.endsWith("?"));
    return {
      carries: Object.fromEntries(Object.entries(written).map(([key, type]) => [bare(key), type])),
      ...(optional.length === 0 ? {} : { optional: optional.map(bare) }),
    };
  },
  ({ carries, optional = [] }) =>
    Object.fromEntries(Object.entries(carries).map(([key, type]) => [optional.includes(key) ? `${key}?` : key, type])),
);

const notAValue: Complaint = [
  "bad-value",
  (found) => `\`${found}\` names neither a member of the body nor a header field`,
  { help: "write a member, `type` or `event.type`, or a header field, `header X-GitHub-Event`" },
];

const kind: Grammar<NonNullable<InEvent["is"]>> = keyed(text("The value of a kind"), {
  example: "{ type: invoice.paid }",
  isName: soundName(requestValuePattern, notAValue),
});

const inEvent = form<InEvent, "method" | "path" | keyof Payload>({
  changes: {
    "...at": { what: "The address of {}" },
    with: { what: "The credential of the sender of {}" },
    is: { what: "The kind of {}" },
    unknown: {
      what: "The treatment of unknown members of {}",
      effect: (_, now) => (now === "ignored" ? "additive" : "breaking"),
    },
    once: { what: "The id of a delivery of {}" },
  },
  presence: {
    added: ["additive", "The event {} is received"],
    removed: ["breaking", "The event {} is no longer received"],
  },
  what: (path) => `The event ${path[2]}`,
  example: "{ at: POST /hooks/doors, with: device, carries: { locker: Locker } }",
  members: {
    "...at": { ...address("Where the event arrives"), needed: true },
    with: { ...text("The credential of the sender"), references: "credential", needed: true },
    is: kind,
    "...carries": {
      ...payload,
      gives: ["carries", "optional"],
      label: "What an event carries",
      print: (event, below) => (Object.keys(event.carries).length === 0 ? undefined : payload.print(event, below)),
      absent: { carries: {} },
    },
    unknown: choice(["rejected", "ignored"], "The treatment of unknown members"),
    once: matching(requestValuePattern, notAValue),
    also,
  },
  missing: missing("at: POST /hooks/doors"),
});

const orders = ["in order per resource", "in any order"] as const;

const promise = words((reader, path, line) => {
  const [count, order, more] = splitAt(line, ",");
  const help = { help: "write `at least once, in order per resource`" };
  if (count?.text !== "at least once")
    return complain(reader, path, count ?? line, [
      "bad-promise",
      (found) => `\`${found}\` cannot be guaranteed`,
      { why: "Over a network, delivery can be at least once, not exactly once.", ...help },
    ]);
  const declaredOrder = readChoice(reader, path, order, orders, "The order of events");
  if (more !== undefined)
    complain(reader, path, more, [
      "bad-promise",
      (found) => `\`${found}\` is not a guarantee that the service can give`,
      help,
    ]);
  return declaredOrder === undefined ? count.text : `${count.text}, ${declaredOrder}`;
}, shared("text"));

/** Reads the waits between retries, on one line with blanks between them or in a list. */
const retry: Grammar<readonly string[]> = {
  schema: shared("names"),
  read: (reader, path, { value }) => {
    if (isNone(value)) return [];
    const waits = (value.kind === "list" ? value.items : [value]).flatMap((item, index) => {
      if (value.kind === "list" && isGap(reader, [...path, String(index)], item)) return [];
      const line = expectText(reader, path, item, value.kind === "list" ? "A wait" : "`retry`");
      return line === undefined ? [] : value.kind === "list" ? [sourceTextOf(line)] : wordsOf(sourceTextOf(line));
    });
    return waits.flatMap((wait) => readWait(reader, path, wait, "A wait between attempts") ?? []);
  },
  print: (waits) => (waits.length === 0 ? "none" : waits.join(" ")),
};

const then = form<NonNullable<Webhook["then"]>>({
  what: "`then`",
  changes: {
    disable: {
      what: "Whether a failing webhook is disabled",
      effect: (_, now) => (now === true ? "breaking" : "additive"),
    },
    keep: { kind: "webhook-keep", what: "How long events of a failing webhook are kept", omitted: "least" },
  },
  example: "{ disable: true, keep: 30d }",
  line: ["{disable} and keep {keep}", "{disable}", "keep {keep}"],
  members: {
    disable: { ...flag("disable"), absent: false, isPrinted: true },
    keep: duration("How long undelivered events are stored"),
  },
  wrong: (reader, path, line) =>
    complain(reader, path, line, [
      "bad-then",
      (found) => `\`${found}\` is not an action after the last attempt`,
      { help: "write `disable and keep 30d`, `disable` or `keep 30d`" },
    ]),
});

const webhook = form<Webhook, "method" | "path">({
  what: "A webhook",
  changes: {
    "...subscribe": { what: "The address to subscribe a webhook" },
    signed: {
      what: "The signature of webhooks",
      effect: (old) => (old === undefined || old === "none" ? "additive" : "breaking"),
    },
    promise: { what: "The guarantee of delivery", effect: additiveIfNew },
    timeout: { kind: "webhook-timeout", what: "The time-out of a delivery" },
    then: { kind: "webhook", subject: "webhook" },
  },
  presence: {
    added: ["additive", "Events are sent to webhooks"],
    removed: ["breaking", "Events are no longer sent to webhooks"],
  },
  example: "{ subscribe: POST /webhooks, for: operator }",
  members: {
    "...subscribe": { ...address("`subscribe`"), needed: true },
    // Without `for`, no caller receives events (deny by default, R5.1).
    for: { ...grants, needed: true, absent: [] },
    signed: signature(["none"]),
    promise: { ...promise, label: "The promise" },
    timeout: timeOut("The time-out of a delivery"),
    retry,
    then,
  },
  missing: missing(),
});

const stream = form<Stream, "method" | "path">({
  what: "A stream",
  changes: {
    "...at": { what: "The address of the stream of events" },
    kind: { what: "The kind of the stream" },
    resume: { what: "The header that resumes the stream", effect: additiveIfNew },
    keep: { kind: "stream-keep", what: "How long the stream keeps events" },
  },
  presence: {
    added: ["additive", "There is a stream of events"],
    removed: ["breaking", "There is no longer a stream of events"],
  },
  example: "{ at: GET /events, for: operator }",
  members: {
    "...at": { ...address("`at`"), needed: true },
    for: { ...grants, needed: true, absent: [] },
    kind: { ...choice(["server-sent"], "The kind of a stream"), absent: "server-sent", isPrinted: true },
    resume: matching(/^[\w-]+$/, [
      "bad-header",
      (found) => `\`${found}\` is not the name of a header`,
      { help: "write `Last-Event-ID`" },
    ]),
    keep: duration("How long events are stored"),
  },
  missing: missing("at: GET /events"),
});

const delivery = form<Delivery>({
  what: "Delivery",
  changes: {},
  example: "{ webhook: { subscribe: POST /webhooks, for: operator } }",
  members: { webhook: noneOr(webhook), stream: noneOr(stream) },
});

const sentRequest = form<SentRequest, "body">({
  what: (path) => `The request ${path[2]}`,
  example: "{ body: Pet, answers: { 204: none } }",
  members: {
    method: choice(methods, "The method"),
    of: { ...text("The operation of a callback"), pattern: name, references: "operation" },
    to: text("The address of a callback"),
    note,
    ...contractMembers,
  },
});

const isEvent = soundName(/^[A-Za-z][\w-]*(\.[\w-]+)*$/, [
  "bad-name",
  (found) => `\`${found}\` cannot name an event`,
  { help: "a name is words joined by dots: `parcel.stored`" },
]);

export const events: PartGrammar<Events> = part<Events>("events", {
  what: "Events",
  changes: {
    envelope: { what: "The envelope of events", effect: neutralIfNew },
    out: { subject: "event {}" },
    in: { kind: "inbound", subject: "event {}" },
    wire: { kind: "event", subject: "event {}" },
  },
  example: "{ out: { parcel.stored: Parcel -> stored } }",
  members: {
    envelope: { ...envelope, label: "The envelope" },
    out: named(outEvent, { example: "parcel.stored: Parcel -> stored", isName: isEvent, declares: "event" }),
    in: named(inEvent, {
      example: "door.faulted: { at: POST /hooks/doors, with: device }",
      isName: isEvent,
      declares: "event",
    }),
    wire: named(sentRequest, { example: "newPet: { body: Pet, answers: { 204: none } }" }),
    delivery: noneOr(delivery, {}),
  },
});
