/**
 * Whether somebody outside can notice that a server serves one document and not another one, by requests, responses and events
 * alone. What differs only in prose, in names that no message contains, or in what no operation reaches cannot be noticed; nor
 * does it contradict a document if a server does more than the document states, or otherwise what the document does not write.
 */
import { parseClockDuration } from "../../../src/base/duration.ts";
import { onceFor } from "../../../src/base/once.ts";
import { withoutField } from "../../../src/language/errors/model.ts";
import type { Model } from "../../../src/language/model.ts";
import { isServerSet, lookup } from "../../../src/language/resources/fields.ts";
import { transitionName } from "../../../src/language/states/model.ts";
import type { Field } from "../../../src/language/resources/model.ts";
import type { Operation, ResponseMember } from "../../../src/plan/endpoints/types.ts";
import type { Plan } from "../../../src/plan/plan.ts";
import type { Column, Table } from "../../../src/plan/resources/types.ts";
import type { EffectPlan, FurtherWritePlan, TimedJob } from "../../../src/plan/states/types.ts";

export interface Difference {
  readonly model: Model;
  /** The path of the altered statement, as in `SourceLocations`. */
  readonly path: string;
  readonly what: string;
  readonly before: Plan;
  readonly after: Plan;
}

/** Returns why nobody outside can notice the difference; undefined if somebody can. */
export function whyUnobservable(difference: Difference): string | undefined {
  const { after, before, path } = difference;
  if (behaviourOf(before) === behaviourOf(after))
    return path.startsWith("purpose/") ? "it is prose" : "no request, response or event depends on it";
  return rules.find(({ of }) => of(difference))?.reason;
}

interface Rule {
  readonly reason: string;
  readonly of: (difference: Difference) => boolean;
}

const rules: readonly Rule[] = [
  { reason: "the name is in the document alone, and no message contains it", of: isInnerName },
  {
    reason: "the document does not write it: a default of the language",
    of: either(
      matching(/./, /^(?:status \d+|another name of (?:next|count)|gives the id alone|carries the id alone)$/),
      isNeedlessParameter,
    ),
  },
  {
    reason: "the server may do more than the document states",
    of: either(
      matching(/^endpoints\/edits$/, /^optional for none$/),
      ({ model, path, what }) => path === "endpoints/edits" && what === "without" && model.endpoints.edits === "none",
      matching(/^endpoints\/repeats\/on$/, /^write for POST$/),
      isUntaggedEdit,
    ),
  },
  { reason: "a timer may be a second late", of: matching(/\/on\/duration$/, /^2s for 1s$/) },
  { reason: "without the statement, more requests may be repeated", of: isUsualRepeats },
  { reason: "the guard is never true", of: isNeverTrue },
  { reason: "it is prose", of: isProse },
  { reason: "keys come from the operator", of: matching(/^authentication\/credentials\/[^/]+\/prefix$/, /./) },
  { reason: "anyone may do everything, and nothing depends on the caller", of: isNeedlessCredential },
  { reason: "the realm of a challenge is a text for people", of: matching(/^purpose\/service$/, /./) },
  {
    reason: "what a role may do is in the lines that name it",
    of: matching(/^authentication\/roles(?:\/|$)/, /^(?!without all of it$)/),
  },
  {
    reason: "only a request that takes long shows it, and no client can slow the service down",
    of: matching(/^limits\/time(?:\/|$)/, /./),
  },
  { reason: "senders spread their attempts by a fifth, which is more than the difference", of: isWithinSpread },
  {
    reason: "a credential of today is pinned to the newest version",
    of: matching(/^versioning\/absent$/, /^(?:newest for pinned|pinned for newest)$/),
  },
  {
    reason: "callers without a credential count by their address in either case",
    of: matching(/^limits\/rate\/anyone\/\d+\/per$/, /^(?:user for ip|ip for user)$/),
  },
  { reason: "everybody may see every record, so none is hidden", of: isHidingNothing },
  { reason: "the status is the same, and bodies of errors name no code", of: isSameError },
  { reason: "the error names no field, and a body without a field has no code", of: isUnseenCode },
  { reason: "without a date, the version is deprecated since the newer one", of: isSinceNewer },
  { reason: "a path has no empty segment", of: isInPath },
  { reason: "the server alone sets the field, and to the same values", of: isWiderServerField },
  { reason: "the member has a value in each response", of: isWiderViewMember },
  { reason: "nothing changes a record after its creation", of: isUntouched },
  { reason: "no message contains the id", of: isHiddenId },
  { reason: "the document does not write which request gets the error: a function does", of: isOfFunction },
  { reason: "errors have no title, and the sentence need not be their message", of: isUnseenSentence },
  { reason: "a parameter that is absent is no more true than false", of: isAbsentTruth },
  { reason: "Nonet compares If-Match in either case", of: matching(/^endpoints\/edits$/, /^none for optional$/) },
  { reason: "a login with such a value fails as one with any wrong value", of: isLoginInput },
  { reason: "the guard rejects such a value, and may be checked first", of: isGuardedInput },
  { reason: "another transition between the two states has the same trigger", of: isSecondTransition },
  {
    reason: "no record in this state gets the event",
    of: either(
      // The locker of an announced parcel is held, that of a stored one occupied.
      matching(/^states\/Locker\/moves\/(?:free -> held|held -> \w+|occupied -> free)$/, /^from \w+, too$/),
      // A job begins only for an order that is placed, and moves it on.
      matching(/^states\/Order\/moves\/(?:placed -> printing|printing -> printed)$/, /^from \w+, too$/),
    ),
  },
  { reason: "nothing in the document creates the records: a function may, or not", of: isListOfFunction },
  { reason: "no message contains the name of the field", of: isHiddenField },
  { reason: "no two records get the same random value", of: isRandom },
  { reason: "no request changes a record", of: isUnchangeable },
  { reason: "the requests that set the field declare its values themselves", of: isDeclaredByRequests },
  { reason: "no operation reads or writes records of the resource but to link them", of: isLinkedOnly },
  { reason: "no response and no event shows the field", of: isUnshown },
  { reason: "the service stores a hash of the secret, and no two are equal", of: isUniqueSecret },
  { reason: "nobody revokes the name and the password of a record", of: isRecordRevoked },
  { reason: "the pattern rejects such a value, and bodies of errors name no violation", of: isBelowPattern },
  { reason: "each write that creates a record sets the field", of: isUnusedDefault },
];

