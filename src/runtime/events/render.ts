/** Renders an event log entry for one receiver: checks its permission, and creates the body (R6.2, R6.13, R6.14). */
import { mentions } from "../../expression/typed.ts";
import { camelCase } from "../../base/case.ts";
import { defined } from "../../base/defined.ts";
import { getOrMake } from "../../base/once.ts";
import { typeValues } from "../../base/signature-schemes.ts";
import { type Subject, decide } from "../../language/authentication/decide.ts";
import { instantText } from "../../base/clock.ts";
import type { Value, Variables } from "../../expression/evaluate.ts";
import { eventContentType } from "../../plan/events/events.ts";
import type { EventsPlan, OutEventPlan } from "../../plan/events/types.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { JournalRecord, Transaction, View } from "../../store/port/store.ts";
import type { Context } from "../context/context.ts";
import { holds } from "../records/find-and-authorise.ts";
import { documentView, viewOf } from "../records/views.ts";
import type { ResponseFilter } from "../records/write-only.ts";
import { filledEnvelope } from "./envelope.ts";
import type { EventIds } from "./ids.ts";
import type { EventConverter } from "../versions/events.ts";

/** The receiver of an event, for the permission checks. */
export interface Receiver {
  /** The receiver's id; null for a caller without a credential. */
  readonly id: string | null;
  readonly roles: readonly string[];
  readonly scoped: boolean;
  readonly claims?: Readonly<Record<string, Value>>;
  /** The API version of the event's shape; absent: the newest. */
  readonly version?: string;
}

type Envelope = EventsPlan["envelope"];

export interface RenderedEvent {
  readonly id: string;
  readonly type: string;
  /** The body: one JSON object without line breaks. */
  readonly body: string;
}

export interface EventRenderer {
  /** The Content-Type of a body. */
  readonly media: string;
  readonly ids: EventIds;
  /**
   * Returns a function that renders the entry for a receiver: undefined if the receiver may not see it, or its data has expired.
   * Receivers that get the same body share one rendering. Use it only while `tx` is open.
   */
  renderFor(
    tx: Transaction,
    entry: JournalRecord,
    through: "webhook" | "stream",
    /** The envelope of the events; default: the one of the document. */
    envelope?: Envelope,
  ): (receiver: Receiver) => Promise<RenderedEvent | undefined>;
}

export function createEventRenderer(
  context: Context,
  ids: EventIds,
  downgrade: EventConverter,
  filter: ResponseFilter = (_, text) => text,
): EventRenderer {
  const { envelope: usual, out } = context.plan.events;
  const views = new Map<string, RendererView>();
  const viewFor = (event: string, plan: OutEventPlan, table: Table, subject: Subject | undefined): RendererView => {
    const key =
      plan.view === undefined && plan.carries !== undefined
        ? event
        : `${plan.view ?? table.resource} ${nameOf(subject)}`;
    return getOrMake(views, key, () => {
      if (plan.view !== undefined) return rendererView(namedView(context, plan.view, subject));
      return rendererView(plan.carries === undefined ? viewOf(table, subject).view : carried(table, plan.carries));
    });
  };
  const renderFor: EventRenderer["renderFor"] = (tx, entry, through, envelope = usual) => {
    const { event, data: row } = entry;
    const plan = event === undefined ? undefined : out[event];
    const table = plan && context.tables.get(plan.resource);
    if (event === undefined || plan === undefined || table === undefined || row === undefined) return renderNothing;
    const written = new Map<string, Promise<RenderedEvent | undefined>>();
    return async (receiver) => {
      const { id: receiverId, roles: held, scoped } = receiver;
      const subject =
        receiverId === null ? undefined : { roles: context.plan.roles.filter((role) => held.includes(role)), scoped };
      const variables = variablesOf(receiver, entry.at, context.baseUrl());
      if (!(await holds({ context, variables }, tx, decide(plan[through], subject), row))) return undefined;
      const { view, personal } = viewFor(event, plan, table, subject);
      const write = async (): Promise<RenderedEvent | undefined> => {
        const text = filter(view, await tx.view(row, view, variables));
        const { resource, view: named } = plan;
        const older = downgrade(receiver.version, { type: event, resource, data: text, ...(named && { view: named }) });
        if (older === undefined) return undefined;
        const { type, data } = older;
        const id = ids.idOf(entry.position);
        const attributes: EventAttributes = { id, type, data, entry, source: context.baseUrl() };
        return { id, type, body: bodyOf(attributes, envelope, receiver.version) };
      };
      if (personal) return write();
      const key = `${nameOf(subject)} ${receiver.version ?? ""}`;
      return getOrMake(written, key, write);
    };
  };
  return {
    media: eventContentType(usual),
    ids,
    renderFor,
  };
}

