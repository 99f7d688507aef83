/** Writes the table that the common part of a client reads: address, version, credentials, operations and waits. */
import type { Json, JsonObject } from "../../base/json.ts";
import { requestScheme, withSignatureIn } from "../../base/signature-schemes.ts";
import type { AuthenticationPart, SentIn } from "../../plan/authentication/types.ts";
import type { ErrorsPart } from "../../plan/errors/types.ts";
import type { VersioningPart } from "../../plan/versioning/conversion-types.ts";
import type { Exported } from "./client.ts";
import type { Method } from "./methods.ts";
import { isIdentifier } from "./types.ts";
import type { Wait } from "./waits.ts";

/** The time for the network in milliseconds, which is added to the service's own time limit. */
const networkMilliseconds = 5000;

export function serviceTable(
  { plan, described }: Exported,
  methods: readonly Method[],
  waits: readonly Wait[],
): readonly string[] {
  const [server] = described.document["servers"] as readonly { readonly url: string }[];
  const longest = Math.max(...methods.map(({ operation }) => operation.operation.limits.requestMilliseconds), 1);
  const service: JsonObject = {
    mount: (server?.url ?? "").replace(/^[a-z]+:\/\/[^/]*/i, ""),
    ...versionOf(plan),
    credentials: Object.fromEntries(
      credentialRows(plan).map(({ credential, kind, place }) => [credential, { kind, ...place }]),
    ),
    operations: Object.fromEntries(
      methods.map((method) => [method.name, { ...method.row, ...errorCodesByStatus(plan, method) }]),
    ),
    timeout: longest + networkMilliseconds,
    ...problemOf(plan),
  };
  return [
    `const service: ServiceDescription = ${valueText(service, "")};\n`,
    `const waits: Readonly<Record<string, WaitDescription>> = ${valueText(Object.fromEntries(waits.map(({ name, row }) => [name, row])), "")};\n`,
  ];
}

function versionOf({ version, versions }: VersioningPart): JsonObject {
  const sent = versions?.sent;
  if (version === undefined || sent === undefined) return {};
  switch (sent.kind) {
    case "header":
    case "query":
      return { version: { in: sent.kind, name: sent.name, value: version } };
    case "media-type":
      return { version: { in: "accept", name: "version", value: version } };
    case "path":
      // Nothing to send, since the mount path contains the version.
      return {};
  }
}

/** Returns a row for each credential, with its place in requests: not the query if there is another one, since URLs are logged. */
export function credentialRows({ credentials }: AuthenticationPart): readonly CredentialRow[] {
  return credentials.flatMap(({ name: credential, kind, scheme = requestScheme, sent }): readonly CredentialRow[] => {
    const sentIn = sent.find((one) => "header" in one) ?? sent.find((one) => "cookie" in one) ?? sent[0];
    if (sentIn === undefined) return [];
    const place = locationOf(sentIn);
    if (kind !== "hmac-sha256") return [{ credential, kind: kind === "basic" ? "user" : "text", place }];
    const signature = { ...withSignatureIn(scheme, place.name) };
    return [{ credential, kind: "signature", place: { ...place, signature } }];
  });
}

interface CredentialRow {
  /** The name of the credential in the document. */
  readonly credential: string;
  readonly kind: "text" | "user" | "signature";
  readonly place: { readonly name: string } & JsonObject;
}

function locationOf(sentIn: SentIn): CredentialRow["place"] {
  if ("query" in sentIn) return { in: "query", name: sentIn.query };
  if ("cookie" in sentIn) return { in: "cookie", name: sentIn.cookie };
  const { header, scheme } = sentIn;
  return { in: "header", name: header, ...(scheme === undefined ? {} : { scheme }) };
}

/** Whether all errors have RFC 9457 bodies and standard codes. */
function isStandard({ problemBody, problemBodies, errors }: ErrorsPart): boolean {
  const bodies = [problemBody, ...Object.values(problemBodies)];
  return (
    bodies.every((body) => body === "problem+json") && Object.values(errors).every(({ wire }) => wire === undefined)
  );
}

function problemOf(plan: ErrorsPart): JsonObject {
  if (isStandard(plan)) return {};
  const { problemBody, problemBodies, errors } = plan;
  const shapes = [problemBody, ...Object.values(problemBodies)].flatMap((body) =>
    body === "problem+json" || typeof body.shape === "string" ? [] : [body.shape],
  );
  const renamed = Object.entries(errors).flatMap(([code, { wire }]) => (wire === undefined ? [] : [{ code, wire }]));
  const byContract = [...Map.groupBy(renamed, ({ wire }) => wire)];
  return {
    problem: {
      bodies: shapes,
      externalCodes: Object.fromEntries(byContract.map(([wire, all]) => [wire, all.map(({ code }) => code)])),
      messages: Object.fromEntries(
        Object.entries(errors).map(([code, { title, message }]) => [code, message ?? title]),
      ),
    },
  };
}

/** Returns the error codes by status, from which the client derives the code if bodies may lack it. */
function errorCodesByStatus(plan: ErrorsPart, { operation }: Method): JsonObject {
  if (isStandard(plan)) return {};
  const byStatus = Map.groupBy(operation.possibleErrors, ({ status }) => status);
  return {
    possibleErrors: Object.fromEntries([...byStatus].map(([status, codes]) => [status, codes.map(({ code }) => code)])),
  };
}

/** Formats a value like the formatter: on one line if it fits. */
function valueText(value: Json, indent: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const list = Array.isArray(value);
  const name = (key: string): string => (isIdentifier(key) && key !== "__proto__" ? key : JSON.stringify(key));
  const write = (inner: string): readonly string[] =>
    list
      ? (value as readonly Json[]).map((one) => valueText(one, inner))
      : Object.entries(value as JsonObject).map(([key, one]) => `${name(key)}: ${valueText(one, inner)}`);
  const [open, close] = list ? ["[", "]"] : ["{", "}"];
  const inline = write("").join(", ");
  if (inline === "") return `${open}${close}`;
  if (inline.length + indent.length < 100 && !inline.includes("\n")) return list ? `[${inline}]` : `{ ${inline} }`;
  const inner = `${indent}  `;
  return `${open}\n${write(inner)
    .map((line) => `${inner}${line},\n`)
    .join("")}${indent}${close}`;
}
