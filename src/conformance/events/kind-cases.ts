/**
 * What clients can observe of the kinds of events at one address: an unknown kind is rejected, or accepted if some event at the
 * address receives all other kinds; and unknown members are ignored or rejected as declared.
 */
import type { JsonObject } from "../../base/json.ts";
import type { InEvent } from "../../language/events/model.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import type { Contract } from "../contract.ts";
import { statusText } from "../errors/expected.ts";
import { payloadOf, withValue } from "../trial/incoming.ts";
import type { Trial } from "../trial/trial.ts";

export function kindCases({ model }: Contract, name: string, event: InEvent): readonly Case[] {
  const { is = {}, method, path, unknown } = event;
  const at = `events/in/${name}`;
  const others = Object.values(model.events.in ?? {}).filter((one) => one.method === method && one.path === path);
  const receivesAll = others.some((one) => one.is === undefined);
  const [member] = Object.keys(is).filter((written) => !written.startsWith("header "));
  const kind = `another \`${member}\` than those of the events at this address`;
  return [
    ...(member === undefined
      ? []
      : [
          expecting(
            `${at}/is`,
            `${kind} is ${receivesAll ? "accepted" : "rejected"}`,
            name,
            (payload) => withValue(payload, member, "no.such-kind-of-event"),
            receivesAll,
          ),
        ]),
    ...(unknown === undefined
      ? []
      : [
          expecting(
            `${at}/unknown`,
            `a member that ${name} does not carry is ${unknown}`,
            name,
            (payload) => ({ ...payload, notDeclaredAtAll: true }),
            unknown === "ignored",
          ),
        ]),
  ];
}

function expecting(
  path: string,
  expects: string,
  name: string,
  change: (payload: JsonObject) => JsonObject,
  isAccepted: boolean,
): Case {
  return {
    id: path,
    aspects: [{ path, expects }],
    run: async (trial: Trial) => {
      const plain = await trial.sendIncoming(name, await payloadOf(trial, name));
      if (trial.responseOf(plain).status >= 300) throw new NotTried(`${name} is not accepted at all`);
      const interaction = await trial.sendIncoming(name, change(await payloadOf(trial, name)));
      const response = trial.responseOf(interaction);
      if (isAccepted ? response.status === 202 : response.status >= 400 && response.status < 500) return;
      const wanted = isAccepted ? "the status 202" : "an error of the client";
      throw new Broken(wanted, statusText(trial.contract, response), interaction, path);
    },
  };
}
