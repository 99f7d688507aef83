/** Where clients send a credential: no other place is read, and a login sets the cookie that the document declares. */
import type { Credential, SentIn } from "../../language/authentication/model.ts";
import { Broken, type Case, NotTried, shortText } from "../case.ts";
import { type Contract, needsRecord } from "../contract.ts";
import { cookieIn, placesIn, sentText, sending, withToken } from "../credentials.ts";
import { brokenBy, neededSuccess } from "../expect.ts";
import { logInteraction, signUp } from "../trial/callers.ts";
import { expectAccepted, expectRejected } from "./accepted.ts";
import { probesOf, probeWith } from "./probe.ts";

export function sentCases(contract: Contract, name: string, credential: Credential): readonly Case[] {
  if (credential.sent === undefined) return [];
  return [...elsewhere(contract, name), ...setByLogin(contract, name, credential)];
}

/** A valid credential in a place that the document does not declare is none. */
function elsewhere(contract: Contract, name: string): readonly Case[] {
  const path = `authentication/credentials/${name}/sent`;
  return otherPlaces(contract, name).map((location) => ({
    id: `${path}: not in ${sentText(location)}`,
    aspects: [{ path, expects: `a valid credential in ${sentText(location)} is not accepted` }],
    run: async (trial): Promise<void> => {
      const probe = await probeWith(trial, name, 1);
      const accepted = await expectAccepted(trial, probe);
      const caller = sending(
        contract,
        name,
        { ...probe.caller, name: `a caller with ${sentText(location)}` },
        location,
      );
      if (!("query" in location)) return expectRejected(trial, probe, caller);
      // The service may also reject the parameter itself.
      neededSuccess(trial, accepted);
      const { operation, record } = probe;
      const interaction = await trial.call(operation, { caller, record, isInvalid: true });
      const { status } = trial.responseOf(interaction);
      if (status < 400) throw new Broken("an error without the credential", String(status), interaction);
    },
  }));
}

/** Returns places with the name of the declared one, and with another scheme, that no credential of the document has. */
function otherPlaces(contract: Contract, name: string): readonly SentIn[] {
  const used = Object.keys(contract.model.authentication.credentials).flatMap((one) => placesIn(contract, one));
  const usedKeys = new Set(used.map(keyOf));
  const [first = { header: "Authorization" }] = placesIn(contract, name);
  const written = "query" in first ? first.query : "cookie" in first ? first.cookie : first.header;
  const shared = written === "Authorization" ? "access_token" : written;
  const bearer: SentIn = { header: "Authorization", scheme: "Bearer" };
  const all: readonly SentIn[] = [bearer, { header: shared }, { query: shared }, { cookie: shared }];
  const others = all.filter((location) => !usedKeys.has(keyOf(location)));
  return "scheme" in first ? [...others, { ...first, scheme: "Other" }] : others;
}

/** Two places are one for this test if a service might read the same words of a request. */
function keyOf(location: SentIn): string {
  if ("query" in location) return `query ${location.query}`;
  return "cookie" in location ? `cookie ${location.cookie}` : `header ${location.header.toLowerCase()}`;
}

/** A login sets the cookie, with a token that is accepted, and a logout deletes it. */
function setByLogin(contract: Contract, name: string, { of, sent = [] }: Credential): readonly Case[] {
  const path = `authentication/credentials/${name}/sent`;
  const location = sent.find((one) => "cookie" in one && one.set !== undefined);
  const called = probesOf(contract).find((one) => !needsRecord(one));
  if (location === undefined || !("cookie" in location) || called === undefined || of === undefined) return [];
  const { cookie } = location;
  const logout = [...contract.operations.values()].find((one) => one.action === "logout" && one.resource === of);
  return [
    {
      id: `${path}: set by login`,
      aspects: [{ path, expects: `a login sets the cookie ${cookie}, and a logout deletes it` }],
      run: async (trial) => {
        const caller = await signUp(trial, [], numberOfCookies, name);
        const user = caller === undefined ? undefined : trial.world.accounts.get(caller);
        if (caller === undefined || user === undefined) throw new NotTried("the test cannot sign up a user");
        const { headers } = neededSuccess(trial, await logInteraction(trial, user));
        const field = headers["set-cookie"];
        const token = cookieIn(field, cookie);
        if (token === undefined || token === "") throw brokenBy(trial, `the cookie ${cookie}`, shortText(field));
        const browser = {
          ...{ ...caller, name: "a browser with the cookie" },
          authorize: (request: Parameters<typeof caller.authorize>[0]) =>
            withToken(contract, name, token, request, location),
        };
        await expectAccepted(trial, { caller: browser, operation: called.operation });
        if (logout === undefined) return;
        const ended = neededSuccess(trial, await trial.call(logout.operation, { caller: browser }));
        if (!deletes(ended.headers["set-cookie"], cookie))
          throw brokenBy(trial, `a deletion of the cookie ${cookie}`, shortText(ended.headers["set-cookie"]));
      },
    },
  ];
}

/** The number of the user who is only in the case about the cookie. */
const numberOfCookies = 54;

/** Whether a response deletes a cookie: it sets one that is empty, or ends it (RFC 6265, 3.1). */
function deletes(field: string | undefined, cookie: string): boolean {
  const value = cookieIn(field, cookie);
  return value !== undefined && (value === "" || /max-age=0|max-age=-|expires=/i.test(field ?? ""));
}
