/** Reads and writes endpoints and deliveries in the store. */
import { instantText } from "../base/clock.ts";
import { defined } from "../base/defined.ts";
import { deliveryResource as deliveries, webhookResource as endpoints } from "../language/events/decide.ts";
import type { ResourcesPart } from "../plan/resources/types.ts";
import type { WebhookPlan } from "../plan/events/types.ts";
import type { Row, Store, Transaction, View } from "../store/port/store.ts";

/** The names of the resources of deliveries and endpoints. */
export { deliveries, endpoints };

/** An empty view, for writes whose result is not read. */
export const nothing: View = { resource: deliveries, members: [] };

export interface Endpoint {
  readonly id: string;
  readonly owner: string;
  readonly url: string;
  readonly events?: readonly string[];
  readonly version?: string;
  readonly credential?: string;
  readonly roles: readonly string[];
  readonly state: string;
  readonly createdAt: string;
  /** The start of a requested recovery: all events since then are delivered again. */
  readonly recoverSince?: string;
}

export interface Rows {
  enabledEndpoints(): Promise<readonly Endpoint[]>;
  /** Returns the current row of an endpoint without locking it; undefined if it is not enabled. */
  enabledEndpoint(id: string): Promise<Row | undefined>;
  /** Returns the first pending delivery of a record to an endpoint. */
  firstOf(tx: Transaction, endpoint: string, record: string): Promise<Row | undefined>;
  /** Starts the first waiting delivery of the record; returns whether there was one. `now` is in epoch milliseconds. */
  letNextGo(tx: Transaction, endpoint: string, record: string, now: number): Promise<boolean>;
}

export function createRows(plan: ResourcesPart, store: Store, webhook: WebhookPlan): Rows {
  const listEndpoints = store.list({ resource: endpoints, system: true, view: viewOf(plan, endpoints), sort: [], filters: [], from: "start" }); // biome-ignore format: one query
  const readEndpoint = store.read({ resource: endpoints, system: true, key: "id", view: viewOf(plan, endpoints) });
  // `tx.first` is not used here, since it skips locked rows: a later delivery would start before the first one.
  const firstOf: Rows["firstOf"] = async (tx, endpoint, record) =>
    (await tx.all(deliveries, { all: [webhook.ahead] }, { input: { webhook: endpoint, record } }, 1))[0];
  return {
    async enabledEndpoints() {
      const { text } = await listEndpoints({ limit: 1_000_000, filters: [] }, {});
      const all = JSON.parse(`[${text}]`) as readonly Endpoint[];
      return all.filter(({ state }) => state === "enabled");
    },
    async enabledEndpoint(id) {
      const found = await readEndpoint(id, {});
      const row = found && (JSON.parse(found.text) as Row);
      return row?.["state"] === "enabled" ? row : undefined;
    },
    firstOf,
    async letNextGo(tx, endpoint, record, now) {
      const next = await firstOf(tx, endpoint, record);
      if (next === undefined || next["nextAttemptAt"] !== null) return false;
      await tx.update(deliveries, next, { nextAttemptAt: instantText(now) }, nothing, {});
      return true;
    },
  };
}

/** Returns a view of all columns, or of those in `names`. A list of deliveries has no column `body`, which can be large. */
export function viewOf(plan: ResourcesPart, resource: string, names?: readonly string[]): View {
  const { columns } = defined(
    plan.tables.find((table) => table.resource === resource),
    `the table of ${resource}`,
  );
  const members = columns.filter(({ name }) => names?.includes(name) ?? true).map(({ name, type }) => ({ name, source: { kind: "column" as const, column: name }, type, absent: "left out" as const })); // biome-ignore format: short
  return { resource, members };
}
