/** Plans the tables of resources: columns, unique sets, indexes, rules. */
import { plural, snakeCase } from "../../base/case.ts";
import { defined } from "../../base/defined.ts";
import { instantOfUnixTime } from "../../base/unix-time.ts";
import { isDeletable } from "../../language/endpoints/deletable.ts";
import { resourceEndpoints } from "../../language/endpoints/resolve.ts";
import { defaultValue } from "../../language/resources/default-value.ts";
import { deliveryResource } from "../../language/events/decide.ts";
import {
  bareType,
  fieldsOf,
  isNullable,
  isStored,
  lifecycleOf,
  lookup,
  referenceOf,
  unixUnitOf,
} from "../../language/resources/fields.ts";
import { fieldSchema, orNull } from "../../language/resources/json-schema.ts";
import { charactersOf, idForm } from "../../language/resources/id-form.ts";
import type { Model } from "../../language/model.ts";
import type { Field, FieldType } from "../../language/resources/model.ts";
import { furtherWriteSites } from "../../language/states/further-writes.ts";
import { transitionName } from "../../language/states/model.ts";
import { columnTypeOf, jsonTypeOfComputed } from "./columns.ts";
import { quotaIndexes } from "../limits/limits.ts";
import { emitsByState, triggered } from "../states/transitions.ts";
import { allowOf, visibility, visibleOf } from "../authentication/permissions.ts";
import type { Column, DefaultPlan, HeldReference, IdPlan, ReferencePlan, Table, Virtual } from "./types.ts";
import type { LifecyclePlan } from "../states/types.ts";
import { lateRules, ruleColumns, rulePlans } from "./rules.ts";
import { assert, equated, type PlanInput, typedAt, unique } from "../input.ts";
import { timedJobs } from "../states/timed.ts";
import { wakeColumns, wakePlans } from "../states/wakes.ts";

export function buildTables(planInput: PlanInput): readonly Table[] {
  return Object.keys(planInput.model.resources.resources).map((resource) => buildTable(planInput, resource));
}

function buildTable(planInput: PlanInput, resource: string): Table {
  const { model } = planInput;
  const fields = Object.entries(fieldsOf(model, resource));
  const lifecycle = lifecyclePlan(planInput, resource);
  const stored = fields
    .filter(([, field]) => isStored(field))
    .map(([name, field]) => column(planInput, resource, name, field));
  const [id, ...others] = stored.toSorted((a, b) => Number(b.name === "id") - Number(a.name === "id"));
  assert(id?.name === "id", `${resource} has no id`);
  const columns = [id, ...(lifecycle === undefined ? [] : [stateColumn(lifecycle)]), ...others];
  const uniques = uniqueSets(planInput, resource);
  const absentEqual = uniques.filter(
    (set) => set.absent === "equal" && columns.some(({ name, nullable }) => nullable && set.columns.includes(name)),
  );
  // Older versions have no timers, since only the newest version runs.
  const timed = planInput.older === true ? [] : timedJobs(planInput, resource);
  const late = lateRules(planInput, resource, columns);
  const wakes = wakePlans(planInput, resource);
  const existing = lookup(model.resources.tables ?? {}, resource);
  return {
    resource,
    name: snakeCase(plural(resource)),
    id: idPlan(planInput, resource),
    columns,
    virtual: fields
      .filter(([, field]) => !isStored(field))
      .map(([name, field]) => virtual(planInput, resource, name, field)),
    uniques: uniques.map((set) => set.columns),
    ...(absentEqual.length === 0 ? {} : { absentEqual: absentEqual.map((set) => set.columns) }),
    conflicts: uniques.flatMap((set) => (set.else === undefined ? [] : [{ columns: set.columns, else: set.else }])),
    indexes: indexes(planInput, resource, columns),
    rules: rulePlans(planInput, resource),
    ...(late.length === 0 ? {} : { lateRules: late }),
    ...(lifecycle === undefined ? {} : { lifecycle }),
    ...(wakes.length === 0 ? {} : { wakes }),
    ...(timed.length === 0 ? {} : { timed }),
    ...(existing === undefined ? {} : { existing: { name: existing.name, columns: existing.columns ?? {} } }),
  };
}

