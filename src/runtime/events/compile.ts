/** Compiles the operations of the event stream, which are like other operations, except that events have no table. */
import { streamOperations } from "../../plan/events/events.ts";
import { noTable } from "../../plan/resources/tables.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Store } from "../../store/port/store.ts";
import type { CallerKinds } from "../context/caller.ts";
import type { Authentication } from "../auth/authenticate.ts";
import type { Extensions, CompiledOperation } from "../context/compiled.ts";
import { compileOperations } from "../operations/compile.ts";
import { eventMediaTypes, followEvents, readEvent } from "./replies.ts";
import type { Streams } from "./streams.ts";
import type { EventRenderer } from "./render.ts";

export interface StreamOptions {
  readonly plan: Plan;
  readonly store: Store;
  readonly kinds: CallerKinds;
  readonly renderer: EventRenderer;
  readonly streams: Streams;
  readonly authentication: Authentication;
}

export function compileStream(options: StreamOptions): readonly { readonly compiled: CompiledOperation }[] {
  const { plan, store, kinds } = options;
  const { stream } = plan.events;
  if (stream === undefined) return [];
  const { follow, read } = stream;
  const streamOptions = { ...options, plan: stream };
  const extensions: Extensions = {
    [follow.name]: { perform: (call) => followEvents(streamOptions, call), offers: eventMediaTypes },
    [read.name]: { perform: (call) => readEvent(streamOptions, call) },
  };
  const operations = streamOperations(plan);
  const tables = new Map([[follow.resource, { ...noTable, resource: follow.resource }]]);
  const compiled = compileOperations({ plan: { ...plan, operations }, tables, store, kinds, extensions });
  return [...compiled.values()].map((one) => ({ compiled: one }));
}
