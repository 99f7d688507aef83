/** Computed fields, and the members of views: they have the values that the test computes itself. */
import { withArticle } from "../../base/case.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { fieldsIn, nodesOf, readsOtherRecords, readsVariable, type TypedExpression } from "../../expression/typed.ts";
import { responseShape } from "../../language/endpoints/shape.ts";
import {
  fieldsOf,
  isAroundItself,
  isOnRequest,
  lookup,
  nestedView,
  referenceOf,
  unexpandedType,
} from "../../language/resources/fields.ts";
import type { Field } from "../../language/resources/model.ts";
import { Broken, type Case, NotTried, shortText } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import { fieldVisibility, mayEverRun } from "../permissions.ts";
import { bearer } from "../credentials.ts";
import type { Contract, Operation } from "../contract.ts";
import { transitionsOf } from "../effects.ts";
import { evaluate, type Scope } from "../expressions.ts";
import type { Interaction } from "../interaction.ts";
import { knownRecords, type Selection, selectionsIn, selectsKnown } from "../known-truth.ts";
import { readsHidden } from "../deviations.ts";
import { recordIn } from "../response.ts";
import { returnedIn } from "../returned.ts";
import { type KnownRecord, textOf } from "../trial/known.ts";
import { lookAround } from "../trial/looking.ts";
import { pathsBetween } from "../trial/states.ts";
import { itemOf, pagesOf } from "../trial/pages.ts";
import type { Trial } from "../trial/trial.ts";
import { findRecord } from "../trial/world.ts";
import { isSame } from "../values/same.ts";
import { ifPossible, untilTried } from "../attempts.ts";
import { createReferring } from "./referring.ts";
import { expectValue } from "./outcome.ts";
import { unsortedLists } from "./unsorted.ts";
import { creationsOf, makeToEdit, otherValue, readField, sets } from "./writing.ts";

export function computedCases(contract: Contract): readonly Case[] {
  const { resources, views = {} } = contract.model.resources;
  return [
    ...Object.entries(resources).flatMap(([resource, { fields }]) =>
      Object.entries(fields).flatMap(([name, field]) =>
        field.computed === undefined ? [] : isComputed(contract, resource, name, field),
      ),
    ),
    ...Object.entries(views).flatMap(([view, { members = {} }]) => [
      hasFields(contract, view),
      ...Object.entries(members).map(([name, field]) => hasMember(contract, view, name, field)),
    ]),
  ];
}

// ── Fields ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** How many records the test makes, whose values differ by chance. */
const mostRecords = 3;

function isComputed(contract: Contract, resource: string, name: string, field: Field): readonly Case[] {
  const path = `resources/${resource}/${name}`;
  const typed = contract.typed.get(`${path}/computed`);
  if (typed === undefined) return [];
  return [
    {
      id: `${path}: computed`,
      aspects: [{ path, expects: `\`${name}\` is ${field.computed}` }],
      run: async (trial) => {
        if (readsVariable(typed, "now")) throw new NotTried("the value depends on the current time");
        let isTried = false;
        for (let count = 0; count < mostRecords; count += 1) {
          trial.startOver();
          const values = count === 0 ? await unsortedLists(trial, resource, typed) : {};
          const record = (await ifPossible(() => trial.make(resource, { values }))) ?? (await trial.make(resource));
          if (count === mostRecords - 1) await changeRead(trial, typed, record);
          await lookAround(trial, record);
          const got = await readField(trial, record, name);
          const reader = record.creator;
          const found = evaluate(
            typed,
            scopeFor(trial, typed, reader, { resource, values: record.values, isNew: true }),
          );
          if (got === undefined || found === undefined) continue;
          isTried = true;
          expectValue(trial, { name, type: field.type, path }, found.value as Json, got);
        }
        if (!isTried) throw new NotTried(`the test cannot compute \`${name}\``);
      },
    },
  ];
}

/** Makes a transition that sets a field that the expression reads, if the document has one. */
async function changeRead(trial: Trial, typed: TypedExpression, record: KnownRecord): Promise<void> {
  const read = fieldsIn(typed);
  const setting = transitionsOf(trial.contract).find(
    ({ resource, trigger }) =>
      resource === record.resource &&
      trigger.on.kind === "by" &&
      Object.keys(trigger.set ?? {}).some((field) => read.includes(field)),
  );
  const [state] = setting?.from ?? [];
  if (setting === undefined || state === undefined) return;
  const path = pathsBetween(trial, record.resource, textOf(record.values.get("state")), state)[0] ?? [];
  await ifPossible(async () => {
    for (const transition of [...path, setting]) await trial.makeTransition(record, transition);
  });
}

