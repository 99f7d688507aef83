/**
 * Finds the resources of a description: groups of operations on a collection and its records whose bodies and answers lie within
 * one record. Such operations become actions of the language; each of the others stays a handler, with a reason.
 */
import { camelCase, kebabCase, pascalCase, plural, singular, snakeCase, uniqueName } from "../../base/case.ts";
import type { Json } from "../../base/json.ts";
import type { Endpoint } from "../../language/endpoints/model.ts";
import { resolveEndpoint } from "../../language/endpoints/resolve.ts";
import type { Model } from "../../language/model.ts";
import type { Resource, Rule, ViewDefinition } from "../../language/resources/model.ts";
import { answerOf, bodyOf, isReason, itemsIn, omissionsOf, type Reason, recordIn, schemaOf } from "./answers.ts";
import {
  type Action,
  actionsOfAll,
  actionsOfOne,
  type Context,
  type Declaration,
  declare,
  parentPathOf,
} from "./declare.ts";
import { withModifiers } from "./fields.ts";
import { type ContractOperation, type Group, groupsOf } from "./groups.ts";
import { keyOf, type ParentRecord, type RecordDraft, recordOf, type RecordShapes } from "./record.ts";
import { type NamedSchemas, plainSchema, type Shape, shapeOf, typesOf } from "./schema.ts";

export interface ImportedResources {
  readonly resources: Readonly<Record<string, Resource>>;
  readonly rules: Readonly<Record<string, readonly Rule[]>>;
  readonly views: Readonly<Record<string, ViewDefinition>>;
  /** The declared endpoints, by name of their operation. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** Why each other operation stays a handler, by its name. */
  readonly reasons: ReadonlyMap<string, Reason>;
  /** What the import guessed, and what answers leave out, by the pointer of the operation. */
  readonly notices: readonly {
    readonly kind: "empty" | "guessed" | "lost" | "hint";
    readonly pointer: string;
    readonly what: string;
    readonly detail: string;
  }[];
  /** Whether clients may send forms, and members that no operation takes. */
  readonly requests: { readonly form: boolean; readonly open: boolean };
}

/** `credentials`: the names of header fields, cookies and parameters in which clients send credentials, in lower case. */
export function resourcesOf(
  operations: readonly ContractOperation[],
  named: NamedSchemas,
  credentials: ReadonlySet<string>,
): ImportedResources {
  const all = groupsOf(operations);
  const inputs = { named, credentials, avoided: new Set<string>() };
  for (;;) {
    const created = declaredGroups(all, { groups: [], reasons: new Map() }, { ...inputs, isCreated: true });
    const found = created && declaredGroups(all, created, { ...inputs, isCreated: false });
    if (found !== undefined) return together(operations, found.groups, found.reasons);
  }
}

interface DeclaredGroups {
  readonly groups: readonly DeclaredGroup[];
  readonly reasons: Map<string, Reason>;
}

/**
 * Declares the groups of which an action creates records, or adds to these the groups whose records come from elsewhere. A
 * group that the language would read otherwise is left out. Undefined, with more names in `avoided`, if only names of resources
 * are the reason.
 */
function declaredGroups(
  all: readonly Group[],
  before: DeclaredGroups,
  grouping: Pick<Grouping, "named" | "credentials" | "isCreated"> & { readonly avoided: Set<string> },
): DeclaredGroups | undefined {
  const misread = new Set<string>();
  for (;;) {
    const reasons = new Map(before.reasons);
    const names = createNames(grouping.named, before.groups, grouping.avoided);
    const byRecordPath = new Map(before.groups.map((one) => [one.recordPath.written, one]));
    for (const group of all) {
      if (byRecordPath.has(recordPathOf(group))) continue;
      const declared = declaredGroup(group, { ...grouping, names, reasons, byRecordPath, misread });
      if (declared !== undefined) byRecordPath.set(declared.recordPath.written, declared);
    }
    const groups = [...byRecordPath.values()];
    const found = groups.filter((one) => isMisread(one, groups));
    if (found.length === 0) return { groups, reasons };
    const misleading = found.flatMap((one) => namesIn(one, groups)).filter((name) => !grouping.avoided.has(name));
    for (const name of misleading) grouping.avoided.add(name);
    if (misleading.length > 0) return undefined;
    const [added, others] = [true, false].map((isAdded) =>
      found.filter((one) => before.groups.includes(one) !== isAdded),
    );
    const cause =
      (others ?? []).length > 0
        ? groups.filter((one) => !before.groups.includes(one) && disturbs(one, before.groups))
        : [];
    for (const { recordPath } of [...(added ?? []), ...cause]) misread.add(recordPath.written);
  }
}

