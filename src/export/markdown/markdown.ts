/**
 * A service as reference documentation in Markdown, for a repository or a wiki: its operations by resource with all that they
 * take, give and refuse, fields, states, events, errors, limits and versions.
 */
import type { Json } from "../../base/json.ts";
import type { Model } from "../../parts/model.ts";
import type { CredentialPlan, Plan, RatePlan } from "../../plan/plan.ts";
import { type Described, describe, type DescribedOperation } from "../described.ts";
import { exampleOf } from "../example.ts";
import { diagrams, fenced } from "../mermaid/mermaid.ts";
import { securitySchemes } from "../openapi/security.ts";
import { type MembersOptions, membersTable, typeWords } from "./members.ts";
import { code, fence, link, parts, prose, table } from "./text.ts";

interface Source {
  readonly plan: Plan;
  readonly model: Model;
  readonly described: Described;
  readonly members: MembersOptions;
}

export function markdown(plan: Plan, model: Model, baseUrl: string): string {
  const described = describe(plan, baseUrl);
  const resources = resourcesOf(described);
  const headings = new Set([...resources, ...Object.keys(plan.events.out)]);
  const source: Source = { plan, model, described, members: { schemas: described.schemas, headings } };
  const drawn = new Map(diagrams(plan, model).map((one) => [one.name, one]));
  const relations = drawn.get("relations");
  return parts(
    `# ${prose(plan.title)}`,
    "<!-- Made by `nonet export markdown`: change the document, not this page. -->",
    prose(plan.purpose),
    facts(source),
    resources
      .map(
        (resource) =>
          `- ${link(resource)}: ${operationsOf(described, resource)
            .map(({ name }) => link(name))
            .join(", ")}`,
      )
      .join("\n"),
    authentication(plan),
    ...resources.map((resource) => {
      const diagram = drawn.get(resource);
      return resourcePart(source, resource, diagram === undefined ? undefined : fenced(diagram));
    }),
    relations === undefined ? undefined : parts("## Relations", fenced(relations)),
    events(source, drawn.get("events")),
    errors(source),
    limits(source),
    versions(plan),
  );
}

/** In the order of their first operation. */
function resourcesOf({ operations }: Described): readonly string[] {
  return [...new Set(operations.map(({ operation }) => operation.resource))];
}

function operationsOf({ operations }: Described, resource: string): readonly DescribedOperation[] {
  return operations.filter(({ operation }) => operation.resource === resource);
}

function facts({ plan, described }: Source): string {
  const [server] = described.document["servers"] as readonly { readonly url: string }[];
  return table(
    ["", ""],
    [
      ["Address", code(server?.url ?? "")],
      ...(plan.version === undefined ? [] : [["Version", code(plan.version)]]),
      [
        "Requests",
        `at most ${plan.limits.requestBytes} bytes, answered within ${seconds(plan.limits.requestMilliseconds)}`,
      ],
    ],
  );
}

function seconds(milliseconds: number): string {
  const units = [["d", 86_400_000], ["h", 3_600_000], ["min", 60_000], ["s", 1000]] as const; // biome-ignore format: a table
  const unit = units.find(([, size]) => milliseconds >= size && milliseconds % size === 0);
  return unit === undefined ? `${milliseconds} ms` : `${milliseconds / unit[1]} ${unit[0]}`;
}

function authentication(plan: Plan): string | undefined {
  const { credentials, roles } = plan;
  if (credentials.length === 0) return undefined;
  const schemes = securitySchemes(plan, plan.base) as Readonly<Record<string, { readonly description?: string }>>;
  const row = ({ name, kind }: CredentialPlan): readonly string[] => [
    code(name),
    kind,
    schemes[name]?.description ?? "",
  ];
  return parts(
    "## Authentication",
    table(["Credential", "Kind", "How it is sent"], credentials.map(row)),
    roles.length === 0 ? undefined : `Roles: ${roles.map(code).join(", ")}.`,
  );
}

// ── Resources and operations ───────────────────────────────────────────────────────────────────────────────────────

function resourcePart(source: Source, resource: string, states: string | undefined): string {
  const { described, members } = source;
  const schema = described.schemas[resource];
  const fields = schema === undefined ? "" : membersTable(members, schema);
  return parts(
    `## ${resource}`,
    fields,
    states,
    ...operationsOf(described, resource).map((one) => operationPart(source, one)),
  );
}

function operationPart(source: Source, operation: DescribedOperation): string {
  const { name, method, path, summary, description, body, successes } = operation;
  const { members } = source;
  const parameters = operation.parameters.map((parameter) => [
    code(parameter.name),
    parameter.in,
    typeWords(members, parameter.schema),
    [parameter.required === true ? "Required." : "", parameter.description ?? ""].join(" ").trim(),
  ]);
  const takes = body === undefined ? "" : membersTable(members, body.schema);
  const gives = successes.flatMap(({ status, description: words, schema }) => {
    const rows = schema === undefined ? "" : membersTable(members, schema);
    const type = schema === undefined ? "" : `: ${typeWords(members, schema)}`;
    return [
      `**${status}** ${prose(words)}${rows === "" || type.includes("](#") ? type : ""}`,
      type.includes("](#") ? "" : rows,
    ];
  });
  return parts(
    `### ${name}`,
    `${code(`${method} ${path}`)}: ${prose(summary)}`,
    description,
    example(source, operation),
    parameters.length === 0 ? undefined : parts("Parameters:", table(["Name", "In", "Type", "Meaning"], parameters)),
    takes === "" ? undefined : parts("Body:", takes),
    ...gives,
    refusals(source, operation),
  );
}

