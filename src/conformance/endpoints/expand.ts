/** Records in place of ids (`expand`): the record that the caller may see, else its id; unknown and too deep paths are rejected. */
import { withArticle } from "../../base/case.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { ExpandStyle } from "../../language/endpoints/model.ts";
import { styleOf } from "../../language/endpoints/resolve.ts";
import { defaultDepth } from "../../language/endpoints/selection.ts";
import { batchOf, responseShape, type Shape } from "../../language/endpoints/shape.ts";
import {
  fieldsOf,
  isExpandable,
  isOnRequest,
  lookup,
  nestedView,
  referenceOf,
} from "../../language/resources/fields.ts";
import { type Aspect, Broken, type Case, NotTried, shortText } from "../case.ts";
import type { Caller } from "../caller.ts";
import { type Contract, type Operation, wrapOf } from "../contract.ts";
import { expectError, expectSuccess, neededSuccess } from "../expect.ts";
import type { Interaction } from "../interaction.ts";
import { recordVisibility } from "../permissions.ts";
import { memberOf, type ObservedRecord, listNames, pageIn, recordIn } from "../response.ts";
import { membersOf } from "../trial/learning.ts";
import { readId } from "../trial/looking.ts";
import type { KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { findRecord } from "../trial/world.ts";
import { callersOf, ifPossible, operationCase, pathOf, plainOperations, validOptions } from "./subjects.ts";

/** A record of a resource, or a view of it. */
interface Form {
  readonly resource: string;
  readonly view?: string;
}

/** A member with an id; a request may ask for the record instead. */
interface Expandable {
  readonly name: string;
  /** The field of the record around that refers to the record. */
  readonly field: string;
  readonly statement: string;
  readonly form: Form;
  /** Whether responses have it only if the request asks for it. */
  readonly isLeftOut?: boolean;
  readonly isList?: boolean;
}

export function expandCases(contract: Contract): readonly Case[] {
  return plainOperations(contract).flatMap((called): readonly Case[] => {
    const style = styleOf(contract.model.endpoints, called.endpoint, "expand") ?? "none";
    const form = formOf(contract, called);
    if (style === "none" || form === undefined) return [];
    const members = expandableIn(contract, form);
    if (called.action === "create")
      return members
        .filter(({ field }) => isSent(contract, called, field))
        .map((member) => isInCreation(contract, called, style, member));
    if ((called.action !== "read" && called.action !== "list") || members.length === 0) return [];
    return [
      ...members.map((member) => isRecord(contract, called, style, form, member)),
      rejectsUnknown(contract, called, style),
      ...boundsDepth(contract, called, style, form),
    ];
  });
}

/** Returns the form of the records in the responses of an operation; undefined if other members are around it. */
function formOf({ model }: Contract, called: Operation): Form | undefined {
  const { item } = responseShape(model, called);
  const { resource = "" } = called;
  if (item === undefined || item.kind === "record") return { resource };
  return item.kind === "view" ? { resource, view: item.view } : undefined;
}

function expandableIn({ model, typed }: Contract, { resource, view }: Form): readonly Expandable[] {
  if (view === undefined)
    return Object.entries(fieldsOf(model, resource)).flatMap(([name, field]) => {
      const target = isExpandable(field) ? referenceOf(model, field.type) : undefined;
      const statement = `resources/${resource}/${name}/marks/expand`;
      return target === undefined ? [] : [{ name, field: name, statement, form: { resource: target } }];
    });
  return Object.entries(lookup(model.resources.views ?? {}, view)?.members ?? {}).flatMap(([name, member]) => {
    const isLeftOut = isOnRequest(member);
    const nested = isLeftOut || isExpandable(member) ? nestedView(model, member.type) : undefined;
    const computed = typed.get(`resources/views/${view}/${name}/computed`);
    if (nested === undefined || (computed?.kind !== "field" && !nested.list)) return [];
    const statement = `resources/views/${view}/${name}/marks/${isLeftOut ? "on request" : "expand"}`;
    const field = computed?.kind === "field" ? computed.name : "";
    return [
      { name, field, statement, form: { resource: nested.of, view: nested.view }, isLeftOut, isList: nested.list },
    ];
  });
}

/** Returns the statements about the parameter: those of the operation if it has its own. */
function aspectsOf({ places }: Contract, called: Operation, members: readonly string[], expects: string): [Aspect] {
  const local = pathOf(called, "expand");
  const path = places.has(local) ? local : "endpoints/expand";
  const written = members.map((member) => `${path}/${member}`).filter((one) => places.has(one));
  return [path, ...written].map((one) => ({ path: one, expects })) as unknown as [Aspect];
}

/** Returns the path as the operation takes it, with the names of the objects around the record. */
function sentPath(contract: Contract, called: Operation, { from }: ExpandStyle, names: readonly string[]): string {
  if (from !== "response") return names.join(".");
  return [...namesAround(contract, called), ...names].join(".");
}

/** Returns the names of the objects around a record in the response. */
function namesAround(contract: Contract, called: Operation): readonly string[] {
  if (called.action !== "list") return [wrapOf(contract, called) ?? []].flat();
  const { page } = responseShape(contract.model, called);
  if (page !== undefined) return itemsIn(page) ?? [];
  const isBare = (called.endpoint.lists ?? contract.model.endpoints.lists)?.bare === true;
  return isBare ? [] : [listNames(contract, called).items];
}

function itemsIn(shape: Shape): readonly string[] | undefined {
  if (shape.kind === "items") return [];
  if (shape.kind !== "object") return undefined;
  for (const [name, inner] of Object.entries(shape.members)) {
    const found = itemsIn(inner);
    if (found !== undefined) return [name, ...found];
  }
  return undefined;
}

/** Sends the request with a path. Uses `send`, not `call`: `call` would report the changed shape as a deviation. */
async function expand(
  trial: Trial,
  called: Operation,
  style: ExpandStyle,
  names: readonly string[],
  options: { readonly caller: Caller; readonly record?: KnownRecord | undefined; readonly query?: object },
): Promise<Interaction> {
  const query = { ...options.query, [style.name]: sentPath(trial.contract, called, style, names) };
  const { request, caller } = await trial.build(called.operation, { ...options, query });
  return trial.send(request, caller, called.operation);
}

/** Whether each creation sends the reference. */
function isSent(contract: Contract, called: Operation, field: string): boolean {
  return (
    field !== "" &&
    batchOf(contract.model, called) === undefined &&
    membersOf(contract, called).some(({ name, required }) => name === field && required)
  );
}

/** The response to a creation contains the record to which the created one refers. */
function isInCreation(contract: Contract, called: Operation, style: ExpandStyle, member: Expandable): Case {
  const { name, field, form, statement } = member;
  const expects = `\`${name}\` is the record if a request of ${called.operation} asks for it`;
  const aspects = [...aspectsOf(contract, called, ["name", "from"], expects), { path: statement, expects }] as const;
  return operationCase(called, `expand ${name}`, aspects as unknown as Case["aspects"], async (trial) => {
    const caller = await trial.callerFor(called.operation);
    const { body = {}, query } = await trial.inputFor(called.operation, caller);
    const target = findRecord(trial.world, form.resource, lookup(body, field));
    const isVisible = target && recordVisibility(contract, form.resource, caller, trial.around(target));
    if (target === undefined || isVisible !== true || !(await trial.readAs(target, caller)))
      throw new NotTried(`the test knows no ${form.resource} that ${caller.name} sees`);
    const selected = { ...query, [style.name]: sentPath(contract, called, style, [name]) };
    const { request } = await trial.build(called.operation, { caller, body, query: selected });
    const interaction = await trial.send(request, caller, called.operation);
    const value = recordIn(contract, called, expectSuccess(trial, interaction).json)?.record[name];
    if (!isObject(value))
      throw new Broken(
        `the ${form.resource} as \`${name}\``,
        shortText(value as Json | undefined),
        interaction,
        statement,
      );
  });
}

function isRecord(contract: Contract, called: Operation, style: ExpandStyle, form: Form, member: Expandable): Case {
  const { name, statement } = member;
  const expects = `\`${name}\` is the record if a request of ${called.operation} asks for it`;
  const aspects = [...aspectsOf(contract, called, ["name", "from"], expects), { path: statement, expects }] as const;
  return operationCase(called, `expand ${name}`, aspects as unknown as Case["aspects"], async (trial) => {
    const record = await referring(trial, form, member);
    let count = 0;
    for (const caller of await callersOf(trial, called, called.action === "read" ? record : undefined)) {
      const isTried = await ifPossible(() => compare(trial, called, style, member, { caller, record }));
      if (isTried === true) count += 1;
    }
    if (count === 0)
      throw new NotTried(`the test cannot read ${withArticle(form.resource)} with a \`${name}\` that it knows`);
  });
}

/** Makes a record that has the reference. */
async function referring(trial: Trial, { resource }: Form, { field, form }: Expandable): Promise<KnownRecord> {
  const caller = await trial.callerFor(creatorOf(trial, resource));
  const id = await readId(trial, await trial.reference(form.resource, caller));
  const made =
    id === undefined || field === ""
      ? undefined
      : await ifPossible(() => trial.make(resource, { values: { [field]: id } }));
  return made ?? trial.make(resource);
}

function creatorOf({ contract }: Trial, resource: string): string {
  const creates = [...contract.operations.values()].find(
    (one) => one.action === "create" && one.resource === resource && one.endpoint.wire === undefined,
  );
  if (creates === undefined) throw new NotTried(`no operation creates ${withArticle(resource)}`);
  return creates.operation;
}

/** Compares the responses without and with the record. Returns whether it is known which of the two the caller gets. */
async function compare(
  trial: Trial,
  called: Operation,
  style: ExpandStyle,
  { field, form, isLeftOut, isList, name, statement }: Expandable,
  { caller, record }: { readonly caller: Caller; readonly record: KnownRecord },
): Promise<boolean> {
  const { contract } = trial;
  const about = called.action === "read" ? { caller, record } : { caller };
  const plain = await trial.call(called.operation, about);
  const without = observed(contract, called, record, neededSuccess(trial, plain).json)?.record;
  if (isList === true) {
    if (without === undefined) return false;
    const interaction = await expand(trial, called, style, [name], about);
    const list = observed(contract, called, record, expectSuccess(trial, interaction).json)?.record[name];
    if (Array.isArray(list)) return true;
    throw new Broken(`a list of records as \`${name}\``, shortText(list as Json | undefined), interaction, statement);
  }
  const id = isLeftOut === true ? record.values.get(field) : without?.[name];
  const target = typeof id === "object" ? undefined : findRecord(trial.world, form.resource, id);
  if (target === undefined) return false;
  const isVisible = recordVisibility(contract, form.resource, caller, trial.around(target));
  if (isVisible === undefined || (isVisible && !(await trial.readAs(target, caller)))) return false;
  const interaction = await expand(trial, called, style, [name], about);
  const value = observed(contract, called, record, expectSuccess(trial, interaction).json)?.record[name];
  const idMember = memberOf(contract, "id", form.view);
  const isThere = isObject(value) && [id, undefined].includes(lookup(value as JsonObject, idMember) as Json);
  if (isVisible ? isThere : value === (isLeftOut === true ? undefined : id)) return true;
  const expected = isVisible ? `the ${form.resource} as \`${name}\`` : `its id, since ${caller.name} may not see it`;
  throw new Broken(expected, shortText(value as Json | undefined), interaction, statement);
}

/** Returns the record in a response: of a list, the item with its id. */
function observed(
  contract: Contract,
  called: Operation,
  record: KnownRecord,
  body: Json | undefined,
): ObservedRecord | undefined {
  if (called.action !== "list") return recordIn(contract, called, body);
  const items = pageIn(contract, called, body)?.items ?? [];
  const id = record.values.get("id");
  if (id === undefined) return undefined;
  return items
    .flatMap((item) => recordIn(contract, called, item) ?? [])
    .find(({ record: one, view }) => one[memberOf(contract, "id", view)] === id);
}

function rejectsUnknown(contract: Contract, called: Operation, style: ExpandStyle): Case {
  const aspects = aspectsOf(contract, called, [], `${called.operation} rejects a path of no reference`);
  return operationCase(called, "expand an unknown member", aspects, async (trial) => {
    const { body: _, ...options } = await validOptions(trial, called);
    const interaction = await expand(trial, called, style, ["unknownMember"], options);
    const entries = [{ place: style.name, codes: ["unknown-field"] }];
    expectError(trial, interaction, { code: "invalid-request", status: 400, entries }, aspects[0].path);
  });
}

/** A path with as many names as the document allows, and one with a name more, if the document has such paths. */
function boundsDepth(contract: Contract, called: Operation, style: ExpandStyle, form: Form): readonly Case[] {
  const outer = sentPath(contract, called, style, ["x"]).split(".").length - 1;
  const depth = (style.depth ?? defaultDepth) - outer;
  const longest = pathOfLength(contract, form, depth);
  const tooLong = pathOfLength(contract, form, depth + 1);
  if (longest === undefined || style.depth === undefined) return [];
  const expects = `${called.operation} accepts paths of at most ${style.depth} names`;
  const aspects = aspectsOf(contract, called, ["depth"], expects);
  return [
    operationCase(called, "depth of expand", aspects, async (trial) => {
      const { body: _, ...options } = await validOptions(trial, called);
      expectSuccess(trial, await expand(trial, called, style, longest, options), aspects.at(-1)?.path);
      if (tooLong === undefined) return;
      const rejected = await expand(trial, called, style, tooLong, options);
      const entries = [{ place: style.name, codes: ["too-many"] }];
      expectError(trial, rejected, { code: "invalid-request", status: 400, entries }, aspects.at(-1)?.path);
    }),
  ];
}

function pathOfLength(contract: Contract, form: Form, length: number): readonly string[] | undefined {
  if (length <= 0) return [];
  for (const member of expandableIn(contract, form)) {
    const below = pathOfLength(contract, member.form, length - 1);
    if (below !== undefined) return [member.name, ...below];
  }
  return undefined;
}
