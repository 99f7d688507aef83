/** Writes the document of a world, from which the simulated service is built. */
import type { Json } from "../../src/base/json.ts";
import { type Block, documentOf } from "../enforced/document.ts";
import type {
  Across,
  Condition,
  Field,
  Grant,
  Lifecycle,
  Transition,
  Operation,
  Rate,
  Resource,
  SessionAction,
  SetTo,
  Trigger,
  World,
} from "./world.ts";

/** Of the version that is the newest. */
const newest = "2026-09-01";
export const before = "2026-03-01";

export function documentText(world: World): string {
  const { resources } = world;
  const events = resources.flatMap((resource) =>
    resource.events.map(({ name, on }): [string, string] => [
      name,
      on.kind === "state" ? `${resource.name} -> ${on.state}` : on.operation,
    ]),
  );
  const errors = errorsOf(world);
  return documentOf({
    resources: {
      ...Object.fromEntries(
        resources.map((resource) => [
          resource.name,
          {
            id: `id(${resource.prefix})`,
            ...Object.fromEntries(
              resource.fields.map((field) => [`${field.name}${field.optional ? "?" : ""}`, fieldText(field)]),
            ),
          },
        ]),
      ),
      ...rulesOf(resources),
    },
    states: Object.fromEntries(
      resources.map(({ name, lifecycle }) => [name, lifecycle === undefined ? "none" : statesOf(lifecycle)]),
    ),
    endpoints: {
      lists: "cursor, 3 per page, at most 10",
      edits: world.edits === "none" ? "none" : `If-Match ${world.edits}`,
      repeats: world.repeats ? "Idempotency-Key on every POST, kept 24h" : "none",
      endpoints: Object.fromEntries(
        resources
          .flatMap(({ operations }) => operations)
          .map(({ action, name, method, path, takes }) => [
            name,
            {
              at: `${method} ${path}`,
              ...(isOfSessions(action) || action === "handler" ? { does: action } : {}),
              ...(takes === undefined ? {} : { takes: { [takes]: `string(1..${mostTaken(action)})` } }),
            },
          ]),
      ),
    },
    authentication: authenticationOf(world),
    events:
      events.length === 0 && world.webhook === undefined && world.inbound === undefined
        ? "none"
        : {
            envelope: "plain",
            ...(events.length === 0 ? {} : { out: Object.fromEntries(events) }),
            ...(world.inbound === undefined ? {} : { in: inboundOf(world.inbound) }),
            delivery: deliveryOf(world),
          },
    errors: errors.length === 0 ? {} : { errors: Object.fromEntries(errors) },
    limits: limitsOf(world),
    versioning: versioningOf(world),
  });
}

/** As long a text may be that an operation takes. */
export function mostTaken(action: Operation["action"]): number {
  return action === "handler" ? 99 : 9;
}

function fieldText({ type, marks, ...field }: Field): string {
  const said = field.default;
  const value = said === undefined ? "" : ` = ${typeof said === "string" ? said : JSON.stringify(said)}`;
  return [`${typeText(type)}${value}`, ...marks].join(", ");
}

function typeText(type: Field["type"]): string {
  switch (type.kind) {
    case "text":
      return `string(1..${type.most})`;
    case "number":
      return `integer(0..${type.most})`;
    case "flag":
      return "boolean";
    case "choice":
      return type.of.join(" | ");
    case "moment":
      return "datetime";
    case "user":
      return "user";
    case "file":
      return `file(..${type.most}B, text/plain)`;
    case "secret":
      return `string(1..${type.most}), secret`;
    case "reference":
      return type.to;
  }
}

function rulesOf(resources: readonly Resource[]): Block {
  const rules = resources.flatMap(({ across, name, rule }): [string, string[]][] => {
    const all = [
      ...(rule === undefined ? [] : [`${conditionText(rule.holds)} else ${rule.else}`]),
      ...(across === undefined ? [] : [`${acrossText(name, across.holds)} else ${across.else}`]),
    ];
    return all.length === 0 ? [] : [[name, all]];
  });
  return rules.length === 0 ? {} : { rules: Object.fromEntries(rules) };
}