function matching(path: RegExp, what: RegExp): Rule["of"] {
  return (one) => path.test(one.path) && what.test(one.what);
}

function either(...all: readonly Rule["of"][]): Rule["of"] {
  return (one) => all.some((of) => of(one));
}

/**
 * Whether another name is of a parameter that no list needs. The others belong to the style that the document writes, since nothing
 * else states their names: the size of a page if there is a largest one, the cursor of pages that have `next`, the order by a field.
 */
function isNeedlessParameter({ before, model: { endpoints, resources }, path, what }: Difference): boolean {
  const [, operation] = /^endpoints\/endpoints\/([^/]+)\/lists/.exec(path) ?? [];
  const style = operation === undefined ? endpoints.lists : lookup(endpoints.endpoints, operation)?.lists;
  const lists = before.operations.filter(({ action }) => action === "list");
  const isShaped = lists.every(({ name }) => lookup(endpoints.endpoints, name)?.gives !== undefined);
  switch (what) {
    case "another name of limit":
      return style?.max === undefined;
    case "another name of cursor":
      return style?.kind !== "cursor" || style.gives !== undefined || isShaped;
    case "another name of sort":
      return !JSON.stringify(resources).includes('"sort"');
    default:
      return false;
  }
}

/** Operations, types, views, schemas and credentials have names for the document; resources too, unless a body names them. */
function isInnerName(one: Difference): boolean {
  if (!one.what.endsWith(" everywhere")) return false;
  if (
    /^(?:purpose\/operations|endpoints\/endpoints|resources\/(?:types|views|schemas)|authentication\/credentials)\/[^/]+$/.test(
      one.path,
    )
  )
    return true;
  if (/^events\/out\/[^/]+$/.test(one.path)) return !isDelivering(one.before);
  const { endpoints, errors } = one.model;
  const [, name = ""] = one.path.split("/");
  return (
    /^resources\/[A-Z]\w*$/.test(one.path) &&
    (!one.before.operations.some(({ resource }) => resource === name) ||
      !JSON.stringify([endpoints.wrap, errors.body, errors.bodies, errors.messages]).includes("{resource"))
  );
}

/** Whether entity tags are required, and no operation requires one: those that move a record accept it without a tag. */
function isUntaggedEdit({ after, path, what }: Difference): boolean {
  return (
    path === "endpoints/edits" &&
    what === "required for none" &&
    after.operations.every(({ edits }) => edits !== "required")
  );
}

