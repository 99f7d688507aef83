/** Valid inputs of operations: values by type, within rules, guards and what `choose` needs. */
import { instantOfUnixTime } from "../../base/unix-time.ts";
import { type Json, type JsonObject, pick } from "../../base/json.ts";
import type { Value } from "../../expression/evaluate.ts";
import { nodesOf, readsVariable, type TypedExpression } from "../../expression/typed.ts";
import type { ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { defaultValue } from "../../language/resources/default-value.ts";
import { bareType, fieldsOf, isUnique, lookup, referenceOf, unixUnitOf } from "../../language/resources/fields.ts";
import type { FieldType } from "../../language/resources/model.ts";
import { ifPossible } from "../attempts.ts";
import { NotTried } from "../case.ts";
import { anonymous, type Caller, idOf } from "../caller.ts";
import type { Contract, Operation } from "../contract.ts";
import { determinesUnique } from "../distinguishing.ts";
import { startOf, transitionsBy } from "../effects.ts";
import { evaluate, type Scope, truth } from "../expressions.ts";
import { knownRecords } from "../known-truth.ts";
import { comparesInput, solve } from "../solve.ts";
import { problemOf } from "../values/fits.ts";
import { distinctValue, type Supply, validValue } from "../values/valid.ts";
import { loginOf, newRefreshToken } from "./callers.ts";
import { unknownId } from "./hidden-ids.ts";
import { maySet } from "../permissions.ts";
import type { KnownRecord } from "./known.ts";
import { type Pairs, pairsOf, type Query, queryOf, received, sent } from "./parameters.ts";
import { lookAround, readId } from "./looking.ts";
import { membersOf } from "./learning.ts";
import type { Trial } from "./trial.ts";
import { findRecord, presentOf, recordsOf } from "./world.ts";

/** The body of a request, without the objects around its members, and its query parameters. */
export interface Input {
  readonly body?: JsonObject | undefined;
  readonly query: Query;
}

/** How often the test tries other random values before it gives up. */
const attempts = 40;

interface Around {
  readonly caller: Caller;
  readonly record: KnownRecord | undefined;
}

/** Returns the input of an operation that no case has chosen: one with which the operation can succeed. */
export async function defaultInput(
  trial: Trial,
  called: Operation,
  { caller, record, isChosen }: Around & { readonly isChosen: boolean },
): Promise<Input> {
  const query = queryFor(trial, called);
  if (isChosen || (called.endpoint.method === "GET" && called.action !== "handler")) return { query };
  if (called.action === "renew") {
    const [member] = membersOf(trial.contract, called);
    const token = await newRefreshToken(trial, called.resource as string);
    return { body: member === undefined ? {} : { [member.name]: token }, query };
  }
  if (called.action === "login") {
    const user = await trial.make(called.resource as string, { creator: anonymous });
    return { body: loginOf(trial, user), query };
  }
  const state = record?.values.get("state");
  const transition = transitionsBy(trial.contract, called.operation).find(
    ({ from, resource }) => resource === called.resource && typeof state === "string" && from.includes(state),
  );
  const guard = transition === undefined ? undefined : `${transition.path}/if`;
  const guarded =
    guard !== undefined && trial.contract.typed.has(guard)
      ? await trial.inputWhere(called.operation, caller, record, guard, true)
      : undefined;
  return guarded ?? trial.inputFor(called.operation, caller, record);
}

export async function inputFor(
  trial: Trial,
  name: string,
  caller: Caller,
  record?: KnownRecord,
  fixed: Readonly<Record<string, Json>> = {},
  inner: readonly string[] = [],
): Promise<Input> {
  const called = trial.operation(name);
  const members = membersOf(trial.contract, called);
  const names = members.map((one) => one.name);
  const chosen = pick(fixed, names);
  const parameters = Object.entries(pick(fixed, Object.keys(called.endpoint.query ?? {})));
  const { model } = trial.contract;
  const texts = parameters.flatMap(([parameter, value]) => {
    const field = lookup(called.endpoint.query ?? {}, parameter);
    return field === undefined ? [] : sent(model, parameter, field, value);
  });
  const query = { ...queryFor(trial, called), ...queryOf(texts) };
  if (members.length === 0 && called.endpoint.choose === undefined)
    return called.action === "update" || called.action === "replace" ? { body: {}, query } : { query };
  const references = await newReferences(trial, called, caller, [...inner, ...Object.keys(fixed)]);
  for (const { field } of members) await prepareReferences(trial, field.type, caller, references, inner);
  let body: JsonObject = {};
  let supplied: References = references;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    // Two members may have to refer to different records.
    if (attempt === attempts / 2) supplied = await withOthers(trial, called, caller, references);
    body = { ...randomBody(trial, called, { caller, record }, supplied), ...chosen };
    if (attempt > 5) body = { ...withRules(trial, called, { caller, record }, body), ...chosen };
    if (isAcceptable(trial, called, { caller, record }, { body, query })) break;
  }
  for (const choice of choicesOf(trial, called)) await ensureChoosable(trial, choice, caller, body);
  return { body, query };
}

