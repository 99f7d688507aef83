/** The nine parts as a reader wants them, beside the document's own words: one function each, in the document's order. */
import { camelCase } from "../../base/case.ts";
import type { Grant } from "../../parts/authentication/model.ts";
import type { Endpoint, Given } from "../../parts/endpoints/model.ts";
import { withWebhooks } from "../../parts/events/webhooks.ts";
import { printFieldType } from "../../parts/resources/field-print.ts";
import type { Default, Field, Fields, Rule } from "../../parts/resources/model.ts";
import type { PartName } from "../../parts/model.ts";
import { lifecycleOf, own } from "../../parts/resources/fields.ts";
import type { Lifecycle } from "../../parts/states/model.ts";
import type { ListPlan, Operation } from "../../plan/plan.ts";
import { expressionText } from "../expression-text.ts";
import { refusalsOf } from "../openapi/refusals.ts";
import { triggerText } from "../moves.ts";
import { stateDiagram } from "./diagram.ts";
import { anchor, code, type Content, facts, html, type Html, joined, table } from "./html.ts";
import { isOpen, mountOf, type Source } from "./source.ts";

export const partViews: Readonly<Record<PartName, (source: Source) => Content>> = {
  purpose,
  resources,
  states,
  endpoints,
  authentication,
  events,
  errors,
  limits,
  versioning,
};

/** What of a part is still open. */
export function openQuestions({ result }: Source, part: PartName): Content {
  const open = result.questions.filter((question) => question.part === part && isOpen(question));
  if (open.length === 0) return undefined;
  const items = open.map(({ text, status }) => {
    return html`<li>${text}${status === "not shown" ? html` <span class="quiet">left open by the document</span>` : undefined}</li>`;
  });
  return html`<div class="note"><h3>Still open</h3><ul>${items}</ul></div>`;
}

/** Where a part is silent and the language has a default. */
export function defaultsTaken({ result }: Source, part: PartName): Content {
  const taken = result.questions.filter((question) => question.part === part && question.status === "default");
  if (taken.length === 0) return undefined;
  const items = taken.map(
    ({ text, taken: value }) => html`<div><dt>${text}</dt><dd>${inlineCode(value ?? "the default")}</dd></div>`,
  );
  return html`<details class="defaults"><summary>${taken.length === 1 ? "One default" : `${taken.length} defaults`} taken</summary><dl>${items}</dl></details>`;
}

/** Sentences of ours write names between backticks. */
export function inlineCode(text: string): Content {
  return text.split("`").map((piece, index) => (index % 2 === 1 ? code(piece) : piece));
}

// ── Purpose ────────────────────────────────────────────────────────────────────────────────────────────────────────

function purpose({ result }: Source): Content {
  const { domain, users, outside } = result.model.purpose;
  return facts([
    ["Domain", domain],
    ["Users", Object.entries(users).map(([name, sentence]) => html`<p><strong>${name}</strong> ${sentence}</p>`)],
    ["Not part of it", outside?.join(", ")],
  ]);
}

// ── Resources ──────────────────────────────────────────────────────────────────────────────────────────────────────

function resources({ result }: Source): Content {
  const { resources: defined, types, rules } = result.model.resources;
  return [
    ...Object.entries(defined).map(([name, { fields }]) => [
      html`<h3 id="${anchor("resource", name)}">${name}</h3>`,
      fieldTable(result.model, name, fields),
      ruleList(rules[name] ?? []),
    ]),
    ...Object.entries(types).map(([name, fields]) => [
      html`<h3 id="${anchor("type", name)}">${name} <span class="quiet">a value inside others</span></h3>`,
      fieldTable(result.model, name, fields),
    ]),
  ];
}

function fieldTable(model: Source["result"]["model"], name: string, fields: Fields): Content {
  const rows = Object.entries(fields).map(([field, said]): readonly Content[] => [
    html`<code>${field}</code>${said.optional ? html`<span class="quiet"> optional</span>` : undefined}`,
    html`<code>${printFieldType(said.type)}</code>`,
    fieldNotes(said, own(model.authentication.show, `${name}.${field}`)),
  ]);
  return table(`Fields of ${name}`, ["Field", "Type", "What else"], rows, true);
}

