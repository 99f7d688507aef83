/**
 * Finds and types every expression of a model in one pass: `nonet check` reports the problems, the plan uses the typed trees.
 * Results are by path, as in `SourceLocations` without `#value`.
 *
 * The names that an expression can use depend on where it is written:
 *
 *     computed field           fields of its record; if it is computed at each read, also `caller`, `now` and `base`
 *     rule                     fields, `old` (the record before the write, null when it is created), `caller`, `now`
 *     move: if, set            fields and `old` (before the transition), `caller`, `now`, and `input`: the body of the
 *                              operation, for `when` the payload of the event
 *     choose                   fields of the record to choose, `this` (the record of the operation, as it will be), `input`,
 *                              `caller`, `now`
 *     gives, headers           fields of the record after the operation, `input`, `caller`, `now`, `base`
 *     gives around a page,     `count`, `next`, `limit`, `offset`, `page` (page-names.ts), `input`, `caller`, `now`, `base`
 *     headers of a list
 *     group, gives of a        fields, `caller`, `now`, and the query parameters as `input`; the path of a measure of `gives`
 *     summary                  has its argument
 *     member of a view         fields of the record that the view shows, `caller`, `now`, `base`
 *     link, unlink             fields of the current record, `input`, `caller`, `now`
 *     also                     see further-writes.ts
 *     where of a `when`        fields of the record to change, `input`: the payload of the event, `now`
 *     filters                  fields, `caller`, `now`, `value` and, unless a field has it, the parameter's own name
 *     if of an endpoint        fields of the record, if any (all may be null where a PUT creates), `input`, `caller`, `now`
 *     accepted                 as `gives`
 *     the, where               fields, `caller`, `now`, and the query parameters as `input`
 *     own, allow, show         fields, `caller`, `now`; in allow, show and `for` the bare word `own` is the ownership
 *                              expression of the resource
 *
 * Fields are those with a column, and `state`. `caller` is `{ id, roles, claims }`; its id is null for anonymous callers.
 * `base` is the service's URL, without a slash at its end.
 */
import { withArticle } from "../../base/case.ts";
import { parseExpression } from "../../expression/parse.ts";
import { checkExpression, checkRecords, type TypedExpression } from "../../expression/check.ts";
import { readsOtherRecords } from "../../expression/typed.ts";
import { syntaxNodes, withChildren, type Expression, type ExpressionProblem } from "../../expression/syntax.ts";
import type { FieldType as ExpressionField, NamedType, TypeEnvironment } from "../../expression/types.ts";
import type { Grant } from "../authentication/model.ts";
import { tokensOf } from "../authentication/login.ts";
import { filterNames, filterType } from "../endpoints/filter-type.ts";
import { creates, inputOf } from "../endpoints/input.ts";
import { type ResolvedEndpoint, hasRecord, resolveEndpoint, subjectOf } from "../endpoints/resolve.ts";
import { type Endpoint, inputOnlyActions, listingActions } from "../endpoints/model.ts";
import { listStyleOf } from "../endpoints/list-style.ts";
import { allPageNames, pageNames } from "../endpoints/page-names.ts";
import {
  responseShape,
  responseExpressions,
  responseMembers,
  type Shape,
  shapeOf,
  inputShape,
} from "../endpoints/shape.ts";
import { type Measure, measuresOf } from "../endpoints/summary.ts";
import type { Model, PartName } from "../model.ts";
import { type Surrounding, writeExpressions } from "./further-writes.ts";
import { perModel } from "./per-model.ts";
import { address, condition, inputVariable, moment, now, recordNames, recordVariable } from "./variables.ts";
import { fieldsOf, isNullable, isStored, nestedView, lookup, referenceOf } from "../resources/fields.ts";
import type { Fields } from "../resources/model.ts";
import { definitions, namesOfRecords, recordMembers, valueOf, valueTypeOf } from "../resources/value-type.ts";
import { type FurtherWriteOwner, furtherWriteSites } from "../states/further-writes.ts";
import { transitionName, type Trigger } from "../states/model.ts";

export interface TypedExpressions {
  /** The typed trees of the expressions without a problem, by path. */
  readonly typed: ReadonlyMap<string, TypedExpression>;
  /** The texts of the expressions in `typed`, by the same paths. */
  readonly texts: ReadonlyMap<string, string>;
  readonly problems: readonly MisplacedExpression[];
}

