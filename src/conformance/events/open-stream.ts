/** The stream of events: opening it, and what arrives on it. */
import type { Json } from "../../base/json.ts";
import { Broken, NotTried, shortText } from "../case.ts";
import type { Caller } from "../caller.ts";
import type { EventStream } from "../event-stream.ts";
import type { StreamEvent } from "../event-parser.ts";
import { statusText } from "../errors/expected.ts";
import type { Interaction, Request } from "../interaction.ts";
import { operationsAddress, versionSelector } from "../request.ts";
import { afterLimits } from "../trial/used-up.ts";
import type { Trial } from "../trial/trial.ts";
import { type ArrivedEvent, readEvent } from "./event.ts";
import type { Observer } from "./observer.ts";

/** An open stream whose response is a success. */
export interface OpenStream extends Observer {
  readonly stream: EventStream;
  readonly interaction: Interaction;
}

export interface StreamOptions {
  /** The id after which the stream continues. */
  readonly after?: string;
}

const openingMilliseconds = 50;

/** Opens the stream as a caller. @throws NotTried if the response is no success */
export async function openStream(trial: Trial, receiver: Caller, options: StreamOptions = {}): Promise<OpenStream> {
  const { stream, interaction } = await requestStream(trial, receiver, options);
  const response = trial.responseOf(interaction);
  if (response.status !== 200) {
    stream.close();
    throw new NotTried(
      `the implementation answered ${statusText(trial.contract, response)} to ${receiver.name}'s stream`,
    );
  }
  const path = "events/delivery/stream/kind";
  if (stream.ended !== undefined)
    throw new Broken("a stream with the media type text/event-stream", stream.ended, interaction, path);
  // A server may begin its response a moment before it listens to events.
  await trial.world.target.wait(openingMilliseconds);
  const events: ArrivedEvent[] = [];
  return {
    ...{ channel: "stream", receiver, stream, interaction },
    events() {
      for (const one of stream.events.slice(events.length)) events.push(readStreamEvent(trial, one, interaction));
      return events;
    },
    async next(milliseconds) {
      const before = stream.events.length;
      if (stream.ended !== undefined) await trial.world.target.wait(milliseconds);
      else await stream.until(({ events }) => events.length > before, milliseconds);
    },
    obstacle: async () => (stream.ended === undefined ? undefined : `the stream ended too early: ${stream.ended}`),
    pending: async () => undefined,
    close: async () => stream.close(),
  };
}

/** Sends the request for a stream. The caller of this function closes the stream. */
export async function requestStream(
  trial: Trial,
  caller: Caller,
  { after }: StreamOptions = {},
): Promise<{ readonly stream: EventStream; readonly interaction: Interaction }> {
  const { contract, world } = trial;
  const { follow, now } = world.target;
  if (follow === undefined) throw new NotTried("the test cannot follow streams");
  const { resume = "Last-Event-ID" } = contract.model.events.delivery?.stream ?? {};
  const request = caller.authorize(
    eventsRequest(trial, "", {
      Accept: "text/event-stream",
      ...(after === undefined ? {} : { [resume]: after }),
    }),
  );
  let stream: EventStream | undefined;
  const open = async (): Promise<Interaction> => {
    const startedAt = now();
    stream = await follow(request.url, request.headers);
    const { response } = stream;
    const interaction = { request, response, startedAt, milliseconds: now() - startedAt, caller: caller.name };
    trial.record(interaction);
    return interaction;
  };
  const interaction = await afterLimits(trial, await open(), open);
  if (stream === undefined) throw new NotTried("there is no stream");
  return { stream, interaction };
}

/** Returns a request to the path of the stream. `below`: what follows the path, with a query. */
export function eventsRequest(
  { contract, world }: Trial,
  below: string,
  headers: Readonly<Record<string, string>>,
): Request {
  const { stream } = contract.model.events.delivery ?? {};
  if (stream === undefined) throw new NotTried("the document has no stream");
  const selector = versionSelector(contract, contract.version);
  const [path = "", own = ""] = below.split("?");
  const parameters = new URLSearchParams([...new URLSearchParams(own), ...Object.entries(selector.query)]).toString();
  const url = `${operationsAddress(contract, world.target.address)}${selector.path}${stream.path}${path}`;
  const version = contract.version === undefined || selector.headers["Accept"] === undefined ? "" : contract.version;
  const accept = headers["Accept"] ?? "application/json";
  return {
    method: "GET",
    url: parameters === "" ? url : `${url}?${parameters}`,
    headers: { ...selector.headers, ...headers, Accept: version === "" ? accept : `${accept}; version=${version}` },
  };
}

function readStreamEvent({ contract }: Trial, { id, type, data, arrivedAt }: StreamEvent, interaction: Interaction) {
  const json = jsonOf(data);
  const event = readEvent(contract, "stream", { json, id, arrivedAt });
  const path = "events/delivery/stream/kind";
  if (event.type !== type) throw new Broken(`the field \`event\` with ${event.type}`, type, interaction, path);
  if (id === "") throw new Broken("an event with an `id`", `${shortText(json)} without one`, interaction, path);
  return event;
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
