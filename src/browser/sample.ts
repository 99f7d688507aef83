/**
 * Makes a sample value for a JSON Schema: takes the first alternative, includes only required members, and uses random values
 * where records must differ.
 */
type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type Schema = Readonly<Record<string, unknown>>;

/** `resolve` returns the schema of a `$ref`. */
export function sample(schema: Schema, resolve: (reference: string) => Schema = () => ({})): Json {
  const {
    $ref: reference,
    allOf,
    anyOf,
    const: constant,
    enum: values,
    oneOf,
    type: types,
  } = schema as {
    readonly $ref?: string;
    readonly allOf?: readonly Schema[];
    readonly anyOf?: readonly Schema[];
    readonly const?: Json;
    readonly enum?: readonly Json[];
    readonly oneOf?: readonly Schema[];
    readonly type?: string | readonly string[];
  };
  if (reference !== undefined) return sample(resolve(reference), resolve);
  if (constant !== undefined) return constant;
  if (values?.[0] !== undefined) return values[0];
  const first = anyOf?.[0] ?? oneOf?.[0] ?? allOf?.[0];
  if (first !== undefined) return sample(first, resolve);
  switch (typeof types === "object" ? types[0] : types) {
    case "object":
      return sampleObject(schema, resolve);
    case "array":
      return Array.from({ length: Number(schema["minItems"] ?? 0) }, () =>
        sample((schema["items"] ?? {}) as Schema, resolve),
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

function sampleObject(schema: Schema, resolve: (reference: string) => Schema): Json {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, Schema>>;
  const required = (schema["required"] ?? []) as readonly string[];
  return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? {}, resolve)]));
}

function sampleNumber(schema: Schema): number {
  if (schema["format"] === "unix-time") return Math.floor(Date.now() / 1000);
  if (schema["format"] === "unix-time-ms") return Date.now();
  const least = Number(schema["minimum"] ?? 1);
  const most = Number(schema["maximum"] ?? least + 1000);
  const low = Math.ceil(least);
  return low <= most ? low + randomBelow(Math.min(Math.floor(most) - low, 1_000_000) + 1) : (least + most) / 2;
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

function sampleText(schema: Schema): string {
  const { format } = schema as { readonly format?: string };
  const made = formatted[format ?? ""]?.();
  if (made !== undefined) return made;
  const most = Number(schema["maxLength"] ?? 40);
  const least = Number(schema["minLength"] ?? 1);
  const text = `demo${randomBelow(1_000_000)}`;
  return text.slice(0, Math.max(most, 0)).padEnd(least, "x");
}

function randomBelow(limit: number): number {
  return Math.floor(Math.random() * limit);
}
