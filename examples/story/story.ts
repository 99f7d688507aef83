/**
 * `npm run story`: what becomes of a parcel. Everything here is real but the time: the service of
 * `examples/parcel-lockers.md` listens on a port, the clients, the receiver of its webhooks and the reader of its stream
 * reach it over sockets. The clock stands still until the story moves it.
 */
import { createHmac } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { type Client, createClient, type Members, type Request } from "./client.ts";
import { type Delivery, startReceiver } from "./receiver.ts";
import { doorSecret, serve } from "./service.ts";
import { createStream } from "./stream.ts";
import {
  answer,
  chapter,
  membersText,
  note,
  remark,
  request,
  sideBySide,
  table,
  timeText,
  told,
} from "./transcript.ts";

const today = "2026-09-01";
const march = "2026-03-01";
const versionHeader = "Lockers-Version";
const second = 1000;
const day = 86_400 * second;

await using service = await serve("2026-11-02T08:00:00Z");
await using receiver = await startReceiver(() => service.clock.now());
const { clock, url } = service;

const olga = createClient(url, "olga", bearer(await service.key("olga", "operator")));
const annsKey = await service.key("ann", "courier");
const ann = createClient(url, "ann", bearer(annsKey));
const bob = createClient(url, "bob", bearer(await service.key("bob", "courier")));
const eva = createClient(url, "eva");
const annsOldApp = createClient(url, "ann", { ...ann.headers, [versionHeader]: march });
const stream = createStream(url, annsKey);

// ── 1 ──

begin(
  "1. A site with two lockers",
  "Olga is an operator. She opens a site, and subscribes her mailer to events. Ann is a courier; her app follows the stream, " +
    "where she receives the events of her own parcels.",
);
const site = await add(
  olga,
  "POST /sites",
  { body: { name: "Harbour", address: { street: "Quay 1", postcode: "0150", country: "NO" } } },
  ["id", "timezone"],
);
const small = await add(olga, "POST /lockers", { body: { site, door: 1, size: "small" } }, ["id", "state"]);
await ask(olga, "POST /lockers", { body: { site, door: 2, size: "large" } }, ["id", "state"]);
const subscription = await ask(olga, "POST /webhooks", { body: { url: receiver.url } }, ["id", "state"]);
receiver.secret = String(subscription["secret"]);
await follow();

// ── 2 ──

begin(
  "2. A parcel is announced",
  "The service chooses a free locker and reserves it in the same transaction. The event exists exactly if the parcel does. Ann's " +
    "connection was bad, so her app repeats the request: with the same key it gets the first response, and creates nothing.",
);
const announcement = {
  site,
  size: "small",
  trackingNumber: "NO-0001",
  recipientEmail: "eva@example.com",
  weightKg: 2.5,
};
const keyed = { headers: { "Idempotency-Key": "ann-1" }, body: announcement };
const parcel = await add(ann, "POST /parcels", keyed, ["id", "state", "locker"]);
await tellsBoth("parcel.announced");
await ask(ann, "POST /parcels", keyed, ["id", "state", "locker"]);
remark("Bob is a courier, too. For him this parcel does not exist.");
await ask(bob, `GET /parcels/${parcel}`);
remark("The only small locker is taken, and so is the tracking number.");
await ask(ann, "POST /parcels", { body: { ...announcement, trackingNumber: "NO-0002" } });
await ask(ann, "POST /parcels", { body: { ...announcement, size: "large" } });

// ── 3 ──

begin(
  "3. The address is corrected",
  "An edit names the version of the parcel that it changes. Of two edits of the same version the service rejects the second, so " +
    "no edit is lost.",
);
const tag = (await ann.send(`GET /parcels/${parcel}`)).headers.get("ETag") ?? "";
const edit = { "If-Match": tag };
await ask(ann, `PATCH /parcels/${parcel}`, { headers: edit, body: { recipientEmail: "eve@example.com" } }, [
  "recipientEmail",
]);
await ask(ann, `PATCH /parcels/${parcel}`, { headers: edit, body: { recipientEmail: "ivy@example.com" } });

// ── 4 ──

begin(
  "4. It is dropped off, and the mailer is down",
  "The mailer should send Eva the code, but answers 503. The service sends the same event again, with the same id and a new " +
    "signature, when the first retry of the document is due.",
);
receiver.broken = true;
await ask(ann, `POST /parcels/${parcel}/drop-off`, {}, ["state", "collectBy"]);
await tellsStream();
const missed = await tellsWebhook();
await showDelivery();
receiver.broken = false;
await passBy(10 * second);
const again = await tellsWebhook();
await showDelivery();
note(clock.now(), again.event.id === missed.event.id ? "it is the same event" : "IT IS ANOTHER EVENT");

// ── 5 ──

