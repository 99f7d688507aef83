/**
 * What clients can observe of further writes (`also`): the selected records are written and no others, the created ones have their
 * values, and a write that selects nothing fails the request, of which then nothing is written.
 */
import { withArticle } from "../../base/case.ts";
import type { Json } from "../../base/json.ts";
import { referenceOf } from "../../language/resources/fields.ts";
import { type FurtherWriteSite, furtherWriteSites } from "../../language/states/further-writes.ts";
import { ifPossible, untilTried } from "../attempts.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import type { Contract } from "../contract.ts";
import { isError, statusText } from "../errors/expected.ts";
import { expectError } from "../expect.ts";
import type { Scope } from "../expressions.ts";
import { candidatesFor } from "../resources/candidates.ts";
import { creationsOf } from "../resources/writing.ts";
import { membersOf } from "../trial/learning.ts";
import { readId } from "../trial/looking.ts";
import type { Trial } from "../trial/trial.ts";
import { expectCreated, expectRecords, operationOf } from "./expected-records.ts";
import { candidatesFrom, candidatesOf } from "./observed.ts";
import { makeMatching } from "./matching.ts";
import { type Candidates, itemsOf, predict } from "./predict.ts";
import { createdRuleCases } from "./rules.ts";
import { selectionCases } from "./selected.ts";
import { scopeOf, type Sent, type Situation, situationOf } from "./situation.ts";

export function furtherWriteCases(contract: Contract): readonly Case[] {
  const sites = furtherWriteSites(contract.model);
  const owners = Map.groupBy(sites, ({ at }) => at.replace(/\/also\/\d+$/, ""));
  const writes = [...owners.values()].flatMap((own) =>
    own.flatMap((site) => [
      happens(own, site),
      ...(site.write.if === undefined ? [] : [happens(own, site, { isActive: false })]),
      ...(site.write.else === undefined ? [] : [happens(own, site, { isSelecting: false })]),
    ]),
  );
  return [...writes, ...selectionCases(contract), ...createdRuleCases(contract)];
}

interface Wanted {
  /** Whether the `if` of the write is to be true. */
  readonly isActive?: boolean;
  /** Whether the write is to select a record. */
  readonly isSelecting?: boolean;
}

function describe({ write }: FurtherWriteSite, { isActive = true, isSelecting = true }: Wanted): string {
  const { else: code, first, if: condition, kind, resource, where } = write;
  if (!isActive) return `${kind}s no ${resource} while \`${condition}\` is false`;
  if (!isSelecting)
    return `without ${withArticle(resource)} where \`${where}\` the request gets ${code}, and writes nothing`;
  if (kind === "create") return `creates ${withArticle(resource)} with these values`;
  const selected = `${first === undefined ? "each" : `the first ${first} ${resource}`} where \`${where}\``;
  return `${kind}s ${selected}, and no other ${resource}`;
}

function happens(sites: readonly FurtherWriteSite[], site: FurtherWriteSite, wanted: Wanted = {}): Case {
  const { at, of } = site;
  const what = wanted.isActive === false ? "not" : wanted.isSelecting === false ? "nothing selected" : "happens";
  const operation = operationOf(of);
  return {
    id: `${at}: ${what}`,
    aspects: [{ path: at, expects: describe(site, wanted) }],
    ...(operation === undefined ? {} : { operation }),
    // Other cases would write the same records.
    exclusive: true,
    run: async (trial) => {
      // What the other writes make impossible, another request may do.
      await untilTried([1, 2, 3], async () => {
        const situation = await findSituation(trial, site, wanted);
        const candidates = await candidatesFrom(trial, sites, situation.caller);
        const sent = await situation.send();
        await expectWrites(trial, sites, site, { situation, candidates, sent });
      });
    },
  };
}

// ── The request ────────────────────────────────────────────────────────────────────────────────────────────────────

/** How many requests the test draws until one is as wanted: of those about a record, which it has to make, and of others. */
const mostDraws = { ofRecords: 12, ofInputs: 60 };

