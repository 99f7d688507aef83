/** What clients can observe of part 8: rates, quotas, sizes and retention at their edges. */
import type { PartCases } from "../case.ts";
import type { Contract } from "../contract.ts";
import { quotaCases } from "./quotas.ts";
import { rateLines } from "./rate-lines.ts";
import { rateCases } from "./rates.ts";
import { retentionCases } from "./retention.ts";
import { sizeCases } from "./sizes.ts";

/** The first number of callers that only these cases use. */
const firstCaller = 3;

export function limitCases(contract: Contract): PartCases {
  const { time = {} } = contract.model.limits;
  const all = [
    rateCases(contract, firstCaller),
    quotaCases(contract, firstCaller + 2 * rateLines(contract).length),
    sizeCases(contract),
    retentionCases(contract),
  ];
  const times = Object.entries(time).map(([target, longest]) => ({
    path: `limits/time/${target}`,
    expects: `a request takes at most ${longest}`,
    reason: "only a request that takes long shows it, and no client can slow the service down",
  }));
  return {
    cases: all.flatMap(({ cases }) => cases),
    unobservable: [...all.flatMap(({ unobservable }) => unobservable), ...times],
  };
}
