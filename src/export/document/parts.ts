/** Describes the nine parts for callers of the service; parts about a resource have a function for each resource. */
import { camelCase, capital, withArticle } from "../../base/case.ts";
import { type SignatureScheme, schemeName, signatureField } from "../../base/signature-schemes.ts";
import { nameOf } from "../../language/authentication/grants.ts";
import type { Grant } from "../../language/authentication/model.ts";
import type { AcceptedMedia, Mcp } from "../../language/endpoints/model.ts";
import type { Envelope } from "../../language/events/model.ts";
import { lifecycleOf, lookup } from "../../language/resources/fields.ts";
import { printFieldType } from "../../language/resources/field-print.ts";
import type { Default, Field, Rule } from "../../language/resources/model.ts";
import type { Lifecycle } from "../../language/states/model.ts";
import { deprecatedTargets } from "../../language/versioning/deprecated.ts";
import { type Deprecation, targetName } from "../../language/versioning/model.ts";
import type { CredentialPlan, GrantPlan } from "../../plan/authentication/types.ts";
import type { QuotaPlan, RatePlan } from "../../plan/limits/types.ts";
import { expressionText } from "../expression-text.ts";
import { isSelecting } from "../../language/states/further-writes.ts";
import { furtherWriteText, selectionText, triggerText } from "../transitions.ts";
import { securitySchemes } from "../openapi/security.ts";
import {
  type Block,
  type Blocks,
  code,
  details,
  duration,
  type DescriptionEntry,
  descriptionList,
  joined,
  lines,
  link,
  type Row,
  table,
  type Words,
} from "./content.ts";
import { membersTable } from "./members.ts";
import type { Source } from "./source.ts";

export function purposeEntries({ model: { purpose } }: Source): readonly DescriptionEntry[] {
  const { domain, users, outside } = purpose;
  return [
    ["Domain", domain],
    ["Users", lines(Object.entries(users).map(([name, sentence]) => [{ kind: "strong", text: name }, " ", sentence]))],
    ["Out of scope", outside?.join(", ")],
  ];
}

// ── Resources and states ───────────────────────────────────────────────────────────────────────────────────────────

/** Describes the fields of a resource that callers can see, and its rules. */
export function resourceBlocks({ model, described, members }: Source, resource: string): Blocks {
  const { resources, rules } = model.resources;
  const fields = lookup(resources, resource)?.fields ?? {};
  const remarks = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, remarksOf(field)]));
  const all = (lookup(rules, resource) ?? []).map(ruleWords);
  return [
    membersTable(`Fields of ${resource}`, { ...members, remarks }, lookup(described.schemas, resource)),
    all.length === 0 ? undefined : { kind: "list", items: all },
  ];
}

/** Describes the named schemas of the document: a heading and a table each. */
export function schemaBlocks({ described, members, schemas }: Source): Blocks {
  return schemas.flatMap((name): Blocks => {
    const heading: Block = { kind: "heading", level: 3, name, to: "schema" };
    return [heading, membersTable(`Members of ${name}`, members, described.schemas[name])];
  });
}

function remarksOf({ default: initial, computed, marks }: Field): readonly Words[] {
  return [
    ...(initial === undefined ? [] : [defaultWords(initial)]),
    ...(computed === undefined ? [] : [["is ", code(computed)]]),
    ...marks.filter((modifier) => modifier !== "read-only"),
  ];
}

function defaultWords(value: Default): Words {
  switch (value.kind) {
    case "literal":
      return ["default ", code(value.text)];
    case "now":
      return "the time of creation";
    case "now-on-change":
      return "the time of the last change";
    case "caller":
      return "the caller";
    case "digits":
    case "token":
      return `${value.length} random ${value.kind === "digits" ? "digits" : "characters"}`;
    case "counter":
      return "counted";
    case "counter-per":
      return `counted for each ${value.per}`;
    case "uuid":
      return "a new UUID";
  }
}

function ruleWords(rule: Rule): Words {
  const otherwise = rule.else === undefined ? undefined : [", else ", link("error", rule.else)];
  if (rule.kind !== "unique") return ["Always ", code(rule.expression), otherwise, "."];
  const absent = rule.absent === "equal" ? ", and absent values count as equal" : undefined;
  return ["No two have the same ", joined(rule.fields, " and ", code), absent, otherwise, "."];
}

