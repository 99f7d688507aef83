/** Rules of records that further writes create: a request whose new record would violate one gets its error, and writes nothing. */
import type { Json } from "../../base/json.ts";
import { mentions, nodesOf, type TypedExpression } from "../../expression/typed.ts";
import type { InputMember } from "../../language/endpoints/input.ts";
import { fieldsOf, lookup, referenceOf } from "../../language/resources/fields.ts";
import { type FurtherWriteSite, furtherWriteSites } from "../../language/states/further-writes.ts";
import { ifPossible } from "../attempts.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import type { Contract } from "../contract.ts";
import { codeIn, statusText } from "../errors/expected.ts";
import { expectError } from "../expect.ts";
import { type Scope, truth } from "../expressions.ts";
import { candidatesFor } from "../resources/candidates.ts";
import { creationsOf, type Write } from "../resources/writing.ts";
import { expectObservedState } from "../states/expected-state.ts";
import { textOf } from "../trial/known.ts";
import { readId } from "../trial/looking.ts";
import type { Trial } from "../trial/trial.ts";
import { operationOf } from "./expected-records.ts";
import { itemsOf, valuesOf } from "./predict.ts";
import { type Fixed, scopeOf, type Situation, situationOf } from "./situation.ts";

/** A rule of the records that a further write creates. */
interface Created {
  readonly site: FurtherWriteSite;
  readonly path: string;
  readonly condition: TypedExpression;
  readonly code: string;
}

export function createdRuleCases(contract: Contract): readonly Case[] {
  return furtherWriteSites(contract.model).flatMap((site) => {
    const { kind, resource } = site.write;
    const rules = kind === "create" ? (lookup(contract.model.resources.rules, resource) ?? []) : [];
    return rules.flatMap((rule, index) => {
      const path = `resources/rules/${resource}/${index}`;
      const condition = contract.typed.get(`${path}/holds`);
      if (rule.kind !== "holds" || condition === undefined || mentions(condition, "records")) return [];
      return originsOf(contract, condition).length > 0
        ? isObeyed({ site, path, condition, code: rule.else }, rule.expression)
        : [];
    });
  });
}

function isObeyed(created: Created, text: string): readonly Case[] {
  const { code, path, site } = created;
  const operation = operationOf(site.of);
  if (operation === undefined) return [];
  const expects = `${operation} gets ${code} if \`${text}\` is false for the ${site.write.resource} that it creates`;
  return [
    {
      id: `${path}: created by ${site.at}`,
      aspects: [{ path, expects }],
      operation,
      run: async (trial) => {
        for await (const fixed of choicesOf(trial, created)) {
          const situation = await ifPossible(() => situationOf(trial, site, fixed));
          if (situation === undefined || !isViolated(trial, created, situation)) continue;
          return expectViolation(trial, created, situation);
        }
        throw new NotTried(`the test finds no request whose new ${site.write.resource} violates the rule`);
      },
    },
  ];
}

/** How many values of a field the test tries, and how many requests with each: other members decide whether the write happens. */
const most = { values: 4, requests: 4 };

/** A field on which a rule depends, of a record to which the new one refers, and the creation that sets it. */
interface Source {
  readonly resource: string;
  readonly member: InputMember;
  readonly creation: Write;
}

function originsOf(contract: Contract, condition: TypedExpression): readonly Source[] {
  return nodesOf(condition).flatMap((node): readonly Source[] => {
    const [creation] = node.kind === "walk" ? creationsOf(contract, node.resource) : [];
    const member = creation?.members.find(({ name }) => node.kind === "walk" && name === node.name);
    if (creation === undefined || member === undefined) return [];
    return [{ resource: creation.called.resource, member, creation }];
  });
}

/** Returns values of the record around the write: those on which the rule depends, or references to records that have them. */
async function* choicesOf(trial: Trial, { condition, site }: Created): AsyncGenerator<Fixed> {
  const owner = site.of.kind === "transition" ? site.of.resource : trial.operation(operationOf(site.of) ?? "").resource;
  for (const { creation, member, resource } of originsOf(trial.contract, condition)) {
    const candidates = await candidatesFor(trial, member, condition, creation);
    for (const value of candidates.slice(0, most.values)) {
      if (value === undefined) continue;
      const values = { [member.name]: value };
      const fixed = resource === owner ? values : await referring(trial, owner, resource, values);
      if (fixed !== undefined) for (let count = 0; count < most.requests; count += 1) yield fixed;
    }
  }
}

/** Makes a record with these values, and returns the field of the owner that refers to it; undefined if there is none. */
async function referring(
  trial: Trial,
  owner: string | undefined,
  resource: string,
  values: Readonly<Record<string, Json>>,
): Promise<Fixed | undefined> {
  const { model } = trial.contract;
  const fields = Object.entries(owner === undefined ? {} : fieldsOf(model, owner));
  const [name] = fields.find(([, { type }]) => referenceOf(model, type) === resource) ?? [];
  if (name === undefined) return undefined;
  const record = await ifPossible(() => trial.make(resource, { values }));
  const id = record === undefined ? undefined : await readId(trial, record);
  return id === undefined ? undefined : { [name]: id };
}

/** Whether the record that the write creates certainly violates the rule, and no other one. */
function isViolated(trial: Trial, { condition, path, site }: Created, situation: Situation): boolean {
  const { contract } = trial;
  const { model, typed } = contract;
  const around = scopeOf(trial, situation);
  // The record around the write is not stored yet.
  const find: Scope["find"] = (resource, id) =>
    resource === situation.resource && id === situation.after.get("id") ? situation.after : around.find(resource, id);
  const [scope] = itemsOf(contract, site, { ...around, find }) ?? [];
  if (scope === undefined) return false;
  const { resource } = site.write;
  const record = { ...scope, resource, record: valuesOf(contract, site, scope) };
  const others = (lookup(model.resources.rules, resource) ?? []).flatMap(
    (_, index) => typed.get(`resources/rules/${resource}/${index}/holds`) ?? [],
  );
  const isOther = (one: TypedExpression): boolean => one !== typed.get(`${path}/holds`);
  return truth(condition, record) === false && !others.some((one) => isOther(one) && truth(one, record) === false);
}

async function expectViolation(trial: Trial, { code, path, site }: Created, situation: Situation): Promise<void> {
  const { contract } = trial;
  const { interaction, record } = await situation.send();
  const response = trial.responseOf(interaction);
  const found = codeIn(contract, response);
  if (found !== undefined && found !== code && response.status >= 400)
    throw new NotTried(`the request answered ${statusText(contract, response)}`);
  if (response.status < 300) {
    const expected = `the error ${code}, since the new ${site.write.resource} violates the rule`;
    throw new Broken(expected, String(response.status), interaction, path);
  }
  expectError(trial, interaction, { code }, path);
  const state = situation.before?.get("state");
  if (record !== undefined && state !== undefined) await expectObservedState(trial, record, [textOf(state)]);
}
