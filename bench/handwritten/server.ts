/**
 * The parcel-lockers service as one would write it by hand: Fastify 5, Ajv, fast-json-stringify through the response
 * schemas, node:sqlite with prepared statements, one transaction a request. It is what the generated service is
 * measured against, so it makes the same checks, in the same order, with the same durability.
 */
import { randomUUID } from "node:crypto";
import addStandardFormats from "ajv-formats";
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onRequestHookHandler,
} from "fastify";
import { authenticator, type Caller } from "./access.ts";
import type { Database } from "./database.ts";
import { executeOnce, forgetOldKeys } from "./idempotency.ts";
import { invalid, notFound, Problem, problemText } from "./problem.ts";
import { addLockers, addParcels, addSites } from "./resources.ts";
import { parseStrictly } from "./strict-json.ts";
import { AJV_OPTIONS, addFormats } from "./validation.ts";
import { addWebhooks } from "./webhooks.ts";

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller;
  }
  interface FastifyContextConfig {
    /** Who may call it: one of these roles; none named means any signed-in caller; left out means open. */
    roles?: readonly string[];
  }
}

const REQUEST_BYTES = 256 * 1024;
const JSON_TYPES = /^application\/(?:json|merge-patch\+json)\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

export function buildServer(database: Database, baseUrl: string): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: REQUEST_BYTES,
    connectionTimeout: 0,
    keepAliveTimeout: 30_000,
    requestTimeout: 30_000,
    http: { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2_000 },
    genReqId: () => `req_${randomUUID()}`,
    routerOptions: { maxParamLength: 200 },
    ajv: { customOptions: AJV_OPTIONS, plugins: [addStandardFormats.default as never, addFormats as never] },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler: (error, socket) => {
      const status = (error as { code?: string }).code === "HPE_HEADER_OVERFLOW" ? 431 : 400;
      const problem = new Problem(status, "invalid-request", "The request is malformed.");
      const text = problemText(problem, `req_${randomUUID()}`, baseUrl);
      const head = `content-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(text)}`;
      if (socket.writable) socket.end(`HTTP/1.1 ${status} Refused\r\n${head}\r\nconnection: close\r\n\r\n${text}`);
    },
  });

  const sendError = (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = asProblem(thrown);
    reply.code(problem.status).headers({
      "cache-control": "no-store",
      "content-language": "en",
      "content-type": "application/problem+json",
      ...problem.headers,
    });
    return reply.send(problemText(problem, request.id, baseUrl));
  };

  app.decorateRequest("caller");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ["application/json", "application/merge-patch+json"],
    { parseAs: "buffer" },
    (_request, body, done) => {
      try {
        done(null, parseStrictly(body as Buffer));
      } catch (error) {
        done(error as Error);
      }
    },
  );
  app.addHook("onRequest", admit(authenticator(database)));
  app.setErrorHandler(sendError);
  addMethodChecks(app);

  const health = (_request: FastifyRequest, reply: FastifyReply) => {
    reply.header("cache-control", "no-store").type("application/health+json");
    return reply.send('{"status":"pass"}');
  };
  app.get("/livez", health);
  app.get("/readyz", health);

  const once = executeOnce(database, baseUrl);
  addSites(app, database, baseUrl, once);
  addLockers(app, database, baseUrl, once);
  addParcels(app, database, baseUrl, once, addWebhooks(app, database, baseUrl, once));

  const sweep = setInterval(() => forgetOldKeys(database), 60_000);
  sweep.unref();
  app.addHook("onClose", () => clearInterval(sweep));
  return app;
}

/** Everything that is decided before the body is read: 401, 403, 406, 415 and 400, in this order (R0.1). */
function admit(authenticate: (authorization: string | undefined) => Caller): onRequestHookHandler {
  return (request, reply, done) => {
    reply.headers({
      "request-id": request.id,
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "cache-control": request.method === "GET" || request.method === "HEAD" ? "private, no-cache" : "no-store",
    });
    const { roles } = request.routeOptions.config;
    if (roles === undefined) return done();
    const { headers } = request;
    const caller = authenticate(headers.authorization);
    if (roles.length > 0 && !roles.some((role) => caller.roles.includes(role))) {
      throw new Problem(403, "forbidden", "This key has none of the roles that may do this.");
    }
    request.caller = caller;
    if (headers.accept !== undefined && !acceptsJson(headers.accept)) {
      throw new Problem(406, "not-acceptable", "application/json is offered.", { offered: ["application/json"] });
    }
    const hasBody = headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
    if (!hasBody) return done();
    if (request.method === "GET" || request.method === "HEAD") throw invalid(400, "A read takes no body.", []);
    if (!JSON_TYPES.test(headers["content-type"] ?? "") || (headers["content-encoding"] ?? "identity") !== "identity") {
      throw unsupportedMedia();
    }
    done();
  };
}

function acceptsJson(accept: string): boolean {
  if (accept === "*/*" || accept === "application/json") return true;
  return accept.split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return (
      ["*/*", "application/*", "application/json"].includes(type) && !parameters.some((p) => /^q=0(\.0*)?$/.test(p))
    );
  });
}

/** 405 with `Allow` and 204 for OPTIONS, which Fastify leaves to its user (R4.1, R4.2). */
function addMethodChecks(app: FastifyInstance): void {
  const routes: { path: RegExp; methods: string[] }[] = [];
  app.addHook("onRoute", (route) => {
    const path = new RegExp(`^${route.url.replace(/:\w+/g, "[^/]+")}$`);
    const methods = [route.method].flat();
    const known = routes.find((one) => one.path.source === path.source);
    if (known === undefined) routes.push({ path, methods });
    else known.methods.push(...methods);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?", 1)[0] as string;
    const route = routes.find((one) => one.path.test(path));
    if (route === undefined) throw notFound();
    const allow = [...new Set([...route.methods, "OPTIONS"])].join(", ");
    if (request.method === "OPTIONS") return reply.code(204).header("allow", allow).send();
    throw new Problem(405, "method-not-allowed", `Use ${allow}.`, {}, { allow });
  });
}

function asProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  const { code, errcode } = thrown as { code?: string; errcode?: number };
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return unsupportedMedia();
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") {
    return new Problem(413, "too-large", "At most 256 KB.", {}, { connection: "close" });
  }
  if (code?.startsWith("FST_ERR_") === true) return invalid(400, "The request is malformed.", []);
  if (errcode === 5) return new Problem(503, "overloaded", "Try again.", {}, { "retry-after": "1" });
  console.error(thrown);
  return new Problem(500, "internal", "It is our fault; try again or tell us the request id.");
}

const unsupportedMedia = (): Problem =>
  new Problem(
    415,
    "unsupported-media",
    "Send application/json in UTF-8.",
    {},
    {
      accept: "application/json",
      "accept-patch": "application/merge-patch+json, application/json",
    },
  );