function fieldNotes({ default: made, computed, marks, note }: Field, shown: readonly Grant[] | undefined): Content {
  const notes: Content[] = [
    ...(note === undefined ? [] : [note]),
    ...(made === undefined ? [] : [defaultText(made)]),
    ...(computed === undefined ? [] : [html`is ${code(computed)}`]),
    ...(marks.length === 0 ? [] : [marks.map((mark) => html`<span class="mark">${mark}</span> `)]),
    ...(shown === undefined ? [] : [html`only for ${grantList(shown)}`]),
  ];
  return joined(notes, html`<br>`);
}

function defaultText(made: Default): Html {
  switch (made.kind) {
    case "literal":
      return html`default ${code(made.text)}`;
    case "now":
      return html`the moment of creation`;
    case "now-on-change":
      return html`the moment of the last change`;
    case "caller":
      return html`the caller`;
    case "digits":
    case "token":
      return html`${made.length} random ${made.kind === "digits" ? "digits" : "characters"}`;
    case "counter":
      return html`counted`;
    case "uuid":
      return html`a new UUID`;
  }
}

function ruleList(rules: readonly Rule[]): Content {
  if (rules.length === 0) return undefined;
  return html`<ul class="rules">${rules.map((rule) =>
    rule.kind === "unique"
      ? html`<li>No two have the same ${joined(rule.fields.map(code), " and ")}${rule.absent === "equal" ? ", and an absent value is the same as another" : undefined}${rule.else === undefined ? undefined : html`, else ${errorLink(rule.else)}`}.</li>`
      : html`<li>Always ${code(rule.expression)}, else ${errorLink(rule.else)}.</li>`,
  )}</ul>`;
}

// ── States ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function states({ result }: Source): Content {
  return Object.entries(result.model.states).map(([resource, lifecycle]) => [
    html`<h3 id="${anchor("states-of", resource)}">${resource}</h3>`,
    lifecycle === "none" ? html`<p>Has no states.</p>` : lifecycleView(resource, lifecycle),
  ]);
}

function lifecycleView(resource: string, lifecycle: Lifecycle): Content {
  const { states: named, start, final = [], moves } = lifecycle;
  const meanings = Object.entries(named).map(([state, sentence]): readonly Content[] => [
    code(state),
    [
      sentence,
      state === start ? html` <span class="mark">start</span>` : undefined,
      final.includes(state) ? html` <span class="mark">final</span>` : undefined,
    ],
  ]);
  const rows = moves.flatMap(({ from, to, triggers }) =>
    triggers.map(({ on, if: guard, else: otherwise, set = {} }): readonly Content[] => [
      html`${from === "any" ? "any" : joined(from.map(code), " or ")} → ${code(to)}`,
      on.kind === "by"
        ? html`<a href="#${anchor("operation", on.operation)}"><code>${on.operation}</code></a>`
        : code(triggerText(on)),
      joined(
        [
          ...(guard === undefined
            ? []
            : [html`if ${code(guard)}${otherwise === undefined ? undefined : html`, else ${errorLink(otherwise)}`}`]),
          ...Object.entries(set).map(([field, value]) => html`${code(field)} becomes ${code(value)}`),
        ],
        html`<br>`,
      ),
    ]),
  );
  return [
    stateDiagram(resource, lifecycle),
    html`<details><summary>The states and moves of ${resource} as tables</summary>
${table(`States of ${resource}`, ["State", "Meaning"], meanings)}
${table(`Moves of ${resource}`, ["Move", "By", "When and what else"], rows)}
</details>`,
  ];
}

// ── Endpoints ──────────────────────────────────────────────────────────────────────────────────────────────────────

function endpoints(source: Source): Content {
  const { plan, result } = source;
  // Those of webhooks too, which the document says only by having them.
  const whole: Source = { ...source, result: { ...result, model: withWebhooks(result.model) } };
  const asked = plan.operations.filter(({ deed }) => deed !== "receive");
  const groups = Map.groupBy(asked, ({ resource }) => resource);
  const served = [...groups].map(([resource, operations]) => [
    resource === "" ? undefined : html`<h3>${resource}</h3>`,
    operations.map((operation) => operationView(whole, operation)),
  ]);
  return [styleView(source), served, unservedView(source)];
}

