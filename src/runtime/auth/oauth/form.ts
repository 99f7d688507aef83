/** Reads the form body of requests to OAuth endpoints: each parameter at most once (RFC 6749 section 3.2). */
import { ApiError } from "../../errors/api-error.ts";
import { parseQuery } from "../../routing/target.ts";
import { readBytes } from "../../validation/read-body.ts";
import type { HttpRequest } from "../../../http/message.ts";
import { parseMediaType } from "../../../http/negotiation.ts";
import { OAuthError } from "./error.ts";

export type Form = ReadonlyMap<string, string>;

const mediaType = "application/x-www-form-urlencoded";
const mostBytes = 16 * 1024;
const mostMilliseconds = 10_000;

/** Reads the form. @throws OAuthError */
export async function readForm(httpRequest: HttpRequest): Promise<Form> {
  const { headers, target } = httpRequest;
  const type = parseMediaType(headers.get("content-type") ?? "");
  if (type?.essence !== mediaType || (type.charset ?? "utf-8") !== "utf-8")
    throw new OAuthError("invalid_request", `Send the parameters as ${mediaType}`);
  if ((headers.get("content-encoding") ?? "identity").trim().toLowerCase() !== "identity")
    throw new OAuthError("invalid_request", "Send the body without a content coding");
  // Logs and browser histories contain URLs, so parameters in a URL are rejected (R5.3).
  if (target.includes("?")) throw new OAuthError("invalid_request", "Send the parameters in the body");
  return parseForm((await readBytes(httpRequest, mostBytes, mostMilliseconds)).toString("utf8"));
}

/** Parses a form. A parameter without a value counts as absent (RFC 6749 section 3.1). */
function parseForm(text: string): Form {
  try {
    return new Map([...parseQuery(text)].filter(([, value]) => value !== ""));
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    const isRepeated = thrown.details.violations?.[0]?.code === "repeated-parameter";
    throw new OAuthError(
      "invalid_request",
      isRepeated ? "A parameter is sent more than once" : "The form is malformed",
    );
  }
}
