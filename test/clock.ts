/** Gives the test's clock to programs that a test starts with a custom environment. */
export const clock: Readonly<Record<string, string>> = Object.fromEntries(
  ["NODE_OPTIONS", "NONET_TEST_DAYS_AHEAD"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);
