/** The `password` credentials of a document, and the default input and response of their operations. */
import { parseDuration } from "../../base/duration.ts";
import type { TypeEnvironment } from "../../expression/types.ts";
import type { Endpoint } from "../endpoints/model.ts";
import type { Model } from "../model.ts";
import { bareType, fieldsOf, lookup } from "../resources/fields.ts";
import type { Field } from "../resources/model.ts";
import type { Credential } from "./model.ts";

/** A `password` credential with its resource and the fields for name and secret. */
export interface Login {
  readonly credential: string;
  readonly resource: string;
  readonly name: string;
  /** The name of the field with the secret. */
  readonly secret: string;
  /** The body member with the current secret, which callers send to change the secret; absent: not required. */
  readonly changed?: string;
  /** Whether logins also issue refresh tokens. */
  readonly renewed: boolean;
  /** Whether the credential's tokens expire. */
  readonly ends: boolean;
}

export function loginsOf(model: Model, resource?: string): readonly Login[] {
  return Object.entries(model.authentication.credentials).flatMap(([credential, definition]): Login[] => {
    const { kind, of, name, field, changed } = definition;
    if (kind !== "password" || of === undefined || name === undefined || field === undefined) return [];
    if (resource !== undefined && of !== resource) return [];
    return [
      {
        credential,
        resource: of,
        name,
        secret: field,
        ...(changed === undefined ? {} : { changed }),
        renewed: isRenewed(definition),
        ends: definition.lasts !== "until revoked",
      },
    ];
  });
}

/** Whether `renewed` is a duration (the lifetime of refresh tokens) rather than a sentence. */
export function isRenewed({ kind, login, renewed }: Credential): boolean {
  return (kind === "password" || login !== undefined) && renewed !== undefined && parseDuration(renewed) !== undefined;
}

/** Returns the credentials whose tokens `token(…)` can issue in a response about a record of the resource. */
export function tokensOf(model: Model, resource: string | undefined): NonNullable<TypeEnvironment["tokens"]> {
  if (resource === undefined) return {};
  return Object.fromEntries(
    loginsOf(model, resource).map(({ credential, renewed, ends }) => [credential, { renewed, ends }]),
  );
}

/** The names by which the body of `renew` can contain the refresh token. */
export const refreshMembers = ["refreshToken", "refresh_token"] as const;

/** Completes the endpoint of a login, renewal or logout with the default `takes` and `gives`. */
export function sessionEndpoint(model: Model, endpoint: Endpoint, login: Login): Endpoint {
  const { does } = endpoint;
  const implied = does === "login" ? loginInput(model, login) : does === "renew" ? renewInput : {};
  return {
    ...endpoint,
    ...(endpoint.takes === undefined && endpoint.takesView === undefined ? { takes: implied } : {}),
    ...(endpoint.gives === undefined && does !== "logout" && endpoint.status !== 204
      ? { gives: sessionResponse(login) }
      : {}),
    ...(does === "logout" && endpoint.gives === undefined && endpoint.status === undefined ? { status: 204 } : {}),
  };
}

function text(max: number): Field {
  return { type: { kind: "scalar", name: "string", min: 1, max }, optional: false, marks: [] };
}

const renewInput = { refreshToken: text(200) };

/** The longest secret, in characters, that a login accepts, unless the secret's field allows longer ones. */
const longestSecret = 1024;

/**
 * Returns the body of a login. A secret may be shorter here than its field's minimum: its owner may have chosen it before the
 * minimum was declared.
 */
function loginInput(model: Model, login: Login): Readonly<Record<string, Field>> {
  const { resource, name, secret } = login;
  const named = lookup(fieldsOf(model, resource), name);
  return {
    [name]: named === undefined ? text(longestSecret) : { type: bareType(named.type), optional: false, marks: [] },
    [secret]: secretInput(model, login),
  };
}

/** Returns the suggested name of the member with the current secret: `currentPassword` for `password`. */
export function presentSecretName(secret: string): string {
  return `current${secret.slice(0, 1).toUpperCase()}${secret.slice(1)}`;
}

function secretInput(model: Model, { resource, secret }: Login): Field {
  const type = lookup(fieldsOf(model, resource), secret)?.type;
  const bare = type && bareType(type);
  const max = bare?.kind === "scalar" ? bare.max : undefined;
  return text(Math.max(max ?? longestSecret, longestSecret));
}

/** Returns the body member for the current secret, which is compared and not stored. */
export function presentSecret(model: Model, login: Login): Field {
  return { ...secretInput(model, login), optional: true, marks: ["secret"] };
}

function sessionResponse({ credential, renewed, ends }: Login): Readonly<Record<string, string>> {
  return {
    token: `token(${credential})`,
    ...(ends ? { expiresAt: `expiry(${credential})` } : {}),
    ...(renewed ? { refreshToken: `refreshToken(${credential})` } : {}),
  };
}
