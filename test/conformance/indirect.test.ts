/** Records that the tester gets or knows by detours alone: the only one of a caller, those inside views, those of further writes. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { documentOf } from "../enforced/document.ts";
import { type Altered, expectBroken } from "./altered.ts";
import { testServed } from "./served.ts";

const tracker = readFileSync(new URL("../../examples/issue-tracker.md", import.meta.url), "utf8");
const payments = readFileSync(new URL("../../examples/card-payments.md", import.meta.url), "utf8");

/** Returns a row about an example in which a text is another one. */
function edited(text: string, what: string, broken: string, before: string, after: string): Altered {
  assert(text.includes(before), before);
  return { what, true: text, served: text.replace(before, () => after), broken };
}

const onlyOnes: readonly Altered[] = [
  edited(
    tracker,
    "a name of a user may be longer",
    "endpoints/endpoints/putUser/takes",
    "takes: { name?: string(1..80) }",
    "takes: { name?: string(1..81) }",
  ),
  edited(
    tracker,
    "a caller without a user gets another error",
    "endpoints/endpoints/addRepo/choose/owner",
    "if: id == caller.id, else: no-account",
    "if: id == caller.id, else: forbidden",
  ),
  edited(
    tracker,
    "anybody may open an account for another one",
    "authentication/allow/putUser",
    "getUser, putUser: member if own",
    "getUser: member if own\n  putUser: signed-in",
  ),
];

const views: readonly Altered[] = [
  edited(
    tracker,
    "the author of an issue is another text",
    "resources/Issue/author",
    "IssueAuthor: { of: Issue, login: string := author }",
    "IssueAuthor: { of: Issue, login: string := title }",
  ),
  edited(
    tracker,
    "the labels are those of all repositories",
    "resources/views/IssueOut/labels",
    "l.repo == repo && l.name in labels",
    "l.name in labels",
  ),
  edited(
    tracker,
    "closed issues count as open",
    "resources/views/RepoOut/open_issues_count",
    "i.repo == id && i.status == 'open'",
    "i.repo == id",
  ),
  edited(
    tracker,
    "the comments of all issues count",
    "resources/views/IssueOut/comments",
    "Comment.filter(c, c.issue == id).size()",
    "Comment.filter(c, c.repo == repo).size()",
  ),
  edited(
    tracker,
    "the author of a comment is its text",
    "resources/Comment/author",
    "CommentAuthor: { of: Comment, login: string := author }",
    "CommentAuthor: { of: Comment, login: string := body }",
  ),
];

const creations: readonly Altered[] = [
  edited(
    tracker,
    "anybody may label the issues of others",
    "authentication/allow/addLabel",
    "addLabel, changeLabel, removeLabel, addMilestone",
    "addLabel: member\n  changeLabel, removeLabel, addMilestone",
  ),
  edited(
    tracker,
    "an owner may not comment on a locked issue",
    "authentication/allow/addComment",
    "member if issue.state == 'unlocked' || issue.repo.owner == caller.id",
    "member if issue.state == 'unlocked'",
  ),
  edited(
    tracker,
    "a second repository of the same name gets another error",
    "resources/rules/Repo/0",
    "  Repo: unique owner + repo else taken\n",
    "  Repo: unique owner + repo else no-account\n",
  ),
  edited(
    tracker,
    "only one label has a description",
    "resources/Label/description",
    "  description: string(..100) | null = null\nMilestone",
    "  description: string(..100) | null = null, unique\nMilestone",
  ),
];

const furtherRecords: readonly Altered[] = [
  edited(
    payments,
    "the latest charge of a payment is that of another member",
    "resources/views/PaymentIntentOut/latest_charge",
    "Charge.filter(c, c.payment_intent == id)",
    "Charge.filter(c, c.customer == id)",
  ),
  edited(
    payments,
    "one request more of callers without a credential, whom no operation admits",
    "limits/rate/anyone",
    "anyone: 60/min per ip",
    "anyone: 61/min per ip",
  ),
  edited(
    payments,
    "a charge has another amount",
    "resources/views/ChargeOut/amount",
    "amount: integer := payment_intent.amount\n",
    "amount: integer := refunded\n",
  ),
  edited(
    payments,
    "a charge is captured before its payment",
    "resources/views/ChargeOut/captured",
    "captured: boolean := payment_intent.state == 'succeeded'",
    "captured: boolean := payment_intent.state != 'succeeded'",
  ),
  edited(
    payments,
    "anybody may read a charge",
    "authentication/allow/getCharge",
    "getCharge, listCharges, getRefund",
    "getCharge: merchant\n  listCharges, getRefund",
  ),
];

