/** What a trial learns from responses: the values of records, their entity tags, and what a write makes uncertain. */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { inputOf, type InputMember } from "../../language/endpoints/input.ts";
import { fieldsIn } from "../../expression/typed.ts";
import { fieldsOf, lifecycleOf, lookup, referenceOf } from "../../language/resources/fields.ts";
import { type Caller, idOf } from "../caller.ts";
import { mayRun, fieldVisibility } from "../permissions.ts";
import type { Operation } from "../contract.ts";
import { furtherWriteSites } from "../../language/states/further-writes.ts";
import { furtherEffects, transitionsBy, transitionsOf } from "../effects.ts";
import { evaluate, truth } from "../expressions.ts";
import { type Interaction, isResponse } from "../interaction.ts";
import {
  memberOf,
  observableFields,
  recordIn,
  nestedIds,
  renamedFields,
  type ObservedRecord,
  viewsAround,
} from "../response.ts";
import { solve } from "../solve.ts";
import { isSameJson } from "../values/same.ts";
import { type KnownRecord, newRecord } from "./known.ts";
import { identifier } from "./pages.ts";
import type { Trial } from "./trial.ts";

export interface Sent {
  readonly called: Operation;
  readonly caller: Caller;
  readonly record: KnownRecord | undefined;
  readonly interaction: Interaction;
  readonly body: JsonObject | undefined;
}

/** Learns from a successful response. */
export function learnResponse(trial: Trial, { called, caller, record, interaction, body }: Sent): void {
  const { response } = interaction;
  if (!isResponse(response) || response.status >= 300) return;
  const isWrite = called.endpoint.method !== "GET";
  if (isWrite) forgetAffected(trial, called);
  if (called.action === "clear") learnCleared(trial, called, caller);
  if (record !== undefined) learnLinked(trial, { called, caller, record, interaction, body });
  if (record === undefined || called.resource !== record.resource) return;
  if (["list", "summary", "history"].includes(called.action)) return;
  if (!isThis(trial, called, { caller, record, observed: recordIn(trial.contract, called, response.json) })) return;
  if (isWrite) record.history.push(interaction);
  if (called.action === "delete") {
    record.isDeleted = true;
    return;
  }
  if (isWrite) {
    trial.world.tags.delete(record);
    forgetChanged(trial, record, called);
  }
  learnTag(trial, record, caller, response.headers["etag"]);
  if (called.action === "update" || called.action === "replace") learnSent(trial, called, record, body);
  learnObserved(trial, called, caller, record, response.json);
}

/** Learns the record of another resource that the operation created or deleted. */
function learnLinked(trial: Trial, { called, caller, record, interaction, body }: Sent): void {
  const { contract, world } = trial;
  const { link, unlink } = called.endpoint;
  const association = link ?? unlink;
  if (association === undefined || record === undefined) return;
  const scope = trial.scope(caller, record, body);
  const values = new Map<string, Json>();
  for (const name of Object.keys(association.with)) {
    const path = `endpoints/endpoints/${called.operation}/${link === undefined ? "unlink" : "link"}/with/${name}`;
    const typed = contract.typed.get(path);
    const found = typed === undefined ? undefined : evaluate(typed, scope);
    if (found === undefined) return;
    values.set(name, found.value as Json);
  }
  const known = world.records.find(
    (one) =>
      one.resource === association.in &&
      !one.isDeleted &&
      [...values].every(([name, value]) => one.values.get(name) === value),
  );
  if (unlink !== undefined && known !== undefined) known.isDeleted = true;
  if (link === undefined || known !== undefined) return;
  const history = [...record.history, interaction];
  world.records.push({ ...newRecord(link.in, caller, history), values });
}

/** The deletion of all matching records may have deleted any that does not certainly stay. */
function learnCleared(trial: Trial, called: Operation, caller: Caller): void {
  const { contract, world } = trial;
  const where = contract.typed.get(`endpoints/endpoints/${called.operation}/where`);
  for (const record of world.records) {
    if (record.resource !== called.resource) continue;
    const stays =
      mayRun(contract, called.operation, caller, trial.around(record)) === false ||
      (where !== undefined && truth(where, trial.scope(caller, record)) === false);
    if (!stays) record.isDeleted = true;
  }
}

/** Whether a response shows the record that the test has in mind: `the` may select another one. */
export function isThis(
  { contract, world }: Trial,
  called: Operation,
  {
    caller,
    record,
    observed,
  }: Pick<Sent, "caller"> & { readonly record: KnownRecord; readonly observed: ObservedRecord | undefined },
): boolean {
  if (called.endpoint.the === undefined || world.accounts.get(caller) === record) return true;
  const found = identifier(contract, record.resource, observed);
  if (observed === undefined || found === undefined) return false;
  return lookup(observed.record, found.member) === record.values.get(found.field);
}

