/** Members of views that tell whether, or how often, a record is linked: they change with the link, and for its caller alone. */
import { withArticle } from "../../base/case.ts";
import type { Json } from "../../base/json.ts";
import { keyOf, readsVariable, type TypedExpression } from "../../expression/typed.ts";
import { lookup } from "../../language/resources/fields.ts";
import { Broken, type Case, NotTried, shortText } from "../case.ts";
import type { Caller } from "../caller.ts";
import { mayRun } from "../permissions.ts";
import type { Contract, Operation } from "../contract.ts";
import { isError, statusText } from "../errors/expected.ts";
import { brokenBy, expectSuccess } from "../expect.ts";
import type { Interaction } from "../interaction.ts";
import { readsHidden } from "../deviations.ts";
import { recordIn } from "../response.ts";
import { conjuncts } from "../solve.ts";
import type { KnownRecord } from "../trial/known.ts";
import { readersOf } from "../trial/looking.ts";
import { itemOf, pagesOf } from "../trial/pages.ts";
import type { Trial } from "../trial/trial.ts";
import { constraintsOf } from "./constraints.ts";

export function linkCases(contract: Contract): readonly Case[] {
  return [...contract.operations.values()]
    .filter(({ endpoint }) => endpoint.link !== undefined && endpoint.the === undefined)
    .flatMap((link) => [
      ...countersOf(contract, link).map((counter) => follows(contract, link, counter)),
      ...differ(contract, link),
    ]);
}

/** Links that differ in one of the unique values are accepted: of another caller, and to another record. */
function differ(contract: Contract, { endpoint: { link }, operation, resource = "" }: Operation): readonly Case[] {
  const valueOf = (field: string): TypedExpression | undefined =>
    contract.typed.get(`endpoints/endpoints/${operation}/link/with/${field}`);
  return constraintsOf(contract, link?.in ?? "").flatMap(({ code, fields, path }): readonly Case[] => {
    const values = fields.map(valueOf);
    if (fields.length < 2 || !values.every((one) => one !== undefined)) return [];
    const [isByCaller, isByRecord] = [true, false].map((wanted) =>
      values.some((one) => readsVariable(one, "caller") === wanted),
    );
    const expects = `two ${link?.in} that differ in one of ${fields.join(" and ")} are accepted`;
    const run = async (trial: Trial): Promise<void> => {
      const record = await trial.make(resource);
      const caller = await trial.callerFor(operation, record);
      const accepted = async (by: Caller, to: KnownRecord): Promise<void> => {
        const interaction = await trial.call(operation, { record: to, caller: by });
        const response = trial.responseOf(interaction);
        const text = statusText(contract, response);
        if (isError(contract, response, code, operation)) throw new Broken(expects, text, interaction, path);
        if (response.status >= 300) throw new NotTried(`${operation} answered ${text}`);
      };
      await accepted(caller, record);
      const other = (await trial.callers()).find(
        (one) => one !== caller && mayRun(contract, operation, one, trial.around(record)) === true,
      );
      if (isByCaller && other !== undefined) await accepted(other, record);
      if (isByRecord) await accepted(caller, await trial.make(resource));
    };
    return [{ id: `${path}: others by ${operation}`, aspects: [{ path, expects }], operation, run }];
  });
}

/** A member of a view that is `Link.exists(…)` or `Link.filter(…).size()`, of the links that an operation makes. */
interface Counter {
  readonly view: string;
  readonly name: string;
  readonly isCount: boolean;
  /** Whether it counts the links of the caller alone. */
  readonly isOfCaller: boolean;
}

function countersOf(contract: Contract, link: Operation): readonly Counter[] {
  const { resource } = link;
  return Object.entries(contract.model.resources.views ?? {}).flatMap(([view, { of, members = {} }]) =>
    Object.keys(members).flatMap((name): readonly Counter[] => {
      const typed = contract.typed.get(`resources/views/${view}/${name}/computed`);
      if (of !== resource || typed === undefined || readsHidden(contract, of, typed)) return [];
      const exists = typed.kind === "macro" && typed.macro === "exists" ? typed : undefined;
      const counted = typed.kind === "call" && typed.function === "size" ? typed.arguments[0] : undefined;
      const filter = counted?.kind === "macro" && counted.macro === "filter" ? counted : undefined;
      const macro = exists ?? filter;
      if (macro?.list.kind !== "records" || macro.list.resource !== link.endpoint.link?.in) return [];
      const equalities = conjuncts(macro.body).map((one) => equalityOf(one));
      if (!equalities.every((one) => one !== undefined && isLinked(contract, link, one))) return [];
      return [{ view, name, isCount: filter !== undefined, isOfCaller: readsVariable(macro.body, "caller") }];
    }),
  );
}

interface Equality {
  readonly field: string;
  readonly value: TypedExpression;
}