/** Whether a note or an example is altered, and not a field that has this name. */
function isProse({ path }: Difference): boolean {
  const isName =
    /^resources\/(?:[A-Z]\w*|(?:types|views)\/\w+)\/(?:note|example)(?:\/|$)|\/(?:takes|query)\/(?:note|example)(?:\/|$)/;
  return /\/(?:note|example)$/.test(path) && !isName.test(path);
}

/** Whether a wait of webhooks differs by less than what senders add to it or take from it. */
function isWithinSpread({ path, what }: Difference): boolean {
  const [to, from] = what.split(" for ").map((text) => parseClockDuration(text) ?? Number.NaN);
  return /^events\/delivery\/webhook\/retry\/\d+$/.test(path) && Math.abs(Number(to) / Number(from) - 1) < 0.2;
}

function isHidingNothing({ before: { operations }, path }: Difference): boolean {
  const isForAll = (visible: Operation["visible"]): boolean =>
    visible.some((one) => one.if === undefined && one.who.kind === "anyone");
  const isOpen = ({ parents, visible }: Operation): boolean =>
    (visible.length === 0 || isForAll(visible)) && parents.every((parent) => isForAll(parent.visible));
  return path === "authentication/unseen" && operations.every(isOpen);
}

function isForAll({ authentication }: Model): boolean {
  const grants = Object.values(authentication.allow);
  return grants.every((some) => some.some((one) => one.if === undefined && one.who.kind === "anyone"));
}

/** Whether a credential is altered that no request needs: not for a permission, a value, a key of a repeat, an event or a limit. */
function isNeedlessCredential({ before, model, path }: Difference): boolean {
  const { authentication, endpoints, events, limits, resources, states, versioning } = model;
  const { credentials, own, set = {}, show } = authentication;
  const [, name = ""] = /^authentication\/credentials\/([^/]+)/.exec(path) ?? [];
  const isPlain = lookup(credentials, name)?.kind === "api-key";
  const more = [own, set, show, limits, events.in ?? {}, versioning.versions ?? {}];
  const isForOthers = more.some((one) => Object.keys(one).length > 0) || isDelivering(before);
  const isRead = JSON.stringify([endpoints, resources, states]).includes("caller");
  const isRepeated = endpoints.repeats !== undefined && endpoints.repeats !== "none";
  return isPlain && isForAll(model) && !isForOthers && !isRead && !isRepeated;
}

/** Another error with the same status, in a body that has neither code nor title. */
function isSameError({ model: { errors }, path, what }: Difference): boolean {
  const { bodies = {}, body } = errors;
  const used = [body, lookup(bodies, withoutField), ...what.split(" for ").map((code) => lookup(bodies, code))];
  const isNamed = body === "problem+json" || /\{(?:code|title)\}/.test(JSON.stringify(used));
  return /^versioning\/policy\/[^/]+\/error$/.test(path) && !isNamed;
}

/** Whether the code of an error of the document is altered that no client sees: its body has neither the code nor the title. */
function isUnseenCode({ model: { errors }, path }: Difference): boolean {
  const [, code = ""] = /^errors\/codes\/([^/]+)$/.exec(path) ?? [];
  const { bodies = {} } = errors;
  const body = lookup(bodies, code) ?? lookup(bodies, withoutField);
  const isOwn = lookup(errors.errors ?? {}, code) !== undefined;
  return isOwn && body !== undefined && !/\{(?:code|fault|title)\}/.test(JSON.stringify(body));
}

function isSinceNewer({ model, path, what }: Difference): boolean {
  const [, name] = /^versioning\/deprecated\/([^/]+)\/since$/.exec(path) ?? [];
  if (name === undefined) return false;
  const { deprecated = {}, scheme, versions = [] } = model.versioning;
  const newer = versions[versions.findIndex((one) => one.name === name) - 1];
  return what === "without" && scheme === "dated" && newer?.name === lookup(deprecated, name)?.since;
}

/** Whether a type admits more values than before. */
function isWider({ path, what }: Difference): boolean {
  const [to, from] = what.split(" for ").map(Number);
  if (path.endsWith("/min")) return what === "without" || Number(to) < Number(from);
  if (path.endsWith("/max")) return what === "without" || Number(to) > Number(from);
  return /^(?:null besides|true for false|without|number for integer|string for \w+|with the value other)$/.test(what);
}