/** Draws the states of a resource as a diagram with a text alternative. */
export function statesBlock({ model }: Source, resource: string): Block | undefined {
  const lifecycle = lifecycleOf(model, resource);
  return lifecycle === undefined ? undefined : { kind: "states", resource, lifecycle };
}

export function stateTables(resource: string, { states, start, final = [], moves }: Lifecycle): Blocks {
  const stateRows = Object.entries(states).map(([state, sentence]): Row => {
    const marks = [...(state === start ? ["start"] : []), ...(final.includes(state) ? ["final"] : [])];
    return [code(state), [sentence, marks.map((text): Words => [" ", { kind: "mark", text }])]];
  });
  const rows = moves.flatMap(({ from, to, triggers }) =>
    triggers.map(
      ({ on, if: guard, else: otherwise, set = {}, also = [], ...selection }): Row => [
        [from === "any" ? "any" : joined(from, " or ", code), " → ", code(to)],
        on.kind === "by" ? link("operation", on.operation) : code(triggerText(on)),
        lines([
          ...(guard === undefined
            ? []
            : [["if ", code(guard), otherwise === undefined ? undefined : [", else ", link("error", otherwise)]]]),
          ...(isSelecting(selection) ? [["for ", code(selectionText(resource, selection))]] : []),
          ...Object.entries(set).map(([field, value]) => [code(field), " becomes ", code(value)]),
          ...also.map((write) => ["also ", code(furtherWriteText(write))]),
        ]),
      ],
    ),
  );
  return [
    table(`States of ${resource}`, ["State", "Meaning"], stateRows),
    table(`Transitions of ${resource}`, ["Transition", "By", "Condition and effects"], rows),
  ];
}

// ── Endpoints ──────────────────────────────────────────────────────────────────────────────────────────────────────

function mediaText({ type, as }: AcceptedMedia): Words {
  return as === undefined ? code(type) : [code(type), " as ", code(as)];
}

/** Describes the conventions that apply to all operations. */
export function conventionEntries({ plan, model, described }: Source): readonly DescriptionEntry[] {
  const { expand, fields, lists, edits, repeats, requests, wrap, cors, mcp } = model.endpoints;
  const [server] = described.document["servers"] as readonly { readonly url: string }[];
  const { requestBytes, requestMilliseconds } = plan.limits;
  return [
    ["Address", code(server?.url ?? "")],
    ["Version", plan.version === undefined ? undefined : code(plan.version)],
    ["Requests", `at most ${requestBytes} bytes, answered within ${duration(requestMilliseconds)}`],
    ["Media types", requests?.media && joined(requests.media, ", ", mediaText)],
    ["Unknown members and parameters", requests?.unknown],
    ["Texts in place of numbers", requests?.texts],
    [
      "Lists",
      lists &&
        `${lists.kind === "none" ? "without pages" : `by ${lists.kind}`}${lists.size === undefined ? "" : `, ${lists.size} at a time`}${lists.max === undefined ? "" : `, at most ${lists.max}`}${lists.bare === true ? ", as a bare array" : ""}`,
    ],
    ["Lists call", renamed(lists?.names, "")],
    ["Records in place of ids", expand === undefined || expand === "none" ? undefined : [code(expand.name)]],
    ["Some members of records", fields === undefined || fields === "none" ? undefined : [code(fields)]],
    ["Bodies", renamed(wrap, "in ")],
    ["Edits", edits && (edits === "none" ? "without preconditions" : `If-Match ${edits}`)],
    [
      "Pages of other origins",
      cors === undefined || cors === "none"
        ? undefined
        : [
            cors.origins === "any" ? "any" : joined(cors.origins, ", ", code),
            cors.credentials === true ? ", with credentials" : "",
          ],
    ],
    ["Agents", mcp === undefined || mcp === "none" ? undefined : agentWords(mcp, server?.url ?? "")],
    [
      "Repeated requests",
      repeats === "none"
        ? "run again"
        : repeats && [
            code(repeats.header),
            ` on every ${repeats.on}`,
            repeats.required ? ", required" : "",
            repeats.kept === undefined ? "" : `, kept ${repeats.kept}`,
            repeats.echoed === true ? ", echoed" : "",
          ],
    ],
  ];
}