/** A record over which an expression is computed. */
interface Computing {
  readonly resource: string;
  readonly values: ReadonlyMap<string, Json>;
  /** Whether the case has made the record, so that the test knows all records that refer to it. */
  readonly isNew: boolean;
}

/** Returns the scope of an expression over a record; with other records if it selects those that refer to this new record. */
function scopeFor(trial: Trial, typed: TypedExpression, caller: Caller, { isNew, resource, values }: Computing): Scope {
  const all = { ...trial.scope(caller), resource, record: values };
  const isMade = (field: string): boolean => madeTarget(trial, resource, field, values) !== undefined;
  return isNew && selectsKnown(trial, typed, caller, isMade) ? { ...all, records: knownRecords(trial) } : all;
}

/** Returns the record to which a field refers, if the test made it. */
function madeTarget(
  { contract, world }: Trial,
  resource: string,
  field: string,
  values: ReadonlyMap<string, Json>,
): KnownRecord | undefined {
  const type = lookup(fieldsOf(contract.model, resource), field)?.type;
  const target = type && referenceOf(contract.model, type);
  const found = target === undefined ? undefined : findRecord(world, target, values.get(field) ?? null);
  return found?.isFound === true ? undefined : found;
}

// ── Views ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A view in a response, and the record of which it is a view, as far as the test knows it. */
interface Sighting {
  readonly view: string;
  readonly value: JsonObject;
  readonly resource: string;
  readonly record: ReadonlyMap<string, Json> | undefined;
  /** Whether the case has made the record. */
  readonly isNew: boolean;
  readonly caller: Caller;
  readonly interaction: Interaction;
}

/** The view has its fields, with the values of the record. */
function hasFields(contract: Contract, view: string): Case {
  const { of, fields = [], members = {} } = contract.model.resources.views?.[view] ?? { of: "" };
  const path = `resources/views/${view}`;
  const own = fields.filter((name) => lookup(members, name) === undefined);
  return {
    id: `${path}: fields`,
    aspects: [
      { path: `${path}/fields`, expects: `the view has the fields ${own.join(", ")}` },
      { path: `${path}/of`, expects: `the view is about ${withArticle(of)}` },
    ],
    run: async (trial) => {
      await forSightings(trial, view, ({ value, record, interaction, isNew, caller }) => {
        for (const name of own) {
          const around = { ...trial.around(), resource: of, record };
          const isVisible = isNew && fieldVisibility(contract, of, name, caller, around) === true;
          const type = lookup(fieldsOf(contract.model, of), name)?.type;
          const expected = record?.get(name);
          const got = lookup(value, name);
          if (type === undefined || expected === undefined || (got === undefined && !isVisible)) continue;
          if (!isSame(contract.model, type, expected, got))
            throw new Broken(`\`${name}\` with ${shortText(expected)}`, shortText(got), interaction, `${path}/fields`);
        }
        return true;
      });
    },
  };
}

function hasMember(contract: Contract, view: string, name: string, field: Field): Case {
  const path = `resources/views/${view}/${name}`;
  const computed = field.computed ?? name;
  return {
    id: `${path}: computed`,
    aspects: [{ path, expects: `\`${name}\` is ${computed}` }],
    run: async (trial) => {
      const typed = contract.typed.get(`${path}/computed`);
      if (isAroundItself(contract.model, view, name))
        return forSightings(trial, view, ({ value, interaction }) =>
          isThere(value, interaction, { path, name, field }),
        );
      if (typed !== undefined && readsVariable(typed, "tokens"))
        return isToken(trial, view, typed, { path, name, field });
      if (typed === undefined || readsVariable(typed, "now")) throw new NotTried(`the test cannot compute \`${name}\``);
      const of = contract.model.resources.views?.[view]?.of ?? "";
      const values = await unsortedLists(trial, of, typed);
      const compare = (sighting: Sighting): boolean => compareMember(trial, typed, sighting, { path, name, field });
      await forSightings(trial, view, compare, { values, typed });
      await expectAppearing(trial, view, typed, { path, name, field });
    },
  };
}

/**
 * Expects a record as the member, if it is one of those that refer to the record of the view and that no request creates by itself:
 * other changes create them.
 */
