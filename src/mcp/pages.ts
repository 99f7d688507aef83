/**
 * The address at which agents call the operations of a service as tools (R4.25): the Model Context Protocol over Streamable
 * HTTP, without sessions, so that any replica can answer any message.
 */
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { getOrMake } from "../base/once.ts";
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { originMatcher } from "../http/cors.ts";
import { parseJson } from "../http/json.ts";
import type { HttpRequest, HttpResponse } from "../http/message.ts";
import { decide, type Subject } from "../language/authentication/decide.ts";
import type { McpPlan } from "../plan/endpoints/types.ts";
import type { Caller } from "../runtime/context/caller.ts";
import type { Page, PageAccess } from "../runtime/context/endpoint.ts";
import type { Served } from "../runtime/context/version.ts";
import { ApiError } from "../runtime/errors/api-error.ts";
import { literalPath } from "../runtime/routing/router.ts";
import type { LiveService } from "../runtime/service.ts";
import { checkMedia, readBytes } from "../runtime/validation/read-body.ts";
import { callName, describeName, describing, mostTools, twoTools } from "./many.ts";
import { requestOf } from "./request.ts";
import { resultOf, type ToolResult } from "./result.ts";
import { type Tool, type Tools, toolsOf } from "./tools.ts";

export interface McpOptions {
  readonly plan: Served["plan"];
  readonly mcp: McpPlan;
  /** Returns the service's absolute URL. */
  readonly baseUrl: () => string;
  /** The service itself, which answers the calls. */
  readonly service: () => Pick<LiveService, "response">;
  readonly report: (failure: unknown, requestId: string) => void;
}

/** The bytes of a message around the arguments. */
const envelopeBytes = 65_536;

/** The fields that browsers ask for in a preflight request, besides those of credentials. */
const requestFields = [
  ...["Content-Type", "MCP-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name", "Last-Event-ID"],
  ...["traceparent", "tracestate"],
];

export function mcpPages(options: McpOptions): readonly Page[] {
  const { baseUrl, mcp, plan } = options;
  const respond = createResponder(options);
  const credentialFields = plan.credentials.flatMap(({ sent }) =>
    sent.flatMap((one) => ("header" in one ? [one.header] : [])),
  );
  return [
    {
      method: "POST",
      path: literalPath(new URL(plan.base.replace("{base_url}", "http://here")).pathname + mcp.at),
      requestFields: [...new Set([...credentialFields, ...requestFields])],
      page: async (httpRequest, _, __, access) => {
        assertOrigin(httpRequest, plan, baseUrl());
        checkMedia(httpRequest, ["application/json"], "POST");
        return respond(httpRequest, access);
      },
    },
  ];
}

/**
 * Rejects a message from a web page that may not call the service: a page of another site that reaches a service on the user's
 * own machine, by an address of its own name (DNS rebinding), still sends its own origin.
 */
function assertOrigin({ headers }: HttpRequest, { cors }: Served["plan"], baseUrl: string): void {
  const origin = headers.get("origin");
  if (origin === undefined || origin === new URL(baseUrl).origin || cors?.origins === "any") return;
  if (cors !== undefined && originMatcher(cors.origins as readonly string[])(origin)) return;
  throw new ApiError("forbidden", { detail: "Pages of this origin may not call the service" });
}

// ── Messages ───────────────────────────────────────────────────────────────────────────────────────────────────────

interface ServedTools {
  readonly served: Served;
  readonly tools: Tools;
}

/** A message with what its answer depends on. */
interface Message extends ServedTools {
  readonly httpRequest: HttpRequest;
  /** The operations that the caller may run on some record. */
  readonly allowed: readonly Tool[];
  readonly body: Json;
  readonly requestId: string;
}

function createResponder(options: McpOptions): (request: HttpRequest, access: PageAccess) => Promise<HttpResponse> {
  const { baseUrl, mcp, plan } = options;
  const toolsFor = toolsByVersion(plan, baseUrl);
  const messages = new WeakMap<Request, Message>();
  const handler = createMcpHandler(({ requestInfo }) => {
    const message = requestInfo && messages.get(requestInfo);
    if (message === undefined) throw new Error("a message without its request");
    return serverFor(message, options);
  });
  const { requestMilliseconds } = plan.limits;
  const longest = longestMessage(plan);
  return async (httpRequest, access) => {
    const bytes = once(() => readBytes(httpRequest, longest, requestMilliseconds));
    const caller = await access.caller(bytes);
    assertMayUse(mcp, caller, access);
    const { served, tools } = toolsFor(await access.versionFor(caller));
    const allowed = [...tools.byName.values()].filter(({ operation }) => mayRun(operation.allow, caller));
    if (allowed.length === 0 && caller.id === null) throw access.challenge();
    const parsed = parseJson(await bytes());
    if (parsed.kind === "fault") return jsonRpcError(400, -32_700, parsed.detail);
    const rejected = unsupported(parsed.value);
    if (rejected !== undefined) return rejected;
    const { requestId } = access;
    const request = fetchRequest(httpRequest, baseUrl());
    messages.set(request, { httpRequest, served, tools, allowed, body: parsed.value, requestId });
    return responseFrom(await handler.fetch(request, { parsedBody: parsed.value }));
  };
}

/** Rejects a caller who may not use the address. A signature is about one request, so it cannot authenticate a call. */
function assertMayUse({ for: grants }: McpPlan, caller: Caller, access: PageAccess): void {
  if (caller.signature !== undefined)
    throw new ApiError("forbidden", { detail: "A signed request cannot call tools: use another credential" });
  if (grants === undefined || mayRun(grants, caller)) return;
  throw caller.id === null ? access.challenge() : new ApiError("forbidden");
}

