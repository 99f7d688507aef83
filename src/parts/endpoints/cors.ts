/**
 * Part 4, `cors`: which pages of other origins may call, read and printed.
 *
 *     cors   origins, as a list or in one line | any | none    map: { origins, credentials, keep }
 *
 * An origin is as browsers write it (RFC 6454 section 6.2): scheme, host in small letters, the port where it is not the
 * scheme's own. A `*` as the first label of the host stands for any one label, and as the port for any port.
 */
import type { Entry, Node } from "../../document/document.ts";
import type { Tree } from "../../document/print.ts";
import { spanOf, type Phrase } from "../phrase.ts";
import { isNone, knownEntries, type Path, type Reader, report } from "../reader.ts";
import { namesAt, readChoice, readDuration, readText } from "../values.ts";
import type { Cors } from "./model.ts";

export function readCors(reader: Reader, path: Path, entry: Entry): Cors | "none" | undefined {
  if (isNone(entry.value)) return "none";
  if (entry.value.kind !== "map") {
    const origins = readOrigins(reader, path, entry.value);
    return origins && { origins };
  }
  const entries = knownEntries(reader, path, entry.value, ["origins", "credentials", "keep"], "`cors`");
  const origins = entries.origins && readOrigins(reader, [...path, "origins"], entries.origins.value);
  const said = readText(reader, path, entries.credentials, "`credentials`");
  const credentials = readChoice(reader, path, said, ["yes", "no", "true", "false"], "Whether credentials are sent");
  const keep = readDuration(reader, path, readText(reader, path, entries.keep, "`keep`"), "How long is remembered");
  if (entries.origins === undefined) {
    report(reader, "endpoints/bad-cors", entry.key.span, "`cors` does not say which origins", {
      help: "write `origins: https://app.example`",
    });
  }
  if (origins === undefined) return undefined;
  const allowed = credentials === "yes" || credentials === "true";
  if (allowed && origins === "any") {
    report(reader, "endpoints/cors-any-with-credentials", entry.key.span, "Any page may not send credentials", {
      why: "Every page that somebody visits could act for them here (R4.22).",
      help: "list the origins, or leave out `credentials`",
    });
    return undefined;
  }
  return { origins, ...(allowed ? { credentials: true } : {}), ...(keep === undefined ? {} : { keep }) };
}

function readOrigins(reader: Reader, path: Path, node: Node): Cors["origins"] | undefined {
  const names = namesAt(reader, path, node, "The list of origins");
  if (names.length === 1 && names[0]?.text === "any") return "any";
  const sound = names.filter((name) => isSound(reader, name));
  return sound.length === 0 ? undefined : sound.map(({ text }) => text);
}

const form =
  /^[a-z][a-z0-9+.-]*:\/\/(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?::(?:\*|[0-9]{1,5}))?$|^https?:\/\/\[[0-9a-f:.]+\](?::(?:\*|[0-9]{1,5}))?$/;

function isSound(reader: Reader, origin: Phrase): boolean {
  const wrong = form.test(origin.text)
    ? /^https:.*:443$|^http:.*:80$/.test(origin.text)
      ? "browsers leave out the port that is the scheme's own"
      : undefined
    : "an origin is a scheme and a host in small letters, and a port; nothing comes after that";
  if (wrong === undefined) return true;
  report(reader, "endpoints/bad-origin", spanOf(origin), `\`${origin.text}\` is no origin that a browser sends`, {
    why: `It would never be met: ${wrong}.`,
    help: "write `https://app.example`, `https://*.example` or `http://localhost:5173`",
  });
  return false;
}

export function printCors(cors: Cors | "none"): Tree {
  if (cors === "none") return cors;
  const { origins, credentials, keep } = cors;
  if (credentials === undefined && keep === undefined) return origins;
  return {
    origins,
    ...(credentials === undefined ? {} : { credentials: "yes" }),
    ...(keep === undefined ? {} : { keep }),
  };
}
