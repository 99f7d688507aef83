/** Waits for a rate limit that other cases have used up, and sends the request again. */
import { NotTried } from "../case.ts";
import type { Caller } from "../caller.ts";
import { type Interaction, isResponse, type Request } from "../interaction.ts";
import type { Trial } from "./trial.ts";

/** Sends a request, and waits for a rate limit that other cases have used up. The response is not compared with anything. */
export async function sendAfterLimits(
  trial: Trial,
  request: Request,
  caller: Caller,
  { operation, expectsLimit }: { readonly operation?: string; readonly expectsLimit?: boolean } = {},
): Promise<Interaction> {
  const first = await trial.send(request, caller, operation);
  return expectsLimit === true ? first : afterLimits(trial, first, () => trial.send(request, caller, operation));
}

/** Waits for a rate limit that other cases have used up, and sends the request again. */
export async function afterLimits(
  trial: Trial,
  interaction: Interaction,
  again: () => Promise<Interaction>,
): Promise<Interaction> {
  const { response } = interaction;
  const { target, deadline } = trial.world;
  if (!isResponse(response) || response.status !== 429) return interaction;
  const seconds = Number(response.headers["retry-after"] ?? "60");
  const wait = (Number.isFinite(seconds) ? Math.max(seconds, 1) : 60) * 1000;
  if (target.clock !== undefined) await trial.pass(wait);
  else if (target.now() + wait < deadline) await target.wait(wait + 50);
  else throw new NotTried("a rate limit of the document is used up", "a test clock, or a larger --budget");
  return again();
}
