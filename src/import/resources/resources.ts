/**
 * Finds the resources of a description: groups of operations on a collection and its records whose bodies and answers lie within
 * one record. Such operations become actions of the language; each of the others stays a handler, with a reason.
 */
import { pascalCase, plural, snakeCase, uniqueName } from "../../base/case.ts";
import type { Json } from "../../base/json.ts";
import type { Endpoint } from "../../language/endpoints/model.ts";
import { resolveEndpoint } from "../../language/endpoints/resolve.ts";
import type { Model } from "../../language/model.ts";
import type { Resource, Rule, ViewDefinition } from "../../language/resources/model.ts";
import { answerOf, bodyOf, isReason, itemsIn, omissionsOf, type Reason, recordIn, schemaOf } from "./answers.ts";
import { type Action, actionsOfAll, actionsOfOne, type Context, type Declaration, declare, pathOf } from "./declare.ts";
import { withModifiers } from "./fields.ts";
import { type ContractOperation, type Group, groupsOf } from "./groups.ts";
import { keyOf, type ParentRecord, type RecordDraft, recordOf, type RecordShapes } from "./record.ts";
import { type NamedSchemas, type Shape, shapeOf } from "./schema.ts";

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
    readonly kind: "guessed" | "lost" | "hint";
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
  const misread = new Set<string>();
  for (;;) {
    const reasons = new Map<string, Reason>();
    const names = createNames(named);
    const byRecordPath = new Map<string, DeclaredGroup>();
    for (const group of all) {
      const declared = declaredGroup(group, { named, credentials, names, reasons, byRecordPath, misread });
      if (declared !== undefined) byRecordPath.set(declared.recordPath.written, declared);
    }
    const groups = [...byRecordPath.values()];
    const found = groups.filter((group) => isMisread(group, groups));
    if (found.length === 0) return together(operations, groups, reasons);
    for (const { recordPath } of found) misread.add(recordPath.written);
  }
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
  resource(wanted: string, fallback: string): string;
  view(wanted: string): string;
}

function createNames(named: NamedSchemas): Names {
  const tables = new Set<string>();
  const used = new Set<string>();
  const views = new Set<string>(Object.keys(named));
  return {
    resource(wanted, fallback) {
      const candidates = [wanted, fallback, ...Array.from({ length: 99 }, (_, index) => `${fallback}${index + 2}`)];
      const name = candidates.find((one) => !tables.has(tableOf(one)) && !used.has(one)) ?? fallback;
      tables.add(tableOf(name));
      used.add(name);
      views.add(name);
      return name;
    },
    view: (wanted) => uniqueName(views, wanted),
  };
}

/** Two resources cannot share a table. */
function tableOf(name: string): string {
  return snakeCase(plural(name)).toLowerCase();
}

interface Grouping {
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
  { byRecordPath, credentials, misread, named, names, reasons }: Grouping,
): DeclaredGroup | undefined {
  const segment = group.collection.slice(group.collection.lastIndexOf("/") + 1);
  const members = membersOf(group);
  /** Without a creation the other operations have no records, whatever else is unclear about them. */
  const rejectAll = (reason: Reason, cause?: ContractOperation): undefined => {
    for (const [{ name }] of members) if (name !== cause?.name) reasons.set(name, reason);
  };
  const create = creationOf(group);
  if (create === undefined) {
    for (const [{ name }] of members)
      reasons.set(name, reasons.get(name) ?? { what: "no operation creates its records" });
    return undefined;
  }
  const written = group.parameter === undefined ? group.collection : `${group.collection}/{${group.parameter}}`;
  if (misread.has(written)) return rejectAll({ what: "a document would read its path otherwise", detail: written });
  const above = group.parent === undefined ? undefined : byRecordPath.get(group.parent);
  const pathFields = above === undefined ? parametersIn(group.collection, create) : [];
  const shapes = shapesOf(group, named, segment);
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
  const wanted = pascalCase(segment.replace(/ies$/, "y").replace(/([^s])s$/, "$1")) || "Record";
  const fallback = /^[A-Z]/.test(wanted) ? wanted : `R${wanted}`;
  const resource = names.resource((shapes.answers[0] ?? shapes.create)?.name ?? fallback, fallback);
  const context: Context = {
    resource,
    record,
    named,
    segment,
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
  if (!declarations.has(create))
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
    recordPath: { written, declared: pathOf(written, context) },
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

/** Returns the parameters of a path with their schemas. */
function parametersIn(path: string, { wire }: ContractOperation): RecordShapes["pathFields"] {
  return [...path.matchAll(/([^/{}]*)\/\{([^{}]+)\}/g)].map(([, above = "", parameter = ""]) => {
    const declared = wire.path?.[parameter];
    return { parameter, above, schema: declared === undefined ? { type: "string" } : schemaOf(declared.type) };
  });
}

/** Returns the creation of a group's records: a `POST` of the collection, else a `PUT` of a record. */
function creationOf({ ofAll, ofOne }: Group): ContractOperation | undefined {
  return ofAll.POST ?? ofOne.PUT;
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
  create: ContractOperation,
): ImportedResources["notices"] {
  const above = record.pathFields.map(({ parameter }) => `{${parameter}}`).join(", ");
  return [
    ...(above === ""
      ? []
      : [
          {
            kind: "guessed" as const,
            pointer: create.pointer,
            what: "that what a path names before a collection exists: no operation creates it",
            detail: `${resource}: ${above}`,
          },
        ]),
    ...record.guesses.map(({ what, detail }) => ({
      kind: "guessed" as const,
      pointer: create.pointer,
      what,
      detail: `${resource}.${detail}`,
    })),
    ...[...declarations].flatMap(([{ name, pointer, wire }, { guesses, ignored, omitted }]) => [
      ...omissionsOf(wire).map(({ what, detail }) => ({
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
): Pick<RecordShapes, "answers" | "changes" | "create" | "isUpsert"> {
  const { ofAll, ofOne, parameter } = group;
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
    ...answered(ofAll.POST),
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
  const [create] = sent(creationOf(group));
  const changes = [ofOne.PATCH, ofOne.POST, ofOne.PUT].flatMap(sent);
  return { ...(create === undefined ? {} : { create }), isUpsert: ofAll.POST === undefined, changes, answers };
}

function answerSchema({ wire }: ContractOperation): Json | undefined {
  const answer = answerOf(wire);
  return isReason(answer) || answer.kind !== "value" ? undefined : answer.schema;
}
