/** Part 6, printed: the shortest form that reads back as the same. */
import type { Tree } from "../../document/print.ts";
import { printGrants } from "../authentication/grants.ts";
import { printTypeTree } from "../resources/field-print.ts";
import type { Delivery, Events, EventSource, InEvent, OutEvent, Stream, Webhook } from "./model.ts";

export function printEvents({ envelope, out, in: inward, delivery }: Events): Tree {
  return {
    ...(envelope === undefined ? {} : { envelope }),
    ...(out === undefined ? {} : { out: lines(out, printOut) }),
    ...(inward === undefined ? {} : { in: lines(inward, printIn) }),
    ...(delivery === undefined ? {} : { delivery: printDelivery(delivery) }),
  };
}

function lines<Event>(events: Readonly<Record<string, Event>>, print: (event: Event) => Tree): Tree {
  const printed = Object.entries(events).map(([name, event]) => [name, print(event)] as const);
  return printed.length === 0 ? "none" : Object.fromEntries(printed);
}

function printOut({ when, carries }: OutEvent): Tree {
  if (carries === undefined) return printSource(when);
  return { when: printSource(when), carries: carries.length === 0 ? "none" : carries };
}

function printSource(source: EventSource): string {
  return source.kind === "operation" ? source.operation : `${source.resource} -> ${source.state}`;
}

function printIn({ method, path, with: proof, carries, optional = [] }: InEvent): Tree {
  const types = Object.entries(carries).map(([name, type]) => {
    return [optional.includes(name) ? `${name}?` : name, printTypeTree(type)] as const;
  });
  return {
    at: `${method} ${path}`,
    with: proof,
    ...(types.length === 0 ? {} : { carries: Object.fromEntries(types) }),
  };
}

function printDelivery({ webhook, stream }: Delivery): Tree {
  if (webhook === undefined && stream === undefined) return "none";
  return {
    ...(webhook === undefined ? {} : { webhook: printWebhook(webhook) }),
    ...(stream === undefined ? {} : { stream: printStream(stream) }),
  };
}

function printWebhook({ method, path, for: audience, retry, then, ...plain }: Webhook): Tree {
  return {
    subscribe: `${method} ${path}`,
    for: printGrants(audience),
    ...plain,
    ...(retry === undefined ? {} : { retry: retry.length === 0 ? "none" : retry.join(" ") }),
    ...(then === undefined ? {} : { then: printThen(then) }),
  };
}

function printThen({ disable, keep }: Exclude<Webhook["then"], undefined>): Tree {
  if (keep === undefined) return disable ? "disable" : { disable: "false" };
  return `${disable ? "disable and " : ""}keep ${keep}`;
}

function printStream({ method, path, for: audience, kind, ...plain }: Stream): Tree {
  return { at: `${method} ${path}`, for: printGrants(audience), kind, ...plain };
}
