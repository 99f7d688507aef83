/** Proofs of part 2. */
import type { Proof, Refusal } from "./proof.ts";
import { fieldTypeProofs } from "./field-types.ts";

export const resourceProofs: readonly Proof[] = [...fieldTypeProofs];

export const resourceRefusals: readonly Refusal[] = [];