/** Whether no statement says when there is the error. */
function isOfFunction({ model, path }: Difference): boolean {
  const [part, group, code] = path.split("/");
  if (part !== "errors" || group !== "errors" || code === undefined) return false;
  const { errors: _, ...others } = model;
  return !JSON.stringify(others).includes(`"${code}"`);
}

function isUnseenSentence({ model, path }: Difference): boolean {
  const { body, bodies = {} } = model.errors;
  const hasTitle = [body, ...Object.values(bodies)].some(
    (one) => one === "problem+json" || JSON.stringify(one ?? "").includes("{title}"),
  );
  return /^errors\/errors\/[^/]+\/sentence$/.test(path) && !hasTitle;
}

/** Whether a parameter is false by default, and only the guard of its operation reads it. */
function isAbsentTruth({ model, path, what }: Difference): boolean {
  const [, , operation = "", member, name = "", detail] = path.split("/");
  const { if: guard = "", query = {}, ...others } = lookup(model.endpoints.endpoints, operation) ?? {};
  const written = lookup(query, name)?.default;
  const isFalse = written?.kind === "literal" && written.text === "false";
  const isRead = JSON.stringify([others, model.states]).includes(`input.${name}`);
  return (
    member === "query" && detail === "default" && what === "without" && isFalse && guard === `input.${name}` && !isRead
  );
}

function isLoginInput(one: Difference): boolean {
  const [, operation = "", member] = one.path.split("/").slice(1);
  const isLogin = one.before.operations.some(({ action, name }) => name === operation && action === "login");
  return member === "takes" && isLogin && isWider(one);
}

/** Whether a guard admits one value alone of the member, which the narrower type has too, or none above the greatest. */
function isGuardedInput(one: Difference): boolean {
  const [, operation, member, name] = one.path.split("/").slice(1);
  if (member !== "takes" || !isWider(one)) return false;
  const guards = Object.values(one.model.states).flatMap((lifecycle) =>
    lifecycle === "none" ? [] : lifecycle.moves.flatMap(({ triggers }) => triggers),
  );
  const type = lookup(lookup(one.model.endpoints.endpoints, operation ?? "")?.takes ?? {}, name ?? "")?.type;
  const limit = type !== undefined && "max" in type && one.path.endsWith("/max") ? ` <= ${type.max}` : " ==";
  return guards.some(
    ({ if: guard = "", on }) =>
      on.kind === "by" && on.operation === operation && guard.includes(`input.${name}${limit}`),
  );
}

/** Whether a transition begins in a further state, from which another one with the same trigger leads to the same state. */
function isSecondTransition({ model, path, what }: Difference): boolean {
  const [, resource = "", , name = ""] = path.split("/");
  const lifecycle = lookup(model.states, resource);
  const moves = lifecycle === undefined || lifecycle === "none" ? [] : lifecycle.moves;
  const altered = moves.find((one) => transitionName(one) === name);
  return moves.some(
    ({ from, to, triggers }) =>
      to === altered?.to &&
      JSON.stringify(triggers) === JSON.stringify(altered.triggers) &&
      [from].flat().some((state) => what === `from ${state}, too`),
  );
}

/** Whether a list is empty, and no request creates records of its resource. */
function isListOfFunction({ before, path, what }: Difference): boolean {
  const [, operation] = /^endpoints\/endpoints\/([^/]+)\/where$/.exec(path) ?? [];
  const resource = before.operations.find(({ name }) => name === operation)?.resource;
  return (
    what === "a list of nothing" &&
    resource !== undefined &&
    !before.operations.some((one) => isCreating(one, resource)) &&
    creationsIn([before.operations, before.tables], resource).length === 0
  );
}

function isCreating(one: Operation, resource: string): boolean {
  const isMaking = one.action === "create" || one.action === "handler" || one.creates;
  return (one.resource === resource && isMaking) || one.link?.resource === resource;
}

function isWiderServerField(one: Difference): boolean {
  const [, resource = "", name = "", detail] = one.path.split("/");
  const field = fieldOf(one, resource, name);
  if (field === undefined || !isServerSet(field) || field.optional || field.type.kind === "id") return false;
  return (detail === "optional" || detail === "type") && isWider(one) && !isOtherForFunction(one, resource);
}

/** Whether a function computes values for the declared type, which another type does not admit. */
function isOtherForFunction({ before, what }: Difference, resource: string): boolean {
  const isOfFunction = before.operations.some(({ action, resource: of }) => action === "handler" && of === resource);
  return isOfFunction && what.startsWith("string for ");
}

