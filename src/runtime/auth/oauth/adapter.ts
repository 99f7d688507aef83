/**
 * Implements the storage adapter of `oidc-provider`. Secrets are stored as their SHA-256. If two requests use the same code or
 * refresh token, the second one revokes the consent and all its tokens.
 */
import type { Clock } from "../../../base/clock.ts";
import type { CredentialPlan } from "../../../plan/authentication/types.ts";
import type { Grant } from "../../../store/port/store.ts";
import { hashSecret } from "../api-key.ts";
import { findConsent, findGrant, findUser, proofOf } from "./consents.ts";
import type { TokenDependencies } from "./options.ts";
import { findClient } from "./registered.ts";

export interface AdapterOptions extends TokenDependencies {
  readonly credential: CredentialPlan;
  readonly clock: Clock;
  /** Creates the error for a code or token that was used before. */
  readonly used: () => Error;
}

type Payload = Readonly<Record<string, unknown>>;

export interface Adapter {
  upsert(id: string, payload: Payload, seconds: number): Promise<void>;
  find(id: string): Promise<Payload | undefined>;
  findByUid(uid: string): Promise<Payload | undefined>;
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(id: string): Promise<void>;
}

export function createAdapter(options: AdapterOptions, kind: string): Adapter {
  const { credential, grants, clock } = options;
  const present = (of: string, id: string) => findGrant(grants, of, id, clock.now());
  const payloadOf = (found: Grant | undefined, id: string): Payload | undefined =>
    found && { ...(JSON.parse(found.text) as Payload), jti: id };
  return {
    async upsert(id, { jti: _, ...payload }, seconds) {
      const expires = clock.now() + seconds * 1000;
      const text = JSON.stringify(kind === "Grant" ? { ...payload, proof: await proved(options, payload) } : payload);
      const { grantId, uid } = payload;
      const group = typeof grantId === "string" ? grantId : id;
      await grants.put({ kind, id: hashSecret(id), group: groupOf(group), text, expires });
      if (kind === "Session" && typeof uid === "string")
        await grants.put({ kind: byUid, id: hashSecret(uid), group: groupOf(group), text, expires });
      if (kind === "RefreshToken" && typeof grantId === "string") await prolong(options, grantId, expires);
    },
    async find(id) {
      if (kind === "Client") return clientOf(options, id);
      const consent = kind === "Grant" ? await findConsent(credential, options, id, clock.now()) : undefined;
      return payloadOf(kind === "Grant" ? consent?.grant : await present(kind, id), id);
    },
    // The uid of a session in links differs from the id in its cookie, so the store has an entry for each.
    findByUid: async (uid) => payloadOf(await present(byUid, uid), uid),
    async consume(id) {
      const found = await present(kind, id);
      if (found === undefined) throw options.used();
      const payload = JSON.parse(found.text) as Payload;
      const text = JSON.stringify({ ...payload, consumed: Math.floor(clock.now() / 1000) });
      if (payload["consumed"] === undefined && (await grants.replace(found, { text, expires: found.expires }))) return;
      await grants.endGroup(found.group);
      throw options.used();
    },
    async destroy(id) {
      await grants.end(kind, hashSecret(id));
    },
    async revokeByGrantId(id) {
      await grants.endGroup(groupOf(id));
    },
  };
}

const byUid = "SessionUid";

/** Returns the group of a consent. The prefix distinguishes consents from clients, whose ids are groups too. */
export function groupOf(id: string): string {
  return `consent ${hashSecret(id)}`;
}

async function proved(options: AdapterOptions, { accountId }: Payload): Promise<string> {
  const user = await findUser(options.credential, options, String(accountId));
  if (user === undefined) throw options.used();
  return proofOf(user);
}

/** Extends a consent to the expiry of the newest refresh token issued for it. */
async function prolong({ grants }: AdapterOptions, id: string, expires: number): Promise<void> {
  const found = await grants.find("Grant", hashSecret(id));
  if (found === undefined || found.expires >= expires) return;
  const payload = JSON.parse(found.text) as Payload;
  await grants.replace(found, { text: JSON.stringify({ ...payload, exp: Math.ceil(expires / 1000) }), expires });
}

/** Returns a client in the form of `oidc-provider`, as public, because Nonet has already verified the client's secret. */
async function clientOf(options: AdapterOptions, id: string): Promise<Payload | undefined> {
  const { credential, clock } = options;
  const client = await findClient(credential, options, id, clock.now());
  if (client === undefined) return undefined;
  const renewed = credential.oauth?.users?.renewedMilliseconds === undefined ? [] : ["refresh_token"];
  return {
    client_id: id,
    application_type: "native",
    redirect_uris: client.redirects,
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", ...renewed],
    response_types: ["code"],
  };
}
