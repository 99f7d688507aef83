/**
 * Keeps secrets out of what others have worded: messages and stacks of errors, notices of a document's own. Lines of
 * requests need it not, since nothing that a caller wrote freely is in them.
 */

export type Redact = (text: string) => string;

const redacted = "[redacted]";

/** Shorter ones are words, and a text without them would say nothing. */
const shortest = 6;

/** The user and password of an address: all before its last `@`, since people do not escape a `/` or `@` in a password. */
const inAddress: readonly (readonly [RegExp, string])[] = [
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s"'`]+@/gi, `$1${redacted}@`],
  [/([?&](?:password|passfile|sslpassword)=)[^\s&"'`]+/gi, `$1${redacted}`],
];

/** The text without users and passwords of addresses; all else stays. */
export function withoutPasswords(text: string): string {
  return inAddress.reduce((masked, [shape, instead]) => masked.replace(shape, instead), text);
}

const shapes: readonly (readonly [RegExp, string])[] = [
  ...inAddress,
  [/\b(Bearer|Basic)\s+[\w+/=.~-]{8,}/gi, `$1 ${redacted}`],
  // Three parts of Base64, the first of which begins with `{"`.
  [/\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, redacted],
  [/\b((?:password|passwd|secret|token|api[_-]?key|authorization)["']?\s*[=:]\s*["']?)[^\s"'&,;}]+/gi, `$1${redacted}`],
];

/** `secrets`: the values that this process was given. */
export function createRedact(secrets: readonly string[]): Redact {
  const known = secrets.filter((secret) => secret.length >= shortest).toSorted((a, b) => b.length - a.length);
  return (text) => {
    let masked = text;
    for (const secret of known) masked = masked.replaceAll(secret, redacted);
    for (const [shape, instead] of shapes) masked = masked.replace(shape, instead);
    return masked;
  };
}
