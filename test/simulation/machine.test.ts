/** The simulated timers and locks behave like those of Node and PostgreSQL, even if a process dies while it uses them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Locks } from "./locks.ts";
import { Died, Machine } from "./machine.ts";
import { chanceOf } from "./random.ts";

const circle = (): Error => new Error("a circle");

void test("what was to run in the next turn and is cleared never runs", async () => {
  const machine = new Machine(chanceOf(1, "order"), () => {});
  machine.waits = 0;
  const ran: string[] = [];
  {
    using _timers = machine.takeTimers();
    const cleared = setImmediate(() => ran.push("cleared"));
    setImmediate(() => ran.push("kept"));
    clearImmediate(cleared);
    clearImmediate(undefined);
  }
  await machine.settle();
  assert.deepEqual(ran, ["kept"]);
});

void test("a death is told of to whoever waits for it, of that process alone", async () => {
  const machine = new Machine(chanceOf(1, "order"), () => {});
  const [first, second] = [machine.begin(), machine.begin()];
  const ends: string[] = [];
  machine.death(first).catch((thrown: unknown) => ends.push(`first ${thrown instanceof Died}`));
  machine.death(second).catch(() => ends.push("second"));
  machine.die(first);
  await machine.settle();
  assert.deepEqual(ends, ["first true"]);
});

void test("who has ended while it waited for a lock never holds it", async () => {
  const locks = new Locks();
  const [holder, dead, next] = [{}, {}, {}];
  await locks.hold("a", holder, circle);
  const waits = locks.hold("a", dead, circle);
  locks.release(dead);
  locks.release(holder);
  await assert.rejects(waits, /has ended/);
  await assert.rejects(locks.hold("b", dead, circle), /has ended/);
  assert(locks.isFree("a", next) && locks.isFree("b", next));
});
