/** What cases find in responses that are no JSON, and in errors that a document declares with the status of a success. */
import { test } from "node:test";
import { crud, documentOf } from "../enforced/document.ts";
import { type Altered, expectBroken } from "./altered.ts";

function inXml(element: string): string {
  const requests = { media: ["application/json", "application/xml"] };
  return documentOf({ endpoints: { requests, endpoints: { ...crud, getThing: { at: "GET /things/{id}", element } } } });
}

/** People whose failed login has a status below 400, and whose other errors are the phrase of the status. */
function withLogin(status: number): string {
  const endpoints = {
    addUser: { at: "POST /users", gives: "none" },
    login: {
      ...{ at: "POST /login", of: "User", does: "login" },
      ...{ gives: { token: "token(session)" }, else: "bad-credentials" },
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
    what: "another element of XML",
    true: inXml("box"),
    served: inXml("crate"),
    broken: "endpoints/endpoints/getThing/element",
  },
  {
    what: "another status of an error below 400",
    true: withLogin(200),
    served: withLogin(401),
    broken: "endpoints/endpoints/login/else",
  },
];

void test("media and statuses", (context) => expectBroken(context, rows));
