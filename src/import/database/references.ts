/** Converts foreign keys of one column to references, with what the deletion of the other record does. */
import { below, type ImportNotices } from "../report.ts";
import type { CatalogueReference } from "./catalogue.ts";
import type { Context, Draft, NamedTable } from "./draft.ts";

export function addReferences(drafts: ReadonlyMap<string, Draft>, { table }: NamedTable, context: Context): void {
  const { notices } = context;
  for (const reference of table.references) {
    const [column = "", ...more] = reference.columns;
    const pointer = below("", table.name, column);
    const detail = `${reference.columns.join(", ")} to ${reference.table}(${reference.to.join(", ")})`;
    const draft = drafts.get(column);
    if (more.length > 0) {
      notices.lost(pointer, "a reference of several columns", detail);
      continue;
    }
    if (draft === undefined) continue;
    const target = targetOf(reference, context);
    if (draft.type.kind === "id") notices.lost(pointer, "that an id is a reference", detail);
    else if (target === undefined)
      notices.lost(pointer, "a reference to something else than the id of a resource", detail);
    else if (draft.type.kind === "named") notices.lost(pointer, "a second reference of one column", detail);
    else {
      draft.type = { kind: "named", name: target.resource };
      draft.marks.delete("write-only");
      addDeletion(draft, reference, notices, detail);
    }
  }
}

/** Returns the resource whose id the reference has. */
function targetOf({ table, to }: CatalogueReference, { tables }: Context): NamedTable | undefined {
  const target =
    tables.get(table) ?? [...tables.values()].find((one) => one.table.name.toLowerCase() === table.toLowerCase());
  const [column] = to;
  return target?.identity !== undefined && target.identity.toLowerCase() === column?.toLowerCase() ? target : undefined;
}

function addDeletion(
  draft: Draft,
  { onDelete, onUpdate }: CatalogueReference,
  notices: ImportNotices,
  detail: string,
): void {
  if (onDelete === "CASCADE") draft.marks.add("delete with");
  if (onDelete === "SET NULL" && draft.optional) draft.marks.add("clear");
  if (onDelete === "SET DEFAULT" || (onDelete === "SET NULL" && !draft.optional))
    notices.lost(draft.pointer, `what a deletion does to a reference: ${onDelete}`, detail);
  if (onUpdate !== "NO ACTION" && onUpdate !== "RESTRICT")
    notices.lost(draft.pointer, "what a changed key does to its references: an id never changes", detail);
}