/** What holds for all operations. */
function styleView({ baseUrl, plan, result }: Source): Content {
  const { lists, edits, repeats, wrap, cors } = result.model.endpoints;
  return facts([
    ["Base address", code(plan.base.replace("{base_url}", baseUrl))],
    [
      "Lists",
      lists === undefined
        ? undefined
        : `${lists.kind === "none" ? "in one piece" : `by ${lists.kind}`}${lists.size === undefined ? "" : `, ${lists.size} at a time`}${lists.max === undefined ? "" : `, at most ${lists.max}`}${lists.bare === true ? ", as a bare array" : ""}`,
    ],
    [
      "Lists call",
      lists?.names === undefined
        ? undefined
        : joined(
            Object.entries(lists.names).map(([word, name]) => html`${word} ${code(name)}`),
            ", ",
          ),
    ],
    [
      "Bodies",
      wrap === undefined
        ? undefined
        : joined(
            Object.entries(wrap).map(([which, name]) => html`${which} in ${code(name)}`),
            ", ",
          ),
    ],
    ["Edits", edits === undefined ? undefined : edits === "none" ? "without preconditions" : `If-Match ${edits}`],
    [
      "Pages of other origins",
      cors === undefined || cors === "none"
        ? undefined
        : html`${cors.origins === "any" ? "any" : joined(cors.origins.map(code), ", ")}${cors.credentials === true ? ", with credentials" : ""}`,
    ],
    [
      "Repeated requests",
      repeats === undefined
        ? undefined
        : repeats === "none"
          ? "are carried out again"
          : html`${code(repeats.header)} on every ${repeats.on}${repeats.required ? ", required" : ""}${repeats.kept === undefined ? "" : `, kept ${repeats.kept}`}`,
    ],
  ]);
}

function unservedView({ plan, result }: Source): Content {
  const unserved = Object.entries(result.model.endpoints.endpoints).filter(([name]) =>
    plan.operations.every((operation) => operation.name !== name),
  );
  if (unserved.length === 0) return undefined;
  const items = unserved.map(
    ([name, { method, path }]) =>
      html`<article class="operation">${headline(name, method, path)}<p>${own(result.model.purpose.operations, name)}</p></article>`,
  );
  return [html`<h3>Not served yet</h3>`, items];
}

function headline(name: string, method: string, path: string): Html {
  return html`<h4 id="${anchor("operation", name)}"><span class="method ${method.toLowerCase()}">${method}</span> <code class="path">${breakable(path)}</code> <span class="name">${name}</span></h4>`;
}

/** A path may be broken after each slash. */
function breakable(path: string): Content {
  return joined(path.split("/"), html`/<wbr>`);
}

