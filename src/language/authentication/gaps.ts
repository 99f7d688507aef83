/** The questions of part 5 in the completeness questionnaire. */
import type { DocumentIndex } from "../analysis/document-index.ts";
import {
  type Answer,
  each,
  declaredAnswer,
  openOr,
  declaredOrNone,
  none,
  noneAt,
  type Question,
  undeclared,
  taken,
} from "../analysis/question.ts";
import type { Credential } from "./model.ts";
import { makesTokens } from "./oauth.ts";

export const questions: readonly Question[] = [
  {
    id: "authentication/credentials",
    text: "Which kinds of credential are accepted?",
    answer: (documentIndex) => {
      const needed = documentIndex.grants.some(({ grant }) => grant.who.kind !== "anyone");
      const otherwise = needed || documentIndex.grants.length === 0 ? undeclared : none;
      return declaredOrNone(documentIndex, "authentication/credentials", otherwise);
    },
  },
  {
    id: "authentication/lifetime",
    text: "How is each obtained, renewed and revoked, and how long is it valid?",
    answer: (documentIndex) => eachCredential(documentIndex, lifetime),
  },
  {
    id: "authentication/place",
    text: "Where in a request is each sent?",
    answer: (documentIndex) =>
      eachCredential(documentIndex, (credential) =>
        credential.sent === undefined
          ? `\`Authorization: ${credential.kind === "basic" ? "Basic" : "Bearer"}\``
          : undefined,
      ),
  },
  {
    id: "authentication/roles",
    text: "Which roles exist, and where do they come from?",
    answer: (documentIndex) => {
      const used = documentIndex.grants.find(({ grant }) => grant.who.kind === "role");
      const otherwise = used === undefined ? none : { ...taken("the roles that permissions name"), at: used.at };
      return declaredOrNone(documentIndex, "authentication/roles", otherwise);
    },
  },
  {
    id: "authentication/permissions",
    text: "Who may run each operation?",
    answer: (documentIndex) =>
      each(
        documentIndex,
        [...documentIndex.operations].map((name) => ({
          at: `authentication/allow/${name}`,
          declared: Object.hasOwn(documentIndex.model.authentication.allow, name),
        })),
        openOr(documentIndex, "authentication/allow"),
      ),
  },
  {
    id: "authentication/ownership",
    text: "Who owns each record?",
    answer: (documentIndex) =>
      declaredOrNone(documentIndex, "authentication/own", taken("nobody: no permission depends on it")),
  },
  {
    id: "authentication/visibility",
    text: "Who sees each sensitive field?",
    answer: (documentIndex) => {
      const otherwise = taken("everybody who sees the record, except for `secret` and `write-only` fields");
      return declaredOrNone(documentIndex, "authentication/show", otherwise);
    },
  },
  {
    id: "authentication/unseen",
    text: "Does the service respond with 403 or 404 for records that a caller may not see?",
    answer: (documentIndex) =>
      declaredAnswer(
        documentIndex,
        "authentication/unseen",
        taken("404, which does not reveal that the record exists"),
      ),
  },
];

/** Answers a question for each credential; `usual` returns the default of a credential. */
function eachCredential(documentIndex: DocumentIndex, usual: (credential: Credential) => string | undefined): Answer {
  const { credentials } = documentIndex.model.authentication;
  if (documentIndex.places.has("authentication/credentials") && Object.keys(credentials).length === 0) {
    return noneAt("authentication/credentials");
  }
  return each(
    documentIndex,
    Object.entries(credentials).map(([name, credential]) => {
      const at = `authentication/credentials/${name}`;
      const text = usual(credential);
      return { at, declared: text === undefined, ...(text === undefined ? {} : { otherwise: { ...taken(text), at } }) };
    }),
  );
}

/**
 * Returns the defaults about obtaining, renewing and expiry of a credential, as a text; undefined for a secret that two
 * servers share (hmac-sha256).
 */
function lifetime(credential: Credential): string | undefined {
  const { kind, obtained, renewed, lasts, revoked } = credential;
  if (kind === "hmac-sha256") return undefined;
  const elsewhere = kind === "jwt" || (kind === "oauth2" && !makesTokens(credential));
  const login = kind === "password";
  const made = login ? "obtained by logging in" : "created by the operator of the service";
  const usual = [
    ...(obtained === undefined ? [elsewhere ? "obtained from its issuer" : made] : []),
    ...(renewed === undefined ? [login ? "renewed by logging in again" : "renewed by obtaining another"] : []),
    ...(lasts === undefined
      ? [elsewhere ? "valid until the expiry in the token" : login ? "valid for 30 days" : "valid until revoked"]
      : []),
    ...(revoked === undefined && !elsewhere ? ["revoked at once"] : []),
  ];
  return usual.length === 0 ? undefined : usual.join(", ");
}
