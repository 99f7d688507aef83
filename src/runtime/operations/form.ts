/** Reads `multipart/form-data` (RFC 7578): streams files into the store, and returns all other parts as body members. */
import { fragmentTo } from "../../base/json-pointer.ts";
import { type Json, type JsonObject, isObject } from "../../base/json.ts";
import type { BodyPlan } from "../../plan/endpoints/types.ts";
import type { FileStore } from "../../store/port/store.ts";
import type { Account } from "../../http/memory-budget.ts";
import { noRoom, type Violation, invalid, malformed, ApiError } from "../errors/api-error.ts";
import { parseJson } from "../../http/json.ts";
import { type Gathered, gather } from "../../http/byte-buffer.ts";
import { boundaryOf, createMultipartReader, decoded, MultipartError, type PartEvent, type PartHead } from "../../http/multipart.ts"; // biome-ignore format: one line
import { fits, type Receiving, receive } from "../validation/upload.ts";

/** Reads a body; waits for `consume` before it reads on. */
export type UploadPipe = (limit: number, consume: (bytes: Buffer) => Promise<void>) => Promise<void>;

export interface FormOptions {
  readonly contentType: string;
  readonly body: BodyPlan;
  /** The most bytes of everything except files. */
  readonly maxBytes: number;
  readonly files: FileStore;
  /** Creates a file id; the caller of this code deletes files that no record uses. */
  readonly newFile: () => string;
  readonly account: Account | undefined;
}

export async function readForm(pipe: UploadPipe, options: FormOptions): Promise<JsonObject> {
  const { account, body, contentType, files, maxBytes, newFile } = options;
  const plans = body.files ?? {};
  const texts = new Map<string, Text[]>();
  const members = new Map<string, Json>();
  const violations: Violation[] = [];
  let room = maxBytes;
  let parts = 0;
  let part: Part = passedOver;

  const begin = (head: PartHead): Part => {
    const { filename, name } = head;
    parts += 1;
    if (parts > mostParts) throw tooLarge(`A form may have at most ${mostParts} parts`);
    if (!isFile(head, plans)) {
      spend(Buffer.byteLength(name));
      const text: Text = { head, bytes: gather(room, account) };
      texts.set(name, [...(texts.get(name) ?? []), text]);
      return { kind: "text", ...text };
    }
    const type = head.type ?? "application/octet-stream";
    const plan = lookup(plans, name);
    const violation =
      plan === undefined ? "cannot be a file" : fits(type, plan.media) ? undefined : `is ${plan.media.join(" or ")}`;
    if (plan === undefined || violation !== undefined || members.has(name)) {
      const code = plan === undefined ? "wrong-type" : violation ? "not-one-of" : "repeated";
      violations.push({ pointer: fragmentTo([name]), code, detail: `${name} ${violation ?? "is one file"}` });
      return passedOver;
    }
    members.set(name, null);
    const fileInfo = { type, name: filename === "" ? undefined : filename };
    return { kind: "file", name, receiving: receive(files, newFile(), plan, fileInfo, account) };
  };
  const spend = (bytes: number): void => {
    room -= bytes;
    if (room < 0) throw tooLarge(`A request may have at most ${maxBytes} bytes`);
  };
  const consume = async (event: PartEvent): Promise<void> => {
    if (event.kind === "part") part = begin(event.head);
    else if (part.kind === "text") {
      if (event.kind === "end") return;
      spend(event.bytes.length);
      if (!part.bytes.add(event.bytes) || !part.bytes.copy()) throw noRoom();
    } else if (part.kind === "file") {
      if (event.kind === "bytes") await part.receiving.write(event.bytes);
      else members.set(part.name, (await part.receiving.end()) as unknown as Json);
    }
  };

  const roomForFiles = Object.values(plans).reduce((sum, plan) => sum + plan.maxBytes, 0);
  try {
    const reader = createMultipartReader(boundaryOf(contentType));
    await pipe(maxBytes + roomForFiles + overheadBytes, async (bytes) => {
      for (const event of reader.read(bytes)) await consume(event);
    });
    reader.end();
    for (const [name, sent] of texts)
      for (const [member, value] of Object.entries(membersOf(name, sent, body, violations))) {
        if (members.has(member)) violations.push(duplicateField(member));
        else members.set(member, value);
      }
  } catch (thrown) {
    throw thrown instanceof MultipartError ? unreadable(thrown) : thrown;
  }
  if (violations.length > 0) throw invalid(violations);
  return Object.fromEntries(members);
}

