/** The flagship on the store that is named, in a process of its own that tells what it has used and how often it asked. */
import pg from "pg";
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
const aside = /nonet_sequence|nonet_bookmarks|FROM nonet_journal|nonet_processes|_due <=|^COMMIT$|^BEGIN/;
const { prototype } = pg.Client;
const asked = Reflect.get(prototype, "query") as (...given: readonly unknown[]) => Promise<unknown>;
const unanswered = new WeakMap<pg.Client, number>();
// What is sent while an answer is awaited goes in the same round trip.
prototype.query = function query(this: pg.Client, ...given: unknown[]): unknown {
  const [what] = given as [string | { readonly text: string }];
  const text = typeof what === "string" ? what : what.text;
  const before = unanswered.get(this) ?? 0;
  if (!aside.test(text) || text === "COMMIT") roundTrips += before === 0 ? 1 : 0;
  unanswered.set(this, before + 1);
  const answer = Reflect.apply(asked, this, given);
  const over = (): void => void unanswered.set(this, (unanswered.get(this) ?? 1) - 1);
  answer.then(over, over);
  return answer;
} as typeof prototype.query;

const data = process.argv[2] ?? "";
const text = raisedFlagship();
const result = check("parcel-lockers.md", text);
const model = soundModel(result);
if (model === undefined) throw new Error("the flagship has errors");
const plan = buildPlan(model, result.places, result.expressions);
const shared = { tables: plan.tables, following: await followingOf(plan), clock: () => Date.now() };
const store = data.startsWith("postgres:")
  ? await openPostgresStore({ ...shared, address: data })
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
