/**
 * Tokens of sessions: opaque and random, with the credential's prefix and a checksum, as keys are (R5.4). Those that a session
 * is renewed with are told from the others by a prefix of their own.
 */
import { createHmac } from "node:crypto";
import type { CredentialPlan } from "../../plan/authentication/types.ts";
import type { SessionToken, Transaction } from "../../store/port/store.ts";
import { hashSecret, hintOf, isSecret, mintSecret } from "./api-key.ts";
import type { SessionSecrets } from "../context/login.ts";

export function isAccessToken({ prefix }: CredentialPlan, text: string): boolean {
  return isSecret(prefix, text);
}

function renewPrefix({ prefix }: CredentialPlan): string {
  return `${prefix}r_`;
}

export interface Opening {
  readonly credential: CredentialPlan;
  /** The record's id. */
  readonly user: string;
  readonly session: string;
  readonly now: number;
}

/** A session's first tokens, or the next ones of it. */
export async function openSession(
  tx: Transaction,
  opening: Opening,
  random: (bytes: number) => Uint8Array,
): Promise<SessionSecrets> {
  const { login, prefix } = opening.credential;
  const access = tokenOf(opening, "access", mintSecret(prefix, random));
  await tx.addSession(access.storedToken);
  if (login?.renewedMilliseconds === undefined) return access.secrets;
  const renew = tokenOf(opening, "renew", mintSecret(renewPrefix(opening.credential), random));
  await tx.addSession(renew.storedToken);
  return { ...access.secrets, refreshToken: renew.secrets.token };
}

function tokenOf(
  { credential, user, session, now }: Opening,
  use: SessionToken["use"],
  token: string,
): { readonly storedToken: SessionToken; readonly secrets: SessionSecrets } {
  const lasts = use === "access" ? credential.lastsMilliseconds : credential.login?.renewedMilliseconds;
  const until = lasts === undefined ? {} : { expires: now + lasts };
  const prefix = use === "access" ? credential.prefix : renewPrefix(credential);
  const storedToken: SessionToken = {
    hash: hashSecret(token),
    session,
    credential: credential.name,
    resource: credential.login?.resource ?? "",
    user,
    use,
    hint: hintOf(prefix, token),
    created: now,
    ...until,
  };
  return { storedToken, secrets: { token, ...until } };
}

/** An honest client may ask twice with one token: two of its requests at once, or one that it sent again. */
export const graceMilliseconds = 10_000;

export type Renewed =
  | { readonly kind: "renewed"; readonly user: string; readonly secrets: SessionSecrets }
  /** A token that was used long ago came again: the session ends. */
  | { readonly kind: "reused"; readonly session: string }
  | { readonly kind: "unknown" };

/**
 * Takes another token in the place of one, at each use (RFC 9700 section 4.14.2). What comes next follows from the token and
 * `secret`, so that who asks again within the grace is told the same, without its being kept anywhere.
 */
export async function renewSession(
  tx: Transaction,
  credential: CredentialPlan,
  text: string,
  secret: string,
  now: number,
): Promise<Renewed> {
  if (!isSecret(renewPrefix(credential), text)) return { kind: "unknown" };
  const found = await tx.session(hashSecret(text));
  const isGood = found?.use === "renew" && found.credential === credential.name && !isOver(found, now);
  if (found === undefined || !isGood) return { kind: "unknown" };
  const { session, user, replaced } = found;
  // Either way: a clock that was set back must not make the grace longer.
  if (replaced !== undefined && Math.abs(now - replaced) > graceMilliseconds) return { kind: "reused", session };
  const following = (use: SessionToken["use"]) => (bytes: number) =>
    createHmac("sha256", secret).update(`renew\0${use}\0${text}`).digest().subarray(0, bytes);
  const opening: Opening = { credential, user, session, now: replaced ?? now };
  const access = tokenOf(opening, "access", mintSecret(credential.prefix, following("access")));
  const renew = tokenOf(opening, "renew", mintSecret(renewPrefix(credential), following("renew")));
  if (replaced === undefined) {
    await tx.replaceSession(found.hash, now);
    await tx.addSession(access.storedToken);
    await tx.addSession(renew.storedToken);
  }
  return { kind: "renewed", user, secrets: { ...access.secrets, refreshToken: renew.secrets.token } };
}

/**
 * Until when the tokens of a session are good that is ended now. One that is ended at once has been over since ever: a clock
 * that is set back must not make it good again.
 */
export function endAfter(now: number, revokedAfterMilliseconds: number | null | undefined): number {
  return revokedAfterMilliseconds ? now + revokedAfterMilliseconds : 0;
}

export function isOver({ expires }: Pick<SessionToken, "expires">, now: number): boolean {
  return expires !== undefined && expires <= now;
}