async function expectAppearing(trial: Trial, view: string, typed: TypedExpression, member: Member): Promise<void> {
  const { contract } = trial;
  const { path, name, field } = member;
  const called = [...contract.operations.values()].find(
    (one) => one.action === "read" && returnsView(contract, one, view),
  );
  const isOne = referenceOf(contract.model, unexpandedType(contract.model, field)) !== undefined;
  if (called?.resource === undefined || !isOne || readsHidden(contract, called.resource, typed)) return;
  for (const selection of selectionsIn(typed)) {
    const isCreated = creationsOf(contract, selection.resource).some((write) => sets(write, selection.name));
    if (selection.by !== "record" || isCreated) continue;
    const one = await ifPossible(() => trial.make(selection.resource));
    const record = one && madeTarget(trial, selection.resource, selection.name, one.values);
    if (record === undefined || record.resource !== called.resource) continue;
    const caller = await trial.callerFor(called.operation, record);
    const interaction = await trial.call(called.operation, { record, caller });
    const sightings = await viewsOf(trial, called, record, caller, interaction);
    const { resource, values } = record;
    const found = evaluate(typed, scopeFor(trial, typed, caller, { resource, values, isNew: true }));
    if (found === undefined || found.value === null) continue;
    const isMissing = sightings.some((each) => each.view === view && (lookup(each.value, name) ?? null) === null);
    if (isMissing)
      throw new Broken(`\`${name}\` with ${withArticle(selection.resource)}`, "no value", interaction, path);
  }
}

/** Expects an object around other members of the record. What it contains is compared with its view. */
function isThere(value: JsonObject, interaction: Interaction, { path, name, field }: Member): boolean {
  const got = lookup(value, name);
  if (isObject(got) || field.optional) return true;
  throw new Broken(`an object as \`${name}\``, shortText(got), interaction, path);
}

/** A token that is returned is accepted as a credential. */
async function isToken(trial: Trial, view: string, typed: TypedExpression, { path, name }: Member): Promise<void> {
  const { contract } = trial;
  const [, credential = ""] =
    nodesOf(typed).flatMap((node) => (node.kind === "variable" && node.path[2] === "token" ? [node.path] : []))[0] ??
    [];
  const called = [...contract.operations.values()].find(
    (one) => one.endpoint.method === "GET" && !mayEverRun(contract, one.operation, anonymous) && !needsKey(one),
  );
  if (credential === "" || called === undefined) throw new NotTried("no operation shows whether the token is accepted");
  const tokens: string[] = [];
  await forSightings(trial, view, ({ value }) => {
    const token = lookup(value, name);
    if (typeof token !== "string") return false;
    tokens.push(token);
    return true;
  });
  const token = tokens.pop();
  if (token === undefined) return;
  const holder = bearer(contract, credential, token, { name: "the holder of the token" });
  const interaction = await trial.call(called.operation, { caller: holder, record: null });
  const { status } = trial.responseOf(interaction);
  if (status === 401) throw new Broken(`\`${name}\` to be accepted as a credential`, "401", interaction, path);
}

function needsKey({ segments }: Operation): boolean {
  return segments.some(({ kind }) => kind === "parameter");
}

interface Member {
  readonly path: string;
  readonly name: string;
  readonly field: Field;
}

/** Whether the request itself changed records that the expression reads. */
function changesLinks({ operations }: Contract, typed: TypedExpression, { operation = "" }: Interaction): boolean {
  const action = operations.get(operation)?.action;
  return (action === "link" || action === "unlink") && nodesOf(typed).some(({ kind }) => kind === "records");
}

/** Compares a member with what the test computes. Returns whether it could. @throws Broken */
export function compareMember(
  trial: Trial,
  typed: TypedExpression,
  { caller, interaction, isNew, record, resource, value }: Sighting,
  { path, name, field }: Member,
): boolean {
  const { contract } = trial;
  if (record === undefined || isOnRequest(field) || changesLinks(contract, typed, interaction)) return false;
  const found = evaluate(typed, scopeFor(trial, typed, caller, { resource, values: record, isNew }));
  if (found === undefined) return false;
  const expected = found.value as Json;
  const got = lookup(value, name);
  const type = unexpandedType(contract.model, field);
  const nested = nestedView(contract.model, type);
  const isDefinite = !field.optional || (nested === undefined && isCertain(trial, typed, interaction));
  if (got === undefined && expected !== null && (readsHidden(contract, resource, typed) || !isDefinite)) return false;
  if (nested === undefined ? isSame(contract.model, type, expected, got) : isNested(expected, got)) return true;
  throw new Broken(
    `\`${name}\` with ${nested === undefined ? shortText(expected) : countText(expected)}`,
    shortText(got),
    interaction,
    path,
  );
}

/**
 * Whether nothing has changed or hides the value: other records may be hidden, and the state of a record is certain in the
 * response of its creation alone.
 */
function isCertain({ contract }: Trial, typed: TypedExpression, { operation = "" }: Interaction): boolean {
  const action = contract.operations.get(operation)?.action;
  const isCreation = action === "create" || action === "replace";
  return !readsOtherRecords(typed) && (isCreation || !fieldsIn(typed).includes("state"));
}