/** Learns the fields whose default is the caller who created the record. */
export function learnCallers({ contract }: Trial, { resource, values }: KnownRecord, creator: Caller): void {
  for (const [name, field] of Object.entries(fieldsOf(contract.model, resource)))
    if (field.default?.kind === "caller" && creator.signedIn) values.set(name, idOf(creator));
}

/** Learns the fields whose record the operation chooses by its id: `id == this.issue.repo`. */
export function learnChosen(
  trial: Trial,
  called: Operation,
  { creator, resource, values }: KnownRecord,
  input: JsonObject,
): void {
  for (const [name, { from }] of Object.entries(called.endpoint.choose ?? {})) {
    const condition = trial.contract.typed.get(`endpoints/endpoints/${called.operation}/choose/${name}/if`);
    if (condition === undefined) continue;
    const scope = { ...trial.scope(creator, undefined, input), resource: from, around: { resource, record: values } };
    const id = solve(condition, scope).fields.get("id");
    if (typeof id === "string" || typeof id === "number") values.set(name, id);
  }
}

export function learnTag(trial: Trial, record: KnownRecord, caller: Caller, tag: string | undefined): void {
  if (tag === undefined) return;
  const tags = trial.world.tags.get(record) ?? new Map<Caller, string>();
  trial.world.tags.set(record, tags.set(caller, tag));
}

/** Learns the record that a response of the operation contains. */
export function learnObserved(
  trial: Trial,
  called: Operation,
  caller: Caller,
  record: KnownRecord,
  json: Json | undefined,
): void {
  const observed = recordIn(trial.contract, called, json);
  if (observed !== undefined) {
    learnRepresentation(trial, record, caller, observed.record, observed.view);
    for (const [name, id] of nestedIds(trial.contract, observed)) learnValue(record, name, id);
  }
  for (const [name, value] of renamedFields(trial.contract, called, json)) learnValue(record, name, value);
}

/** Learns the values of a representation. A field that it could show and does not is absent. */
export function learnRepresentation(
  trial: Trial,
  record: KnownRecord,
  caller: Caller,
  observed: JsonObject,
  view?: string,
): void {
  const { contract } = trial;
  const { resource } = record;
  const names = observableFields(contract, resource, view);
  learnCreator(trial, record, observed);
  learnId(trial, record, observed);
  for (const name of names) {
    const value = lookup(observed, name);
    if (value !== undefined && !isExpanded(trial, resource, name, value)) learnValue(record, name, value);
  }
  for (const name of Object.keys(fieldsOf(contract.model, resource))) {
    const value = names.includes(name) ? undefined : lookup(observed, memberOf(contract, name, view));
    if (value !== undefined && memberOf(contract, name, view) !== name) learnValue(record, name, value);
  }
  for (const inner of viewsAround(contract, observed, view))
    learnRepresentation(trial, record, caller, inner.record, inner.view);
  learnState(trial, record, caller, observed, view);
  const fields = fieldsOf(contract.model, resource);
  const absent = names.filter(
    (name) =>
      lookup(observed, name) === undefined &&
      lookup(fields, name)?.computed === undefined &&
      fieldVisibility(contract, resource, name, caller, trial.around(record)) === true,
  );
  // Without a member that each record has, it is only a part of the record.
  if (absent.some((name) => lookup(fields, name)?.optional !== true)) return;
  for (const name of absent) learnValue(record, name, null);
}

/** Whether a value is the record to which a field refers, in place of its id. */
function isExpanded({ contract: { model } }: Trial, resource: string, name: string, value: Json): boolean {
  const field = lookup(fieldsOf(model, resource), name);
  return isObject(value) && field !== undefined && referenceOf(model, field.type) !== undefined;
}

