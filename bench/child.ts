/** Asks a process that was started with a channel, and answers each message with one: one question at a time. */
import type { ChildProcess } from "node:child_process";

/** @throws when the process, which is called `name`, ends before it has answered. */
export function ask<Answer>(child: ChildProcess, name: string, message: object | string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const lost = (): void => reject(new Error(`${name} ended`));
    child.once("exit", lost);
    child.once("message", (answer) => {
      child.off("exit", lost);
      resolve(answer as Answer);
    });
    child.send(message);
  });
}
