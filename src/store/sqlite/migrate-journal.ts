/** Migrates the data of events along with the records, since some events may not be delivered yet. */
import type { Json, JsonObject } from "../../base/json.ts";
import { compileFunction, type Value } from "../../expression/evaluate.ts";
import { converted } from "../migration/conversions.ts";
import { type Changed, type ColumnChange, type Converting, isMade } from "../migration/differences.ts";
import { compileReshape } from "../migration/reshape.ts";
import type { Connection } from "./connection.ts";
import { limitOf } from "./value.ts";

type Values = Readonly<Record<string, Value>>;
type Make = (value: Value, siblings: Values) => Value;

/** The number of entries per query. */
const batch = 500;

/** Migrates the entries of a resource; called before they get the new resource name. */
export function followJournal(connection: Connection, change: Changed): void {
  const { before, columns, dropped } = change;
  const isSame = columns.every((one) => !isMade(one) && one.source?.name === one.column.name);
  if (isSame && dropped.length === 0) return;
  const follow = follower(change);
  const sql = `SELECT _seq, data FROM nonet_journal WHERE resource = ? AND data IS NOT NULL AND _seq > ? ORDER BY _seq ${limitOf("?")}`;
  for (let last = 0, entries; (entries = connection.all(sql, before.resource, last, batch)).length > 0; ) {
    for (const [position, data] of entries) {
      last = Number(position);
      const followed = follow(JSON.parse(String(data)) as JsonObject);
      connection.run("UPDATE nonet_journal SET data = ? WHERE _seq = ?", JSON.stringify(followed), last);
    }
  }
}

function follower({ before, columns }: Changed): (data: JsonObject) => Values {
  const former = new Set(before.columns.map(({ name }) => name));
  const makers = columns.map((change) => ({ change, name: change.column.name, make: makerOf(change) }));
  return (data) => {
    const was = ({ source }: ColumnChange): Value =>
      source === undefined ? null : ((data[source.name] ?? null) as Value);
    const hidden = Object.entries(data).filter(([name]) => !former.has(name)) as [string, Value][];
    const siblings = Object.fromEntries(makers.map(({ change, name }) => [name, was(change)]));
    return Object.fromEntries([
      ...hidden,
      ...makers.map(({ change, name, make }) => [name, make(was(change), siblings)]),
    ]);
  };
}

/** Returns how to make a value. Times and counter values that were unknown at the event are not invented. */
function makerOf({ column, converts, fill, retyped, source }: ColumnChange): Make {
  const makes = converts.map(made);
  const filling = fill === undefined || fill.kind === "now" || fill.kind === "counter" ? undefined : made(fill);
  return (value, siblings) => {
    if (value === null) return filling?.(null, siblings) ?? null;
    if (retyped && source !== undefined) return converted(value, source, column) ?? null;
    return makes.reduce<Value>((now, make) => make(now, siblings), value);
  };
}

function made(conversion: Converting): Make {
  if (conversion.kind === "literal") return () => conversion.value as Value;
  if (conversion.kind === "reshape") {
    const reshape = compileReshape(conversion);
    return (value) => reshape(value as Json) as Value;
  }
  const run = compileFunction(conversion.expression);
  return (value, record) => run({ record, variables: { value }, steps: Number.POSITIVE_INFINITY });
}
