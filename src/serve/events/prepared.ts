/** The operations of the stream made ready: like all others, but for what they are about, which is in no table. */
import { streamOperations } from "../../plan/events.ts";
import { noTable } from "../../plan/no-table.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Store } from "../../store/store.ts";
import type { CallerKinds } from "../caller.ts";
import type { Authentication } from "../credentials/authenticate.ts";
import type { Extensions } from "../extension.ts";
import { type Prepared, prepareOperations } from "../prepared.ts";
import { eventMediaTypes, followEvents, readEvent } from "./answer.ts";
import type { Streams } from "./streams.ts";
import type { Teller } from "./tell.ts";

export interface StreamOptions {
  readonly plan: Plan;
  readonly store: Store;
  readonly kinds: CallerKinds;
  readonly teller: Teller;
  readonly streams: Streams;
  readonly authentication: Authentication;
}

export function prepareStream(options: StreamOptions): readonly { readonly prepared: Prepared }[] {
  const { plan, store, kinds } = options;
  const { stream } = plan.events;
  if (stream === undefined) return [];
  const { follow, read } = stream;
  const given = { ...options, plan: stream };
  const extensions: Extensions = {
    [follow.name]: { perform: (call) => followEvents(given, call), offers: eventMediaTypes },
    [read.name]: { perform: (call) => readEvent(given, call) },
  };
  const operations = streamOperations(plan);
  const tables = new Map([[follow.resource, { ...noTable, resource: follow.resource }]]);
  const prepared = prepareOperations({ plan: { ...plan, operations }, tables, store, kinds, extensions });
  return [...prepared.values()].map((one) => ({ prepared: one }));
}