export async function inputWhere(
  trial: Trial,
  name: string,
  { caller, record, path, wanted }: Around & { readonly path: string; readonly wanted: boolean },
): Promise<Input | undefined> {
  const { contract } = trial;
  const condition = contract.typed.get(path);
  if (condition === undefined) return undefined;
  const called = trial.operation(name);
  const scopeOf = (input: Input): Scope => trial.scope(caller, record, expressionInput(trial, called, input));
  if (record !== undefined && evaluate(condition, scopeOf({ query: {} })) === undefined)
    await lookAround(trial, record);
  const members = membersOf(contract, called);
  const typeOf = (member: string): FieldType | undefined =>
    (members.find((one) => one.name === member)?.field ?? lookup(called.endpoint.query ?? {}, member))?.type;
  const sample = comparesInput(condition) ? await trial.inputFor(name, caller, record) : { query: {} };
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    // An input that satisfies the equalities, and later inputs by chance, in case an equality is only one of several ways.
    const solved = attempt < attempts / 2 ? solve(condition, scopeOf(sample), wanted).input : [];
    const found = await trial.inputFor(name, caller, record, sendable(contract, solved, typeOf));
    const input =
      attempt === 0 ? found : { ...found, query: { ...found.query, ...otherQuery(trial, called, condition) } };
    if (truth(condition, scopeOf(input)) === wanted) return input;
    if (input.body === undefined && called.endpoint.query === undefined) return undefined;
  }
  return undefined;
}

/** Returns the values of a solution that a request may have by the types of its members. */
export function sendable(
  contract: Contract,
  solved: Iterable<readonly [string, Value]>,
  typeOf: (member: string) => FieldType | undefined,
): JsonObject {
  const values = [...solved] as readonly (readonly [string, Json])[];
  return Object.fromEntries(values.filter(([name, value]) => mayBe(contract, typeOf(name), value)));
}

function mayBe(contract: Contract, type: FieldType | undefined, value: Json): boolean {
  return type === undefined || value === null || problemOf(contract, type, value, "input") === undefined;
}

/** Returns some of the parameters that a condition reads, with random values. */
function otherQuery(trial: Trial, { endpoint }: Operation, condition: TypedExpression): Query {
  const read = nodesOf(condition).flatMap((one) =>
    one.kind === "variable" && one.path[0] === "input" ? (one.path[1] ?? []) : [],
  );
  const chosen = Object.entries(endpoint.query ?? {}).filter(
    ([name]) => read.includes(name) && trial.random.chance(0.5),
  );
  return queryOf(
    chosen.flatMap(([name, field]): Pairs => {
      const value = validValue(trial.contract, field.type, supplyFor(trial, anonymous));
      return value === undefined ? [] : [...sent(trial.contract.model, name, field, value)];
    }),
  );
}

