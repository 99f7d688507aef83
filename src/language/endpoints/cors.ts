/**
 * Reads and prints `cors` of part 4: the origins whose pages may call the service.
 *
 *     cors   origins, as a list or in one line | any | none    map: { origins, credentials, keep }
 *
 * An origin is written as browsers send it (RFC 6454 section 6.2): scheme, host in lower case, and the port unless it is the
 * scheme's default. A `*` as the first label of the host matches any single label, and as the port any port.
 */
import { converted, form } from "../grammar/form.ts";
import { complain, type Grammar } from "../grammar/grammar.ts";
import { either, present, shared } from "../grammar/schema.ts";
import { duration, flag } from "../grammar/words.ts";
import type { SourceText } from "../grammar/source-text.ts";
import { isNone, type Path, type Reader, report } from "../grammar/reader.ts";
import { namesAt } from "../grammar/values.ts";
import type { Cors } from "./model.ts";

const origins: Grammar<Cors["origins"]> = {
  schema: shared("names"),
  read: (reader, path, { value }) => {
    const names = namesAt(reader, path, value, "The list of origins");
    if (names.length === 1 && names[0]?.text === "any") return "any";
    const sound = names.filter((name) => isSound(reader, path, name));
    return sound.length === 0 ? undefined : sound.map(({ text }) => text);
  },
  print: (value) => value,
};

interface WrittenCors extends Omit<Cors, "credentials"> {
  readonly credentials?: boolean;
}

const written = form<WrittenCors>({
  what: "`cors`",
  example: "{ origins: https://app.example }",
  members: {
    origins: { ...origins, needed: true },
    credentials: flag("credentials"),
    keep: duration("How long browsers cache it"),
  },
  missing: (reader, _, __, { key, span }) =>
    report(reader, "endpoints/bad-cors", key?.span ?? span, "`cors` needs `origins`", {
      help: "write `origins: https://app.example`",
    }),
});

const map = converted<WrittenCors, Cors>(
  written,
  (reader, _, { credentials, ...rest }, { key, value }) => {
    if (credentials !== true) return rest;
    if (rest.origins !== "any") return { ...rest, credentials: true };
    report(
      reader,
      "endpoints/cors-any-with-credentials",
      key?.span ?? value.span,
      "Credentials need a list of origins, not `any`",
      {
        why: "Every page that a user visits could act in their name (R4.22).",
        help: "list the origins, or leave out `credentials`",
      },
    );
    return undefined;
  },
  ({ credentials, ...rest }) => ({ ...rest, ...(credentials && { credentials }) }),
);

export const cors: Grammar<Cors | "none"> = {
  schema: either(present, origins.schema, map.schema),
  read: (reader, path, statement) => {
    if (isNone(statement.value)) return "none";
    if (statement.value.kind === "map") return map.read(reader, path, statement);
    const found = origins.read(reader, path, statement);
    return found && { origins: found };
  },
  print: (value, below) => {
    if (value === "none") return value;
    return Object.keys(value).length === 1 ? origins.print(value.origins, below) : map.print(value, below);
  },
};

const originForm =
  /^[a-z][a-z0-9+.-]*:\/\/(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?::(?:\*|[0-9]{1,5}))?$|^https?:\/\/\[[0-9a-f:.]+\](?::(?:\*|[0-9]{1,5}))?$/;

function isSound(reader: Reader, path: Path, origin: SourceText): boolean {
  const wrong = originForm.test(origin.text)
    ? /^https.*:443$|^http:.*:80$/.test(origin.text)
      ? "browsers leave out the default port of the scheme"
      : undefined
    : "an origin is a scheme, a host in small letters, and an optional port";
  if (wrong === undefined) return true;
  complain(reader, path, origin, [
    "bad-origin",
    (found) => `\`${found}\` is not an origin that a browser sends`,
    {
      why: `No request would match it: ${wrong}.`,
      help: "write `https://app.example`, `https://*.example` or `http://localhost:5173`",
    },
  ]);
  return false;
}
