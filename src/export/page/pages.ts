/**
 * Serves the service's pages, for people and for clients that look for its description (R1.1). The first request loads the
 * renderers, since most processes serve no page.
 */
import type { Json } from "../../base/json.ts";
import { hasEvents } from "../../plan/events/events.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Segment } from "../../plan/endpoints/types.ts";
import { servedOperations } from "../../plan/endpoints/contract.ts";
import { stylePath } from "./page.ts";
import { type CheckedDocument, mountOf, type Source } from "./source.ts";
import { consoleStyle, style } from "./style.ts";

/** A page in the server's form; `headers` alternates names and values. */
export interface Page {
  readonly path: readonly Segment[];
  page(
    pageRequest: PageRequest,
    parameters: Readonly<Record<string, string>>,
    /** Returns the plan of the requested version; throws if the version is not served. */
    version: () => { readonly plan: Plan },
  ): PageResponse | Promise<PageResponse>;
}

export interface PageRequest {
  readonly headers: { get(name: string): string | undefined };
}

export interface PageResponse {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body?: string;
  /** The Content-Security-Policy, if it differs from the strictest one. */
  readonly policy?: string;
}

export interface PageOptions {
  readonly result: CheckedDocument;
  readonly plan: Plan;
  /** Returns the service's absolute URL; called for each request, since the port may not be known before. */
  readonly baseUrl: () => string;
  /** Whether the program of the console is served at `consolePath`; default: false. */
  readonly console?: boolean;
}

/**
 * Returns the pages: `/`, `/openapi.json`, `/asyncapi.json` (with events), `/errors/{code}`, `/.well-known/api-catalog` (RFC
 * 9727), and the stylesheet.
 */
export function servicePages({ baseUrl, console = false, plan, result }: PageOptions): readonly Page[] {
  const root = () => baseUrl().replace(/\/+$/, "");
  const served: Plan = { ...plan, operations: servedOperations(plan) };
  const home = homeOf(served);
  const source = (): Source => ({ result, plan: served, baseUrl: root() });
  const document = memoized(root, async () =>
    [...(await import("./document-page.ts")).documentPage(source(), { kind: "served", console })].join(""),
  );
  const described = (path: string, describe: (plan: Plan) => Promise<Json>): Page => {
    const texts = new Map(
      versionsOf(plan).map((one) => [one.version, memoized(root, async () => JSON.stringify(await describe(one)))]),
    );
    return {
      path: literals(path),
      page: async (request, _, version) => {
        const text = texts.get(version().plan.version);
        return pageResponse(request, "application/json", (await text?.()) ?? "{}");
      },
    };
  };
  const catalogue = memoized(root, () => JSON.stringify(apiCatalogue(plan, root())));
  const service = memoized(root, () => JSON.stringify(serviceDescription(served, root())));
  return [
    {
      path: literals(home),
      page: async (request) => {
        const negotiated = { vary: "Accept", headers: ["Link", linksFor(home)] };
        return prefersHtml(request.headers.get("accept"))
          ? pageResponse(request, "text/html; charset=utf-8", await document(), {
              ...negotiated,
              policy: console ? `${pagePolicy}; script-src 'self'; connect-src 'self'` : pagePolicy,
            })
          : pageResponse(request, "application/json", service(), negotiated);
      },
    },
    described("openapi.json", async (one) => (await import("../openapi/openapi.ts")).openapi(one, root())),
    ...(versionsOf(plan).some(hasEvents)
      ? [described("asyncapi.json", async (one) => (await import("../asyncapi/asyncapi.ts")).asyncapi(one, root()))]
      : []),
    {
      path: literals(stylePath),
      page: (request) => pageResponse(request, "text/css; charset=utf-8", style + consoleStyle),
    },
    { path: literals(".well-known/api-catalog"), page: (request) => pageResponse(request, catalogueType, catalogue()) },
    {
      path: [...literals("errors"), { kind: "parameter", name: "code" }],
      page: async (request, parameters) => {
        const { errorPage } = await import("./error-page.ts");
        const name = parameters["code"] ?? "";
        // All versions share one URL for the page of a code, since a code never changes its meaning.
        const has = versionsOf(plan).find(({ errors }) => Object.hasOwn(errors, name));
        const found = errorPage({ ...source(), plan: has === undefined || has === plan ? served : has }, name);
        // The server converts a page with this status to an error response, as for any unknown path.
        if (found === undefined) return { status: 404, headers: [] };
        return pageResponse(request, "text/html; charset=utf-8", found, { policy: pagePolicy });
      },
    },
  ];
}

/**
 * The Content-Security-Policy of the pages. It allows `data:` images, because the pages embed the icon. The page at the root may
 * also run the console, which sends requests to the service.
 */