/** Returns the parameters that an operation needs, with values that make its guard true. */
export function queryFor(trial: Trial, called: Operation): Query {
  const { query = {} } = called.endpoint;
  const guard = trial.contract.typed.get(`endpoints/endpoints/${called.operation}/if`);
  const solved = guard === undefined ? [] : solve(guard, trial.scope(anonymous)).input;
  const wanted = sendable(trial.contract, solved, (name) => lookup(query, name)?.type);
  const chosen = Object.entries(query).flatMap(([name, field]): Pairs => {
    const value = lookup(wanted, name);
    if (value === undefined && (field.optional || field.default !== undefined)) return [];
    const valid = value ?? validValue(trial.contract, field.type, supplyFor(trial, anonymous));
    return sent(trial.contract.model, name, field, valid);
  });
  return queryOf(chosen);
}

/**
 * Makes the records to which only one record may refer: other creations may have used up those that there are. `besides`: fields that
 * have a value, and resources of which records are being made.
 */
async function newReferences(
  trial: Trial,
  called: Operation,
  caller: Caller,
  besides: readonly string[],
): Promise<Map<string, Json>> {
  const { model } = trial.contract;
  const references = new Map<string, Json>();
  const { action, resource = "" } = called;
  for (const { field, name } of action === "create" ? membersOf(trial.contract, called) : []) {
    const target = referenceOf(model, field.type);
    if (target === undefined || target === resource || !isUnique(model, resource, name)) continue;
    if (besides.includes(name) || besides.includes(target)) continue;
    references.set(target, (await readId(trial, await trial.make(target, { creator: caller }))) ?? null);
  }
  return references;
}

/** By resource, the id of a record to which a value may refer. */
type References = Pick<ReadonlyMap<string, Json>, "get">;

/** Returns references to either of two records, of each resource to which two members of the operation refer. */
async function withOthers(
  trial: Trial,
  called: Operation,
  caller: Caller,
  references: ReadonlyMap<string, Json>,
): Promise<References> {
  const { model } = trial.contract;
  const named = membersOf(trial.contract, called).flatMap(({ field }) => referenceOf(model, field.type) ?? []);
  const others = new Map<string, Json>();
  for (const resource of named.filter((one, index) => named.indexOf(one) !== index)) {
    const made = await ifPossible(() => trial.make(resource, { creator: caller }));
    const id = made === undefined ? undefined : await readId(trial, made);
    if (id !== undefined) others.set(resource, id);
  }
  return {
    get: (resource) => (trial.random.chance(0.5) ? others.get(resource) : undefined) ?? references.get(resource),
  };
}

/** Makes the records to which values of a type refer. `inner`: the resources of which records are being made for that, and types around. */
export async function prepareReferences(
  trial: Trial,
  type: FieldType,
  caller: Caller,
  references: Map<string, Json>,
  inner: readonly string[] = [],
): Promise<void> {
  const bare = bareType(type);
  if (bare.kind === "list" || bare.kind === "map") return prepareReferences(trial, bare.of, caller, references, inner);
  const { name } = bare.kind === "named" ? bare : { name: "" };
  // The first record of a tree has none above it.
  if (inner.includes(name)) return;
  for (const { type: of } of Object.values(lookup(trial.contract.model.resources.types, name) ?? {}))
    await prepareReferences(trial, of, caller, references, [...inner, name]);
  const resource = referenceOf(trial.contract.model, bare);
  if (resource === undefined || references.has(resource)) return;
  const record = await trial.reference(resource, caller, [...inner, resource]);
  references.set(resource, (await readId(trial, record)) ?? null);
}

