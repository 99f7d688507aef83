/**
 * Compares the contracts of operations that a handler performs in one document, and Nonet in the other: what their clients notice.
 */
import { contractDifferences } from "../diff/contracts.ts";
import { type Difference, difference } from "../diff/difference.ts";
import { type Handover, type HandoverDifferences, handovers, withPathNames } from "../diff/handovers.ts";
import { type CheckResult, soundModel, unservable } from "../language/check.ts";
import type { ContractResponse, EndpointContract } from "../language/endpoints/model.ts";
import type { Model } from "../language/model.ts";
import { mapValues } from "../language/versioning/rename.ts";
import { buildPlan } from "../plan/build.ts";
import { derivedRequest, modelOf, noticed, ofAnyForm, open, withCommonErrors, withTypes } from "./compare.ts";
import { type DerivedContracts, derivedContracts, usedHeaders } from "./derived.ts";

/** Returns the differences; of a document that cannot be served no contract is derived, so that its operations are left out. */
export function handoverDifferences(old: CheckResult, now: CheckResult): HandoverDifferences {
  const { "a handler": toHandlers = [], Nonet: toNonet = [] } = Object.groupBy(
    handovers(old.model, now.model),
    ({ to }) => to,
  );
  const [before, after] = [derivedOf(old, toHandlers), derivedOf(now, toNonet)];
  const served = after === undefined ? [] : toNonet;
  const handled = before === undefined ? [] : toHandlers;
  const differences = [
    ...(after === undefined ? [] : differencesToNonet(old.model, served, after)),
    ...(before === undefined ? [] : differencesToHandlers(now.model, handled, before)),
  ].filter(({ effect }) => effect !== "neutral");
  const all = [...served, ...handled];
  return {
    operations: new Set(all.map(({ operation }) => operation)),
    differences: [...differences, ...all.flatMap((one) => unnoticed(one, differences))],
  };
}

function derivedOf(result: CheckResult, list: readonly Handover[]): DerivedContracts | undefined {
  const sound = soundModel(result);
  if (list.length === 0 || sound === undefined || unservable(result).length > 0) return undefined;
  const plan = buildPlan(sound, result.places, result.expressions);
  return derivedContracts(plan, new Map(list.map(({ contract, operation }) => [operation, contract])));
}

function differencesToNonet(model: Model, list: readonly Handover[], derived: DerivedContracts): readonly Difference[] {
  const known = list.map(
    ({ operation, contract, old, now }) => [operation, withPathNames(contract, old, now)] as const,
  );
  return noticed(model, new Map(known), derived).flatMap(({ difference: one, use }) => {
    // A narrower response, a further header field and another form of keys disturb nobody.
    const isUseful = use === "response" ? one.kind.endsWith("-added") : !/^`[^`]+` (?:header|path)\//.test(one.message);
    return one.effect === "breaking" || isUseful ? [one] : [];
  });
}

function differencesToHandlers(
  model: Model,
  list: readonly Handover[],
  derived: DerivedContracts,
): readonly Difference[] {
  const answersOf = withCommonErrors(derived);
  const pairs = list.map(({ operation, contract, old, now }) => {
    const { header: { "If-None-Match": _, ...header } = {}, ...request } = derivedRequest(
      withPathNames(derived.contracts[operation] ?? {}, old, now),
      contract,
      { accepts: open, page: derived.pages[operation] },
    );
    const answers = mapValues(answersOf(operation), (response, status) => withUsedHeaders(response, contract, status));
    const site = { subject: operation, at: `endpoints/endpoints/${operation}/wire` };
    const path = withTypes(contract.path ?? {}, ofAnyForm);
    return { site, old: { ...request, header, answers }, now: { ...contract, path } };
  });
  return [...contractDifferences(pairs, modelOf(derived.schemas, open), model)];
}

function withUsedHeaders(
  { headers = {}, ...response }: ContractResponse,
  { answers = {} }: EndpointContract,
  status: string,
): ContractResponse {
  const declared = new Set(Object.keys(answers[status]?.headers ?? {}).map((name) => name.toLowerCase()));
  const used = Object.entries(headers).filter(([name]) => {
    return usedHeaders.has(name.toLowerCase()) || declared.has(name.toLowerCase());
  });
  return { ...response, headers: Object.fromEntries(used) };
}

/** Returns a neutral difference if clients of the operation notice nothing. */
function unnoticed({ operation, to }: Handover, differences: readonly Difference[]): readonly Difference[] {
  const isNoticed = differences.some(({ subject, message }) => {
    return subject.startsWith(`${operation}.`) || message.includes(`\`${operation}\``);
  });
  if (isNoticed) return [];
  const site = { subject: operation, at: `endpoints/endpoints/${operation}` };
  const [now, was] = to === "Nonet" ? ["Nonet", "a handler"] : ["a handler", "Nonet"];
  return [
    difference("neutral", "operation-handed-over", site, `\`${operation}\` is performed by ${now}, and was by ${was}`),
  ];
}
