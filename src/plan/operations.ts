/** Operations: what each takes, checks, changes, causes and answers. */
import type { JsonObject } from "../base/json.ts";
import { parseClockDuration } from "../base/duration.ts";
import { boundFields, creates, type InputMember, inputOf } from "../parts/endpoints/input.ts";
import { type ResourceEndpoint, resourceEndpoints } from "../parts/endpoints/meaning.ts";
import { loginsOf, refreshMembers } from "../parts/authentication/login.ts";
import {
  bodilessDeeds,
  type Method,
  type PathMeaning,
  readingDeeds,
  type RepeatStyle,
  sessionDeeds,
  tellingDeeds,
} from "../parts/endpoints/model.ts";
import { takenShape } from "../parts/endpoints/shape.ts";
import { bareType, fieldsOf, isNullable, own, referenceOf } from "../parts/resources/fields.ts";
import { closedObject, fieldSchema, orNull } from "../parts/resources/json-schema.ts";
import { defaultValue } from "../parts/resources/default-value.ts";
import type { Field, FieldType } from "../parts/resources/model.ts";
import { answerPlan, viewPlans, type ViewPlans, wrapOf } from "./answers.ts";
import { columnTypeOf } from "./columns.ts";
import type { Envelope } from "./envelope.ts";
import { operationLimits, quotasOf, ratesOf } from "./limits.ts";
import { historyPages, listPlan } from "./lists.ts";
import { effectsOf, emitsOf, movesBy } from "./moves.ts";
import { allowOf, visibleOf } from "./permissions.ts";
import type {
  BodyPlan,
  ChoicePlan,
  EffectPlan,
  GrantPlan,
  InputField,
  InputForm,
  MovePlan,
  Operation,
  Parent,
  RulePlan,
  Table,
} from "./plan.ts";
import { guardPlan, linkPlan } from "./outcomes.ts";
import { queryPlans } from "./queries.ts";
import { lateErrors, type PlannedWrite, writesOfDeletion } from "./rules.ts";
import { assert, fieldsRead, isOfRecord, type Sources, typedAt, unique } from "./sources.ts";

export function buildOperations(sources: Sources, tables: readonly Table[]): readonly Operation[] {
  const views = viewPlans(sources, tables);
  return resourceEndpoints(sources.model).map((meaning) => {
    const table = tables.find(({ resource }) => resource === meaning.resource);
    assert(table !== undefined, `${meaning.operation} is about ${meaning.resource}, which has no table`);
    return buildOperation(sources, meaning, table, tables, views);
  });
}

function buildOperation(
  sources: Sources,
  meaning: ResourceEndpoint,
  table: Table,
  tables: readonly Table[],
  views: ViewPlans,
): Operation {
  const { operation, endpoint, deed, resource, key } = meaning;
  const at = `endpoints/endpoints/${operation}`;
  const link = linkPlan(sources, meaning);
  const changed = link === undefined ? table : tableOf(tables, link.resource);
  const body = bodyPlan(sources, meaning, table);
  const moves = deed === "move" ? movesBy(sources, resource, operation) : [];
  const choose = choicePlans(sources, meaning);
  const repeats = repeatsOf(sources, deed, endpoint.method);
  const known = {
    name: operation,
    sentence: own(sources.model.purpose.operations, operation) ?? "",
    deed,
    method: endpoint.method,
    path: meaning.segments,
    template: endpoint.path,
    resource,
    ...(key === undefined ? {} : { key }),
    ...(endpoint.the === undefined ? {} : { the: typedAt(sources, `${at}/the`) }),
    parents: parentPlans(sources, meaning),
    allow: allowOf(sources, operation),
    visible: visibleOf(sources, resource),
    ...(body === undefined ? {} : { body }),
    ...filePlan(meaning, table),
    creates: creates(sources.model, meaning),
    query: queryPlans(sources, meaning),
    ...guardPlan(sources, meaning),
    ...(link === undefined ? {} : { link }),
    ...(deed === "clear" && endpoint.where !== undefined ? { where: typedAt(sources, `${at}/where`) } : {}),
    answer: answerPlan(sources, meaning, views),
    ...(deed === "list" ? { list: listPlan(sources, meaning, table) } : {}),
    ...(deed === "history" ? { list: historyPages(sources) } : {}),
    moves,
    choose,
    ...sessionPlan(sources, meaning),
    ...presentSecretPlan(sources, meaning),
    edits: editsOf(sources, meaning),
    ...(repeats === undefined ? {} : { repeats }),
    effects: effectsOf(sources, changed.resource, operation, statesEntered(sources, meaning, changed, moves)),
    emits: emitsOf(sources, operation),
    rules: rulesOf(meaning, changed, { moves, choose, ...(body === undefined ? {} : { body }) }),
    limits: operationLimits(sources, operation),
    rates: ratesOf(sources, meaning),
    quotas: quotasOf(sources, meaning),
  } satisfies Omit<Operation, "errors" | "needs">;
  return { ...known, errors: errorsOf(known, changed, tables), needs: needsOf(known, table) };
}

