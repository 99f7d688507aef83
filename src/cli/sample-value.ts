/**
 * Makes a sample value for a JSON Schema: takes the first alternative, includes only required members, and uses random values
 * where records must differ.
 */
import { randomInt } from "node:crypto";
import type { Json, JsonObject } from "../base/json.ts";

export function sample(schema: JsonObject): Json {
  if (schema["const"] !== undefined) return schema["const"] as Json;
  const {
    enum: values,
    anyOf,
    oneOf,
  } = schema as { enum?: readonly Json[]; anyOf?: readonly JsonObject[]; oneOf?: readonly JsonObject[] };
  if (values?.[0] !== undefined) return values[0];
  const first = anyOf?.[0] ?? oneOf?.[0];
  if (first !== undefined) return sample(first);
  const type = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"];
  switch (type) {
    case "object":
      return sampleObject(schema);
    case "array":
      return Array.from({ length: Number(schema["minItems"] ?? 0) }, () =>
        sample((schema["items"] ?? {}) as JsonObject),
      );
    case "integer":
    case "number":
      return sampleNumber(schema);
    case "boolean":
      return true;
    default:
      return sampleText(schema);
  }
}

function sampleObject(schema: JsonObject): Json {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, JsonObject>>;
  const required = (schema["required"] ?? []) as readonly string[];
  return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? {})]));
}

function sampleNumber(schema: JsonObject): number {
  if (schema["format"] === "unix-time") return Math.floor(Date.now() / 1000);
  if (schema["format"] === "unix-time-ms") return Date.now();
  const least = Number(schema["minimum"] ?? 1);
  const most = Number(schema["maximum"] ?? least + 1000);
  const low = Math.ceil(least);
  return low <= most ? randomInt(low, Math.min(Math.floor(most), low + 1_000_000) + 1) : (least + most) / 2;
}

const formatted: Readonly<Record<string, () => string>> = {
  email: () => "someone@example.com",
  uri: () => "https://example.com/",
  uuid: () => "018f3f4e-0000-7000-8000-000000000000",
  "date-time": () => new Date().toISOString(),
  date: () => new Date().toISOString().slice(0, 10),
  time: () => "09:30:00Z",
  duration: () => "PT1H",
  phone: () => "+4712345678",
  country: () => "NO",
  currency: () => "NOK",
  language: () => "nb",
  timezone: () => "Europe/Oslo",
  byte: () => "AAAA",
};

function sampleText(schema: JsonObject): string {
  const { format } = schema as { format?: string };
  const made = formatted[format ?? ""]?.();
  if (made !== undefined) return made;
  const most = Number(schema["maxLength"] ?? 40);
  const least = Number(schema["minLength"] ?? 1);
  const text = `demo${randomInt(1_000_000)}`;
  return text.slice(0, Math.max(most, 0)).padEnd(least, "x");
}
