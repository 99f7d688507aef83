/**
 * The interactions of broken cases as an HTTP Archive 1.2, which browsers and proxies open. Each broken case is a page of the
 * archive.
 */
import type { JsonObject } from "../../base/json.ts";
import { type Interaction, isResponse } from "../interaction.ts";
import type { Report } from "../result.ts";
import { type CurlOptions, urlText } from "./curl.ts";
import { base64, sentHeaders } from "./json.ts";
import { brokenGroups } from "./summary.ts";

export interface HarOptions extends CurlOptions {
  /** The release of Nonet. */
  readonly release: string;
}

export function reportHar(report: Report, options: HarOptions): JsonObject {
  const groups = brokenGroups(report).filter(({ result }) => result.interactions.length > 0);
  return {
    log: {
      version: "1.2",
      creator: { name: "nonet", version: options.release },
      pages: groups.map(({ result: { id, expected, got, interactions } }) => ({
        startedDateTime: timeOf(interactions[0]),
        id,
        title: id,
        pageTimings: {},
        comment: `expected ${expected}, got ${got}`,
      })),
      entries: groups.flatMap(({ result: { id, interactions } }) =>
        interactions.map((interaction) => entryOf(interaction, id, options)),
      ),
    },
  };
}

function timeOf(interaction: Interaction | undefined): string {
  return new Date(interaction?.startedAt ?? 0).toISOString();
}

function entryOf(interaction: Interaction, page: string, options: HarOptions): JsonObject {
  const { milliseconds, caller, operation } = interaction;
  return {
    pageref: page,
    startedDateTime: timeOf(interaction),
    time: milliseconds,
    request: requestOf(interaction, options),
    response: responseOf(interaction),
    cache: {},
    timings: { send: 0, wait: milliseconds, receive: 0 },
    comment: `${operation ?? "no operation"} as ${caller}`,
  };
}

function requestOf(interaction: Interaction, options: HarOptions): JsonObject {
  const { method, body } = interaction.request;
  const url = urlText(interaction.request.url, options);
  const headers = sentHeaders(interaction, options);
  const mimeType = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  return {
    method,
    url,
    httpVersion: "HTTP/1.1",
    cookies: [],
    headers: headers.map(([name, value]) => ({ name, value })),
    queryString: queryOf(url),
    ...(body === undefined ? {} : { postData: { mimeType, ...postedText(body) } }),
    headersSize: -1,
    bodySize: body === undefined ? 0 : bytesOf(body).length,
  };
}

/** The archive has only texts; bytes that are no text are in base 64, as the comment says. */
function postedText(body: string | Uint8Array): JsonObject {
  return typeof body === "string" ? { text: body } : { text: base64(body), comment: "base64" };
}

function bytesOf(body: string | Uint8Array): Uint8Array {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}

function queryOf(url: string): readonly JsonObject[] {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? "";
  return query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return { name: decoded(name), value: decoded(value.join("=")) };
    });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

function responseOf({ response }: Interaction): JsonObject {
  const common = { httpVersion: "HTTP/1.1", cookies: [], headersSize: -1, bodySize: -1 };
  if (!isResponse(response)) {
    const content = { size: 0, mimeType: "" };
    return { status: 0, statusText: "", headers: [], content, redirectURL: "", ...common, comment: response.problem };
  }
  const { status, headers, text } = response;
  return {
    status,
    statusText: response.statusText ?? "",
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    content: { size: bytesOf(text).length, mimeType: headers["content-type"] ?? "", text },
    redirectURL: headers["location"] ?? "",
    ...common,
  };
}
