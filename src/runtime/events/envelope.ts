/** Writes events in the envelope that the document declares, with names in braces for the values of each event. */
import type { Json, JsonObject } from "../../base/json.ts";

/** The values of an event by placeholder; null: it has none. */
export type EventValues = Readonly<Record<string, string | number | null>>;

/** Fills an envelope; `data` is the JSON text of the payload. Returns one line of JSON. */
export function filledEnvelope(shape: Json, values: EventValues, data: string): string {
  const write = (value: Json): string => {
    if (typeof value === "string") {
      if (value === "{data}") return data;
      const [, name] = /^\{(\w+)\}$/.exec(value) ?? [];
      return JSON.stringify(name === undefined ? filledText(value, values) : (values[name] ?? null));
    }
    if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
    if (value === null || typeof value !== "object") return JSON.stringify(value);
    const members = Object.entries(value as JsonObject).map(
      ([name, member]) => `${JSON.stringify(filledText(name, values))}:${write(member)}`,
    );
    return `{${members.join(",")}}`;
  };
  return write(shape);
}

function filledText(text: string, values: EventValues): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}
