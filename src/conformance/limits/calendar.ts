/**
 * Windows of the calendar: a day, a week or a month of a time zone. A window that is used up stays so until the local midnight at its
 * end, and not for longer.
 */
import { instantOf, offsetAt } from "../../expression/zones.ts";
import { calendarUnit } from "../../language/limits/model.ts";
import { Broken, NotTried } from "../case.ts";
import { statusText } from "../errors/expected.ts";
import type { Interaction } from "../interaction.ts";
import type { Trial } from "../trial/trial.ts";
import { presentOf } from "../trial/world.ts";
import { letPass } from "./rate-setting.ts";

export interface CalendarWindow {
  readonly window: string;
  readonly zone?: string;
}

/** How far from the end of a window the test looks: clocks differ a little. */
const marginMilliseconds = 60_000;

/** Returns when the window of the present ends, in milliseconds since 1970; undefined if it is none of the calendar. */
export function endOf({ window, zone }: CalendarWindow, now: number): number | undefined {
  const unit = calendarUnit(window);
  const offset = zone === undefined ? undefined : offsetAt(now, zone);
  if (zone === undefined || unit === undefined || offset === undefined) return undefined;
  const local = new Date(now + offset);
  local.setUTCHours(0, 0, 0, 0);
  const days = unit === "week" ? 7 - ((local.getUTCDay() + 6) % 7) : 1;
  if (unit === "month") local.setUTCMonth(local.getUTCMonth() + 1, 1);
  else local.setUTCDate(local.getUTCDate() + days);
  return instantOf(local.getTime(), zone);
}

/** Waits for the next window if this one ends soon: requests of one case have to be in one window. */
export async function awayFromEnd(trial: Trial, window: CalendarWindow): Promise<void> {
  const now = presentOf(trial.world);
  const end = endOf(window, now);
  if (end !== undefined && end - now < 2 * marginMilliseconds) await letPass(trial, end - now + marginMilliseconds);
}

export interface Counting {
  /** Uses up the window, and returns whether a request was rejected. */
  readonly useUp: () => Promise<boolean>;
  /** Sends one request more. */
  readonly next: () => Promise<Interaction>;
  readonly isRejected: (interaction: Interaction) => boolean;
}

export async function expectCalendar(
  trial: Trial,
  window: CalendarWindow,
  { useUp, next, isRejected }: Counting,
): Promise<void> {
  const passUntil = async (time: number): Promise<void> => letPass(trial, Math.max(0, time - presentOf(trial.world)));
  const present = (): number => endOf(window, presentOf(trial.world)) ?? Number.NaN;
  const text = (interaction: Interaction): string => statusText(trial.contract, trial.responseOf(interaction));
  await passUntil(present() + marginMilliseconds);
  const end = present();
  if (!(await useUp())) throw new NotTried("the test did not use up the limit");
  await passUntil(end - marginMilliseconds);
  const before = await next();
  if (present() !== end) throw new NotTried("the requests took longer than the window lasts");
  const midnight = `${new Date(end).toISOString()}, when the ${window.window} of ${window.zone} ends`;
  if (!isRejected(before)) {
    if (trial.responseOf(before).status >= 300) throw new NotTried(`a request got ${text(before)}`);
    throw new Broken(`a rejection until ${midnight}`, text(before), before);
  }
  await passUntil(end + marginMilliseconds / 2);
  const after = await next();
  if (isRejected(after)) throw new Broken(`no rejection after ${midnight}`, text(after), after);
}
