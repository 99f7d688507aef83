/**
 * Loaded before everything in every process of `NONET_TEST_DAYS_AHEAD=400 npm test`: the clock is as many days ahead, so that no test
 * passes only on the day on which it was written. Timers run as always.
 */
const ahead = Number(process.env.NONET_TEST_DAYS_AHEAD) * 86_400_000;
const Present = Date;
const now = () => Present.now() + ahead;

globalThis.Date = new Proxy(Present, {
  apply: () => new Present(now()).toString(),
  construct: (target, args, asked) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, asked === globalThis.Date ? target : asked),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});