/** Returns what the values of a request are made of. `references`: by resource, the id of a record to which they may refer. */
export function supplyFor({ random, world }: Trial, caller: Caller, references: References = new Map()): Supply {
  return {
    ...{ random, now: presentOf(world) },
    reference: (resource) => references.get(resource) ?? undefined,
    user: () => caller.id ?? `user-${random.integer(1, 999)}`,
  };
}

function randomBody(trial: Trial, called: Operation, { caller, record }: Around, references: References): JsonObject {
  const { contract, random, world } = trial;
  const { model } = contract;
  const { action, resource } = called;
  const fields = resource === undefined ? {} : fieldsOf(model, resource);
  const supply = supplyFor(trial, caller, references);
  const body: Record<string, Json> = {};
  const set = world.memberSets.get(called.operation);
  for (const { name, field, required, proves } of membersOf(contract, called)) {
    const isSecret = lookup(fields, name)?.marks.includes("secret") === true;
    // A new secret would lock the test's own users out.
    if (proves !== undefined || (action === "update" && isSecret)) continue;
    const around = trial.scope(caller, record);
    if (!required && resource !== undefined && maySet(contract, resource, name, caller, around) !== true) continue;
    const stored = storedValue(trial, called, name, record);
    if (stored !== undefined) {
      if (stored !== null) body[name] = stored;
      continue;
    }
    const isLeftOut = set === undefined ? !random.chance(action === "update" ? 0.6 : 0.4) : set === "required";
    const isOnlyFile = called.kind === "resource" && called.file !== undefined;
    if (!required && isLeftOut && !isOnlyFile) continue;
    const isDistinct = resource !== undefined && determinesUnique(contract, resource, name);
    const value =
      isDistinct && referenceOf(model, field.type) === undefined
        ? distinctValue(contract, field.type, supply, world.count())
        : validValue(contract, field.type, supply);
    if (value !== undefined) body[name] = value;
    else if (required) throw new NotTried(`the test finds no value for \`${name}\` of ${called.operation}`);
  }
  return body;
}

/** Returns the value that a member must have because the record exists: a replacement cannot change all fields. */
function storedValue(
  { contract: { model } }: Trial,
  called: Operation,
  name: string,
  record: KnownRecord | undefined,
): Json | undefined {
  if (called.action !== "replace" || called.resource === undefined) return undefined;
  const isFixed = lookup(fieldsOf(model, called.resource), name)?.marks.includes("create-only") === true;
  return isFixed || called.endpoint.statuses?.differs !== undefined ? record?.values.get(name) : undefined;
}

/** Whether no rule and no guard that the test can evaluate rejects the input. */
export function isAcceptable(
  trial: Trial,
  called: Operation,
  around: Around,
  input: Input,
  { ignoresGuard = false }: { readonly ignoresGuard?: boolean } = {},
): boolean {
  const { contract } = trial;
  const { caller, record } = around;
  const { resource } = called;
  const context = expressionInput(trial, called, input);
  const guard = contract.typed.get(`endpoints/endpoints/${called.operation}/if`);
  if (!ignoresGuard && guard !== undefined && truth(guard, trial.scope(caller, record, context)) === false)
    return false;
  if (!choicesOf(trial, called).every((choice) => isChoosable(trial, choice, caller, input.body ?? {}))) return false;
  if (called.kind !== "resource" || resource === undefined || !isWriting(called)) return true;
  const after = scopeAfter(trial, called, around, input.body ?? {}, context);
  return !rulesOf(trial, resource).some((rule) => truth(rule, after) === false);
}

/** Returns the body with the values that the equalities of rules ask for. */
function withRules(trial: Trial, called: Operation, around: Around, body: JsonObject): JsonObject {
  if (called.kind !== "resource" || !isWriting(called)) return body;
  const { resource } = called;
  const after = scopeAfter(trial, called, around, body);
  const members = new Set(membersOf(trial.contract, called).flatMap(({ name, sets }) => (sets ? [name] : [])));
  const wanted = rulesOf(trial, resource).flatMap((rule) => [...solve(rule, after).fields]);
  return { ...body, ...(Object.fromEntries(wanted.filter(([name]) => members.has(name))) as JsonObject) };
}