/** An expression where none is allowed, with its problem; the problem's offsets are into `text`. */
export interface MisplacedExpression {
  readonly path: string;
  readonly text: string;
  readonly problem: ExpressionProblem;
}

export function typeExpressions(model: Model): TypedExpressions {
  const typed = new Map<string, TypedExpression>();
  const texts = new Map<string, string>();
  const problems: MisplacedExpression[] = [];
  const resources = namesOfRecords(model);
  problems.push(...strayComputed(model));
  for (const site of expressionSites(model)) {
    const found = typeSite(model, site, resources, typed);
    problems.push(
      ...found.problems.map((problem) => ({
        path: site.path,
        text: site.text,
        problem: explained(site, problem),
      })),
    );
    // If a text is typed for several resources, the first typing is used.
    if (found.typed === undefined || typed.has(site.path)) continue;
    typed.set(site.path, found.typed);
    texts.set(site.path, site.text);
  }
  // A computed field with an error of its own has been reported where it is defined.
  const isFirst = ({ definition }: ExpressionProblem): boolean => definition === undefined || typed.has(definition);
  return { typed, texts, problems: distinct(problems.filter(({ problem }) => isFirst(problem))) };
}

/** Removes repeated problems, of texts that are typed several times. */
function distinct(problems: readonly MisplacedExpression[]): readonly MisplacedExpression[] {
  const byKey = new Map(problems.map((one) => [`${one.path} ${one.problem.code} ${one.problem.start}`, one]));
  return byKey.size === problems.length ? problems : [...byKey.values()];
}

/** Types an expression that is no member of the model: one in the clauses of an entry of part 9. */
export function typeText(
  model: Model,
  site: Site,
): { readonly typed?: TypedExpression; readonly problems: readonly MisplacedExpression[] } {
  const { typed, problems } = typeSite(model, site, namesOfRecords(model), new Map());
  const { path, text } = site;
  return {
    ...(typed === undefined ? {} : { typed }),
    problems: problems.map((problem) => ({ path, text, problem: explained(site, problem) })),
  };
}

/**
 * Types a permission's condition over a record of the resource, where `own` means this resource's ownership. For permissions
 * over several resources, such as the receivers of their events. Throws if the model's expressions have problems.
 */
export function typeCondition(
  model: Model,
  text: string,
  resource: string,
  { typed }: Pick<TypedExpressions, "typed">,
  input: Readonly<Record<string, ExpressionField>> = {},
): TypedExpression {
  const resources = namesOfRecords(model);
  const names = { ...recordNames(model, resource), ...moment(), input: inputVariable(input) };
  const found = typeSite(model, { path: "", text, names, expected: condition, owner: resource }, resources, typed);
  if (found.typed === undefined) throw new Error(`${text}: ${found.problems[0]?.message}`);
  return found.typed;
}

/** An expression with its path, the names it can use, and its expected type. */
export interface Site {
  readonly path: string;
  readonly text: string;
  readonly names: Readonly<Record<string, NamedType>>;
  readonly expected?: ExpressionField;
  /** The resource whose ownership expression the word `own` means. */
  readonly owner?: string;
  /**
   * The resource whose records the expression selects, as for a list nested in a view; then `expected` is ignored. For the
   * single record of a reference, use `expected`: `{ type: { kind: "record", resource }, nullable: true }`.
   */
  readonly records?: string;
  /** Set if the text is a measure of a summary, such as `sum(x)`: its argument is typed. */
  readonly measure?: Measure;
  /** Set if the expression is about a page of records, not about one record. */
  readonly about?: "page";
  /** The credentials for which `token(…)` in the expression can issue a token (`tokensOf`). */
  readonly tokens?: TypeEnvironment["tokens"];
}

interface Typing {
  readonly typed?: TypedExpression;
  readonly problems: readonly ExpressionProblem[];
}

