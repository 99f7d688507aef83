/**
 * Documents that change, for the law of versions: responses recorded at one version stay the same, whatever later versions do. A
 * document of resources with fields; each change edits the document and adds its entry.
 */
import fc from "fast-check";

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
  readonly filter: boolean;
  /** The value that scripts send, by the type. */
  readonly values: readonly unknown[];
}

export interface Shape {
  readonly fields: readonly Field[];
  readonly inner: readonly string[];
  readonly states: readonly string[];
  readonly movePath: string;
  readonly moveMethod: "POST" | "PUT";
  readonly error: readonly [status: number, code: string];
  readonly given: string;
  readonly taken: string;
  readonly extra: number;
}

export const start: Shape = {
  fields: [
    { name: "label", type: "string(1..40)", optional: false, filter: true, values: ["a", "b"] },
    { name: "size", type: "small | medium", optional: false, filter: true, values: ["small", "medium"] },
    { name: "count", type: "integer(0..1000)", optional: false, filter: true, values: [1, 2] },
    { name: "note", type: "string(0..40)", optional: true, filter: false, values: ["n", "m"] },
    // What the service sets is not sent: only that can be taken away so that nobody notices.
    { name: "fixed", type: "integer = 7, read-only", optional: false, filter: false, values: [] },
  ],
  inner: ["street", "zip"],
  states: ["open", "done"],
  movePath: "/things/{id}/finish",
  moveMethod: "POST",
  error: [409, "not-now"],
  given: "was",
  taken: "reason",
  extra: 0,
};

export type Step = (shape: Shape, index: number) => readonly [Shape, ...entries: string[]] | undefined;

function edited(shape: Shape, name: string, edit: (field: Field) => Field): Shape {
  return { ...shape, fields: shape.fields.map((field) => (field.name === name ? edit(field) : field)) };
}

/** Every kind of change, as a function of where it is applied. */
const kinds: readonly ((pick: number) => Step)[] = [
  (pick) => (shape, index) => {
    const field = shape.fields[pick % shape.fields.length] as Field;
    const to = `${field.name.replace(/\d+$/, "")}${index}`;
    return [edited(shape, field.name, (one) => ({ ...one, name: to })), `rename Thing.${field.name} -> ${to}`];
  },
  (pick) => (shape, index) => {
    const from = shape.inner[pick % shape.inner.length] as string;
    const to = `${from.replace(/\d+$/, "")}${index}`;
    return [{ ...shape, inner: shape.inner.map((one) => (one === from ? to : one)) }, `rename Place.${from} -> ${to}`];
  },
  () => (shape, index) => [
    {
      ...shape,
      fields: [
        ...shape.fields.slice(0, 1),
        { name: `added${index}`, type: "integer(0..9)", optional: false, filter: true, values: [3, 4] },
        ...shape.fields.slice(1),
      ],
    },
    `add Thing.added${index}, taken as ${index} before`,
  ],
  () => (shape, index) => {
    const added = { name: `maybe${index}`, type: "integer(0..9)", optional: true, filter: true, values: [5, 6] };
    return [
      { ...shape, fields: [...shape.fields.slice(0, 1), added, ...shape.fields.slice(1)] },
      `add Thing.maybe${index}, taken as null before`,
    ];
  },
  () => (shape, index) => [
    { ...shape, inner: [...shape.inner, `inner${index}`] },
    `add Place.inner${index}, taken as 'x' before`,
  ],
  () => (shape) => {
    const field = shape.fields.at(-1);
    if (field === undefined || field.values.length > 0) return undefined;
    return [
      { ...shape, fields: shape.fields.slice(0, -1) },
      `remove Thing.${field.name}: integer, read-only, seen as 7 before`,
    ];
  },
  () => (shape, index) => {
    const field = shape.fields.find(({ type }) => type.includes("|"));
    if (field === undefined) return undefined;
    const value = `value${index}`;
    const seen = String(field.values[0]);
    return [
      edited(shape, field.name, (one) => ({ ...one, type: `${one.type} | ${value}`, values: [...one.values, value] })),
      `add value Thing.${field.name} ${value}, seen as ${seen} before`,
    ];
  },
  () => (shape) => {
    const field = shape.fields.find(({ type }) => type === "integer(0..1000)");
    if (field === undefined) return undefined;
    const now = edited(shape, field.name, (one) => ({ ...one, type: "integer(0..1000000)", values: [1000, 2000] }));
    return [
      now,
      `retype Thing.${field.name}, was ${field.type}, seen as ${field.name} / 1000 before, taken as ${field.name} * 1000 before`,
    ];
  },
  () => (shape, index) => [
    { ...shape, states: [...shape.states, `state${index}`] },
    `state Thing.state${index}, seen as open before`,
    `add enter${index}`,
  ],
  () => (shape, index) => [
    { ...shape, movePath: `/things/{id}/finish${index}`, moveMethod: index % 2 === 0 ? "POST" : "PUT" },
    `path finish, was ${shape.moveMethod} ${shape.movePath}`,
  ],
  () => (shape, index) => [
    { ...shape, error: [index % 2 === 0 ? 409 : 422, `not-now-${index}`] },
    `error not-now-${index}, was ${shape.error[0]} ${shape.error[1]}`,
  ],
  () => (shape, index) => [{ ...shape, given: `was${index}` }, `rename finish.${shape.given} -> was${index}`],
  () => (shape, index) => [{ ...shape, taken: `reason${index}` }, `rename finish.${shape.taken} -> reason${index}`],
];

