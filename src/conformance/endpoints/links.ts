/** Links: they can be repeated, and their effect shows in the members that read them and in the lists of their records. */
import { isObject, type Json } from "../../base/json.ts";
import { nodesOf } from "../../expression/typed.ts";
import type { Association } from "../../language/endpoints/model.ts";
import { fieldsOf, lookup } from "../../language/resources/fields.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import type { Caller } from "../caller.ts";
import type { Contract, Operation } from "../contract.ts";
import { expectSuccess } from "../expect.ts";
import { evaluate } from "../expressions.ts";
import type { Interaction } from "../interaction.ts";
import { recordIn } from "../response.ts";
import { compareMember, viewsOf } from "../resources/computed.ts";
import { subjectFor } from "../trial/calls.ts";
import type { KnownRecord } from "../trial/known.ts";
import { pagesOf } from "../trial/pages.ts";
import type { Trial } from "../trial/trial.ts";
import { isSame } from "../values/same.ts";
import { aspectsOf, callersOf, operationCase, pathOf, plainOperations } from "./subjects.ts";

export function linkCases(contract: Contract): readonly Case[] {
  return plainOperations(contract).flatMap((called): readonly Case[] => {
    const { link, unlink } = called.endpoint;
    if (link !== undefined) return [links(contract, called, link)];
    return unlink === undefined ? [] : [unlinks(contract, called, unlink)];
  });
}

/** How often each request is sent. */
const times = 2;

function links(contract: Contract, called: Operation, link: Association): Case {
  const { operation } = called;
  const aspects = aspectsOf(contract, called, ["link"], `${operation} creates one ${link.in}, and can be repeated`);
  return operationCase(called, "link", aspects, async (trial) => {
    const linking = await begin(trial, called, link, pathOf(called, "link"));
    let count = 0;
    for (let time = 0; time < times; time += 1) count += await runAndLook(trial, called, linking, 1);
    if (count === 0) throw new NotTried(`no response shows whether there is a ${link.in}`);
  });
}

function unlinks(contract: Contract, called: Operation, unlink: Association): Case {
  const { operation, resource } = called;
  const linker = plainOperations(contract).find(
    ({ endpoint, resource: of }) =>
      of === resource &&
      endpoint.link?.in === unlink.in &&
      JSON.stringify(endpoint.link.with) === JSON.stringify(unlink.with),
  );
  const aspects = aspectsOf(contract, called, ["unlink"], `${operation} deletes the ${unlink.in}, and can be repeated`);
  return operationCase(called, "unlink", aspects, async (trial) => {
    const linking = await begin(trial, called, unlink, pathOf(called, "unlink"));
    const { caller, record } = linking;
    if (linker !== undefined)
      expectSuccess(trial, await trial.call(linker.operation, { caller, record }), pathOf(linker));
    let count = 0;
    for (let time = 0; time < times; time += 1) count += await runAndLook(trial, called, linking, 0);
    if (count === 0) throw new NotTried(`no response shows whether there is a ${unlink.in}`);
  });
}

interface Linking {
  readonly association: Association;
  readonly caller: Caller;
  readonly record: KnownRecord;
  /** The values of the associated record, as far as the test knows them. */
  readonly values: ReadonlyMap<string, Json>;
  readonly path: string;
}

async function begin(trial: Trial, called: Operation, association: Association, path: string): Promise<Linking> {
  const { record, caller } = await subjectFor(trial, called);
  await trial.look(record);
  const values = new Map<string, Json>();
  for (const name of Object.keys(association.with)) {
    const typed = trial.contract.typed.get(`${path}/with/${name}`);
    const found = typed === undefined ? undefined : evaluate(typed, trial.scope(caller, record));
    if (found !== undefined) values.set(name, found.value as Json);
  }
  return { association, caller, record, values, path };
}

/** Runs the operation, and compares everything that shows its effect; returns how many values did. */
async function runAndLook(trial: Trial, called: Operation, linking: Linking, expected: number): Promise<number> {
  const { caller, record } = linking;
  const interaction = await trial.call(called.operation, { caller, record });
  expectSuccess(trial, interaction, linking.path);
  let count = await compareIn(trial, called, linking, interaction);
  const readers = plainOperations(trial.contract).filter(
    (one) =>
      one.action === "read" &&
      one.kind === "resource" &&
      one.resource === record.resource &&
      one.endpoint.the === undefined,
  );
  for (const reader of readers) {
    if (!(await callersOf(trial, reader, record)).includes(caller)) continue;
    count += await compareIn(trial, reader, linking, await trial.call(reader.operation, { caller, record }));
  }
  return count + (await countListed(trial, linking, expected));
}

/** Compares the members of views that read the associated resource. */
async function compareIn(
  trial: Trial,
  called: Operation,
  { association, caller, record, path }: Linking,
  interaction: Interaction,
): Promise<number> {
  const { contract } = trial;
  if (trial.responseOf(interaction).status >= 300) return 0;
  let count = 0;
  for (const sighting of await viewsOf(trial, called, record, caller, interaction)) {
    const { members = {} } = lookup(contract.model.resources.views ?? {}, sighting.view) ?? {};
    for (const [name, field] of Object.entries(members)) {
      const typed = contract.typed.get(`resources/views/${sighting.view}/${name}/computed`);
      const reads =
        typed !== undefined && nodesOf(typed).some((one) => one.kind === "records" && one.resource === association.in);
      if (reads && compareMember(trial, typed, sighting, { path, name, field })) count += 1;
    }
  }
  return count;
}

/** How many pages the test reads. */
const mostPages = 10;

/** Expects so many records with the values of the association in a list; returns whether there is a list that shows them. */
async function countListed(trial: Trial, { association, values, path }: Linking, expected: number): Promise<number> {
  const { contract } = trial;
  const list = plainOperations(contract).find(
    (one) =>
      one.action === "list" &&
      one.resource === association.in &&
      one.parents.length === 0 &&
      one.endpoint.where === undefined,
  );
  const [caller] = list === undefined ? [] : await callersOf(trial, list);
  if (list === undefined || caller === undefined || values.size < Object.keys(association.with).length) return 0;
  let count = 0;
  let last: Interaction | undefined;
  for await (const page of pagesOf(trial, list, { caller, record: null }, mostPages)) {
    last = page.interaction;
    for (const item of page.items.filter(isObject)) {
      const observed = recordIn(contract, list, item)?.record ?? item;
      if (![...values.keys()].every((name) => lookup(observed, name) !== undefined)) return 0;
      if ([...values].every(([name, value]) => isValue(contract, association.in, name, value, lookup(observed, name))))
        count += 1;
    }
  }
  if (count === expected) return 1;
  throw new Broken(`${expected} ${association.in} with these values`, String(count), last, path);
}

function isValue({ model }: Contract, resource: string, name: string, value: Json, found: Json | undefined): boolean {
  const type = lookup(fieldsOf(model, resource), name)?.type;
  return type !== undefined && isSame(model, type, value, found);
}