function typeSite(
  model: Model,
  site: Site,
  resources: TypeEnvironment["resources"],
  before: TypedExpressions["typed"],
): Typing {
  const parsed = parseExpression(site.text);
  const written = site.measure?.argument ?? parsed.expression;
  if (written === undefined) return { problems: parsed.problems };
  const expression = site.owner === undefined ? written : withOwnership(model, written, site.owner, before);
  if (!("kind" in expression)) return expression;
  const scope = { names: site.names, resources, ...(site.tokens === undefined ? {} : { tokens: site.tokens }) };
  if (site.records !== undefined) return checkRecords(expression, scope, site.records);
  const { typed, problems } = checkExpression(expression, scope, site.expected?.type);
  if (typed === undefined) return { problems };
  if (site.about === "page" && readsOtherRecords(typed)) {
    const problem: ExpressionProblem = {
      code: "records-in-page",
      message: "this reads records, but an expression about a page can only use the page, the caller and the time",
      help: "declare the members of each record in a view, and values about all records in an operation without a resource",
      start: 0,
      end: site.text.length,
    };
    return { problems: [problem] };
  }
  if (site.expected?.nullable === false && typed.nullable) {
    const problem: ExpressionProblem = {
      code: "may-be-absent",
      message: "this can be null, but a value is required",
      help: "write a value for that case, as in `a == null ? 0 : a`, or make the field optional (`?`)",
      start: 0,
      end: site.text.length,
    };
    return { problems: [problem] };
  }
  return { typed, problems: [] };
}

/** Explains an unknown name in an expression about a page: it is not about one record. */
function explained(site: Site, problem: ExpressionProblem): ExpressionProblem {
  if (site.about !== "page" || problem.code !== "unknown-name") return problem;
  const name = site.text.slice(problem.start, problem.end);
  const known = Object.keys(site.names).filter((one) => allPageNames.has(one));
  const message = `there is no \`${name}\` here: this is about a page of records, not about one record`;
  const list = known.map((one) => `\`${one}\``).join(", ");
  return { ...problem, message, help: `use ${list}; members of each record belong in a view` };
}

// ── `own` ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Replaces `own` in a condition by the ownership expression; returns the problems of the ownership expression, if it has any.
 */
function withOwnership(
  model: Model,
  condition: Expression,
  resource: string,
  before: TypedExpressions["typed"],
): Expression | Typing {
  const word = nameNode(condition, "own");
  if (word === undefined || lookup(fieldsOf(model, resource), "own") !== undefined) return condition;
  const text = lookup(model.authentication.own, resource);
  if (text === undefined && isOpen(model, resource))
    return replaced(condition, { kind: "bool", value: false, at: word.at });
  if (text === undefined) {
    const message = `the document does not declare who owns ${withArticle(resource)}`;
    const help = `write \`own: { ${resource}: owner == caller.id }\` in part 5`;
    return { problems: [{ code: "no-ownership", message, help, ...word.at }] };
  }
  const ownership = parseExpression(text).expression;
  // Ownership expressions are typed first, so that their errors are reported once, at their own location.
  const sound = ownership !== undefined && before.has(`authentication/own/${resource}`);
  return sound ? replaced(condition, { ...ownership, at: word.at }) : { problems: [] };
}

/** Whether the ownership of the resource is `not shown`: then `own` allows nobody. */
function isOpen({ gaps }: Model, resource: string): boolean {
  return gaps.includes("authentication/own") || gaps.includes(`authentication/own/${resource}`);
}

function nameNode(expression: Expression, name: string): Expression | undefined {
  return syntaxNodes(expression).find((node) => node.kind === "name" && node.name === name);
}

function replaced(expression: Expression, ownership: Expression): Expression {
  return expression.kind === "name" && expression.name === "own"
    ? ownership
    : withChildren(expression, (child) => replaced(child, ownership));
}

// ── Where expressions stand ────────────────────────────────────────────────────────────────────────────────────────

/** The expressions of the document, with the parts that can contain them. */
const siteGroups: readonly (readonly [parts: readonly PartName[], sites: (model: Model) => readonly Site[]])[] = [
  [["resources"], (model) => [...computedSites(model), ...ruleSites(model), ...viewSites(model)]],
  [["states"], transitionSites],
  [["endpoints"], endpointSites],
  [["states", "endpoints", "events"], writeSites],
  [["authentication"], permissionSites],
  [["events"], deliverySites],
];