const pets = documentOf({
  resources: {
    Owner: { id: "id(own)", name: "string(1..20)", vip: "boolean = false" },
    Pet: {
      id: "id(pet)",
      name: "string(1..20)",
      owner: "Owner, filter",
      size: "integer(0..9) = 1",
      from: "datetime(seconds)",
    },
    views: {
      PetOut: {
        of: "Pet",
        fields: ["id", "size"],
        "first-name": "string := name",
        since: "datetime(seconds) := from",
        owner: "OwnerOut",
        until: "datetime(seconds) := from + duration('1m')",
      },
      OwnerOut: { of: "Owner", fields: ["id"] },
    },
  },
  endpoints: {
    fields: "fields",
    endpoints: {
      addOwner: "POST /owners",
      getOwner: "GET /owners/{id}",
      addPet: { at: "POST /pets", takes: "PetOut", gives: "PetOut" },
      editPet: { at: "PATCH /pets/{id}", takes: "PetOut", gives: "PetOut" },
      feed: {
        at: "POST /pets/{id}/feed",
        does: "update",
        takes: { size: "integer(0..9)" },
        if: "input.size > 3",
        else: "too-small",
      },
      getPet: { at: "GET /pets/{id}", gives: { pet: "PetOut", size: "size" } },
      listPets: { at: "GET /pets", gives: "PetOut" },
    },
  },
  errors: { bodies: { "too-small": { ok: false } }, errors: { "too-small": "200 Too small" } },
  authentication: {
    roles: ["user"],
    allow: {
      ...Object.fromEntries(
        ["addOwner", "addPet", "editPet", "feed", "getPet", "listPets"].map((one) => [one, "user"]),
      ),
      getOwner: "user if vip",
    },
  },
});
const referred: readonly Altered[] = [
  edited(pets, "the owner is no filter", "resources/Pet/owner", "Owner, filter", "Owner"),
  edited(
    pets,
    "an error with the status of a success",
    "endpoints/endpoints/feed/if",
    "input.size > 3",
    "input.size > 6",
  ),
  edited(pets, "another parameter", "endpoints/fields", "fields: fields", "fields: members"),
  edited(pets, "another moment", "resources/views/PetOut/until", "duration('1m')", "duration('2m')"),
  edited(pets, "a pet shrinks", "endpoints/endpoints/editPet", "PATCH /pets/{id}", "PUT /pets/{id}"),
];

const notes = documentOf({
  resources: {
    Note: {
      id: "id(counter)",
      number: "integer = counter, read-only, unique",
      "above?": "Note",
      text: "string(..9) = a",
    },
    views: { NoteOut: { of: "Note", fields: ["number", "text"], "over?": "NoteOut := above, expand" } },
  },
  endpoints: {
    expand: "expand",
    endpoints: {
      addNote: { at: "POST /notes", gives: "NoteOut" },
      getNote: { at: "GET /notes/{number}", gives: "NoteOut" },
      putNote: { at: "PUT /notes/{number}", gives: "NoteOut" },
      listNotes: { at: "GET /notes", gives: "NoteOut" },
    },
  },
  events: {
    out: { "note.put": { when: "putNote", carries: ["number"] } },
    delivery: { stream: { at: "GET /events", for: "anyone" } },
  },
});

test("records whose ids no response shows, and events of replacements", async () => {
  for (const seed of [1, 2]) {
    const { cases } = await testServed(notes, { only: ["endpoints", "events"], seed });
    assert.deepEqual(
      cases.flatMap((one) => (one.kind === "broken" ? [one.id] : [])),
      [],
    );
  }
});

test("references that views show as objects, Unix time that a view computes, and an error with the status of a success", (context) =>
  expectBroken(context, referred));

test("records of further writes", (context) => expectBroken(context, furtherRecords));

test("creations below another record, or with a record of the caller", (context) => expectBroken(context, creations));

test("views of the same record, and of records with the same parent", (context) => expectBroken(context, views));

test("users of whom a caller may create one", (context) => expectBroken(context, onlyOnes));