/** A request that could be sent, where one can be made up. */
function example({ described }: Source, { method, path, body, parameters }: DescribedOperation): string | undefined {
  // A form or bytes are no text that could be shown.
  if (body?.mediaTypes.some((type) => type.endsWith("json")) === false) return undefined;
  const made = body === undefined ? undefined : exampleOf(described.schemas, body.schema);
  if (body !== undefined && (made === undefined || Object.keys(made as object).length === 0)) return undefined;
  const target = path.replaceAll(/\{(.+?)\}/g, (whole, name: string) => {
    const schema = parameters.find((one) => one.in === "path" && one.name === name)?.schema;
    const value: Json | undefined = schema === undefined ? undefined : exampleOf(described.schemas, schema);
    return value === undefined ? whole : encodeURIComponent(String(value as string | number));
  });
  if (made === undefined) return undefined;
  return fence(
    "http",
    `${method} ${target}\nContent-Type: ${body?.mediaTypes[0] ?? ""}\n\n${JSON.stringify(made, null, 2)}`,
  );
}

/** Those that say something of this operation; any request can be malformed or unlucky. */
function refusals({ plan }: Source, { refusals: all }: DescribedOperation): string | undefined {
  const told = all.filter(({ code: name, status }) => plan.errors[name]?.source !== "protocol" && status < 500);
  if (told.length === 0) return undefined;
  return `Refused with ${told.map(({ code: name, status }) => `${status} ${code(name)}`).join(", ")}.`;
}

// ── What concerns all of them ──────────────────────────────────────────────────────────────────────────────────────

function events(source: Source, flow: { readonly text: string } | undefined): string | undefined {
  const { plan, described, members } = source;
  const { out, webhook, stream, envelope } = plan.events;
  const told = Object.entries(out).filter(([name]) => Object.hasOwn(described.webhooks, name) || stream !== undefined);
  const inbound = described.operations.filter(({ operation }) => operation.inbound !== undefined);
  if (told.length === 0 && inbound.length === 0) return undefined;
  const each = told.flatMap(([name, event]) => {
    const schema = Object.values(described.schemas).find((one) => {
      const type = (one["properties"] as { readonly type?: { readonly const?: Json } } | undefined)?.type;
      return type?.const === name;
    });
    if (schema === undefined) return [];
    const places = [
      ...(Object.hasOwn(described.webhooks, name) ? ["webhooks"] : []),
      ...(stream !== undefined && event.stream.length > 0 ? ["the stream"] : []),
    ];
    return [
      `### ${name}`,
      `Of a ${link(event.resource)}, told by ${places.join(" and ")}.`,
      membersTable(members, schema),
    ];
  });
  return parts(
    "## Events",
    table(
      ["", ""],
      [
        ["Envelope", envelope === "cloudevents" ? "CloudEvents 1.0" : "plain"],
        ...(webhook === undefined
          ? []
          : [
              [
                "Webhooks",
                `${webhook.signed ? "signed by Standard Webhooks" : "not signed"}; an answer is waited for ${seconds(webhook.timeoutMilliseconds)}; tried again after ${webhook.retryMilliseconds.map(seconds).join(", ")}`,
              ],
            ]),
        ...(stream === undefined ? [] : [["Stream", `${link(stream.follow.name)}, resumed by ${code(stream.resume)}`]]),
        ...inbound.map(({ name, operation }) => ["Taken", `${code(operation.inbound?.event ?? "")} by ${link(name)}`]),
      ],
    ),
    flow === undefined ? undefined : fenced(flow),
    ...each,
  );
}

function errors({ plan, described }: Source): string {
  const codes = new Set(described.operations.flatMap(({ refusals: all }) => all.map((one) => one.code)));
  const rows = Object.entries(plan.errors)
    .filter(([name]) => codes.has(name))
    .map(([name, { statuses, title, retryAfterSeconds }]) => [
      code(name),
      statuses.join(", "),
      `${prose(title)}${retryAfterSeconds === undefined ? "" : `; try again after ${seconds(retryAfterSeconds * 1000)}`}`,
    ]);
  return parts("## Errors", table(["Code", "Status", "Meaning"], rows));
}

function limits({ plan }: Source): string | undefined {
  if (plan.rates.length + plan.quotas.length === 0) return undefined;
  const rate = ({ name, count, windowMilliseconds, per, burst, of }: RatePlan): readonly string[] => [
    code(name),
    `${count} in ${seconds(windowMilliseconds)} for each ${per}${of === "anonymous" ? ", of those without a credential" : ""}${burst === undefined ? "" : `, ${burst} at once`}`,
  ];
  const quotas = plan.quotas.map((quota): readonly string[] => [
    code(quota.name),
    quota.kind === "window"
      ? `${quota.count} in ${seconds(quota.windowMilliseconds)} for each ${quota.per}`
      : `${quota.count} ${quota.resource} records at a time${quota.states === undefined ? "" : ` that are ${quota.states.join(" or ")}`} for each ${quota.column}`,
  ]);
  return parts("## Limits", table(["Limit", "At most"], [...plan.rates.map(rate), ...quotas]));
}

function versions({ versions: said, version }: Plan): string | undefined {
  if (said === undefined) return undefined;
  const day = (moment: number): string => new Date(moment).toISOString().slice(0, 10);
  const rows = said.list.map(({ name, deprecated }) => [
    `${code(name)}${name === version ? " (this page)" : ""}`,
    deprecated === undefined
      ? ""
      : [
          `deprecated${deprecated.since === undefined ? "" : ` since ${day(deprecated.since)}`}`,
          ...(deprecated.sunset === undefined ? [] : [`ends ${day(deprecated.sunset)}`]),
          ...(deprecated.guide === undefined ? [] : [`[guide](${deprecated.guide})`]),
        ].join(", "),
  ]);
  return parts("## Versions", table(["Version", "Support"], rows));
}