/** Whether a member of a response, which always has a value of a narrower type, may be left out or have more values. */
function isWiderViewMember(one: Difference): boolean {
  const [, view = "", name = ""] = /^resources\/views\/([^/]+)\/([^/]+)\/(?:optional|type)/.exec(one.path) ?? [];
  if (name === "" || !isWider(one)) return false;
  const { resources, views = {} } = one.model.resources;
  const { members = {}, of = "" } = lookup(views, view) ?? {};
  const shown = [lookup(members, name), lookup(lookup(resources, of)?.fields ?? {}, name)];
  return !shown.some((field) => field?.optional === true || field?.type.kind === "nullable");
}

/** Whether an empty text is admitted or not for a field that paths contain, and so rejected in either case. */
function isInPath({ before, path, what }: Difference): boolean {
  const [, resource = "", name = ""] = path.split("/");
  const isKey = before.operations.some((one) => one.resource === resource && one.key?.column === name);
  return /\/type(?:\/of)?\/min$/.test(path) && /^(?:without|0 for 1)$/.test(what) && (name === "id" || isKey);
}

function isUntouched({ after, path, what }: Difference): boolean {
  const [, resource = ""] = path.split("/");
  if (what !== "the default now on change" && what !== "the default now") return false;
  const table = tableOf(after, resource);
  return (
    table?.timed === undefined &&
    table?.lifecycle === undefined &&
    !after.operations.some((one) => one.resource === resource && /^(?:update|replace|move)$/.test(one.action))
  );
}

function isHiddenId({ before, path }: Difference): boolean {
  const [, resource = "", name, detail] = path.split("/");
  return name === "id" && detail === "type" && !containsId(before, resource);
}

function isRandom(one: Difference): boolean {
  const [, resource = "", name = ""] = one.path.split("/");
  const field = fieldOf(one, resource, name);
  const isOwn = field !== undefined && isServerSet(field);
  return isOwn && /^with(?:out)? unique$/.test(one.what) && /^(?:token|uuid|counter)$/.test(field.default?.kind ?? "");
}

/** Whether a field cannot be changed after the creation, or can, where each request that would change a record is rejected. */
function isUnchangeable({ after, path, what }: Difference): boolean {
  const [, resource = ""] = path.split("/");
  const edits = after.operations.filter(
    (one) => one.resource === resource && (one.action === "update" || one.action === "replace"),
  );
  return /^with(?:out)? create-only$/.test(what) && edits.every(({ response }) => response.differs !== undefined);
}

/** Whether a field has another name that is in no request and in no response. */
function isHiddenField({ after, before, path, what }: Difference): boolean {
  const [, resource = "", name, ...more] = path.split("/");
  if (name === undefined || more.length > 0 || !what.endsWith(" everywhere")) return false;
  const isCarried = Object.values(before.events.out).some(
    (one) => one.resource === resource && one.view === undefined && (one.carries?.includes(name) ?? true),
  );
  if (isDelivering(before) && isCarried) return false;
  // A member of a response may have the same name, and keeps it.
  const namesIn = (members: readonly ResponseMember[] = []): string =>
    JSON.stringify(members.map((one) => [one.name, one.source.kind === "object" && namesIn(one.source.members)]));
  const isIn = (value: unknown): boolean => JSON.stringify(value ?? null).includes(`"${name}"`);
  const isExposed = before.operations.some(
    (one, index) =>
      isIn(one.body?.schema) ||
      one.query.some((parameter) => parameter.name === name) ||
      namesIn(one.response.members) !== namesIn(after.operations[index]?.response.members) ||
      (one.resource === resource && (one.response.kind === "record" || isIn(parametersOf(one.list)))),
  );
  const viewsOf = ({ views = {} }: Plan): string =>
    Object.values(views)
      .map(({ members }) => namesIn(members))
      .join();
  return !isExposed && viewsOf(before) === viewsOf(after);
}

/** The parts of a list in which names are those of parameters or of members. */
function parametersOf(list: Operation["list"]): unknown {
  return (
    list && [
      list.filters,
      list.sorts,
      list.conditions.map(({ name }) => name),
      list.summary?.groups.map(({ name }) => name),
    ]
  );
}

