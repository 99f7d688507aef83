/** All proofs, part by part. */
import type { Proof, Refusal } from "./proof.ts";
import { resourceProofs, resourceRefusals } from "./resources.ts";

export const proofs: readonly Proof[] = [...resourceProofs];

export const refusals: readonly Refusal[] = [...resourceRefusals];
