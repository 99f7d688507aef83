/**
 * Part 6, read: events out, events in, and how they are delivered.
 *
 *     envelope   cloudevents | plain
 *     out        name: Resource -> state   or   name: operation   map: { when, carries }   or `none`
 *       when     as the one line          map: { resource, state } or { operation }
 *       carries  a list of fields of the resource
 *     in         name: { at, with, carries }   or `none`
 *       at       METHOD /path             map: { method, path }
 *       with     the credential that proves the sender
 *       carries  field: type; `field?` where it may be absent
 *     delivery   { webhook, stream }      or `none`
 *       webhook  { subscribe, for, signed, promise, timeout, retry, then }
 *         subscribe   METHOD /path        map: { method, path }
 *         for         grants (../authentication/grants.ts)
 *         signed      standard-webhooks | none
 *         promise     `at least once`[, `in order per resource` | `in any order`]
 *         timeout     a duration
 *         retry       durations, separated by blanks or in a list; `none`
 *         then        `disable` | `keep duration` | `disable and keep duration`   map: { disable: true, keep: duration }
 *       stream   { at, for, kind, resume, keep }
 *         kind        server-sent, which is also the default
 *         resume      the name of the header that says where to go on
 *         keep        a duration
 */
import type { Entry, MapNode, Node } from "../../document/document.ts";
import { readGrants } from "../authentication/grants.ts";
import type { Grant } from "../authentication/model.ts";
import { type Phrase, phraseOf, slice, spanOf, splitAt, words } from "../phrase.ts";
import {
  expectMap,
  expectText,
  isGap,
  isNone,
  knownEntries,
  openEntries,
  type Path,
  type Reader,
  report,
} from "../reader.ts";
import { readFieldType } from "../resources/field-type.ts";
import type { FieldType } from "../resources/model.ts";
import {
  namesAt,
  readAddress,
  readChoice,
  readDuration,
  readLines,
  readText,
  readTimeOut,
  readWait,
} from "../values.ts";
import type { Delivery, EventSource, Events, InEvent, OutEvent, Stream, Webhook } from "./model.ts";

export function readEvents(reader: Reader, body: MapNode): Events {
  const path = ["events"];
  const entries = knownEntries(reader, path, body, ["envelope", "out", "in", "delivery"], "Events");
  const envelopeText = readText(reader, path, entries.envelope, "The envelope");
  const envelope = readChoice(reader, path, envelopeText, ["cloudevents", "plain"], "The envelope");
  const out = readNamed(reader, [...path, "out"], entries.out, "parcel.stored: Parcel -> stored", readOut);
  const inward = readNamed(
    reader,
    [...path, "in"],
    entries.in,
    "door.faulted: { at: POST /hooks/doors, with: device }",
    readIn,
  );
  const delivery = entries.delivery && readDelivery(reader, [...path, "delivery"], entries.delivery);
  return {
    ...(envelope === undefined ? {} : { envelope }),
    ...(out === undefined ? {} : { out }),
    ...(inward === undefined ? {} : { in: inward }),
    ...(delivery === undefined ? {} : { delivery }),
  };
}

/** Lines by the names of events; `none` is no line. */
function readNamed<Event>(
  reader: Reader,
  path: Path,
  entry: Entry | undefined,
  example: string,
  read: (reader: Reader, path: Path, line: Entry) => Event | undefined,
): Readonly<Record<string, Event>> | undefined {
  if (entry === undefined) return undefined;
  if (isNone(entry.value)) return {};
  const map = expectMap(reader, path, entry.value, `\`${path[1]}\``, example);
  if (map === undefined) return undefined;
  return readLines(openEntries(reader, path, map), (line) => {
    const name = line.key.value;
    if (/^[A-Za-z][\w-]*(\.[\w-]+)*$/.test(name)) return read(reader, [...path, name], line);
    report(reader, "events/bad-name", line.key.span, `\`${name}\` cannot name an event`, {
      help: "a name is words joined by dots: `parcel.stored`",
    });
    return undefined;
  });
}

function readOut(reader: Reader, path: Path, line: Entry): OutEvent | undefined {
  if (line.value.kind !== "map") {
    const when = readSource(reader, path, line);
    return when === undefined ? undefined : { when };
  }
  const entries = knownEntries(reader, path, line.value, ["when", "carries"], `The event ${line.key.value}`);
  if (entries.when === undefined) {
    if (!saysKey(line.value, "when")) missing(reader, line, "when", "when: Parcel -> stored");
    return undefined;
  }
  const when = readSource(reader, [...path, "when"], entries.when);
  const carries = entries.carries && readCarried(reader, path, entries.carries.value);
  return when === undefined ? undefined : { when, ...(carries === undefined ? {} : { carries }) };
}

