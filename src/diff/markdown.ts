/** Prints a comparison as the section of a changelog, in sentences about what clients notice. */
import type { Comparison, AssessedDifference } from "./compare.ts";

/** Prints the section. `open`: the undeclared differences. Neutral differences are listed only if there are no others. */
export function markdownOf(
  { differences, versioning, since }: Comparison,
  open: ReadonlySet<AssessedDifference>,
): string {
  // The heading already names the new version.
  const notable = differences.filter(({ difference }) => difference.kind !== "version-added");
  const of = (effect: string): readonly AssessedDifference[] =>
    notable.filter(({ difference }) => difference.effect === effect);
  const [breaking, additive, neutral] = [of("breaking"), of("additive"), of("neutral")];
  const served = breaking.filter(({ declared }) => declared);
  const broken = breaking.filter(({ declared }) => !declared);
  const callers = since === undefined ? "Callers" : `Callers of \`${since}\``;
  const sections = [
    section("Changed", `${callers} are served as before.`, served, open),
    section("Breaking", `${callers} notice.`, broken, open),
    section("Added", undefined, additive, open),
    ...(breaking.length + additive.length > 0 ? [] : [section("Unnoticed", "No caller notices.", neutral, open)]),
  ];
  const text = sections.filter((one) => one !== "").join("\n");
  return `## ${versioning.versions?.[0]?.name ?? "Changes"}\n\n${text === "" ? "Nothing has changed.\n" : text}`;
}

function section(
  title: string,
  about: string | undefined,
  differences: readonly AssessedDifference[],
  open: ReadonlySet<AssessedDifference>,
): string {
  if (differences.length === 0) return "";
  const lines = differences.map((one) => `- ${one.difference.message}.${open.has(one) ? " **Not declared.**" : ""}`);
  return [`### ${title}`, "", ...(about === undefined ? [] : [about, ""]), ...lines, ""].join("\n");
}
