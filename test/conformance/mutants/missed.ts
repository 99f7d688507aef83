/**
 * Mutants of which the cases of their own part do not catch the mistake although somebody could notice it, with the reason. The test of the score fails for a
 * missed mutant that is not here, and for one that is here although it is caught: so the list only becomes shorter.
 */

/** By `document: mutant`, why the tester misses it. */
export const missed: Readonly<Record<string, string>> = {
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
};
