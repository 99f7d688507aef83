/** A small service with statements in each part, for documents that differ in one place. */
export const clinic = `purpose:
  nonet: 1
  service: clinic
  domain: health
  purpose: Book a visit.
  users: { nurse: books, doctor: sees }
  outside: [payment]
  operations:
    addRoom: Open a room
    listRooms: See the rooms
    dropRoom: Close a room
    book: Book a visit
    listVisits: See visits
    load: See the load of each day
    countVisits: Count the visits
    getVisit: See one visit
    changeVisit: Correct a visit
    admit: Let the patient in
    finish: End the visit
resources:
  Room:
    id: id(room)
    name: string(1..40), filter
    size: small | large, create-only, filter
    visits: integer = 0, read-only
  Visit:
    id: id(vis)
    nurse: user = caller, read-only, filter
    room: Room, read-only
    reason: string(1..80)
    patient: Patient
    urgency: low | high = low, filter
    kind: first | repeated | string = first
    weight: integer(1..300), create-only
    note?: string(0..200)
    pin: string(4) = digits(4), read-only
    until?: datetime, read-only
    scan?: file(..5MB, image/*)
    createdAt: datetime = now, read-only, filter, sort
  types:
    Patient: { name: string(1..80), phone?: phone }
  rules:
    Room: unique name
    Visit: weight < 250 || urgency == 'high' else too-heavy
states:
  Room: none
  Visit:
    states: { booked: expected, inside: in the room, done: over, missed: nobody came }
    start: booked
    final: [done, missed]
    moves:
      booked -> inside: { by: admit, if: input.pin == pin, else: wrong-pin, set: { until: now + duration('1h') } }
      booked -> missed: after 48h
      inside -> done: [by finish, at until, when door.closed]
      booked -> done: { when: room.shut, where: room == input.room, first: 1 }
endpoints:
  base: "{base_url}"
  lists: cursor, 50 per page, at most 200
  edits: If-Match required
  repeats: Idempotency-Key on every POST, kept 24h
  mcp: { at: /mcp, for: signed-in }
  endpoints:
    addRoom: POST /rooms
    listRooms: GET /rooms
    dropRoom: DELETE /rooms/{id}
    book:
      at: POST /visits
      choose: { room: { from: Room, if: size == 'large', else: no-room } }
      also: { change: Room, where: id == this.room, set: { visits: visits + 1 } }
    listVisits: { at: GET /visits, where: state != 'missed' }
    load:
      at: GET /load
      of: Visit
      group: { day: "date(createdAt, 'Europe/Oslo')", urgency: urgency }
      gives: { visits: count, heavy: sum(weight), mean: average(weight) }
    countVisits: { at: GET /visit-count, of: Visit, does: summary, gives: { visits: count } }
    getVisit: GET /visits/{id}
    changeVisit: PATCH /visits/{id}
    admit: { at: "POST /visits/{id}/admit", takes: { pin: string(4), helper?: string(1..40) }, gives: { room: room, until: until } }
    finish: POST /visits/{id}/finish
authentication:
  credentials:
    key: { kind: api-key, sent: Authorization Bearer, prefix: cl_, lasts: 365d, revoked: at once }
    door: { kind: hmac-sha256, sent: header Door-Signature, secret: env DOOR }
  roles: [nurse, doctor]
  own: { Visit: nurse == caller.id }
  allow:
    addRoom, dropRoom: doctor
    listRooms, listVisits: signed-in
    load, countVisits: doctor
    book: nurse
    getVisit, changeVisit, finish: doctor | nurse if own
    admit: anyone
  show: { Visit.pin: doctor }
  unseen: 404
events:
  envelope: cloudevents
  out:
    visit.booked: Visit -> booked
    visit.done: { when: Visit -> done, carries: [id, room, reason] }
  in:
    door.closed: { at: POST /hooks/doors, with: door, carries: { visit: Visit, code?: string(1..9) } }
    room.shut: { at: POST /hooks/shut, with: door, carries: { room: string(1..40) } }
  delivery:
    webhook:
      subscribe: POST /webhooks
      for: doctor
      signed: standard-webhooks
      promise: at least once
      timeout: 15s
      retry: 5s 5m 30m
      then: disable and keep 30d
    stream: { at: GET /events, for: doctor, kind: server-sent, resume: Last-Event-ID, keep: 7d }
errors:
  body: problem+json
  standard: all
  errors:
    wrong-pin: 403 Not the pin
    no-room: 409 No room is free, retry after 10m
    too-heavy: 422 Too heavy for the bed
limits:
  rate: { all: 600/min per user, admit: 5/15min per Visit, finish: 100/day in Europe/Oslo per user }
  quota: { book: 50/day per user, Visit: 10 in booked | inside per user }
  size: { request: 256KB }
  time: { request: 10s }
  keep: { Visit: 90d after final }
versioning:
  scheme: dated
  sent: header Clinic-Version
  absent: pinned
  policy: { breaking: new version only, notice: 180d, support: 12mo, after sunset: 410 version-gone }
  versions:
    2026-06-01:
      - rename Visit.cause -> reason
    2026-03-01: first
  deprecated:
    2026-03-01: since 2026-06-01, sunset 2027-06-01
`;

/** The clinic with some of its text replaced; each of the texts has to be there. */
export function clinicWith(...edits: readonly (readonly [from: string, to: string])[]): string {
  return edits.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the clinic does not say ${from}`);
    return text.replaceAll(from, to);
  }, clinic);
}
