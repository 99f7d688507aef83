/** The flagship on the store that is named, in a process of its own that tells what it has used and how often it asked. */
import { buildPlan, check, createService, followingOf, openSqliteStore, soundModel } from "../../src/index.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { raisedFlagship } from "../contestants.ts";

/** What `measure.ts` is told; processor time in milliseconds. */
export interface Used {
  readonly processor: number;
  /** How often requests waited for the server. */
  readonly roundTrips: number;
}

let roundTrips = 0;
/** Of what nobody who asked waits for: placing entries of the journal, and the work of time. */
const aside = /nonet_sequence|nonet_bookmarks|FROM nonet_journal|nonet_processes|nonet_leads|_due <=/;
const exchanged = (statements: readonly string[]): void => {
  if (!statements.every((statement) => aside.test(statement))) roundTrips += 1;
};

const data = process.argv[2] ?? "";
const text = raisedFlagship();
const result = check("parcel-lockers.md", text);
const model = soundModel(result);
if (model === undefined) throw new Error("the flagship has errors");
const plan = buildPlan(model, result.places, result.expressions);
const shared = { tables: plan.tables, following: await followingOf(plan), clock: () => Date.now() };
const store = data.startsWith("postgres:")
  ? await openPostgresStore({ ...shared, address: data, connections: { exchanged } })
  : await openSqliteStore({ ...shared, file: data });
const service = await createService({ document: text, store, environment: { DOOR_SECRET: "of the bench" } });
const keys = {
  operator: await service.createKey({ user: "olga", roles: ["operator"] }),
  couriers: await Promise.all(["ann", "bo", "cy", "di"].map((user) => service.createKey({ user, roles: ["courier"] }))),
};
const { port } = await service.listen();
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ processor: (user + system) / 1000, roundTrips } satisfies Used);
});
process.send?.({ port, keys });
process.on("disconnect", () => process.exit());
