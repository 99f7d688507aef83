/** Histories: each transition of a record once, the oldest first. */
import { withArticle } from "../../base/case.ts";
import { isObject } from "../../base/json.ts";
import { lookup } from "../../language/resources/fields.ts";
import { Broken, type Case, shortText } from "../case.ts";
import type { Contract, Operation } from "../contract.ts";
import { startOf, transitionsOf } from "../effects.ts";
import { expectSuccess } from "../expect.ts";
import { pageIn } from "../response.ts";
import { aspectsOf, ifPossible, operationCase, pathOf, plainOperations } from "./subjects.ts";
import type { Trial } from "../trial/trial.ts";
import type { KnownRecord } from "../trial/known.ts";

export function historyCases(contract: Contract): readonly Case[] {
  return plainOperations(contract).flatMap((called) => (called.action === "history" ? [lists(contract, called)] : []));
}

function lists(contract: Contract, called: Operation): Case {
  const { resource } = called;
  const aspects = aspectsOf(
    contract,
    called,
    ["does"],
    `the history of ${withArticle(resource ?? "record")} has each transition once, the oldest first`,
  );
  return operationCase(called, "transitions", aspects, async (trial) => {
    const start = startOf(contract, resource as string);
    const record = await trial.make(resource as string);
    await expectStates(trial, called, record, [start]);
    for (const transition of transitionsOf(contract)) {
      const isNext =
        transition.resource === resource && transition.from.includes(start ?? "") && transition.to !== start;
      if (!isNext || transition.trigger.on.kind !== "by") continue;
      const made = await ifPossible(() => trial.makeTransition(record, transition));
      if (made === undefined || trial.responseOf(made.interaction).status >= 300) continue;
      return expectStates(trial, called, record, [start, transition.to]);
    }
  });
}

async function expectStates(
  trial: Trial,
  called: Operation,
  record: KnownRecord,
  expected: readonly (string | undefined)[],
): Promise<void> {
  const caller = await trial.callerFor(called.operation, record);
  const interaction = await trial.call(called.operation, { caller, record });
  const { json } = expectSuccess(trial, interaction, pathOf(called));
  const page = pageIn(trial.contract, called, json);
  if (page === undefined)
    throw new Broken("a page of transitions", shortText(json), interaction, pathOf(called, "does"));
  const states = page.items.map((item) => (isObject(item) ? (lookup(item, "to") ?? null) : null));
  if (JSON.stringify(states) === JSON.stringify(expected)) return;
  throw new Broken(`the states ${expected.join(", ")}`, shortText(states), interaction, pathOf(called));
}
