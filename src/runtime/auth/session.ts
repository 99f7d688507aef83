/**
 * Creates and renews session tokens: opaque and random, with the credential's prefix and a checksum like keys (R5.4). Refresh
 * tokens have another prefix.
 */
import { createHmac } from "node:crypto";
import type { CredentialPlan } from "../../plan/authentication/types.ts";
import type { SessionToken, Transaction } from "../../store/port/store.ts";
import { hashSecret, hintOf, isSecret, mintSecret, refreshPrefix } from "./api-key.ts";
import type { SessionSecrets } from "../context/login.ts";

export interface Opening {
  readonly credential: CredentialPlan;
  /** The id of the record that logs in. */
  readonly user: string;
  readonly session: string;
  readonly now: number;
}

/** Creates the access token of a session, and its refresh token if the document declares one. */
export async function openSession(
  tx: Transaction,
  opening: Opening,
  random: (bytes: number) => Uint8Array,
): Promise<SessionSecrets> {
  const access = tokenOf(opening, "access", random);
  await tx.addSession(access.storedToken);
  if (opening.credential.login?.renewedMilliseconds === undefined) return access.secrets;
  const renew = tokenOf(opening, "renew", random);
  await tx.addSession(renew.storedToken);
  return { ...access.secrets, refreshToken: renew.secrets.token };
}

function tokenOf(
  { credential, user, session, now }: Opening,
  use: SessionToken["use"],
  random: (bytes: number) => Uint8Array,
): { readonly storedToken: SessionToken; readonly secrets: SessionSecrets } {
  const lasts = use === "access" ? credential.lastsMilliseconds : credential.login?.renewedMilliseconds;
  const until = lasts === undefined ? {} : { expires: now + lasts };
  const prefix = use === "access" ? credential.prefix : refreshPrefix(credential);
  const token = mintSecret(prefix, random);
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

/** How long a client may use a replaced refresh token again, in milliseconds: for two concurrent requests, or for a retry. */
export const graceMilliseconds = 10_000;

export type Renewed =
  | { readonly kind: "renewed"; readonly user: string; readonly secrets: SessionSecrets }
  /** A refresh token was used again after the grace period, which ends the session. */
  | { readonly kind: "reused"; readonly session: string }
  | { readonly kind: "unknown" };

/**
 * Replaces a refresh token, which happens at each use (RFC 9700 section 4.14.2). The new tokens are an HMAC of the old token
 * with `secret`, so a retry within the grace period gets the same tokens although they are not stored.
 */
export async function renewSession(
  tx: Transaction,
  credential: CredentialPlan,
  text: string,
  secret: string,
  now: number,
): Promise<Renewed> {
  if (!isSecret(refreshPrefix(credential), text)) return { kind: "unknown" };
  const found = await tx.session(hashSecret(text));
  const isGood = found?.use === "renew" && found.credential === credential.name && !isOver(found, now);
  if (found === undefined || !isGood) return { kind: "unknown" };
  const { session, user, replaced } = found;
  // `Math.abs` is used so that a clock that was set back does not extend the grace period.
  if (replaced !== undefined && Math.abs(now - replaced) > graceMilliseconds) return { kind: "reused", session };
  const following = (use: SessionToken["use"]) => (bytes: number) =>
    createHmac("sha256", secret).update(`renew\0${use}\0${text}`).digest().subarray(0, bytes);
  const opening: Opening = { credential, user, session, now: replaced ?? now };
  const access = tokenOf(opening, "access", following("access"));
  const renew = tokenOf(opening, "renew", following("renew"));
  if (replaced === undefined) {
    await tx.replaceSession(found.hash, now);
    await tx.addSession(access.storedToken);
    await tx.addSession(renew.storedToken);
  }
  return { kind: "renewed", user, secrets: { ...access.secrets, refreshToken: renew.secrets.token } };
}

/**
 * Returns the expiry of a session's tokens if the session ends at `now`. A session that ends at once gets 0, so that it stays
 * ended even if the clock is set back.
 */
export function endAfter(now: number, revokedAfterMilliseconds: number | null | undefined): number {
  return revokedAfterMilliseconds ? now + revokedAfterMilliseconds : 0;
}

export function isOver({ expires }: Pick<SessionToken, "expires">, now: number): boolean {
  return expires !== undefined && expires <= now;
}
