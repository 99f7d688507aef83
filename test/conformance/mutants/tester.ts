/** What the mutants are shown to: a test of a running service by a document. */
import type { PartName } from "../../../src/language/model.ts";
import type { Running } from "../../serve/running.ts";
import { testRunning } from "../served.ts";

/** Returns the paths of the statements that the service breaks. */
export type Tester = (
  text: string,
  running: Running,
  options?: TesterOptions,
) => Promise<{ readonly broken: readonly string[] }>;

export interface TesterOptions {
  /** The version of the API that the requests name; absent: the newest, or none without versions. */
  readonly version?: string;
  /** The document's secrets by environment variable, for signatures and tokens. */
  readonly environment: Readonly<Record<string, string>>;
  /** The part whose cases run; absent: all. */
  readonly part?: PartName | undefined;
  /** How long the test may take; by default as long as `nonet test`. */
  readonly budgetMilliseconds?: number;
}

/** How long an event may take on this machine, in milliseconds. */
const eventMilliseconds = 1000;

/** Tests the service as `nonet test` does, with its clock. */
export const tester: Tester = async (text, running, options) => {
  const { environment, part, ...more } = options ?? { environment: {} };
  const report = await testRunning(text, running, {
    ...{ secrets: environment, eventMilliseconds, only: part === undefined ? [] : [part] },
    ...more,
  });
  const broken = report.statements.filter(({ kind }) => kind === "broken").map(({ statement }) => statement.path);
  const aspects = report.cases.flatMap((one) => (one.kind === "broken" ? one.aspects.map(({ path }) => path) : []));
  return { broken: [...new Set([...broken, ...aspects])] };
};
