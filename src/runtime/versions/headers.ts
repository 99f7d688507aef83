/** What every answer of a version says of it (R9.1, R9.5). */
import type { Served } from "../context/version.ts";

/** `all`: the names and values of an answer's fields in turn. */
export function addVersion(all: string[], { headers, vary, mediaType }: Served): void {
  all.push(...headers);
  const type = mediaType === undefined ? -1 : all.indexOf("Content-Type");
  if (type >= 0 && /^application\/(?:\w+\+)?json$/.test(all[type + 1] ?? "")) all[type + 1] += mediaType as string;
  if (vary === undefined) return;
  const at = all.indexOf("Vary");
  if (at < 0) all.push("Vary", vary);
  // One field for all that an answer was chosen by: caches are not sure to read a second one.
  else if (!(all[at + 1] ?? "").split(", ").includes(vary)) all[at + 1] = `${all[at + 1]}, ${vary}`;
}
