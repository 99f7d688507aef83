/**
 * Removes secrets from texts of other sources: error messages, stacks, notices of a document. Request lines do not need it,
 * because they contain no free text of clients.
 */

export type Redact = (text: string) => string;

const redacted = "[redacted]";

/** The shortest value that is redacted: shorter values are common words. */
const shortest = 6;

/**
 * Patterns for user and password in a URL: everything before its last `@`, because people do not escape `/` or `@` in
 * passwords.
 */
const inAddress: readonly (readonly [RegExp, string])[] = [
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s"'`]+@/gi, `$1${redacted}@`],
  [/([?&](?:password|passfile|sslpassword)=)[^\s&"'`]+/gi, `$1${redacted}`],
];

/** Redacts only users and passwords in URLs. */
export function withoutPasswords(text: string): string {
  return inAddress.reduce((masked, [shape, instead]) => masked.replace(shape, instead), text);
}

const shapes: readonly (readonly [RegExp, string])[] = [
  ...inAddress,
  [/\b(Bearer|Basic)\s+[\w+/=.~-]{8,}/gi, `$1 ${redacted}`],
  // A JWT: three parts of Base64, the first of which starts with `{"`.
  [/\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, redacted],
  [/\b((?:password|passwd|secret|token|api[_-]?key|authorization)["']?\s*[=:]\s*["']?)[^\s"'&,;}]+/gi, `$1${redacted}`],
];

/** Creates the function. `secrets`: the secret values of this process. */
export function createRedact(secrets: readonly string[]): Redact {
  const known = secrets.filter((secret) => secret.length >= shortest).toSorted((a, b) => b.length - a.length);
  return (text) => {
    let masked = text;
    for (const secret of known) masked = masked.replaceAll(secret, redacted);
    for (const [shape, instead] of shapes) masked = masked.replace(shape, instead);
    return masked;
  };
}
