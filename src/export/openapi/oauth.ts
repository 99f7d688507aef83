/**
 * Describes the OAuth endpoints of the built-in authorization server (RFC 6749, 7009, 7662). Its pages for users are not part
 * of the API; the security scheme contains their URL.
 */
import type { Json, JsonObject } from "../../base/json.ts";
import type { AuthenticationPart } from "../../plan/authentication/types.ts";
import { headersOf } from "./headers.ts";
import { serviceTag } from "./security.ts";

type PathItem = readonly [path: string, item: JsonObject];

const text: JsonObject = { type: "string" };
const seconds: JsonObject = { type: "integer" };
const client = { client_id: text, client_secret: text };

/** Describes the paths below the base URL, like those of operations. */
export function tokenPaths({ credentials }: AuthenticationPart): readonly PathItem[] {
  const oauth = credentials.find((credential) => credential.oauth !== undefined)?.oauth;
  if (oauth === undefined) return [];
  const { users } = oauth;
  const renewal = users?.renewedMilliseconds === undefined ? [] : ["refresh_token"];
  return [
    endpoint(oauth.token, "oauthToken", "Get a token", {
      requestSchema: object(
        {
          ...(users === undefined
            ? { grant_type: { type: "string", const: "client_credentials" } }
            : {
                grant_type: { type: "string", enum: ["client_credentials", "authorization_code", ...renewal] },
                ...code,
              }),
          ...(renewal.length === 0 ? {} : { refresh_token: text }),
          ...{ scope: text, ...client },
        },
        "grant_type",
      ),
      responseSchema: object(
        {
          ...{ access_token: text, token_type: { type: "string", const: "Bearer" }, expires_in: seconds, scope: text },
          ...(renewal.length === 0 ? {} : { refresh_token: text }),
        },
        ...["access_token", "token_type", "expires_in"],
      ),
    }),
    endpoint(oauth.revoke, "oauthRevoke", "End a token", {
      requestSchema: object({ token: text, token_type_hint: text, ...client }, "token"),
      responseSchema: object({}),
    }),
    endpoint(oauth.introspect, "oauthIntrospect", "Introspect a token", {
      requestSchema: object({ token: text, token_type_hint: text, ...client }, "token"),
      responseSchema: object(
        {
          ...{ active: { type: "boolean" }, scope: text, client_id: text, sub: text, token_type: text },
          ...{ iat: seconds, exp: seconds, iss: text },
        },
        "active",
      ),
    }),
  ];
}

const code = { code: text, redirect_uri: text, code_verifier: text };

/** Describes the paths at the root, which ignore the base path of the operations. */
export function wellKnownPaths({ credentials }: AuthenticationPart): readonly PathItem[] {
  if (!credentials.some(({ oauth }) => oauth !== undefined)) return [];
  const page = (operationId: string, summary: string): JsonObject => ({
    get: {
      operationId,
      tags: [serviceTag],
      summary,
      security: [{}],
      responses: { "200": response("The metadata.", { type: "object" }) },
    },
  });
  return [
    ["/.well-known/oauth-authorization-server", page("oauthServer", "Authorization server metadata (RFC 8414)")],
    ["/.well-known/oauth-protected-resource", page("oauthResource", "Protected resource metadata (RFC 9728)")],
  ];
}

function endpoint(
  path: string,
  operationId: string,
  summary: string,
  { requestSchema, responseSchema }: { readonly requestSchema: JsonObject; readonly responseSchema: JsonObject },
): PathItem {
  const errorSchema = object({ error: text, error_description: text }, "error");
  const errorResponse = (description: string, ...headers: Parameters<typeof headersOf>[0]): JsonObject =>
    response(description, errorSchema, ...headers);
  const post = {
    operationId,
    tags: [serviceTag],
    summary,
    description: "The client authenticates with Basic, or with `client_id` and `client_secret` in the form.",
    security: [{}],
    requestBody: { required: true, content: { "application/x-www-form-urlencoded": { schema: requestSchema } } },
    responses: {
      "200": response("Done.", responseSchema),
      "400": errorResponse("The OAuth error code."),
      "401": errorResponse("The client is unknown, or its secret is wrong.", "WWW-Authenticate"),
      "429": errorResponse("Too many failures.", "Retry-After"),
    },
  };
  return [path, { post }];
}

function response(description: string, schema: JsonObject, ...headers: Parameters<typeof headersOf>[0]): JsonObject {
  const pragma = { Pragma: { required: false, schema: { type: "string", const: "no-cache" } } };
  return {
    description,
    headers: { ...headersOf(headers).headers, ...pragma },
    content: { "application/json": { schema } },
  };
}

function object(properties: Readonly<Record<string, Json>>, ...required: readonly string[]): JsonObject {
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }) };
}
