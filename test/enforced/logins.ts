/** Proofs of part 5 for records that log in, and for the operations of their sessions. */
import type { Json } from "../../src/base/json.ts";
import type { Block } from "./document.ts";
import { crud, crudOf, documentOf, things } from "./document.ts";
import type { Proof, Step } from "./proof.ts";
import { ask, pass } from "./proof.ts";

const person = {
  id: "id(usr)",
  email: "email, unique",
  handle: "string(1..20), unique",
  password: "string(8..72), secret",
  pin: "string(8..72), secret",
  "role?": "member | admin",
};

const session = { kind: "password", of: "User", name: "email", secret: "password", lasts: "1h", revoked: "at once" };
const login = { at: "POST /login", does: "login", of: "User" };
const renew = { at: "POST /renewal", does: "renew", of: "User" };
const logout = { at: "POST /logout", does: "logout", of: "User" };

function house(credentials: Block, endpoints: Block, allow: Block = {}): string {
  return documentOf({
    resources: {
      User: person,
      Guest: { ...person, id: "id(gst)" },
      ...things({ "by?": "user = caller, read-only" }),
    },
    endpoints: { endpoints: { ...crud, ...crudOf("User"), ...crudOf("Guest"), ...endpoints } },
    authentication: { credentials, allow: { addThing: "signed-in", ...allow } },
    errors: { errors: { "wrong-password": "403 This is not the password" } },
  });
}

const ann = { email: "ann@example.com", handle: "ann", password: "correct horse", pin: "battery staple" };
const enter: readonly Step[] = [
  ask("POST /users", ann, "201"),
  ask("POST /login", { email: ann.email, password: ann.password }, "200"),
];
const byToken = (reply: number, gets: string): Step =>
  ask(`POST /things\nAuthorization: Bearer {${reply}.token}`, {}, gets);
const keyed: Block = { key: { kind: "api-key", lasts: "365d", revoked: "at once" } };

function withSession(more: Block, endpoints: Readonly<Record<string, Json>> = {}, allow: Block = {}): string {
  return house({ session: { ...session, ...more } }, { login, ...endpoints }, allow);
}

/** Clients of OAuth beside them. */
function ofClients(more: Block): string {
  const app = { kind: "oauth2", scopes: { all: "member" }, ...more };
  return house({ session, app }, { login }, { login: "anyone", addThing: "member" });
}

export const loginProofs: readonly Proof[] = [
  {
    of: ["authentication/credentials/password", "endpoints/endpoints/does/login"],
    with: withSession({}),
    without: house(keyed, {}),
    play: [
      ...enter,
      byToken(2, "201"),
      ask("POST /things\nAuthorization: Bearer session_nonsense", {}, "401 unauthenticated"),
      ask("POST /login", { email: ann.email, password: "incorrect horse" }, "401 unauthenticated"),
      pass(3_600_001),
      byToken(2, "401 unauthenticated"),
    ],
  },
  {
    of: ["authentication/credentials/sent/set"],
    with: withSession({ sent: "cookie pass, set by login" }),
    without: withSession({ sent: "cookie pass" }),
    play: [
      ask("POST /users", ann, "201"),
      ask(
        "POST /login",
        { email: ann.email, password: ann.password },
        { status: "200", headers: { "set-cookie": /^pass=session_\w+; .*HttpOnly; SameSite=Lax$/ } },
      ),
    ],
  },
  {
    of: ["authentication/credentials/login"],
    with: ofClients({ login: "session" }),
    without: ofClients({}),
    play: [
      ask("GET /.well-known/oauth-authorization-server", {
        status: "200",
        has: { code_challenge_methods_supported: ["S256"] },
      }),
    ],
  },
  {
    of: ["authentication/credentials/of"],
    with: withSession({ of: "User" }),
    without: house({ session: { ...session, of: "Guest" } }, { login: { ...login, of: "Guest" } }),
    play: [...enter, byToken(2, "201")],
  },
  {
    of: ["authentication/credentials/name"],
    with: withSession({ name: "handle" }),
    without: withSession({}),
    play: [
      ask("POST /users", ann, "201"),
      ask("POST /login", { handle: "ann", password: ann.password }, "200"),
      byToken(2, "201"),
    ],
  },
  {
    of: ["authentication/credentials/field"],
    with: withSession({ secret: "pin" }),
    without: withSession({}),
    play: [
      ask("POST /users", ann, "201"),
      ask("POST /login", { email: ann.email, pin: ann.pin }, "200"),
      ask("POST /login", { email: ann.email, pin: ann.password }, "401 unauthenticated"),
    ],
  },
  {
    of: ["authentication/credentials/renewed", "endpoints/endpoints/does/renew"],
    with: withSession({ renewed: "90d" }, { renew }),
    without: withSession({}),
    play: [
      ...enter,
      pass(3_600_001),
      byToken(2, "401 unauthenticated"),
      ask("POST /renewal", { refreshToken: "{2.refreshToken}" }, "200"),
      byToken(4, "201"),
      pass(60_000),
      ask("POST /renewal", { refreshToken: "{2.refreshToken}" }, "401 unauthenticated"),
      byToken(4, "401 unauthenticated"),
    ],
  },
  {
    of: ["endpoints/endpoints/does/logout"],
    with: withSession({}, { logout }, { logout: "signed-in" }),
    without: withSession({}),
    play: [
      ...enter,
      ask("POST /logout\nAuthorization: Bearer {2.token}", undefined, "204"),
      byToken(2, "401 unauthenticated"),
    ],
  },
  {
    of: ["endpoints/endpoints/else"],
    with: withSession({}, { login: { ...login, else: "wrong-password" } }),
    without: withSession({}),
    play: [
      ...enter,
      ask("POST /login", { email: ann.email, password: "incorrect horse" }, "403 wrong-password"),
      ask("POST /login", { email: "bob@example.com", password: "correct horse" }, "403 wrong-password"),
    ],
  },
  {
    of: ["authentication/credentials/changed"],
    with: withSession({ changed: "with currentPassword" }),
    without: withSession({}),
    play: [
      ...enter,
      ask("PATCH /users/{1}\nAuthorization: Bearer {2.token}", { password: "battery staple" }, "422 invalid-request"),
      ask(
        "PATCH /users/{1}\nAuthorization: Bearer {2.token}",
        { password: "battery staple", currentPassword: "incorrect horse" },
        "401 unauthenticated",
      ),
      ask(
        "PATCH /users/{1}\nAuthorization: Bearer {2.token}",
        { password: "battery staple", currentPassword: ann.password },
        "200",
      ),
    ],
  },
  {
    of: ["authentication/credentials/roles/field"],
    with: withSession({ roles: "field role" }, {}, { addThing: "admin" }),
    without: withSession({}, {}, { addThing: "admin" }),
    play: [...enter, byToken(2, "403 forbidden"), ask("PATCH /users/{1}", { role: "admin" }, "200"), byToken(2, "201")],
  },
  {
    of: ["authentication/credentials/of", "authentication/credentials/name", "authentication/credentials/field"],
    with: house({ pass: { kind: "basic", of: "User", name: "handle", secret: "pin" } }, {}),
    without: house({ pass: { kind: "basic" } }, {}),
    play: [
      ask("POST /users", ann, "201"),
      ask(`POST /things\nAuthorization: Basic ${btoa(`ann:${ann.pin}`)}`, {}, "201"),
      ask(`POST /things\nAuthorization: Basic ${btoa(`ann:${ann.password}`)}`, {}, "401 unauthenticated"),
    ],
  },
];
