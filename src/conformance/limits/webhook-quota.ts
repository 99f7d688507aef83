/** The quota of `webhook`: how many endpoints a caller may have. */
import { isObject } from "../../base/json.ts";
import { lookup } from "../../language/resources/fields.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import { admits } from "../permissions.ts";
import type { Contract } from "../contract.ts";
import { isError, statusText } from "../errors/expected.ts";
import { expectError } from "../expect.ts";
import { sendToWebhooks } from "../events/subscription.ts";
import type { Interaction } from "../interaction.ts";
import { rolesOf } from "../roles.ts";
import { newCaller } from "../trial/callers.ts";
import { textOf } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import type { QuotaLine } from "./quotas.ts";

/** A name that no resolver knows (RFC 6761), so that no event leaves the service. */
const receiver = "https://receiver.invalid/";

export function webhookQuotaCase({ model }: Contract, { caller: number, path, quota }: QuotaLine): readonly Case[] {
  if (model.events.delivery?.webhook === undefined) return [];
  const { count } = quota;
  return [
    {
      id: `${path}: exactly so many`,
      aspects: [{ path, expects: `a caller can have ${count} endpoints of webhooks` }],
      exclusive: true,
      run: async (trial) => {
        const caller = await subscriber(trial, number);
        const made: Interaction[] = [];
        try {
          for (let index = 1; index <= count + 1; index += 1) made.push(await subscribe(trial, caller));
          expectCount(trial, made, count);
        } finally {
          for (const one of made) await unsubscribe(trial, caller, one);
        }
      },
    },
  ];
}

function expectCount(trial: Trial, made: readonly Interaction[], count: number): void {
  const text = (one: Interaction): string => statusText(trial.contract, trial.responseOf(one));
  for (const [index, one] of made.slice(0, count).entries()) {
    if (trial.responseOf(one).status < 300) continue;
    if (!isError(trial.contract, trial.responseOf(one), "quota-exceeded"))
      throw new NotTried(`the service answered ${text(one)} to a new endpoint`);
    throw new Broken(`${count} endpoints`, `${text(one)} for endpoint ${index + 1}`, one);
  }
  const last = made[count];
  if (last !== undefined) expectError(trial, last, { code: "quota-exceeded" });
}

/** Returns a caller who may subscribe and has not done so before. */
async function subscriber(trial: Trial, number: number): Promise<Caller> {
  const { contract } = trial;
  const grants = contract.model.events.delivery?.webhook?.for ?? [];
  for (const roles of rolesOf(contract)) {
    if (!grants.some((grant) => admits(grant, { ...anonymous, roles, signedIn: true }))) continue;
    const caller = await newCaller(trial, roles, number);
    if (caller !== undefined) return caller;
  }
  throw new NotTried("the test has no caller who may subscribe and has not done so before", "a further credential");
}

async function subscribe(trial: Trial, caller: Caller): Promise<Interaction> {
  const [event] = Object.keys(trial.contract.model.events.out ?? {});
  const body = { url: receiver, ...(event === undefined ? {} : { events: [event] }) };
  return sendToWebhooks(trial, caller, "POST", "", body);
}

async function unsubscribe(trial: Trial, caller: Caller, made: Interaction): Promise<void> {
  const { json, status } = trial.responseOf(made);
  const id = status < 300 && isObject(json) ? lookup(json, "id") : undefined;
  if (id !== undefined) await sendToWebhooks(trial, caller, "DELETE", `/${textOf(id)}`);
}