function operationView(source: Source, operation: Operation): Html {
  const { plan, result } = source;
  const { name, method, template, sentence, resource, moves, choose, effects, body, list, wire } = operation;
  const said = own(result.model.endpoints.endpoints, name);
  return html`<article class="operation">${headline(name, method, mountOf(plan) + template)}
<p>${sentence}</p>
${facts([
  ["May run", grantList(own(result.model.authentication.allow, name) ?? [])],
  ["Takes", takes(operation)],
  ["Gives", givesView(operation, said)],
  ["About", said?.the === undefined ? undefined : html`the oldest ${resource} with ${code(said.the)}`],
  ["Asked for", queryView(operation)],
  ["Needs", said?.if === undefined ? undefined : html`${code(said.if)}, else ${errorLink(said.else ?? "")}`],
  ["Links", linkView(said)],
  ["Answers with", outcomesView(operation)],
  ["Moves", movesView(result.model, resource, name)],
  [
    "Chooses",
    choose.map(
      ({ field, resource: from, else: otherwise }) =>
        html`<p>the first fitting ${from} as ${code(field)}, else ${errorLink(otherwise)}</p>`,
    ),
  ],
  [
    "Causes",
    effects.map(
      (effect) =>
        html`<p>${code(effect.event)} moves its ${effect.resource} ${joined(
          effect.moves.map((move) => html`${joined(move.from.map(code), " or ")} → ${code(move.to)}`),
          " or ",
        )}</p>`,
    ),
  ],
  [
    "Filters",
    list === undefined || list.filters.length + list.conditions.length === 0
      ? undefined
      : joined([...list.filters.map(({ field }) => code(field)), ...conditionViews(list)], ", "),
  ],
  ["Searches", list === undefined || list.searches.length === 0 ? undefined : joined(list.searches.map(code), ", ")],
  ["Sorts", list === undefined || list.sorts.length === 0 ? undefined : joined(list.sorts.map(code), ", ")],
  [
    "Refuses with",
    // With a wire the operation declares its refusals among its answers.
    wire !== undefined ||
    (moves.length + operation.errors.length === 0 && body === undefined && operation.key === undefined)
      ? undefined
      : joined(specificErrors(source, operation).map(errorLink), ", "),
  ],
  [
    "May refuse with",
    operation.hooked === undefined ? undefined : html`any other of <a href="#errors">this service's errors</a>`,
  ],
])}</article>`;
}

function givesView({ answer, list, resource, session, wire }: Operation, said: Endpoint | undefined): Content {
  if (wire !== undefined)
    return joined(
      wire.answers.map(({ status }) => code(status)),
      ", ",
    );
  if (said?.gives !== undefined) {
    const texts = givenTexts(said.gives).map(([member, value]) =>
      member === "" ? code(value) : html`${code(member)} from ${code(value)}`,
    );
    return joined(texts, ", ");
  }
  if (list !== undefined) return `a page of ${resource} records`;
  if (answer.kind === "none") return "nothing";
  if (session === undefined || answer.members === undefined) return undefined;
  return joined(
    answer.members.map((member) => code(member.name)),
    ", ",
  );
}

/** Each text of an answer with the members that it stands in. */
function givenTexts(given: Given, path = ""): readonly (readonly [member: string, text: string])[] {
  if (typeof given === "string") return [[path, given]];
  const members = Object.entries(given);
  if (members.length === 0) return [[path, "{}"]];
  return members.flatMap(([name, inner]) => givenTexts(inner, path === "" ? name : `${path}.${name}`));
}

function takes({ body }: Operation): Content {
  const { properties = {}, required = [] } = (body?.schema ?? {}) as {
    properties?: Record<string, unknown>;
    required?: readonly string[];
  };
  const members = Object.keys(properties);
  if (members.length === 0) return undefined;
  return joined(
    members.map(
      (member) => html`${code(member)}${required.includes(member) ? undefined : html`<span class="quiet">?</span>`}`,
    ),
    ", ",
  );
}

function conditionViews({ conditions }: ListPlan): readonly Content[] {
  return conditions.map(({ name, condition }) => {
    const text = expressionText(condition).replaceAll(`filter.${name}`, "value");
    return html`${code(name)} (${code(text)})`;
  });
}

function queryView({ query }: Operation): Content {
  if (query.length === 0) return undefined;
  return joined(
    query.map(
      ({ name, required }) => html`${code(`?${name}=`)}${required ? undefined : html`<span class="quiet">?</span>`}`,
    ),
    ", ",
  );
}

function linkView(said: Endpoint | undefined): Content {
  const link = said?.link ?? said?.unlink;
  if (link === undefined) return undefined;
  const values = Object.entries(link.with).map(([field, text]) => html`${code(field)} from ${code(text)}`);
  return html`${said?.link === undefined ? "deletes" : "makes"} the ${link.in} with ${joined(values, ", ")}`;
}

/** What beside the usual status can come of it. */
function outcomesView({ answer }: Operation): Content {
  const { created, same, accepted, differs, errors = {} } = answer;
  const outcomes = [
    ...(created === undefined ? [] : [html`${created} where it is made`]),
    ...(same === undefined ? [] : [html`${same} where it is there already`]),
    ...(accepted === undefined
      ? []
      : [
          accepted.if === undefined
            ? html`${accepted.status} where it goes on`
            : html`${accepted.status} where ${code(expressionText(accepted.if))}`,
        ]),
    ...(differs === undefined ? [] : [html`${errorLink(differs)} where it would have to change`]),
    ...Object.entries(errors).map(([one, status]) => html`${status} for ${errorLink(one)}`),
  ];
  return outcomes.length === 0 ? undefined : joined(outcomes, ", ");
}

function movesView(model: Source["result"]["model"], resource: string, operation: string): Content {
  const moves = lifecycleOf(model, resource)?.moves ?? [];
  return moves.flatMap(({ from, to, triggers }) =>
    triggers
      .filter(({ on }) => on.kind === "by" && on.operation === operation)
      .map(
        ({ if: guard, else: otherwise }) =>
          html`<p>${from === "any" ? "any" : joined(from.map(code), " or ")} → ${code(to)}${
            guard === undefined ? undefined : html` if ${code(guard)}`
          }${otherwise === undefined ? undefined : html`, else ${errorLink(otherwise)}`}</p>`,
      ),
  );
}

/** Refusals that say something about this operation; any request can be malformed, too large or unlucky. */
function specificErrors({ plan }: Source, operation: Operation): readonly string[] {
  const general = new Set(["not-acceptable", "unsupported-media", "rate-limited", "forbidden", "unauthenticated"]);
  const codes = refusalsOf(plan, operation).flatMap(({ code: one, hooked }) => (hooked ? [] : [one]));
  return [...new Set(codes)].filter(
    (one) => plan.errors[one]?.source !== "protocol" && !general.has(one) && !isOurs(plan.errors[one]?.status),
  );
}

function isOurs(status: number | undefined): boolean {
  return status === undefined || status >= 500 || status === 413;
}

// ── Authentication ─────────────────────────────────────────────────────────────────────────────────────────────────

function authentication({ result, plan }: Source): Content {
  const { credentials, roles = [], own: owned, show, unseen } = result.model.authentication;
  const described = Object.entries(credentials).map(([name, credential]) => {
    const { kind, sent, lasts, obtained, renewed, revoked } = credential;
    const scopes = credential.scopes ?? Object.keys(credential.scopeRoles ?? {});
    const header = sent?.header ?? "Authorization";
    const scheme =
      sent === undefined
        ? kind === "basic"
          ? "Basic "
          : "Bearer "
        : sent.scheme === undefined
          ? ""
          : `${sent.scheme} `;
    const prefix = plan.credentials.find((credential) => credential.name === name)?.prefix ?? "";
    return [
      html`<h3>${name} <span class="quiet">${kind}</span></h3>`,
      html`<pre tabindex="0"><code>${header}: ${scheme}${kind === "hmac-sha256" ? "t=<unix seconds>,v1=<hex>" : `${prefix}…`}</code></pre>`,
      facts([
        ["Obtained", obtained],
        ["Renewed", renewed],
        ["Lasts", lasts],
        ["Revoked", revoked],
        ["Tokens at", credential.at === undefined ? undefined : code(`POST ${credential.at}`)],
        ["Scopes", scopes.join(", ") || undefined],
      ]),
    ];
  });
  return [
    described,
    facts([
      ["Roles", roles.join(", ")],
      [
        "Owned",
        Object.entries(owned).map(
          ([resource, rule]) => html`<p>A ${resource} is its caller's own if ${code(rule)}</p>`,
        ),
      ],
      [
        "Shown to some",
        Object.entries(show).map(([field, grants]) => html`<p>${code(field)} to ${grantList(grants)}</p>`),
      ],
      ["What one may not see", unseen === undefined ? undefined : `answers ${unseen}`],
    ]),
    permissionTable(
      result.model,
      plan.operations.filter(({ deed }) => deed !== "receive").map(({ name }) => name),
    ),
  ];
}

