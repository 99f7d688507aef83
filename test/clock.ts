/** For programs that a test starts with an environment of their own: they have the clock that the test has. */
export const clock: Readonly<Record<string, string>> = Object.fromEntries(
  ["NODE_OPTIONS", "NONET_TEST_DAYS_AHEAD"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);
