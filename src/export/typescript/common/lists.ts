/** Reads lists page by page. */
import { callOf, type List, type Page } from "./calls.ts";
import type { ApiError } from "./errors.ts";
import { at, type ParsedResponse, type Query, type Request, type Scalar, valueOf } from "./request.ts";

export { listed };

// ── Lists ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function listed(
  send: (request: Request) => Promise<ParsedResponse>,
  request: Request,
): List<unknown, unknown, ApiError> {
  // Requests the first page only once, when the caller first awaits or iterates over the list.
  let first: Promise<Page<unknown, unknown>> | undefined;
  const start = (): Promise<Page<unknown, unknown>> => (first ??= pageFor(send, request));
  const pages = async function* (): AsyncGenerator<Page<unknown, unknown>> {
    for (let page: Page<unknown, unknown> | undefined = await start(); page !== undefined; page = await page.next())
      yield page;
  };
  return {
    then: (fulfilled, rejected) => start().then(fulfilled, rejected),
    catch: (rejected) => start().catch(rejected),
    finally: (done) => start().finally(done),
    [Symbol.toStringTag]: "List",
    outcome: () => callOf(start()).outcome(),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.items;
    },
  };
}

async function pageFor(
  send: (request: Request) => Promise<ParsedResponse>,
  request: Request,
): Promise<Page<unknown, unknown>> {
  const reply = await send(request);
  const { page } = request.operation;
  const items = at(reply.body, page?.items ?? []);
  const query = nextQuery(request, reply);
  return {
    items: Array.isArray(items) ? (items as readonly unknown[]) : [],
    body: valueOf(reply),
    hasNext: query !== undefined,
    next: async () => (query === undefined ? undefined : await pageFor(send, { ...request, query })),
  };
}

/** Reads the next page from the body, or else from `Link` (RFC 8288): only its query, so that credentials stay on this host. */
function nextQuery({ operation: { page }, query }: Request, { response, body }: ParsedResponse): Query | undefined {
  if (page?.next !== undefined && page.parameter !== undefined) {
    const next = at(body, page.next);
    return next === null || next === undefined ? undefined : { ...query, [page.parameter]: next as Scalar };
  }
  const link = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(response.headers.get("Link") ?? "")?.[1];
  if (link === undefined) return undefined;
  return Object.fromEntries(new URL(link, "http://service.invalid").searchParams);
}
