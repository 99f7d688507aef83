/**
 * What a check and a comparison need the plan for: the contracts of the operations that Nonet performs. The planner and the exports
 * are loaded only if there is a contract to compare with.
 */
import { type HandoverDifferences, handovers } from "../diff/handovers.ts";
import { type CheckResult, conclude, type Examined, type FurtherFindings } from "../language/check.ts";
import { knownContracts } from "../language/endpoints/contract-types.ts";

/** Concludes a check as `src/contracts/check.ts` does. */
export async function concluded(examined: Examined, further: FurtherFindings = {}): Promise<CheckResult> {
  const { model } = examined.documentIndex;
  if (knownContracts(model.endpoints).size === 0) return conclude(examined, { ...further, contracts: [] });
  const contracts = await import("./check.ts");
  return contracts.concluded(examined, further);
}

/** Returns the differences of the operations that a handler performs in one document, and Nonet in the other. */
export async function handedOver(old: CheckResult, now: Examined): Promise<HandoverDifferences | undefined> {
  if (handovers(old.model, now.documentIndex.model).length === 0) return undefined;
  const { handoverDifferences } = await import("./handovers.ts");
  return handoverDifferences(old, conclude(now));
}
