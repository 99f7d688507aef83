/** `multipart/form-data` (RFC 7578): files into the store as they come, all other parts as the members of a body. */
import { fragmentTo } from "../base/json-pointer.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { isObject } from "../base/json.ts";
import type { BodyPlan } from "../plan/plan.ts";
import type { FileStore } from "../store/store.ts";
import { parseJson } from "./json.ts";
import { parseMediaType } from "./negotiation.ts";
import { type Fault, invalid, malformed, Refusal } from "./refusal.ts";
import { fits, receive } from "./upload.ts";

/** Where the bytes of a body come from: the next ones are asked for when `take` has taken the last. */
export type Pour = (limit: number, take: (bytes: Buffer) => Promise<void>) => Promise<void>;

export interface FormOptions {
  readonly contentType: string;
  readonly body: BodyPlan;
  /** For all that is no file. */
  readonly maxBytes: number;
  readonly files: FileStore;
  /** Makes the id of a file; whoever calls discards those that no record was given. */
  readonly newFile: () => string;
}

export async function readForm(pour: Pour, options: FormOptions): Promise<JsonObject> {
  const { body, contentType, files, maxBytes, newFile } = options;
  const { Busboy } = await import("@fastify/busboy");
  const plans = body.files ?? {};
  const texts = new Map<string, Part[]>();
  const input: Record<string, Json> = {};
  const faults: Fault[] = [];
  const work: Promise<void>[] = [];
  let failure: Error | undefined;
  let room = maxBytes;
  const fail = (thrown: unknown): void => {
    failure ??= thrown instanceof Error ? thrown : new Error(String(thrown));
  };
  const isPartAFile = fileParts(Object.keys(plans));
  const form = parserOf(() => new Busboy({ headers: { "content-type": contentType }, limits, isPartAFile }));
  const ended = new Promise<void>((resolve) => {
    form.once("finish", resolve);
    form.once("error", (thrown) => {
      fail(unreadable(thrown));
      resolve();
    });
    for (const event of ["partsLimit", "filesLimit", "fieldsLimit"] as const) {
      form.once(event, () =>
        fail(new Refusal("too-large", { detail: `A form may have ${limits.parts} parts`, close: true })),
      );
    }
  });
  form.on("field", (name, value, _, cut, __, type) => {
    room -= Buffer.byteLength(value) + name.length;
    if (room < 0 || cut)
      fail(new Refusal("too-large", { detail: `A request may have ${maxBytes} bytes`, close: true }));
    texts.set(name, [...(texts.get(name) ?? []), { value, type }]);
  });
  form.on("file", (name, stream, filename, _, written) => {
    const type = (parseMediaType(written)?.essence ?? "application/octet-stream").toLowerCase();
    const plan = Object.hasOwn(plans, name) ? plans[name] : undefined;
    const fault =
      plan === undefined ? "takes no file" : fits(type, plan.media) ? undefined : `is ${plan.media.join(" or ")}`;
    if (plan === undefined || fault !== undefined || Object.hasOwn(input, name)) {
      const detail = `${name} ${fault ?? "is one file"}`;
      faults.push({
        pointer: fragmentTo([name]),
        code: plan === undefined ? "wrong-type" : fault ? "not-one-of" : "repeated",
        detail,
      });
      stream.resume();
      return;
    }
    input[name] = null;
    const receiving = receive(files, newFile(), plan, { type, name: filename === "" ? undefined : filename });
    let last = Promise.resolve();
    const then = (step: () => Promise<void>): void => {
      last = last.then(() => (failure === undefined ? step() : undefined)).catch(fail);
      work.push(last);
    };
    stream.once("error", (thrown) => fail(unreadable(thrown)));
    stream.on("data", (chunk: Buffer) => then(() => receiving.write(chunk)));
    stream.once("end", () =>
      then(async () => {
        input[name] = (await receiving.end()) as unknown as Json;
      }),
    );
  });
  const settle = async (): Promise<void> => {
    while (work.length > 0) await Promise.all(work.splice(0));
    if (failure !== undefined) throw failure;
  };
  const roomForFiles = Object.values(plans).reduce((sum, plan) => sum + plan.maxBytes, 0);
  await pour(maxBytes + roomForFiles + overheadBytes, async (bytes) => {
    await new Promise<void>((resolve) => form.write(bytes, () => resolve()));
    await settle();
  });
  form.end();
  await ended;
  await settle();
  for (const [name, parts] of texts) Object.assign(input, membersOf(name, parts, body, faults));
  if (faults.length > 0) throw invalid(faults);
  return input;
}

interface Part {
  readonly value: string;
  readonly type: string;
}

const limits = { parts: 1000, fieldNameSize: 255, fieldSize: 16 * 1024 * 1024, headerPairs: 20 } as const;

/** What stands between the parts of a form, and before each. */
const overheadBytes = 256 * 1024;

/**
 * A part with a name of a file is one, whatever its type; but JSON is one only where a file is expected, since `FormData` in
 * a browser has no other way to say that a part is JSON than as a file.
 */
function fileParts(names: readonly string[]) {
  return (name: string | undefined, type: string | undefined, filename: string | undefined): boolean => {
    if (parseMediaType(type ?? "")?.essence === "application/json" && !names.includes(name ?? "")) return false;
    return filename !== undefined || type === "application/octet-stream";
  };
}

function parserOf<T>(make: () => T): T {
  try {
    return make();
  } catch (thrown) {
    throw unreadable(thrown);
  }
}

function unreadable(thrown: unknown): Refusal {
  const why = thrown instanceof Error ? `: ${thrown.message}` : "";
  return malformed({ pointer: "#", code: "bad-form", detail: `The body is no multipart/form-data${why}` });
}

/** The value of a field; or, of a JSON part that has the name of none, the members that it holds. */
function membersOf(name: string, parts: readonly Part[], body: BodyPlan, faults: Fault[]): JsonObject {
  const schema = (body.schema["properties"] as Readonly<Record<string, JsonObject>>)[name];
  const values = parts.map(({ type, value }): Json => {
    if (parseMediaType(type)?.essence !== "application/json") return valueOf(value, itemOf(schema, parts.length));
    const parsed = parseJson(Buffer.from(value));
    if (parsed.kind === "value") return parsed.value;
    faults.push({ pointer: fragmentTo([name]), code: "bad-json", detail: parsed.detail });
    return null;
  });
  const [first = null] = values;
  if (schema === undefined && values.length === 1 && isObject(first)) return first;
  const isList = typesOf(schema).includes("array") && !(values.length === 1 && Array.isArray(first));
  return { [name]: isList || values.length > 1 ? values : first };
}

/** A list is sent as a part for each item. */
function itemOf(schema: JsonObject | undefined, count: number): JsonObject | undefined {
  const isList = typesOf(schema).includes("array");
  return isList && (count > 1 || schema?.["items"] !== undefined) ? (schema?.["items"] as JsonObject) : schema;
}

function typesOf(schema: JsonObject | undefined): readonly Json[] {
  const type = schema?.["type"];
  return Array.isArray(type) ? (type as readonly Json[]) : type === undefined ? [] : [type];
}

/** A text as the value that its schema speaks of. What cannot be one stays a text, and is refused for that. */
function valueOf(text: string, schema: JsonObject | undefined): Json {
  const types = typesOf(schema);
  if (types.length === 0 || types.includes("string")) return text;
  const parsed = parseJson(Buffer.from(text));
  return parsed.kind === "value" && typeof parsed.value !== "string" ? parsed.value : text;
}