function tableOf(tables: readonly Table[], resource: string): Table {
  const table = tables.find((one) => one.resource === resource);
  assert(table !== undefined, `${resource} has no table`);
  return table;
}

function filePlan({ file }: ResourceEndpoint, { columns }: Table): Pick<Operation, "file"> {
  const plan = columns.find(({ name }) => name === file)?.file;
  return file === undefined || plan === undefined ? {} : { file: { ...plan, column: file } };
}

export function parentPlans(sources: Sources, { parents }: PathMeaning): readonly Parent[] {
  return parents.map((parent) => ({
    ...parent,
    type: columnTypeOf(sources.model, { kind: "named", name: parent.resource }),
    visible: visibleOf(sources, parent.resource),
  }));
}

function statesEntered(
  sources: Sources,
  meaning: ResourceEndpoint,
  { lifecycle }: Table,
  moves: readonly MovePlan[],
): readonly string[] {
  const created = meaning.deed === "create" || meaning.deed === "link" || creates(sources.model, meaning);
  const start = created && lifecycle !== undefined ? [lifecycle.start] : [];
  return unique([...start, ...moves.filter((move) => move.enters).map((move) => move.to)]);
}

// ── Body ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function bodyPlan(sources: Sources, meaning: ResourceEndpoint, table: Table): BodyPlan | undefined {
  const { deed } = meaning;
  if (readingDeeds.has(deed) || bodilessDeeds.has(deed)) return undefined;
  const isLink = deed === "link" || deed === "unlink";
  if (isLink && takenShape(sources.model, meaning.endpoint) === undefined) return undefined;
  const members = inputOf(sources.model, meaning);
  const required = members.filter((member) => member.required).map(({ name }) => name);
  const properties = members.map((member) => [member.name, memberSchema(sources, meaning, member)] as const);
  const id = own(fieldsOf(sources.model, meaning.resource), "id");
  // The path gives the id of what a PUT creates; the body may say it again.
  const named =
    id !== undefined && creates(sources.model, meaning) ? { id: fieldSchema(sources.model, id, "input") } : {};
  const names = Object.keys({ ...named, ...Object.fromEntries(properties) });
  const envelope = envelopeOf(sources, meaning, members, names);
  const files = members.flatMap(({ name, field: { type } }) => {
    const bare = bareType(type);
    return bare.kind === "file" ? [[name, { maxBytes: bare.max, media: bare.media }] as const] : [];
  });
  const json = deed === "update" ? ["application/merge-patch+json", "application/json"] : ["application/json"];
  const [alone] =
    meaning.file === undefined ? [] : files.map(([, { media }]) => (media.length === 0 ? ["*/*"] : media));
  return {
    schema: closedObject({ ...named, ...Object.fromEntries(properties) }, required),
    mediaTypes: alone ?? (files.length === 0 ? json : [...json, "multipart/form-data"]),
    ...(files.length === 0 ? {} : { files: Object.fromEntries(files) }),
    required:
      !(tellingDeeds.has(deed) || deed === "logout" || (deed === "create" && names.length === 0)) ||
      required.length > 0,
    ...(envelope === undefined ? {} : { envelope }),
    ...(takenShape(sources.model, meaning.endpoint) === undefined ? {} : { own: true as const }),
    fields: members.filter((member) => member.sets).map((member) => inputField(sources, meaning, member)),
    others: members.filter((member) => !member.sets).map((member) => inputField(sources, meaning, member)),
    fixed:
      meaning.file === undefined && (deed === "update" || deed === "replace")
        ? fixedFields(sources, meaning, table, members)
        : [],
  };
}

