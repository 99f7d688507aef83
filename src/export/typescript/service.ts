/** Writes the table that the common part of a client reads: address, version, credentials, operations and waits. */
import type { Json, JsonObject } from "../../base/json.ts";
import type { AuthenticationPart } from "../../plan/authentication/types.ts";
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
    credentials: Object.fromEntries(credentialRows(plan).map(({ name, ...row }) => [name, row])),
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

/** Returns a row for each credential that the client can send: in a header field, and not signed by a custom scheme. */
export function credentialRows({ credentials }: AuthenticationPart): readonly CredentialRow[] {
  return credentials.flatMap(({ name, kind, scheme: signature, sent }): readonly CredentialRow[] => {
    const sentIn = sent.find((one) => "header" in one) ?? sent.find((one) => "cookie" in one);
    // Only its provider sends requests with a credential that has a scheme.
    if (sentIn === undefined || signature !== undefined) return [];
    const form = kind === "basic" ? "user" : kind === "hmac-sha256" ? "signature" : "text";
    // A browser adds its cookies itself; other programs send `session= …`, whose blank belongs to no value (RFC 6265).
    const { header, scheme } =
      "cookie" in sentIn ? { header: "Cookie", scheme: `${sentIn.cookie}=` } : { scheme: undefined, ...sentIn };
    return [{ name, kind: form, header, ...(scheme === undefined ? {} : { scheme }) }];
  });
}

interface CredentialRow {
  readonly name: string;
  readonly kind: "text" | "user" | "signature";
  readonly header: string;
  readonly scheme?: string;
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
