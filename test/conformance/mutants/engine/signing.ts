/** Signs what the plays send: events of the bell, and tokens of the issuer. */
import { SignJWT } from "jose";
import type { Json } from "../../../../src/base/json.ts";
import { signatureField } from "../../../../src/runtime/auth/hmac.ts";
import { ask, type Expected, type Step } from "../../../enforced/proof.ts";

export const environment = {
  BELL_SECRET: "a secret of the bell's own",
  DOOR_SECRET: "a secret of the door's own",
  TOKEN_SECRET: "a shared secret of enough length",
};

/** Sends a signed event. */
export function bell(body: Json, gets: Expected, secret: string = environment.BELL_SECRET): Step {
  return async (scene) => {
    const text = scene.filled(JSON.stringify(body));
    const signed = { method: "POST", target: "/hooks/bell", body: Buffer.from(text) };
    const field = signatureField(secret, Math.floor(scene.running.now() / 1000), signed);
    await ask(`POST /hooks/bell\nBell-Signature: ${field}`, JSON.parse(text) as Json, gets)(scene);
  };
}

export interface TokenOptions {
  readonly issuer?: string;
  readonly audience?: string;
  readonly secret?: string;
  /** Seconds from now. */
  readonly expires?: number;
  readonly roles?: readonly string[];
}

export async function tokenOf({
  audience = "things",
  expires = 1800,
  issuer = "https://issuer.example",
  roles = ["member"],
  secret = environment.TOKEN_SECRET,
}: TokenOptions = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    sub: "ann",
    roles,
    iat: Math.min(now, now + expires - 60),
    exp: now + expires,
    iss: issuer,
    aud: audience,
  };
  return new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(secret));
}

/** A token without a signature: `alg` is `none` (RFC 7519, 6). */
export async function unsignedToken(): Promise<string> {
  const [, claims] = (await tokenOf()).split(".");
  return `${Buffer.from('{"alg":"none"}').toString("base64url")}.${claims}.`;
}