/** Says how to connect an agent. */
function agentWords({ at, for: grants }: Mcp, base: string): Words {
  const url = `${base.replace(/\/+$/, "")}${at}`;
  return [
    "to give an agent these operations as tools, add ",
    { kind: "address", url, text: url },
    " to it as a server of the Model Context Protocol (Streamable HTTP), with the credential of its user; it finds the operations that " +
      "this user may run",
    grants === undefined ? "" : ["; for ", joined(grants, " | ", (grant) => code(nameOf(grant)))],
  ];
}

function renamed(names: object | undefined, before: string): Words {
  return (
    names && joined(Object.entries(names), ", ", ([what, name]: [string, string]) => [`${what} ${before}`, code(name)])
  );
}

// ── Authentication ─────────────────────────────────────────────────────────────────────────────────────────────────

export function authentication({ plan, model, described }: Source): Blocks {
  const { credentials, roles = [], own: owned, set = {}, show, unseen } = model.authentication;
  const schemes = securitySchemes(plan, plan.base) as Readonly<Record<string, { readonly description?: string }>>;
  const row = ({ name, kind }: CredentialPlan): Row => {
    const { obtained, renewed, lasts, revoked, at, scopes = [], scopeRoles = {} } = lookup(credentials, name) ?? {};
    const life = [
      ["Obtained", obtained], ["Renewed", renewed], ["Lasts", lasts], ["Revoked", revoked],
      ["Tokens at", at], ["Scopes", [...scopes, ...Object.keys(scopeRoles)].join(", ")],
    ]; // biome-ignore format: a table
    const lifetimes = life.flatMap(([label, words]) =>
      words === undefined || words === "" ? [] : [`${label}: ${words}`],
    );
    return [code(name), kind, schemes[name]?.description, lines(lifetimes)];
  };
  return [
    table("Credentials", ["Credential", "Kind", "How it is sent", "Details"], plan.credentials.map(row)),
    descriptionList([
      ["Roles", joined(roles, ", ", code)],
      [
        "Owned",
        lines(Object.entries(owned).map(([name, rule]) => [`A caller owns ${withArticle(name)} if `, code(rule)])),
      ],
      [
        "Fields that only some set",
        lines(Object.entries(set).map(([field, to]) => [code(field), " by ", grantWords(to)])),
      ],
      ["Restricted fields", lines(Object.entries(show).map(([field, to]) => [code(field), " to ", grantWords(to)]))],
      ["Hidden records", unseen && `${unseen}`],
    ]),
    permissions(
      described.operations.flatMap(({ operation: { inbound, name, allow } }) =>
        inbound === undefined ? [{ name, allow }] : [],
      ),
      roles,
    ),
  ];
}

/** Builds a table of operations and roles: who may run each operation. */
function permissions(
  operations: readonly { readonly name: string; readonly allow: readonly GrantPlan[] }[],
  roles: readonly string[],
): Block | undefined {
  const callers = ["anyone", "signed-in", ...roles];
  const cell = (grants: readonly GrantPlan[], caller: string): Words => {
    const grant = grants.find(({ who }) => (who.kind === "role" ? who.role : who.kind) === caller);
    const wider = grants.some(
      ({ who, if: condition }) =>
        condition === undefined && (who.kind === "anyone" || (who.kind === "signed-in" && caller !== "anyone")),
    );
    if (grant?.if !== undefined && !wider) return ["if ", code(expressionText(grant.if))];
    return grant !== undefined || wider ? { kind: "strong", text: "yes" } : { kind: "quiet", text: "no" };
  };
  const rows = operations.map(({ name, allow }) => [
    link("operation", name),
    ...callers.map((one) => cell(allow, one)),
  ]);
  return table("Permissions", ["Operation", ...callers], rows);
}

