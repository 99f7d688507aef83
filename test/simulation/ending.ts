/** Final checks of a run: nothing is overdue, and exactly the expected records and events exist. */
import { isDeepStrictEqual } from "node:util";
import type { Photo } from "./oracle.ts";
import { hashOf } from "./sessions.ts";
import type { Scene } from "./scene.ts";

/** Something that time should have done. */
export function overdue({ machine, oracle }: Scene): string | undefined {
  for (const [key, rec] of oracle.records) {
    if (oracle.isPutOff(key, machine.time)) continue;
    const skipped = new Set<string>();
    for (;;) {
      const turn = oracle.time(rec.resource.name, rec.id, machine.time, { entered: () => undefined }, skipped);
      const [entry] = turn.effects.entries;
      if (entry !== undefined) return `R3.5: ${rec.resource.name}/${rec.id} is overdue: ${entry.cause}`;
      if (turn.refused === undefined) break;
      skipped.add(turn.refused);
    }
  }
  return undefined;
}

/** What is in the store and must not be, or the other way round. */
export async function wrongAtTheEnd(scene: Scene): Promise<string | undefined> {
  return (
    (await wrongRecords(scene)) ??
    (await wrongEvents(scene)) ??
    (await wrongReceived(scene)) ??
    (await wrongFiles(scene)) ??
    (await wrongTokens(scene)) ??
    (await wrongKept(scene))
  );
}

async function wrongRecords({ inner, oracle, prepared }: Scene): Promise<string | undefined> {
  for (const { fields, lifecycle, name } of prepared.world.resources) {
    const columns = ["id", ...fields.map((field) => field.name), ...(lifecycle === undefined ? [] : ["state"])];
    const rows = await inner().transaction(async (tx) => tx.all(name, undefined, {}, 10_000));
    const expected = [...oracle.records.values()].filter((rec) => rec.resource.name === name);
    const given = rows.map((row) => JSON.stringify(columns.map((column) => row[column] ?? null)));
    const must = expected
      .toSorted((a, b) => a.order - b.order)
      .map((rec) => JSON.stringify(columns.map((column) => (column === "id" ? rec.id : column === "state" ? rec.state : rec.values[column]) ?? null))); // biome-ignore format: short
    if (given.join("\n") !== must.join("\n")) return `${name} is\n${given.join("\n")}\nin place of\n${must.join("\n")}`;
  }
  return undefined;
}

/** What came in is in the journal as it came, until what it tells of is erased or deleted by time. */
async function wrongReceived({ hooks, inner }: Scene): Promise<string | undefined> {
  for (let position = 1; position < hooks.positions; position += 1) {
    const payload = hooks.entryAt(position)?.payload;
    if (payload === undefined) continue;
    const given = (await inner().journal.at(position))?.data;
    const must = hooks.forgotten(position) === undefined ? payload : undefined;
    if (!isDeepStrictEqual(given, must))
      return `what came in at ${position} is ${JSON.stringify(given)} in place of ${JSON.stringify(must)}`;
  }
  return undefined;
}

/** The bytes of a file are there as they came while a record has it, and after that not for long. */
async function wrongFiles({ any, inner, machine, oracle }: Scene): Promise<string | undefined> {
  const held = new Map(oracle.photos().map((photo): [string, Photo] => [photo.id, photo]));
  if (oracle.files.size > 0) await any().purge(machine.time + 7_200_000);
  for (const id of oracle.files.keys()) {
    const bytes = (await inner().files.piece(id, 0))?.bytes;
    const photo = held.get(id);
    held.delete(id);
    if (photo === undefined && bytes !== undefined) return `the file ${id} is still there, and no record has it`;
    if (photo !== undefined && (bytes === undefined || hashOf(Buffer.from(bytes).toString()) !== photo.sha256))
      return `the file ${id} is not as it came`;
  }
  for (const id of held.keys()) return `the file ${id} never came`;
  return undefined;
}

/** Tokens are gone with the record that they were of, and no others but those that are over. */
async function wrongTokens({ inner, oracle, store }: Scene): Promise<string | undefined> {
  if (store === "sqlite") return undefined;
  for (const hash of oracle.sessions.ever) {
    const given = await inner().sessions.find(hash);
    const must = oracle.sessions.tokens.get(hash);
    if (given !== undefined && must === undefined) return `a token of ${given.user} is there, who is gone`;
    // When an operator ended it is known a moment after it was so, and it may have been cleared by then.
    if (given === undefined && must !== undefined && must.expires > 0 && !oracle.cleared.has(must))
      return `a token of ${must.user} is not there`;
  }
  return undefined;
}

/** Of what is kept for a time nothing is there any more when it is over. */
async function wrongKept({ any, inner, machine, oracle }: Scene): Promise<string | undefined> {
  const { answers, sessions } = oracle;
  if (answers.size + sessions.ever.size === 0) return undefined;
  await any().purge(machine.time + 10_000_000_000);
  const left = (await inner().counts.all(0)).length;
  if (left > 0) return `${left} counts are over and still there`;
  for (const hash of sessions.ever)
    if ((await inner().sessions.find(hash)) !== undefined) return `a token is over and still there: ${hash}`;
  return undefined;
}

async function wrongEvents({ hooks, inner, oracle, prepared }: Scene): Promise<string | undefined> {
  const known = new Set(Object.keys(prepared.plan.events.out));
  const events = (await inner().journal.events(0, 100_000)).filter(({ event = "" }) => known.has(event) && !event.startsWith("webhook.")); // biome-ignore format: short
  // What was erased is in none of them.
  const told = events.map(
    ({ data, event, record }) => `${event} ${record}${data === undefined ? " without data" : ""}`,
  );
  const must = oracle.journal.flatMap(({ data, event, record }) => event === undefined ? [] : [`${event} ${record}${data === undefined ? " without data" : ""}`]); // biome-ignore format: short
  // Where positions come later than commits, two records' entries may have changed places.
  const isSame = (a: readonly string[], b: readonly string[]): boolean => a.join() === b.join();
  if (!isSame(hooks.isLate ? told.toSorted() : told, hooks.isLate ? must.toSorted() : must))
    return `the events are ${told.join()} in place of ${must.join()}`;
  for (const [index, { position }] of events.entries())
    if (position <= (events[index - 1]?.position ?? 0)) return `position ${position} comes twice, or too late`;
  return undefined;
}