/** Where the document says by itself what is taken, it says where that stands. */
function envelopeOf(
  sources: Sources,
  meaning: ResourceEndpoint,
  members: readonly InputMember[],
  names: readonly string[],
): Envelope | undefined {
  const { endpoint, deed } = meaning;
  const taken = takenShape(sources.model, endpoint);
  if (taken === undefined || endpoint.takesView !== undefined) {
    const { wrap } = tellingDeeds.has(deed) ? {} : wrapOf(sources, meaning);
    return wrap === undefined ? undefined : { members: [], objects: { [wrap]: { members: names, objects: {} } } };
  }
  const { within } = taken;
  if (Object.keys(within).length === 0) return undefined;
  // What proves a secret stands beside it.
  const beside = new Map(members.map(({ name, proves }) => [name, proves ?? name]));
  return envelopeAround(names, (name) => own(within, beside.get(name) ?? name) ?? []);
}

/** `around` are the objects that stand around a member, `user?` one that may be left out. */
export function envelopeAround(names: readonly string[], around: (name: string) => readonly string[]): Envelope {
  const inner = Map.groupBy(
    names.filter((name) => around(name).length > 0),
    (name) => around(name)[0] ?? "",
  );
  return {
    members: names.filter((name) => around(name).length === 0),
    objects: Object.fromEntries(
      [...inner].map(([written, some]) => {
        const envelope = envelopeAround(some, (name) => around(name).slice(1));
        const optional = written.endsWith("?");
        return [
          optional ? written.slice(0, -1) : written,
          optional ? { ...envelope, optional: true as const } : envelope,
        ];
      }),
    ),
  };
}

/** In a merge patch null takes a field away (RFC 7396), so there an optional field takes it. */
function memberSchema({ model }: Sources, { deed }: ResourceEndpoint, { field }: InputMember): JsonObject {
  const schema = fieldSchema(model, field, "input");
  if (deed === "update") return isNullable(field) && field.type.kind !== "nullable" ? orNull(schema) : schema;
  const value = defaultValue(model, field);
  return value === undefined ? schema : { ...schema, default: value };
}

function inputField(
  sources: Sources,
  { deed, resource }: ResourceEndpoint,
  { name, field, sets }: InputMember,
): InputField {
  const { model } = sources;
  // A member of `takes` sets the record's field, which says how it is kept.
  const kept = sets ? (own(fieldsOf(model, resource), name) ?? field) : field;
  return bodyField(sources, name, field, {
    visible: visibleOf,
    defaults: deed !== "update",
    secret: kept.marks.includes("secret"),
  });
}

interface BodyFieldOptions {
  /** Who may refer to the records of a resource. */
  readonly visible: (sources: Sources, resource: string) => readonly GrantPlan[];
  /** Whether what is left out has the field's default. */
  readonly defaults: boolean;
  /** What is sent of it is text, whatever its type. */
  readonly secret: boolean;
}

/** A member of a body: what is to be asked of its value, and what it is where it is left out. */
export function bodyField(
  sources: Sources,
  name: string,
  field: Field,
  { visible, defaults, secret }: BodyFieldOptions,
): InputField {
  const form = inputForm(sources, field.type, visible);
  const value = defaults ? defaultValue(sources.model, field) : undefined;
  return {
    name,
    type: secret ? "text" : columnTypeOf(sources.model, field.type),
    ...(form === undefined ? {} : { form }),
    ...(value === undefined ? {} : { default: value }),
    ...(secret ? { secret } : {}),
  };
}