begin(
  "5. Somebody guesses the code",
  "Anybody may try to open a door, five times in a quarter of an hour for each parcel, from any address. The sixth attempt " +
    "fails even with the right code.",
);
const code = String(again.event.data["pickupCode"]);
const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, "0");
for (const guess of [wrong, wrong, wrong, wrong, wrong, code]) {
  await ask(eva, `POST /parcels/${parcel}/collect`, { body: { code: guess } });
}

// ── 6 ──

begin("6. Ann gives Eva more time", "A courier can extend a parcel twice, by a day each.");
for (let time = 1; time <= 3; time++) await ask(ann, `POST /parcels/${parcel}/extend`, {}, ["extensions", "collectBy"]);

// ── 7 ──

begin(
  "7. Nobody comes",
  "Ann's app disconnects. A second before its deadline the parcel is still stored; at the deadline a timer of the service moves " +
    "it. The app reconnects, names its last event, and receives what it has missed.",
);
await stream.disconnect();
const { collectBy } = await current();
await passTo(Date.parse(String(collectBy)) - second);
note(clock.now(), `the parcel is ${String((await current())["state"])}`);
await passBy(second);
note(clock.now(), `the parcel is ${String((await current())["state"])}`);
await tellsWebhook();
await follow();
await tellsStream();

// ── 8 ──

begin(
  "8. An old app and a new one",
  `Ann's colleagues have an app that was written for version ${march}. It need not know ${today}: both apps get the same parcel, ` +
    "the same lockers and the same error, each with the names of its version.",
);
const shown = ["state", "trackingNumber", "reference", "weightKg", "Deprecation", "Sunset"];
await compare(`GET /parcels/${parcel}`, shown);
await compare("GET /lockers", ["door", "size"]);
const { trackingNumber: _, weightKg: __, ...common } = announcement;
await compare(
  "POST /parcels",
  [],
  { ...common, trackingNumber: "NO-0003", weightKg: 1 },
  { ...common, reference: "NO-0003" },
);
remark(
  "The old app takes the parcel back, at the path of its version. The new app uses another path, and is too late.",
);
await ask(ann, `POST /parcels/${parcel}/return`);
await ask(annsOldApp, `POST /parcels/${parcel}/return`, {}, ["state", "reference"]);
await tellsBoth("parcel.returned");
await ask(ann, `POST /parcels/${parcel}/take-back`);

// ── 9 ──

begin(
  "9. A parcel that is collected",
  "The locker is free again. The old app announces a parcel without a weight; for everybody else it weighs 1 kg. Eva receives " +
    "the code from the mailer, and collects the parcel with it.",
);
const next = await add(annsOldApp, "POST /parcels", { body: { ...common, reference: "NO-0004" } }, ["id", "reference"]);
await tellsBoth("parcel.announced");
await ask(ann, `GET /parcels/${next}`, {}, ["trackingNumber", "weightKg", "locker"]);
await ask(annsOldApp, `POST /parcels/${next}/drop-off`, {}, ["state", "collectBy"]);
await tellsStream();
const { event: stored } = await tellsWebhook();
await ask(eva, `POST /parcels/${next}/collect`, { body: { code: stored.data["pickupCode"] } }, ["door"]);
await tellsBoth("parcel.collected");

// ── 10 ──

begin(
  "10. A door reports itself",
  "A door has no account; it signs its events. A signed event moves the locker that it refers to, an unsigned one does not.",
);
const report = { locker: small, fault: "jammed" };
await ask(eva, "POST /hooks/doors", { body: report });
await ask(door(report), "POST /hooks/doors", { body: report });
await ask(olga, `GET /lockers?state=faulty`, {}, ["door", "state"]);
await ask(olga, `POST /lockers/${small}/repair`, {}, ["state"]);

// ── 11 ──

begin(
  "11. The history of the first parcel",
  "Every transition left an entry in the event log, in its own transaction. For this story the document has one more operation " +
    "than the example, which returns them to operators.",
);
request("olga", `GET /parcels/${parcel}/history`, {});
const history = await olga.send(`GET /parcels/${parcel}/history`);
table((history.body["items"] as readonly Members[]).map(rowOfMove));

// ── 12 ──

begin(
  "12. Retention and sunset",
  "Ninety days after its last transition the service deletes a parcel, as part 8 says. On the first of March the old version " +
    "ends; part 9 has announced that in every response since September.",
);
await passBy(90 * day - second);
await ask(ann, `GET /parcels/${parcel}`, {}, ["state"]);
await passBy(second);
note(clock.now(), "a second later");
await ask(ann, `GET /parcels/${parcel}`);
await passTo(Date.parse("2027-02-28T23:59:59Z"));
note(clock.now(), "the last second of the old version");
await ask(annsOldApp, "GET /lockers", {}, ["door", "size"]);
await passBy(second);
await ask(annsOldApp, "GET /lockers", {}, ["Link"]);
await stream.disconnect();
nothingIsLeft();

// ── How it is told ─────────────────────────────────────────────────────────────────────────────────────────────────

function begin(title: string, about: string): void {
  chapter(title, clock.now(), about);
}

