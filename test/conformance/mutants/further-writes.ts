/** Small documents with further writes: of operations, transitions and incoming events; a waiting list; timers that other records wake. */
import { documentOf } from "../../enforced/document.ts";

/** Payments between accounts, and boxes with notes. */
const ledger = documentOf({
  resources: {
    Account: { id: "id(acc)", balance: "integer(0..1000) = 500", movements: "integer = 0, read-only" },
    Transfer: {
      id: "id(trf)",
      from: "Account, create-only",
      to: "Account, create-only",
      amount: "integer(1..400)",
    },
    Posting: {
      id: "id(pos)",
      number: "integer = counter per account, read-only",
      account: "Account, create-only, filter",
      transfer: "Transfer, create-only, delete with",
      amount: "integer",
    },
    Box: { id: "id(box)", size: "integer(1..9)", label: "string(1..20)" },
    Note: {
      id: "id(not)",
      box: "Box, create-only, delete with",
      rank: "integer(0..9), sort",
      text: "string(1..20) = none",
    },
  },
  states: {
    Box: {
      states: ["shut", "open"],
      start: "shut",
      final: "none",
      moves: {
        "shut -> open": {
          by: "openBox",
          also: [
            { create: "Note", if: "size > 4", with: { box: "id", rank: "9", text: "'opened'" } },
            { change: "Note", where: "box == this.id", set: { text: "'seen'" }, first: "1", sort: "-rank" },
          ],
        },
        "open -> shut": {
          by: "shutBox",
          also: { delete: "Note", where: "box == this.id", first: "1", else: "no-note" },
        },
      },
    },
  },
  endpoints: {
    endpoints: {
      addAccount: "POST /accounts",
      getAccount: "GET /accounts/{id}",
      transfer: {
        at: "POST /transfers",
        if: "input.from != input.to",
        else: "same-account",
        also: [
          { create: "Posting", with: { account: "from", transfer: "id", amount: "-amount" } },
          { create: "Posting", with: { account: "to", transfer: "this.id", amount: "this.amount" } },
          {
            change: "Account",
            where: "id == this.from && balance >= this.amount",
            set: { balance: "balance - this.amount", movements: "movements + 1" },
            else: "not-enough",
          },
          { change: "Account", where: "id == this.to", set: { balance: "balance + this.amount" } },
        ],
      },
      getTransfer: "GET /transfers/{id}",
      correctTransfer: {
        at: "PATCH /transfers/{id}",
        also: { change: "Account", where: "id == this.from", set: { balance: "balance + old.amount - this.amount" } },
      },
      listPostings: "GET /postings",
      addBox: {
        at: "POST /boxes",
        takes: { size: "integer(1..9)", label: "string(1..20)", words: "string(1..20)[](0..5)" },
        also: [
          {
            create: "Note",
            each: "word in input.words",
            if: "size(word) > 3",
            with: { box: "id", text: "word", rank: "size" },
          },
        ],
      },
      getBox: "GET /boxes/{id}",
      openBox: "POST /boxes/{id}/open",
      shutBox: "POST /boxes/{id}/shut",
      dropBox: {
        at: "DELETE /boxes/{id}",
        also: { change: "Account", where: "balance == this.size", set: { balance: "this.size + 100" } },
      },
      addNote: "POST /notes",
      getNote: "GET /notes/{id}",
      listNotes: "GET /notes",
    },
  },
  authentication: {
    credentials: {
      key: { kind: "api-key", lasts: "365d", revoked: "at once" },
      bell: { kind: "hmac-sha256", sent: "header Bell-Signature", secret: "env BELL_SECRET" },
    },
  },
  events: {
    out: "none",
    in: {
      "bell.rang": {
        at: "POST /hooks/bell",
        with: "bell",
        carries: { box: "Box", words: "string(1..20)[](0..3)" },
        also: [
          { change: "Box", where: "id == input.box", set: { label: "'rung'" } },
          { create: "Note", each: "word in input.words", with: { box: "input.box", text: "word", rank: "1" } },
        ],
      },
    },
    delivery: "none",
  },
  errors: {
    errors: {
      "not-enough": "409 The account has not enough money",
      "same-account": "422 The accounts are the same",
      "no-note": "409 The box has no note",
    },
  },
});

/** Courses with a waiting list, whose first seat moves up when somebody leaves. */
const queue = documentOf({
  resources: {
    Course: { id: "id(cou)", places: "integer(1..4)" },
    Seat: {
      id: "id(sea)",
      course: "Course, create-only",
      number: "integer = counter per course, read-only",
      priority: "integer(0..9) = 0, sort",
    },
  },
  states: {
    Seat: {
      states: ["waiting", "taken", "left"],
      start: "waiting",
      final: ["left"],
      moves: {
        "waiting -> taken": [
          "by take",
          { when: "seat.freed", where: "course == input.course", first: "1", sort: "-priority" },
        ],
        "taken -> left": "by leave",
        "waiting -> left": { when: "course.closed", where: "course == input.id" },
      },
    },
    Course: {
      states: ["open", "closed"],
      start: "open",
      final: ["closed"],
      moves: { "open -> closed": "by closeCourse" },
    },
  },
  endpoints: {
    endpoints: {
      addCourse: "POST /courses",
      getCourse: "GET /courses/{id}",
      closeCourse: "POST /courses/{id}/close",
      join: "POST /seats",
      getSeat: "GET /seats/{id}",
      listSeats: "GET /seats",
      take: "POST /seats/{id}/take",
      leave: "POST /seats/{id}/leave",
    },
  },
  events: {
    out: { "seat.freed": { when: "Seat -> left", carries: ["course"] }, "course.closed": "Course -> closed" },
    in: "none",
    delivery: "none",
  },
});

/** Orders that a timer sends as soon as their hold allows it. */
const holds = documentOf({
  resources: {
    Hold: { id: "id(hol)", amount: "integer(0..9)" },
    Order: { id: "id(ord)", hold: "Hold, create-only", name: "string(1..9)", "priority?": "integer(0..9)" },
  },
  states: {
    Order: {
      states: ["open", "sent", "lost"],
      start: "open",
      final: ["lost"],
      moves: {
        "open -> sent": { after: "1h", if: "hold.amount > 5" },
        "sent -> lost": { after: "2h", if: "priority == null" },
      },
    },
  },
  endpoints: {
    endpoints: {
      addHold: "POST /holds",
      getHold: "GET /holds/{id}",
      changeHold: "PATCH /holds/{id}",
      addOrder: "POST /orders",
      getOrder: "GET /orders/{id}",
      changeOrder: "PATCH /orders/{id}",
    },
  },
});

export const documentsOfWrites: Readonly<Record<string, string>> = { ledger, queue, holds };
