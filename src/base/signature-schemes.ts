/**
 * The schemes by which a sender signs an HTTP request with HMAC-SHA256: which text is signed, in which header fields the signature
 * and the other values are, and in which encoding. Webhooks that the service sends and requests that it receives use this table.
 */
import { templatePattern } from "./template-pattern.ts";

export interface SignatureScheme {
  /** The signed text, with placeholders of `signedPlaceholders`. */
  readonly over: string;
  /** The values of the header fields, with placeholders of `headerPlaceholders`; exactly one has `{hex}` or `{base64}`. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * What separates the items of the signature's field. The field may then have a signature by each valid secret, and items that
   * a receiver ignores. Absent: the field is one item.
   */
  readonly separator?: Separator;
  /** How a secret becomes a key: the bytes of its text, or those that it encodes, after an optional `whsec_`. */
  readonly key?: "text" | "base64";
}

export type Separator = "comma" | "blank";

export const characters: Readonly<Record<Separator, string>> = { comma: ",", blank: " " };

export type SignatureSchemeName = "standard-webhooks" | "stripe" | "github" | "slack";

/** The schemes of providers, by the name that a document uses. */
export const signatureSchemes: Readonly<Record<SignatureSchemeName, SignatureScheme>> = {
  "standard-webhooks": {
    over: "{id}.{seconds}.{body}",
    headers: {
      "webhook-id": "{id}",
      "webhook-timestamp": "{seconds}",
      "webhook-signature": "v1,{base64}",
    },
    separator: "blank",
    key: "base64",
  },
  stripe: {
    over: "{seconds}.{body}",
    headers: { "Stripe-Signature": "t={seconds},v1={hex}" },
    separator: "comma",
  },
  github: {
    over: "{body}",
    headers: { "X-GitHub-Delivery": "{id}", "X-GitHub-Event": "{topic}", "X-Hub-Signature-256": "sha256={hex}" },
  },
  slack: {
    over: "v0:{seconds}:{body}",
    headers: { "X-Slack-Request-Timestamp": "{seconds}", "X-Slack-Signature": "v0={hex}" },
  },
};

/**
 * The scheme of a credential that names none: it binds the signature to one request. `{target}` is the path and query of its
 * address.
 */
export const requestScheme: SignatureScheme = {
  over: "{seconds}\n{method}\n{target}\n{body}",
  headers: { Authorization: "t={seconds},v1={hex}" },
};

/** How far the time of a signature may be from the present, in seconds, if a credential does not declare it. */
export const usualToleranceSeconds = 300;

/** The placeholders in the signed text. */
export const signedPlaceholders: readonly string[] = ["body", "seconds", "id"];

/**
 * The placeholders in header fields: those of one signature, and those of the event. `{topic}` is the type up to its first dot,
 * `{action}` the rest.
 */
export const headerPlaceholders: readonly string[] = ["hex", "base64", "seconds", "id", "type", "topic", "action"];

/** The values of a request for the placeholders, by name, except the body and the signature. */
export type SignedValues = Readonly<Record<string, string>>;

export function schemeOf(scheme: SignatureSchemeName | SignatureScheme): SignatureScheme {
  return typeof scheme === "string" ? signatureSchemes[scheme] : scheme;
}

/** What a header field of a scheme contains, for descriptions. */
export function headerText(name: string, { headers, over, separator }: SignatureScheme): string {
  const template = headers[name] ?? "";
  if (template === "{id}") return "The id of the event, the same at every attempt.";
  if (template === "{seconds}") return "When this attempt was made, in seconds since 1970.";
  if (template === "{type}") return "The type of the event.";
  if (template === "{topic}") return "The type of the event, up to its first dot.";
  if (!isSignature(template)) return `\`${template}\`.`;
  const several = separator === undefined ? "" : ` Several signatures are separated by ${separatorNames[separator]}.`;
  return `\`${template}\`: the HMAC-SHA256 of \`${over}\`.${several}`;
}

const separatorNames: Readonly<Record<Separator, string>> = { comma: "commas", blank: "spaces" };

/** Returns the name of a scheme of the table; undefined for a document's own. */
export function schemeName(scheme: SignatureScheme): SignatureSchemeName | undefined {
  const names = Object.keys(signatureSchemes) as SignatureSchemeName[];
  return names.find((name) => signatureSchemes[name] === scheme);
}

/** Returns the names in braces of a template, in order. */
export function placeholdersOf(template: string): readonly string[] {
  return [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name);
}

/** Returns the name and the template of the field with the signature. */
export function signatureField({ headers }: SignatureScheme): readonly [name: string, template: string] {
  return Object.entries(headers).find(([, template]) => isSignature(template)) ?? ["Authorization", "{hex}"];
}

/** Returns the encoding of the scheme's signatures. */
export function encodingOf(scheme: SignatureScheme): keyof Digest {
  return signatureField(scheme)[1].includes("{hex}") ? "hex" : "base64";
}

/** Returns the scheme with its signature in another header field. */
export function withSignatureIn(scheme: SignatureScheme, header: string): SignatureScheme {
  const [usual] = signatureField(scheme);
  const headers = Object.entries(scheme.headers).map(([name, template]) => [name === usual ? header : name, template]);
  return { ...scheme, headers: Object.fromEntries(headers) as SignatureScheme["headers"] };
}

/** Returns the name of the header field that is one value, such as `{id}`; undefined if there is none. */
export function fieldOf({ headers }: SignatureScheme, placeholder: string): string | undefined {
  return Object.keys(headers).find((name) => headers[name] === `{${placeholder}}`);
}