/** Returns the names of other resources whose collections are in the paths of a group: the language would find them there. */
function namesIn(
  { ancestors, declarations, name }: DeclaredGroup,
  groups: readonly DeclaredGroup[],
): readonly string[] {
  const segments = new Set([...declarations.values()].flatMap(({ endpoint }) => endpoint.path.split("/")));
  return groups.flatMap((one) => {
    const isFound = [kebabCase, snakeCase, camelCase].some((write) => segments.has(write(plural(one.name))));
    return isFound && one.name !== name && !ancestors.includes(one.name) ? [one.name] : [];
  });
}

/** Whether a document with one more group would read a path of the groups before it otherwise. */
function disturbs(group: DeclaredGroup, before: readonly DeclaredGroup[]): boolean {
  return before.some((one) => isMisread(one, [...before, group]));
}

function together(
  operations: readonly ContractOperation[],
  groups: readonly DeclaredGroup[],
  reasons: Map<string, Reason>,
): ImportedResources {
  const declarations = groups.flatMap((one) => [...one.declarations]);
  for (const [{ name }] of declarations) reasons.delete(name);
  const endpoints = new Map(declarations.map(([{ name }, { endpoint }]) => [name, endpoint]));
  for (const { name } of operations)
    if (!endpoints.has(name) && !reasons.has(name))
      reasons.set(name, { what: "its path is neither a collection nor a record of one" });
  return {
    ...resourcesIn(groups),
    views: Object.assign({}, ...groups.map(({ views }) => views)) as Record<string, ViewDefinition>,
    endpoints,
    reasons,
    notices: groups.flatMap((group) => [...group.notices, ...transitionHints(group, operations)]),
    requests: {
      form: declarations.some(([, { form }]) => form),
      open: declarations.some(([, { open }]) => open),
    },
  };
}

/** Proposes transitions: a status of several values, and operations at a path below one record (`POST /orders/{id}/cancel`). */
function transitionHints(
  { name, recordPath, resource }: DeclaredGroup,
  operations: readonly ContractOperation[],
): ImportedResources["notices"] {
  const statuses = Object.entries(resource.fields).flatMap(([field, { type }]) =>
    type.kind === "one-of" && /^(?:.*_)?(?:status|state)$|S(?:tatus|tate)$/.test(field)
      ? [`${name}.${field} (${type.values.join(" | ")})`]
      : [],
  );
  const isBelow = new RegExp(`^${RegExp.escape(recordPath.written)}/[^/{}]+/?$`);
  const below = operations.filter(({ endpoint }) => endpoint.method !== "GET" && isBelow.test(endpoint.path));
  return statuses.flatMap((status) =>
    below.map(({ endpoint, name: operation, pointer }) => ({
      kind: "hint" as const,
      pointer,
      what: "what looks like a transition: a status, and an operation below one record",
      detail: `${status} by ${operation}, ${endpoint.method} ${endpoint.path}`,
    })),
  );
}

function resourcesIn(groups: readonly DeclaredGroup[]): Pick<ImportedResources, "resources" | "rules"> {
  return {
    resources: Object.fromEntries(groups.map(({ name, resource }) => [name, resource])),
    rules: Object.fromEntries(groups.flatMap(({ name, rules }) => (rules.length === 0 ? [] : [[name, rules]]))),
  };
}

