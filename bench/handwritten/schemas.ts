/** The bodies of the service as JSON Schema: what is taken (strict) and what is given (an allow-list, R2.9). */
const text = (minLength: number, maxLength: number) => ({ type: "string", minLength, maxLength });
const id = (prefix: string) => ({ type: "string", pattern: `^${prefix}_[0-9a-z]{26}$` });
const size = { type: "string", enum: ["small", "medium", "large"] };
const labels = { type: "array", maxItems: 5, items: text(1, 20) };
const email = { type: "string", format: "email", maxLength: 254 };
const customs = {
  type: "object",
  required: ["hs"],
  properties: { hs: { type: "string", pattern: "^[0-9]{6}$" } },
};
const given = { type: "string" };

const address = {
  type: "object",
  additionalProperties: false,
  required: ["street", "postcode", "country"],
  properties: { street: text(1, 120), postcode: text(3, 10), country: { type: "string", format: "country" } },
};

export const siteInput: object = {
  type: "object",
  additionalProperties: false,
  required: ["name", "address"],
  properties: {
    name: text(1, 80),
    address,
    timezone: { type: "string", format: "timezone", default: "Europe/Oslo" },
  },
};

export const lockerInput: object = {
  type: "object",
  additionalProperties: false,
  required: ["site", "door", "size"],
  properties: { site: id("site"), door: { type: "integer", minimum: 1, maximum: 500 }, size },
};

export const parcelInput: object = {
  type: "object",
  additionalProperties: false,
  required: ["site", "size", "trackingNumber", "recipientEmail", "weightKg"],
  properties: {
    site: id("site"),
    size,
    trackingNumber: text(6, 40),
    recipientEmail: email,
    weightKg: { type: "number", minimum: 0.1, maximum: 30 },
    labels,
    customs,
  },
};

/** A merge patch (RFC 7396): null takes an optional field away. */
export const parcelPatch: object = {
  type: "object",
  additionalProperties: false,
  properties: {
    recipientEmail: email,
    labels: { ...labels, type: ["array", "null"] },
    customs: { ...customs, type: ["object", "null"] },
  },
};

export const noInput: object = { type: ["object", "null"], additionalProperties: false, properties: {} };

export const siteOutput: object = {
  type: "object",
  properties: {
    id: given,
    name: given,
    address: { type: "object", properties: { street: given, postcode: given, country: given } },
    timezone: given,
  },
};

export const lockerOutput: object = {
  type: "object",
  properties: { id: given, site: given, door: { type: "integer" }, size: given, state: given },
};

export const parcelOutput: object = {
  type: "object",
  properties: {
    id: given,
    courier: given,
    site: given,
    size: given,
    locker: given,
    trackingNumber: given,
    reference: given,
    recipientEmail: given,
    weightKg: { type: "number" },
    labels: { type: "array", items: given },
    pickupCode: given,
    extensions: { type: "integer" },
    collectBy: given,
    createdAt: given,
    customs: { type: "object", additionalProperties: true },
    state: given,
  },
};

export const listOf = (items: object): object => ({
  type: "object",
  properties: { items: { type: "array", items }, next: { type: ["string", "null"] } },
});

/** Input members that exist on the resource but are set by the server (R2.4). */
export const READ_ONLY: ReadonlySet<string> = new Set([
  "id",
  "courier",
  "locker",
  "pickupCode",
  "extensions",
  "collectBy",
  "createdAt",
  "state",
]);
/** Members that only creating may give. */
export const CREATE_ONLY: ReadonlySet<string> = new Set(["site", "size", "trackingNumber", "weightKg", "door"]);
