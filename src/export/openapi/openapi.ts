/** A plan as OpenAPI 3.1: every operation with everything it takes and everything it can answer (R1.1). */
import type { JsonObject } from "../../base/json.ts";
import type { Plan } from "../../plan/plan.ts";
import { eventSchemas, webhookItems } from "./events.ts";
import { responseHeaders } from "./headers.ts";
import { componentNames } from "./names.ts";
import { pathItems, serviceTag } from "./paths.ts";
import type { SharedResponses } from "./responses.ts";
import { componentSchemas } from "./schemas.ts";
import { securitySchemes } from "./security.ts";
import { withVersions } from "./versions.ts";

/** `baseUrl`: where the service is reached, absolute. The same plan and address give the same document. */
export function openapi(plan: Plan, baseUrl: string): JsonObject {
  const root = baseUrl.replace(/\/+$/, "");
  const server = plan.base.replace("{base_url}", root).replace(/\/+$/, "");
  const names = componentNames(plan);
  const shared: SharedResponses = new Map();
  const paths = pathItems(plan, names, shared, { root, mounted: server !== root });
  return withVersions(plan, {
    openapi: "3.1.1",
    info: {
      title: plan.title,
      version: plan.version ?? "1",
      ...(plan.purpose === "" ? {} : { summary: plan.purpose, description: plan.purpose }),
    },
    servers: [{ url: server }],
    tags: tagsOf(plan),
    paths,
    ...webhookItems(plan, names),
    components: {
      ...(plan.credentials.length === 0 ? {} : { securitySchemes: securitySchemes(plan) }),
      headers: responseHeaders,
      responses: Object.fromEntries(shared),
      schemas: { ...componentSchemas(plan, names), ...eventSchemas(plan, names) },
    },
  });
}

/** Resources that operations are about, in the document's order. */
function tagsOf({ tables, operations, events }: Plan): readonly JsonObject[] {
  const served = tables.filter(({ resource }) => operations.some((operation) => operation.resource === resource));
  return [
    ...served.map(({ resource, lifecycle }) => ({
      name: resource,
      description: lifecycle === undefined ? `${resource} records.` : `${resource} records, with states.`,
    })),
    ...(events.stream === undefined
      ? []
      : [{ name: events.stream.follow.resource, description: "What has happened to records." }]),
    { name: serviceTag, description: "The service itself." },
  ];
}
