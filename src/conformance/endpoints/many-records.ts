/** An array of records in a body: all are created in its order, or none, and its length has bounds. */
import type { JsonObject } from "../../base/json.ts";
import { type Batch, batchOf } from "../../language/endpoints/shape.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import type { Contract, Operation } from "../contract.ts";
import { expectError, expectSuccess } from "../expect.ts";
import type { Interaction } from "../interaction.ts";
import { nested } from "../request.ts";
import { pageIn } from "../response.ts";
import type { Trial } from "../trial/trial.ts";
import { aspectsOf, operationCase, plainOperations } from "./subjects.ts";

/** The longest array that the test sends. */
const longest = 20;

export function manyRecordCases(contract: Contract): readonly Case[] {
  return plainOperations(contract).flatMap((called): readonly Case[] => {
    const batch = called.kind === "resource" ? batchOf(contract.model, called) : undefined;
    if (batch === undefined) return [];
    return [
      ...(batch.max >= 2 && batch.min <= 2 ? [createsAll(contract, called, batch)] : []),
      ...(batch.min > 0 ? [rejects(contract, called, batch, batch.min - 1)] : []),
      ...(batch.max < longest ? [rejects(contract, called, batch, batch.max + 1)] : []),
    ];
  });
}

function createsAll(contract: Contract, called: Operation, batch: Batch): Case {
  const expects = `${called.operation} creates a record for each item of the array, or none`;
  return operationCase(called, "two records", aspects(contract, called, expects), async (trial) => {
    const interaction = await send(trial, called, batch, 2);
    const { status, json } = trial.responseOf(interaction);
    if (status === 409 || status === 403) throw new NotTried("the two records conflict with each other");
    expectSuccess(trial, interaction);
    const items = pageIn(contract, called, json)?.items;
    if (items !== undefined && items.length !== 2)
      throw new Broken("the two created records", `${items.length} records`, interaction);
  });
}

function rejects(contract: Contract, called: Operation, batch: Batch, length: number): Case {
  const expects = `${called.operation} takes from ${batch.min} to ${batch.max} records`;
  return operationCase(called, `${length} records`, aspects(contract, called, expects), async (trial) => {
    expectError(trial, await send(trial, called, batch, length), { code: "invalid-request", status: 422 });
  });
}

function aspects(contract: Contract, called: Operation, expects: string) {
  return aspectsOf(contract, called, ["manyRecords", "takes"], expects);
}

/** Sends an array of so many valid records. Uses `send`, not `call`, which would learn one record from several. */
async function send(trial: Trial, called: Operation, batch: Batch, length: number): Promise<Interaction> {
  const caller = await trial.callerFor(called.operation);
  const items: JsonObject[] = [];
  for (let count = 0; count < length; count += 1) {
    const { body = {} } = await trial.inputFor(called.operation, caller);
    items.push(nested(trial.contract, called, body));
  }
  const bytes = JSON.stringify(batch.member === undefined ? items : { [batch.member]: items });
  const { request } = await trial.build(called.operation, { caller, rawBody: { type: "application/json", bytes } });
  return trial.send(request, caller, called.operation);
}
