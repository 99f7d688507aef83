/** Pages of other origins: the listed ones may read responses, and no others (R4.22). */
import type { Cors } from "../../language/endpoints/model.ts";
import { clockMilliseconds } from "../effects.ts";
import { type Aspect, Broken, type Case } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import { mayEverRun } from "../permissions.ts";
import { type Contract, type Operation, needsRecord } from "../contract.ts";
import type { Interaction, Request, Response } from "../interaction.ts";
import { type BuiltRequest, requestFor, subjectFor } from "../trial/calls.ts";
import { sendAfterLimits } from "../trial/used-up.ts";
import type { Trial } from "../trial/trial.ts";
import { ifPossible, plainOperations } from "./subjects.ts";

const path = "endpoints/cors";

/** An origin that no document lists. */
const stranger = "https://stranger.invalid";

export function corsCases(contract: Contract): readonly Case[] {
  const { cors } = contract.model.endpoints;
  if (cors === undefined || !contract.places.has(path)) return [];
  const reading = readable(contract);
  if (reading === undefined) return [];
  return [answersOrigins(reading, cors), ...(cors === "none" ? [] : preflights(contract, cors))];
}

function about(expects: string): readonly [Aspect] {
  return [{ path, expects }];
}

/** Returns a reading operation, if possible one that needs no record. */
function readable(contract: Contract): Operation | undefined {
  const reading = plainOperations(contract).filter(({ endpoint }) => endpoint.method === "GET");
  return reading.find((one) => !needsRecord(one)) ?? reading[0];
}

/** Returns origins that the document lists. */
function listedOrigins({ origins }: Cors): readonly string[] {
  if (origins === "any") return [stranger];
  return origins.map((origin) => origin.replace("://*.", "://some.").replace(/:\*$/, ":4321"));
}

/** Returns an origin that is almost a listed one. */
function strangers(cors: Cors | "none"): readonly string[] {
  if (cors === "none") return [stranger, "https://app.example"];
  const near = listedOrigins(cors).map((origin) => origin.replace("://", "://not-"));
  const listed = cors.origins === "any" ? [] : cors.origins;
  // `https://*.example` means any host one label below.
  return listed.some((origin) => origin.includes("*")) ? [stranger] : [stranger, ...near.slice(0, 1)];
}

/** Responses, also errors, name a listed origin, and no other one. */
function answersOrigins(called: Operation, cors: Cors | "none"): Case {
  const { operation } = called;
  const expects =
    cors === "none"
      ? "no response admits pages of other origins"
      : "responses admit pages of the listed origins, and of no others";
  return {
    id: "endpoints/cors: origins",
    aspects: about(expects),
    operation,
    run: async (trial) => {
      const { request, caller } = await readRequest(trial, called);
      const from = async (origin: string): Promise<Interaction> => {
        trial.startOver();
        return sendAfterLimits(trial, withOrigin(request, origin), caller, { operation });
      };
      if (cors !== "none") {
        for (const origin of listedOrigins(cors)) expectAdmitted(trial, cors, origin, await from(origin));
        const [first] = listedOrigins(cors);
        const isOpen = mayEverRun(trial.contract, operation, anonymous);
        if (first !== undefined && !isOpen) {
          const unsigned = await readRequest(trial, called, anonymous);
          const interaction = await sendAfterLimits(trial, withOrigin(unsigned.request, first), anonymous, {
            operation,
          });
          expectAdmitted(trial, cors, first, interaction);
        }
      }
      if (cors !== "none" && cors.origins === "any") return;
      for (const origin of strangers(cors)) expectNotAdmitted(trial, origin, await from(origin));
    },
  };
}

async function readRequest(trial: Trial, called: Operation, by?: Caller): Promise<BuiltRequest> {
  const subject = needsRecord(called) ? await ifPossible(() => subjectFor(trial, called)) : undefined;
  return requestFor(trial, called, { ...subject, ...(by === undefined ? {} : { caller: by }) });
}

