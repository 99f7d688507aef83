/** How data follows a plan, put together from what knows the document's versions and what judges values. */
import type { Plan } from "../plan/plan.ts";
import type { Following } from "../store/migration.ts";

/** For `openSqliteStore`. What judges values is what judges those that callers send. */
export async function followingOf({ events, history }: Plan): Promise<Following> {
  const { createJudges } = await import("../serve/judge.ts");
  const judgeOf = createJudges();
  return {
    history,
    events: Object.keys(events.out),
    judge: (schema) => {
      const judge = judgeOf(schema);
      return (value) => judge(value).length === 0;
    },
  };
}
