/** How data follows a plan, put together from what knows the document's versions and what judges values. */
import type { Plan } from "../plan/plan.ts";
import type { Following } from "../store/migration/migration.ts";

/** For `openSqliteStore`. What judges values is what judges those that callers send. */
export async function followingOf({ events, history }: Plan): Promise<Following> {
  const { createValidators } = await import("../runtime/validation/validator.ts");
  const validatorOf = createValidators();
  return {
    history,
    events: Object.keys(events.out),
    validate: (schema) => {
      const validate = validatorOf(schema);
      return (value) => validate(value).length === 0;
    },
  };
}
