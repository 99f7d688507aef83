/** Strict validation with Ajv: no coercion, nothing stripped, every fault named by pointer (R2.3, R7.2). */
import type { Ajv, ErrorObject } from "ajv";
import type { FastifyRequest } from "fastify";
import { type Fault, invalid } from "./problem.ts";
import { CREATE_ONLY, READ_ONLY } from "./schemas.ts";

export const AJV_OPTIONS: {
  readonly coerceTypes: false;
  readonly removeAdditional: false;
  readonly useDefaults: true;
  readonly allErrors: true;
  readonly allowUnionTypes: true;
} = {
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: true,
  allErrors: true,
  allowUnionTypes: true,
};

const timezones = new Set(["UTC", ...Intl.supportedValuesOf("timeZone")]);
const regions = new Intl.DisplayNames("en", { type: "region", fallback: "none" });

export function addFormats(ajv: Ajv): void {
  ajv.addFormat("timezone", (name: string) => timezones.has(name));
  ajv.addFormat("country", (code: string) => /^[A-Z]{2}$/.test(code) && regions.of(code) !== undefined);
}

/** Throws 422 with all faults if the route's schema refused the body; called where the order of checks wants it. */
export function requireValid(request: FastifyRequest): void {
  const faults = request.validationError?.validation as ErrorObject[] | undefined;
  if (faults !== undefined) throw invalid(422, "The body does not fit.", faults.map(describe));
}

const escape = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

function describe(fault: ErrorObject): Fault {
  const at = `#${fault.instancePath}`;
  const detail = fault.message ?? fault.keyword;
  if (fault.keyword === "required") {
    return { pointer: `${at}/${escape(fault.params["missingProperty"] as string)}`, code: "required", detail };
  }
  if (fault.keyword === "additionalProperties") {
    const name = fault.params["additionalProperty"] as string;
    const code = READ_ONLY.has(name) ? "read-only" : CREATE_ONLY.has(name) ? "create-only" : "unknown-field";
    return { pointer: `${at}/${escape(name)}`, code, detail };
  }
  return { pointer: at, code: fault.keyword, detail };
}
