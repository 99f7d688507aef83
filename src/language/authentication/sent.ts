/**
 * Where clients send a credential: reads and prints `sent`, and applies its default.
 *
 *     sent   one place or a list of places, each of them
 *            `Authorization SCHEME`, `header NAME`, `cookie NAME[, set by login]` or `query NAME`
 *            map: { header, scheme }, { cookie, set } or { query }
 */
import { schemeOf as signatureScheme, signatureField } from "../../base/signature-schemes.ts";
import type { MapNode } from "../../document/document.ts";
import type { Effect } from "../grammar/changes.ts";
import { oneOrList } from "../grammar/collections.ts";
import { converted, form } from "../grammar/form.ts";
import { complain, type Grammar } from "../grammar/grammar.ts";
import { isNone, type Reader, report } from "../grammar/reader.ts";
import { words as wordsOf } from "../grammar/source-text.ts";
import { choice, text } from "../grammar/words.ts";
import type { Credential, SentIn } from "./model.ts";

interface WrittenSent {
  readonly header?: string;
  readonly scheme?: string;
  readonly cookie?: string;
  readonly set?: "by login";
  readonly query?: string;
}

/** A token (RFC 9110, 5.6.2): the name of a header or of a cookie, or a scheme. */
const token = /^[!#$%&'*+.^_`|~\w-]+$/;
/** The name of a query parameter that needs no escapes. */
const parameter = /^[\w.~-]+$/;

const place = converted<WrittenSent, SentIn>(
  form<WrittenSent>({
    what: "`sent`",
    example: "{ header: X-Api-Key }",
    line: {
      read: (reader, path, line) => {
        const [first, second, ...rest] = wordsOf(line);
        const where = first?.text.toLowerCase() ?? "";
        const cookie = /^cookie\s+(\S+?)(,\s*set by login)?$/.exec(line.text);
        if (cookie?.[1] !== undefined && token.test(cookie[1]))
          return { cookie: cookie[1], ...(cookie[2] === undefined ? {} : { set: "by login" }) };
        if (second !== undefined && rest.length === 0) {
          if (first?.text === "query" && parameter.test(second.text)) return { query: second.text };
          if (first?.text === "header" && token.test(second.text)) return { header: second.text };
          if (where === "authorization" && token.test(second.text))
            return { header: "Authorization", scheme: second.text };
        }
        const isHeader = second === undefined && token.test(where) && !["header", "cookie", "query"].includes(where);
        return complain(reader, path, line, [
          "bad-sent",
          (found) => `\`${found}\` does not say where the credential is sent`,
          {
            help: !isHeader
              ? "write `Authorization Bearer`, with the scheme, or `header X-Api-Key`, `cookie session` or `query key`"
              : where === "authorization"
                ? "write `Authorization Bearer` or another scheme"
                : `write \`header ${first?.text}\``,
          },
        ]);
      },
      print: ({ header, scheme, cookie, set, query }) => {
        if (cookie !== undefined) return set === undefined ? `cookie ${cookie}` : `cookie ${cookie}, set ${set}`;
        if (query !== undefined) return `query ${query}`;
        return scheme === undefined ? `header ${header}` : `${header} ${scheme}`;
      },
    },
    members: {
      header: { ...text("The header"), orNothing: true },
      scheme: { ...text("The scheme"), orNothing: true },
      cookie: { ...text("The cookie"), orNothing: true },
      set: { ...choice(["by login"], "How a browser gets the cookie"), orNothing: true },
      query: { ...text("The query parameter"), orNothing: true },
    },
  }),
  (reader, _, { header, scheme, cookie, set, query }, { value }) => {
    const isOne = [header, cookie, query].filter((name) => name !== undefined).length === 1;
    if (isOne && header !== undefined && token.test(header) && set === undefined) {
      const isAuthorization = header.toLowerCase() === "authorization";
      if (scheme === undefined) return { header };
      if (isAuthorization && token.test(scheme)) return { header: "Authorization", scheme };
    }
    if (isOne && scheme === undefined) {
      if (cookie !== undefined && token.test(cookie)) return { cookie, ...(set === undefined ? {} : { set }) };
      if (query !== undefined && parameter.test(query) && set === undefined) return { query };
    }
    return reportSent(reader, value.span);
  },
  (sentIn) => sentIn,
);

function reportSent(reader: Reader, span: MapNode["span"]): undefined {
  report(reader, "authentication/bad-sent", span, "This does not say where the credential is sent", {
    help: "write `{ header: X-Api-Key }`, `{ header: Authorization, scheme: Bearer }`, `{ cookie: session }` or `{ query: key }`",
  });
}

export const sent: Grammar<readonly SentIn[]> = converted<readonly SentIn[], readonly SentIn[]>(
  oneOrList(place),
  (reader, _, places, { value }) =>
    isNone(value) ? reportSent(reader, value.span) : places.length === 0 ? undefined : places,
  (places) => places,
);

/** Returns the effect of a changed `sent`: requests stay valid if each old place is still one. */
export function sentEffect(old: WithPlaces, now: WithPlaces): Effect {
  const [before, after] = [placesOf(old).map(keyOf), placesOf(now).map(keyOf)];
  if (!before.every((one) => after.includes(one))) return "breaking";
  return after.every((one) => before.includes(one)) ? "neutral" : "additive";
}

/** Two places are one if their keys are equal. Header names and schemes ignore case; names of cookies and parameters do not. */
function keyOf(sentIn: SentIn): string {
  const key = JSON.stringify(sentIn);
  return "header" in sentIn ? key.toLowerCase() : key;
}

type WithPlaces = Pick<Credential, "kind" | "scheme" | "sent">;

/** Returns the places of a credential, with the default if the document declares none. */
export function placesOf({ kind, scheme, sent: declared = [] }: WithPlaces): readonly SentIn[] {
  if (declared.length > 0) return declared;
  if (scheme !== undefined) return [{ header: signatureField(signatureScheme(scheme))[0] }];
  return [{ header: "Authorization", scheme: kind === "basic" ? "Basic" : "Bearer" }];
}

/** Returns the header field with a credential; undefined for a query parameter. */
export function fieldWith(sentIn: SentIn, value: string): readonly [name: string, value: string] | undefined {
  if ("cookie" in sentIn) return ["Cookie", `${sentIn.cookie}=${value}`];
  if (!("header" in sentIn)) return undefined;
  return [sentIn.header, sentIn.scheme === undefined ? value : `${sentIn.scheme} ${value}`];
}
