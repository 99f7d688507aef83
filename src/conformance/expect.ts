/** What cases expect of a response. Each function throws `Broken` if the response is not so. */
import { getOrMake } from "../base/once.ts";
import { Broken, NotTried } from "./case.ts";
import {
  codeIn,
  errorDeviations,
  expectedBody,
  type ExpectedError,
  isFurtherError,
  isStated,
  statusOf,
  statusText,
} from "./errors/expected.ts";
import type { Interaction, Response } from "./interaction.ts";
import { report } from "./trial/calls.ts";
import type { Trial } from "./trial/trial.ts";

/** Expects a successful response. `path`: the statement that is broken otherwise; by default the case's. */
export function expectSuccess(trial: Trial, interaction: Interaction, path?: string): Response {
  const response = trial.responseOf(interaction);
  if (response.status < 300) return response;
  const called = trial.contract.operations.get(interaction.operation ?? "");
  if (called !== undefined && isFurtherError(trial.contract, response, called))
    throw new NotTried(`${called.operation} got an error of its further writes (\`also\`)`);
  throw new Broken("success", statusText(trial.contract, response), interaction, path);
}

/** Returns the finding that the last response of a case shows. */
export function brokenBy(
  { interactions }: Pick<Trial, "interactions">,
  expected: string,
  got: string,
  path?: string,
): Broken {
  return new Broken(expected, got, interactions.at(-1), path);
}

/** Returns the response to a request on which the case rests. @throws NotTried if it is no success */
export function neededSuccess(trial: Trial, interaction: Interaction): Response {
  const response = trial.responseOf(interaction);
  if (response.status < 300) return response;
  throw new NotTried(`${interaction.operation} answered ${statusText(trial.contract, response)}`);
}

/** The key of an error of a single member among those that were provoked. */
export function singleKey(code: string): string {
  return `single ${code}`;
}

/** Expects an error. If the document does not state the error, any response between 400 and 499 will do. */
export function expectError(trial: Trial, interaction: Interaction, expected: ExpectedError, path?: string): Response {
  const { contract } = trial;
  const response = trial.responseOf(interaction);
  const { operation } = interaction;
  const status = statusOf(contract, expected.code, operation, expected.status);
  const named = isStated(contract, expected.code) ? `the error ${status ?? ""} ${expected.code}` : "an error";
  // A document may declare an error with a status below 400.
  if (response.status < 400 && response.status !== status)
    throw new Broken(named, statusText(contract, response), interaction, path);
  if (!isStated(contract, expected.code)) return response;
  const [first] = errorDeviations(contract, response, expected, operation);
  if (first === undefined) {
    const singles = (expected.entries ?? []).flatMap(({ codes }) => (codes.length === 1 ? codes.map(singleKey) : []));
    for (const key of [expected.code, expectedBody(contract, expected, operation).path, ...singles])
      getOrMake(trial.world.provoked, key, () => []).push(interaction);
    return response;
  }
  // If another error came, the case's own statement is broken; if only its status or its body is wrong, part 7 is.
  const isOther = first.path.startsWith("errors/standard") || first.path.startsWith("errors/errors/");
  const isSame = codeIn(contract, response) === expected.code;
  if (isOther && !isSame) throw new Broken(first.expected, first.got, interaction, path);
  report(trial, interaction, first);
  return response;
}
