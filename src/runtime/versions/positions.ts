/**
 * Converts list positions in cursors. They are stored values of records, in the version that was newest at that time. After a
 * migration the position is converted, so that an older cursor continues at the same record (R4.10).
 */
import type { Value } from "../../expression/evaluate.ts";
import type { SortKey } from "../../store/port/store.ts";
import type { Call } from "../context/context.ts";

/** Returns the content of a cursor: the position, preceded by the newest version's name if the document has versions. */
export function storedPosition({ context }: Call, position: readonly Value[]): readonly Value[] {
  const [newest] = context.plan.versions?.list ?? [];
  return newest === undefined ? position : [newest.name, ...position];
}

/** Returns the position in the newest version, for a list with this sort order; undefined if its version is unknown. */
export function positionNow(
  call: Call,
  sort: readonly SortKey[],
  stored: readonly Value[],
): readonly Value[] | undefined {
  const [newest] = call.context.plan.versions?.list ?? [];
  if (newest === undefined) return stored;
  const [version, ...position] = stored;
  if (version === newest.name) return position;
  const converter = typeof version === "string" ? call.context.converters.get(version) : undefined;
  if (converter === undefined) return undefined;
  const { resource } = call.compiled.operation;
  return position.map((value, index) => {
    const column = sort[index]?.column;
    if (column === undefined || value === null) return value;
    const [then = column] = converter.pointerToOlder({ kind: "record", resource }, [column]) ?? [];
    // The value is converted as a bound: to one value, even if several newer values look like it.
    const bound = { column: then, operator: "gt", value } as const;
    return converter.filterToNewer(converter.olderDefinition(resource), bound).value as Value;
  });
}