function idPlan({ model }: PlanInput, resource: string): IdPlan {
  const type = lookup(fieldsOf(model, resource), "id")?.type;
  assert(type?.kind === "id", `${resource} has no id`);
  if (type.made !== "server") return { made: type.made };
  // An `id` without a prefix has an empty one; an id of another type gets its value from the default.
  if (type.of !== undefined) return { made: "server" };
  const { alphabet, length } = idForm(type);
  const characters = charactersOf(alphabet) ?? "";
  return {
    made: "server",
    prefix: type.prefix ?? "",
    ...(type.length === undefined ? {} : { random: { length, characters } }),
  };
}

function column(planInput: PlanInput, resource: string, name: string, field: Field): Column {
  const { model } = planInput;
  const bare = bareType(field.type);
  const target = referenceOf(model, field.type);
  const made = defaultPlan(planInput, field);
  // Only the hash of a secret is stored, which is a text.
  const secret = field.marks.includes("secret");
  const unix = unixUnitOf(field.type);
  return {
    name,
    type: secret ? "text" : columnTypeOf(model, field.type),
    ...(unix === undefined || secret ? {} : { unix }),
    nullable: isNullable(field),
    absent: absence(field),
    ...(bare.kind === "one-of" && !bare.open && !secret ? { values: bare.values } : {}),
    ...(target === undefined ? {} : { references: referencePlan(target, field) }),
    ...holdsOf(planInput, field),
    ...(bare.kind === "file" ? { file: { maxBytes: bare.max, media: bare.media } } : {}),
    ...(field.computed === undefined ? {} : { computed: typedAt(planInput, `resources/${resource}/${name}/computed`) }),
    ...(made === undefined ? {} : { default: made }),
    marks: field.marks,
    ...(target !== undefined && field.marks.includes("expand") ? { expandableFor: visibleOf(planInput, target) } : {}),
    ...visibility(planInput, resource, name),
    schema: responseSchema(planInput, field),
  };
}

/** Returns where a value contains references; values that are hashed or computed need no check. */
function holdsOf({ model }: PlanInput, field: Field): Pick<Column, "holds"> {
  const isReference = referenceOf(model, field.type) !== undefined;
  if (isReference || field.computed !== undefined || field.marks.includes("secret")) return {};
  const holds = nestedReferences(model, field.type);
  return holds.length === 0 ? {} : { holds };
}

/**
 * Returns where references are inside a type. `around`: the enclosing embedded types; `nonet check` rejects a type inside
 * itself.
 */
function nestedReferences(
  model: Model,
  type: FieldType,
  path: readonly string[] = [],
  around: readonly string[] = [],
): readonly HeldReference[] {
  const bare = bareType(type);
  if (bare.kind === "list" || bare.kind === "map") return nestedReferences(model, bare.of, [...path, "*"], around);
  if (bare.kind !== "named" || around.includes(bare.name)) return [];
  const members = lookup(model.resources.types, bare.name);
  if (members === undefined) return [{ resource: bare.name, path }];
  const inside = [...around, bare.name];
  return Object.entries(members).flatMap(([name, { type: of }]) =>
    nestedReferences(model, of, [...path, name], inside),
  );
}

/** Returns the schema of the field's value in responses; it allows null only for `| null`. */
function responseSchema({ model }: PlanInput, field: Field): Column["schema"] {
  const schema = fieldSchema(model, { ...field, type: bareType(field.type) });
  return field.type.kind === "nullable" ? orNull(schema) : schema;
}

/** Returns how a record shows that the field has no value, or has the null that its JSON allows. */
export function absence({ optional, type }: Field): Column["absent"] {
  const isJson = type.kind === "schema" || (type.kind === "scalar" && type.name === "json");
  return type.kind === "nullable" || (isJson && !optional) ? "null" : "left out";
}

function referencePlan(resource: string, field: Field): ReferencePlan {
  const tree = field.marks.includes("tree") ? { tree: true as const } : {};
  return { resource, onDelete: onDelete(field), ...tree };
}

function onDelete({ marks }: Field): "refuse" | "delete" | "clear" {
  if (marks.includes("delete with")) return "delete";
  return marks.includes("clear") ? "clear" : "refuse";
}