/**
 * `visible`: who may refer to the records of a resource. `around`: the embedded types that the value is inside of; a type
 * inside itself is not followed.
 */
export function inputForm(
  sources: Sources,
  type: FieldType,
  visible: (sources: Sources, resource: string) => readonly GrantPlan[],
  around: readonly string[] = [],
): InputForm | undefined {
  const { model } = sources;
  const bare = bareType(type);
  if (bare.kind === "scalar") return bare.name === "datetime" ? { kind: "timestamp" } : undefined;
  if (bare.kind === "list" || bare.kind === "map") {
    const of = inputForm(sources, bare.of, visible, around);
    return of === undefined ? undefined : { kind: bare.kind, of };
  }
  if (bare.kind !== "named") return undefined;
  const target = referenceOf(model, bare);
  if (target !== undefined) return { kind: "reference", resource: target, visible: visible(sources, target) };
  if (around.includes(bare.name)) return undefined;
  const members = Object.entries(own(model.resources.types, bare.name) ?? {}).flatMap(([name, field]) => {
    const form = inputForm(sources, field.type, visible, [...around, bare.name]);
    const value = defaultValue(model, field);
    if (form === undefined && value === undefined) return [];
    return [
      [name, { ...(form === undefined ? {} : { form }), ...(value === undefined ? {} : { default: value }) }] as const,
    ];
  });
  return members.length === 0 ? undefined : { kind: "object", members: Object.fromEntries(members) };
}

function fixedFields(
  sources: Sources,
  meaning: ResourceEndpoint,
  table: Table,
  members: readonly InputMember[],
): readonly string[] {
  const upsert = creates(sources.model, meaning);
  const fields = fieldsOf(sources.model, meaning.resource);
  const changeable = members.filter(({ name }) => {
    // A PUT that creates takes create-only fields, and holds what exists to them.
    return !(upsert && own(fields, name)?.marks.includes("create-only"));
  });
  const open = new Set(changeable.map(({ name }) => name));
  const seen = [...table.columns, ...table.virtual].filter(({ shown }) => shown === undefined || shown.length > 0);
  const bound = boundFields(sources.model, meaning);
  return seen.map(({ name }) => name).filter((name) => !open.has(name) || bound.includes(name));
}

// ── What else ──────────────────────────────────────────────────────────────────────────────────────────────────────

function choicePlans(sources: Sources, { operation, endpoint }: ResourceEndpoint): readonly ChoicePlan[] {
  return Object.entries(endpoint.choose ?? {}).map(([field, choice]) => ({
    field,
    resource: choice.from,
    ...(choice.if === undefined ? {} : { if: typedAt(sources, `endpoints/endpoints/${operation}/choose/${field}/if`) }),
    else: choice.else,
  }));
}

/** A renewal takes one token and nothing else that could be it. */
function sessionPlan({ model }: Sources, meaning: ResourceEndpoint): Pick<Operation, "session"> {
  const { deed, endpoint, resource } = meaning;
  if (!sessionDeeds.has(deed)) return {};
  const [login] = loginsOf(model, resource);
  assert(login !== undefined, `nobody can log in as a ${resource}`);
  const { credential, name, secret } = login;
  const refused = { credential, else: endpoint.else ?? "unauthenticated" };
  if (deed === "login") return { session: { ...refused, name, proof: secret } };
  const taken = inputOf(model, meaning).map((member) => member.name);
  const token = refreshMembers.find((member) => taken.includes(member));
  return { session: { ...refused, ...(deed === "renew" && token !== undefined ? { proof: token } : {}) } };
}