function grantWords(grants: readonly Grant[]): Words {
  if (grants.length === 0) return "nobody";
  return joined(grants, " or ", ({ who, if: condition }) => {
    const signedIn =
      who.kind === "signed-in" && who.anyScope === true
        ? "any signed-in caller, with any token"
        : "any signed-in caller";
    const text = who.kind === "role" ? who.role : who.kind === "anyone" ? "anyone" : signedIn;
    return [{ kind: "strong", text }, condition === undefined ? undefined : [" if ", code(condition)]];
  });
}

// ── Events, errors, limits, versions ───────────────────────────────────────────────────────────────────────────────

export function events({ plan, model, described, members }: Source, flow: string | undefined): Blocks {
  const { out = {}, in: inbound = {}, delivery: { webhook } = {} } = model.events;
  const { envelope, stream, webhook: sending, out: planned } = plan.events;
  const sent = Object.entries(planned).flatMap(([name, event]) => {
    const receivers = [
      ...(Object.hasOwn(described.webhooks, name) ? ["webhooks"] : []),
      ...(stream !== undefined && event.stream.length > 0 ? ["the stream"] : []),
    ];
    const schema = described.schemas[described.names.event(name)];
    if (schema === undefined || receivers.length === 0) return [];
    const words = ["Of a ", link("resource", event.resource), `, sent by ${receivers.join(" and ")}.`];
    return [
      details(name, [{ kind: "paragraph", words }, membersTable(`Members of ${name}`, members, schema)], "event"),
    ];
  });
  if (Object.keys(out).length + Object.keys(inbound).length === 0) return [];
  return [
    descriptionList([
      ["Envelope", envelopeText(envelope)],
      [
        "Webhooks",
        webhook &&
          sending && [
            "subscribed at ",
            code(`${webhook.method} ${webhook.path}`),
            " by ",
            grantWords(webhook.for),
            `; ${signatureText(sending.scheme)}; timeout ${duration(sending.timeoutMilliseconds)}; retried after ${sending.retryMilliseconds.map(duration).join(", ")}`,
          ],
      ],
      ["Promise", webhook?.promise],
      ["Stream", stream && [link("operation", stream.follow.name), ", resumed by ", code(stream.resume)]],
    ]),
    table(
      "Outgoing events",
      ["Event", "When", "Carries"],
      Object.entries(out).map(([name, { when, carries, view }]) => [
        code(name),
        when.kind === "enters"
          ? [`${withArticle(when.resource)} enters `, code(when.state)]
          : ["after ", link("operation", when.operation)],
        view === undefined
          ? carries === undefined
            ? "the record, as visible to the receiver"
            : joined(carries, ", ", code)
          : ["the view ", code(view)],
      ]),
    ),
    table(
      "Incoming events",
      ["Event", "At", "Credential", "Carries"],
      Object.entries(inbound).map(([name, { method, path, with: credential, carries, is = {} }]) => [
        code(name),
        [
          code(`${method} ${path}`),
          ...Object.entries(is).flatMap(([at, value]) => [" with ", code(`${at}: ${value}`)]),
        ],
        code(credential),
        joined(Object.entries(carries), ", ", ([member, type]) => [code(member), ` ${printFieldType(type)}`]),
      ]),
    ),
    flow === undefined ? undefined : { kind: "diagram", text: flow },
    ...sent,
  ];
}

function envelopeText(envelope: Envelope): Words {
  if (typeof envelope === "object") return code(JSON.stringify(envelope.shape));
  return envelope === "cloudevents" ? "CloudEvents 1.0" : "plain";
}

function signatureText(scheme: SignatureScheme | undefined): string {
  if (scheme === undefined) return "not signed";
  const name = schemeName(scheme);
  if (name === "standard-webhooks") return "signed by Standard Webhooks";
  return `signed in the header ${signatureField(scheme)[0]}${name === undefined ? "" : `, as ${name} does`}`;
}