/** Operations by roles: who may run each. */
function permissionTable(
  { authentication: { allow, roles = [] } }: Source["result"]["model"],
  operations: readonly string[],
): Content {
  const callers = ["anyone", "signed-in", ...roles];
  const cell = (grants: readonly Grant[], caller: string): Content => {
    const grant = grants.find(({ who }) => (who.kind === "role" ? who.role : who.kind) === caller);
    const wider = grants.some(
      ({ who, if: condition }) =>
        condition === undefined && (who.kind === "anyone" || (who.kind === "signed-in" && caller !== "anyone")),
    );
    if (grant?.if !== undefined && !wider) return html`if ${code(grant.if)}`;
    return grant !== undefined || wider ? html`<span class="yes">yes</span>` : html`<span class="no">no</span>`;
  };
  const rows = operations.map((name): readonly Content[] => {
    const grants = own(allow, name) ?? [];
    return [
      html`<a href="#${anchor("operation", name)}"><code>${name}</code></a>`,
      ...callers.map((caller) => cell(grants, caller)),
    ];
  });
  return table("Who may run what", ["Operation", ...callers], rows);
}

function grantList(grants: readonly Grant[]): Content {
  if (grants.length === 0) return "nobody";
  return joined(
    grants.map(({ who, if: condition }) => {
      const signedIn =
        who.kind === "signed-in" && who.anyScope === true ? "anybody, by any token" : "anybody signed in";
      const name = who.kind === "role" ? who.role : who.kind === "anyone" ? "anyone" : signedIn;
      return html`<strong>${name}</strong>${condition === undefined ? undefined : html` if ${code(condition)}`}`;
    }),
    " or ",
  );
}

