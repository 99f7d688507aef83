/** What clients can observe of part 4, by subject. */
import type { Case, PartCases } from "../case.ts";
import type { Contract } from "../contract.ts";
import { aggregateCases } from "./aggregates.ts";
import { chooseCases } from "./choose.ts";
import { corsCases } from "./cors.ts";
import { deletionCases } from "./deletion.ts";
import { editCases } from "./edits.ts";
import { guardCases } from "./guards.ts";
import { idempotencyCases } from "./idempotency.ts";
import { linkCases } from "./links.ts";
import { contentCases } from "./lists/contents.ts";
import { nameCases } from "./lists/names.ts";
import { pagingCases } from "./lists/pages.ts";
import { parameterCases } from "./lists/parameters.ts";
import { pathCases } from "./paths.ts";
import { responseCases } from "./responses.ts";
import { storedCases } from "./stored.ts";
import { undeclaredCases } from "./undeclared.ts";

const subjects: readonly ((contract: Contract) => readonly Case[])[] = [
  pathCases,
  undeclaredCases,
  storedCases,
  pagingCases,
  parameterCases,
  nameCases,
  contentCases,
  deletionCases,
  editCases,
  idempotencyCases,
  corsCases,
  chooseCases,
  guardCases,
  linkCases,
  responseCases,
  aggregateCases,
];

export function endpointCases(contract: Contract): PartCases {
  return { cases: subjects.flatMap((derive) => derive(contract)), unobservable: [] };
}