export function errors({ plan, described }: Source): Blocks {
  const operationsByError = Map.groupBy(
    described.operations.flatMap(({ name, possibleErrors }) =>
      [...new Set(possibleErrors.map((one) => one.code))].map((one) => ({ one, name })),
    ),
    ({ one }) => one,
  );
  const rows = (isOwn: boolean): readonly Row[] =>
    Object.entries(plan.errors)
      .filter(([name, { source }]) => (source === "document") === isOwn && (isOwn || operationsByError.has(name)))
      .map(([name, { statuses, title, retryAfterSeconds }]) => [
        link("error", name),
        statuses.join(", "),
        [title, retryAfterSeconds === undefined ? undefined : `; retry after ${duration(retryAfterSeconds * 1000)}`],
        ...(isOwn ? [joined(operationsByError.get(name) ?? [], ", ", (one) => link("operation", one.name))] : []),
      ]);
  const catalogue = rows(false);
  return [
    table("Errors of this service", ["Code", "Status", "Meaning", "Returned by"], rows(true)),
    details(`${catalogue.length} errors of the standard catalogue`, [
      table("The standard catalogue", ["Code", "Status", "Meaning"], catalogue),
    ]),
  ];
}

function windowText({ calendar, windowMilliseconds }: Pick<RatePlan, "calendar" | "windowMilliseconds">): string {
  return calendar === undefined ? duration(windowMilliseconds) : `a ${calendar.unit} of ${calendar.zone}`;
}

export function limits({ plan, model }: Source): Blocks {
  const rate = ({ name, count, per, burst, of, ...window }: RatePlan): Row => [
    code(name),
    `${count} in ${windowText(window)} for each ${per}${of === "anonymous" ? ", for callers without a credential" : ""}${burst === undefined ? "" : `, ${burst} at once`}`,
  ];
  const quota = (one: QuotaPlan): Row => [
    code(one.name),
    one.kind === "window"
      ? `${one.count} in ${windowText(one)} for each ${one.per}`
      : `${one.count} ${one.resource} records at a time${one.states === undefined ? "" : ` that are ${one.states.join(" or ")}`} for each ${one.column}`,
  ];
  const kept = Object.entries(model.limits.keep ?? {}).map(
    ([resource, { duration: time, after, act }]): Words => [
      `${capital(withArticle(resource))} is ${act === "erase" ? "erased" : "deleted"} ${time} after `,
      code(after),
    ],
  );
  return [
    table("Limits", ["Limit", "At most"], [...plan.rates.map(rate), ...plan.quotas.map(quota)]),
    descriptionList([["Kept", lines(kept)]]),
  ];
}

export function versioning({ plan, model }: Source): Blocks {
  const { scheme, sent, absent, versions = [], deprecated = {}, policy } = model.versioning;
  const place: Words =
    sent &&
    (sent.kind === "media-type"
      ? "media type"
      : [
          `${sent.kind === "query" ? "query parameter" : sent.kind} `,
          code(sent.kind === "path" ? sent.template : sent.name),
        ]);
  return [
    descriptionList([
      ["Scheme", scheme],
      ["Chosen by", place],
      ["Default version", absent],
      ["Notice", policy?.notice],
      ["Support", policy?.support],
    ]),
    table(
      "Versions",
      ["Version", "What changed", "Support"],
      versions.map(({ name, changes }) => {
        const kinds = new Set(changes.map(({ kind }) => camelCase(kind).replace(/[A-Z]/g, " $&").toLowerCase()));
        const changed = `${changes.length} change${changes.length === 1 ? "" : "s"}: ${[...kinds].join(", ")}`;
        return [
          [code(name), name === plan.version ? " (this page)" : ""],
          changes.length === 0 ? "the first" : changed,
          joined(endingOf(lookup(deprecated, name) ?? {}), ", ", (words) => words),
        ];
      }),
    ),
    table(
      "Deprecated",
      ["Operation or field", "Support"],
      deprecatedTargets(model).map(([target, deprecation]) => [
        code(targetName(target)),
        joined(endingOf(deprecation), ", ", (words) => words),
      ]),
    ),
  ];
}

function endingOf({ guide, since, sunset }: Deprecation): readonly Words[] {
  return [
    since && `deprecated since ${since}`,
    sunset && `ends ${sunset}`,
    guide && { kind: "address" as const, url: guide, text: "guide" },
  ].filter((one) => one !== undefined);
}