/** Returns the expressions of the document, or of one part, with the names that each can use. */
export function expressionSites(model: Model, part?: PartName): readonly Site[] {
  return siteGroups.flatMap(([parts, sites]) => (part === undefined || parts.includes(part) ? sites(model) : []));
}

function writeSites(model: Model): readonly Site[] {
  const resources = namesOfRecords(model);
  return furtherWriteSites(model).flatMap((one) => writeExpressions(model, one, surrounding(model, one.of), resources));
}

/** A function, because an operation may have very many members: it runs only for operations with an expression. */
const operationInput = perModel((model, operation: string): NamedType => {
  const resolved = resolveEndpoint(model, operation);
  const queryVariables = queryFields(model, resolved?.endpoint.query ?? {});
  if (resolved?.kind === "resource") {
    const members = inputOf(model, resolved).map(({ name, field, required }) => {
      // In a create or a transition, an omitted member with a literal default has the default as its value.
      const filled =
        (resolved.action === "create" || inputOnlyActions.has(resolved.action)) && field.default?.kind === "literal";
      const nullable = (!required && !filled) || isNullable(field);
      return [name, { type: valueTypeOf(model, field.type), nullable }] as const;
    });
    return inputVariable({ ...Object.fromEntries(members), ...queryVariables });
  }
  const input = resolved === undefined ? undefined : inputShape(model, resolved.endpoint);
  return inputVariable({ ...inputFields(model, input?.fields ?? {}), ...queryVariables });
});

/** Returns the query parameters as members of `input`. An omitted parameter has its default. */
function queryFields(model: Model, fields: Fields): Record<string, ExpressionField> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const { type, nullable } = valueOf(model, field);
      return [name, { type, nullable: nullable && field.default?.kind !== "literal" }];
    }),
  );
}

function inputFields(model: Model, fields: Fields): Record<string, ExpressionField> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const { type, nullable } = valueOf(model, field);
      return [name, { type, nullable: nullable || field.default !== undefined }];
    }),
  );
}

function computedSites(model: Model): Site[] {
  return Object.entries(model.resources.resources).flatMap(([resource, { fields }]) =>
    Object.entries(fields).flatMap(([name, field]): Site[] => {
      if (field.computed === undefined) return [];
      const names = { ...recordNames(model, resource), ...definitions(model, resource) };
      return [
        {
          path: `resources/${resource}/${name}/computed`,
          text: field.computed,
          // A stored computed field must not depend on the caller or the time.
          names: isStored(field) ? names : { ...address, ...names, ...moment() },
          expected: valueOf(model, field),
        },
      ];
    }),
  );
}

/** Finds computed members where no record exists from which to compute them. */
function strayComputed(model: Model): MisplacedExpression[] {
  const types = Object.entries(model.resources.types).map(
    ([name, fields]) => [`resources/types/${name}`, fields] as const,
  );
  const input = Object.entries(model.endpoints.endpoints).flatMap(([operation, { takes }]) =>
    takes === undefined ? [] : [[`endpoints/endpoints/${operation}/takes`, takes] as const],
  );
  return [...types, ...input].flatMap(([path, fields]) =>
    Object.entries(fields).flatMap(([name, { computed }]): MisplacedExpression[] => {
      if (computed === undefined) return [];
      const message = `\`${name}\` cannot be computed here: only a field of a resource can be computed`;
      const problem = { code: "computed-elsewhere", message, start: 0, end: computed.length };
      return [{ path: `${path}/${name}/computed`, text: computed, problem }];
    }),
  );
}

function ruleSites(model: Model): Site[] {
  return Object.entries(model.resources.rules).flatMap(([resource, rules]) => {
    const names = { ...recordNames(model, resource), old: recordVariable(model, resource, true), ...moment() };
    return rules.flatMap((rule, index): Site[] => {
      if (rule.kind !== "holds") return [];
      return [
        { path: `resources/rules/${resource}/${index}/holds`, text: rule.expression, names, expected: condition },
      ];
    });
  });
}