function mayRun(grants: Parameters<typeof decide>[0], { id, roles, scoped }: Caller): boolean {
  const subject: Subject | undefined = id === null ? undefined : { roles, scoped };
  return decide(grants, subject) !== "denied";
}

/** Returns the tools of each version; they are the same for all callers and all requests. */
function toolsByVersion({ versions }: Served["plan"], baseUrl: () => string): (version: Served) => ServedTools {
  const known = new Map<Served, ServedTools>();
  return (version) =>
    getOrMake(known, version, () => {
      // The plan of an older version does not know how requests name it.
      const plan = versions === undefined ? version.plan : { ...version.plan, versions };
      return { served: { ...version, plan }, tools: toolsOf(plan, baseUrl()) };
    });
}

/** Returns the most bytes of a message: those of the longest body that is not a file. */
function longestMessage({ limits, operations }: Served["plan"]): number {
  const longest = operations.flatMap(({ file, limits: own }) => (file === undefined ? [own.requestBytes] : []));
  return Math.max(limits.requestBytes, ...longest) + envelopeBytes;
}

/**
 * Rejects what the package would accept: batches, which the specification has dropped and which would run many operations as
 * one request, and subscriptions, since the tools change only with the document.
 */
function unsupported(body: Json): HttpResponse | undefined {
  if (Array.isArray(body)) return jsonRpcError(400, -32_600, "Send each message in a request of its own");
  if (!isObject(body)) return jsonRpcError(400, -32_600, "A message is a JSON object");
  const { id, method } = body;
  if (method !== "subscriptions/listen") return undefined;
  return jsonRpcError(404, -32_601, "Method not found", typeof id === "string" || typeof id === "number" ? id : null);
}

function jsonRpcError(status: number, code: number, message: string, id: string | number | null = null): HttpResponse {
  const body = JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id });
  return { status, headers: ["Content-Type", "application/json", "Cache-Control", "no-store"], body };
}

/** Returns the request in the form of the package, with the fields that it reads. */
function fetchRequest({ headers, target }: HttpRequest, baseUrl: string): Request {
  const fields = ["accept", "mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name"];
  const sent = fields.flatMap((name): [string, string][] => {
    const value = headers.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  return new Request(new URL(target, baseUrl), {
    method: "POST",
    headers: [["content-type", "application/json"], ...sent],
  });
}

async function responseFrom(response: Response): Promise<HttpResponse> {
  const type = response.headers.get("content-type");
  return {
    status: response.status,
    headers: [...(type === null ? [] : ["Content-Type", type]), "Cache-Control", "no-store"],
    body: await response.text(),
  };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}

// ── Tools ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Creates the server of one message. */
function serverFor(message: Message, options: McpOptions): Server {
  const { allowed, served, tools } = message;
  const { plan } = served;
  const server = new Server(
    { name: plan.service, title: plan.title, version: plan.version ?? "1" },
    { capabilities: { tools: {} }, ...(plan.purpose === "" ? {} : { instructions: plan.purpose }) },
  );
  const isMany = allowed.length > mostTools;
  const listed = isMany ? twoTools(plan.title) : allowed.map(({ description }) => description);
  server.setRequestHandler("tools/list", () => ({ tools: listed }) as never);
  server.setRequestHandler("tools/call", async ({ params: { name } }) => {
    const supplied = argumentsIn(message.body);
    const describes = isMany && name === describeName;
    const [operation, values] = isMany && name === callName ? callOf(supplied) : [name, supplied];
    const tool = tools.byName.get(operation);
    if (describes) return project(jsonResult(describing(allowed, supplied)));
    if (tool === undefined) throw unknownTool(operation);
    return project(await run(tool, values, message, options), tool);
  });
  const project = (result: ToolResult, tool?: Tool): never =>
    server.projectCallToolResult(
      result as never,
      // The schema is about successes: a problem stays as it is.
      result.isError === true ? undefined : tool?.description.outputSchema,
    ) as never;
  return server;
}

/** Returns the arguments as sent: the package's own copy lacks members such as `__proto__`. */
function argumentsIn(body: Json): JsonObject {
  const params = isObject(body) ? body["params"] : undefined;
  const supplied = params !== undefined && isObject(params) ? params["arguments"] : undefined;
  return supplied !== undefined && isObject(supplied) ? supplied : {};
}

function callOf({ operation, arguments: values }: JsonObject): readonly [name: string, values: JsonObject] {
  return [typeof operation === "string" ? operation : "", values !== undefined && isObject(values) ? values : {}];
}

/** Runs the operation of a tool like any other request; permissions are those of the service. */
async function run(tool: Tool, supplied: JsonObject, message: Message, options: McpOptions): Promise<ToolResult> {
  const { operation } = tool;
  try {
    const httpRequest = requestOf(tool, supplied, message);
    return resultOf(await options.service().response(httpRequest), operation);
  } catch (thrown) {
    if (thrown instanceof ApiError) {
      const { code, details } = thrown;
      return resultOf(message.served.problems.response(code, details, message.requestId, operation.name), operation);
    }
    options.report(thrown, message.requestId);
    return resultOf(message.served.problems.response("internal", {}, message.requestId), operation);
  }
}

function jsonResult(value: JsonObject): ToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
}

function unknownTool(name: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool \`${name.slice(0, 100)}\``);
}