/** Whether a field admits more, and requests and responses are the same nevertheless: `takes` declares what the field gets. */
function isDeclaredByRequests(one: Difference): boolean {
  const [, resource = "", name = "", detail] = one.path.split("/");
  const messages = ({ operations, views }: Plan): string =>
    JSON.stringify([
      operations.map(({ body, query, response: { members = [], ...response } }) => [
        ...[body, query, response],
        outerMembers(members),
      ]),
      Object.entries(views ?? {}).map(([view, { members }]) => [view, outerMembers(members)]),
    ]);
  return (
    name !== "id" &&
    fieldOf(one, resource, name) !== undefined &&
    (detail === "optional" || detail === "type") &&
    isWider(one) &&
    !isOtherForFunction(one, resource) &&
    messages(one.before) === messages(one.after)
  );
}

/** Whether a path or a response contains ids of a resource: its own, or as references of other records. */
function containsId(plan: Plan, resource: string): boolean {
  const isIn =
    (name: string) =>
    (one: Operation): boolean =>
      one.response.kind === "record" ||
      one.key?.column === name ||
      JSON.stringify([one.body?.fields, one.response]).includes(`"${name}"`);
  const isViewed = (of: string, name: string): boolean =>
    Object.values(plan.views ?? {}).some(
      (view) => view.resource === of && view.members.some((member) => isColumn(member, name)),
    );
  return plan.tables.some(({ columns, resource: of }) =>
    columns.some(({ name, references }) => {
      if (of === resource ? name !== "id" : references?.resource !== resource) return false;
      return plan.operations.filter((one) => one.resource === of).some(isIn(name)) || isViewed(of, name);
    }),
  );
}

function isColumn({ source }: ResponseMember, name: string): boolean {
  return source.kind === "column"
    ? source.column === name
    : source.kind === "object" && source.members.some((one) => isColumn(one, name));
}

/** Records that operations only link and unlink: at most one of each pair, with or without a rule; and nobody sees them. */
function isLinkedOnly({ before, path, what }: Difference): boolean {
  const [, first = "", second = "", detail] = path.split("/");
  const resource = first === "rules" ? second : first;
  const isLinked = before.operations.some(({ link }) => link?.resource === resource);
  if (!path.startsWith("resources/") || !isLinked || before.operations.some((one) => one.resource === resource))
    return false;
  return first === "rules"
    ? // With the id among its fields, a rule rejects nothing.
      (/^resources\/rules\/[^/]+(?:\/0)?$/.test(path) && /^without\b| for \w+$/.test(what)) ||
        (/\/unique\/\w+$/.test(path) && what.startsWith("id for "))
    : detail === "optional" || /^with (?:write|read|create)-only$/.test(what);
}

/** Whether a field cannot be returned any more, which nothing returns. */
function isUnshown({ before, path, what }: Difference): boolean {
  const [, resource = "", name = ""] = path.split("/");
  return /^with(?:out)? write-only$/.test(what) && !isShown(before, resource, name);
}

/** Whether a response or an event may show a field of a record. */
function isShown({ events, operations, views = {} }: Plan, resource: string, name: string): boolean {
  const isMember = (members: readonly ResponseMember[] = []): boolean =>
    members.some((one) => isColumn(one, name) || JSON.stringify(one.source).includes(`"name":"${name}"`));
  return (
    operations.some(({ resource: of, response }) => of === resource && response.kind === "record") ||
    operations.some(({ response }) => isMember(response.members)) ||
    Object.values(views).some(({ members }) => isMember(members)) ||
    Object.values(events.out).some((one) => one.resource === resource && one.view === undefined)
  );
}

function isUniqueSecret(one: Difference): boolean {
  const [, resource = "", name = ""] = one.path.split("/");
  return one.what === "with unique" && fieldOf(one, resource, name)?.marks.includes("secret") === true;
}

/** Whether it is altered how long a revocation takes, of a credential that is a name and a password of a record. */
function isRecordRevoked({ model, path }: Difference): boolean {
  const [, name = ""] = /^authentication\/credentials\/([^/]+)\/revoked$/.exec(path) ?? [];
  const { kind, of } = lookup(model.authentication.credentials, name) ?? {};
  return kind === "basic" && of !== undefined;
}