/** A nested record is there or not, and a nested list has so many records. What they contain is compared with their view. */
function isNested(expected: Json, got: Json | undefined): boolean {
  if (Array.isArray(expected)) return Array.isArray(got) && got.length === expected.length;
  return (expected === null) === ((got ?? null) === null);
}

function countText(expected: Json): string {
  if (Array.isArray(expected)) return `${expected.length} records`;
  return expected === null ? "no record" : "a record";
}

/**
 * Looks at a view in the responses of the operations that return it, until one shows what the case is about. `values`: of the record,
 * if one with these values can be made. `typed`: an expression over the record that selects others.
 */
async function forSightings(
  trial: Trial,
  view: string,
  show: (sighting: Sighting) => boolean,
  { typed, values = {} }: { readonly values?: Readonly<Record<string, Json>>; readonly typed?: TypedExpression } = {},
): Promise<void> {
  const operations = [...trial.contract.operations.values()].filter((one) => returnsView(trial.contract, one, view));
  const order = ["read", "create", "list", "update", "replace", "move", "link", "unlink"];
  const sorted = operations.toSorted((one, other) => order.indexOf(one.action) - order.indexOf(other.action));
  const wanted = Object.keys(values).length === 0 ? [values] : [values, {}];
  const attempts = wanted.flatMap((chosen) => sorted.map((called) => [called, chosen] as const));
  await untilTried(attempts, async ([called, chosen]) => {
    const isAbout = typed !== undefined && called.resource === trial.contract.model.resources.views?.[view]?.of;
    const sightings = (await sightingsIn(trial, called, chosen, isAbout ? typed : undefined)).filter(
      (one) => one.view === view,
    );
    if (!sightings.map(show).includes(true))
      throw new NotTried(`the test does not know a record that the view ${view} shows`);
  });
}

function returnsView({ model }: Contract, called: Operation, view: string): boolean {
  if (called.resource === undefined || called.kind !== "resource" || called.endpoint.wire !== undefined) return false;
  if (called.action === "login" || called.action === "delete") return false;
  return returnedIn(model, responseShape(model, called).item).some((one) => one.view === view);
}

/** Calls an operation about a new record, and returns the views of known records in its response. */
async function sightingsIn(
  trial: Trial,
  called: Operation,
  values: Readonly<Record<string, Json>>,
  typed: TypedExpression | undefined,
): Promise<readonly Sighting[]> {
  const { contract } = trial;
  const resource = called.resource as string;
  if (called.action === "create" || called.action === "replace") {
    const record = await trial.make(resource, { by: called.operation, values });
    const interaction = record.history.findLast(({ operation }) => operation === called.operation);
    if (interaction === undefined) throw new NotTried(`no response of ${called.operation} is known`);
    return viewsOf(trial, called, record, record.creator, interaction);
  }
  const record = await makeToEdit(trial, { called }, values);
  await lookAround(trial, record);
  await populate(trial, called, record);
  if (typed !== undefined) await diversify(trial, typed, record);
  const caller = await trial.callerFor(called.operation, record);
  if (called.action !== "list") {
    const interaction = await trial.call(called.operation, { record, caller });
    return viewsOf(trial, called, record, caller, interaction);
  }
  for await (const page of pagesOf(trial, called, { record, caller }, 3)) {
    const found = itemOf(contract, called, page, record);
    if (found === undefined || found === "unknown" || found.view === undefined) continue;
    const viewed = { view: found.view, value: found.record, resource, record: record.values };
    return sightingsOf(trial, { ...viewed, isNew: true, caller, interaction: page.interaction });
  }
  return [];
}

/** Makes a record for each list of the view that contains those that refer to the record. */
async function populate(trial: Trial, called: Operation, record: KnownRecord): Promise<void> {
  const { contract } = trial;
  const all = returnedIn(contract.model, responseShape(contract.model, called).item);
  const view = all.find((one) => one.view !== undefined)?.view;
  const { members = {} } = (view === undefined ? undefined : lookup(contract.model.resources.views ?? {}, view)) ?? {};
  for (const [name, { type }] of Object.entries(members)) {
    const typed = contract.typed.get(`resources/views/${view}/${name}/computed`);
    if (typed === undefined || nestedView(contract.model, type)?.list !== true) continue;
    for (const selection of selectionsIn(typed))
      await createSelected(trial, selection, targetOf(trial, selection, record));
  }
}

