/** A report of the parcel lockers, made by hand: what holds, what is broken in each way, and what was not tried. */
import type { Interaction, Request, Response } from "../../src/conformance/interaction.ts";
import type { CaseResult, Report } from "../../src/conformance/result.ts";
import { groupByCause, statementResults } from "../../src/conformance/results.ts";
import { statementsOf } from "../../src/conformance/statement.ts";
import { check } from "../../src/language/check.ts";
import { flagshipText } from "../export/documents.ts";

const url = "http://127.0.0.1:8080";
export const startedAt: number = Date.UTC(2026, 10, 22, 9, 30);
export const token = "pl_courier'sToken";

const site = "site_01KB3W2Q8X7Z4V5N6M7P8R9STV";

interface Sent {
  readonly request: Partial<Request> & { readonly method: string };
  readonly status: number;
  readonly text?: string;
  readonly caller?: string;
  readonly operation?: string;
  readonly after?: number;
}

export function interaction({
  request,
  status,
  text = "",
  caller = "courier",
  operation,
  after = 0,
}: Sent): Interaction {
  const response: Response = {
    status,
    headers: { "content-type": status < 400 ? "application/json" : "application/problem+json", date: "now" },
    text,
    json: text === "" ? undefined : JSON.parse(text),
  };
  return {
    request: {
      url: `${url}/parcels`,
      ...request,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(request.body === undefined ? {} : { "Content-Type": "application/json" }),
        ...request.headers,
      },
    },
    response,
    startedAt: startedAt + after,
    milliseconds: 12.5,
    caller,
    ...(operation === undefined ? {} : { operation }),
  };
}

const addSite = interaction({
  request: { method: "POST", url: `${url}/sites`, body: '{"name":"Grønland’s","address":{"street":"Storgata 1","postcode":"0184","country":"NO"}}' },
  status: 201,
  text: `{"id":"${site}"}`,
  caller: "operator",
  operation: "addSite",
}); // biome-ignore format: one request

function announce(members: string, status: number, text: string, after: number): Interaction {
  return interaction({
    request: { method: "POST", url: `${url}/parcels`, body: `{"site":"${site}","size":"small",${members}}` },
    status,
    text,
    operation: "announceParcel",
    after,
  });
}

const rejected = '{"type":"https://lockers.example/errors/invalid-request","status":422}';

function holds(id: string, path: string, expects: string, ...interactions: readonly Interaction[]): CaseResult {
  return { kind: "holds", id, aspects: [{ path, expects }], interactions };
}

function notTried(id: string, path: string, expects: string, reason: string, remedy?: string): CaseResult {
  return { kind: "not tried", id, aspects: [{ path, expects }], reason, ...(remedy === undefined ? {} : { remedy }) };
}

const noClock = ["the test cannot move the clock", "an implementation with a test clock, and --clock URL"] as const;
const noDevice = ["no secret of the credential device", "the secret in DOOR_SECRET"] as const;