/** Whether the language reads a path of the group otherwise: it finds the resources of a path by its segments and parameters. */
function isMisread(
  { ancestors, declarations, name, pathFields }: DeclaredGroup,
  groups: readonly DeclaredGroup[],
): boolean {
  const endpoints = Object.fromEntries([...declarations].map(([one, { endpoint }]) => [one.name, endpoint]));
  const resources = { ...resourcesIn(groups), types: {} };
  const model = {
    resources,
    endpoints: { endpoints },
    states: {},
    authentication: { credentials: {} },
  } as unknown as Model;
  return Object.keys(endpoints).some((operation) => {
    const resolved = resolveEndpoint(model, operation);
    if (resolved?.kind !== "resource" || resolved.resource !== name) return true;
    const found = (resolved.key?.before ?? resolved.pathFields ?? []).map(({ column }) => column);
    if (found.join(" ") !== pathFields.join(" ")) return true;
    return resolved.parents.map(({ resource }) => resource).join(" ") !== ancestors.join(" ");
  });
}

interface DeclaredGroup {
  readonly name: string;
  readonly resource: Resource;
  readonly rules: readonly Rule[];
  /** The resources of the parents in the path, outermost first. */
  readonly ancestors: readonly string[];
  /** The fields that the parameters before its collection mean. */
  readonly pathFields: readonly string[];
  /** The path of one record in the source, and in the document; of a collection without records its own path. */
  readonly recordPath: { readonly written: string; readonly declared: string };
  /** What a record below it needs to know. */
  readonly parent: ParentRecord | undefined;
  readonly views: Readonly<Record<string, ViewDefinition>>;
  readonly declarations: ReadonlyMap<ContractOperation, Declaration>;
  readonly notices: ImportedResources["notices"];
}

interface Names {
  resource(wanted: string, fallback: string, longer: readonly string[]): string;
  view(wanted: string): string;
}

function createNames(named: NamedSchemas, before: readonly DeclaredGroup[], avoided: ReadonlySet<string>): Names {
  const used = new Set(before.map(({ name }) => name));
  const tables = new Set([...used].map(tableOf));
  const views = new Set([...Object.keys(named), ...used, ...before.flatMap((one) => Object.keys(one.views))]);
  return {
    resource(wanted, fallback, longer) {
      const candidates = [
        wanted,
        fallback,
        ...longer,
        ...Array.from({ length: 99 }, (_, index) => `${fallback}${index + 2}`),
      ];
      const name =
        candidates.find((one) => !tables.has(tableOf(one)) && !used.has(one) && !avoided.has(one)) ?? fallback;
      tables.add(tableOf(name));
      used.add(name);
      views.add(name);
      return name;
    },
    view: (wanted) => uniqueName(views, wanted),
  };
}

/** Returns names of a resource from the segments of its path, the shortest first: `Secret`, `ActionSecret`, `OrgActionSecret`. */
function namesOf(collection: string): readonly string[] {
  const words = collection
    .split("/")
    .flatMap((segment) => (segment.startsWith("{") ? [] : [pascalCase(singular(segment))]));
  return words
    .map((_, index) => words.slice(words.length - 1 - index).join(""))
    .map((name) => (/^[A-Z]/.test(name) ? name : `R${name}`));
}

/** Two resources cannot share a table. */
function tableOf(name: string): string {
  return snakeCase(plural(name)).toLowerCase();
}

interface Grouping {
  /** Whether an action has to create the records. Else none does. */
  readonly isCreated: boolean;
  readonly named: NamedSchemas;
  readonly credentials: ReadonlySet<string>;
  readonly names: Names;
  readonly reasons: Map<string, Reason>;
  /** The groups before, by the paths of their records in the source. */
  readonly byRecordPath: ReadonlyMap<string, DeclaredGroup>;
  /** The paths, as those of `byRecordPath`, that the language would read otherwise. */
  readonly misread: ReadonlySet<string>;
}