function transitionSites(model: Model): Site[] {
  return Object.entries(model.states).flatMap(([resource, lifecycle]) => {
    if (lifecycle === "none") return [];
    return lifecycle.moves.flatMap((transition) =>
      transition.triggers.flatMap((trigger, index) => {
        const path = `states/${resource}/moves/${transitionName(transition)}/${index}`;
        return triggerSites(model, resource, trigger, path);
      }),
    );
  });
}

function triggerSites(model: Model, resource: string, trigger: Trigger, path: string): Site[] {
  // The early return saves time: a resource may have very many fields, and most transitions have no expression.
  if (trigger.if === undefined && trigger.set === undefined && trigger.where === undefined) return [];
  const names = {
    ...recordNames(model, resource),
    old: recordVariable(model, resource, false),
    ...triggerInput(model, trigger),
  };
  const fields = fieldsOf(model, resource);
  const guard = trigger.if === undefined ? [] : [{ path: `${path}/if`, text: trigger.if, names, expected: condition }];
  const set = Object.entries(trigger.set ?? {}).map(([name, text]): Site => {
    const field = lookup(fields, name);
    return {
      path: `${path}/set/${name}`,
      text,
      names,
      ...(field === undefined ? {} : { expected: valueOf(model, field) }),
    };
  });
  const { old: _, ...selecting } = names;
  const where =
    trigger.where === undefined
      ? []
      : [{ path: `${path}/where`, text: trigger.where, names: selecting, expected: condition }];
  return [...guard, ...where, ...set];
}

/** Returns the names around a further write. */
function surrounding(model: Model, of: FurtherWriteOwner): Surrounding {
  switch (of.kind) {
    case "event": {
      return { record: {}, records: {}, moment: { now, input: inputVariable(payloadOf(model, of.event)) } };
    }
    case "transition": {
      const { resource, trigger } = of;
      const record = recordVariable(model, resource, false);
      return {
        record: recordNames(model, resource),
        records: { this: record, old: record },
        moment: triggerInput(model, trigger),
      };
    }
    case "operation": {
      const { operation } = of;
      const resolved = resolveEndpoint(model, operation);
      const moments = { ...moment(allowsAnyone(model, operation)), input: operationInput(model, operation) };
      if (resolved?.kind !== "resource") return { record: {}, records: {}, moment: moments };
      const { action, resource } = resolved;
      const hasFormer = action === "update" || action === "replace" || action === "move";
      const former = hasFormer ? { old: recordVariable(model, resource, creates(model, resolved)) } : {};
      // A bulk deletion is about each of its records.
      const records = { this: recordVariable(model, resource, false), ...former };
      return { record: recordNames(model, resource), records, moment: moments };
    }
  }
}

function triggerInput(model: Model, { on }: Trigger): Record<string, NamedType> {
  if (on.kind === "by") {
    return { ...moment(allowsAnyone(model, on.operation)), input: operationInput(model, on.operation) };
  }
  if (on.kind !== "when") return { now };
  const payloads = on.events.map((event) => payloadOf(model, event));
  const [first = {}, ...others] = payloads;
  const shared = Object.entries(first).filter(([name]) =>
    others.every((payload) => lookup(payload, name) !== undefined),
  );
  return { now, input: inputVariable(Object.fromEntries(shared)) };
}

/** Returns the payload of an event as variables of an expression. */
function payloadOf(model: Model, event: string): Record<string, ExpressionField> {
  const inbound = lookup(model.events.in ?? {}, event);
  if (inbound !== undefined) {
    const members = Object.entries(inbound.carries).map(([name, type]) => {
      const nullable = type.kind === "nullable" || (inbound.optional ?? []).includes(name);
      return [name, { type: valueTypeOf(model, type), nullable }] as const;
    });
    return Object.fromEntries(members);
  }
  const outbound = lookup(model.events.out ?? {}, event);
  const resource = outbound === undefined ? undefined : eventResource(model, event);
  if (outbound === undefined || resource === undefined) return {};
  const all = Object.entries(recordMembers(model, resource));
  return Object.fromEntries(all.filter(([name]) => outbound.carries?.includes(name) ?? true));
}

/** Returns the resource that an outgoing event is about. */
export function eventResource(model: Model, event: string): string | undefined {
  const source = lookup(model.events.out ?? {}, event)?.when;
  if (source?.kind !== "operation") return source?.resource;
  const resolved = resolveEndpoint(model, source.operation);
  return resolved === undefined || resolved.kind === "unclear" ? undefined : subjectOf(resolved);
}

