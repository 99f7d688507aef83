/** A small document with versions, for the tests of version selection. */

export interface Choice {
  readonly scheme?: string;
  readonly sent?: string;
  readonly absent?: string;
  readonly deprecated?: string;
  readonly versions?: readonly string[];
  readonly base?: string;
}

/** Notes whose `text` was `body` in the second version and `words` in the first. */
export function notes({
  scheme = "numbered",
  sent,
  absent,
  deprecated,
  versions = ["3", "2", "1"],
  base,
}: Choice): string {
  const [third, second, first] = versions;
  return `purpose:
  nonet: 1
  service: notes
  operations: {}
resources:
  Note:
    id: id(note)
    text: string(1..80), filter, sort
states: { Note: none }
endpoints:
  base: "{base_url}${base ?? ""}"
  lists: cursor, 2 per page, at most 10
  endpoints:
    addNote: POST /notes
    listNotes: GET /notes
    getNote: "GET /notes/{id}"
    readNote: "GET /notes/{id}/read"
authentication:
  credentials:
    key: { kind: api-key, sent: Authorization Bearer, prefix: k_, lasts: 365d, revoked: at once }
  roles: [writer]
  allow: { addNote: signed-in, listNotes: signed-in, getNote: anyone, readNote: anyone }
  unseen: 404
events: none
errors: { body: problem+json, standard: all, errors: {} }
limits: { size: { request: 64KB } }
versioning:
  scheme: ${scheme}
${sent === undefined ? "" : `  sent: ${sent}\n`}${absent === undefined ? "" : `  absent: ${absent}\n`}  policy: { breaking: new version only, notice: 1d, support: 1d, after sunset: 410 version-gone }
${
  third === undefined
    ? ""
    : `  versions:
    ${third}: [rename Note.body -> text, add readNote]
    ${second}: [rename Note.words -> body, "path listNotes, was GET /notes/all"]
    ${first}: first
`
}${deprecated === undefined ? "" : `  deprecated:\n    ${deprecated}\n`}`;
}
