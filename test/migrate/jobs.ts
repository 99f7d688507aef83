/** A small document whose resources, rules and transitions a test changes line by line, for the effects on stored data. */
import type { Table } from "../../src/plan/resources/types.ts";
import { planOf } from "../serve/running.ts";

export interface JobsDocument {
  readonly fields?: readonly string[];
  readonly more?: string;
  readonly rules?: string;
  readonly moves?: string;
}

export const usual: readonly string[] = [
  "id: id(job)",
  "ref: string(1..60)",
  "size: s | m",
  "count: integer = 0",
  "note?: text",
  "above?: Job",
];

/** The tables of the document with these lines in it. */
export function tablesOf({
  fields = usual,
  more = "",
  rules = "",
  moves = "open -> over: by endJob",
}: JobsDocument): readonly Table[] {
  return planOf(`# Jobs

## What the service does
\`\`\`yaml
nonet: 1
service: jobs
purpose: Jobs.
users: { worker: does them }
operations: { addJob: Begin one, getJob: Look at one, endJob: End one }
\`\`\`

## Resources and their fields
\`\`\`yaml
Job:
${fields.map((field) => `  ${field}`).join("\n")}
${more}
${rules === "" ? "" : `rules: { Job: ${rules} }`}
\`\`\`

## States and transitions
\`\`\`yaml
Job:
  states: { open: begun, over: ended }
  start: open
  final: [over]
  moves:
    ${moves}
${more.includes("Tool:") ? "Tool: none" : ""}
\`\`\`

## Endpoints
\`\`\`yaml
endpoints:
  addJob: POST /jobs
  getJob: GET /jobs/{id}
  endJob: POST /jobs/{id}/end
\`\`\`

## Authentication
\`\`\`yaml
credentials: { key: { kind: api-key, sent: Authorization Bearer, prefix: jo_, lasts: 30d, revoked: at once } }
roles: [worker]
allow:
  addJob, getJob, endJob: worker
\`\`\`

## Events
\`\`\`yaml
out: none
\`\`\`

## Errors
\`\`\`yaml
body: problem+json
\`\`\`

## Limits
\`\`\`yaml
rate: { all: 9/min per user }
\`\`\`

## Versioning
\`\`\`yaml
scheme: none
\`\`\`
`).tables;
}

/** The usual fields but this one. */
export function without(name: string): readonly string[] {
  return usual.filter((field) => !field.startsWith(name));
}
