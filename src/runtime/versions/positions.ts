/**
 * Positions in lists, which are values of records as they are kept. What a cursor holds was kept as the version that was the
 * newest then has it; records have followed the document since, and an older caller's cursor goes on where it was (R4.10).
 */
import type { Value } from "../../expression/evaluate.ts";
import type { SortKey } from "../../store/port/store.ts";
import type { Call } from "../context/context.ts";

/** What a cursor holds: the position, behind the newest version's name where there are versions. */
export function storedPosition({ context }: Call, position: readonly Value[]): readonly Value[] {
  const [newest] = context.plan.versions?.list ?? [];
  return newest === undefined ? position : [newest.name, ...position];
}

/** The position as records are stored now, for a list in this order of newest names; undefined if its version is unknown. */
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
    // As a bound, which is one value, whatever else is seen as it.
    const bound = { column: then, operator: "gt", value } as const;
    return converter.filterToNewer(converter.olderDefinition(resource), bound).value as Value;
  });
}
