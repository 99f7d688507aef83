/**
 * Positions in lists, which are values of records as they are kept. What a cursor holds was kept as the version that was the
 * newest then has it; records have followed the document since, and an older caller's cursor goes on where it was (R4.10).
 */
import type { Value } from "../../expression/evaluate.ts";
import type { SortKey } from "../../store/store.ts";
import type { Call } from "../context.ts";

/** What a cursor holds: the position, behind the newest version's name where there are versions. */
export function keptPosition({ context }: Call, position: readonly Value[]): readonly Value[] {
  const [newest] = context.plan.versions?.list ?? [];
  return newest === undefined ? position : [newest.name, ...position];
}

/** As it is kept now, for a list in this order of newest names; undefined where nobody knows what it was kept as. */
export function positionNow(
  call: Call,
  sort: readonly SortKey[],
  kept: readonly Value[],
): readonly Value[] | undefined {
  const [newest] = call.context.plan.versions?.list ?? [];
  if (newest === undefined) return kept;
  const [version, ...position] = kept;
  if (version === newest.name) return position;
  const chain = typeof version === "string" ? call.context.chains.get(version) : undefined;
  if (chain === undefined) return undefined;
  const { resource } = call.prepared.operation;
  return position.map((value, index) => {
    const column = sort[index]?.column;
    if (column === undefined || value === null) return value;
    const [then = column] = chain.pointerDown({ kind: "record", resource }, [column]) ?? [];
    // As a bound, which is one value, whatever else is seen as it.
    const bound = { column: then, operator: "gt", value } as const;
    return chain.filterUp(chain.olderDefinition(resource), bound).value as Value;
  });
}
