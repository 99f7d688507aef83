/** Numbers that are counted for each value of a reference, `counter per repo`: 1, 2, 3 without gaps, also after rejected requests. */
import { withArticle } from "../../base/case.ts";
import type { Json } from "../../base/json.ts";
import { fieldsOf, lookup, referenceOf } from "../../language/resources/fields.ts";
import { furtherWriteSites } from "../../language/states/further-writes.ts";
import { type Case, NotTried, shortText } from "../case.ts";
import type { Contract } from "../contract.ts";
import { statusText, textsIn } from "../errors/expected.ts";
import { brokenBy } from "../expect.ts";
import { readId } from "../trial/looking.ts";
import type { Trial } from "../trial/trial.ts";
import { makeApart } from "./candidates.ts";
import { expectAccepted } from "./outcome.ts";
import { creationsOf, fieldIn, readField, sendWrite, type Write, type WriteOptions, type Written } from "./writing.ts";

/** A field with such numbers. */
interface Counter {
  readonly resource: string;
  readonly name: string;
  readonly per: string;
}

function countersOf({ model }: Contract, resource: string): readonly Counter[] {
  return Object.entries(fieldsOf(model, resource)).flatMap(([name, { default: made }]) =>
    made?.kind === "counter-per" ? [{ resource, name, per: made.per }] : [],
  );
}

export function counterCases(contract: Contract): readonly Case[] {
  return Object.keys(contract.model.resources.resources).flatMap((resource) =>
    countersOf(contract, resource).flatMap((counter) =>
      creationsOf(contract, resource).flatMap((write) => hasNoGaps(contract, write, counter)),
    ),
  );
}

function hasNoGaps(contract: Contract, write: Write, counter: Counter): readonly Case[] {
  const { name, per, resource } = counter;
  const { called, members } = write;
  const type = lookup(fieldsOf(contract.model, resource), per)?.type;
  const target = type === undefined ? undefined : referenceOf(contract.model, type);
  const byPath = called.parents.at(-1)?.field === per;
  if (target === undefined || (!byPath && !members.some((member) => member.name === per))) return [];
  const path = `resources/${resource}/${name}`;
  // Further writes may create the first ones.
  const isFirst = furtherWriteSites(contract.model).every(
    ({ write: { kind, resource: of } }) => kind !== "create" || of !== resource,
  );
  return [
    {
      id: `${path}: no gaps in ${write.name}`,
      aspects: [
        { path, expects: `each \`${per}\` has the \`${name}\` 1, 2, 3, without a gap after a rejected request` },
      ],
      operation: called.operation,
      run: async (trial) => {
        for (let count = 0; count < 2; count += 1) {
          const parent = await makeApart(trial, target);
          const id = await readId(trial, parent);
          if (id === undefined) throw new NotTried(`the test does not know the id of a ${target}`);
          const options: WriteOptions = byPath ? { parent } : { values: { [per]: id } };
          const first = await sendValid(trial, write, options, counter);
          const start = await numberOf(trial, first, name);
          if (isFirst && start !== 1) throw brokenBy(trial, `\`${name}\` 1`, shortText(start), path);
          let last = await rejectedOrNext(
            trial,
            write,
            { ...options, change: () => first.body },
            { name, last: start },
          );
          const required = members.find((one) => one.required && one.name !== per);
          if (required !== undefined)
            last = await rejectedOrNext(trial, write, { ...options, without: [required.name] }, { name, last });
          const next = await numberOf(trial, await sendValid(trial, write, options, counter), name);
          if (next !== last + 1) throw brokenBy(trial, `\`${name}\` ${last + 1}`, shortText(next), path);
        }
      },
    },
  ];
}

async function sendValid(
  trial: Trial,
  write: Write,
  options: WriteOptions,
  { name, per, resource }: Counter,
): Promise<Written> {
  const { contract } = trial;
  const written = await sendWrite(trial, write, { ...options, isValid: true });
  const named = textsIn(contract, written.response, write.called, "already-exists", "{field}");
  const isUnique = lookup(fieldsOf(contract.model, resource), name)?.marks.includes("unique") === true;
  if (written.response.status >= 400 && named.includes(name) && !isUnique)
    throw brokenBy(trial, `a \`${name}\` for each \`${per}\``, statusText(contract, written.response));
  expectAccepted(trial, written, "a valid request to be accepted");
  return written;
}

async function numberOf(trial: Trial, written: Written, name: string): Promise<number> {
  const { caller, record } = written;
  const returned = fieldIn(trial, written, name);
  const found = returned ?? (record === undefined ? undefined : await readField(trial, record, name, caller));
  if (typeof found !== "number") throw new NotTried(`no response shows \`${name}\``);
  return found;
}

/** Sends a request that may be rejected. Returns the number of the new record; the previous number if the request is rejected. */
async function rejectedOrNext(
  trial: Trial,
  write: Write,
  options: WriteOptions,
  { name, last }: { readonly name: string; readonly last: number },
): Promise<number> {
  const written = await sendWrite(trial, write, options);
  return written.response.status < 300 ? numberOf(trial, written, name) : last;
}

/** Expects the numbers of a complete list without gaps, if records of the resource are never deleted. */
export function expectNoGaps(trial: Trial, resource: string, all: readonly ReadonlyMap<string, Json>[]): void {
  const { contract } = trial;
  for (const { name, per } of isNeverDeleted(contract, resource) ? countersOf(contract, resource) : []) {
    for (const [value, some] of Map.groupBy(all, (one) => one.get(per))) {
      const numbers = some.flatMap((one) => one.get(name) ?? []);
      if (value === undefined || numbers.length < some.length) continue;
      const missing = numbers.findIndex((_, index) => !numbers.includes(index + 1));
      if (missing < 0) continue;
      const which = `\`${name}\` ${missing + 1} of ${withArticle(resource)} with the \`${per}\` ${shortText(value)}`;
      throw brokenBy(trial, which, "none", `resources/${resource}/${name}`);
    }
  }
}

function isNeverDeleted(contract: Contract, resource: string, visited: readonly string[] = []): boolean {
  const { model, operations } = contract;
  if (visited.includes(resource)) return true;
  const isDeleted =
    lookup(model.limits.keep ?? {}, resource) !== undefined ||
    [...operations.values()].some(
      ({ action, endpoint, resource: of }) =>
        action === "handler" ||
        endpoint.unlink?.in === resource ||
        (of === resource && ["delete", "clear"].includes(action)),
    ) ||
    furtherWriteSites(model).some(({ write }) => write.kind === "delete" && write.resource === resource);
  const above = Object.values(fieldsOf(model, resource)).flatMap(({ marks, type }) =>
    marks.includes("delete with") ? (referenceOf(model, type) ?? []) : [],
  );
  return !isDeleted && above.every((one) => isNeverDeleted(contract, one, [...visited, resource]));
}