function endpointSites(model: Model): Site[] {
  return Object.entries(model.endpoints.endpoints).flatMap(([operation, declared]) => {
    const resolved = resolveEndpoint(model, operation);
    const endpoint = resolved?.kind === "resource" ? resolved.endpoint : declared;
    const path = `endpoints/endpoints/${operation}`;
    const resource = resolved === undefined || resolved.kind === "unclear" ? undefined : resolved.resource;
    const input = () => operationInput(model, operation);
    const queryVariables =
      endpoint.query === undefined ? {} : { input: inputVariable(queryFields(model, endpoint.query)) };
    const around = moment(allowsAnyone(model, operation));
    const record = resource === undefined ? {} : recordNames(model, resource);
    const choices = Object.entries(endpoint.choose ?? {}).flatMap(([field, choice]): Site[] => {
      if (choice.if === undefined) return [];
      const current = resource === undefined ? {} : { this: recordVariable(model, resource, false) };
      const names = { ...current, ...recordNames(model, choice.from), ...around, input: input() };
      return [{ path: `${path}/choose/${field}/if`, text: choice.if, names, expected: condition }];
    });
    const ofQuery = () => ({ ...record, ...around, ...queryVariables });
    const summary =
      resolved?.kind === "resource" && resolved.action === "summary"
        ? summarySites(path, endpoint, ofQuery)
        : undefined;
    const ofRecord = () => ({ ...address, ...record, ...around, input: input() });
    const ofPage = () => ({ ...address, ...around, input: input(), ...pageNames(listStyleOf(model, endpoint).kind) });
    const tokens = tokensOf(model, resource);
    const aboutPage = (site: Pick<Site, "path" | "text">): Site => {
      // The lists of a document have different parameters.
      const { input: _, ...ofAll } = ofPage();
      return { ...site, names: site.path.startsWith("endpoints/lists/") ? ofAll : ofPage(), about: "page" };
    };
    const responses = responseSites(model, resolved, endpoint, `${path}/gives`);
    // The members of a summary are groups and measures.
    const answers = (summary === undefined ? responses : responses.filter(({ isPage }) => isPage)).map(
      ({ isPage, ...site }): Site => {
        return isPage ? aboutPage(site) : { ...site, names: ofRecord(), tokens };
      },
    );
    const isList = resolved?.kind === "resource" && listingActions.has(resolved.action);
    const headers = headerSites(model, operation, endpoint, isList).map((site): Site => {
      return isList ? aboutPage(site) : { ...site, names: ofRecord() };
    });
    const { where } = endpoint;
    const lists =
      where === undefined ? [] : [{ path: `${path}/where`, text: where, names: ofQuery(), expected: condition }];
    return [
      ...choices,
      ...(summary ?? []),
      ...answers,
      ...headers,
      ...lists,
      ...actionSites(model, operation, { record, around, input, queryVariables }),
    ];
  });
}

/** Returns the groups and the arguments of the measures of a summary. */
function summarySites(
  path: string,
  { gives, group = {} }: Endpoint,
  names: () => Record<string, NamedType>,
): readonly Site[] {
  const groups = Object.entries(group).map(([name, text]) => ({ path: `${path}/group/${name}`, text, names: names() }));
  const measures = Object.entries(measuresOf(gives)).flatMap(([name, measure]): Site[] => {
    const text = responseMembers(gives)[name];
    if (measure.argument === undefined || typeof text !== "string") return [];
    const site = { path: `${path}/gives/${name}`, text, names: names(), measure };
    return [measure.function === "count" ? { ...site, expected: condition } : site];
  });
  return [...groups, ...measures];
}

/**
 * Returns the header fields of a response: for a list also those that all lists have, or all lists of its style. The first
 * list with a header field of all lists types it, since page names are the same in lists of one kind.
 */