// ── Events, errors, limits, versions ───────────────────────────────────────────────────────────────────────────────

function events({ result }: Source): Content {
  const { envelope, out = {}, in: inbound = {}, delivery } = result.model.events;
  const { webhook, stream } = delivery ?? {};
  return [
    table(
      "Events that go out",
      ["Event", "When", "Carries"],
      Object.entries(out).map(([name, { when, carries }]) => [
        code(name),
        when.kind === "enters"
          ? html`a ${when.resource} enters ${code(when.state)}`
          : html`after ${code(when.operation)}`,
        carries === undefined ? "the record, as the receiver may see it" : joined(carries.map(code), ", "),
      ]),
    ),
    table(
      "Events that come in",
      ["Event", "At", "Proved by", "Carries"],
      Object.entries(inbound).map(([name, { method, path, with: credential, carries }]) => [
        code(name),
        html`<span class="method ${method.toLowerCase()}">${method}</span> ${code(path)}`,
        code(credential),
        joined(
          Object.entries(carries).map(([member, type]) => html`${code(member)} ${printFieldType(type)}`),
          ", ",
        ),
      ]),
    ),
    facts([
      ["Envelope", envelope],
      [
        "Webhooks",
        webhook === undefined
          ? undefined
          : html`subscribed at ${code(`${webhook.method} ${webhook.path}`)} by ${grantList(webhook.for)}${webhook.signed === undefined ? "" : `, signed as ${webhook.signed}`}`,
      ],
      ["Promise", webhook?.promise],
      ["Tried again after", webhook?.retry?.join(", ")],
      [
        "Stream",
        stream === undefined
          ? undefined
          : html`${code(`${stream.method} ${stream.path}`)} for ${grantList(stream.for)}${stream.keep === undefined ? "" : `, kept ${stream.keep}`}`,
      ],
    ]),
  ];
}

function errors({ plan }: Source): Content {
  const raised = Map.groupBy(
    plan.operations.flatMap((operation) => operation.errors.map((one) => ({ code: one, operation: operation.name }))),
    (one) => one.code,
  );
  const list = Object.entries(plan.errors);
  const row = ([name, { statuses, title, retryAfterSeconds }]: (typeof list)[number]): readonly Content[] => [
    errorLink(name),
    statuses.join(", "),
    [title, retryAfterSeconds === undefined ? undefined : html`; try again after ${duration(retryAfterSeconds)}`],
    joined(
      (raised.get(name) ?? []).map(
        ({ operation }) => html`<a href="#${anchor("operation", operation)}"><code>${operation}</code></a>`,
      ),
      ", ",
    ),
  ];
  const ownErrors = list.filter(([, { source }]) => source === "document").map(row);
  const catalogue = list.filter(([, { source }]) => source === "catalogue").map((entry) => row(entry).slice(0, 3));
  return [
    table("This service's own errors", ["Code", "Status", "Meaning", "Raised by"], ownErrors),
    catalogue.length === 0
      ? undefined
      : html`<details><summary>${catalogue.length} errors of the standard catalogue</summary>${table("The standard catalogue", ["Code", "Status", "Meaning"], catalogue)}</details>`,
  ];
}

