/** Small services whose limits a test sets: desks, and tickets at them. */

export interface DesksLimits {
  readonly rate?: string;
  readonly quota?: string;
  readonly size?: string;
  readonly time?: string;
}

/** A service with these lines below `rate`, `quota`, `size` and `time`; each is YAML in one line. */
export function desks({
  rate = "none",
  quota = "none",
  size = "{ request: 8KB }",
  time = "{ request: 10s }",
}: DesksLimits): string {
  const block = (heading: string, yaml: string): string => `## ${heading}\n\`\`\`yaml\n${yaml.trim()}\n\`\`\`\n`;
  return [
    "# Desks\n",
    block(
      "What the service does",
      "nonet: 1\nservice: desks\npurpose: Let everything be limited.\nusers: { clerk: keeps desks and opens tickets }",
    ),
    block(
      "Resources and their fields",
      `
Desk:
  id: id(dsk)
  keeper: user = caller, read-only
  name: string(1..40), unique
Ticket:
  id: id(tic)
  clerk: user = caller, read-only
  desk: Desk, filter
  code: string(4) = digits(4), read-only
  note?: string(1..6000)
`,
    ),
    block(
      "States and transitions",
      `
Desk:
  states: { free: nobody is at it, busy: a ticket is open }
  start: free
  moves:
    free -> busy: when ticket.opened
    busy -> free: when ticket.closed
Ticket:
  states: { parked: for later, open: being worked on, closed: done, guessed: given away }
  start: parked
  final: [guessed]
  moves:
    parked -> open: [by openTicket, after 1h]
    open -> closed: by closeTicket
    closed -> open: by reopenTicket
    any -> guessed: { by: guessTicket, if: input.code == code, else: wrong-code }
`,
    ),
    block(
      "Endpoints",
      `
base: "{base_url}"
lists: cursor, 20 per page, at most 100
edits: If-Match optional
repeats: Idempotency-Key on every POST, kept 24h
endpoints:
  addDesk: POST /desks
  getDesk: GET /desks/{id}
  renameDesk: PATCH /desks/{id}
  addTicket: POST /tickets
  getTicket: GET /tickets/{id}
  listTickets: GET /tickets
  changeTicket: PATCH /tickets/{id}
  openTicket: POST /tickets/{id}/open
  closeTicket: POST /tickets/{id}/close
  reopenTicket: POST /tickets/{id}/reopen
  guessTicket: { at: "POST /tickets/{id}/guess", takes: { code: string(4) } }
`,
    ),
    block(
      "Authentication",
      `
credentials:
  key: { kind: api-key, sent: Authorization Bearer, prefix: dk_, lasts: 365d, revoked: at once }
roles: [clerk]
allow:
  addDesk, renameDesk, addTicket, changeTicket, openTicket, closeTicket, reopenTicket: clerk
  getDesk, getTicket: signed-in
  listTickets, guessTicket: anyone
unseen: 404
`,
    ),
    block("Events", "out: { ticket.opened: Ticket -> open, ticket.closed: Ticket -> closed }"),
    block("Errors", "body: problem+json\nstandard: all\nerrors: { wrong-code: 403 That is not the code }"),
    block("Limits", `rate: ${rate}\nquota: ${quota}\nsize: ${size}\ntime: ${time}\nkeep: none`),
    block("Versioning", "none"),
  ].join("\n");
}
