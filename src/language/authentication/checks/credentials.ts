/**
 * Checks how callers sign in: credentials that never expire, that are missing or declared twice, or that use a header with
 * another meaning.
 */
import type { Check } from "../../analysis/finding.ts";
import { isHeaderReserved } from "../../grammar/request-fields.ts";
import { makesTokens } from "../oauth.ts";

/** Reports permissions for signed-in callers in a document without credentials. */
const noCredential: Check = {
  code: "authentication/no-credential",
  severity: "error",
  why: "No caller can ever use these permissions.",
  *run({ model, grants, places }) {
    const isDeclared = places.get("authentication/credentials") !== undefined;
    if (
      !isDeclared ||
      Object.keys(model.authentication.credentials).length > 0 ||
      model.gaps.includes("authentication/credentials")
    )
      return;
    const needing = grants.find(({ grant }) => grant.who.kind !== "anyone");
    if (needing === undefined) return;
    yield {
      at: "authentication/credentials",
      message: "Permissions require callers to be signed in, but there is no credential to sign in with",
      help: "add one such as `key: { kind: api-key, sent: Authorization Bearer }`",
    };
  },
};

/** Reports a key that is valid for ever and cannot be revoked. */
const credentialWithoutEnd: Check = {
  code: "authentication/credential-without-end",
  severity: "warning",
  why: "Anyone who finds it in an old log or backup can still use it years later.",
  *run({ model }) {
    for (const [name, { lasts, revoked }] of Object.entries(model.authentication.credentials)) {
      if (revoked !== "none" || (lasts !== undefined && lasts !== "until revoked")) continue;
      yield {
        at: `authentication/credentials/${name}/revoked`,
        message: `\`${name}\` never expires and cannot be revoked`,
        help: "write `revoked: at once`, or a lifetime such as `lasts: 365d`",
      };
    }
  },
};

/** Reports more than one credential whose tokens the service itself issues. */
const twoTokenServers: Check = {
  code: "authentication/two-token-servers",
  severity: "error",
  why: "Clients look for one authorization server at one address (RFC 8414).",
  *run({ model }) {
    const [, ...others] = Object.entries(model.authentication.credentials).filter(([, one]) => makesTokens(one));
    for (const [name] of others) {
      yield {
        at: `authentication/credentials/${name}`,
        message: `\`${name}\` is a second credential whose tokens this service issues`,
        help: "tell clients apart by their roles, or by scopes",
      };
    }
  },
};

/** Reports a credential in a header field that already has another meaning. */
const reservedHeader: Check = {
  code: "authentication/place-taken",
  severity: "error",
  why: "One header cannot carry both a credential and its standard value.",
  *run({ model }) {
    const { repeats } = model.endpoints;
    const idempotencyHeader = repeats === undefined || repeats === "none" ? undefined : repeats.header.toLowerCase();
    for (const [name, { sent }] of Object.entries(model.authentication.credentials)) {
      if (sent === undefined || !(isHeaderReserved(sent.header) || sent.header.toLowerCase() === idempotencyHeader))
        continue;
      yield {
        at: `authentication/credentials/${name}`,
        message: `\`${name}\` is sent in \`${sent.header}\`, which HTTP uses for something else`,
        help: "write `Authorization Bearer`, or a custom header, as in `header X-Key`",
      };
    }
  },
};

export const checks: readonly Check[] = [noCredential, credentialWithoutEnd, twoTokenServers, reservedHeader];
