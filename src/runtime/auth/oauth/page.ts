/**
 * The HTML pages on which users log in and consent to a client. They have no scripts and one style sheet, and no other site can
 * frame them (clickjacking).
 */
import { createHash } from "node:crypto";
import type { HttpResponse } from "../../../http/message.ts";

export interface ConsentPage {
  readonly service: string;
  /** The name of the client's owner. */
  readonly client: string;
  /** The requested scopes, each with its roles. */
  readonly scopes: readonly (readonly [scope: string, roles: readonly string[]])[];
  /** The CSRF token, which proves that this browser received the form. */
  readonly token: string;
  /** The client's redirect URL: browsers apply the policy's `form-action` to the redirect after the form too. */
  readonly redirect: string;
}

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:4rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}
h1{font-size:1.3rem}label{display:block;margin:1rem 0}input{display:block;width:100%;box-sizing:border-box;font:inherit;padding:.5rem}
button{font:inherit;padding:.5rem 1rem;margin-right:.5rem}[role=alert]{color:#a00000}`;
const styleHash = createHash("sha256").update(style).digest("base64");

export function loginPage(page: ConsentPage, label: string, error?: string): string {
  return document(page, [
    `<h1>Log in to ${escaped(page.service)}</h1>`,
    `<p><strong>${escaped(page.client)}</strong> asks to act for you. Log in to say whether it may.</p>`,
    error === undefined ? "" : `<p role="alert">${escaped(error)}</p>`,
    `<form method="post">${hidden(page)}`,
    `<label>${escaped(label)}<input name="name" autocomplete="username" autocapitalize="none" required autofocus></label>`,
    `<label>Password<input name="secret" type="password" autocomplete="current-password" required></label>`,
    `<button name="answer" value="login">Log in</button>`,
    `<button name="answer" value="deny" formnovalidate>Cancel</button></form>`,
  ]);
}

export function consentPage(page: ConsentPage): string {
  const items = page.scopes.map(
    ([scope, roles]) =>
      `<li><strong>${escaped(scope)}</strong>: the permissions of ${escaped(roles.join(" and "))}</li>`,
  );
  return document(page, [
    `<h1>Allow ${escaped(page.client)} to act for you?</h1>`,
    `<p>It requests these permissions at ${escaped(page.service)}, and never more than you have yourself:</p>`,
    `<ul>${items.join("")}</ul>`,
    `<form method="post">${hidden(page)}<button name="answer" value="allow">Allow</button>`,
    `<button name="answer" value="deny">Do not allow</button></form>`,
  ]);
}

/** Returns the page for a request with an unknown client or redirect URL. */
export function oauthErrorPage(service: string, error: string): string {
  return document({ service }, [
    `<h1>The request cannot be completed</h1><p role="alert">${escaped(error)}</p>`,
    "<p>Go back to the application and start again.</p>",
  ]);
}

export function pageResponse(
  status: number,
  html: string,
  redirect?: string,
  headers: readonly string[] = [],
): HttpResponse {
  const action = redirect === undefined ? "'none'" : `'self' ${sourceOf(redirect)}`;
  return {
    status,
    headers: [
      ...["Content-Type", "text/html; charset=utf-8", "Content-Language", "en", "Cache-Control", "no-store"],
      ...headers,
    ],
    body: html,
    policy: `default-src 'none'; style-src 'sha256-${styleHash}'; form-action ${action}; frame-ancestors 'none'; base-uri 'none'`,
  };
}

/**
 * Returns the policy source of a redirect URL. A custom scheme of an app, such as `com.example.app:`, has no origin, so the
 * policy allows the whole scheme.
 */
function sourceOf(redirect: string): string {
  const { protocol, origin } = new URL(redirect);
  return origin === "null" ? protocol : origin;
}

function hidden({ token }: ConsentPage): string {
  return `<input type="hidden" name="token" value="${escaped(token)}">`;
}

function document({ service }: Pick<ConsentPage, "service">, body: readonly string[]): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(service)}</title><style>${style}</style></head>
<body>${body.join("\n")}</body></html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