function readCarried(reader: Reader, path: Path, node: Node): readonly string[] {
  return namesAt(reader, path, node, "The list of what an event carries").flatMap((name) => {
    if (nameOfField.test(name.text)) return [name.text];
    reportField(reader, name);
    return [];
  });
}

const nameOfField = /^[A-Za-z_]\w*$/;

function reportField(reader: Reader, name: Phrase): void {
  report(reader, "events/bad-field", spanOf(name), `\`${name.text}\` is not the name of a field`, {
    help: "a field is one word: `[id, locker]`, `{ locker: Locker }`",
  });
}

const nameLike = /^[A-Za-z][\w-]*$/;

function readSource(reader: Reader, path: Path, entry: Entry): EventSource | undefined {
  if (entry.value.kind === "map") return readSourceMap(reader, path, entry.value);
  const line = readText(reader, path, entry, "What emits an event");
  if (line === undefined) return undefined;
  const match = /^(\S+)\s*->\s*(\S+)$/.exec(line.text);
  if (match !== null) return enters(reader, line, match[1] as string, match[2] as string);
  if (nameLike.test(line.text)) return { kind: "operation", operation: line.text };
  reportSource(reader, line);
  return undefined;
}

function enters(reader: Reader, line: Phrase, resource: string, state: string): EventSource | undefined {
  if (nameLike.test(resource) && nameLike.test(state)) return { kind: "enters", resource, state };
  reportSource(reader, line);
  return undefined;
}

function reportSource(reader: Reader, line: Phrase): void {
  report(reader, "events/bad-source", spanOf(line), `\`${line.text}\` does not say what emits the event`, {
    help: "write a state that is entered, `Parcel -> stored`, or the name of an operation, `dropOff`",
  });
}

function readSourceMap(reader: Reader, path: Path, map: MapNode): EventSource | undefined {
  const entries = knownEntries(reader, path, map, ["resource", "state", "operation"], "What emits an event");
  const resource = readText(reader, path, entries.resource, "The resource");
  const state = readText(reader, path, entries.state, "The state");
  const operation = readText(reader, path, entries.operation, "The operation");
  if (operation !== undefined && entries.resource === undefined && entries.state === undefined) {
    return { kind: "operation", operation: operation.text };
  }
  if (resource !== undefined && state !== undefined && entries.operation === undefined) {
    return { kind: "enters", resource: resource.text, state: state.text };
  }
  report(reader, "events/bad-source", map.span, "This does not say what emits the event", {
    help: "write `{ resource: Parcel, state: stored }` or `{ operation: dropOff }`",
  });
  return undefined;
}

function readIn(reader: Reader, path: Path, line: Entry): InEvent | undefined {
  const what = `The event ${line.key.value}`;
  const map = expectMap(
    reader,
    path,
    line.value,
    what,
    "{ at: POST /hooks/doors, with: device, carries: { locker: Locker } }",
  );
  if (map === undefined) return undefined;
  const entries = knownEntries(reader, path, map, ["at", "with", "carries"], what);
  for (const [key, example] of [
    ["at", "at: POST /hooks/doors"],
    ["with", "with: device"],
  ] as const) {
    if (!saysKey(map, key)) missing(reader, line, key, example);
  }
  const address = entries.at && readAddress(reader, [...path, "at"], entries.at.value, "Where the event arrives");
  const proof = readText(reader, path, entries.with, "The credential of the sender");
  const { types, optional } = readPayload(reader, [...path, "carries"], entries.carries);
  if (address === undefined || proof === undefined) return undefined;
  return { ...address, with: proof.text, carries: types, ...(optional.length === 0 ? {} : { optional }) };
}