function defaultPlan({ model }: PlanInput, field: Field): DefaultPlan | undefined {
  const { type } = field;
  // The server generates ids of type `uuid` without a declared default.
  const made = type.kind === "id" && type.made === "server" && type.of?.kind === "scalar" ? type.of.name : undefined;
  if (made === "uuid" && field.default === undefined) return { kind: "uuid" };
  if (field.default?.kind !== "literal") return field.default;
  const value = defaultValue(model, field);
  assert(value !== undefined, `\`${field.default.text}\` is no default of its field's type`);
  const unix = unixUnitOf(type);
  if (unix === undefined || value === null) return { ...field.default, value };
  return { ...field.default, value: defined(instantOfUnixTime(value, unix), "the moment of a default") };
}

function stateColumn({ states, start }: LifecyclePlan): Column {
  return {
    name: "state",
    type: "text",
    nullable: false,
    absent: "left out",
    values: states,
    default: { kind: "literal", text: start, value: start },
    marks: ["read-only", "filter"],
    schema: { type: "string", enum: states },
  };
}

function virtual(planInput: PlanInput, resource: string, name: string, field: Field): Virtual {
  const expression = typedAt(planInput, `resources/${resource}/${name}/computed`);
  return {
    name,
    type: jsonTypeOfComputed(planInput.model, field.type, expression),
    absent: absence(field),
    expression,
    ...visibility(planInput, resource, name),
    schema: responseSchema(planInput, field),
  };
}

function lifecyclePlan(planInput: PlanInput, resource: string): LifecyclePlan | undefined {
  const lifecycle = lifecycleOf(planInput.model, resource);
  if (lifecycle === undefined) return undefined;
  const states = Object.keys(lifecycle.states);
  const start = lifecycle.start ?? states[0];
  assert(start !== undefined, `${resource} has states and none to start in`);
  return { states, start, final: lifecycle.final ?? [], emits: emitsByState(planInput, resource) };
}

interface UniqueSet {
  readonly columns: readonly string[];
  readonly absent?: "equal";
  readonly else?: string;
}

function uniqueSets({ model }: PlanInput, resource: string): readonly UniqueSet[] {
  const declaredSets = Object.entries(fieldsOf(model, resource))
    .filter(([name, field]) => name !== "id" && field.marks.includes("unique"))
    .map(([name]): UniqueSet => ({ columns: [name] }));
  const counted = Object.entries(fieldsOf(model, resource)).flatMap(([name, { default: made }]): UniqueSet[] =>
    made?.kind === "counter-per" ? [{ columns: [made.per, name] }] : [],
  );
  const ruled = (lookup(model.resources.rules, resource) ?? []).flatMap((rule): UniqueSet[] => {
    if (rule.kind !== "unique") return [];
    const { absent, else: code, fields: columns } = rule;
    // Two rules over the same fields are merged into one set.
    return [{ columns, ...(absent === "equal" ? { absent } : {}), ...(code === undefined ? {} : { else: code }) }];
  });
  const sets = new Map<string, UniqueSet>();
  for (const set of [...declaredSets, ...counted, ...ruled])
    sets.set(set.columns.join(), { ...sets.get(set.columns.join()), ...set });
  return [...sets.values()];
}

/**
 * Returns the indexes of a table, so that every possible query has one (R8.8): each filter and sort; the columns that
 * `choose`, `where` and permissions compare with one value; such a permission combined with each sort; the columns that quotas
 * count and rules look up; references by which lists depend on a parent, or that a deletion follows. A unique column already
 * has an index; other columns get none, because each index slows down writes.
 */
