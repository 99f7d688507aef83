/**
 * The proofs of test/enforced as mutants: the true document has a construct, the served one lacks it. Each proof shows that the
 * construct makes a difference to somebody who sends requests, so a test by the true document has to report a broken statement.
 */
import { check } from "../../../src/language/check.ts";
import { type PartName, partNames } from "../../../src/language/model.ts";
import { buildPlan } from "../../../src/plan/build.ts";
import type { ServiceFunctions } from "../../../src/runtime/functions/functions.ts";
import { proofs } from "../../enforced/proofs.ts";
import { behaviourOf } from "./observable.ts";

export interface ProofMutant {
  readonly id: string;
  readonly part: PartName;
  /** The true document. */
  readonly truth: string;
  /** The document that the server serves. */
  readonly text: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly functions?: ServiceFunctions;
  readonly observable: boolean;
  /** Why nobody outside can notice. */
  readonly reason?: string;
}

export function proofMutants(): readonly ProofMutant[] {
  const ids = new Map<string, number>();
  return proofs.map(({ environment, functions, of, with: truth, without }) => {
    const name = of.join(", ");
    const count = (ids.get(name) ?? 0) + 1;
    ids.set(name, count);
    const reason = whyUnobservable(of, truth, without);
    return {
      id: count === 1 ? name : `${name} (${count})`,
      // Without states there is no statement of part 3; a state in responses is an undeclared member.
      part: name === "states/none" ? "resources" : (partNames.find((part) => name.startsWith(part)) ?? "purpose"),
      ...{ truth, text: without },
      ...(environment && { environment }),
      ...(functions && { functions }),
      observable: reason === undefined,
      ...(reason === undefined ? {} : { reason }),
    };
  });
}

function whyUnobservable(of: readonly string[], truth: string, without: string): string | undefined {
  if (behaviourIn(truth) === behaviourIn(without)) return "the difference is in the description of the service alone";
  return unobservable.find(([construct]) => of.every((one) => construct.test(one)))?.[1];
}

/** By construct, why a proof that looks at its own requests has a difference that no test of the true document can look for. */
const unobservable: readonly (readonly [construct: RegExp, reason: string])[] = [
  [/\/(?:note|example)$/, "the difference is in the description of the service alone"],
  [/^states\/states$/, "no test can guess which further state a server knows"],
  [/^purpose\/service$/, "the realm of a challenge is a text for people"],
  [/^endpoints\/(?:edits|repeats)\/none$/, "the server may do more than the document states"],
  [/\/wire\/(?:query|header|cookie)\/optional$/, "the document declares 400 as a response to any request"],
  [/^endpoints\/edits\/optional$/, "the difference is in the description of the service alone"],
  [/\/wire\/answers\/type$/, "the functions of the service return the same bodies"],
  [/^endpoints\/mcp\/none$/, "no test can guess at which address a server has tools"],
  [/^endpoints\/cors\/none$/, "no test can guess which origin a server allows"],
  [/^versioning\/scheme\/none$/, "no test can guess which header a server reads"],
  [/^authentication\/credentials\/prefix$/, "keys come from the operator"],
  [/^authentication\/roles$/, "what a role may do is in the lines that name it"],
  [/^events\/delivery\/webhook\/promise$/, "the server may do more than the document states"],
  [/^limits\/time/, "only a request that takes long shows it, and no client can slow the service down"],
  [/^authentication\/credentials\/foreign$/, "the server may do more than the document states"],
];

function behaviourIn(text: string): string {
  const { expressions, model, places } = check("proof.md", text);
  return behaviourOf(buildPlan(model, places, expressions));
}
