/** What the deletion of a record does to those that refer to it: they are deleted, lose the reference, or forbid it. */
import { innermost, referenceOf } from "../../language/resources/fields.ts";
import { Broken, type Case, NotTried, shortText } from "../case.ts";
import type { Contract, Operation } from "../contract.ts";
import { statusOf, statusText } from "../errors/expected.ts";
import { brokenBy, expectError, expectSuccess } from "../expect.ts";
import type { KnownRecord } from "../trial/known.ts";
import { readersOf, readId } from "../trial/looking.ts";
import type { Trial } from "../trial/trial.ts";
import { makeReferring, type Reference } from "./referring.ts";
import { readField } from "./writing.ts";

export function deletionCases(contract: Contract): readonly Case[] {
  const deletions = [...contract.operations.values()].filter(
    ({ action, endpoint }) => action === "delete" && endpoint.the === undefined,
  );
  return deletions.flatMap((deletion) =>
    referring(contract, deletion.resource as string).map((reference) => deletes(deletion, reference)),
  );
}

function referring({ model }: Contract, target: string): readonly Reference[] {
  return Object.entries(model.resources.resources).flatMap(([resource, { fields }]) =>
    Object.entries(fields).flatMap(([name, field]): readonly Reference[] => {
      const { enclosing, of } = innermost(field.type);
      if (referenceOf(model, of) !== target) return [];
      return [{ resource, name, field, isInside: enclosing.length > 0 }];
    }),
  );
}

function deletes({ operation, resource }: Operation, reference: Reference): Case {
  const { name, field, resource: other } = reference;
  const path = `resources/${other}/${name}`;
  const target = resource as string;
  const effect = field.marks.includes("delete with")
    ? "deletes it"
    : field.marks.includes("clear")
      ? "clears the reference"
      : "gets still-referenced";
  return {
    id: `${path}: ${operation}`,
    aspects: [{ path, expects: `${operation} of the ${target} to which a ${other} refers ${effect}` }],
    operation,
    run: async (trial) => {
      const record = await trial.make(target);
      await readId(trial, record);
      const child = await makeReferring(trial, reference, record);
      const interaction = await trial.call(operation, { record });
      if (effect === "gets still-referenced") {
        expectStillReferenced(trial, interaction, path);
        return expectThere(trial, record, path);
      }
      // Others may refer to what is deleted with the record, but not to these new records.
      expectSuccess(trial, interaction, path);
      if (child === undefined) return;
      if (effect === "deletes it") await expectDeleted(trial, child, path);
      else await expectCleared(trial, child, name, path);
    },
  };
}

function expectStillReferenced(trial: Trial, interaction: Parameters<typeof expectError>[1], path: string): void {
  const response = trial.responseOf(interaction);
  if (response.status < 300)
    throw new Broken("the error still-referenced", statusText(trial.contract, response), interaction, path);
  expectError(trial, interaction, { code: "still-referenced" }, path);
}

/** Expects a record that was not deleted, as far as somebody can read it. */
async function expectThere(trial: Trial, record: KnownRecord, path: string): Promise<void> {
  if (readersOf(trial, record.resource).length === 0 || (await trial.look(record))) return;
  throw brokenBy(trial, `the ${record.resource} that could not be deleted`, "no such record", path);
}

async function expectDeleted(trial: Trial, child: KnownRecord, path: string): Promise<void> {
  const { contract } = trial;
  child.isDeleted = true;
  const expected = `no ${child.resource}, since it is deleted with the other record`;
  for (const reader of readersOf(trial, child.resource)) {
    if (reader.endpoint.the !== undefined) continue;
    if (reader.action === "list") {
      if (reader.parents.length === 0 && (await trial.readAs(child, child.creator)))
        throw brokenBy(trial, expected, "the record in the list", path);
      continue;
    }
    const caller = await trial.callerFor(reader.operation, child);
    const interaction = await trial.call(reader.operation, { caller, record: child });
    const response = trial.responseOf(interaction);
    if (response.status < 300) throw new Broken(expected, String(response.status), interaction, path);
    const missing = [404, 403, 410, statusOf(contract, "not-found", reader.operation)];
    if (!missing.includes(response.status))
      throw new NotTried(`${reader.operation} answered ${statusText(contract, response)}`);
    return;
  }
}

async function expectCleared(trial: Trial, child: KnownRecord, name: string, path: string): Promise<void> {
  const after = await readField(trial, child, name, child.creator);
  if (after === undefined) throw new NotTried(`no response shows \`${name}\``);
  if (after === null) return;
  throw brokenBy(trial, `no \`${name}\`, since the record is deleted`, shortText(after), path);
}
