/** Values that need not be unique: records may be equal in everything else, and be created at the same time. */
import type { Json } from "../../base/json.ts";
import { creates } from "../../language/endpoints/input.ts";
import { fieldsOf, isDistinguishing, lookup } from "../../language/resources/fields.ts";
import { type Aspect, Broken, type Case, NotTried, shortText } from "../case.ts";
import type { Contract } from "../contract.ts";
import { determinesUnique, isUnexplained } from "../distinguishing.ts";
import { isError, statusOf, statusText } from "../errors/expected.ts";
import { newId } from "../trial/records.ts";
import type { Trial } from "../trial/trial.ts";
import { constraintsOf, determined } from "./constraints.ts";
import { expectAccepted, possibleErrors } from "./outcome.ts";
import { create, plainCreations, sameAs, valuesFor } from "./unique.ts";
import { creationsOf, fieldIn, memberPath, sendWrite, type Write, type WriteOptions, type Written } from "./writing.ts";

export function notUniqueCases(contract: Contract): readonly Case[] {
  return Object.keys(contract.model.resources.resources).flatMap((resource) => [
    ...creationsOf(contract, resource).flatMap((write) => isNotUnique(contract, write)),
    ...plainCreations(contract, resource).flatMap((write) => areNotUniqueTimes(contract, write)),
  ]);
}

/** Two records may be equal in everything else. */
function isNotUnique(contract: Contract, write: Write): readonly Case[] {
  const { called } = write;
  const { operation, resource } = called;
  const constrained = new Set(
    constraintsOf(contract, resource).flatMap(({ fields }) =>
      fields.flatMap((field) => [field, ...(determined(contract, write, field)?.members ?? [])]),
    ),
  );
  const members = write.members.flatMap(({ name }) =>
    constrained.has(name) || determinesUnique(contract, resource, name) ? [] : [name],
  );
  const above = called.parents.slice(-1).flatMap(({ field }) => (constrained.has(field) ? [] : [field]));
  const [first, ...more] = [...above, ...members].map((name) => ({
    path: above.includes(name) ? `resources/${resource}/${name}` : memberPath(contract, called, name),
    expects: `two records may have the same \`${name}\``,
  }));
  const { differs, same } = called.endpoint.statuses ?? {};
  const isChosen = creates(contract.model, called);
  if (first === undefined || hasUnexplainedUnique(contract, write) || ((differs ?? same) !== undefined && !isChosen))
    return [];
  return [
    {
      id: `resources/${resource}: equal values in ${write.name}`,
      aspects: [first, ...more],
      operation,
      run: async (trial) => {
        const one = await create(trial, write, { values: await valuesFor(trial, write, members) });
        const send = (): Promise<Written> => {
          const id = isChosen ? otherId(trial, write, one) : undefined;
          return sendWrite(trial, write, { ...sameAs(one, members), id, isValid: true });
        };
        const differsIn = ({ response }: Written): boolean =>
          differs !== undefined && isError(contract, response, differs, operation);
        const second = await send();
        // Somebody else may have a record with the new id, but not with another new one, too.
        const other = differsIn(second) ? await send() : second;
        const what = `a second record with the same ${[...above, ...members].join(", ")} to be accepted`;
        expectNoConflict(trial, other, what, differs);
        expectAccepted(trial, other, "a record with the values of another one to be accepted");
      },
    },
  ];
}

/** How many ids the test tries until one is not that of the first record. */
const mostIds = 6;

/** Returns the id for another record: where there are few ids, a new one may be that of the first. */
function otherId(trial: Trial, { called }: Write, { record }: Written): Json | undefined {
  const first = record?.values.get(called.key?.column ?? "id");
  const ids = Array.from({ length: mostIds }, () => newId(trial, called));
  return ids.find((id) => id !== first);
}

/** Whether the server sets a unique field, which may follow from any other one. */
function hasUnexplainedUnique(contract: Contract, write: Write): boolean {
  const { model } = contract;
  const { resource } = write.called;
  return Object.entries(fieldsOf(model, resource)).some(
    ([name, field]) =>
      isUnexplained(field) &&
      isDistinguishing(model, resource, name) &&
      determined(contract, write, name)?.byPath !== true,
  );
}

/** Expects that a write does not fail because of the values of another record. `differs`: the error of another record with the id. */
function expectNoConflict(trial: Trial, written: Written, expected: string, differs?: string): void {
  const { contract } = trial;
  const { interaction, response, write } = written;
  const { operation } = write.called;
  const possible = possibleErrors(trial, written).filter((code) => code !== differs);
  const statuses = possible.map((code) => statusOf(contract, code, operation));
  const codes = ["already-exists", ...(differs === undefined ? [] : [differs])];
  const isConflict = codes.some((code) => isError(contract, response, code, operation));
  if (!isConflict || statuses.includes(response.status)) return;
  throw new Broken(expected, `${statusText(contract, response)} ${shortText(response.json)}`, interaction);
}

/** How many records are created at once, and how often, until two of them have the same time. */
const mostAtOnce = 6;
const mostBursts = 4;

/** Records that are created at the same time have the same times, if these are not unique. */
function areNotUniqueTimes(contract: Contract, write: Write): readonly Case[] {
  const { operation, resource } = write.called;
  const fields = fieldsOf(contract.model, resource);
  const constrained = new Set(constraintsOf(contract, resource).flatMap((one) => one.fields));
  const isTime = (name: string): boolean =>
    (lookup(fields, name)?.default?.kind ?? "").startsWith("now") && !constrained.has(name);
  const names = Object.keys(fields).filter(isTime);
  const [first, ...more] = names;
  if (first === undefined || hasUnexplainedUnique(contract, write)) return [];
  const aspectOf = (name: string): Aspect => ({
    path: `resources/${resource}/${name}`,
    expects: `records that are created at once may have the same \`${name}\``,
  });
  return [
    {
      id: `resources/${resource}: equal times in ${write.name}`,
      aspects: [aspectOf(first), ...more.map(aspectOf)],
      operation,
      run: async (trial) => {
        const { caller, parent } = await create(trial, write, {});
        const options: WriteOptions = { caller, parent, without: names, obeysRules: true };
        for (let count = 0; count < mostBursts; count += 1) {
          trial.startOver();
          const made = await Promise.all(Array.from({ length: mostAtOnce }, () => sendWrite(trial, write, options)));
          for (const one of made) expectNoConflict(trial, one, "records with other values to be accepted at once");
          if (made.every(({ response }) => response.status >= 300))
            throw new NotTried("no request of several at once creates a record");
          const times = made.flatMap((one) => fieldIn(trial, one, first) ?? []);
          if (new Set(times).size < times.length) return;
        }
      },
    },
  ];
}