/** Changes, each of some kind at some place; those that do not apply where they come to be are left out. */
export const changes: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.tuple(fc.nat(kinds.length - 1), fc.nat(9)).map(([kind, pick]) => (kinds[kind] as (pick: number) => Step)(pick)),
  { minLength: 1, maxLength: 6 },
);

export interface Evolved {
  /** Of each version, the oldest first. */
  readonly shapes: readonly Shape[];
  /** The entries of each version but the oldest. */
  readonly entries: readonly (readonly string[])[];
}

/** One version for each change. */
export function evolve(steps: readonly Step[]): Evolved {
  const shapes: Shape[] = [start];
  const entries: (readonly string[])[] = [];
  for (const [index, step] of steps.entries()) {
    const changed = step(shapes.at(-1) as Shape, index + 2);
    if (changed === undefined) continue;
    const [shape, ...said] = changed;
    shapes.push(shape);
    entries.push(said);
  }
  return { shapes, entries };
}

/** The document as it was when `count` versions were listed. */
export function documentOf({ shapes, entries }: Evolved, count: number): string {
  const shape = shapes[count - 1] as Shape;
  const versions = shapes
    .slice(0, count)
    .map((_, index) => (index === 0 ? "    1: first" : `    ${index + 1}: ${JSON.stringify(entries[index - 1])}`));
  const fields = shape.fields.map(({ name, type, optional, filter }) => {
    return `    ${name}${optional ? "?" : ""}: ${type}${filter ? ", filter, sort" : ""}`;
  });
  const [label] = shape.fields as [Field];
  const others = shape.states.slice(2);
  return `purpose: { nonet: 1, service: things, operations: {} }
resources:
  Thing:
    id: id(thing)
    place: Place
${fields.join("\n")}
  types:
    Place: { ${shape.inner.map((name) => `${name}: string(0..40)`).join(", ")} }
states:
  Thing:
    states: { ${shape.states.map((state) => `${state}: s`).join(", ")} }
    start: open
    final: [done]
    moves:
      open -> done: { by: finish, if: input.${shape.taken} != 'no', else: ${shape.error[1]} }
${others.map((state) => `      open -> ${state}: by enter${state.slice(5)}`).join("\n")}
endpoints:
  lists: cursor, 2 per page, at most 10
  edits: If-Match optional
  repeats: Idempotency-Key on every POST, kept 24h
  endpoints:
    addThing: POST /things
    listThings: GET /things
    getThing: "GET /things/{id}"
    changeThing: "PATCH /things/{id}"
    finish:
      at: "${shape.moveMethod} ${shape.movePath}"
      takes: { ${shape.taken}: string(1..9) }
      gives: { ${shape.given}: ${label.name}, state: state }
${others.map((state) => `    enter${state.slice(5)}: "POST /things/{id}/enter-${state}"`).join("\n")}
authentication:
  credentials:
    key: { kind: api-key, sent: Authorization Bearer, prefix: k_, lasts: 365d, revoked: at once }
  roles: [writer]
  allow: { addThing: signed-in, listThings: signed-in, getThing: signed-in, changeThing: signed-in, finish: signed-in${others.map((state) => `, enter${state.slice(5)}: signed-in`).join("")} }
  unseen: 404
events: none
errors: { body: problem+json, standard: all, errors: { ${shape.error[1]}: ${shape.error[0]} Not now } }
limits: { size: { request: 64KB } }
versioning:
  scheme: numbered
  sent: header V
  absent: newest
  policy: { breaking: new version only, notice: 1d, support: 1d, after sunset: 410 version-gone }
  versions:
${versions.toReversed().join("\n")}
`;
}