function presentSecretPlan({ model }: Sources, meaning: ResourceEndpoint): Pick<Operation, "presentSecret"> {
  const { resource } = meaning;
  const proof = inputOf(model, meaning).find(({ proves }) => proves !== undefined);
  const login = loginsOf(model, resource).find(({ changed }) => changed === proof?.name);
  if (proof === undefined || login === undefined) return {};
  const entrance = resourceEndpoints(model).find((one) => one.deed === "login" && one.resource === resource);
  const { credential, secret } = login;
  return {
    presentSecret: { credential, member: proof.name, secret, else: entrance?.endpoint.else ?? "unauthenticated" },
  };
}

/** Where the document is silent, `If-Match` is honoured when it is sent (R4.16). */
function editsOf({ model }: Sources, { deed }: ResourceEndpoint): Operation["edits"] {
  const said = model.endpoints.edits ?? "optional";
  if (deed === "update" || deed === "replace" || deed === "delete") return said;
  return deed === "move" && said !== "none" ? "optional" : "none";
}

/** Where the document is silent: on every write, not required, kept a day (R4.18, R4.20). */
const silentRepeats: RepeatStyle = { header: "Idempotency-Key", on: "write", required: false };

export function repeatsOf({ model }: Sources, deed: Operation["deed"], method: Method): Operation["repeats"] {
  const said = model.endpoints.repeats ?? silentRepeats;
  if (said === "none" || readingDeeds.has(deed)) return undefined;
  if (said.on === "POST" && method !== "POST") return undefined;
  const kept = said.kept === undefined ? undefined : parseClockDuration(said.kept);
  return { header: said.header, required: said.required, keptMilliseconds: kept ?? 86_400_000 };
}

type Known = Omit<Operation, "errors" | "needs">;

/** The document's own errors that can come of it: of guards, choices and rules, and of what is taken already. */
function errorsOf(known: Known, table: Table, tables: readonly Table[]): readonly string[] {
  const { moves, choose, rules, body, deed, effects, session, presentSecret, guard, answer } = known;
  const { conflicts } = table;
  const changed = new Set([...(body?.fields ?? []).map(({ name }) => name), ...moves.flatMap(fieldsSet)]);
  const makes = deed === "create" || deed === "link";
  const taken = conflicts.filter(({ columns }) => makes || columns.some((name) => changed.has(name)));
  return unique([
    ...(guard === undefined ? [] : [guard.else]),
    ...(answer.differs === undefined ? [] : [answer.differs]),
    ...choose.map((choice) => choice.else),
    ...moves.flatMap((move) => move.else ?? []),
    ...[...rules, ...taken].map((rule) => rule.else),
    ...lateErrors(writesOf(known, table, tables), tables),
    ...errorsCaused(effects, tables),
    ...[session, presentSecret].flatMap((proof) =>
      proof === undefined || proof.else === "unauthenticated" ? [] : [proof.else],
    ),
  ]);
}

/** What it can do to records, apart from what its events cause in turn. */
function writesOf(known: Known, table: Table, tables: readonly Table[]): readonly PlannedWrite[] {
  const { resource } = table;
  const update: PlannedWrite = { resource, kind: "update", columns: columnsChanged(known, table) };
  switch (known.deed) {
    case "create":
    case "link":
      return [{ resource, kind: "insert" }];
    case "replace":
      return known.creates ? [update, { resource, kind: "insert" }] : [update];
    case "update":
    case "move":
      return [update];
    case "delete":
    case "clear":
    case "unlink":
      return writesOfDeletion(resource, tables);
    default:
      return [];
  }
}

function columnsChanged(
  { body, choose, deed, moves }: Pick<Known, "body" | "choose" | "deed" | "moves">,
  table: Table,
) {
  return new Set([
    ...(body?.fields ?? []).map(({ name }) => name),
    ...choose.map(({ field }) => field),
    ...moves.flatMap(fieldsSet),
    ...keptFields(table),
    ...(deed === "move" ? ["state"] : []),
  ]);
}