function bodyOf(attributes: EventAttributes, envelope: Envelope, version: string | undefined): string {
  if (envelope === "cloudevents") return cloudEvent(attributes);
  if (envelope === "plain") return plainEvent(attributes);
  const { id, type, data, source, entry } = attributes;
  const values = {
    ...typeValues(type),
    id,
    time: instantText(entry.at),
    seconds: Math.floor(entry.at / 1000),
    sequence: sequenceOf(entry),
    resource: camelCase(entry.resource),
    record: entry.record,
    source,
    version: version ?? null,
    request: entry.request ?? null,
  };
  return filledEnvelope(envelope.shape, values, data);
}

/**
 * Returns the name of a caller's roles, for sharing renderings. Every role name contains a letter, so `-` (no caller) differs
 * from a caller without roles.
 */
function nameOf(subject: Subject | undefined): string {
  return subject === undefined ? "-" : `${subject.scoped} ${subject.roles.join()}`;
}

const renderNothing = (): Promise<undefined> => Promise.resolve(undefined);

interface RendererView {
  readonly view: View;
  /** Whether receivers with the same roles may get different bodies. */
  readonly personal: boolean;
}

/**
 * Returns the view of an event's data. Events are flat, with only members of the resource: nested resources would have to be
 * rendered for each receiver.
 */
function rendererView(view: View): RendererView {
  const personal = view.members.some(
    ({ when, source }) =>
      when !== undefined ||
      (source.kind === "expression" ? mentions(source.expression, "variable") : source.kind !== "column"),
  );
  return { view, personal };
}

function variablesOf({ id, roles, scoped, claims = {} }: Receiver, at: number, base: string): Variables {
  return { caller: { id, roles, scoped, claims }, input: null, now: instantText(at), base } as unknown as Variables;
}

/** Returns a view of the document as callers with these roles see it. */
function namedView({ plan, tables }: Context, name: string, subject: Subject | undefined): View {
  const { resource } = defined(plan.views?.[name], `the view ${name}`);
  const record = (other: string): View => viewOf(defined(tables.get(other), `the table of ${other}`), subject).view;
  return documentView(resource, name, { views: plan.views, subject, record });
}

/** Returns the view with the members that the document lists in `carries`, in its order; every receiver gets all of them. */
function carried({ resource, columns, virtual }: Table, names: readonly string[]): View {
  const all = [...columns, ...virtual];
  return {
    resource,
    members: names.flatMap((name) => {
      const member = all.find((one) => one.name === name);
      if (member === undefined) return [];
      const { type, absent } = member;
      const source =
        "expression" in member
          ? { kind: "expression" as const, expression: member.expression }
          : { kind: "column" as const, column: name };
      return [{ name, source, type, absent }];
    }),
  };
}

interface EventAttributes {
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly source: string;
  readonly entry: JournalRecord;
}

/**
 * Returns the sequence number of an event: the record's revision, which orders the events of one record. The position in the
 * event log would reveal the number of events that the receiver may not see (R5.8).
 */
function sequenceOf({ data }: JournalRecord): number {
  return Number(data?.["_rev"] ?? 0);
}

/** The number of digits of a sequence: those of the largest safe integer, since CloudEvents compares sequences as text. */
const sequenceDigits = 16;

/** Returns an event in the structured mode of CloudEvents 1.0, with its `sequence` extension. */
function cloudEvent({ id, type, data, source, entry }: EventAttributes): string {
  const start = JSON.stringify({
    specversion: "1.0",
    id,
    source,
    type,
    subject: entry.record,
    time: instantText(entry.at),
    datacontenttype: "application/json",
    sequence: String(sequenceOf(entry)).padStart(sequenceDigits, "0"),
  });
  return `${start.slice(0, -1)},"data":${data}}`;
}

function plainEvent({ id, type, data, entry }: EventAttributes): string {
  const start = JSON.stringify({
    id,
    type,
    timestamp: instantText(entry.at),
    sequence: sequenceOf(entry),
    ...(entry.request === undefined ? {} : { request: { id: entry.request } }),
  });
  return `${start.slice(0, -1)},"data":${data}}`;
}
