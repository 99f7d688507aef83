/** Whether the service accepts a credential, as a request shows that gets 401 without one. */
import type { SentIn } from "../../language/authentication/model.ts";
import { Broken } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import { placesIn, sending, withToken } from "../credentials.ts";
import { statusText } from "../errors/expected.ts";
import { expectError } from "../expect.ts";
import type { Interaction } from "../interaction.ts";
import type { KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import type { Probe } from "./probe.ts";

/** @param caller by default the one of the probe */
export async function expectAccepted(trial: Trial, probe: Probe, caller: Caller = probe.caller): Promise<Interaction> {
  const interaction = await trial.call(probe.operation, { caller, ...recordOf(probe) });
  const response = trial.responseOf(interaction);
  if (response.status === 401)
    throw new Broken("no 401 with a valid credential", statusText(trial.contract, response), interaction);
  return interaction;
}

export async function expectRejected(trial: Trial, probe: Probe, caller: Caller): Promise<void> {
  const body = probe.record === undefined ? {} : { body: null };
  const interaction = await trial.call(probe.operation, { caller, ...recordOf(probe), ...body });
  expectError(trial, interaction, { code: "unauthenticated" });
}

/** Expects the caller to be rejected in each place in which clients may send the credential. */
export async function expectRejectedEverywhere(
  trial: Trial,
  probe: Probe,
  credential: string,
  caller: Caller,
): Promise<void> {
  const { contract } = trial;
  for (const location of placesIn(contract, credential))
    await expectRejected(trial, probe, sending(contract, credential, caller, location));
}

function recordOf({ record }: Probe): { readonly record?: KnownRecord } {
  return record === undefined ? {} : { record };
}

/** A caller who sends this text as the credential. */
export function sender(
  { contract }: Trial,
  credential: string,
  token: string,
  name: string,
  location?: SentIn,
): Caller {
  return { ...anonymous, name, authorize: (request) => withToken(contract, credential, token, request, location) };
}

/**
 * Returns the caller with the present token, also after the test has another one for the user. The name is the same for all users, so
 * that a deviation that has been reported of one of them is not reported of the next.
 */
export function withoutRenewal(trial: Trial, caller: Caller): Caller {
  const { credential } = caller;
  const name = `a user of ${credential}`;
  const token = trial.world.sessions.get(caller)?.token;
  if (token === undefined || credential === undefined) return { ...caller, name };
  return { ...caller, name, authorize: (request) => withToken(trial.contract, credential, token, request) };
}