export const caseResults: readonly CaseResult[] = [
  holds("purpose/operations/addSite", "purpose/operations/addSite", "the operation is served", addSite),
  holds("resources/Site/name: too long", "resources/Site/name/type", "a text of 81 characters is rejected", {
    ...addSite,
    request: { ...addSite.request, body: `{"name":"${"x".repeat(81)}"}` },
    response: { status: 422, headers: {}, text: rejected, json: undefined },
  }),
  holds("resources/Site/name: longest", "resources/Site/name/type", "a text of 80 characters is accepted", addSite),
  holds("resources/Parcel/size: unknown", "resources/Parcel/size/type", "a size that is none of the three is rejected", announce('"size":"huge"', 422, rejected, 20)),
  {
    kind: "broken",
    id: "resources/Parcel/recipientEmail: no @",
    aspects: [{ path: "resources/Parcel/recipientEmail/type", expects: "an address without @ is rejected" }],
    expected: "422 invalid-request, with an error at recipientEmail",
    got: "201 with the record",
    interactions: [addSite, announce('"recipientEmail":"nobody","weightKg":1.5', 201, '{"id":"par_01KB3W2Q8X7Z4V5N6M7P8R9ST0","recipientEmail":"nobody"}', 40)],
    also: [],
  },
  {
    kind: "broken",
    id: "resources/Parcel/weightKg: too heavy",
    aspects: [{ path: "resources/Parcel/weightKg/type", expects: "a weight of 31 is rejected" }],
    expected: "422 invalid-request",
    got: "500",
    interactions: [addSite, announce('"weightKg":31', 500, '{"stack":"<script>alert(1)</script>\\u001b[2J"}', 60)],
    also: [],
  },
  {
    kind: "broken",
    id: "resources/Parcel/labels: six",
    aspects: [{ path: "resources/Parcel/labels/type", expects: "six labels are rejected" }],
    expected: "422 invalid-request",
    got: "500",
    interactions: [announce('"labels":["1","2","3","4","5","6"]', 500, "", 80)],
    also: [],
  },
  notTried("states/Parcel/announced -> cancelled: after 48h", "states/Parcel/moves/announced -> cancelled/1", "a parcel is cancelled after 48 hours", ...noClock),
  holds("states/Parcel/announced -> cancelled: by cancelParcel", "states/Parcel/moves/announced -> cancelled/0", "cancelParcel leads to cancelled", interaction({ request: { method: "POST", url: `${url}/parcels/par_1/cancel` }, status: 200, text: '{"state":"cancelled"}', operation: "cancelParcel" })),
  notTried("states/Parcel/stored -> expired: at collectBy", "states/Parcel/moves/stored -> expired/0", "a parcel expires at collectBy", ...noClock),
  {
    kind: "broken",
    id: "states/Parcel/stored -> stored: third time",
    aspects: [{ path: "states/Parcel/moves/stored -> stored/0/if", expects: "a third extension is rejected" }],
    expected: "409 no-more-extensions",
    got: "no response within 10 s",
    interactions: [
      {
        ...interaction({ request: { method: "POST", url: `${url}/parcels/par_1/extend`, headers: { "If-Match": '"3"' } }, status: 200, operation: "extendParcel", after: 100 }),
        response: { problem: "no response within 10 s" },
      },
    ],
    also: [],
  },
  holds("endpoints/addSite: path", "endpoints/endpoints/addSite/at", "POST /sites creates a site", addSite),
  notTried("states/Locker/free -> faulty", "states/Locker/moves/free -> faulty/0", "a door that is faulty takes the locker out of use", ...noDevice),
  notTried("authentication/device: signature", "authentication/credentials/device/kind", "a request without a signature is rejected", ...noDevice),
  holds("authentication/key: lasts", "authentication/credentials/key/sent", "a key is accepted in Authorization", addSite),
  notTried("authentication/key: lasts", "authentication/credentials/key/lasts", "a key ends after 365 days", ...noClock),
  {
    kind: "broken",
    id: "authentication/allow: courier adds a locker",
    aspects: [{ path: "authentication/allow/addLocker/0", expects: "a courier cannot add a locker" }],
    expected: "403 forbidden",
    got: "201 with the record",
    interactions: [
      interaction({ request: { method: "POST", url: `${url}/lockers`, body: '{"door":1}' }, status: 201, text: '{"id":"lok_1"}', operation: "addLocker", after: 120 }),
    ],
    also: [],
  },
  holds("errors/wrong-code", "errors/errors/wrong-code", "a wrong code is 403", interaction({ request: { method: "POST", url: `${url}/parcels/par_1/collect`, body: '{"code":"000000"}' }, status: 403, text: '{"status":403}', caller: "anonymous", operation: "collect" })),
  {
    kind: "broken",
    id: "errors: unknown path",
    aspects: [{ path: "errors", expects: "a path of no operation is not found" }],
    expected: "404 not-found",
    got: "200",
    interactions: [interaction({ request: { method: "GET", url: `${url}/nowhere` }, status: 200, text: '"it\'s <b>here</b>"', caller: "anonymous", after: 140 })],
    also: [],
  },
]; // biome-ignore format: a table

/** A report of these results about a document. */
export function reportOf(
  results: readonly CaseResult[],
  text: string = flagshipText,
  document = "examples/parcel-lockers.md",
): Report {
  const { model, places } = check(document, text);
  return {
    document,
    text,
    title: model.title ?? "",
    url,
    version: "2026-09-01",
    seed: 42,
    startedAt,
    milliseconds: 8123,
    requests: 1204,
    statements: statementResults(statementsOf(model, places), results),
    cases: groupByCause(results),
  };
}

export const sampleReport: Report = reportOf(caseResults);

/** The flagship with whatever could break out of a page, and the lines of Windows. */
const hostileText = flagshipText
  .replace("Couriers leave", `<script>evil = 1</script> <img src=x onerror="evil = 1"> [a](javascript:evil=1)\n\n**Couriers** [a](javascript:evil=1) <img src=x onerror="evil = 1">\n\n- leave`)
  .replace("last-mile logistics", "</code></summary></details><script>evil = 1</script> &amp; 'x'")
  .replace("## Limits", "Limits\n------\n\n```yaml example\nnot: this\n```\n")
  .replace(/## Events\n```yaml[\s\S]*?```/, "## Events\nnone")
  .replaceAll("\n", "\r\n"); // biome-ignore format: one replacement a line

/** A report whose every text tries to be something else. */
export const hostileReport: Report = reportOf(
  caseResults.map((result): CaseResult => {
    const poison = `</pre></code>]]></failure><script>evil = 1</script>\u0000\u001b[2J\ud800"'&`;
    if (result.kind !== "broken") return result;
    return {
      ...result,
      id: `${result.id} ${poison}`,
      aspects: result.aspects.map(({ path, expects }) => ({ path, expects: `${expects} ${poison}` })),
      expected: poison,
      got: `${poison}\n${poison}`,
      interactions: result.interactions.map((one) => ({
        ...one,
        caller: poison,
        request: { ...one.request, body: poison },
        response: { status: 500, headers: { "content-type": poison }, text: poison, json: undefined },
      })),
    };
  }),
  hostileText,
);
