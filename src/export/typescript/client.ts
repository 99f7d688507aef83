/**
 * A plan as a TypeScript client in one file that depends on nothing: the types of what operations take and give, a table of
 * the operations, and the code that all clients have in common (`runtime`, the text of `src/export/typescript/common.ts`).
 */
import type { Json, JsonObject } from "../../base/json.ts";
import type { Plan } from "../../plan/plan.ts";
import { componentOf, type Described, describe, reachedFrom } from "../described.ts";
import { errorTypes } from "./errors.ts";
import { methodsOf } from "./methods.ts";
import { nameTypes } from "./names.ts";
import { serviceTable } from "./service.ts";
import { comment, declaration, memberName, typeText, union } from "./types.ts";
import { waitsOf } from "./waits.ts";

/** What each of the generated files needs to know. */
export interface Exported {
  readonly plan: Plan;
  readonly described: Described;
  /** The type's text of a schema of the description. */
  readonly type: (schema: Json, indent?: string) => string;
  /** A name for a type of this file, which nothing else in it has. */
  readonly free: (wanted: string) => string;
  /** The file's name for a component. */
  readonly named: (component: string) => string;
}

export function typescriptClient(plan: Plan, runtime: string): string {
  const described = describe(plan, "http://service");
  const { named, free } = nameTypes(described, runtime);
  const options = { named: (reference: string) => named(componentOf(reference) ?? "") };
  const exported: Exported = {
    plan,
    described,
    named,
    free,
    type: (schema, indent) => typeText(schema, options, indent),
  };
  const methods = methodsOf(exported);
  const waits = waitsOf(exported, methods);
  return [
    opening(plan),
    section("What operations take and give", [...componentTypes(exported), ...methods.flatMap(({ types }) => types)]),
    section("What goes wrong", errorTypes(exported, methods)),
    section("The client", [
      `${comment(plan.purpose, "")}export interface Client {\n${[...methods, ...waits].map(({ signature }) => signature).join("\n")}}\n`,
      credentialType(plan),
      "export interface ClientOptions extends CommonOptions<Credential> {}\n",
      "export function createClient(options: ClientOptions): Client {\n  return clientOf(service, waits, options) as unknown as Client;\n}\n",
      ...webhookTypes(exported),
    ]),
    section("What the service looks like", serviceTable(exported, methods, waits)),
    commonPart(runtime, plan.events.webhook?.signed === true),
  ].join("\n");
}

function opening({ title, version }: Plan): string {
  return `// Made by \`nonet export typescript\`: make it anew rather than changing it.\n${comment(
    `A client of ${title}${version === undefined ? "" : `, version ${version}`}. It depends on nothing, and runs in Node, browsers and workers.`,
    "",
  )}`;
}

function section(title: string, parts: readonly string[]): string {
  return `// ── ${title} ${"─".repeat(Math.max(0, 114 - title.length))}\n\n${parts.join("\n")}`;
}

/** Of the components those that an operation, an event or another one of them speaks of; refusals have types of their own. */
function componentTypes({ plan, described, named }: Exported): readonly string[] {
  const { schemas, operations, webhooks } = described;
  const { stream } = plan.events;
  const roots: Json[] = operations.flatMap(({ body, successes, parameters }) => [
    ...(body === undefined ? [] : [body.schema, body.form ?? {}]),
    ...successes.flatMap(({ schema }) => schema ?? []),
    ...parameters.map(({ schema }) => schema),
  ]);
  const streamed = stream === undefined ? [] : [{ $ref: `#/components/schemas/${stream.follow.resource}` }];
  const reached = reachedFrom(schemas, [...roots, ...Object.values(webhooks), ...streamed]);
  const options = { named: (reference: string) => named(componentOf(reference) ?? "") };
  return Object.entries(schemas)
    .filter(([name]) => reached.has(name))
    .map(([name, schema]) => declaration(named(name), schema, options));
}

function credentialType({ credentials }: Plan): string {
  const each = credentials.map(
    ({ name, kind }) => `{ readonly ${memberName(name)}: ${kind === "basic" ? "Login" : "Secret"} }`,
  );
  const output = comment("One of the service's credentials, by its name in the document.", "");
  return `${output}export type Credential = ${each.length === 0 ? "Readonly<Record<string, never>>" : union(each)};\n`;
}

function webhookTypes({ plan, described, type }: Exported): readonly string[] {
  const { webhooks } = described;
  if (Object.keys(webhooks).length === 0) return [];
  const bodies = Object.values(webhooks).flatMap((item) => {
    const { post } = item as { readonly post: { readonly requestBody: { readonly content: JsonObject } } };
    return Object.values(post.requestBody.content).map((media) => type((media as JsonObject)["schema"] ?? {}));
  });
  return [
    `${comment("What is sent to webhooks.", "")}export type WebhookEvent = ${union(bodies)};\n`,
    ...(plan.events.webhook?.signed === true
      ? [
          `${comment(
            "The event that was received, once its signature is known to be the service's. `payload` is the text as it came.\n\n@throws WebhookError\n@throws TypeError for a secret that is none.",
            "",
          )}export async function verifyWebhook(
  payload: string,
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  secrets: string | readonly string[],
  options?: WebhookOptions,
): Promise<WebhookEvent> {
  return (await verifiedWebhook(payload, headers, secrets, options)) as WebhookEvent;
}
`,
        ]
      : []),
  ];
}

/** What only the part above needs is not exported from there, and what nobody needs is left out. */
function commonPart(runtime: string, webhooks: boolean): string {
  const [, ...sections] = runtime.split(/^(?=\/\/ ── )/m);
  const output = sections.flatMap((text) => {
    const title = /^\/\/ ── (.*?) ─/.exec(text)?.[1] ?? "";
    if (title === "Webhooks" && !webhooks) return [];
    const inside = title === "What the part above says of the service" || title === "The client";
    const exported = inside ? text.replaceAll(/^export /gm, "") : text;
    return [exported.replace("export async function verifiedWebhook", "async function verifiedWebhook")];
  });
  return output.join("");
}
