/** Serves documents for a tester: with functions and secrets, with timers that run, and with keys for each role. */
import { fieldWith } from "../../../src/language/authentication/sent.ts";
import type { SentIn } from "../../../src/language/authentication/model.ts";
import { readFileSync } from "node:fs";
import { SignJWT } from "jose";
import handlers from "../../../examples/courier-rates/handlers.ts";
import type { ServiceFunctions } from "../../../src/runtime/functions/functions.ts";
import { type Running, run, type RunOptions } from "../../serve/running.ts";
import { documents as engineDocuments } from "./engine/documents.ts";
import { documentsOfWrites } from "./further-writes.ts";

export interface ServedDocument {
  readonly name: string;
  readonly text: string;
  readonly functions?: ServiceFunctions;
  readonly environment: Readonly<Record<string, string>>;
}

const files = [
  "parcel-lockers",
  "conduit",
  "service-broker",
  "print-shop",
  "weather-stations",
  "todo-backend",
  "back-office",
  "issue-tracker",
  "card-payments",
  "hotel-bookings",
  "pet-clinic",
  "courier-rates/courier-rates",
];

export const examples: readonly ServedDocument[] = files.map((file) => {
  const text = readFileSync(new URL(`../../../examples/${file}.md`, import.meta.url), "utf8");
  const functions = file.startsWith("courier-rates") ? { functions: handlers as unknown as ServiceFunctions } : {};
  return { name: file.split("/").at(-1) ?? file, text, environment: secretsOf(text), ...functions };
});

/** Small documents, also those of the engine's mutants: a tester is through with one of them in little time. */
export const smallDocuments: readonly ServedDocument[] = Object.entries({ ...engineDocuments, ...documentsOfWrites })
  .filter(([name]) => !files.includes(name))
  .map(([name, text]) => ({ name, text, environment: secretsOf(text) }));

/** A value for each environment variable that a document names. */
export function secretsOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(/\benv ([A-Z_0-9]+)/g)].map(([, name = ""]) => [name, `the secret ${name} of this test`]),
  );
}

/** Timers run by themselves, as those of `nonet serve`; a tester may also move the clock and let them run. */
export async function serveTimed(text: string, options: RunOptions): Promise<Running> {
  const running = await run(text, options);
  const timer = setInterval(() => void running.tick(), 250);
  return {
    ...running,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await running[Symbol.asyncDispose]();
    },
  };
}

/**
 * The service of a mutant may lack a credential of the true document, or call it otherwise: keys are then those of a credential
 * of the same kind, or texts that no service knows.
 */
export function withKeysOf(running: Running, truth: Running["plan"]): Running {
  const nameOf = (name: string): string | undefined => {
    const { credentials } = running.plan;
    const kind = truth.credentials.find((one) => one.name === name)?.kind;
    return (
      credentials.find((one) => one.name === name && one.kind === kind) ?? credentials.find((one) => one.kind === kind)
    )?.name;
  };
  const keyOf: Running["keyOf"] = async (credential, user, ...roles) => {
    const name = nameOf(credential);
    return name === undefined ? "key_nobody_knows_this_one" : running.keyOf(name, user, ...roles);
  };
  const [first] = truth.credentials.filter(({ kind }) => kind === "api-key" || kind === "basic" || kind === "oauth2");
  const key: Running["key"] = (user, ...roles) => keyOf(first?.name ?? "", user, ...roles);
  return { ...running, key, keyOf };
}

/** The header fields of a caller; undefined for a credential that a caller gets from the service itself, or signs with. */
export async function fieldsFor(
  running: Running,
  environment: Readonly<Record<string, string>>,
  credentialName: string,
  user: string,
  ...roles: readonly string[]
): Promise<Readonly<Record<string, string>> | undefined> {
  const credential = running.plan.credentials.find(({ name }) => name === credentialName);
  if (credential === undefined || credential.login !== undefined) return undefined;
  const { audience, issuer, kind, roles: held, secret, sent, userClaim } = credential;
  const field = (value: string) => {
    const [name, text] = fieldWith(sent[0] as SentIn, value) ?? ["Authorization", value];
    return { [name]: text };
  };
  switch (kind) {
    case "api-key":
      return field(await running.keyOf(credentialName, user, ...roles));
    case "basic":
      return field(Buffer.from(`${user}:${await running.keyOf(credentialName, user, ...roles)}`).toString("base64"));
    case "jwt": {
      if (secret === undefined) return undefined;
      const now = Math.floor(running.now() / 1000);
      const claims = {
        ...{ iat: now, exp: now + 3600, [userClaim]: user },
        ...(held.kind === "claim" && { [held.claim]: roles }),
        ...(issuer && { iss: issuer }),
        ...(audience && { aud: audience }),
      };
      const key = new TextEncoder().encode(environment[secret]);
      return field(await new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(key));
    }
    default:
      return undefined;
  }
}
