/**
 * A service with any number of resources, each of which is created, read, listed and changed: four operations each. Once as a
 * document, which Nonet serves by itself, and once as an OpenAPI description, to import. Each tenth resource is the group of the
 * nine after it.
 */

interface Names {
  readonly resource: string;
  readonly path: string;
  readonly group: string | undefined;
}

function namesOf(count: number): readonly Names[] {
  const nameOf = (index: number): string => `Item${String(index).padStart(3, "0")}`;
  return Array.from({ length: count }, (_, index) => ({
    resource: nameOf(index),
    path: `/item${String(index).padStart(3, "0")}s`,
    group: index % 10 === 0 ? undefined : nameOf(index - (index % 10)),
  }));
}

/** Returns a document with so many resources. */
export function manyDocument(count: number): string {
  const all = namesOf(count);
  const operations = all.flatMap(({ resource }) => [
    `add${resource}`,
    `get${resource}`,
    `list${resource}s`,
    `change${resource}`,
  ]);
  const resources = all.map(
    ({ resource, group }) => `${resource}:
  id: id(i${resource.slice(4)})
  name: string(1..40), filter, sort
  size: small | large = small, filter
  count?: integer(0..1000)
  madeAt: datetime = now, read-only
${group === undefined ? "" : `  group: ${group}, create-only, filter\n`}`,
  );
  const endpoints = all.map(
    ({ resource, path }) => `  add${resource}: POST ${path}
  get${resource}: GET ${path}/{id}
  list${resource}s: GET ${path}
  change${resource}: PATCH ${path}/{id}
`,
  );
  return `# Many operations

## What the service does
\`\`\`yaml
nonet: 1
service: many
domain: examples
purpose: Measure what a large document costs.
users: { member: uses everything }
outside: [everything else]
operations:
${operations.map((name) => `  ${name}: Do ${name}\n`).join("")}\`\`\`

## Resources and their fields
\`\`\`yaml
${resources.join("")}\`\`\`

## States and transitions
\`\`\`yaml
${all.map(({ resource }) => `${resource}: none\n`).join("")}\`\`\`

## Endpoints
\`\`\`yaml
base: "{base_url}"
lists: cursor, 50 per page, at most 200
edits: none
repeats: none # ok unsafe-repeats: only tests call this service
endpoints:
${endpoints.join("")}\`\`\`

## Authentication
\`\`\`yaml
credentials:
  key: { kind: api-key, sent: Authorization Bearer, prefix: m_, lasts: 365d, revoked: at once }
roles: [member]
own: none
allow:
${all.map(({ resource }) => `  add${resource}, get${resource}, list${resource}s, change${resource}: member\n`).join("")}show: none
unseen: 404
\`\`\`

## Events
none

## Errors
\`\`\`yaml
body: problem+json
standard: all
errors: none
\`\`\`

## Limits
\`\`\`yaml
rate: none
quota: none
size: { request: 64KB }
keep: none
\`\`\`

## Versioning
none
`;
}

/** Returns an OpenAPI description of the same service, as other tools would write it. */
export function manyOpenapi(count: number): object {
  const all = namesOf(count);
  const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
  const json = (schema: object): object => ({ content: { "application/json": { schema } } });
  const errors = { "400": { description: "Invalid", ...json(ref("Error")) }, "401": { description: "No key" } };
  const paths = all.flatMap(({ resource, path }) => {
    const missing = { "404": { description: "Absent", ...json(ref("Error")) } };
    const id = { name: "id", in: "path", required: true, schema: { type: "string", format: "uuid" } };
    return [
      [
        path,
        {
          post: {
            operationId: `add${resource}`,
            requestBody: { required: true, ...json(ref(`New${resource}`)) },
            responses: { "201": { description: "Made", ...json(ref(resource)) }, ...errors },
          },
          get: {
            operationId: `list${resource}s`,
            parameters: [{ name: "size", in: "query", schema: { type: "string", enum: ["small", "large"] } }],
            responses: { "200": { description: "All", ...json({ type: "array", items: ref(resource) }) }, ...errors },
          },
        },
      ],
      [
        `${path}/{id}`,
        {
          parameters: [id],
          get: {
            operationId: `get${resource}`,
            responses: { "200": { description: "One", ...json(ref(resource)) }, ...errors, ...missing },
          },
          patch: {
            operationId: `change${resource}`,
            requestBody: { required: true, ...json(ref(`Change${resource}`)) },
            responses: { "200": { description: "Changed", ...json(ref(resource)) }, ...errors, ...missing },
          },
        },
      ],
    ];
  });
  const schemas = all.flatMap(({ resource, group }) => {
    const writable = {
      name: { type: "string", minLength: 1, maxLength: 40 },
      size: { type: "string", enum: ["small", "large"] },
      count: { type: "integer", minimum: 0, maximum: 1000 },
      ...(group === undefined ? {} : { group: { type: "string", format: "uuid" } }),
    };
    const required = ["name", ...(group === undefined ? [] : ["group"])];
    const made = { id: { type: "string", format: "uuid" }, madeAt: { type: "string", format: "date-time" } };
    return [
      [
        resource,
        { type: "object", required: ["id", "madeAt", "size", ...required], properties: { ...made, ...writable } },
      ],
      [`New${resource}`, { type: "object", required, properties: writable }],
      [`Change${resource}`, { type: "object", properties: writable }],
    ];
  });
  return {
    openapi: "3.1.0",
    info: { title: "Many operations", version: "1.0.0" },
    servers: [{ url: "https://many.example" }],
    security: [{ key: [] }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: { key: { type: "http", scheme: "bearer" } },
      schemas: {
        Error: { type: "object", required: ["message"], properties: { message: { type: "string" } } },
        ...Object.fromEntries(schemas),
      },
    },
  };
}
