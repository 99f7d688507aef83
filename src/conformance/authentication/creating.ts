/**
 * Conditions of those who create records: whether a caller may create one depends on the record itself, or on the one above it in the
 * path. The test tries callers and records above, in each of their states, and computes of each pair what it has to get.
 */
import type { Json } from "../../base/json.ts";
import { boundFields, creates } from "../../language/endpoints/input.ts";
import type { ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { lifecycleOf, lookup } from "../../language/resources/fields.ts";
import { ifPossible } from "../attempts.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import type { Caller } from "../caller.ts";
import type { Contract, Operation } from "../contract.ts";
import { startOf } from "../effects.ts";
import { isError, statusText } from "../errors/expected.ts";
import { expectError } from "../expect.ts";
import { admits, mayRun, recordVisibility } from "../permissions.ts";
import { recordAfter } from "../trial/inputs.ts";
import type { KnownRecord } from "../trial/known.ts";
import { lookAround } from "../trial/looking.ts";
import { newId, sendCreation } from "../trial/records.ts";
import type { Trial } from "../trial/trial.ts";
import { callerLike, callerWith, kindId, roleText } from "./kinds.ts";
import { rolesOf } from "../roles.ts";

export function creatingCases(contract: Contract, called: Operation): readonly Case[] {
  const { operation } = called;
  const grants = lookup(contract.model.authentication.allow, operation) ?? [];
  if (called.kind !== "resource" || called.file !== undefined) return [];
  if (called.action !== "create" && !creates(contract.model, called)) return [];
  return rolesOf(contract).flatMap((roles): readonly Case[] => {
    const own = grants.filter((grant) => admits(grant, callerLike(roles)));
    if (own.length === 0 || own.some((grant) => grant.if === undefined)) return [];
    const path = `authentication/allow/${operation}`;
    const expects = `a caller with ${roleText(roles)} may run ${operation} where the condition is true, and nowhere else`;
    return [
      {
        id: `${path}: where ${kindId(roles)}`,
        aspects: [{ path, expects }],
        operation,
        run: async (trial) => {
          const callers = [await callerWith(trial, roles, 0), await callerWith(trial, roles, 1)];
          let isTried = false;
          for (const parent of await parentsOf(trial, called, callers)) {
            for (const caller of callers) {
              for (const id of idsFor(trial, called, caller)) {
                trial.startOver();
                const tried = await ifPossible(() => createsIfPermitted(trial, called, caller, { id, parent }));
                isTried ||= tried === true;
              }
            }
          }
          if (!isTried) throw new NotTried("the test does not know where the condition is true");
        },
      },
    ];
  });
}

/** How many states of the record above the test tries. */
const mostStates = 3;

/** Returns records above the new one: one in each of some states, made by each of the callers if possible; or nothing above it. */
async function parentsOf(
  trial: Trial,
  { parents }: ResourceEndpoint,
  callers: readonly Caller[],
): Promise<readonly (KnownRecord | undefined)[]> {
  const resource = parents.at(-1)?.resource;
  if (resource === undefined) return [undefined];
  const states = Object.keys(lifecycleOf(trial.contract.model, resource)?.states ?? {});
  const start = startOf(trial.contract, resource);
  const wanted = [undefined, ...states.filter((state) => state !== start)].slice(0, mostStates);
  const found: KnownRecord[] = [];
  for (const state of wanted) {
    for (const creator of callers) {
      const parent = await ifPossible(() => trial.make(resource, { creator, state }));
      if (parent === undefined) continue;
      await lookAround(trial, parent);
      found.push(parent);
    }
  }
  return found;
}

/** Returns the ids that a client chooses: the caller's own unless that record is there, and another one; or none if the service does. */
function idsFor(trial: Trial, called: ResourceEndpoint, caller: Caller): readonly (Json | undefined)[] {
  if (called.action === "create") return [undefined];
  const isThere = trial.world.records.some(
    ({ resource, values }) => resource === called.resource && values.get("id") === caller.id,
  );
  return [...(caller.id === undefined || isThere ? [] : [caller.id]), newId(trial, called)].filter(
    (id) => id !== undefined,
  );
}

interface NewRecord {
  /** The id in the path, if the client chooses it. */
  readonly id: Json | undefined;
  readonly parent: KnownRecord | undefined;
}

/** Sends a creation, and expects what the condition says. Returns whether the test knows that. @throws Broken */
async function createsIfPermitted(
  trial: Trial,
  called: ResourceEndpoint,
  caller: Caller,
  { id: chosen, parent }: NewRecord,
): Promise<boolean> {
  const { contract } = trial;
  const { operation, resource } = called;
  const input = await trial.inputFor(operation, caller);
  const record = new Map(recordAfter(trial, called, { caller, record: undefined }, input.body ?? {}));
  const [id, field] = [parent?.values.get("id"), called.parents.at(-1)?.field];
  if (parent !== undefined) {
    if (id === undefined || field === undefined || !boundFields(contract.model, called).includes(field)) return false;
    if (recordVisibility(contract, parent.resource, caller, trial.around(parent)) !== true) return false;
    record.set(field, id);
  }
  if (chosen !== undefined) record.set("id", chosen);
  const may = mayRun(contract, operation, caller, { ...trial.around(), resource, record });
  if (may === undefined) return false;
  const { interaction } = await sendCreation(trial, called, caller, { input, parent, id: chosen });
  const response = trial.responseOf(interaction);
  if (!may) {
    expectError(trial, interaction, { code: "forbidden" });
    return true;
  }
  if (response.status === 401 || isError(contract, response, "forbidden", operation))
    throw new Broken("a creation for which the condition is true", statusText(contract, response), interaction);
  return response.status < 300;
}
