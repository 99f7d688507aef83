/** Finds records with due timers: the first rows of each table's index on `_due`. */
import type { Value } from "../../expression/evaluate.ts";
import type { Due } from "../port/store.ts";
import { isTimed } from "../sql/columns.ts";
import type { Connection } from "./connection.ts";
import type { Relations } from "./relations.ts";
import { limitOf } from "./value.ts";
import type { Snapshot } from "./snapshot.ts";

export function dueFinder(
  relations: Relations,
  reader: Connection,
  snapshot: Snapshot,
): (now: number, limit: number) => readonly Due[] {
  const timed = [...relations.values()].filter(({ table }) => isTimed(table));
  return (now, limit) => {
    if (timed.length === 0) return [];
    snapshot.acquire();
    const found = timed.flatMap(({ name, table: { resource } }) =>
      reader
        .all(dueQuery(name), now, limit)
        .map(([id, due]): Due => ({ resource, id: id as Value, due: due as number })),
    );
    return found.toSorted((a, b) => a.due - b.due).slice(0, limit);
  };
}

/** Returns a query that reads only the index, at most `limit` rows; its cost does not depend on timers that are not due. */
export function dueQuery(name: string): string {
  return `SELECT "id", _due FROM ${name} WHERE _due <= ? ORDER BY _due ${limitOf("?")}`;
}