/** Makes records that an expression selects, and others that differ from them in one condition each. */
async function diversify(trial: Trial, typed: TypedExpression, record: KnownRecord): Promise<void> {
  for (const selection of selectionsIn(typed)) {
    const target = targetOf(trial, selection, record);
    if (target === undefined) continue;
    const wanted = Object.fromEntries(selection.others.flatMap((one) => wantedValue(one, record) ?? []));
    // Two of them, so that there are more than others.
    await createSelected(trial, selection, target, wanted);
    await createSelected(trial, selection, target, wanted);
    for (const [name, value] of Object.entries(wanted)) {
      const type = lookup(fieldsOf(trial.contract.model, selection.resource), name)?.type;
      const other = type && (await otherValue(trial, type, [value]));
      if (other !== undefined) await createSelected(trial, selection, target, { ...wanted, [name]: other });
    }
    const elsewhere = await ifPossible(() => trial.make(target.resource));
    await createSelected(trial, selection, elsewhere, wanted);
  }
}

/** Returns the record to which those that an expression over a record selects have to refer. */
function targetOf(trial: Trial, { by, field }: Selection, record: KnownRecord): KnownRecord | undefined {
  if (by === "record") return record;
  return field === undefined ? undefined : madeTarget(trial, record.resource, field, record.values);
}

async function createSelected(
  trial: Trial,
  { resource, name }: Selection,
  target: KnownRecord | undefined,
  values: JsonObject = {},
): Promise<void> {
  const field = lookup(fieldsOf(trial.contract.model, resource), name);
  if (field === undefined || target === undefined) return;
  await ifPossible(() => createReferring(trial, { resource, name, field, isInside: false }, target, values));
}

/** Returns the field for which a condition asks, with its value: `i.status == 'open'`, or `l.name in labels` with one of the labels. */
function wantedValue(condition: TypedExpression, { values }: KnownRecord): readonly [string, Json][] | undefined {
  if (condition.kind === "compare" && condition.operator === "==") {
    const sides = [condition.left, condition.right];
    const item = sides.find((side) => side.kind === "item-field");
    const constant = sides.find((side) => side.kind === "constant");
    if (item?.kind === "item-field" && constant?.kind === "constant") return [[item.name, constant.value as Json]];
  }
  if (condition.kind !== "within" || condition.value.kind !== "item-field" || condition.list.kind !== "field")
    return undefined;
  const list = values.get(condition.list.name);
  const [value] = Array.isArray(list) ? (list as readonly Json[]) : [];
  return value === undefined ? undefined : [[condition.value.name, value]];
}

export async function viewsOf(
  trial: Trial,
  called: Operation,
  record: KnownRecord,
  caller: Caller,
  interaction: Interaction,
): Promise<readonly Sighting[]> {
  await trial.look(record);
  const response = trial.responseOf(interaction);
  const observed = response.status < 300 ? recordIn(trial.contract, called, response.json) : undefined;
  if (observed?.view === undefined) return [];
  return sightingsOf(trial, {
    ...{ view: observed.view, value: observed.record, resource: record.resource },
    ...{ record: record.values, isNew: called.endpoint.the === undefined, caller, interaction },
  });
}

/** Returns a view and all views in it. */
function sightingsOf(trial: Trial, sighting: Sighting): readonly Sighting[] {
  const { contract } = trial;
  const { view, value, record, resource, caller, interaction, isNew } = sighting;
  const { members = {} } = lookup(contract.model.resources.views ?? {}, view) ?? {};
  const inner = Object.entries(members).flatMap(([name, member]): readonly Sighting[] => {
    const nested = nestedView(contract.model, unexpandedType(contract.model, member));
    const found = lookup(value, name);
    const typed = contract.typed.get(`resources/views/${view}/${name}/computed`);
    if (isAroundItself(contract.model, view, name) && nested !== undefined && isObject(found))
      return sightingsOf(trial, { ...sighting, view: nested.view, value: found });
    if (nested === undefined || typed === undefined) return [];
    const { find } = trial.around();
    const context = (one: JsonObject, id: Json = null): readonly Sighting[] => {
      const known = id === null ? undefined : find(nested.of, id);
      const viewed = { view: nested.view, value: one, resource: nested.of, record: known };
      return sightingsOf(trial, { ...viewed, isNew: false, caller, interaction });
    };
    if (Array.isArray(found)) return found.filter(isObject).flatMap((one) => context(one, lookup(one, "id")));
    if (!isObject(found)) return [];
    const computing = record === undefined ? undefined : { resource, values: record, isNew };
    const id = computing && evaluate(typed, scopeFor(trial, typed, caller, computing))?.value;
    return context(found, id as Json | undefined);
  });
  return [sighting, ...inner];
}
