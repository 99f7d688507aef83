/** Concludes a check with what needs the plan: whether operations keep the contracts that their callers know. */
import { type CheckResult, conclude, type Examined, type FurtherFindings } from "../language/check.ts";
import { knownContracts } from "../language/endpoints/contract-types.ts";

/** The planner and the exports are loaded only if the document has such a contract. */
export async function concluded(examined: Examined, further: FurtherFindings = {}): Promise<CheckResult> {
  const { model } = examined.documentIndex;
  if (knownContracts(model.endpoints).size === 0) return conclude(examined, { ...further, contracts: [] });
  const { contractFindings } = await import("../contracts/findings.ts");
  const contracts = contractFindings(conclude(examined));
  return conclude(examined, contracts === undefined ? further : { ...further, contracts });
}
