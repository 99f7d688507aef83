/** Checks a document and what needs its plan: whether the operations that Nonet performs keep the contracts that callers know. */
import { type CheckResult, conclude, type Examined, examine, type FurtherFindings } from "../language/check.ts";
import { knownContracts } from "../language/endpoints/contract-types.ts";
import { contractFindings } from "./findings.ts";

/** Pure and total: any bytes return a result. */
export function check(name: string, input: string | Uint8Array): CheckResult {
  return concluded(examine(name, input));
}

/** Concludes a check with the findings about operations that do not keep the contracts that their callers know. */
export function concluded(examined: Examined, further: Omit<FurtherFindings, "contracts"> = {}): CheckResult {
  // Then no operation has to be planned, and the document is concluded once.
  if (knownContracts(examined.documentIndex.model.endpoints).size === 0)
    return conclude(examined, { ...further, contracts: [] });
  const contracts = contractFindings(conclude(examined));
  return conclude(examined, contracts === undefined ? further : { ...further, contracts });
}