/** Learns the state from members that follow from it, `locked := state == 'locked'`, if they can have these values in one state alone. */
function learnState(
  trial: Trial,
  record: KnownRecord,
  caller: Caller,
  observed: JsonObject,
  view: string | undefined,
): void {
  const { model, typed } = trial.contract;
  const { resource, values } = record;
  if (view === undefined || memberOf(trial.contract, "state", view) !== "state") return;
  const { members = {} } = lookup(model.resources.views ?? {}, view) ?? {};
  const computed = Object.keys(members).flatMap((name) => {
    const expression = typed.get(`resources/views/${view}/${name}/computed`);
    const value = lookup(observed, name);
    return expression !== undefined && value !== undefined && fieldsIn(expression).includes("state")
      ? [{ expression, value }]
      : [];
  });
  if (computed.length === 0) return;
  const possible = Object.keys(lifecycleOf(model, resource)?.states ?? {}).filter((state) => {
    const scope = { ...trial.scope(caller, record), record: new Map(values).set("state", state) };
    return computed.every(({ expression, value }) => {
      const found = evaluate(expression, scope);
      return found === undefined || isSameJson((found.value ?? null) as Json, value);
    });
  });
  const [state] = possible;
  if (possible.length === 1 && state !== undefined) learnValue(record, "state", state);
}

/** Learns the id of the caller who created the record, from a field whose default is the caller. */
function learnCreator({ contract, world }: Trial, { creator, resource }: KnownRecord, observed: JsonObject): void {
  if (creator.id !== undefined || !creator.signedIn) return;
  for (const [name, field] of Object.entries(fieldsOf(contract.model, resource))) {
    const id = lookup(observed, name);
    if (field.default?.kind !== "caller" || !field.marks.includes("read-only") || typeof id !== "string") continue;
    const before = idOf(creator);
    creator.id = id;
    for (const { values } of world.records) {
      for (const [other, value] of values) if (value === before) values.set(other, id);
    }
    return;
  }
}

/** Learns the id from an address that a response shows: from `url := base + '/todos/' + id`. */
function learnId({ contract, world }: Trial, { resource, values }: KnownRecord, observed: JsonObject): void {
  if (values.has("id")) return;
  for (const [name, { computed = "" }] of Object.entries(fieldsOf(contract.model, resource))) {
    const [, path] = /^base \+ '([^']*)' \+ id$/.exec(computed) ?? [];
    const address = lookup(observed, name);
    const start = `${world.target.address}${path}`;
    if (path === undefined || typeof address !== "string" || !address.startsWith(start)) continue;
    values.set("id", decodeURIComponent(address.slice(start.length)));
  }
}

function learnValue({ observed, values }: KnownRecord, name: string, value: Json): void {
  values.set(name, value);
  observed.set(name, value);
}

/** Forgets what events of the operation may have changed in other records. */
function forgetAffected({ contract, world }: Trial, called: Operation): void {
  const { resources: affected } = furtherEffects(contract, called);
  for (const record of world.records) {
    if (!affected.has(record.resource)) continue;
    record.values.delete("state");
    world.tags.delete(record);
    for (const { resource, trigger } of transitionsOf(contract)) {
      if (resource === record.resource) forget(record, Object.keys(trigger.set ?? {}));
    }
    forgetWritten(contract, record);
  }
}

/** Forgets what further writes may have changed in a record. One that may be deleted is a record that the test does not know. */
function forgetWritten({ model }: Trial["contract"], record: KnownRecord): void {
  for (const { write } of furtherWriteSites(model)) {
    if (write.resource !== record.resource) continue;
    if (write.kind === "change") forget(record, Object.keys(write.set ?? {}));
  }
}

/** Forgets the values that the service may have changed in the operation itself. */
function forgetChanged({ contract }: Trial, record: KnownRecord, called: Operation): void {
  for (const [name, field] of Object.entries(fieldsOf(contract.model, record.resource))) {
    if (field.default?.kind === "now-on-change" || field.computed !== undefined) record.values.delete(name);
  }
  for (const { resource, trigger } of transitionsBy(contract, called.operation)) {
    if (resource === record.resource) forget(record, ["state", ...Object.keys(trigger.set ?? {})]);
  }
}

function forget(record: KnownRecord, names: readonly string[]): void {
  for (const name of names) record.values.delete(name);
}

function learnSent({ contract }: Trial, called: Operation, record: KnownRecord, body: JsonObject | undefined): void {
  for (const { name, sets } of membersOf(contract, called)) {
    const value = body === undefined ? undefined : lookup(body, name);
    if (sets && value !== undefined) record.values.set(name, value);
    if (sets && value === undefined && called.action === "replace") record.values.delete(name);
  }
}

/** Returns the members of an operation's body. */
export function membersOf({ model }: Trial["contract"], called: Operation): readonly InputMember[] {
  if (called.kind === "resource") return inputOf(model, called);
  return Object.entries(called.endpoint.takes ?? {}).map(([name, field]) => ({
    ...{ name, field, sets: false },
    required: !field.optional && field.default === undefined,
  }));
}
