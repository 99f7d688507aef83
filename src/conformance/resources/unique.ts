/** Unique values: a second record cannot have them, records that differ in one of several can, and of two at once one succeeds. */
import { withArticle } from "../../base/case.ts";
import { type Json, type JsonObject, omit, pick } from "../../base/json.ts";
import { fieldsOf, isNullable, lookup } from "../../language/resources/fields.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import type { Contract } from "../contract.ts";
import { statusText } from "../errors/expected.ts";
import { expectError } from "../expect.ts";
import type { KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { isSame } from "../values/same.ts";
import { each } from "../attempts.ts";
import { type Constraint, constraintsOf, determined } from "./constraints.ts";
import { expectAccepted, unchanged } from "./outcome.ts";
import {
  creationsOf,
  otherValue,
  sendWrite,
  type Write,
  type WriteOptions,
  type Written,
  writesOf,
} from "./writing.ts";

export function uniqueCases(contract: Contract): readonly Case[] {
  return Object.keys(contract.model.resources.resources).flatMap((resource) => {
    const constraints = constraintsOf(contract, resource);
    return [
      ...plainCreations(contract, resource).flatMap((write) =>
        constraints.flatMap((constraint) => ofConstraint(contract, write, constraint)),
      ),
      ...writesOf(contract, resource)
        .filter(({ kind }) => kind !== "create")
        .flatMap((write) => constraints.flatMap((constraint) => isUniqueAfter(contract, write, constraint))),
    ];
  });
}

/** Returns the creations that never answer with an equal record, which is about another statement. */
export function plainCreations(contract: Contract, resource: string): readonly Write[] {
  return creationsOf(contract, resource).filter(
    ({ called: { endpoint } }) => endpoint.statuses?.same === undefined && endpoint.statuses?.differs === undefined,
  );
}

/** Returns the members of a write that determine the fields; and whether these members, or the path, determine all of them. */
function chosenBy(contract: Contract, write: Write, { fields }: Constraint) {
  const by = fields.map((field) => determined(contract, write, field));
  return { members: by.flatMap((one) => one?.members ?? []), isDetermined: !by.includes(undefined) };
}

function wordsFor({ fields }: Constraint): string {
  return fields.map((one) => `\`${one}\``).join(" and ");
}

function ofConstraint(contract: Contract, write: Write, constraint: Constraint): readonly Case[] {
  const { fields, path, resource, isAbsentEqual, code } = constraint;
  const { isDetermined, members } = chosenBy(contract, write, constraint);
  if (!isDetermined || members.length === 0) return [];
  const { name } = write;
  const { operation } = write.called;
  const what = wordsFor(constraint);
  const optional = fields.filter((one) => {
    const field = lookup(fieldsOf(contract.model, resource), one);
    return members.includes(one) && field !== undefined && isNullable(field) && field.default === undefined;
  });
  const isRule = path.startsWith("resources/rules/");
  return [
    {
      id: `${path}: twice in ${name}`,
      aspects: [{ path, expects: `a second ${resource} with the same ${what} gets ${code}` }],
      operation,
      run: async (trial) => {
        const values = await valuesFor(trial, write, members);
        const first = await create(trial, write, { values });
        const second = await sendWrite(trial, write, sameAs(first, members));
        expectConflict(trial, second, constraint);
      },
    },
    {
      id: `${path}: at once in ${name}`,
      aspects: [{ path, expects: `exactly one of two concurrent requests with the same ${what} succeeds` }],
      operation,
      run: async (trial) => {
        const parent = await parentFor(trial, write);
        const model = await create(trial, write, { values: await valuesFor(trial, write, members), parent });
        const values = await otherValues(trial, write, members, model);
        const racing = [1, 2].map(() => sendWrite(trial, write, { values, parent, caller: model.caller }));
        expectOne(trial, await Promise.all(racing), what);
      },
    },
    ...(fields.length < 2
      ? []
      : [
          {
            id: `${path}: others in ${name}`,
            aspects: [{ path, expects: `records that differ in one of ${what} are accepted` }] as const,
            operation,
            run: (trial: Trial) => othersAreAccepted(trial, write, constraint, members),
          },
        ]),
    ...(optional.length === 0 || (fields.length > 1 && !isRule)
      ? []
      : [
          {
            id: `${path}: absent in ${name}`,
            aspects: [
              { path, expects: `two records without ${what} ${isAbsentEqual ? `get ${code}` : "are accepted"}` },
            ] as const,
            operation,
            run: (trial: Trial) => absentValues(trial, write, constraint, members, optional),
          },
        ]),
  ];
}

/** Returns values for all members, since values that are absent are compared in their own way. */
export async function valuesFor(trial: Trial, write: Write, members: readonly string[]): Promise<JsonObject> {
  const values: Record<string, Json> = {};
  for (const { name, field } of write.members) {
    if (!members.includes(name) || !isNullable(field)) continue;
    const value = await otherValue(trial, field.type, [null]);
    if (value === undefined) throw new NotTried(`the test finds no value for \`${name}\``);
    values[name] = value;
  }
  return values;
}

/** Returns other values than those of a record. */
async function otherValues(
  trial: Trial,
  write: Write,
  members: readonly string[],
  { body, caller }: Written,
): Promise<JsonObject> {
  const { body: fresh = {} } = await trial.inputFor(write.called.operation, caller);
  const values: Record<string, Json> = {};
  for (const { name, field } of write.members) {
    if (!members.includes(name)) continue;
    const before = lookup(body, name);
    const distinct = lookup(fresh, name);
    const isOther = distinct !== undefined && !isSame(trial.contract.model, field.type, before, distinct);
    const value = isOther ? distinct : await otherValue(trial, field.type, [before]);
    if (value === undefined) throw new NotTried(`the test finds no other value for \`${name}\``);
    values[name] = value;
  }
  return values;
}

async function parentFor(trial: Trial, { called }: Write): Promise<KnownRecord | undefined> {
  const last = called.parents.at(-1);
  return last === undefined ? undefined : trial.make(last.resource);
}

export async function create(
  trial: Trial,
  write: Write,
  options: WriteOptions,
): Promise<Written & { readonly parent: KnownRecord | undefined }> {
  const parent = options.parent ?? (await parentFor(trial, write));
  const written = await sendWrite(trial, write, { ...options, parent, isValid: true });
  expectAccepted(trial, written, `${write.called.operation} to create a record`);
  return { ...written, parent };
}

/** Returns the options of a write with the same values of these members, in the same place, by the same caller. */
export function sameAs(first: Awaited<ReturnType<typeof create>>, members: readonly string[]): WriteOptions {
  const { body, caller, parent } = first;
  return {
    ...{ caller, parent, values: pick(body, members) },
    change: (other) =>
      omit(
        other,
        members.filter((name) => lookup(body, name) === undefined),
      ),
  };
}

function expectConflict(trial: Trial, { interaction, response }: Written, constraint: Constraint): void {
  const { code, path, resource } = constraint;
  const expected = `a second ${resource} with the same ${wordsFor(constraint)} to get ${code}`;
  if (response.status < 300) throw new Broken(expected, statusText(trial.contract, response), interaction, path);
  expectError(trial, interaction, { code }, path);
}

function expectOne(trial: Trial, all: readonly Written[], what: string): void {
  const successes = all.filter(({ response }) => response.status < 300);
  if (successes.length === 1) return;
  const got = all.map(({ response }) => statusText(trial.contract, response)).join(", ");
  if (successes.length === 0) throw new NotTried(`both requests failed: ${got}`);
  throw new Broken(
    `exactly one of two concurrent requests with the same ${what} to succeed`,
    got,
    successes.at(-1)?.interaction,
  );
}

async function othersAreAccepted(
  trial: Trial,
  write: Write,
  { fields, path }: Constraint,
  members: readonly string[],
): Promise<void> {
  const first = await create(trial, write, { values: await valuesFor(trial, write, members) });
  await each(fields, async (field) => {
    trial.startOver();
    const by = determined(trial.contract, write, field);
    const byPath = by?.byPath === true;
    const same = members.filter((one) => by?.members.includes(one) !== true);
    if (same.length === members.length && !byPath) throw new NotTried(`no request sets \`${field}\``);
    const options = sameAs(first, same);
    const parent = byPath ? await parentFor(trial, write) : first.parent;
    const different = members.filter((one) => !same.includes(one));
    const values = { ...options.values, ...(await otherValues(trial, write, different, first)) };
    const written = await sendWrite(trial, write, { ...options, parent, values, isValid: true });
    expectDistinct(trial, written, `a record that differs in \`${field}\` to be accepted`, path);
  });
}

/** Expects a record with other values to be accepted, and above all not to be a conflict. */
function expectDistinct(trial: Trial, written: Written, expected: string, path: string): void {
  const { interaction, response } = written;
  const text = statusText(trial.contract, response);
  if (response.status === 409 || text.endsWith("already-exists")) throw new Broken(expected, text, interaction, path);
  expectAccepted(trial, written, expected, path);
}

async function absentValues(
  trial: Trial,
  write: Write,
  constraint: Constraint,
  members: readonly string[],
  optional: readonly string[],
): Promise<void> {
  const present = members.filter((one) => !optional.includes(one));
  const parent = await parentFor(trial, write);
  const sent = await sendWrite(trial, write, { parent, without: optional, isValid: true });
  // Another record may lack the values already, if that is not allowed twice.
  if (constraint.isAbsentEqual && present.length === 0 && sent.response.status >= 300)
    return expectConflict(trial, sent, constraint);
  expectAccepted(trial, sent, `a body without ${optional.join(", ")} to be accepted`);
  const options = sameAs({ ...sent, parent }, present);
  const second = await sendWrite(trial, write, { ...options, without: optional });
  if (constraint.isAbsentEqual) expectConflict(trial, second, constraint);
  else expectDistinct(trial, second, `a second record without ${optional.join(", ")} to be accepted`, constraint.path);
}

// ── Changes ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A change cannot give a record the values of another one. */
function isUniqueAfter(contract: Contract, write: Write, constraint: Constraint): readonly Case[] {
  const { path, resource } = constraint;
  const { members } = chosenBy(contract, write, constraint);
  const isSecret = members.some((one) => lookup(fieldsOf(contract.model, resource), one)?.marks.includes("secret"));
  if (members.length === 0 || isSecret || write.called.endpoint.the !== undefined) return [];
  const { operation } = write.called;
  return [
    {
      id: `${path}: twice in ${write.name}`,
      aspects: [
        { path, expects: `${operation} cannot set ${wordsFor(constraint)} to the values of another ${resource}` },
      ],
      operation,
      run: async (trial) => {
        const [creation] = creationsOf(contract, resource);
        if (creation === undefined) throw new NotTried(`no operation creates ${withArticle(resource)}`);
        const first = await create(trial, creation, { values: await valuesFor(trial, creation, members) });
        const fixed = chosenBy(contract, creation, constraint).members.filter((one) => !members.includes(one));
        const second = await create(trial, creation, sameAs(first, fixed));
        const record = second.record;
        if (record === undefined || first.record === undefined) return;
        const values = pick(first.body, members);
        if (Object.keys(values).length === 0)
          throw new NotTried("the first record has none of the values that have to be unique");
        const expectUnchanged = await unchanged(trial, record, Object.keys(values), path);
        const written = await sendWrite(trial, write, { record, values });
        expectConflict(trial, written, constraint);
        await expectUnchanged();
      },
    },
  ];
}
