/**
 * Notifies listeners that any process has added to the event log, through one LISTEN connection that opens with the first
 * listener. After a lost connection it notifies once reconnected; if it cannot connect, readers get no notification and rely
 * on polling.
 */
import type pg from "pg";
import { setTimeout as wait } from "node:timers/promises";
import type { Connections } from "./connection.ts";
import { journalChannel } from "./sequencer.ts";
import { quoteName } from "./value.ts";

export interface Changes {
  /** Subscribes a listener; returns the function that unsubscribes. */
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
        // The connection is retried below; readers poll meanwhile.
      }
      await wait(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Listens until the connection is lost. */
  async function listen(begun: () => void): Promise<void> {
    const channel = await journalChannel(connections);
    const client = await connections.connect();
    try {
      const lost = endOf(client, signal);
      client.on("notification", notify);
      await client.query(`LISTEN ${quoteName(channel)}`);
      begun();
      // Notifies about entries written before LISTEN.
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