export function duration(seconds: number): string {
  const units = [["days", 86_400], ["hours", 3600], ["minutes", 60]] as const; // biome-ignore format: a table
  const unit = units.find(([, size]) => seconds >= size && seconds % size === 0);
  return unit === undefined
    ? `${seconds} seconds`
    : `${seconds / unit[1]} ${seconds === unit[1] ? unit[0].slice(0, -1) : unit[0]}`;
}

function limits({ result, plan }: Source): Content {
  const { rate = {}, quota = {}, keep = {} } = result.model.limits;
  return [
    table(
      "Rates",
      ["For", "At most"],
      Object.entries(rate).map(([target, rates]) => [
        code(target),
        rates.map(
          ({ count, window, per, burst }) =>
            html`<p>${count} in ${spaced(window)} for each ${per}${burst === undefined ? "" : `, ${burst} at once`}</p>`,
        ),
      ]),
    ),
    table(
      "Quotas",
      ["For", "At most"],
      Object.entries(quota).map(([target, quotas]) => [
        code(target),
        quotas.map(
          (one) =>
            html`<p>${one.count} ${one.kind === "window" ? `in ${spaced(one.window)}` : one.states.length === 0 ? "at a time" : `that are ${one.states.join(" or ")}`} for each ${one.per}</p>`,
        ),
      ]),
    ),
    facts([
      ["Size of a request", `${plan.limits.requestBytes.toLocaleString("en")} bytes`],
      ["Time of a request", duration(plan.limits.requestMilliseconds / 1000)],
      [
        "Kept",
        Object.entries(keep).map(
          ([resource, { duration: time, after, act }]) =>
            html`<p>A ${resource} is ${act === "erase" ? "erased" : "deleted"} ${time} after ${code(after)}</p>`,
        ),
      ],
    ]),
  ];
}

/** `15min` → `15 min`, `min` → `a min`. */
function spaced(window: string): string {
  return /^[0-9]/.test(window) ? window.replace(/^([0-9]+)/, "$1 ") : `a ${window}`;
}

function versioning({ result }: Source): Content {
  const { scheme, sent, absent, versions = [], deprecated = {}, policy } = result.model.versioning;
  const place =
    sent === undefined
      ? undefined
      : sent.kind === "header"
        ? html`header ${code(sent.name)}`
        : sent.kind === "query"
          ? html`query parameter ${code(sent.name)}`
          : sent.kind === "path"
            ? html`path ${code(sent.template)}`
            : "media type";
  return [
    facts([
      ["Scheme", scheme],
      ["Chosen by", place],
      ["Without a choice", absent],
      ["Notice", policy?.notice],
      ["Support", policy?.support],
    ]),
    table(
      "Versions",
      ["Version", "What changed", "Support"],
      versions.map(({ name, changes }) => {
        const end = own(deprecated, name);
        return [
          code(name),
          changes.length === 0
            ? "the first"
            : `${changes.length} change${changes.length === 1 ? "" : "s"}: ${[...new Set(changes.map(({ kind }) => camelCase(kind).replace(/[A-Z]/g, " $&").toLowerCase()))].join(", ")}`,
          end === undefined
            ? ""
            : html`deprecated${end.since === undefined ? "" : ` since ${end.since}`}${end.sunset === undefined ? "" : `, ends ${end.sunset}`}`,
        ];
      }),
    ),
  ];
}

// ── Links ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function errorLink(name: string): Html {
  return html`<a href="errors/${name}"><code>${name}</code></a>`;
}

export function operationsRaising({ plan }: Source, name: string): readonly Operation[] {
  return plan.operations.filter((operation) =>
    refusalsOf(plan, operation).some(({ code: one, hooked }) => one === name && !hooked),
  );
}
