/** Endpoints and deliveries in the store: what both halves of sending read and change of them. */
import { instantText } from "../base/clock.ts";
import { defined } from "../base/defined.ts";
import { deliveryResource as deliveries, webhookResource as endpoints } from "../language/events/decide.ts";
import type { ResourcesPart } from "../plan/resources/types.ts";
import type { WebhookPlan } from "../plan/events/types.ts";
import type { Row, Store, Transaction, View } from "../store/port/store.ts";

/** The resources that hold them. */
export { deliveries, endpoints };

/** Of a write whose answer nobody reads. */
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
  /** What did not arrive since then is to be sent again. */
  readonly recoverSince?: string;
}

export interface Rows {
  enabledEndpoints(): Promise<readonly Endpoint[]>;
  /** An endpoint with all its columns as they are now, held by nobody; undefined where it is not enabled. */
  enabledEndpoint(id: string): Promise<Row | undefined>;
  /** The delivery to an endpoint that comes before all others of a record. */
  firstOf(tx: Transaction, endpoint: string, record: string): Promise<Row | undefined>;
  /** Whoever is first now waits for nobody; whether it did. `now` in epoch milliseconds. */
  letNextGo(tx: Transaction, endpoint: string, record: string, now: number): Promise<boolean>;
}

export function createRows(plan: ResourcesPart, store: Store, webhook: WebhookPlan): Rows {
  const listEndpoints = store.list({ resource: endpoints, system: true, view: viewOf(plan, endpoints), sort: [], filters: [], from: "start" }); // biome-ignore format: one query
  const readEndpoint = store.read({ resource: endpoints, system: true, key: "id", view: viewOf(plan, endpoints) });
  // Not `tx.first`, which passes over what others have in hand: whoever comes next would be let go before it.
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

/** Columns, those too that no caller sees; all unless named. Deliveries hold bodies, which lists of many do not need. */
export function viewOf(plan: ResourcesPart, resource: string, names?: readonly string[]): View {
  const { columns } = defined(
    plan.tables.find((table) => table.resource === resource),
    `the table of ${resource}`,
  );
  const members = columns.filter(({ name }) => names?.includes(name) ?? true).map(({ name, type }) => ({ name, source: { kind: "column" as const, column: name }, type, absent: "left out" as const })); // biome-ignore format: short
  return { resource, members };
}
