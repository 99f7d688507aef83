/** What clients can observe of `revoked`, if the owner of the implementation lets the test revoke a credential. */
import { lengthOf, parseDuration } from "../../base/duration.ts";
import type { Credential } from "../../language/authentication/model.ts";
import { makesTokens } from "../../language/authentication/oauth.ts";
import { type Case, NotTried } from "../case.ts";
import { expectAccepted, expectRejectedEverywhere, withoutRenewal } from "./accepted.ts";
import { probeWithNew } from "./probe.ts";

/** How long a service may take to notice a revocation, in milliseconds. */
const noticeMilliseconds = 2000;

const dayMilliseconds = 86_400_000;

/** Whether the owner of the implementation revokes credentials of this kind. */
export function isRevocable(credential: Credential): boolean {
  const { kind, of } = credential;
  return kind === "api-key" || kind === "password" || (kind === "basic" && of === undefined) || makesTokens(credential);
}

export function revocationCases(name: string, credential: Credential): readonly Case[] {
  const { revoked } = credential;
  if (revoked === undefined || !isRevocable(credential)) return [];
  const path = `authentication/credentials/${name}/revoked`;
  const delay = parseDuration(revoked);
  return [
    {
      id: path,
      aspects: [{ path, expects: `a revocation takes effect: ${revoked}` }],
      exclusive: true,
      run: async (trial) => {
        const { clock, revoke, wait } = trial.world.target;
        const remedy = "a command that revokes a credential: --revoke";
        if (revoke === undefined) throw new NotTried("no operation of the document revokes the credential", remedy);
        const probe = await probeWithNew(trial, name);
        const { caller } = probe;
        if (caller.isNew !== true || caller.id === undefined)
          throw new NotTried("the test revokes no credential that it is lent", "a command that makes one: --obtain");
        const old = withoutRenewal(trial, caller);
        const pass = (milliseconds: number): Promise<void> =>
          clock === undefined && milliseconds <= noticeMilliseconds ? wait(milliseconds) : trial.pass(milliseconds);
        await expectAccepted(trial, probe, old);
        await revoke(caller.id, name).catch((thrown: unknown) => {
          throw new NotTried(`the credential was not revoked: ${thrown instanceof Error ? thrown.message : ""}`);
        });
        if (revoked !== "at once") {
          const early = delay === undefined ? dayMilliseconds : lengthOf(delay) * 0.9;
          await pass(early);
          await expectAccepted(trial, probe, old);
          if (delay === undefined) return;
        }
        await pass((delay === undefined ? 0 : lengthOf(delay) * 0.1) + noticeMilliseconds);
        await expectRejectedEverywhere(trial, probe, name, old);
      },
    },
  ];
}