/** Declares the operations of a group; undefined, with reasons, if Nonet could store none of its records. */
function declaredGroup(
  group: Group,
  { byRecordPath, credentials, isCreated, misread, named, names, reasons }: Grouping,
): DeclaredGroup | undefined {
  const segment = group.collection.slice(group.collection.lastIndexOf("/") + 1);
  const create = creationOf(group);
  // A creation that stays a handler keeps its reason.
  const members = membersOf(group).filter(([one]) => isCreated || one !== create);
  const rejectAll = (reason: Reason, cause?: ContractOperation): undefined => {
    for (const [{ name }] of members) if (name !== cause?.name) reasons.set(name, reason);
  };
  if (isCreated && create === undefined) {
    for (const [{ name }] of members)
      reasons.set(name, reasons.get(name) ?? { what: "no operation creates its records" });
    return undefined;
  }
  // Without the path of a record, an answer may be computed: a search, statistics.
  if (members[0] === undefined || (!isCreated && group.parameter === undefined)) return undefined;
  if (!isCreated && !isStored(group, segment, named))
    return create === undefined ? rejectAll({ what: "no operation creates, lists or changes its records" }) : undefined;
  const [[first]] = members;
  const written = recordPathOf(group);
  if (misread.has(written)) return rejectAll({ what: "a document would read its path otherwise", detail: written });
  if (hasSeveralKeys(group, named))
    return rejectAll({ what: "its path names a record in several ways", detail: group.parameter ?? "" });
  const above = group.parent === undefined ? undefined : byRecordPath.get(group.parent);
  const pathFields = above === undefined ? parametersIn(group.collection, first) : [];
  const shapes = shapesOf(group, named, segment, isCreated);
  const record = recordOf(
    {
      ...shapes,
      segment,
      pathFields,
      ...(group.parameter === undefined ? {} : { parameter: group.parameter }),
      ...(above?.parent === undefined ? {} : { parent: above.parent }),
    },
    named,
  );
  if (isReason(record)) return rejectAll(record);
  const views: Record<string, ViewDefinition> = {};
  const [fallback = "Record", ...longer] = namesOf(group.collection);
  const resource = names.resource((shapes.answers[0] ?? shapes.create)?.name ?? fallback, fallback, longer);
  const context: Context = {
    resource,
    record,
    named,
    segment,
    creation: create,
    credentials,
    ...(above === undefined ? {} : { parentPath: above.recordPath }),
    ...(group.parameter === undefined ? {} : { parameter: group.parameter }),
    view(definition) {
      const same = Object.entries(views).find(([, one]) => JSON.stringify(one) === JSON.stringify(definition));
      const name = same?.[0] ?? names.view(`${resource}View`);
      views[name] = definition;
      return name;
    },
  };
  const declarations = new Map<ContractOperation, Declaration>();
  for (const [operation, action] of members) {
    const declared = action === undefined ? undeclared(operation) : declare(operation, action, context);
    if (isReason(declared)) reasons.set(operation.name, declared);
    else declarations.set(operation, declared);
  }
  if (isCreated && create !== undefined && !declarations.has(create))
    return rejectAll({ what: "the creation of its records stays a handler", detail: create.name }, create);
  if (![...declarations.values()].some(({ endpoint }) => endpoint.method === "GET")) {
    for (const { name } of declarations.keys()) reasons.set(name, { what: "no operation reads its records" });
    return undefined;
  }
  const text = JSON.stringify([...declarations.values()].map(({ endpoint }) => endpoint));
  return {
    name: resource,
    resource: { fields: filteredFields(record, [...declarations.values()]) },
    rules: record.rules,
    ancestors: above === undefined ? [] : [...above.ancestors, above.name],
    pathFields: record.pathFields.map(({ field }) => field),
    recordPath: { written, declared: parentPathOf(written, context) },
    parent:
      group.parameter === undefined
        ? undefined
        : {
            resource,
            parameter: group.parameter,
            ...(record.key === "id" && record.schemas["id"] !== undefined ? { id: record.schemas["id"] } : {}),
          },
    views: Object.fromEntries(
      Object.entries(views).filter(([name]) => text.includes(`"${name}"`) || text.includes(`"${name}[]"`)),
    ),
    declarations,
    notices: noticesOf(declarations, record, resource, create),
  };
}

