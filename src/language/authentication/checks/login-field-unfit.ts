/** Reports a login whose fields cannot identify or authenticate a record. */
import { inputOf } from "../../endpoints/input.ts";
import { type DocumentIndex, declares } from "../../analysis/document-index.ts";
import type { Check, Finding } from "../../analysis/finding.ts";
import type { Model } from "../../model.ts";
import { bareType, fieldsOf, isUnique, lookup } from "../../resources/fields.ts";
import { valueTypeOf } from "../../resources/value-type.ts";
import { presentSecretName } from "../login.ts";
import type { Credential } from "../model.ts";

export const check: Check = {
  code: "authentication/login-field-unfit",
  severity: "error",
  why: "A login finds the record by one field and identifies the caller by another, and the secret must be stored as a hash.",
  *run(documentIndex) {
    if (!declares(documentIndex, "resources")) return;
    for (const [name, credential] of Object.entries(documentIndex.model.authentication.credentials)) {
      if (credential.kind !== "password" && credential.kind !== "basic") continue;
      yield* findingsOf(documentIndex.model, name, credential);
      yield* changedFindings(documentIndex, name, credential);
    }
  },
};

/**
 * Reports that callers cannot send their current secret when they change it: the body has no separate member for it, or no
 * operation accepts it.
 */
function* changedFindings(
  documentIndex: DocumentIndex,
  credential: string,
  { of, field, changed }: Credential,
): Iterable<Finding> {
  if (of === undefined || field === undefined || changed === undefined || !declares(documentIndex, "endpoints")) return;
  const at = `authentication/credentials/${credential}/changed`;
  const help = `write \`changed: with ${presentSecretName(field)}\``;
  if (lookup(fieldsOf(documentIndex.model, of), changed) !== undefined) {
    yield { at, message: `\`${changed}\` is already a field of ${of}`, help };
    return;
  }
  const changing = [...documentIndex.endpoints.values()].filter((resolved) => {
    if (resolved.kind !== "resource") return true;
    if (resolved.resource !== of || (resolved.action !== "update" && resolved.action !== "replace")) return false;
    return inputOf(documentIndex.model, resolved).some(({ name, sets }) => sets && name === field);
  });
  if (changing.length === 0) {
    const message = `No operation changes \`${field}\` of ${of}, so no request sends the current one`;
    yield { at, message, help: "leave `changed` out" };
  }
  for (const resolved of changing) {
    if (resolved.kind !== "resource") continue;
    const named = inputOf(documentIndex.model, resolved).find(({ name }) => name === changed);
    if (named?.proves !== undefined) continue;
    yield { at, message: `\`${resolved.operation}\` already has a different input \`${changed}\``, help };
  }
}

function* findingsOf(model: Model, credential: string, definition: Credential): Iterable<Finding> {
  const { kind, of, name, field, roles } = definition;
  const at = `authentication/credentials/${credential}`;
  if (of === undefined) {
    if (kind === "basic" && (name !== undefined || field !== undefined || (roles !== undefined && "field" in roles)))
      yield {
        at,
        message: `\`${credential}\` does not name the resource that its fields belong to`,
        help: "write `of: User`",
      };
    return;
  }
  if (kind === "basic" && (name === undefined || field === undefined)) {
    const message = `\`${credential}\` needs two fields of ${of}: \`name\`, by which a login finds the record, and \`secret\``;
    yield { at, message, help: `write \`{ kind: basic, of: ${of}, name: email, secret: password }\`` };
  }
  const fields = fieldsOf(model, of);
  const id = lookup(fields, "id");
  if (id !== undefined && valueTypeOf(model, id.type).kind !== "string") {
    const message = `The id of ${of} is a number, but \`caller.id\` is text`;
    yield { at: `${at}/of`, message, help: "let the service generate the id: `id: id(usr)`" };
  }
  const named = name === undefined ? undefined : lookup(fields, name);
  if (name !== undefined && named !== undefined) {
    if (!isUnique(model, of, name)) {
      const message = `Two ${of} records can have the same \`${name}\`, so it does not identify who logs in`;
      yield { at: `${at}/name`, message, help: `mark the field \`unique\`` };
    } else if (valueTypeOf(model, named.type).kind !== "string") {
      yield {
        at: `${at}/name`,
        message: `\`${name}\` is not a text field`,
        help: "name a field such as `email: email, unique`",
      };
    }
  }
  const secret = field === undefined ? undefined : lookup(fields, field);
  if (field !== undefined && secret !== undefined) {
    const bare = bareType(secret.type);
    if (!secret.marks.includes("secret")) {
      const message = `\`${field}\` of ${of} is not marked \`secret\`, so the service would store it in plain text and return it`;
      yield { at: `${at}/secret`, message, help: `write \`${field}: string(8..72), secret\` in part 2` };
    } else if (bare.kind !== "scalar" || (bare.name !== "string" && bare.name !== "text")) {
      yield {
        at: `${at}/secret`,
        message: `\`${field}\` is not a text field`,
        help: `write \`${field}: string(8..72), secret\``,
      };
    }
  }
  const from = roles !== undefined && "field" in roles ? lookup(fields, roles.field) : undefined;
  if (from === undefined) return;
  const type = valueTypeOf(model, from.type);
  if (type.kind === "string" || (type.kind === "list" && type.of.kind === "string")) return;
  const message = "A role is text, and this field is neither text nor a list of texts";
  yield { at: `${at}/roles`, message, help: "name a field such as `role: member | warden`" };
}