function rulesOf({ contract }: Trial, resource: string): readonly TypedExpression[] {
  const rules = lookup(contract.model.resources.rules, resource) ?? [];
  return rules.flatMap((_, index) => contract.typed.get(`resources/rules/${resource}/${index}/holds`) ?? []);
}

function isWriting({ action }: Operation): boolean {
  return action === "create" || action === "update" || action === "replace";
}

/** Returns what rules may read after a write, as far as the test knows it; of other records those that it has made. */
export function scopeAfter(
  trial: Trial,
  called: ResourceEndpoint,
  around: Around,
  body: JsonObject,
  input: JsonObject = body,
): Scope {
  const { action, resource } = called;
  const record = action === "create" ? undefined : around.record;
  const after = recordAfter(trial, called, { ...around, record }, body);
  const known = knownRecords(trial);
  return {
    ...{ ...trial.scope(around.caller, undefined, input), resource, record: after },
    old: record?.values ?? null,
    records: (of) => (of === resource ? [...known(of).filter((one) => one !== record?.values), after] : known(of)),
  };
}

/** Returns the record as it would be after the write, as far as the test knows it. */
export function recordAfter(
  trial: Trial,
  called: ResourceEndpoint,
  { caller, record }: Around,
  body: JsonObject,
): ReadonlyMap<string, Json> {
  const { contract } = trial;
  const { action, resource } = called;
  const fields = fieldsOf(contract.model, resource);
  const after = new Map<string, Json>(record?.values);
  if (record === undefined) {
    for (const [name, field] of Object.entries(fields)) {
      const value = defaultValue(contract.model, field);
      if (value !== undefined) after.set(name, value);
      if (field.default?.kind === "caller") after.set(name, caller.signedIn ? idOf(caller) : null);
    }
    const start = startOf(contract, resource);
    if (start !== undefined) after.set("state", start);
  }
  for (const { name, sets } of membersOf(contract, called)) {
    const value = lookup(body, name);
    if (!sets) continue;
    const isFilled = contract.filled.has(`${resource}.${name}`);
    if (value !== undefined) after.set(name, value);
    else if (action !== "update" && lookup(fields, name)?.default === undefined && !isFilled) after.set(name, null);
    // The default follows, as far as the test knows it.
    else if (action !== "update") after.delete(name);
  }
  for (const [name, field] of Object.entries(fields)) {
    const value = defaultValue(contract.model, field);
    if (value !== undefined && !after.has(name)) after.set(name, value);
  }
  for (const name of Object.keys(fields)) {
    const computed = contract.typed.get(`resources/${resource}/${name}/computed`);
    if (computed === undefined) continue;
    const found = evaluate(computed, { ...trial.scope(caller), resource, record: after });
    if (found === undefined) after.delete(name);
    else after.set(name, found.value as Json);
  }
  // An id that the service makes is no other record's.
  const id = lookup(fields, "id")?.type;
  if (record === undefined && id?.kind === "id" && id.made === "server") after.set("id", `${unknownId}new`);
  return after;
}

/** What an operation chooses of what the test can make: a record of a resource that fulfils a condition. */
interface Chosen {
  readonly resource: string;
  readonly condition: TypedExpression | undefined;
}

function choicesOf({ contract }: Trial, { endpoint, operation }: Operation): readonly Chosen[] {
  return Object.entries(endpoint.choose ?? {}).flatMap(([field, { from }]): readonly Chosen[] => {
    const condition = contract.typed.get(`endpoints/endpoints/${operation}/choose/${field}/if`);
    // A condition about `this` chooses a record that exists already: it belongs to the record of the path.
    return condition !== undefined && readsVariable(condition, "this") ? [] : [{ resource: from, condition }];
  });
}