/** Returns a request as wanted, and makes the records that the write selects, and others. */
async function findSituation(trial: Trial, site: FurtherWriteSite, wanted: Wanted): Promise<Situation> {
  const { isActive = true, isSelecting = true } = wanted;
  const { contract } = trial;
  const { write } = site;
  let most = mostDraws.ofRecords;
  for (let count = 0; count < most; count += 1) {
    const fixed = isSelecting || count === 0 ? {} : await rejectedReference(trial, site);
    const situation = await situationOf(trial, site, fixed);
    if (situation.before === undefined && isSelecting) most = mostDraws.ofInputs;
    const scopes = itemsOf(contract, site, scopeOf(trial, situation));
    if (scopes !== undefined && scopes.length > 0 !== isActive) continue;
    if (!isActive || write.kind === "create") return situation;
    const [scope = scopeOf(trial, situation)] = scopes ?? [];
    if (isSelecting) {
      const condition = contract.typed.get(`${site.at}/where`);
      await makeMatching(trial, { resource: write.resource, selection: write, condition, scope });
      return situation;
    }
    if (await selectsNothing(trial, site, scope)) return situation;
  }
  throw new NotTried("the test finds no request with which the further write is so");
}

/** Whether no record of those that the test can know is selected. */
async function selectsNothing(trial: Trial, site: FurtherWriteSite, scope: Scope): Promise<boolean> {
  const candidates = new Map([[site.write.resource, await candidatesOf(trial, site.write.resource)]]);
  return predict(trial.contract, [site], scope, candidates).fails !== undefined;
}

/** Returns a value of the input that refers to a record which the write does not select. */
async function rejectedReference(
  trial: Trial,
  { at, of, write }: FurtherWriteSite,
): Promise<Readonly<Record<string, Json>>> {
  const { contract } = trial;
  const condition = contract.typed.get(`${at}/where`);
  const [creation] = creationsOf(contract, write.resource);
  if (of.kind !== "operation" || condition === undefined || creation === undefined) return {};
  const members = membersOf(contract, trial.operation(of.operation)).filter(
    ({ field }) => referenceOf(contract.model, field.type) === write.resource,
  );
  if (members.length === 0) return {};
  const random = trial.random.pick(members);
  const values: Record<string, Json> = {};
  for (const member of creation.members) {
    const candidates = await candidatesFor(trial, member, condition, creation);
    const value = candidates.length === 0 ? undefined : trial.random.pick(candidates);
    const isReference = referenceOf(contract.model, member.field.type) !== undefined;
    if (value !== undefined && !isReference) values[member.name] = value;
  }
  const record = await ifPossible(() => trial.make(write.resource, { values }));
  const id = record === undefined ? undefined : await readId(trial, record);
  return id === undefined ? {} : { [random.name]: id };
}

// ── The effects ────────────────────────────────────────────────────────────────────────────────────────────────────

interface Observation {
  readonly situation: Situation;
  readonly candidates: ReadonlyMap<string, Candidates>;
  readonly sent: Sent;
}

async function expectWrites(
  trial: Trial,
  sites: readonly FurtherWriteSite[],
  site: FurtherWriteSite,
  { candidates, sent, situation }: Observation,
): Promise<void> {
  const { contract } = trial;
  const { interaction, record } = sent;
  const response = trial.responseOf(interaction);
  if (record !== undefined) await trial.look(record);
  const prediction = predict(contract, sites, scopeOf(trial, situation, record?.values), candidates);
  const { fails } = prediction;
  if (fails?.write.else !== undefined) {
    expectError(trial, interaction, { code: fails.write.else }, fails.at);
    for (const { all } of candidates.values())
      for (const one of all) Object.assign(one, { after: new Map(one.before), isDeleted: false });
    await expectRecords(trial, sites, candidates);
    await expectCreated(trial, sites, { ...prediction, created: [] }, candidates);
    return;
  }
  if (response.status >= 300) {
    const code = site.write.else;
    const isOnly = sites.filter(({ write }) => write.else === code).every((one) => prediction.selecting.has(one));
    if (code !== undefined && isOnly && isError(contract, response, code, interaction.operation))
      throw new Broken(
        `success, since ${withArticle(site.write.resource)} is selected`,
        statusText(contract, response),
        interaction,
        site.at,
      );
    throw new NotTried(`the request answered ${statusText(contract, response)}`);
  }
  await expectRecords(trial, sites, candidates, prediction.groups);
  await expectCreated(trial, sites, prediction, candidates);
}
