/** Records to which time does something: of each table the first ones of its index on `_due`. */
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

/** At most so many rows, from the index alone: what is not due is not looked at, however much of it there is. */
export function dueQuery(name: string): string {
  return `SELECT "id", _due FROM ${name} WHERE _due <= ? ORDER BY _due ${limitOf("?")}`;
}