/** Whether the parameter of a record may have values of several kinds, such as a number or the name of a file. */
function hasSeveralKeys({ ofOne, parameter = "" }: Group, named: NamedSchemas): boolean {
  return Object.values(ofOne).some(({ wire }) => {
    const declared = wire.path?.[parameter];
    const { anyOf, oneOf, type } = declared === undefined ? {} : plainSchema(schemaOf(declared.type), named);
    return anyOf !== undefined || oneOf !== undefined || typesOf(type).length > 1;
  });
}

/** Returns the parameters of a path with their schemas. */
function parametersIn(path: string, { wire }: ContractOperation): RecordShapes["pathFields"] {
  return [...path.matchAll(/([^/{}]*)\/\{([^{}]+)\}/g)].map(([, above = "", parameter = ""]) => {
    const declared = wire.path?.[parameter];
    return { parameter, above, schema: declared === undefined ? { type: "string" } : schemaOf(declared.type) };
  });
}

/**
 * Whether the source shows that a service stores the records: by a list of them, or by changes or deletions. The answer of a read
 * alone may be computed.
 */
function isStored({ ofAll, ofOne, parameter = "" }: Group, segment: string, named: NamedSchemas): boolean {
  const schema = ofAll.GET && answerSchema(ofAll.GET);
  const listed = schema === undefined ? undefined : itemsIn(schema, named);
  const item = listed && shapeOf(listed.item, named);
  const isListed = item !== undefined && keyOf(item, parameter, segment) !== undefined;
  return isListed || [ofOne.PATCH, ofOne.PUT, ofOne.DELETE].some((one) => one !== undefined);
}

function recordPathOf({ collection, parameter }: Group): string {
  return parameter === undefined ? collection : `${collection}/{${parameter}}`;
}

/** Returns the creation of a group's records: a `POST` of the collection, else a `PUT` of a record that need not exist. */
function creationOf({ collection, ofAll, ofOne: { PUT: put } }: Group): ContractOperation | undefined {
  if (ofAll.POST !== undefined) return ofAll.POST;
  // Without another parameter in the path, only the record itself can be missing.
  const { answers = {} } = put?.wire ?? {};
  const isChange = !collection.includes("{") && Object.hasOwn(answers, "404") && !Object.hasOwn(answers, "201");
  return isChange ? undefined : put;
}

/** Returns the operations of a group with their actions; undefined for a method that no action has. */
function membersOf({ ofAll, ofOne, parts }: Group): readonly (readonly [ContractOperation, Action | undefined])[] {
  const sited = (methods: Group["ofAll"], actions: typeof actionsOfAll) =>
    Object.values(methods).map((one) => [one, actions[one.endpoint.method]] as const);
  return [...sited(ofAll, actionsOfAll), ...sited(ofOne, actionsOfOne), ...parts.map((one) => [one, "part"] as const)];
}

function undeclared({ endpoint: { method, path } }: ContractOperation): Reason {
  return { what: "no action of Nonet has its method at its path", detail: `${method} ${path}` };
}

function filteredFields({ fields }: RecordDraft, declarations: readonly Declaration[]): Resource["fields"] {
  const [filtered, sorted] = (["filters", "sorts"] as const).map(
    (key) => new Set(declarations.flatMap((one) => one[key])),
  );
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      withModifiers(
        field,
        ...(filtered?.has(name) ? (["filter"] as const) : []),
        ...(sorted?.has(name) ? (["sort"] as const) : []),
      ),
    ]),
  );
}

