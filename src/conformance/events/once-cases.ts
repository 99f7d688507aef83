/** Deliveries that arrive again: a signature counts once, and so does the id of a delivery (`once`); another id counts again. */
import type { Json, JsonObject } from "../../base/json.ts";
import type { InEvent } from "../../language/events/model.ts";
import { requestValueOf } from "../../language/events/request-value.ts";
import { lookup } from "../../language/resources/fields.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import type { Contract } from "../contract.ts";
import type { TriggeredTransition } from "../effects.ts";
import { statusText } from "../errors/expected.ts";
import type { Interaction } from "../interaction.ts";
import {
  deliveryField,
  incomingFor,
  incomingRequest,
  type IncomingOptions,
  payloadWhere,
  senderOf,
  withValue,
} from "../trial/incoming.ts";
import type { KnownRecord } from "../trial/known.ts";
import { pathsBetween } from "../trial/states.ts";
import type { Trial } from "../trial/trial.ts";
import { syncClock } from "../trial/world.ts";
import { expectState, transitionsOfEvent } from "./incoming-situation.ts";
import { valueAt } from "../endpoints/subjects.ts";

export function onceCases(contract: Contract, name: string, event: InEvent): readonly Case[] {
  const round = roundOf(contract, name);
  if (round === undefined) return [];
  const kind = lookup(contract.model.authentication.credentials, event.with)?.kind;
  return [
    ...(kind === "hmac-sha256" ? [sameSignature(name, round)] : []),
    ...(event.once === undefined ? [] : [sameDelivery(contract, name, event.once, round)]),
  ];
}

/** A transition by an event, and operations that bring the record back, so that another event would move it again. */
interface Round {
  readonly transition: TriggeredTransition;
  readonly from: string;
  readonly back: readonly TriggeredTransition[];
}

function roundOf(contract: Contract, name: string): Round | undefined {
  const rounds = transitionsOfEvent(contract, name).flatMap((transition) =>
    transition.from.flatMap((from): Round[] => {
      const [back] = pathsBetween({ contract }, transition.resource, transition.to, from);
      const isByOperations = back?.every(({ trigger }) => trigger.on.kind === "by") === true;
      return isByOperations ? [{ transition, from, back }] : [];
    }),
  );
  return rounds[0];
}

async function restore(trial: Trial, record: KnownRecord, { back }: Round): Promise<void> {
  record.values.delete("state");
  for (const one of back) {
    const { interaction } = await trial.makeTransition(record, one);
    if (trial.responseOf(interaction).status >= 300) throw new NotTried("the record cannot be brought back");
  }
}

async function neededPayload(trial: Trial, record: KnownRecord, { transition }: Round): Promise<JsonObject> {
  const incoming = incomingFor(trial.contract, transition);
  const payload = incoming && (await payloadWhere(trial, incoming, record, transition, true));
  if (payload === undefined) throw new NotTried("the test finds no payload that moves the record");
  return payload;
}

/** The same signed request changes nothing the second time. */
function sameSignature(name: string, round: Round): Case {
  const path = `events/in/${name}/with`;
  return {
    id: `${path}: twice`,
    aspects: [{ path, expects: `a signature counts once: the same ${name} changes nothing the second time` }],
    run: async (trial) => {
      const record = await trial.make(round.transition.resource, { state: round.from });
      const payload = await neededPayload(trial, record, round);
      await syncClock(trial.world);
      const sender = await senderOf(trial, name);
      const request = incomingRequest(trial, name, JSON.stringify(payload), { sender });
      const first = await trial.send(request, sender);
      if (trial.responseOf(first).status >= 300) throw new NotTried("the first event is not accepted");
      await restore(trial, record, round);
      await expectState(trial, record, round.from, path, () => trial.send(request, sender));
    },
  };
}

/** Another request with the same id changes nothing and gets the same response; one with another id counts. */
function sameDelivery(contract: Contract, name: string, once: string, round: Round): Case {
  const path = `events/in/${name}/once`;
  const at = requestValueOf(once);
  const field = deliveryField(contract, name);
  return {
    id: `${path}: twice`,
    aspects: [{ path, expects: `${name} with the same \`${once}\` changes nothing again, and one with another does` }],
    run: async (trial) => {
      if (at.kind === "header" && field === undefined)
        throw new NotTried(`the signature of ${name} contains \`${once}\``);
      const record = await trial.make(round.transition.resource, { state: round.from });
      const idIn = (payload: JsonObject): Json | undefined =>
        at.kind === "member" ? valueAt(payload, at.path) : undefined;
      const options = (id: string): IncomingOptions => (field === undefined ? {} : { headers: { [field]: id } });
      const id = trial.random.text(12);
      const payload = await neededPayload(trial, record, round);
      const first = await trial.sendIncoming(name, payload, options(id));
      const { status } = trial.responseOf(first);
      if (status >= 300) throw new NotTried("the first event is not accepted");
      await restore(trial, record, round);
      const other = await neededPayload(trial, record, round);
      const [known, next] = [idIn(payload), idIn(other)];
      const same = known === undefined ? other : withValue(other, once, known);
      const send = async (): Promise<Interaction> => {
        // The blank makes another signature, even if nothing else differs.
        const again = await trial.sendIncoming(name, same, { ...options(id), body: `${JSON.stringify(same)} ` });
        const response = trial.responseOf(again);
        if (response.status === status) return again;
        throw new Broken(`the same status ${status} again`, statusText(trial.contract, response), again, path);
      };
      await expectState(trial, record, round.from, path, send);
      if (at.kind === "member" && (next === undefined || next === known)) return;
      const counted = await trial.sendIncoming(name, other, options(`${id}-other`));
      if (trial.responseOf(counted).status >= 300) throw new NotTried("another event is not accepted");
      record.values.delete("state");
      await trial.look(record);
      const state = record.values.get("state");
      if (state === round.from && round.transition.to !== round.from)
        throw new Broken(
          `another ${name} to count, since its \`${once}\` is another one`,
          `still ${state}`,
          counted,
          path,
        );
    },
  };
}
