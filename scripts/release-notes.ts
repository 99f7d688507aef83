/** Reads and changes the versions of CHANGELOG.md, for `release.ts`. */

/** The text below the heading of a version, with its date; undefined if it has no such heading. */
export function sectionOf(changelog: string, version: string): { date: string; text: string } | undefined {
  const heading = new RegExp(`^## \\[${RegExp.escape(version)}\\] - (\\d{4}-\\d{2}-\\d{2})$`, "m");
  const found = heading.exec(changelog);
  if (found === null) return undefined;
  const rest = changelog.slice(found.index + found[0].length);
  const end = /^## \[/m.exec(rest)?.index ?? rest.length;
  return { date: found[1] ?? "", text: rest.slice(0, end).trim() };
}

/** Moves what is unreleased below the heading of a version. @throws Error if nothing is unreleased, or the version exists. */
export function withVersion(changelog: string, version: string, date: string): string {
  if (sectionOf(changelog, version) !== undefined) throw new Error(`CHANGELOG.md has a section for ${version} already`);
  const heading = "## [Unreleased]\n";
  const start = changelog.indexOf(heading) + heading.length;
  const next = changelog.indexOf("\n## [", start);
  const end = next === -1 ? changelog.length : next;
  const unreleased = changelog.slice(start, end).trim();
  if (!changelog.includes(heading) || unreleased === "")
    throw new Error("CHANGELOG.md has nothing below ## [Unreleased]");
  return `${changelog.slice(0, start)}\n## [${version}] - ${date}\n\n${unreleased}\n${changelog.slice(end)}`;
}

/** Why a state of the repository cannot be released, a line each; empty if it can. */
export function releaseProblems(state: {
  readonly version: string;
  readonly changelog: string;
  /** The output of `git status --porcelain`. */
  readonly changed: string;
  readonly tags: readonly string[];
  readonly repository: boolean;
}): readonly string[] {
  const { version, changelog, changed, tags, repository } = state;
  const section = sectionOf(changelog, version);
  const problems: readonly (string | false)[] = [
    changed !== "" && `the work tree has changes: commit or remove them\n${changed.trimEnd()}`,
    !/^\d+\.\d+\.\d+(?:-[0-9a-z.]+)?$/.test(version) && `${version} in package.json is no version`,
    section === undefined &&
      `CHANGELOG.md has no section "## [${version}] - DATE": run npm run release -- --prepare ${version}, and commit`,
    section?.text === "" && `the section of ${version} in CHANGELOG.md is empty`,
    tags.includes(`v${version}`) && `the tag v${version} exists: this version is released`,
    !repository && "the repository has no address: set the remote origin of git, or NONET_REPOSITORY",
  ];
  return problems.filter((problem) => problem !== false);
}
