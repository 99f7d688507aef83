/**
 * Tells listeners that the journal has grown, whichever process wrote: on one connection that listens, begun with the first
 * listener. What is committed while it is lost is told once it is there again; where it cannot be had, nobody is told, and who
 * waits looks for himself now and then.
 */
import type pg from "pg";
import { setTimeout as wait } from "node:timers/promises";
import type { Connections } from "./connection.ts";
import { journalChannel } from "./sequencer.ts";
import { quoteName } from "./value.ts";

export interface Changes {
  /** Gives what ends it. */
  listen(listener: () => void): () => void;
  close(): Promise<void>;
}

const longestPause = 2_000;

export function openChanges(connections: Connections): Changes {
  const listeners = new Set<() => void>();
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> | undefined;

  const notify = (): void => {
    for (const listener of listeners) listener();
  };

  async function follow(): Promise<void> {
    for (let pause = 50; !signal.aborted; pause = Math.min(pause * 2, longestPause)) {
      try {
        await listen(() => {
          pause = 50;
        });
      } catch {
        // It is tried again, and meanwhile the journal is looked at without being told.
      }
      await wait(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Until the connection is lost. */
  async function listen(begun: () => void): Promise<void> {
    const channel = await journalChannel(connections);
    const client = await connections.connect();
    try {
      const lost = endOf(client, signal);
      client.on("notification", notify);
      await client.query(`LISTEN ${quoteName(channel)}`);
      begun();
      // What was written before it was listening.
      notify();
      await lost;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  return {
    listen: (listener) => {
      listeners.add(listener);
      running ??= follow();
      return () => listeners.delete(listener);
    },
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}

function endOf(client: pg.Client, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => resolve();
    client.once("end", end);
    client.on("error", end);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
