/** What clients can observe of part 2. */
import type { DeriveCases, PartCases } from "../case.ts";
import type { Contract } from "../contract.ts";
import { computedCases } from "./computed.ts";
import { counterCases } from "./counters.ts";
import { defaultCases } from "./defaults.ts";
import { deletionCases } from "./deletion.ts";
import { editCases } from "./edits.ts";
import { fileCases } from "./files.ts";
import { fixedCases } from "./fixed.ts";
import { hiddenCases } from "./hidden.ts";
import { idCases } from "./ids.ts";
import { linkCases } from "./links.ts";
import { listCases } from "./lists.ts";
import { memberCases } from "./members.ts";
import { notUniqueCases } from "./not-unique.ts";
import { referenceCases } from "./references.ts";
import { ruleCases } from "./rules.ts";
import { responseCases, untried } from "./responses.ts";
import { uniqueCases } from "./unique.ts";
import { valueCases } from "./values.ts";

/** Tests defaults first: records with a wrong owner cannot be deleted, and would use up the quotas of all later cases. */
const subjects: readonly ((contract: Contract) => PartCases["cases"])[] = [
  ...[defaultCases, counterCases, idCases, valueCases, memberCases, fixedCases, uniqueCases, notUniqueCases, ruleCases],
  ...[
    referenceCases,
    deletionCases,
    editCases,
    computedCases,
    linkCases,
    listCases,
    hiddenCases,
    fileCases,
    responseCases,
  ],
];

export const resourceCases: DeriveCases = (contract) => {
  const cases = subjects.flatMap((casesOf) => casesOf(contract));
  return { cases, unobservable: untried(contract, cases) };
};