function statesOf({ states, start, final, moves }: Lifecycle): Json {
  const byArrow = Map.groupBy(moves, ({ from, to }) => `${from.join(" | ")} -> ${to}`);
  return {
    states: Object.fromEntries(states.map((state) => [state, `it is ${state}`])),
    start,
    ...(final.length === 0 ? {} : { final: [...final] }),
    moves: Object.fromEntries([...byArrow].map(([arrow, some]) => [arrow, some.map(moveOf)])),
  };
}

function moveOf(move: Transition): Block {
  return {
    ...triggerOf(move.by),
    ...(move.if === undefined ? {} : { if: conditionText(move.if) }),
    ...(move.else === undefined ? {} : { else: move.else }),
    ...(move.set === undefined ? {} : { set: { [move.set.field]: setText(move.set.to) } }),
  };
}

function triggerOf(by: Trigger): Block {
  switch (by.kind) {
    case "operation":
      return { by: by.name };
    case "after":
      return { after: by.text };
    case "at":
      return { at: by.field };
    case "event":
      return { when: by.name };
  }
}

function setText(to: SetTo): string {
  return to.kind === "more" ? `${to.field} + 1` : `now + duration('${to.text}')`;
}

function conditionText(condition: Condition): string {
  switch (condition.kind) {
    case "below":
      return `${condition.field} < ${condition.value}`;
    case "is":
      return `${condition.field} == '${condition.value}'`;
    case "isNot":
      return `${condition.field} != '${condition.value}'`;
    case "input":
      return `input.${condition.member} == '${condition.value}'`;
  }
}

function acrossText(resource: string, rule: Across): string {
  switch (rule.kind) {
    case "alike":
      return `${resource}.filter(o, o.${rule.field} == ${rule.field}).size() <= ${rule.most} || ${rule.field} == null`;
    case "total":
      return `${resource}.map(o, o.${rule.field}).sum() <= ${rule.most}`;
    case "referred": {
      const isOther = `box.${rule.field} != ${typeof rule.isNot === "string" ? `'${rule.isNot}'` : JSON.stringify(rule.isNot)}`;
      return rule.state === undefined ? isOther : `${isOther} || state != '${rule.state}'`;
    }
    case "referring": {
      const ofState = rule.state === undefined ? "" : ` && j.state == '${rule.state}'`;
      return `Job.filter(j, j.box == id${ofState}).size() <= ${rule.most}`;
    }
  }
}

function grantText({ who, own }: Grant): string {
  return own === true ? `${who} if own` : who;
}

export function grantsText(grants: readonly Grant[]): string {
  return grants.map(grantText).join(" | ");
}

export function isOfSessions(action: Operation["action"]): action is SessionAction {
  return action === "login" || action === "renew" || action === "logout";
}

function authenticationOf({ inbound, logins, resources, unseen }: World): Block {
  const shown = resources.flatMap(({ name, fields }) =>
    fields.flatMap((field): [string, string][] =>
      field.shown === undefined ? [] : [[`${name}.${field.name}`, grantsText(field.shown)]],
    ),
  );
  const owned = Object.fromEntries(
    resources.flatMap(({ name, owned: mine }) => (mine ? [[name, "owner == caller.id"]] : [])),
  );
  const own = logins === undefined ? owned : { ...owned, Person: "id == caller.id" };
  return {
    credentials: {
      key: { kind: "api-key", prefix: "k_", lasts: "365d", revoked: "at once" },
      ...(logins === undefined ? {} : { session: sessionOf(logins) }),
      ...(inbound === undefined
        ? {}
        : { device: { kind: "hmac-sha256", sent: "header Device-Signature", secret: "env DEVICE_SECRET" } }),
    },
    roles: ["member", "clerk"],
    ...(Object.keys(own).length === 0 ? {} : { own }),
    allow: Object.fromEntries(
      resources.flatMap(({ operations }) => operations.map(({ name, allow }) => [name, grantsText(allow)])),
    ),
    ...(shown.length === 0 ? {} : { show: Object.fromEntries(shown) }),
    unseen: String(unseen),
  };
}

function inboundOf({ method, name, path }: Operation): Block {
  return { [name]: { at: `${method} ${path}`, with: "device", carries: { job: "Job", what: beats.join(" | ") } } };
}

/** What a device may say of a job. */
export const beats: readonly string[] = ["power", "door"];