/** Those of the records that are moved in turn: what they may not be refuses the whole request. */
export function errorsCaused(effects: readonly EffectPlan[], tables: readonly Table[]): readonly string[] {
  return effects.flatMap(({ resource, moves, effects: next }) => {
    const table = tables.find((one) => one.resource === resource);
    assert(table !== undefined, `${resource} has no table`);
    const changed = new Set(["state", ...moves.flatMap(fieldsSet), ...keptFields(table)]);
    const taken = table.conflicts.filter(({ columns }) => columns.some((name) => changed.has(name)));
    const broken = [...rulesReading(table, changed), ...taken];
    const late = lateErrors([{ resource, kind: "update", columns: changed }], tables);
    return [...broken.map((rule) => rule.else), ...late, ...errorsCaused(next, tables)];
  });
}

/**
 * The rules over a record alone that a write by the operation can break: all for a whole record, else those that read what
 * changes, or that depend on the moment. The others held before and do so after.
 */
function rulesOf(
  { deed }: ResourceEndpoint,
  table: Table,
  written: Pick<Known, "body" | "choose" | "moves">,
): readonly RulePlan[] {
  if (readingDeeds.has(deed) || sessionDeeds.has(deed) || bodilessDeeds.has(deed) || deed === "unlink") return [];
  if (deed !== "update" && deed !== "move") return table.rules.filter(isEarly);
  return rulesReading(table, columnsChanged({ ...written, deed }, table));
}

export function isEarly({ isLate }: RulePlan): boolean {
  return isLate !== true;
}

/** Those that the service itself keeps current at every change. */
function keptFields({ columns }: Table): readonly string[] {
  const kept = columns.filter((one) => one.computed !== undefined || one.default?.kind === "now-on-change");
  return kept.map(({ name }) => name);
}

function rulesReading({ rules }: Table, changed: ReadonlySet<string>): readonly RulePlan[] {
  return rules.filter((rule) => {
    const { expression } = rule;
    return isEarly(rule) && (!isOfRecord(expression) || fieldsRead(expression).some((name) => changed.has(name)));
  });
}

function fieldsSet({ set }: MovePlan): readonly string[] {
  return set.map(({ field }) => field);
}

/** Stored columns only, in the table's order. */
function needsOf(operation: Known, table: Table): readonly string[] {
  const { deed, allow, visible, moves, effects, body, key, parents } = operation;
  const writes = deed === "create" || deed === "update" || deed === "replace" || deed === "move";
  const fixed = body?.fixed ?? [];
  const expressions = [
    ...[...allow, ...visible].flatMap((grant) => grant.if ?? []),
    ...moves.flatMap((move) => [...(move.if === undefined ? [] : [move.if]), ...move.set.map((one) => one.expression)]),
    ...(operation.link === undefined ? operation.rules.map((rule) => rule.expression) : []),
    ...(writes ? table.columns.flatMap((column) => column.computed ?? []) : []),
    ...table.virtual.filter(({ name }) => fixed.includes(name)).map((one) => one.expression),
    ...(operation.the === undefined ? [] : [operation.the]),
    ...(operation.guard === undefined ? [] : [operation.guard.if]),
    ...(operation.link?.values ?? []).map((one) => one.expression),
    ...(operation.answer.accepted?.if === undefined ? [] : [operation.answer.accepted.if]),
  ];
  const needed = new Set([
    "id",
    "state",
    ...(key === undefined ? [] : [key.column]),
    ...parents.slice(-1).map((parent) => parent.field),
    ...expressions.flatMap(fieldsRead),
    ...effectFields(effects),
    ...fixed,
  ]);
  return table.columns.map(({ name }) => name).filter((name) => needed.has(name));
}

/** The fields of the record at hand only; those of the records that are moved in turn belong to other tables. */
function effectFields(effects: readonly EffectPlan[]): readonly string[] {
  return effects.flatMap(({ field, payload, moves }) => {
    const guarded = moves.some((move) => move.if !== undefined || move.set.length > 0);
    return guarded ? [field, ...payload] : [field];
  });
}