function headerSites(
  model: Model,
  operation: string,
  { headers = {}, lists }: Endpoint,
  isList: boolean,
): readonly Pick<Site, "path" | "text">[] {
  const at = `endpoints/endpoints/${operation}`;
  const sites = (path: string, texts: Readonly<Record<string, string>> = {}) =>
    Object.entries(texts).map(([name, text]) => ({ path: `${path}/${name}`, text }));
  return [
    ...sites(`${at}/headers`, headers),
    ...(isList ? sites(`${at}/lists/headers`, lists?.headers) : []),
    ...(isList ? sites("endpoints/lists/headers", model.endpoints.lists?.headers) : []),
  ];
}

interface ResponseSite extends Pick<Site, "path" | "text"> {
  /** Whether the expression is about a page, not about a record. */
  readonly isPage: boolean;
}

/** Returns the expressions of a response. In an operation without a resource, every text is an expression. */
function responseSites(
  model: Model,
  resolved: ResolvedEndpoint | undefined,
  { gives }: Endpoint,
  at: string,
): readonly ResponseSite[] {
  const isResource = resolved?.kind === "resource";
  const { item, page, pageAt } = isResource
    ? responseShape(model, resolved)
    : { item: gives === undefined || gives === "none" ? undefined : shapeOf(model, gives, false) };
  const sites = (shape: Shape | undefined, from: string, isPage: boolean): readonly ResponseSite[] =>
    (shape === undefined ? [] : responseExpressions(shape)).flatMap(({ path, text }) =>
      // Skips names of views: they are no expressions, and `endpoints/shape-unclear` reports them.
      /^[A-Z][A-Za-z0-9]*(?:\[\])?$/.test(text) ? [] : [{ path: [from, ...path].join("/"), text, isPage }],
    );
  return [...(page !== undefined && pageAt === at ? [] : sites(item, at, false)), ...sites(page, pageAt ?? "", true)];
}

/** Returns the expressions of views, each over a record of the view's resource. */
function viewSites(model: Model): Site[] {
  const { views = {} } = model.resources;
  return Object.entries(views).flatMap(([view, { of, members = {} }]) => {
    const names = { ...address, ...recordNames(model, of), ...moment() };
    const tokens = tokensOf(model, of);
    return Object.entries(members).flatMap(([name, field]): Site[] => {
      const path = `resources/views/${view}/${name}/computed`;
      const { type, computed } = field;
      const nested = nestedView(model, type);
      if (nested === undefined)
        return computed === undefined ? [] : [{ path, text: computed, names, tokens, expected: valueOf(model, field) }];
      const text = computed ?? name;
      if (nested.list) return computed === undefined ? [] : [{ path, text, names, records: nested.of }];
      // A member without an expression is the field with its name; another check reports problems of that field.
      if (computed === undefined && !isReferenceTo(model, of, name, nested.of)) return [];
      return [{ path, text, names, expected: { type: { kind: "record", resource: nested.of }, nullable: true } }];
    });
  });
}

function isReferenceTo(model: Model, resource: string, name: string, target: string): boolean {
  const field = lookup(fieldsOf(model, resource), name);
  return field !== undefined && referenceOf(model, field.type) === target;
}

/** Returns the names that a filter's condition can use besides the value. */
export function filterScope(model: Model, operation: string): Readonly<Record<string, NamedType>> {
  const resolved = resolveEndpoint(model, operation);
  const resource = resolved === undefined || resolved.kind === "unclear" ? undefined : resolved.resource;
  const record = resource === undefined ? {} : recordNames(model, resource);
  return { ...record, ...moment(allowsAnyone(model, operation)) };
}

interface Around {
  /** Fields of the current record, by name. */
  readonly record: Readonly<Record<string, NamedType>>;
  readonly around: Readonly<Record<string, NamedType>>;
  readonly input: () => NamedType;
  /** The variable `input` with only the query parameters. */
  readonly queryVariables: { readonly input?: NamedType };
}

