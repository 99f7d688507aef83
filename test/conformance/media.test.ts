/** What cases find in responses that are no JSON, and in errors that a document declares with the status of a success. */
import { test } from "node:test";
import { type Block, crud, documentOf, things } from "../enforced/document.ts";
import { type Altered, expectBroken } from "./altered.ts";

function inXml(element: string, name = "getThing", at = "GET /things/{id}"): string {
  const requests = { media: ["application/json", "application/xml"] };
  return documentOf({ endpoints: { requests, endpoints: { ...crud, [name]: { at, element } } } });
}

/** A deletion that says something, in these media types. */
function deletingAs(...media: readonly string[]): string {
  const removeThing = { at: "DELETE /things/{id}", gives: { done: "'yes'" }, requests: { media } };
  return documentOf({ endpoints: { endpoints: { ...crud, removeThing } } });
}

/** Things with values of several types, in these media types. */
function taking(...media: readonly string[]): string {
  return documentOf({
    resources: things({ name: "string(1..20)", count: "integer(0..9)", "tags?": "string(1..9)[]", "on?": "date" }),
    endpoints: { requests: { media } },
  });
}

/** People whose failed login has a status below 400, and whose other errors are the phrase of the status. */
function withLogin(status: number, gives: Block = { token: "token(session)" }): string {
  const endpoints = {
    addUser: { at: "POST /users", gives: "none" },
    login: {
      ...{ at: "POST /login", of: "User", does: "login" },
      ...{ gives, else: "bad-credentials" },
    },
  };
  return documentOf({
    resources: { User: { id: "id(usr)", email: "email, unique", password: "string(8..72), secret" } },
    endpoints: { endpoints },
    authentication: {
      credentials: {
        session: {
          ...{ kind: "password", of: "User", name: "email", secret: "password" },
          ...{ lasts: "1h", revoked: "at once" },
        },
      },
      roles: "none",
    },
    errors: {
      body: "{reason}",
      bodies: { "bad-credentials": { reason: "{title}" } },
      errors: { "bad-credentials": `${status} Bad credentials` },
    },
  });
}

const rows: readonly Altered[] = [
  {
    what: "no bodies in XML",
    true: taking("application/json", "application/xml"),
    served: taking("application/json", "text/xml"),
    broken: "endpoints/requests/media",
  },
  {
    what: "bodies in XML that the document does not declare",
    true: taking("application/json", "application/vnd.things+json"),
    served: taking("application/json", "application/vnd.things+json", "application/xml"),
    broken: "endpoints/requests/media",
  },
  {
    what: "forms that the document does not declare",
    true: taking("application/json", "text/xml"),
    served: taking("application/json", "text/xml", "application/x-www-form-urlencoded"),
    broken: "endpoints/requests/media",
  },
  {
    what: "another element of XML",
    true: inXml("box"),
    served: inXml("crate"),
    broken: "endpoints/endpoints/getThing/element",
  },
  {
    what: "another element of a creation",
    true: inXml("box", "addThing", "POST /things"),
    served: inXml("crate", "addThing", "POST /things"),
    broken: "endpoints/endpoints/addThing/element",
  },
  {
    what: "a deletion without texts",
    true: deletingAs("application/json", "text/plain"),
    served: deletingAs("application/json"),
    broken: "endpoints/endpoints/removeThing/requests/media",
  },
  {
    what: "a login without its token",
    true: withLogin(200),
    served: withLogin(200, {}),
    broken: "endpoints/endpoints/login",
  },
  {
    what: "another status of an error below 400",
    true: withLogin(200),
    served: withLogin(401),
    broken: "endpoints/endpoints/login/else",
  },
];

void test("media and statuses", (context) => expectBroken(context, rows));
