/** The formats that the JSON Schemas of a plan name: those of text, and `decimal` of a number. */
import type { Format } from "ajv";
import { textFormats } from "../../base/formats.ts";

export const formats: Readonly<Record<string, Format>> = {
  ...textFormats,
  /** A number that fifteen significant digits hold, so that it comes back as it was sent. */
  decimal: { type: "number", validate: (value: number) => Number(value.toPrecision(15)) === value },
};