function actionSites(model: Model, operation: string, { record, around, input, queryVariables }: Around): Site[] {
  const path = `endpoints/endpoints/${operation}`;
  const resolved = resolveEndpoint(model, operation);
  const { the, link, unlink, if: guard, statuses, filters = {} } = lookup(model.endpoints.endpoints, operation) ?? {};
  // `names` is a function, because a resource may have very many fields and most operations have no expression.
  const site = (at: string, text: string | undefined, names: () => Record<string, NamedType>): Site[] =>
    text === undefined ? [] : [{ path: `${path}/${at}`, text, names: names(), expected: condition }];
  const here = () => ({ ...record, ...around });
  const linked = (["link", "unlink"] as const).flatMap((word) => {
    const one = word === "link" ? link : unlink;
    return Object.entries(one?.with ?? {}).map(([name, text]): Site => {
      const field = lookup(fieldsOf(model, one?.in ?? ""), name);
      const expected = field === undefined ? {} : { expected: valueOf(model, field) };
      return { path: `${path}/${word}/with/${name}`, text, names: { ...here(), input: input() }, ...expected };
    });
  });
  const filtered = Object.entries(filters).flatMap(([name, filter]) => {
    const type = filterType(model, resolved, name, filter, here());
    const value: NamedType = {
      type: type === undefined ? { kind: "any" } : valueTypeOf(model, type),
      nullable: false,
      from: "variables",
    };
    return site(`filters/${name}/if`, filter.if, () => ({ ...here(), ...filterNames(name, value, here()) }));
  });
  const makes = resolved?.kind === "resource" && creates(model, resolved);
  const isThere =
    resolved?.kind === "resource" ? hasRecord(resolved) : resolved?.kind === "free" && resolved.key !== undefined;
  const guarded = () => (isThere ? (makes ? nullableNames(record) : record) : {});
  return [
    ...site("the", the, () => ({ ...here(), ...queryVariables })),
    ...linked,
    ...filtered,
    ...site("if", guard, () => ({ ...guarded(), ...around, input: input() })),
    ...site("status/accepted/if", statuses?.accepted?.if, () => ({ ...here(), input: input() })),
  ];
}

function nullableNames(names: Readonly<Record<string, NamedType>>): Record<string, NamedType> {
  return Object.fromEntries(Object.entries(names).map(([name, type]) => [name, { ...type, nullable: true }]));
}

function permissionSites(model: Model): Site[] {
  const { own: ownership, allow, set = {}, show } = model.authentication;
  // First, because the other expressions use the ownership expressions and depend on their validity.
  const owner = Object.entries(ownership).map(([resource, text]): Site => {
    const names = { ...recordNames(model, resource), ...moment() };
    return { path: `authentication/own/${resource}`, text, names, expected: condition };
  });
  const allowed = Object.entries(allow).flatMap(([operation, grants]) => {
    const resolved = resolveEndpoint(model, operation);
    // The operation's resource is unknown: another check reports it, or the document declares it `not shown`.
    if (resolved === undefined || resolved.kind === "unclear") return [];
    const { resource } = resolved;
    return grantSites(model, `authentication/allow/${operation}`, grants, resource);
  });
  const ofFields = Object.entries({ show, set }).flatMap(([key, lines]) =>
    Object.entries(lines).flatMap(([field, grants]) =>
      grantSites(model, `authentication/${key}/${field}`, grants, field.slice(0, field.indexOf("."))),
    ),
  );
  return [...owner, ...allowed, ...ofFields];
}

function grantSites(model: Model, path: string, grants: readonly Grant[], resource: string | undefined): Site[] {
  return grants.flatMap((grant, index): Site[] => {
    if (grant.if === undefined) return [];
    const anonymous = grant.who.kind === "anyone";
    const record = resource === undefined ? {} : recordNames(model, resource);
    return [
      {
        path: `${path}/${index}/if`,
        text: grant.if,
        names: { ...record, ...moment(anonymous) },
        expected: condition,
        ...(resource === undefined ? {} : { owner: resource }),
      },
    ];
  });
}

/** Returns the conditions of the receivers of events, once for each resource that has events. */
function deliverySites(model: Model): Site[] {
  const { webhook, stream } = model.events.delivery ?? {};
  const emitting = Object.keys(model.events.out ?? {}).map((event) => eventResource(model, event));
  return [...new Set(emitting)].flatMap((resource) => [
    ...grantSites(model, "events/delivery/webhook/for", webhook?.for ?? [], resource),
    ...grantSites(model, "events/delivery/stream/for", stream?.for ?? [], resource),
  ]);
}

function allowsAnyone(model: Model, operation: string): boolean {
  return (lookup(model.authentication.allow, operation) ?? []).some((grant) => grant.who.kind === "anyone");
}