function equalityOf(condition: TypedExpression): Equality | undefined {
  if (condition.kind !== "compare" || condition.operator !== "==") return undefined;
  const { left, right } = condition;
  if (left.kind === "item-field") return { field: left.name, value: right };
  return right.kind === "item-field" ? { field: right.name, value: left } : undefined;
}

/** Whether the link has this value: the operation gives it the same expression. */
function isLinked({ typed }: Contract, { operation }: Operation, { field, value }: Equality): boolean {
  const provided = typed.get(`endpoints/endpoints/${operation}/link/with/${field}`);
  return provided !== undefined && keyOf(provided) === keyOf(value);
}

function follows(contract: Contract, link: Operation, counter: Counter): Case {
  const { operation } = link;
  const { view, name, isCount, isOfCaller } = counter;
  const path = `resources/views/${view}/${name}`;
  return {
    id: `${path}: after ${operation}`,
    aspects: [{ path, expects: `${operation} ${isCount ? "adds one to" : "sets"} \`${name}\`` }],
    operation,
    run: async (trial) => {
      const record = await trial.make(link.resource as string);
      const caller = await trial.callerFor(operation, record);
      let isVisibleTo = false;
      const expectValue = async (present: boolean, by: Caller, interaction?: Interaction): Promise<void> => {
        const got = await valueOf(trial, counter, record, by, interaction);
        const expected = isCount ? Number(present) : present;
        if (got === undefined) return;
        isVisibleTo ||= present;
        if (got === expected) return;
        throw brokenBy(trial, `\`${name}\` with ${expected}`, shortText(got), path);
      };
      await expectValue(false, caller);
      for (let count = 0; count < 2; count += 1) {
        const linked = await trial.call(operation, { record, caller });
        expectSuccess(trial, linked);
        await expectValue(true, caller, linked);
        await expectValue(true, caller);
      }
      const others = (await trial.callers()).filter((one) => one !== caller);
      for (const other of others.slice(0, 2)) await expectValue(!isOfCaller, other);
      if (!isVisibleTo)
        throw new NotTried(`no response shows \`${name}\` of ${withArticle(link.resource ?? "record")}`);
      const unlink = unlinkOf(contract, link);
      if (unlink === undefined) return;
      expectSuccess(trial, await trial.call(unlink.operation, { record, caller }));
      await expectValue(false, caller);
    },
  };
}

/** Returns the value of the member, in a response or in that of an operation that shows the view; undefined if none does. */
async function valueOf(
  trial: Trial,
  { view, name }: Counter,
  record: KnownRecord,
  caller: Caller,
  interaction?: Interaction,
): Promise<Json | undefined> {
  const { contract } = trial;
  const called = interaction?.operation === undefined ? undefined : contract.operations.get(interaction.operation);
  if (interaction !== undefined && called !== undefined) {
    const observed = recordIn(contract, called, trial.responseOf(interaction).json);
    return observed?.view === view ? lookup(observed.record, name) : undefined;
  }
  const reader = readersOf(trial, record.resource).find(
    (one) =>
      one.endpoint.the === undefined &&
      one.endpoint.where === undefined &&
      mayRun(contract, one.operation, caller, trial.around(record)) === true &&
      new RegExp(`"${view}(?:\\[\\])?"`).test(JSON.stringify(one.endpoint.gives ?? "")),
  );
  if (reader === undefined) return undefined;
  if (reader.action === "list") return valueInList(trial, reader, record, caller, name);
  const response = trial.responseOf(await trial.call(reader.operation, { record, caller }));
  const observed = recordIn(contract, reader, response.json);
  if (response.status >= 300 || observed?.view !== view)
    throw new NotTried(`${reader.operation} does not show the record`);
  return lookup(observed.record, name);
}

/** How many pages the test reads to find the record. */
const mostPages = 3;

async function valueInList(
  trial: Trial,
  reader: Operation,
  record: KnownRecord,
  caller: Caller,
  name: string,
): Promise<Json | undefined> {
  for await (const page of pagesOf(trial, reader, { caller, record }, mostPages)) {
    const found = itemOf(trial.contract, reader, page, record);
    if (found !== undefined && found !== "unknown") return lookup(found.record, name);
  }
  return undefined;
}

/** Returns the operation that takes the link away again. */
function unlinkOf(
  { operations, typed }: Contract,
  { endpoint, operation, resource }: Operation,
): Operation | undefined {
  const fields = Object.keys(endpoint.link?.with ?? {});
  return [...operations.values()].find(
    (one) =>
      one.resource === resource &&
      one.endpoint.unlink?.in === endpoint.link?.in &&
      Object.keys(one.endpoint.unlink?.with ?? {}).length === fields.length &&
      fields.every((field) => {
        const linked = typed.get(`endpoints/endpoints/${operation}/link/with/${field}`);
        const unlinked = typed.get(`endpoints/endpoints/${one.operation}/unlink/with/${field}`);
        return linked !== undefined && unlinked !== undefined && keyOf(linked) === keyOf(unlinked);
      }),
  );
}
