/** Records that the tester gets or knows by detours alone: the only one of a caller, those inside views, those of further writes. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type Altered, expectBroken } from "./altered.ts";

const tracker = readFileSync(new URL("../../examples/issue-tracker.md", import.meta.url), "utf8");

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

test("users of whom a caller may create one", (context) => expectBroken(context, onlyOnes));
