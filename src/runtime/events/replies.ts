/** Responds to `GET /events` with a stream or a page, and to `GET /events/{id}` (R6.3, R6.15, R6.16). */
import type { StreamPlan } from "../../plan/events/types.ts";
import type { JournalRecord } from "../../store/port/store.ts";
import { subscriberOf } from "../limits/limiter.ts";
import { textTag } from "../records/entity-tag.ts";
import type { Call, Context } from "../context/context.ts";
import type { Caller } from "../context/caller.ts";
import type { Authentication } from "../auth/authenticate.ts";
import type { HttpResponse } from "../../http/message.ts";
import { nextLink } from "../operations/list-links.ts";
import { openCursor, integerParameter } from "../operations/list-request.ts";
import { acceptQuality } from "../../http/negotiation.ts";
import { readResponse } from "../operations/read.ts";
import { malformed, ApiError } from "../errors/api-error.ts";
import type { Streams } from "./streams.ts";
import type { Receiver, EventRenderer } from "./render.ts";

export interface EventsOptions {
  readonly plan: StreamPlan;
  readonly renderer: EventRenderer;
  readonly streams: Streams;
  readonly authentication: Pick<Authentication, "still">;
}

const streamType = "text/event-stream";
/** The media types of `GET /events`; the first one wins if the client accepts several equally. */
export const eventMediaTypes: readonly string[] = [streamType, "application/json"];

/** The maximum number of entries that a page scans; then it is short, with a cursor for the next entries. */
const maximumScanned = 10_000;
const batch = 200;

export async function followEvents(options: EventsOptions, call: Call): Promise<HttpResponse> {
  const accept = call.httpRequest.headers.get("accept");
  const [stream = 0, page = 0] = eventMediaTypes.map((type) => acceptQuality(accept, type));
  return stream >= page ? streamOf(options, call) : pageOf(options, call);
}

export async function readEvent({ renderer }: EventsOptions, call: Call): Promise<HttpResponse> {
  const { journal } = call.context.store;
  const position = renderer.ids.positionOf(call.parameters["id"] ?? "");
  const entry = position === undefined ? undefined : await journal.at(position);
  const rendered =
    entry &&
    (await call.context.store.transaction((tx) =>
      renderer.renderFor(tx, entry, "stream")(receiverOf(call.caller, call)),
    ));
  if (rendered === undefined) throw new ApiError("not-found");
  return readResponse(call, rendered.body, textTag(call, rendered.body));
}

function receiverOf({ id, roles, scoped, claims }: Caller, { version }: Call): Receiver {
  return { id, roles, scoped, claims, ...(version.name === undefined ? {} : { version: version.name }) };
}

// ── The stream ─────────────────────────────────────────────────────────────────────────────────────────────────────

async function streamOf({ plan, renderer, streams, authentication }: EventsOptions, call: Call): Promise<HttpResponse> {
  const { caller, context, httpRequest, compiled } = call;
  let type: string | undefined;
  for (const [name, text] of call.query) {
    if (name !== "type") throw unknown(name);
    type = parseType(call, text);
  }
  const after = await startOf(plan, renderer, call);
  const response: HttpResponse = {
    status: 200,
    headers: ["Content-Type", streamType, "Cache-Control", "no-store", "X-Accel-Buffering", "no", "Vary", "Accept"],
    close: true,
  };
  if (httpRequest.method === "HEAD") return { ...response, stream: { start: () => {}, ended: () => {} } };
  // An open stream must not retain the body of its request.
  const bodiless = { ...httpRequest, body: () => Promise.resolve({ kind: "aborted" } as const) };
  const stream = streams.open({
    holder: JSON.stringify(caller.id === null ? [subscriberOf(httpRequest.address)] : [caller.credential, caller.id]),
    receiver: receiverOf(caller, call),
    still: async () => {
      const now = await authentication.still(bodiless, caller);
      return now === undefined || compiled.forKind(now.kind).allowed === "denied" ? undefined : receiverOf(now, call);
    },
    wants: typeTest(type),
    after: after ?? (await context.store.journal.last()),
  });
  return { ...response, stream };
}