/** Whether an empty text is admitted or not, which the pattern rejects, so that another violation is the only difference. */
function isBelowPattern(one: Difference): boolean {
  const [, resource = "", name = ""] = one.path.split("/");
  const type = fieldOf(one, resource, name)?.type;
  const pattern = type?.kind === "scalar" && "pattern" in type ? type.pattern : undefined;
  const { bodies = {}, body } = one.model.errors;
  const isNamed = body === "problem+json" || JSON.stringify([body, bodies]).includes("{fault}");
  const isEmpty = one.path.endsWith("/type/min") && /^(?:without|0 for 1)$/.test(one.what);
  return isEmpty && pattern !== undefined && !isNamed && !new RegExp(pattern, "u").test("");
}

/** Whether a default is altered of a field that each further write sets, where nothing else creates records. */
function isUnusedDefault({ before, path }: Difference): boolean {
  const [, resource = "", name = "", detail] = path.split("/");
  if (detail !== "default" || before.operations.some((one) => isCreating(one, resource))) return false;
  const writes = creationsIn([before.operations, before.tables], resource);
  return writes.length > 0 && writes.every(({ values }) => values.some(({ field }) => field === name));
}

/** Returns the further writes that create records of a resource, wherever they are in a plan. */
function creationsIn(value: unknown, resource: string): readonly FurtherWritePlan[] {
  if (typeof value !== "object" || value === null) return [];
  const { kind, resource: of, values } = value as Partial<FurtherWritePlan>;
  if (kind === "create" && Array.isArray(values)) return of === resource ? [value as FurtherWritePlan] : [];
  return Object.values(value).flatMap((inner) => creationsIn(inner, resource));
}

function fieldOf({ model }: Difference, resource: string, name: string): Field | undefined {
  return lookup(lookup(model.resources.resources, resource)?.fields ?? {}, name);
}

function tableOf(plan: Plan, resource: string): Table | undefined {
  return plan.tables.find((table) => table.resource === resource);
}

// ── The behaviour of a plan ────────────────────────────────────────────────────────────────────────────────────────

/** The plan as text, without prose and without what no operation reaches. */
export const behaviourOf: (plan: Plan) => string = onceFor((plan) => JSON.stringify(outerPlan(plan)));

function outerPlan(plan: Plan): object {
  const { stream } = plan.events;
  const operation = (one: Operation): Operation => outerOperation(plan, one);
  return {
    ...plan,
    ...{ title: "", purpose: "", history: [], unenforced: [], system: [], roles: plan.roles.toSorted() },
    tables: plan.tables.map((table) => outerTable(plan, table)),
    operations: plan.operations.map(operation),
    views:
      plan.views &&
      Object.entries(plan.views).map(([name, view]) => [name, { ...view, members: outerMembers(view.members) }]),
    errors: Object.entries(plan.errors).map(([code, { source: _, ...error }]) => [code, error]),
    events: isDelivering(plan) && {
      ...plan.events,
      ...(stream && { stream: { ...stream, follow: operation(stream.follow), read: operation(stream.read) } }),
    },
    versions: plan.versions && {
      ...plan.versions,
      list: plan.versions.list.map(({ older, ...version }) => ({
        ...version,
        older: older && { ...older, received: outerPlan(older.received), operations: older.operations.map(operation) },
      })),
    },
  };
}

function isDelivering({ events }: Plan): boolean {
  return events.webhook !== undefined || events.stream !== undefined;
}

function outerOperation(plan: Plan, operation: Operation): Operation {
  const { guard } = operation;
  // What the guard never lets run has no response but errors.
  const isNever = guard?.if.kind === "constant" && guard.if.value === false;
  const response: Operation["response"] = isNever
    ? { ...operation.response, kind: "none", members: [] }
    : operation.response;
  return {
    ...operation,
    response,
    ...{ sentence: "", needs: [], effects: outerEffects(plan, operation.effects) },
    ...(isDelivering(plan) ? {} : { emits: [] }),
    ...(response.members && { response: { ...response, members: outerMembers(response.members) } }),
  };
}

/** The schema of a value that a response contains is for descriptions of the API: the value is the same. */
function outerMembers(members: readonly ResponseMember[]): readonly ResponseMember[] {
  return members.map((member) => {
    const { source } = member;
    if (source.kind === "object") return { ...member, source: { ...source, members: outerMembers(source.members) } };
    return source.kind === "column" || source.kind === "expression"
      ? { ...member, source: { ...source, schema: {} } }
      : member;
  });
}

/** Without delivery, the name of an event is seen by nobody. */
function outerEffects(plan: Plan, effects: readonly EffectPlan[]): readonly EffectPlan[] {
  if (isDelivering(plan)) return effects;
  return effects.map((effect) => ({ ...effect, event: "", payload: [], effects: outerEffects(plan, effect.effects) }));
}

