/** What erasing a record comes to: its personal columns, each with what it has afterwards. */
import { fieldsOf, isStored } from "../../language/resources/fields.ts";
import { erasedValue } from "../../language/resources/erased-value.ts";
import type { Erasure } from "./types.ts";
import { assert, type PlanInput } from "../input.ts";

export function erasures({ model }: PlanInput, resource: string): readonly Erasure[] {
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
