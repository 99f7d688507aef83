/** What `npm run release` refuses, and what it does to CHANGELOG.md. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { releaseProblems, sectionOf, withVersion } from "../../scripts/release-notes.ts";

const changelog = `# Changelog

Words.

## [Unreleased]

### Added

- New.

## [0.1.0] - 2026-01-02

- First.
`;

test("a version is prepared: what is unreleased goes below its heading", () => {
  const prepared = withVersion(changelog, "0.2.0", "2026-12-01");
  assert.equal(
    prepared.slice(prepared.indexOf("## [Unreleased]")),
    `## [Unreleased]

## [0.2.0] - 2026-12-01

### Added

- New.

## [0.1.0] - 2026-01-02

- First.
`,
  );
  assert.deepEqual(sectionOf(prepared, "0.2.0"), { date: "2026-12-01", text: "### Added\n\n- New." });
  assert.deepEqual(sectionOf(prepared, "0.1.0"), { date: "2026-01-02", text: "- First." });
  assert.equal(sectionOf(prepared, "0x2.0"), undefined);
  assert.throws(() => withVersion(prepared, "0.3.0", "2026-12-02"), /nothing below/);
  assert.throws(() => withVersion(changelog, "0.1.0", "2026-12-02"), /has a section for 0\.1\.0 already/);
  assert.match(withVersion("## [Unreleased]\n\n- All.\n", "0.1.0", "2026-12-01"), /\n- All\.\n$/);
});

test("what prevents a release", () => {
  const fine = { version: "0.1.0", changelog, changed: "", tags: ["v0.0.9"], repository: true };
  assert.deepEqual(releaseProblems(fine), []);
  const rows: readonly [Partial<typeof fine>, RegExp][] = [
    [{ changed: " M README.md\n" }, /^the work tree has changes: commit or remove them\n M README\.md$/],
    [{ version: "0.2.0" }, /no section "## \[0\.2\.0\] - DATE": run npm run release -- --prepare 0\.2\.0/],
    [{ version: "next" }, /next in package\.json is no version/],
    [{ changelog: "## [0.1.0] - 2026-01-02\n\n## [0.0.9] - 2026-01-01\n\n- A.\n" }, /section of 0\.1\.0 .* is empty/],
    [{ tags: ["v0.1.0"] }, /the tag v0\.1\.0 exists/],
    [{ repository: false }, /the repository has no address/],
  ];
  for (const [change, expected] of rows) assert.match(releaseProblems({ ...fine, ...change })[0] ?? "", expected);
});