/** Sends a request and prints it with its answer, of which the members and header fields in `show` are given. */
async function ask(who: Client, line: string, sent: Request = {}, show: readonly string[] = []): Promise<Members> {
  const { [versionHeader]: version } = who.headers;
  const named = version === undefined ? sent.headers : { [versionHeader]: version, ...sent.headers };
  request(who.name, line, { ...sent, ...(named === undefined ? {} : { headers: named }) });
  const reply = await who.send(line, sent);
  answer(reply, show);
  return reply.body;
}

/** The same for what makes a record; gives its id. */
async function add(...sent: Parameters<typeof ask>): Promise<string> {
  return String((await ask(...sent))["id"]);
}

/** The same request by the app of today and by that of March; each has the names of its own version. */
async function compare(
  line: string,
  show: readonly string[],
  body?: Members,
  oldBody: Members | undefined = body,
): Promise<void> {
  request("ann", line, {});
  const now = await ann.send(line, bodyOf(body));
  const then = await annsOldApp.send(line, bodyOf(oldBody));
  sideBySide([today, now], [march, then], show);
}

/** Ann's app opens the stream, and goes on after the last event that it has read. */
async function follow(): Promise<void> {
  request("ann", "GET /events", stream.last === undefined ? {} : { headers: { "Last-Event-ID": stream.last } });
  const { status, statusText: reason, headers } = await stream.connect();
  answer({ status, reason, headers, body: {} }, ["Content-Type"]);
}

function bodyOf(body: Members | undefined): Request {
  return body === undefined ? {} : { body };
}

/** The parcel of the first chapters, as Ann sees it. */
async function current(): Promise<Members> {
  return (await ann.send(`GET /parcels/${parcel}`)).body;
}

async function passBy(milliseconds: number): Promise<void> {
  await passTo(clock.now() + milliseconds);
}

async function passTo(moment: number): Promise<void> {
  await service.advanceTo(moment);
}

/** Waits for what the webhook gets next, and prints it. */
async function tellsWebhook(): Promise<Delivery> {
  const delivery = await receiver.inbox.take();
  const { event, genuine, status } = delivery;
  // What the mailer needs, and the document says that it carries.
  const facts = event.type === "parcel.stored" ? [membersText(event.data, ["recipientEmail", "pickupCode"])] : [];
  told("webhook", event.type, [...facts, genuine ? "signature verified" : "NOT GENUINE", `answered ${status}`]);
  await untilNoted(delivery);
  return delivery;
}

/** The clock must not move before the service has read the answer, or it would count the retry from a later moment. */
async function untilNoted({ event, status }: Delivery): Promise<void> {
  for (;;) {
    const { id, attempts } = await newestDelivery();
    if (id === event.id && attempts.at(-1) === status) return;
    await setTimeout(10);
  }
}

async function showDelivery(): Promise<void> {
  const { state, attempts } = await newestDelivery();
  note(clock.now(), `the delivery is ${state}, and was answered ${attempts.join(", ")}`);
}

/** Whoever registered an address sees what was sent there, and what came back. */
async function newestDelivery(): Promise<{ id: string; state: string; attempts: readonly (number | undefined)[] }> {
  const { body } = await olga.send(`GET /webhooks/${String(subscription["id"])}/deliveries?limit=1`);
  const [newest] = body["items"] as readonly {
    event: string;
    state: string;
    attempts: readonly { status?: number }[];
  }[];
  return {
    id: newest?.event ?? "",
    state: newest?.state ?? "",
    attempts: newest?.attempts.map((one) => one.status) ?? [],
  };
}

/** And the same of Ann's stream. */
async function tellsStream(): Promise<void> {
  const event = await stream.inbox.take();
  told("stream", event.type, []);
}

/** One event, on both ways. */
async function tellsBoth(type: string): Promise<void> {
  const { event } = await tellsWebhook();
  const same = await stream.inbox.take();
  told("stream", same.type, [same.id === event.id ? "the same event" : "ANOTHER EVENT"]);
  if (event.type !== type) throw new Error(`${event.type} came for ${type}`);
}

/** What was told is what happened, and nothing was told twice. */
function nothingIsLeft(): void {
  const left = receiver.inbox.size + stream.inbox.size;
  if (left > 0) throw new Error(`${left} events came that the story does not tell`);
}

function rowOfMove({ at, from = "", to = "", by, cause }: Members): readonly string[] {
  return [timeText(Date.parse(String(at))), `${String(from)} -> ${String(to)}`.trim(), String(by), String(cause)];
}

function bearer(key: string): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${key}` };
}

/** A door that says this: a signature over the time, the method, the path and the body. */
function door(body: Members): Client {
  const seconds = Math.floor(clock.now() / 1000);
  const signed = [seconds, "POST", "/hooks/doors", JSON.stringify(body)].join("\n");
  const signature = createHmac("sha256", doorSecret).update(signed).digest("hex");
  return createClient(url, "door 1", { "Door-Signature": `t=${seconds},v1=${signature}` });
}