function readPayload(
  reader: Reader,
  path: Path,
  entry: Entry | undefined,
): { readonly types: Readonly<Record<string, FieldType>>; readonly optional: readonly string[] } {
  if (entry === undefined || isNone(entry.value)) return { types: {}, optional: [] };
  const map = expectMap(
    reader,
    path,
    entry.value,
    "What an event carries",
    "{ locker: Locker, fault: jammed | power }",
  );
  const optional: string[] = [];
  const types = readLines(map === undefined ? [] : openEntries(reader, path, map), (line) => {
    const name = line.key.value.replace(/\?$/, "");
    const sound = nameOfField.test(name);
    if (!sound) reportField(reader, phraseOf(line.key));
    if (sound && name !== line.key.value) optional.push(name);
    return sound ? readFieldType(reader, [...path, line.key.value], line.value) : undefined;
  });
  return {
    types: Object.fromEntries(Object.entries(types).map(([name, type]) => [name.replace(/\?$/, ""), type])),
    optional: optional.filter((name) => Object.hasOwn(types, `${name}?`)),
  };
}

function readDelivery(reader: Reader, path: Path, entry: Entry): Delivery | undefined {
  if (isNone(entry.value)) return {};
  const map = expectMap(
    reader,
    path,
    entry.value,
    "`delivery`",
    "{ webhook: { subscribe: POST /webhooks, for: operator } }",
  );
  if (map === undefined) return undefined;
  const entries = knownEntries(reader, path, map, ["webhook", "stream"], "Delivery");
  const webhook = entries.webhook && readWebhook(reader, [...path, "webhook"], entries.webhook);
  const stream = entries.stream && readStream(reader, [...path, "stream"], entries.stream);
  return { ...(webhook === undefined ? {} : { webhook }), ...(stream === undefined ? {} : { stream }) };
}

const webhookKeys = ["subscribe", "for", "signed", "promise", "timeout", "retry", "then"] as const;

