/** Extensions of the operations on webhook endpoints: they validate addresses and create secrets. */
import { createHmac } from "node:crypto";
import type { JsonObject } from "../../base/json.ts";
import { webhookOperations } from "../../language/events/decide.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { Row } from "../../store/port/store.ts";
import type { Call, Values } from "../context/context.ts";
import type { Extension, Extensions } from "../context/compiled.ts";
import { invalid } from "../errors/api-error.ts";

export interface WebhookOptions {
  /** The key from which the endpoints' secrets are derived. */
  readonly key: string;
  /** Returns why webhooks cannot be sent to the URL; undefined if they can. */
  readonly urlFault: (url: string) => string | undefined;
}

const day = 86_400_000;
/** The maximum number of former secrets that still sign besides the current one (R6.6). */
const maximumOld = 10;

export function webhookExtensions({ key, urlFault }: WebhookOptions): Extensions {
  const withSecret: Extension["transformBody"] = (body) => {
    const cursor = JSON.parse(body) as { id: string; secretNumber: number };
    return JSON.stringify({ ...cursor, secret: endpointSecret(key, cursor.id, cursor.secretNumber) });
  };
  const validateEndpoint = ({ context }: Call, next: Values): void => {
    const version = next["version"] ?? null;
    const known = context.plan.versions?.list.find(({ name }) => name === version);
    if (version !== null && known === undefined)
      throw invalid([
        { pointer: "#/version", code: "unknown-version", detail: "version is not a version of this service" },
      ]);
    const plan = known?.older?.received ?? context.plan;
    const names = (next["events"] ?? []) as readonly string[];
    const unknown = names.findIndex((name) => !Object.hasOwn(plan.events.out, name));
    if (unknown >= 0) {
      const detail = `\`${names[unknown]}\` is not an event of this version`;
      throw invalid([{ pointer: `#/events/${unknown}`, code: "unknown-event", detail }]);
    }
    const violation = urlFault(String(next["url"] as string));
    if (violation !== undefined) throw invalid([{ pointer: "#/url", code: "not-allowed", detail: `url ${violation}` }]);
  };
  return {
    [webhookOperations.create]: {
      fill(call, next) {
        // An endpoint's events have the version of its creator, even after newer versions appear (R9.2).
        const version = next["version"] ?? call.version.name ?? null;
        validateEndpoint(call, { ...next, version });
        return {
          version,
          credential: call.caller.credential,
          roles: call.caller.roles as unknown as Value,
        };
      },
      transformBody: withSecret,
    },
    [webhookOperations.change]: {
      fill(call, next, row) {
        if (["url", "version", "events"].some((name) => next[name] !== row?.[name])) validateEndpoint(call, next);
        return {};
      },
    },
    [webhookOperations.rotate]: { fill: rotated, transformBody: withSecret },
    [webhookOperations.reveal]: { transformBody: withSecret },
  };
}

/** Returns an endpoint's secret, derived from one key outside the data, so that a copy of the data has no secrets (R6.6). */
export function endpointSecret(key: string, endpoint: string, number: number): string {
  return `whsec_${createHmac("sha256", key).update(`${endpoint} ${number}`).digest("base64")}`;
}

/** Replaces the secret. The old one also signs for another day, unless the caller revokes it because it may have leaked. */
function rotated(call: Call, _: Values, row: Row | undefined): Values {
  const number = row?.["secretNumber"] as number;
  const { revokeOld } = call.input as JsonObject;
  const before = ((row?.["oldSecrets"] ?? []) as unknown as { number: number; until: number }[]).filter(
    ({ until }) => until > call.now,
  );
  const old = revokeOld === true ? [] : [{ number, until: call.now + day }, ...before].slice(0, maximumOld);
  return { secretNumber: number + 1, oldSecrets: old as unknown as Value };
}