const pagePolicy =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function linksFor(home: string): string {
  return `</openapi.json>; rel="service-desc"; type="application/json", </${home}>; rel="service-doc"; type="text/html", </readyz>; rel="status"`;
}

/** Returns the path of the document page: the root, or `document` if the document itself has an operation at the root. */
export function homeOf({ base, operations }: Plan): string {
  const mounted = /^(?:\{base_url\}|https?:\/\/[^/]*)\/+[^/]/.test(base);
  return !mounted && operations.some(({ method, path }) => method === "GET" && path.length === 0) ? "document" : "";
}

const catalogueType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

function literals(path: string): readonly Segment[] {
  return path.split("/").map((text) => ({ kind: "literal", text }));
}

/** Returns the plans of all versions, newest first. */
function versionsOf(plan: Plan): readonly Plan[] {
  const { versions } = plan;
  const older = versions?.list.flatMap((one) => (one.older === undefined ? [] : [{ ...one.older.received, versions }]));
  return [plan, ...(older ?? [])];
}

/** Caches a text until the service's URL changes. */
function memoized<Text>(address: () => string, make: () => Text): () => Text {
  let made: { readonly address: string; readonly text: Text } | undefined;
  return () => {
    const now = address();
    if (made?.address !== now) made = { address: now, text: make() };
    return made.text;
  };
}

interface Extra {
  /** The request header fields that select the response, besides `Accept-Encoding`. */
  readonly vary?: string;
  readonly headers?: readonly string[];
  readonly policy?: string;
}

function pageResponse(
  { headers: received }: PageRequest,
  type: string,
  body: string,
  { vary, headers = [], policy }: Extra = {},
): PageResponse {
  const tag = `"${fingerprint(body)}"`;
  const common = ["Cache-Control", "private, no-cache", ...headers];
  const rest = policy === undefined ? {} : { policy };
  const known = knownTag(received.get("if-none-match"), tag);
  return known === undefined
    ? {
        status: 200,
        headers: ["Content-Type", type, ...common, ...(vary === undefined ? [] : ["Vary", vary]), "ETag", tag],
        body,
        ...rest,
      }
    : {
        status: 304,
        headers: [
          ...common,
          "Vary",
          vary === undefined ? "Accept-Encoding" : `${vary}, Accept-Encoding`,
          "ETag",
          known,
        ],
        ...rest,
      };
}

/**
 * Returns the caller's `ETag` if it matches this body, by weak comparison; a compressed body has another tag (RFC 9110 section
 * 8.8.3.3).
 */
function knownTag(field: string | undefined, tag: string): string | undefined {
  if (field?.trim() === "*") return tag;
  const tags = (field ?? "").split(",").map((one) => one.trim().replace(/^W\//, ""));
  return tags.find((one) => one.replace(/-(?:br|gzip)"$/, '"') === tag);
}

/**
 * Returns a hash of a text for its `ETag` (FNV-1a, 2 × 32 bits). The hash is not secure, since only the service's own texts
 * are hashed.
 */
function fingerprint(text: string): string {
  let one = 0x811c9dc5;
  let other = 0x01000193;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x85ebca6b);
  }
  return [one, other].map((half) => (half >>> 0).toString(36)).join("-");
}

/** Whether a client prefers HTML: browsers accept `text/html`, while a client that accepts anything gets JSON. */
function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const quality = (type: string): number => {
    const range = accept.split(",").find((one) => one.trim().toLowerCase().split(";")[0]?.trim() === type);
    if (range === undefined) return 0;
    const q = /;\s*q=([0-9.]+)/i.exec(range)?.[1];
    return q === undefined ? 1 : Number(q);
  };
  return quality("text/html") > 0 && quality("text/html") >= quality("application/json");
}

function serviceDescription(plan: Plan, root: string): Json {
  return {
    service: plan.service,
    title: plan.title,
    purpose: plan.purpose,
    ...(plan.version === undefined ? {} : { version: plan.version }),
    operations: plan.operations.length,
    links: {
      operations: root + mountOf(plan),
      openapi: `${root}/openapi.json`,
      ...(hasEvents(plan) ? { asyncapi: `${root}/asyncapi.json` } : {}),
      document: `${root}/${homeOf(plan)}`,
      status: `${root}/readyz`,
    },
  };
}

function apiCatalogue(plan: Plan, root: string): Json {
  return {
    linkset: [
      {
        anchor: plan.base.replace("{base_url}", root),
        "service-desc": [
          { href: `${root}/openapi.json`, type: "application/json" },
          ...(hasEvents(plan) ? [{ href: `${root}/asyncapi.json`, type: "application/json" }] : []),
        ],
        "service-doc": [{ href: `${root}/${homeOf(plan)}`, type: "text/html" }],
        status: [{ href: `${root}/readyz`, type: "application/health+json" }],
      },
    ],
  };
}
