/** The record that an incoming event is about, and what must be so after it. */
import type { JsonObject } from "../../base/json.ts";
import { Broken, NotTried, shortText } from "../case.ts";
import type { Contract } from "../contract.ts";
import { transitionsOf, type TriggeredTransition } from "../effects.ts";
import { statusText } from "../errors/expected.ts";
import type { Interaction } from "../interaction.ts";
import { incomingFor, payloadOf, payloadWhere } from "../trial/incoming.ts";
import type { KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";

export interface Situation {
  readonly payload: JsonObject;
  /** A record that the event moves, and how; absent if it moves none. */
  readonly record?: KnownRecord;
  readonly transition?: TriggeredTransition;
}

/** Returns the transitions that an incoming event makes. */
export function transitionsOfEvent(contract: Contract, name: string): readonly TriggeredTransition[] {
  return transitionsOf(contract).filter((one) => incomingFor(contract, one)?.event === name);
}

/** Returns a valid payload, about a record that the event moves if there is one. */
export async function situationOf(trial: Trial, name: string): Promise<Situation> {
  for (const transition of transitionsOfEvent(trial.contract, name)) {
    const incoming = incomingFor(trial.contract, transition);
    const [state] = transition.from;
    if (incoming === undefined || state === undefined) continue;
    const record = await trial.make(transition.resource, { state });
    const payload = await payloadWhere(trial, incoming, record, transition, true);
    if (payload !== undefined) return { payload, record, transition };
  }
  return { payload: await payloadOf(trial, name) };
}

/** Expects a client error, and the record that the event would move in its state. */
export async function expectRejected(
  trial: Trial,
  name: string,
  path: string,
  send: (payload: JsonObject) => Promise<Interaction>,
): Promise<void> {
  const { payload, record } = await situationOf(trial, name);
  const check = async (): Promise<Interaction> => {
    const interaction = await send(payload);
    const response = trial.responseOf(interaction);
    if (response.status >= 400 && response.status < 500) return interaction;
    throw new Broken("an error of the client", statusText(trial.contract, response), interaction, path);
  };
  const state = record?.values.get("state");
  if (record === undefined || typeof state !== "string") await check();
  else await expectState(trial, record, state, path, check);
}

/** Expects a request to leave the record in its state, if some response shows the state. */
export async function expectState(
  trial: Trial,
  record: KnownRecord,
  state: string,
  path: string,
  send: () => Promise<Interaction>,
): Promise<void> {
  await trial.look(record);
  if (record.values.get("state") !== state) throw new NotTried(`the ${record.resource} is no longer ${state}`);
  const interaction = await send();
  record.values.delete("state");
  await trial.look(record);
  const found = record.values.get("state");
  if (found !== undefined && found !== state)
    throw new Broken(`the ${record.resource} still in the state ${state}`, shortText(found), interaction, path);
  record.values.set("state", state);
}
