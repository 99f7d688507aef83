/** Which members of bodies must differ from record to record. */
import { fieldsIn } from "../expression/typed.ts";
import { fieldsOf, isDistinguishing } from "../language/resources/fields.ts";
import type { Field } from "../language/resources/model.ts";
import type { Contract } from "./contract.ts";

/** Whether the field is unique, alone or together with others, or determines a computed field that is. */
export function determinesUnique({ model, typed }: Contract, resource: string, name: string): boolean {
  if (isDistinguishing(model, resource, name)) return true;
  return Object.keys(fieldsOf(model, resource)).some((other) => {
    const computed = typed.get(`resources/${resource}/${other}/computed`);
    return computed !== undefined && isDistinguishing(model, resource, other) && fieldsIn(computed).includes(name);
  });
}

/** Whether the server sets the field in a way that the document does not write: it may follow from any other field. */
export function isUnexplained({ marks, default: written, computed }: Field): boolean {
  return marks.includes("read-only") && written === undefined && computed === undefined;
}
