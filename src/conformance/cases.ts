/** All cases of a document, part by part. */
import type { PartName } from "../language/model.ts";
import { authenticationCases } from "./authentication/cases.ts";
import type { DeriveCases, PartCases } from "./case.ts";
import type { Contract } from "./contract.ts";
import { endpointCases } from "./endpoints/cases.ts";
import { errorCases } from "./errors/cases.ts";
import { eventCases } from "./events/cases.ts";
import { furtherWriteCases } from "./further-writes/cases.ts";
import { limitCases } from "./limits/cases.ts";
import { purposeCases } from "./purpose/cases.ts";
import { resourceCases } from "./resources/cases.ts";
import { stateCases } from "./states/cases.ts";
import { versioningCases } from "./versioning/cases.ts";

const parts: Partial<Readonly<Record<PartName, DeriveCases>>> = {
  purpose: purposeCases,
  resources: resourceCases,
  states: stateCases,
  endpoints: endpointCases,
  authentication: authenticationCases,
  events: eventCases,
  errors: errorCases,
  limits: limitCases,
  versioning: versioningCases,
};

/** Returns what a client can observe of a document, and what it cannot. */
export function casesOf(contract: Contract): PartCases {
  const all = Object.values(parts).map((derive) => derive(contract));
  const cases = [...all.flatMap((one) => one.cases), ...furtherWriteCases(contract)];
  return { cases, unobservable: all.flatMap((one) => one.unobservable) };
}
