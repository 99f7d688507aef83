/** What erasing a record comes to: its personal columns, each with what it has afterwards. */
import { fieldsOf, isStored } from "../parts/resources/fields.ts";
import { erasedValue } from "../parts/resources/erased-value.ts";
import type { Erasure } from "./plan.ts";
import { assert, type Sources } from "./sources.ts";

export function erasures({ model }: Sources, resource: string): readonly Erasure[] {
  const fields = Object.entries(fieldsOf(model, resource));
  // What is computed follows from the others.
  const personal = fields.filter(
    ([, field]) => field.marks.includes("personal") && isStored(field) && field.computed === undefined,
  );
  return personal.map(([column, field]) => {
    const to = erasedValue(model, resource, column, field);
    assert(to !== undefined, `${resource}.${column} cannot be erased`);
    return { column, to };
  });
}