/** The part of the form that is being read. */
type Part =
  | ({ readonly kind: "text" } & Text)
  | { readonly kind: "file"; readonly name: string; readonly receiving: Receiving }
  /** A part that is skipped; it is rejected after the whole form is read. */
  | { readonly kind: "passed-over" };

const passedOver: Part = { kind: "passed-over" };

interface Text {
  readonly head: PartHead;
  readonly bytes: Gathered;
}

const mostParts = 1000;

/** How many more bytes the delimiters and headers of parts may have. */
const overheadBytes = 256 * 1024;

/**
 * Whether a part is a file: a part with a file name is. JSON is a file only if the document expects one, because a browser's
 * `FormData` can send JSON only as a file.
 */
function isFile({ filename, name, type }: PartHead, plans: NonNullable<BodyPlan["files"]>): boolean {
  if (type === json && !Object.hasOwn(plans, name)) return false;
  return filename !== undefined || type === "application/octet-stream";
}

const json = "application/json";

function tooLarge(detail: string): ApiError {
  return new ApiError("too-large", { detail, close: true });
}

function unreadable({ message }: MultipartError): ApiError {
  return malformed({ pointer: "#", code: "bad-form", detail: `The body is not multipart/form-data: ${message}` });
}

function duplicateField(name: string): Violation {
  return { pointer: fragmentTo([name]), code: "repeated", detail: `${name} is sent more than once` };
}

function lookup<Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** Returns the value of a field; or the members of a JSON part whose name is no field. */
function membersOf(name: string, parts: readonly Text[], body: BodyPlan, violations: Violation[]): JsonObject {
  const schema = lookup(body.schema["properties"] as Readonly<Record<string, JsonObject>>, name);
  const values = parts.map(({ bytes, head }): Json => {
    if (head.type !== json) return valueOf(textOf(head, bytes.consume()), itemOf(schema, parts.length));
    const parsed = parseJson(bytes.consume());
    if (parsed.kind === "value") return parsed.value;
    violations.push({ pointer: fragmentTo([name]), code: "bad-json", detail: parsed.detail });
    return null;
  });
  const [first = null] = values;
  if (schema === undefined && values.length === 1 && isObject(first)) return first;
  const isList = typesOf(schema).includes("array") && !(values.length === 1 && Array.isArray(first));
  return { [name]: isList || values.length > 1 ? values : first };
}

/** Returns the text of a part. Rejects ambiguous texts, which other programs may decode differently. */
function textOf({ isUtf8, name, type }: PartHead, bytes: Buffer): string {
  if (type?.startsWith("multipart/")) throw new MultipartError(`the part ${name} holds parts`);
  if (!isUtf8) throw new MultipartError(`the part ${name} is not UTF-8`);
  return decoded(bytes, `the part ${name}`);
}

/** Returns the schema of a part: for a list, each item is a separate part. */
function itemOf(schema: JsonObject | undefined, count: number): JsonObject | undefined {
  const isList = typesOf(schema).includes("array");
  return isList && (count > 1 || schema?.["items"] !== undefined) ? (schema?.["items"] as JsonObject) : schema;
}

function typesOf(schema: JsonObject | undefined): readonly Json[] {
  const type = schema?.["type"];
  return Array.isArray(type) ? (type as readonly Json[]) : type === undefined ? [] : [type];
}

/** Parses a text to the type of its schema. An unparsable text stays a string, which the validator rejects. */
function valueOf(text: string, schema: JsonObject | undefined): Json {
  const types = typesOf(schema);
  if (types.length === 0 || types.includes("string")) return text;
  const parsed = parseJson(Buffer.from(text));
  return parsed.kind === "value" && typeof parsed.value !== "string" ? parsed.value : text;
}