function readWebhook(reader: Reader, path: Path, entry: Entry): Webhook | undefined {
  if (isNone(entry.value)) return undefined;
  const map = expectMap(reader, path, entry.value, "`webhook`", "{ subscribe: POST /webhooks, for: operator }");
  if (map === undefined) return undefined;
  const entries = knownEntries(reader, path, map, webhookKeys, "A webhook");
  const address =
    entries.subscribe && readAddress(reader, [...path, "subscribe"], entries.subscribe.value, "`subscribe`");
  if (!saysKey(map, "subscribe")) missing(reader, entry, "subscribe", "subscribe: POST /webhooks");
  const signed = readChoice(
    reader,
    path,
    readText(reader, path, entries.signed, "`signed`"),
    ["standard-webhooks", "none"],
    "A signature",
  );
  const promise = entries.promise && readPromise(reader, path, entries.promise);
  const timeout = readTimeOut(
    reader,
    path,
    readText(reader, path, entries.timeout, "`timeout`"),
    "The time-out of a delivery",
  );
  const retry = entries.retry && readRetry(reader, path, entries.retry.value);
  const then = entries.then && readThen(reader, [...path, "then"], entries.then);
  const audience = readAudience(reader, path, entries.for, entry, map);
  if (address === undefined) return undefined;
  return {
    ...address,
    for: audience,
    ...(signed === undefined ? {} : { signed }),
    ...(promise === undefined ? {} : { promise }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(retry === undefined ? {} : { retry }),
    ...(then === undefined ? {} : { then }),
  };
}

/** Who may receive; nobody where it is not said, which is reported (deny by default, R5.1). */
function readAudience(
  reader: Reader,
  path: Path,
  entry: Entry | undefined,
  owner: Entry,
  map: MapNode,
): readonly Grant[] {
  if (entry !== undefined) return readGrants(reader, [...path, "for"], entry.value);
  if (!saysKey(map, "for")) missing(reader, owner, "for", "for: operator");
  return [];
}

const orders = ["in order per resource", "in any order"] as const;

function readPromise(reader: Reader, path: Path, entry: Entry): string | undefined {
  const line = readText(reader, path, entry, "The promise");
  if (line === undefined) return undefined;
  const [count, order, ...rest] = splitAt(line, ",");
  if (count?.text !== "at least once") {
    report(reader, "events/bad-promise", spanOf(count ?? line), `\`${count?.text}\` cannot be promised`, {
      why: "Over a network an event arrives at least once, or perhaps never.",
      help: "write `at least once, in order per resource`",
    });
    return undefined;
  }
  const said = readChoice(reader, path, order, orders, "The order of events");
  if (rest[0] !== undefined) {
    report(reader, "events/bad-promise", spanOf(rest[0]), `\`${rest[0].text}\` is no promise that is kept`, {
      help: "write `at least once, in order per resource`",
    });
  }
  return said === undefined ? count.text : `${count.text}, ${said}`;
}

function readRetry(reader: Reader, path: Path, node: Node): readonly string[] {
  if (isNone(node)) return [];
  const waits =
    node.kind === "list"
      ? node.items.flatMap((item, index) => {
          if (isGap(reader, [...path, String(index)], item)) return [];
          const text = expectText(reader, path, item, "A wait");
          return text === undefined ? [] : [phraseOf(text)];
        })
      : waitsOf(reader, path, node);
  return waits.flatMap((wait) => readWait(reader, path, wait, "A wait between attempts") ?? []);
}

function waitsOf(reader: Reader, path: Path, node: Node): Phrase[] {
  const text = expectText(reader, path, node, "`retry`");
  return text === undefined ? [] : words(phraseOf(text));
}

function readThen(reader: Reader, path: Path, entry: Entry): Webhook["then"] | undefined {
  if (entry.value.kind === "map") return readThenMap(reader, path, entry.value);
  const line = readText(reader, path, entry, "`then`");
  if (line === undefined) return undefined;
  const match = /^(disable)?(?:\s*\band\b\s*)?(?:keep\s+(\S+))?$/d.exec(line.text);
  const [disable, wait] = match?.indices?.slice(1) ?? [];
  const both = disable !== undefined && wait !== undefined;
  if ((disable === undefined && wait === undefined) || /\band\b/.test(line.text) !== both) {
    report(reader, "events/bad-then", spanOf(line), `\`${line.text}\` does not say what follows the last attempt`, {
      help: "write `disable and keep 30d`, `disable` or `keep 30d`",
    });
    return undefined;
  }
  const keep = readDuration(reader, path, wait && slice(line, ...wait), "How long undelivered events are kept");
  return { disable: disable !== undefined, ...(keep === undefined ? {} : { keep }) };
}

function readThenMap(reader: Reader, path: Path, map: MapNode): Webhook["then"] {
  const entries = knownEntries(reader, path, map, ["disable", "keep"], "`then`");
  const disable = readChoice(
    reader,
    path,
    readText(reader, path, entries.disable, "`disable`"),
    ["true", "false"],
    "`disable`",
  );
  const keep = readDuration(
    reader,
    path,
    readText(reader, path, entries.keep, "`keep`"),
    "How long undelivered events are kept",
  );
  return { disable: disable === "true", ...(keep === undefined ? {} : { keep }) };
}

function readStream(reader: Reader, path: Path, entry: Entry): Stream | undefined {
  if (isNone(entry.value)) return undefined;
  const map = expectMap(reader, path, entry.value, "`stream`", "{ at: GET /events, for: operator }");
  if (map === undefined) return undefined;
  const entries = knownEntries(reader, path, map, ["at", "for", "kind", "resume", "keep"], "A stream");
  const address = entries.at && readAddress(reader, [...path, "at"], entries.at.value, "`at`");
  if (!saysKey(map, "at")) missing(reader, entry, "at", "at: GET /events");
  const audience = readAudience(reader, path, entries.for, entry, map);
  readChoice(reader, path, readText(reader, path, entries.kind, "`kind`"), ["server-sent"], "The kind of a stream");
  const resume = readHeaderName(reader, readText(reader, path, entries.resume, "`resume`"));
  const keep = readDuration(reader, path, readText(reader, path, entries.keep, "`keep`"), "How long events are kept");
  if (address === undefined) return undefined;
  return {
    ...address,
    for: audience,
    kind: "server-sent",
    ...(resume === undefined ? {} : { resume }),
    ...(keep === undefined ? {} : { keep }),
  };
}

function readHeaderName(reader: Reader, phrase: Phrase | undefined): string | undefined {
  if (phrase === undefined || /^[\w-]+$/.test(phrase.text)) return phrase?.text;
  report(reader, "events/bad-header", spanOf(phrase), `\`${phrase.text}\` is not the name of a header`, {
    help: "write `Last-Event-ID`",
  });
  return undefined;
}

function saysKey(map: MapNode, key: string): boolean {
  return map.entries.some((entry) => entry.key.value === key);
}

function missing(reader: Reader, owner: Entry, key: string, example: string): void {
  report(reader, "events/missing-member", owner.key.span, `\`${owner.key.value}\` does not say \`${key}\``, {
    help: `write \`${example}\``,
  });
}