/** Among how many of the newest records, besides those that a request names, the test looks for one that a choice can take. */
const mostKnown = 100;

/** Returns a known record that the choice can take. */
function knownFor(
  trial: Trial,
  { resource, condition }: Chosen,
  caller: Caller,
  input: JsonObject,
): KnownRecord | undefined {
  const scope = trial.scope(caller, undefined, input);
  const fits = ({ isDeleted, values }: KnownRecord): boolean =>
    !isDeleted && (condition === undefined || truth(condition, { ...scope, resource, record: values }) === true);
  const named = Object.values(input).flatMap((id) => findRecord(trial.world, resource, id) ?? []);
  return named.find(fits) ?? recordsOf(trial.world, resource).slice(-mostKnown).find(fits);
}

/** Makes sure that a record exists that an operation can choose. */
async function ensureChoosable(trial: Trial, chosen: Chosen, caller: Caller, input: JsonObject): Promise<void> {
  const { resource, condition } = chosen;
  const known = knownFor(trial, chosen, caller, input);
  if (known !== undefined) {
    trial.used.add(known);
    return;
  }
  // A record that probably does not fit: if it comes first, a wrong choice shows.
  if (condition !== undefined && recordsOf(trial.world, resource).length === 0)
    await ifPossible(() => trial.make(resource));
  const { state, ...values } = wantedOf(trial, chosen, caller, input);
  await trial.make(resource, { values, ...(typeof state === "string" ? { state } : {}) });
}

/**
 * Whether the test knows a record that the choice can take, or may make one: other versions may not have all values, and a record of
 * which the test knows no value that it needs is none.
 */
function isChoosable(trial: Trial, chosen: Chosen, caller: Caller, input: JsonObject): boolean {
  const { contract } = trial;
  const fields = fieldsOf(contract.model, chosen.resource);
  if (chosen.condition === undefined || knownFor(trial, chosen, caller, input) !== undefined) return true;
  const wanted = Object.entries(wantedOf(trial, chosen, caller, input));
  const isPossible = ([name, value]: readonly [string, Json]): boolean =>
    mayBe(contract, lookup(fields, name)?.type, value);
  return (wanted.length > 0 || !readsVariable(chosen.condition, "input")) && wanted.every(isPossible);
}

/** Returns the values of the fields of a record that the choice can take. */
function wantedOf(trial: Trial, { resource, condition }: Chosen, caller: Caller, input: JsonObject): JsonObject {
  if (condition === undefined) return {};
  const { fields } = solve(condition, { ...trial.scope(caller, undefined, input), resource });
  return Object.fromEntries(fields) as JsonObject;
}

/** Returns the input as expressions see it: with its default, or null, for each member that is left out. */
export function expressionInput(trial: Trial, called: Operation, { body = {}, query }: Input): JsonObject {
  const { query: declared = {} } = called.endpoint;
  const { model } = trial.contract;
  const absent = [
    ...membersOf(trial.contract, called),
    ...Object.entries(declared).map(([name, field]) => ({ name, field })),
  ];
  const defaults = absent.flatMap(({ name, field }): [string, Json][] => {
    if (field.default === undefined || called.action === "update") return [[name, null]];
    const value = defaultValue(model, field);
    return value === undefined ? [] : [[name, value]];
  });
  const pairs = pairsOf(query);
  const parameters = Object.entries(declared).flatMap(([name, field]): [string, Json][] => {
    const value = received(model, name, field, pairs);
    return value === undefined ? [] : [[name, value]];
  });
  const input: JsonObject = { ...Object.fromEntries(defaults), ...query, ...Object.fromEntries(parameters), ...body };
  const moments = absent.flatMap(({ name, field: { type } }): [string, Json][] => {
    const unit = unixUnitOf(type);
    const instant = unit && instantOfUnixTime(input[name], unit);
    return instant === undefined ? [] : [[name, instant]];
  });
  return { ...input, ...Object.fromEntries(moments) };
}
