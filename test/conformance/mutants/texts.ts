/**
 * Other texts of the same kind, for each member of a model that is a text: another duration, another name of a header, an
 * expression with one operator changed. A row has the declared type and the member, with a `*` for each list or map around the
 * text; the test of this folder compares the rows with the declarations.
 */
import type { Model } from "../../../src/language/model.ts";
import { otherExpressions } from "./expressions.ts";

type Other = (text: string, model: Model) => readonly string[];

/** The names that documents declare elsewhere are replaced by `names.ts`, which knows what they refer to. */
const reference: Other = () => [];
/** Not altered here: the comment in the row says where, or why not at all. */
const elsewhere: Other = () => [];

const longer: Other = (text) => [`${text}x`];
/** The first number one more and one less: `48h`, `15min`, `256KB`. */
const amount: Other = (text) =>
  /\d/.test(text)
    ? [1, -1].map((by) => text.replace(/\d+/, (number) => String(Number(number) + by)))
    : [`2${text}`].filter(() => !text.includes(" "));
const expression: Other = (text, model) => otherExpressions(text, model);
const prose: Other = (text) => [`${text} of another kind`];
const pattern: Other = (text) =>
  /\{\d/.test(text) ? [text.replace(/\{(\d+)/, (_, number: string) => `{${Number(number) + 1}`)] : [`${text}x`];
const literal: Other = (text) => {
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return [String(Number(text) + 1)];
  if (/^(?:true|false)$/.test(text)) return [String(text !== "true")];
  if (/^-?\d+\.\d+ [A-Z]{3}$/.test(text)) return [text.replace(/\d/, (digit) => String((Number(digit) + 1) % 10))];
  if (text === "null") return ["0", "''"];
  return text === "Europe/Oslo" ? ["Europe/Paris"] : [text.startsWith("'") ? text.replace(/'$/, "x'") : `${text}x`];
};
const zone: Other = (text) => [text === "Europe/Oslo" ? "Asia/Tokyo" : "Europe/Oslo"];
const day: Other = (text) => [text.replace(/\d\d$/, (number) => String((Number(number) % 28) + 1).padStart(2, "0"))];
const url: Other = (text) => [`${text}x`];

export const rows: Readonly<Record<string, Other>> = {
  "Purpose.nonet": elsewhere, // The edition of the language: there is one.
  "Purpose.service": longer,
  "Purpose.domain": prose,
  "Purpose.purpose": prose,
  "Purpose.users*": prose,
  "Purpose.outside*": prose,
  "Purpose.operations*": prose,
  "ViewDefinition.of": reference,
  "ViewDefinition.fields*": reference,
  "Field.computed": expression,
  "Field.note": prose,
  "ExistingTable.name": elsewhere, // A service without such a table makes its own.
  "ExistingTable.columns*": elsewhere,
  "FieldType.pattern": pattern,
  "FieldType.prefix": longer,
  "FieldType.alphabet": elsewhere, // Another alphabet makes other ids, of which a test sees a few.
  "FieldType.values*": longer,
  "FieldType.name": reference,
  "FieldType.media*": elsewhere, // Dropped: another media type is `image/*` without it.
  "Default.text": literal,
  "Default.per": reference,
  "Rule.fields*": reference,
  "Rule.else": reference,
  "Rule.expression": expression,
  "Lifecycle.states*": prose,
  "Lifecycle.start": reference,
  "Lifecycle.final*": reference,
  "Transition.from*": reference,
  "Transition.to": reference,
  "Trigger.if": expression,
  "Trigger.else": reference,
  "Trigger.set*": expression,
  "Trigger.where": expression,
  "Trigger.sort": reference,
  "FurtherWrite.resource": reference,
  "FurtherWrite.name": elsewhere, // A name within the write alone.
  "FurtherWrite.list": expression,
  "FurtherWrite.if": expression,
  "FurtherWrite.where": expression,
  "FurtherWrite.sort": reference,
  "FurtherWrite.with*": expression,
  "FurtherWrite.set*": expression,
  "FurtherWrite.else": reference,
  "TriggerSource.operation": reference,
  "TriggerSource.duration": amount,
  "TriggerSource.field": reference,
  "TriggerSource.events*": reference,
  "Endpoints.base": (text) => [`${text}/v0`],
  "Cors.origins*": (text) => [text.replace("://", "://x")],
  "Cors.keep": amount,
  "Mcp.at": longer,
  "ListNames.limit": longer,
  "ListNames.cursor": longer,
  "ListNames.offset": longer,
  "ListNames.page": longer,
  "ListNames.sort": longer,
  "ListNames.search": longer,
  "ListNames.after": longer,
  "ListNames.before": longer,
  "ListNames.end": longer,
  "ListNames.direction": longer,
  "ListStyle.headers*": expression,
  "Endpoints.fields": longer,
  "ExpandStyle.name": longer,
  "Endpoint.fields": longer,
  "Endpoint.element": longer,
  "Endpoint.group*": expression,
  "ManyRecords.of": reference,
  "Operators.eq": longer,
  "Operators.ne": longer,
  "Operators.gt": longer,
  "Operators.gte": longer,
  "Operators.lt": longer,
  "Operators.lte": longer,
  "Operators.contains": longer,
  "Operators.startsWith": longer,
  "Operators.null": longer,
  "ListParameterName.as": longer,
  "ListNames.items": longer,
  "ListNames.next": longer,
  "ListNames.count": longer,
  "Wrap.one": (text) => [text.startsWith("{") ? "record" : `${text}x`],
  "Wrap.many": (text) => [text.startsWith("{") ? "records" : `${text}x`],
  "IdempotencyStyle.header": longer,
  "IdempotencyStyle.kept": amount,
  // The resolved path of an older version, which no document can declare.
  "PathKey.parameter": elsewhere,
  "PathKey.column": elsewhere,
  "PathPart.parameter": elsewhere,
  "PathPart.column": elsewhere,
  "PathParent.parameter": elsewhere,
  "PathParent.resource": elsewhere,
  "PathParent.column": elsewhere,
  "PathParent.field": elsewhere,
  "AcceptedMedia.type": longer,
  "AcceptedMedia.as": longer,
  "Endpoint.path": elsewhere, // `additions.ts`, together with what the path implies.
  "Endpoint.of": reference,
  "Endpoint.nesting**": longer,
  "Endpoint.takesView": reference,
  "Endpoint.headers*": expression,
  "OrderKey.field": reference,
  "Endpoint.where": expression,
  "Endpoint.if": expression,
  "Endpoint.else": reference,
  "Endpoint.the": expression,
  // Only the exported description has what another service sends.
  "SentRequest.note": elsewhere,
  "SentRequest.of": reference,
  "SentRequest.to": elsewhere,
  "Parameter.note": prose,
  "ContractBody.media*": longer,
  "ContractBody.note": prose,
  "ContractResponse.media*": longer,
  "ContractResponse.note": prose,
  "ResponseTemplate.": expression,
  "Association.in": reference,
  "Association.with*": expression,
  "Filter.if": expression,
  "Statuses.differs": reference,
  "Accepted.if": expression,
  "Choice.from": reference,
  "Choice.if": expression,
  "Choice.else": reference,
  "Authentication.roles*": reference,
  "Authentication.own*": expression,
  "Credential.obtained": prose,
  "Credential.renewed": amount,
  "Credential.prefix": (text) => [`x${text}`],
  "Credential.lasts": amount,
  "Credential.revoked": (text) => (/\d/.test(text) ? amount(text, {} as Model) : [text === "none" ? "at once" : "1h"]),
  "Credential.secret": elsewhere, // The name of a variable of the operator, or of a field: callers do not see it.
  "Credential.formerSecrets*": elsewhere, // As the secret itself.
  "Credential.tolerance": amount,
  "Credential.issuer": url,
  "Credential.audience": longer,
  "Credential.jwks": url,
  "Credential.user": longer,
  "Credential.claim": longer,
  "Credential.field": reference,
  "Credential.roles*": reference,
  "Credential.of": reference,
  "Credential.name": reference,
  "Credential.changed": longer,
  "Credential.scopes*": longer,
  "Credential.scopeRoles**": reference,
  "Credential.at": longer,
  "Credential.login": reference,
  "SentIn.header": (text) => [text === "Authorization" ? "X-Key" : `${text}x`],
  "SentIn.scheme": longer,
  "SentIn.cookie": longer,
  "SentIn.query": longer,
  "Grant.role": reference,
  "Grant.if": expression,
  "InEvent.is*": longer,
  "InEvent.once": elsewhere, // A member or a header field of the event, declared in `carries` or by the sender.
  "OutEvent.carries*": reference,
  "OutEvent.view": reference,
  "EventSource.resource": reference,
  "EventSource.state": reference,
  "EventSource.operation": reference,
  "InEvent.path": longer,
  "InEvent.with": reference,
  "InEvent.optional*": elsewhere, // Dropped, which makes the member required.
  "Webhook.path": longer,
  "Webhook.promise": (text) => [text.replace(", in order per resource", "")].filter((other) => other !== text),
  "Webhook.timeout": amount,
  "Webhook.retry*": amount,
  "Webhook.keep": amount,
  "Stream.path": longer,
  "Stream.resume": longer,
  "Stream.keep": amount,
  "Errors.codes*": longer,
  "Errors.messages*": prose,
  "Errors.standard*": reference,
  "DeclaredError.sentence": prose,
  "DeclaredError.retryAfter": amount,
  "StandardError.title": elsewhere, // The catalogue of the language, not of a document.
  "Limits.size*": amount,
  "Limits.time*": amount,
  "Rate.window": amount,
  "Rate.per": (text) => [text === "user" ? "ip" : "user"],
  "Quota.window": amount,
  "Quota.zone": zone,
  "Rate.zone": zone,
  "Quota.per": (text) => [text === "user" ? "ip" : "user"],
  "Quota.states*": reference,
  "Retention.duration": amount,
  "Retention.after": reference,
  "VersionLocation.name": longer,
  "VersionLocation.template": (text) => [`/x${text}`],
  "VersionPolicy.breaking": prose,
  "VersionPolicy.notice": amount,
  "VersionPolicy.support": amount,
  "VersionResponse.error": reference,
  "Version.name": elsewhere, // `names.ts`: `deprecated` names it, too.
  "Change.to": reference,
  "Change.taken": literal,
  "Change.type": (text) => [text === "string" ? "integer" : "string"],
  "Change.seen": literal,
  "Change.was": longer,
  "Change.operation": reference,
  "Change.path": longer,
  "Change.code": reference,
  "Change.name": reference,
  "Change.resource": reference,
  "Change.value": reference,
  "ChangeTarget.of": reference,
  "ChangeTarget.field": reference,
  "Deprecation.since": day,
  "Deprecation.sunset": day,
  "Deprecation.guide": url,
};

/** `within`: the declared type and the member of a text, without the lists and maps around it. */
export function otherTexts(model: Model, within: string, text: string): readonly string[] {
  const row = Object.entries(rows).find(([key]) => key.replaceAll("*", "") === within)?.[1];
  if (row === undefined) throw new Error(`no row of texts.ts is about ${within}`);
  return row(text, model).filter((other) => other !== text);
}
