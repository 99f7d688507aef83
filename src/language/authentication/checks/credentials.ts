/**
 * Checks how callers sign in: credentials that never expire, that are missing or declared twice, or that use a header with
 * another meaning.
 */
import type { Check } from "../../analysis/finding.ts";
import { isHeaderReserved, isParameterReserved } from "../../grammar/request-fields.ts";
import type { Versioning } from "../../versioning/model.ts";
import { makesTokens } from "../oauth.ts";
import { headerOf } from "../model.ts";

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
  why: "One header field or parameter cannot contain both a credential and its usual value.",
  *run({ model }) {
    const { repeats } = model.endpoints;
    const idempotencyHeader = repeats === undefined || repeats === "none" ? undefined : repeats.header.toLowerCase();
    const { sent: version } = model.versioning;
    for (const [name, { sent = [] }] of Object.entries(model.authentication.credentials)) {
      const at = `authentication/credentials/${name}`;
      for (const one of sent) {
        const header = headerOf(one);
        if (header !== undefined && (isHeaderReserved(header) || header.toLowerCase() === idempotencyHeader))
          yield {
            at,
            message: `\`${name}\` is sent in \`${header}\`, which HTTP uses for something else`,
            help: "write `Authorization Bearer`, or a custom header, as in `header X-Key`",
          };
        if ("query" in one && (isParameterReserved(one.query) || isVersion(version, one.query)))
          yield {
            at,
            message: `\`${name}\` is sent in the parameter \`${one.query}\`, which has another meaning`,
            help: "write another name, as in `query api_key`",
          };
      }
    }
  },
};

function isVersion(sent: Versioning["sent"], name: string): boolean {
  return sent?.kind === "query" && sent.name === name;
}

/** Reports a credential in the URL. */
const sentInAddress: Check = {
  code: "authentication/sent-in-address",
  severity: "warning",
  why: "URLs appear in the logs of proxies, in browser histories and in `Referer`.",
  *run({ model }) {
    for (const [name, { sent = [] }] of Object.entries(model.authentication.credentials)) {
      if (!sent.some((one) => "query" in one)) continue;
      yield {
        at: `authentication/credentials/${name}/sent`,
        message: `\`${name}\` is sent in the URL`,
        help: "write `Authorization Bearer` or `header X-Api-Key`; for clients that cannot change, suppress this finding",
      };
    }
  },
};

/** Reports a place in which a kind of credential cannot be sent. */
const unfitSent: Check = {
  code: "authentication/unfit-sent",
  severity: "error",
  why: "Basic and signatures are defined for header fields only, and only a login can set a cookie.",
  *run({ model }) {
    for (const [name, { kind, sent = [] }] of Object.entries(model.authentication.credentials)) {
      const inHeader = kind === "basic" || kind === "hmac-sha256";
      const unfit = sent.find((one) => inHeader && headerOf(one) === undefined);
      const unset = sent.find((one) => "cookie" in one && one.set !== undefined && kind !== "password");
      if (unfit === undefined && unset === undefined) continue;
      yield {
        at: `authentication/credentials/${name}/sent`,
        message:
          unfit === undefined
            ? `\`${name}\` is of kind ${kind}, which has no login that sets a cookie`
            : `\`${name}\` is of kind ${kind}, which is sent in a header only`,
        help: unfit === undefined ? "leave out `set by login`" : "write `header X-Signature` or `Authorization Basic`",
      };
    }
  },
};

export const checks: readonly Check[] = [
  noCredential,
  credentialWithoutEnd,
  twoTokenServers,
  reservedHeader,
  sentInAddress,
  unfitSent,
];