function sessionOf({ lasts, renewed }: NonNullable<World["logins"]>): Block {
  return {
    kind: "password",
    of: "Person",
    name: "name",
    secret: "password",
    roles: "field role",
    prefix: "s_",
    lasts: lasts.text,
    ...(renewed === undefined ? {} : { renewed: renewed.text }),
    revoked: "at once",
  };
}

function deliveryOf({ stream, webhook }: World): Json {
  if (webhook === undefined && stream === undefined) return "none";
  return {
    ...(webhook === undefined
      ? {}
      : {
          webhook: {
            subscribe: "POST /webhooks",
            for: grantsText(webhook.for),
            signed: "standard-webhooks",
            promise: webhook.inOrder ? "at least once, in order per resource" : "at least once",
            timeout: "15s",
            retry: webhook.retry.map(({ text }) => text).join(" "),
            // A receiver that is down for long must not be lost to the simulation.
            then: { keep: "30d" },
          },
        }),
    ...(stream === undefined
      ? {}
      : { stream: { at: "GET /events", for: grantsText(stream.for), kind: "server-sent", resume: "Last-Event-ID", keep: "30d" } }), // biome-ignore format: short
  };
}

/** Each once, with its status. */
export const errorStatuses: Readonly<Record<string, number>> = {
  "wrong-code": 403,
  "no-more": 409,
  "bad-title": 422,
  crowded: 409,
};

function errorsOf({ resources }: World): readonly [string, string][] {
  const codes = new Set(
    resources.flatMap(({ across, lifecycle, rule }) => [
      ...(lifecycle?.moves.flatMap((move) => move.else ?? []) ?? []),
      ...(rule === undefined ? [] : [rule.else]),
      ...(across === undefined ? [] : [across.else]),
    ]),
  );
  return [...codes].map((code) => [code, `${errorStatuses[code]} It is ${code}`]);
}

function limitsOf({ rate, resources, webhook }: World): Block | "none" {
  const operations = resources.flatMap((resource) => resource.operations);
  const rates = {
    ...(rate === undefined ? {} : { all: rateText(rate) }),
    ...Object.fromEntries(
      operations.flatMap((one) => (one.rate === undefined ? [] : [[one.name, rateText(one.rate)]])),
    ),
  };
  const quota = {
    ...Object.fromEntries(
      operations.flatMap((one) =>
        one.quota === undefined ? [] : [[one.name, `${one.quota.count}/${one.quota.text} per user`]],
      ),
    ),
    ...Object.fromEntries(
      resources.flatMap(({ name, live }) =>
        live === undefined
          ? []
          : [[name, `${live.count}${live.states === undefined ? "" : ` in ${live.states.join(" | ")}`} per user`]],
      ),
    ),
    ...(webhook === undefined ? {} : { webhook: "2 per user" }),
  };
  const keep = Object.fromEntries(
    resources.flatMap((one) =>
      one.keep === undefined
        ? []
        : [[one.name, `${one.keep.text} after ${one.keep.after}${one.keep.erases ? ", erase" : ""}`]],
    ),
  );
  const parts = { rate: rates, quota, keep };
  const said = Object.entries(parts).filter(([, lines]) => Object.keys(lines).length > 0);
  return said.length === 0 ? "none" : (Object.fromEntries(said) as Block);
}

function rateText({ burst, count, text }: Rate): string {
  return `${count}/${text} per user${burst === undefined ? "" : `, burst ${burst}`}`;
}

function versioningOf({ older }: World): Block | "none" {
  if (older === undefined) return "none";
  const { field, path, error } = older;
  const changes = [
    ...(field === undefined ? [] : [`rename ${field.resource}.${field.was} -> ${field.name}`]),
    ...(path === undefined ? [] : [`path ${path.operation}, was POST ${path.was}`]),
    ...(error === undefined ? [] : [`error ${error.code}, was ${errorStatuses[error.code]} ${error.was}`]),
  ];
  return {
    scheme: "dated",
    sent: "header Api-Version",
    absent: "newest",
    policy: { breaking: "new version only", notice: "180d", support: "12mo", "after sunset": "410 version-gone" },
    versions: { [newest]: changes.length === 0 ? "none" : changes, [before]: "first" },
  };
}