function withOrigin(request: Request, origin: string): Request {
  return { ...request, headers: { ...request.headers, Origin: origin } };
}

function expectAdmitted(trial: Trial, cors: Cors, origin: string, interaction: Interaction): Response {
  const response = trial.responseOf(interaction);
  const { headers } = response;
  const admitted = headers["access-control-allow-origin"];
  const isAny = cors.origins === "any" && cors.credentials !== true;
  if (admitted !== origin && !(isAny && admitted === "*"))
    throw new Broken(`Access-Control-Allow-Origin: ${isAny ? "*" : origin}`, admitted ?? "no such header", interaction);
  if (cors.credentials === true && headers["access-control-allow-credentials"] !== "true")
    throw new Broken(
      "Access-Control-Allow-Credentials: true",
      headers["access-control-allow-credentials"] ?? "no such header",
      interaction,
    );
  return response;
}

function expectNotAdmitted(trial: Trial, origin: string, interaction: Interaction): void {
  const admitted = trial.responseOf(interaction).headers["access-control-allow-origin"];
  if (admitted !== origin && admitted !== "*") return;
  throw new Broken(`no Access-Control-Allow-Origin for ${origin}`, admitted, interaction);
}

/** The question of a browser before a request is answered, with the method and the header fields that the request needs. */
function preflights(contract: Contract, cors: Cors): readonly Case[] {
  const writing = plainOperations(contract).find(({ endpoint }) => endpoint.method !== "GET");
  const called = writing ?? readable(contract);
  const [origin] = listedOrigins(cors);
  if (called === undefined || origin === undefined) return [];
  const { method } = called.endpoint;
  return [
    {
      id: "endpoints/cors: preflight",
      aspects: about(`the preflight request of a listed origin for ${method} is accepted`),
      operation: called.operation,
      run: async (trial) => {
        const { request, caller } = await requestFor(trial, called, {
          body: {},
          ...(needsRecord(called) ? {} : { record: null }),
        });
        const wanted = ["content-type", ...Object.keys(request.headers).map((name) => name.toLowerCase())];
        const names = [...new Set(wanted)].filter((name) => name !== "accept").toSorted();
        const headers = {
          Origin: origin,
          "Access-Control-Request-Method": method,
          "Access-Control-Request-Headers": names.join(","),
        };
        const interaction = await sendAfterLimits(trial, { method: "OPTIONS", url: request.url, headers }, caller);
        const response = trial.responseOf(interaction);
        if (response.status >= 300)
          throw new Broken("success of the preflight request", String(response.status), interaction);
        expectAdmitted(trial, cors, origin, interaction);
        expectPreflight(response, { cors, method, names }, interaction);
      },
    },
  ];
}

function expectPreflight(
  { headers }: Response,
  { cors, method, names }: { readonly cors: Cors; readonly method: string; readonly names: readonly string[] },
  interaction: Interaction,
): void {
  const listOf = (name: string): readonly string[] =>
    (headers[name] ?? "").split(",").map((one) => one.trim().toLowerCase());
  const methods = listOf("access-control-allow-methods");
  const isSimple = method === "GET" || method === "POST";
  if (!isSimple && !methods.includes(method.toLowerCase()) && !methods.includes("*"))
    throw new Broken(`Access-Control-Allow-Methods with ${method}`, methods.join(", "), interaction);
  const allowed = listOf("access-control-allow-headers");
  const missing = names.find((name) => !allowed.includes(name) && !(allowed.includes("*") && name !== "authorization"));
  if (missing !== undefined)
    throw new Broken(`Access-Control-Allow-Headers with ${missing}`, allowed.join(", "), interaction);
  if (cors.keep === undefined) return;
  const seconds = clockMilliseconds(cors.keep) / 1000;
  if (Number(headers["access-control-max-age"]) !== seconds)
    throw new Broken(
      `Access-Control-Max-Age: ${seconds}`,
      headers["access-control-max-age"] ?? "no such header",
      interaction,
    );
}
