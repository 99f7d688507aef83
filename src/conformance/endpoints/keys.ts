/**
 * Records that several values of a path name together, such as `/repos/{owner}/{repo}`: with one of the values of another record,
 * the path names no record.
 */
import type { Json } from "../../base/json.ts";
import { creates } from "../../language/endpoints/input.ts";
import { type PathKey, partsOf } from "../../language/endpoints/model.ts";
import { fieldsOf, lookup, referenceOf } from "../../language/resources/fields.ts";
import { type Case, NotTried } from "../case.ts";
import type { Contract, Operation } from "../contract.ts";
import { subjectFor } from "../trial/calls.ts";
import type { KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { findRecord, recordsOf } from "../trial/world.ts";
import { aspectsOf, expectMissing, operationCase, pathOf, plainOperations } from "./subjects.ts";

export function keyCases(contract: Contract): readonly Case[] {
  return plainOperations(contract).flatMap((called) => {
    const { endpoint, key, parents, resource } = called;
    const isUpsert = called.kind === "resource" && creates(contract.model, called);
    if (resource === undefined || key === undefined || isUpsert || endpoint.the !== undefined) return [];
    const parent = parents.at(-1);
    return [
      ...(partsOf(key).length > 1 ? [isMixed(contract, called, resource, key)] : []),
      ...(parent !== undefined && partsOf(parent).length > 1
        ? [isMixed(contract, called, parent.resource, parent)]
        : []),
    ];
  });
}

function isMixed(contract: Contract, called: Operation, resource: string, key: PathKey): Case {
  const names = partsOf(key).map(({ parameter }) => `{${parameter}}`);
  const expects = `a path with ${names.join(" and ")} of two ${resource} is not found`;
  return operationCase(called, `values of two ${resource}`, aspectsOf(contract, called, [], expects), async (trial) => {
    const { record, caller } = await subjectFor(trial, called);
    const one = resource === called.resource ? record : await parentOf(trial, called, record);
    const other = await trial.make(resource);
    const [values, others] = [await valuesOf(trial, one, key), await valuesOf(trial, other, key)];
    let count = 0;
    for (const [parameter, value] of others) {
      const mixed = new Map([...values, [parameter, value]]);
      if (values.get(parameter) === value || mayExist(trial, resource, key, mixed)) continue;
      count += 1;
      const interaction = await trial.call(called.operation, {
        caller,
        record,
        path: Object.fromEntries(mixed),
        isInvalid: true,
      });
      expectMissing(trial, interaction, pathOf(called));
    }
    if (count === 0) throw new NotTried(`the test has no two ${resource} with different ${names.join(" and ")}`);
  });
}

async function parentOf(trial: Trial, { parents }: Operation, record: KnownRecord): Promise<KnownRecord> {
  const { field = "", resource = "" } = parents.at(-1) ?? {};
  if (!record.values.has(field)) await trial.look(record);
  const found = record.parent ?? findRecord(trial.world, resource, record.values.get(field) ?? null);
  if (found === undefined) throw new NotTried(`the test does not know the ${resource} of the path`);
  return found;
}

/** Returns the values of a record by the parameters of the key. */
async function valuesOf(trial: Trial, record: KnownRecord, key: PathKey): Promise<ReadonlyMap<string, Json>> {
  const parts = partsOf(key);
  if (parts.some(({ column }) => !record.values.has(column))) await trial.look(record);
  return new Map(
    parts.map(({ column, parameter }) => {
      const value = record.values.get(column);
      if (value === undefined || value === null)
        throw new NotTried(`the test does not know \`${column}\` of a record of ${record.resource}`);
      return [parameter, value];
    }),
  );
}

/** How long a text has to be so that no other record has it by chance. */
const longText = 8;

/** Whether some record may have these values: one that the test knows, or one of somebody else. */
function mayExist(trial: Trial, resource: string, key: PathKey, values: ReadonlyMap<string, Json>): boolean {
  const parts = partsOf(key);
  const { contract, world } = trial;
  const isKnown = recordsOf(world, resource).some((one) =>
    parts.every(({ column, parameter }) => one.values.get(column) === values.get(parameter)),
  );
  const isNew = parts.some(({ column, parameter }) => {
    const value = values.get(parameter) ?? null;
    const type = lookup(fieldsOf(contract.model, resource), column)?.type;
    const target = type === undefined ? undefined : referenceOf(contract.model, type);
    if (target === undefined) return typeof value === "string" && value.length >= longText;
    const referred = findRecord(world, target, value);
    return referred !== undefined && referred.isFound !== true;
  });
  return isKnown || !isNew;
}