/** Whether a signature has a time, so that it is valid for a while only. */
export function isTimed({ over }: SignatureScheme): boolean {
  return placeholdersOf(over).includes("seconds");
}

/** Returns the values of an event's type: `issues.opened` has the topic `issues` and the action `opened`. */
export function typeValues(type: string): SignedValues {
  const dot = type.indexOf(".");
  return { type, topic: dot < 0 ? type : type.slice(0, dot), action: dot < 0 ? type : type.slice(dot + 1) };
}

/** Returns the key of a secret; undefined for a secret that is empty, or not base64 although it should be. */
export function keyOf({ key }: SignatureScheme, secret: string): Uint8Array | undefined {
  const bytes = key === "base64" ? bytesOf(secret.replace(/^whsec_/, "")) : new TextEncoder().encode(secret);
  return bytes === undefined || bytes.length === 0 ? undefined : bytes;
}

/** Returns the signed text in pieces, one of which is the body as it is sent. */
export function signedPieces<Body>(
  { over }: SignatureScheme,
  values: SignedValues,
  body: Body,
): readonly (string | Body)[] {
  return over.split(/(\{body\})/).map((piece) => (piece === "{body}" ? body : filled(piece, values)));
}

/** An HMAC in both encodings. */
export type Digest = Readonly<Record<"hex" | "base64", string>>;

/** Returns the header fields of a request that has one signature by each of `digests`, or by the first if only one fits. */
export function signatureHeaders(
  scheme: SignatureScheme,
  values: SignedValues,
  digests: readonly Digest[],
): Readonly<Record<string, string>> {
  const [signed, template] = signatureField(scheme);
  const fields = Object.entries(scheme.headers).map(([name, other]): [string, string] => [
    name,
    name === signed ? signatureText(template, scheme, values, digests) : filled(other, values),
  ]);
  return Object.fromEntries(fields);
}

function signatureText(
  template: string,
  { separator }: SignatureScheme,
  values: SignedValues,
  digests: readonly Digest[],
): string {
  const signing = separator === undefined ? digests.slice(0, 1) : digests;
  return itemsOf(template, separator)
    .flatMap((item) =>
      isSignature(item) ? signing.map((digest) => filled(item, { ...values, ...digest })) : filled(item, values),
    )
    .join(separator === undefined ? "" : characters[separator]);
}

/** The values that the header fields of a received request have. */
export interface ReceivedSignature {
  /** Each signature, in the encoding of the scheme. */
  readonly signatures: readonly string[];
  readonly values: SignedValues;
}

/** The most signatures that a receiver compares. */
const mostSignatures = 10;

/**
 * Reads the signature of a received request. `sent`: the signature's field; `header` returns the other fields. Returns undefined if
 * a value is missing or malformed, or appears twice.
 */
export function readSignature(
  scheme: SignatureScheme,
  sent: string,
  header: (name: string) => string | undefined,
): ReceivedSignature | undefined {
  const [signed, template] = signatureField(scheme);
  const values: Record<string, string> = {};
  const signatures: string[] = [];
  const patterns = itemsOf(template, scheme.separator).map(patternOf);
  for (const item of itemsOf(sent.trim(), scheme.separator)) {
    const found = patterns.map((pattern) => pattern.exec(item)?.groups).find((groups) => groups !== undefined);
    // A sender may add signatures of another version, which the receiver ignores.
    if (found === undefined && scheme.separator !== undefined) continue;
    for (const [name, text] of Object.entries(found ?? {})) {
      if (name === "hex" || name === "base64") signatures.push(text);
      else if (values[name] === undefined) values[name] = text;
      else return undefined;
    }
  }
  for (const [name, other] of Object.entries(scheme.headers)) {
    if (name === signed) continue;
    const groups = patternOf(other).exec(header(name) ?? "")?.groups;
    const isSigned = placeholdersOf(other).some((placeholder) => placeholdersOf(scheme.over).includes(placeholder));
    if (groups === undefined && isSigned) return undefined;
    Object.assign(values, groups);
  }
  const isComplete = placeholdersOf(scheme.over).every((name) => values[name] !== undefined || !isRead(name));
  return !isComplete || signatures.length === 0 || signatures.length > mostSignatures
    ? undefined
    : { values, signatures };
}

/** Whether a value of the signed text is in a header field. */
function isRead(name: string): boolean {
  return name === "seconds" || name === "id";
}

const groups: Readonly<Record<string, string>> = {
  hex: "(?<hex>[0-9a-f]{64})",
  base64: "(?<base64>[A-Za-z0-9+/]{43}=)",
  seconds: String.raw`(?<seconds>\d{1,12})`,
};

/** Returns the pattern of a value with placeholders. The names in a scheme are few, and each occurs once in a template. */
function patternOf(template: string): RegExp {
  return templatePattern(template, (name) => groups[name] ?? `(?<${name}>.{1,255})`);
}

function itemsOf(text: string, separator: Separator | undefined): readonly string[] {
  return separator === undefined ? [text] : text.split(characters[separator]);
}

function isSignature(template: string): boolean {
  return template.includes("{hex}") || template.includes("{base64}");
}

function filled(template: string, values: SignedValues): string {
  return template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => values[name] ?? "");
}

function bytesOf(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (byte: string) => byte.codePointAt(0) ?? 0);
  } catch {
    return undefined;
  }
}
