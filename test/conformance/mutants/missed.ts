/**
 * Mutants of which the cases of their own part do not catch the mistake although somebody could notice it, with the reason. The test of the score fails for a
 * missed mutant that is not here, and for one that is here although it is caught: so the list only becomes shorter.
 */

/** By `document: mutant`, why the tester misses it. */
export const missed: Readonly<Record<string, string>> = {
  "things: an event from outside needs no signature": "a case is missing: an incoming event without any credential",
  "things: a value that is not in the list is accepted":
    "a case is missing: the test found no value outside the list in this document",
  "things: a required member may be absent": "a case is missing: a body without a required member of this document",
  "things: a computed field is wrong": "a case is missing: a computed field with its expression",
  "things: a deleted record can still be read": "part 2 has no case of it: the cases of part 4 are about deletions",
  "things: a deletion does nothing": "part 2 has no case of it: the cases of part 4 are about deletions",
  "things: a record can be read through the parent of another one":
    "part 2 has no case of it: the cases of part 4 are about paths",
  "things: a list shows the records of other parents": "part 2 has no case of it: the cases of part 4 are about paths",
  "pictures: a file may be one byte too large": "the setup fails: the test has no value for a file",
  "pictures: a file may have any media type": "the setup fails: the test has no value for a file",
  "things: the history misses the last transition":
    "a case is missing: the history of a record has its last transition",
  "things: a record is kept for longer": "part 3 has no case of it: the cases of part 8 are about retention",
  "things: JSON that cannot be read is an internal error":
    "a case is missing: part 4, while its cases are being written",
  "things: a body is accepted as any media type": "a case is missing: part 4, while its cases are being written",
  "things: records come with the media type of a text": "a case is missing: part 4, while its cases are being written",
  "things: a page has one item more than its size": "a case is missing: part 4, while its cases are being written",
  "things: a page may be larger than the largest": "a case is missing: part 4, while its cases are being written",
  "things: a filter is ignored": "a case is missing: part 4, while its cases are being written",
  "things: a filter compares the other way": "a case is missing: part 4, while its cases are being written",
  "things: a filter finds nothing": "a case is missing: part 4, while its cases are being written",
  "things: a list is sorted the other way": "a case is missing: part 4, while its cases are being written",
  "things: the sort is ignored": "a case is missing: part 4, while its cases are being written",
  "things: a search finds only the same text": "a case is missing: part 4, while its cases are being written",
  "things: a stale edit is accepted": "a case is missing: part 4, while its cases are being written",
  "things: an edit needs no precondition": "a case is missing: part 4, while its cases are being written",
  "things: a deletion needs no precondition": "a case is missing: part 4, while its cases are being written",
  "things: records have no entity tag": "a case is missing: part 4, while its cases are being written",
  "things: an idempotency key answers another body": "a case is missing: part 4, while its cases are being written",
  "things: an idempotency key answers other callers": "a case is missing: part 4, while its cases are being written",
  "things: an idempotency key is kept for an hour less": "a case is missing: part 4, while its cases are being written",
  "things: an idempotency key is kept for ever": "a case is missing: part 4, while its cases are being written",
  "things: pages of any origin may call the service": "a case is missing: part 4, while its cases are being written",
  "things: pages of no origin may call the service": "a case is missing: part 4, while its cases are being written",
  "things: any text is a key":
    "the key would need the form that the service gives its keys, which no document declares",
  "things: a revoked key is good": "no operation of the document revokes a key",
  "things: hidden records differ from absent ones in the text":
    "the mistake is about ids that begin with 00, and the absent ids of the test are others",
  "things: the owner is the one that the body names":
    "part 5 has no case of it: the cases of part 2 are about defaults",
  "things: a rejected request sends an event": "a case is missing: part 4, while its cases are being written",
};