function noticesOf(
  declarations: DeclaredGroup["declarations"],
  record: RecordDraft,
  resource: string,
  create: ContractOperation | undefined,
): ImportedResources["notices"] {
  const above = record.pathFields.map(({ parameter }) => `{${parameter}}`).join(", ");
  const [first] = declarations.keys();
  const { pointer: about = "/paths" } = first ?? {};
  const origin =
    create === undefined
      ? "no operation creates its records: a function does, or the data has them"
      : "the creation of its records stays a handler: they exist when it has a function";
  return [
    ...(record.isCreated
      ? []
      : [{ kind: "empty" as const, pointer: create?.pointer ?? about, what: origin, detail: resource }]),
    ...(above === ""
      ? []
      : [
          {
            kind: "guessed" as const,
            pointer: about,
            what: "that what a path names before a collection exists: no operation creates it",
            detail: `${resource}: ${above}`,
          },
        ]),
    ...record.guesses.map(({ what, detail }) => ({
      kind: "guessed" as const,
      pointer: about,
      what,
      detail: `${resource}.${detail}`,
    })),
    ...[...declarations].flatMap(([{ endpoint, name, pointer, wire }, { guesses, ignored, omitted }]) => [
      ...omissionsOf(wire, endpoint.method).map(({ what, detail }) => ({
        kind: "lost" as const,
        pointer,
        what,
        detail: `${name}: ${detail}`,
      })),
      ...ignored.map((parameter) => ({
        kind: "lost" as const,
        pointer,
        what: "the effect of a parameter that shapes answers",
        detail: `${name}: ${parameter}`,
      })),
      ...guesses.map((what) => ({ kind: "guessed" as const, pointer, what, detail: name })),
      ...omitted.map((member) => ({
        kind: "lost" as const,
        pointer,
        what: "an optional member of an answer that no request sets",
        detail: `${name}: ${member}`,
      })),
    ]),
  ];
}

/** Returns the objects in the bodies and answers of a group. */
function shapesOf(
  group: Group,
  named: NamedSchemas,
  segment: string,
  isCreated: boolean,
): Pick<RecordShapes, "answers" | "changes" | "create" | "isCreated" | "isUpsert"> {
  const { ofAll, parameter } = group;
  const creation = creationOf(group);
  const ofOne = isCreated || creation !== group.ofOne.PUT ? group.ofOne : { ...group.ofOne, PUT: undefined };
  const isRecord = (shape: Shape) =>
    parameter === undefined ? shape.members.has("id") : keyOf(shape, parameter, segment) !== undefined;
  const answered = (operation: ContractOperation | undefined): readonly Shape[] => {
    const schema = operation && answerSchema(operation);
    const shape = schema === undefined ? undefined : recordIn(schema, named, isRecord)?.shape;
    return shape === undefined ? [] : [shape];
  };
  const schema = ofAll.GET && answerSchema(ofAll.GET);
  const listed = schema === undefined ? undefined : itemsIn(schema, named);
  const item = listed && shapeOf(listed.item, named);
  const answers = [
    ...answered(ofOne.GET),
    ...answered(isCreated ? ofAll.POST : undefined),
    ...(item === undefined || !isRecord(item) ? [] : [item]),
    ...[ofOne.PATCH, ofOne.POST, ofOne.PUT].flatMap(answered),
  ];
  const sent = (operation: ContractOperation | undefined): readonly Shape[] => {
    const body = operation && bodyOf(operation.wire);
    if (body === undefined || isReason(body)) return [];
    const shape = shapeOf(body.schema, named);
    const [only, ...more] = shape?.members.values() ?? [];
    const inner = only === undefined || more.length > 0 ? undefined : shapeOf(only.schema, named);
    const isWrapped =
      inner !== undefined && [...(answers[0]?.members.keys() ?? [])].some((name) => inner.members.has(name));
    return isWrapped ? [inner] : shape === undefined ? [] : [shape];
  };
  const [create] = isCreated ? sent(creation) : [];
  const changes = [ofOne.PATCH, ofOne.POST, ofOne.PUT].flatMap(sent);
  return {
    ...(create === undefined ? {} : { create }),
    isCreated,
    isUpsert: isCreated && ofAll.POST === undefined,
    changes,
    answers,
  };
}

function answerSchema({ endpoint, wire }: ContractOperation): Json | undefined {
  const answer = answerOf(wire, endpoint.method);
  return isReason(answer) || answer.kind !== "value" ? undefined : answer.schema;
}
