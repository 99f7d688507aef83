/** What clients can observe of part 4, by subject. */
import type { Case, PartCases } from "../case.ts";
import type { Contract } from "../contract.ts";
import { aggregateCases } from "./aggregates.ts";
import { agentCases } from "./agents.ts";
import { bodyCases } from "./bodies.ts";
import { chooseCases } from "./choose.ts";
import { contractCases } from "./contracts.ts";
import { corsCases } from "./cors.ts";
import { deletionCases } from "./deletion.ts";
import { editCases } from "./edits.ts";
import { expandCases } from "./expand.ts";
import { fieldsCases } from "./fields.ts";
import { guardCases } from "./guards.ts";
import { historyCases } from "./history.ts";
import { idempotencyCases } from "./idempotency.ts";
import { keyCases } from "./keys.ts";
import { linkCases } from "./links.ts";
import { contentCases } from "./lists/contents.ts";
import { nameCases } from "./lists/names.ts";
import { optionCases } from "./lists/options.ts";
import { pagingCases } from "./lists/pages.ts";
import { parameterCases } from "./lists/parameters.ts";
import { manyRecordCases } from "./many-records.ts";
import { outcomeCases } from "./outcomes.ts";
import { pathCases } from "./paths.ts";
import { queryCases } from "./queries.ts";
import { requestCases } from "./requests.ts";
import { responseCases } from "./responses.ts";
import { selectedCases } from "./selected.ts";
import { storedCases } from "./stored.ts";
import { summaryCases } from "./summaries.ts";
import { undeclaredCases } from "./undeclared.ts";
import { unservedCases } from "./unserved.ts";

const subjects: readonly ((contract: Contract) => readonly Case[])[] = [
  pathCases,
  keyCases,
  undeclaredCases,
  unservedCases,
  storedCases,
  bodyCases,
  requestCases,
  queryCases,
  responseCases,
  manyRecordCases,
  aggregateCases,
  summaryCases,
  outcomeCases,
  guardCases,
  chooseCases,
  selectedCases,
  linkCases,
  deletionCases,
  historyCases,
  pagingCases,
  parameterCases,
  nameCases,
  optionCases,
  contentCases,
  expandCases,
  fieldsCases,
  editCases,
  idempotencyCases,
  corsCases,
  agentCases,
  contractCases,
];

export function endpointCases(contract: Contract): PartCases {
  return { cases: subjects.flatMap((derive) => derive(contract)), unobservable: [] };
}
