/**
 * Lists of which a computed value hides the order or the equal items: `tagList.sort()` of a sorted list shows nothing, and `name in tagList`
 * of an empty one neither.
 */
import type { Json } from "../../base/json.ts";
import { compareValues, listFunctions } from "../../expression/functions.ts";
import { fieldsIn, nodesOf, type TypedExpression } from "../../expression/typed.ts";
import { bareType, fieldsOf, lookup } from "../../language/resources/fields.ts";
import type { Trial } from "../trial/trial.ts";
import { problemOf } from "../values/fits.ts";
import { creationsOf, otherValue, sets } from "./writing.ts";

/** Returns, for the lists of a record that functions of lists and `in` read, an unsorted list, if possible with an item twice. */
export async function unsortedLists(
  trial: Trial,
  resource: string,
  typed: TypedExpression,
): Promise<Readonly<Record<string, Json>>> {
  const { contract } = trial;
  const read = nodesOf(typed).flatMap((node) => {
    if (node.kind === "within") return fieldsIn(node.list);
    return node.kind === "call" && Object.hasOwn(listFunctions, node.function) ? node.arguments.flatMap(fieldsIn) : [];
  });
  const values: Record<string, Json> = {};
  for (const name of new Set(read)) {
    const type = lookup(fieldsOf(contract.model, resource), name)?.type;
    const bare = type === undefined ? undefined : bareType(type);
    if (bare?.kind !== "list" || !creationsOf(contract, resource).some((write) => sets(write, name))) continue;
    const one = await otherValue(trial, bare.of, []);
    const other = one === undefined ? undefined : await otherValue(trial, bare.of, [one]);
    if (one === undefined || other === undefined) continue;
    const [greater, less] = compareValues(one, other) > 0 ? [one, other] : [other, one];
    const lists = [
      [greater, less, greater],
      [greater, less],
    ];
    const valid = lists.find((list) => problemOf(contract, bare, list, "input") === undefined);
    if (valid !== undefined) values[name] = valid;
  }
  return values;
}
