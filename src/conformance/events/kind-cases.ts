/**
 * What clients can observe of the kinds of events at one address: an unknown kind changes nothing, and is rejected, or accepted if
 * some event at the address receives all other kinds; and unknown members are ignored or rejected as declared.
 */
import type { InEvent } from "../../language/events/model.ts";
import { requestValueOf } from "../../language/events/request-value.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import type { Contract } from "../contract.ts";
import { statusText } from "../errors/expected.ts";
import type { Interaction } from "../interaction.ts";
import { payloadOf, withValue } from "../trial/incoming.ts";
import type { Trial } from "../trial/trial.ts";
import { expectState, situationOf } from "./incoming-situation.ts";

export function kindCases(contract: Contract, name: string, { unknown, ...event }: InEvent): readonly Case[] {
  const path = `events/in/${name}/unknown`;
  return [
    ...unknownKinds(contract, name, event),
    ...(unknown === undefined
      ? []
      : [
          {
            id: path,
            aspects: [{ path, expects: `a member that ${name} does not carry is ${unknown}` }],
            run: async (trial) => {
              await expectUsual(trial, name);
              const payload = { ...(await payloadOf(trial, name)), notDeclaredAtAll: true };
              expectOutcome(trial, await trial.sendIncoming(name, payload), path, unknown === "ignored");
            },
          } satisfies Case,
        ]),
  ];
}

const otherKind = "no.such-kind-of-event";

/** A request that differs from the event in one value of `is` is another kind, which no event of the document names. */
function unknownKinds({ model }: Contract, name: string, { is = {}, method, path: at }: InEvent): readonly Case[] {
  const path = `events/in/${name}/is`;
  const rest = Object.values(model.events.in ?? {}).find(
    (one) => one.method === method && one.path === at && one.is === undefined,
  );
  // The members of this event need not be those that the event for all other kinds carries.
  if (rest !== undefined && (rest.unknown !== "ignored" || Object.keys(rest.carries).length > 0)) return [];
  return Object.keys(is).map((written): Case => {
    const expects = `another \`${written}\` than those of the events at this address is ${rest === undefined ? "rejected" : "accepted"}, and changes nothing`;
    return {
      id: `${path}: ${written}`,
      aspects: [{ path, expects }],
      run: async (trial) => {
        await expectUsual(trial, name);
        const { payload, record } = await situationOf(trial, name);
        const value = requestValueOf(written);
        const headers = value.kind === "header" ? { [value.name]: otherKind } : {};
        const send = async (): Promise<Interaction> => {
          const changed = withValue(payload, written, otherKind);
          const interaction = await trial.sendIncoming(name, changed, { headers });
          expectOutcome(trial, interaction, path, rest !== undefined);
          return interaction;
        };
        const state = record?.values.get("state");
        if (record === undefined || typeof state !== "string") await send();
        else await expectState(trial, record, state, path, send);
      },
    };
  });
}

async function expectUsual(trial: Trial, name: string): Promise<void> {
  const plain = await trial.sendIncoming(name, await payloadOf(trial, name));
  if (trial.responseOf(plain).status >= 300) throw new NotTried(`${name} is not accepted at all`);
}

function expectOutcome(trial: Trial, interaction: Interaction, path: string, isAccepted: boolean): void {
  const response = trial.responseOf(interaction);
  if (isAccepted ? response.status === 202 : response.status >= 400 && response.status < 500) return;
  const wanted = isAccepted ? "the status 202" : "an error of the client";
  throw new Broken(wanted, statusText(trial.contract, response), interaction, path);
}
