/** All proofs, part by part. */
import { authenticationProofs, authenticationRefusals } from "./authentication.ts";
import { actionProofs } from "./actions.ts";
import { alsoProofs } from "./also.ts";
import { endpointProofs, endpointRefusals } from "./endpoints.ts";
import { eventProofs } from "./events.ts";
import { expandProofs } from "./expand.ts";
import { errorProofs } from "./errors.ts";
import { keyProofs } from "./keys.ts";
import { limitProofs } from "./limits.ts";
import { manyRecordProofs } from "./many-records.ts";
import { loginProofs } from "./logins.ts";
import type { Proof, ApiError } from "./proof.ts";
import { purposeProofs, purposeRefusals } from "./purpose.ts";
import { requestProofs } from "./requests.ts";
import { resourceProofs, resourceRefusals } from "./resources.ts";
import { stateProofs } from "./states.ts";
import { versioningProofs, versioningRefusals } from "./versioning.ts";

export const proofs: readonly Proof[] = [
  ...purposeProofs,
  ...resourceProofs,
  ...stateProofs,
  ...endpointProofs,
  ...keyProofs,
  ...actionProofs,
  ...alsoProofs,
  ...requestProofs,
  ...expandProofs,
  ...manyRecordProofs,
  ...authenticationProofs,
  ...loginProofs,
  ...eventProofs,
  ...errorProofs,
  ...limitProofs,
  ...versioningProofs,
];

export const refusals: readonly ApiError[] = [
  ...purposeRefusals,
  ...resourceRefusals,
  ...authenticationRefusals,
  ...endpointRefusals,
  ...versioningRefusals,
];