function outerTable(plan: Plan, table: Table): Table {
  const { lifecycle, timed } = table;
  return {
    ...table,
    ...{ indexes: [], virtual: table.virtual.map((virtual) => ({ ...virtual, schema: {} })) },
    columns: table.columns.map((column) => outerColumn(plan, table, column)),
    // What a final state means (which records count, when retention begins) is resolved where it is used.
    ...(lifecycle && { lifecycle: { ...lifecycle, final: [], emits: isDelivering(plan) ? lifecycle.emits : {} } }),
    ...(timed && {
      timed: inAnyOrder(timed).map((job) =>
        job.action.kind === "move"
          ? { ...job, action: { ...job.action, effects: outerEffects(plan, job.action.effects) } }
          : job,
      ),
    }),
  };
}

/** Of timers of different states, the order is nothing: a record is in one state, and a timer may be a second late. */
function inAnyOrder(timed: readonly TimedJob[]): readonly TimedJob[] {
  const states = timed.map((job) => job.states ?? []);
  const isDisjoint = states.every((some) => some.length > 0) && new Set(states.flat()).size === states.flat().length;
  return isDisjoint ? timed.toSorted((one, other) => String(one.states).localeCompare(String(other.states))) : timed;
}

function outerColumn(plan: Plan, { resource }: Table, column: Column): Column {
  const { default: made, ...others } = column;
  const { marks, name, references } = others;
  const isFixed = plan.operations.some(({ resource: of, body }) => of === resource && body?.fixed.includes(name));
  return {
    ...others,
    // Without a default a column is null, too; whether a body needs the member is in the schema of the body.
    ...(made === undefined || (made.kind === "literal" && made.value === null) ? {} : { default: made }),
    marks: marks.filter(
      (mark) => mark === "secret" || mark === "write-only" || (isFixed && /^(?:read|create)-only$/.test(mark)),
    ),
    // Bodies have schemas of their own; this one is for values that the server computes.
    ...(column.computed !== undefined || name === "id" || isAssigned(plan, name) ? {} : { schema: {} }),
    ...(references && !isDeleted(plan, references.resource) && { references: { ...references, onDelete: "refuse" } }),
  };
}

/** Whether a transition or a function sets a field of this name. */
function isAssigned(plan: Plan, name: string): boolean {
  return plan.operations.some(({ action }) => action === "handler") || assignedNames(plan).has(name);
}

const assignedNames = onceFor((plan: Plan): ReadonlySet<string> => {
  const text = JSON.stringify([plan.operations, plan.tables]);
  return new Set([...text.matchAll(/\{"field":"(\w+)","expression"/g)].map(([, name = ""]) => name));
});

/** Whether anything deletes records of a resource: an operation, time, or the deletion of other records. */
function isDeleted(plan: Plan, resource: string, within: readonly string[] = []): boolean {
  if (within.includes(resource)) return false;
  const isDeleting = ({ action, resource: of }: Operation): boolean =>
    of === resource && (action === "delete" || action === "clear");
  if (plan.operations.some(isDeleting)) return true;
  const table = tableOf(plan, resource);
  if (table?.timed?.some(({ action }) => action.kind === "delete")) return true;
  const outer = [...within, resource];
  return (
    table?.columns.some(
      ({ references }) => references?.onDelete === "delete" && isDeleted(plan, references.resource, outer),
    ) ?? false
  );
}

function isUsualRepeats({ model, path, what }: Difference): boolean {
  const { repeats } = model.endpoints;
  const isUsual = repeats !== undefined && repeats !== "none" && repeats.kept === "24h" && repeats.required !== true;
  return path === "endpoints/repeats" && what === "without" && isUsual && repeats.header === "Idempotency-Key";
}

/** Whether the transition of a state needs another state. */
function isNeverTrue({ model, path, what }: Difference): boolean {
  // From a further state the guard may be true.
  if (what.startsWith("from ")) return false;
  const [, resource = "", , name = ""] = path.split("/");
  const lifecycle = lookup(model.states, resource);
  const moves = lifecycle === undefined || lifecycle === "none" ? [] : lifecycle.moves;
  return moves.some(
    (one) =>
      transitionName(one) === name &&
      one.triggers.every(({ if: guard }) => one.from.length === 1 && guard === `state != '${one.from[0]}'`),
  );
}
