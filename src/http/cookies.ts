/** Reads and writes cookies (RFC 6265): a cookie is a credential only if the document declares it. */

/** Returns the values of the cookies with this name in a `Cookie` field, in their order. */
export function cookiesNamed(field: string | undefined, name: string): readonly string[] {
  if (field === undefined) return [];
  return field.split(";").flatMap((pair) => {
    const equals = pair.indexOf("=");
    if (equals === -1 || pair.slice(0, equals).trim() !== name) return [];
    const value = pair.slice(equals + 1).trim();
    return [value.startsWith('"') && value.endsWith('"') && value.length > 1 ? value.slice(1, -1) : value];
  });
}

export interface CookieOptions {
  /** The service's absolute URL: the cookie is sent to its paths only, and by HTTPS if it has HTTPS. */
  readonly baseUrl: string;
  /** Whether pages of other sites may send the cookie. */
  readonly crossSite: boolean;
  /** The lifetime in seconds; absent: until the browser ends. 0 deletes the cookie. */
  readonly maxAgeSeconds?: number;
}

/**
 * Returns a `Set-Cookie` field with a credential. Scripts cannot read the cookie. Browsers accept `SameSite=None` only with
 * `Secure`.
 */
export function cookieText(name: string, value: string, { baseUrl, crossSite, maxAgeSeconds }: CookieOptions): string {
  const { pathname, protocol } = new URL(baseUrl);
  const isSecure = protocol === "https:";
  return [
    `${name}=${value}`,
    `Path=${pathname}`,
    ...(maxAgeSeconds === undefined ? [] : [`Max-Age=${maxAgeSeconds}`]),
    "HttpOnly",
    ...(isSecure ? ["Secure"] : []),
    `SameSite=${crossSite && isSecure ? "None" : "Lax"}`,
  ].join("; ");
}