function indexes(planInput: PlanInput, resource: string, columns: readonly Column[]): readonly (readonly string[])[] {
  const uniques = uniqueSets(planInput, resource).flatMap((set) => (set.columns.length === 1 ? set.columns : []));
  const named = columns.map(({ name }) => name).filter((name) => name !== "id" && !uniques.includes(name));
  const parents = new Set(
    resourceEndpoints(planInput.model, resource).map((endpoint) => endpoint.parents.at(-1)?.field),
  );
  const pathFields = new Set(
    resourceEndpoints(planInput.model, resource).flatMap((endpoint) =>
      (endpoint.pathFields ?? []).map(({ column }) => column),
    ),
  );
  const orders = resourceEndpoints(planInput.model, resource).flatMap(({ action, endpoint }) =>
    action === "list" ? (endpoint.order ?? []).slice(0, 1).map(({ field }) => field) : [],
  );
  const isSorted = ({ marks, name, type }: Column) =>
    type !== "json" && (marks.includes("sort") || orders.includes(name));
  const sorts = columns.filter(isSorted).map(({ name }) => name);
  const queried = named.filter((name) => {
    const one = columns.find((column) => column.name === name) as Column;
    const { marks, references, type } = one;
    if ((type !== "json" && marks.includes("filter")) || isSorted(one) || pathFields.has(name)) return true;
    return references !== undefined && (parents.has(name) || isDeletable(planInput.model, references.resource));
  });
  const conditions = conditionSets(planInput, resource).map((set) => set.filter((name) => named.includes(name)));
  const permitted = permissionSets(planInput, resource).map((set) => set.filter((name) => named.includes(name)));
  const sorted = permitted.flatMap((set) => sorts.filter((name) => !set.includes(name)).map((name) => [...set, name]));
  const counted = quotaIndexes(planInput, resource);
  const read = [...ruleColumns(planInput, resource), ...wakeColumns(planInput, resource)];
  const ruled = read.filter((name) => {
    return named.includes(name) && columns.find((one) => one.name === name)?.type !== "json";
  });
  const sent = resource === deliveryResource ? deliveryIndexes : [];
  const single = [...queried, ...ruled].map((name) => [name]);
  const sets = [...sent, ...single, ...permitted, ...sorted, ...conditions, ...counted].filter((set) => set.length > 0);
  return unique(sets.map((set) => JSON.stringify(set))).map((text) => JSON.parse(text) as string[]);
}

/** The indexes for the queries over deliveries in `WebhookPlan`. */
const deliveryIndexes = [
  ["webhook", "state", "nextAttemptAt"],
  ["record", "webhook", "state"],
];

function permissionSets(planInput: PlanInput, resource: string): readonly (readonly string[])[] {
  const lists = resourceEndpoints(planInput.model, resource).filter(({ action }) => action === "list");
  return lists.flatMap(({ operation }) =>
    allowOf(planInput, operation).flatMap((grant) => (grant.if === undefined ? [] : [equated(grant.if)])),
  );
}

function conditionSets(planInput: PlanInput, resource: string): readonly (readonly string[])[] {
  return [...conditionsOfEndpoints(planInput, resource), ...conditionsOfWrites(planInput, resource)];
}

/** Returns the fields by which further writes and transitions by `when` select records. */
function conditionsOfWrites(planInput: PlanInput, resource: string): readonly (readonly string[])[] {
  const { model } = planInput;
  const further = furtherWriteSites(model).flatMap(({ at, write }) =>
    write.resource === resource && write.where !== undefined ? [equated(typedAt(planInput, `${at}/where`))] : [],
  );
  const caused = triggered(planInput, resource).flatMap(({ index, transition, trigger }) => {
    if (trigger.where === undefined) return [];
    const path = `states/${resource}/moves/${transitionName(transition)}/${index}/where`;
    return [["state", ...equated(typedAt(planInput, path))]];
  });
  return [...further, ...caused].filter((set) => !set.includes("id"));
}

function conditionsOfEndpoints(planInput: PlanInput, resource: string): readonly (readonly string[])[] {
  return resourceEndpoints(planInput.model).flatMap(({ operation, endpoint, resource: subject }) => {
    const path = `endpoints/endpoints/${operation}`;
    const choices = Object.entries(endpoint.choose ?? {}).flatMap(([field, choice]) => {
      if (choice.from !== resource || choice.if === undefined) return [];
      return [equated(typedAt(planInput, `${path}/choose/${field}/if`))];
    });
    const lists =
      subject === resource && endpoint.where !== undefined ? [equated(typedAt(planInput, `${path}/where`))] : [];
    const single =
      subject === resource && endpoint.the !== undefined ? [equated(typedAt(planInput, `${path}/the`))] : [];
    const link = endpoint.link ?? endpoint.unlink;
    const linked = link?.in === resource ? [Object.keys(link.with)] : [];
    return [...choices, ...lists, ...single, ...linked];
  });
}

export const noTable: Table = {
  resource: "",
  name: "",
  id: { made: "client" },
  columns: [],
  virtual: [],
  uniques: [],
  conflicts: [],
  indexes: [],
  rules: [],
};
