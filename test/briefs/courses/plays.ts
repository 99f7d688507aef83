/** Courses: what the brief promises. */
import type { Plays, Step } from "../../docs/play.ts";

const course = {
  ...{ title: "Logic", places: 1, startsOn: "2026-11-20", endsOn: "2027-02-01" },
  ...{ enrolFrom: "2026-11-01T00:00:00Z", enrolUntil: "2026-11-10T00:00:00Z" },
};
const addCourse = (name: string, more: object = {}): Step => [
  "office POST /courses",
  { ...course, ...more },
  `201 as $${name}`,
];
const enrol = (caller: string, response: string, of = "$logic"): Step => [
  `${caller} POST /enrolments`,
  { course: of },
  response,
];
/** Tina teaches a course of three places, in which ann and bob are; its assignment is due in two days. */
const taught: readonly Step[] = [
  addCourse("logic", { places: 3 }),
  ["office POST /teachings", { course: "$logic", teacher: "tina" }, "201"],
  enrol("ann", "201 state=enrolled as $ann"),
  enrol("bob", "201 state=enrolled as $bob"),
  [
    "tina POST /assignments",
    { course: "$logic", title: "a", task: "b", dueAt: "2026-11-04T10:00:00Z" },
    "201 as $task",
  ],
];
const handIn = (caller: string, response: string): Step => [
  `${caller} POST /solutions`,
  { assignment: "$task", content: "42" },
  response,
];

export const courses: Plays = {
  callers: {
    ...{ office: ["staff"], ann: ["student"], bob: ["student"], cleo: ["student"], dan: ["student"] },
    ...{ tina: ["teacher"], theo: ["teacher"], campus: ["campus"], sandy: ["student"] },
  },
  credentials: { sandy: "sandbox" },
  promises: {
    "There are never more enrolled students than places; who comes later waits; the first of the list moves up by itself.":
      [
        addCourse("logic"),
        ["at once", [enrol("ann", ""), enrol("bob", "")], "201 | 201"],
        ["office GET /enrolments?state=enrolled", "200 items.length=1"],
        enrol("cleo", "201 state=waiting position=2"),
        enrol("dan", "201 state=waiting position=3 as $dan"),
        enrol("dan", "409 already-enrolled"),
        ["office GET /enrolments", "200 items.0.state=enrolled items.1.state=waiting items.2.student=cleo as $all"],
        ["dan POST /enrolments/$all.items.0.id/leave", "404 not-found"],
        ["dan GET /enrolments", "200 items.length=1 items.0.position=3"],
        ["cleo GET /enrolments/$all.items.1.id", "404 not-found"],
        ["cleo POST /enrolments/$all.items.2.id/leave", "200 state=gone"],
        ["ann GET /enrolments/$all.items.0.id", "200 student=ann"],
        ["ann POST /enrolments/$all.items.0.id/leave", "200 state=left"],
        ["bob GET /enrolments/$all.items.1.id", "200 state=enrolled position=undefined"],
        ["dan GET /enrolments/$dan", "200 state=waiting position=1"],
        ["office GET /enrolments?state=enrolled", "200 items.length=1"],
        ["office PATCH /courses/$logic", { places: 2 }, "200"],
        ["dan GET /enrolments/$dan", "200 state=enrolled"],
        ["office PATCH /courses/$logic", { places: 1 }, "409 course-full"],
      ],
    "Students enrol in the period, at most once per course.": [
      addCourse("later", { enrolFrom: "2026-11-03T00:00:00Z" }),
      enrol("ann", "409 enrolment-closed", "$later"),
      ["pass 1d"],
      enrol("ann", "201 as $first", "$later"),
      enrol("ann", "409 already-enrolled", "$later"),
      ["pass 7d"],
      enrol("bob", "409 enrolment-closed", "$later"),
      ["ann POST /enrolments/$first/leave", "200 state=left"],
    ],
    "students hand in one solution each before it, may replace it until then, and not after": [
      ...taught,
      [
        "theo POST /assignments",
        { course: "$logic", title: "a", task: "b", dueAt: "2026-11-04T10:00:00Z" },
        "403 forbidden",
      ],
      handIn("cleo", "422 invalid-request"),
      handIn("ann", "201 as $ann1"),
      handIn("ann", "409 already-handed-in"),
      ["ann PATCH /solutions/$ann1", { content: "43" }, "200 content=43"],
      ["bob PATCH /solutions/$ann1", { content: "44" }, "404 not-found"],
      ["bob GET /solutions/$ann1", "404 not-found"],
      ["tina GET /solutions/$ann1", "200"],
      ["theo GET /solutions/$ann1", "404 not-found"],
      ["pass 2d"],
      ["ann PATCH /solutions/$ann1", { content: "45" }, "409 too-late"],
      handIn("bob", "409 too-late"),
    ],
    "the student sees the grade when the teacher releases the grades; the grade of a course is the average": [
      ...taught,
      [
        "tina POST /assignments",
        { course: "$logic", title: "c", task: "d", dueAt: "2026-11-03T10:00:00Z" },
        "201 as $other",
      ],
      handIn("ann", "201 as $one"),
      handIn("bob", "201 as $bob1"),
      ["ann POST /solutions", { assignment: "$other", content: "1" }, "201 as $two"],
      ["pass 2d"],
      ["tina POST /solutions/$one/grade", { grade: 101, comment: "a" }, "422 invalid-request"],
      ["theo POST /solutions/$one/grade", { grade: 80, comment: "a" }, "404 not-found"],
      ["tina POST /solutions/$one/grade", { grade: 80, comment: "good" }, "200 grade=80"],
      ["tina POST /solutions/$two/grade", { grade: 91, comment: "good" }, "200"],
      ["ann GET /solutions/$one", "200 grade=undefined comment=undefined"],
      ["ann GET /solutions", "200 items.0.grade=undefined items.1.grade=undefined"],
      ["ann GET /enrolments/$ann", "200 grade=undefined"],
      ["theo POST /assignments/$task/release", "404 not-found"],
      ["tina POST /assignments/$task/release", "200 state=released"],
      ["ann GET /solutions/$one", "200 grade=80 comment=good"],
      ["ann GET /solutions/$two", "200 grade=undefined"],
      ["ann GET /enrolments/$ann", "200 grade=80"],
      ["tina POST /assignments/$other/release", "200 state=released"],
      ["ann GET /enrolments/$ann", "200 grade=85.5"],
      ["bob GET /enrolments/$ann", "404 not-found"],
    ],
    "A student who is in more than 6 courses at a time cannot enrol in another.": [
      ...Array.from({ length: 8 }, (_, index) => addCourse(`c${index}`)),
      ...Array.from({ length: 7 }, (_, index) => enrol("ann", "201 state=enrolled", `$c${index}`)),
      enrol("ann", "409 too-many-courses", "$c7"),
      enrol("bob", "201", "$c7"),
    ],
    "The campus system hears of each enrolment, also of those that moved up.": [
      addCourse("logic"),
      ["campus subscribes"],
      enrol("ann", "201 as $ann"),
      enrol("bob", "201 state=waiting"),
      ["ann POST /enrolments/$ann/leave", "200"],
      ["campus hears", "enrolment.enrolled enrolment.enrolled enrolment.left"],
      ["bob POST /webhooks", { url: "http://127.0.0.1:9/x" }, "403 forbidden"],
    ],
    "The school has a sandbox with keys of its own in which nothing counts.": [
      addCourse("logic"),
      enrol("sandy", "201 state=enrolled"),
      enrol("ann", "201 state=enrolled"),
    ],
  },
};
