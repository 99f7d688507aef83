/** Makes a condition about a record true by changes of the record, or of those to which it refers. */
import { fieldsIn, nodesOf, type TypedExpression } from "../../expression/typed.ts";
import { ifPossible } from "../attempts.ts";
import { truth } from "../expressions.ts";
import { candidatesFor } from "../resources/candidates.ts";
import { sendWrite, writesOf } from "../resources/writing.ts";
import type { KnownRecord } from "./known.ts";
import { lookAround } from "./looking.ts";
import type { Trial } from "./trial.ts";
import { findRecord } from "./world.ts";

/** Changes the record, or one to which it refers, until the guard is true. Returns whether it is. */
export async function makeTrue(trial: Trial, record: KnownRecord, guard: TypedExpression): Promise<boolean> {
  const read = [
    ...fieldsIn(guard).map((name) => ({ name, changed: record })),
    ...nodesOf(guard).flatMap((node) => {
      if (node.kind !== "walk" || node.reference.kind !== "field") return [];
      const changed = findRecord(trial.world, node.resource, record.values.get(node.reference.name) ?? null);
      return changed === undefined ? [] : [{ name: node.name, changed }];
    }),
  ];
  for (const { changed, name } of read) {
    for (const write of writesOf(trial.contract, changed.resource).filter(({ kind }) => kind === "change")) {
      const member = write.members.find((one) => one.name === name && one.sets);
      for (const value of member === undefined ? [] : await candidatesFor(trial, member, guard, write)) {
        if (value === undefined) continue;
        await ifPossible(() =>
          sendWrite(trial, write, { record: changed, change: () => ({ [name]: value }), isValid: true }),
        );
        await lookAround(trial, record);
        if (truth(guard, trial.scope(record.creator, record)) === true) return true;
      }
    }
  }
  return false;
}