/** Returns the position to resume after; undefined: start now. @throws ApiError `event-id-expired` */
async function startOf(plan: StreamPlan, { ids }: EventRenderer, call: Call): Promise<number | undefined> {
  const sent = call.httpRequest.headers.get(plan.resume.toLowerCase());
  if (sent === undefined || sent === "") return undefined;
  const position = ids.positionOf(sent);
  if (position !== undefined && (await isComplete(plan, call.context, position, call.now))) return position;
  throw new ApiError("event-id-expired", {
    detail: `${plan.resume} is not the id of an event whose later events are still available`,
  });
}

/** Whether all events after a position are still stored. */
async function isComplete(plan: StreamPlan, context: Context, position: number, now: number): Promise<boolean> {
  const { journal } = context.store;
  const isFresh = ({ at }: JournalRecord): boolean => at >= now - plan.resumableMilliseconds;
  const [entry, next] = await Promise.all([journal.at(position), journal.events(position, 1)]);
  if ((await journal.last()) === position) return true;
  if (entry === undefined) {
    // The position before the first entry is 0, at which there is no entry.
    const first = position === 0 ? await journal.at(1) : undefined;
    return first !== undefined && isFresh(first);
  }
  const isRetained = entry.at >= now - context.plan.events.retentionMilliseconds;
  return isFresh(entry) || (isRetained && next.every(isFresh));
}

// ── A page ─────────────────────────────────────────────────────────────────────────────────────────────────────────

async function pageOf({ plan, renderer }: EventsOptions, call: Call): Promise<HttpResponse> {
  const { size, max } = plan.follow.list ?? { size: 20, max: 100 };
  let limit = size;
  let type: string | undefined;
  let cursor: string | undefined;
  for (const [name, text] of call.query) {
    if (name === "limit") limit = integerParameter(name, text, 1, max);
    else if (name === "cursor") cursor = text;
    else if (name === "type") type = parseType(call, text);
    else throw unknown(name);
  }
  const bound = [plan.follow.name, call.caller.id ?? "", [...call.caller.roles].sort().join(), type ?? ""].join("\n");
  const [after = 0] = cursor === undefined ? [] : (openCursor(call, "cursor", cursor, bound) as readonly number[]);
  const { items, end } = await readPage(call, renderer, after, limit, typeTest(type));
  const next = end === undefined ? null : call.context.cursors.seal([end], bound);
  const text = `{"items":[${items.join()}],"next":${JSON.stringify(next)}}`;
  return readResponse(call, text, textTag(call, text), ["Vary", "Accept", ...nextLink(call, "cursor", next)]);
}

interface EventPage {
  readonly items: readonly string[];
  /** The position after which the next page starts; absent on the last page. */
  readonly end?: number;
}

async function readPage(
  call: Call,
  renderer: EventRenderer,
  after: number,
  limit: number,
  wants: (type: string) => boolean,
): Promise<EventPage> {
  const { store } = call.context;
  const receiver = receiverOf(call.caller, call);
  const items: string[] = [];
  // The position of the last item. There is a next page only if another event follows it.
  let full = 0;
  for (let scanned = 0; scanned < maximumScanned; ) {
    const entries = await store.journal.events(after, batch);
    const more = await store.transaction(async (tx) => {
      for (const entry of entries) {
        const rendered = await renderer.renderFor(tx, entry, "stream")(receiver);
        if (rendered === undefined || !wants(rendered.type)) continue;
        if (items.length === limit) return true;
        items.push(rendered.body);
        if (items.length === limit) full = entry.position;
      }
      return false;
    });
    if (more) return { items, end: full };
    if (entries.length < batch) return { items };
    after = (entries.at(-1) as JournalRecord).position;
    scanned += entries.length;
  }
  return { items, end: items.length === limit ? full : after };
}

// ── Types ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function parseType({ compiled }: Call, text: string): string {
  if (compiled.filters.get("type")?.(text).length === 0) return text;
  throw malformed({
    parameter: "type",
    code: "wrong-pattern",
    detail: "`type` has to be the type of an event, or a prefix and `.*`",
  });
}

function typeTest(type: string | undefined): (type: string) => boolean {
  if (type === undefined) return () => true;
  if (!type.endsWith(".*")) return (one) => one === type;
  const start = type.slice(0, -1);
  return (one) => one.startsWith(start);
}

function unknown(name: string): ApiError {
  return malformed({
    parameter: name,
    code: "unknown-parameter",
    detail: `The parameter \`${name}\` is not supported`,
  });
}
