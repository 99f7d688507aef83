/**
 * Do both sides do the same work? A fast server that skips a check is not fast. Each row is one request whose answer the
 * document and R0.1 settle; every contestant is held to all of them before anything is timed.
 */
export interface Keys {
  readonly operator: string;
  readonly courier: string;
  readonly otherCourier: string;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
  readonly text: string;
}

const READ_HEADERS = ["request-id", "x-content-type-options", "content-security-policy", "referrer-policy"];
const PARCEL = "courier createdAt extensions id labels locker recipientEmail site size state trackingNumber weightKg";

/** The rows that a server gets wrong, in words; empty when it does all of the work. */
export async function sameWork(port: number, keys: Keys): Promise<string[]> {
  const wrong: string[] = [];
  const stamp = Date.now().toString(36);
  let count = 0;

  const ask = async (method: string, path: string, key: string, body?: unknown, more = {}): Promise<Reply> => {
    const headers: Record<string, string> = { ...more };
    if (key !== "") headers["authorization"] = `Bearer ${key}`;
    if (method === "POST") headers["idempotency-key"] ??= `same-${stamp}-${count++}`;
    if (body !== undefined) headers["content-type"] ??= "application/json";
    const text = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
    const signal = AbortSignal.timeout(5000);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: text, signal });
    const answer = await response.text();
    return { status: response.status, headers: response.headers, body: parse(answer), text: answer };
  };
  const expect = (what: string, reply: Reply, status: number, ...facts: readonly (readonly [string, boolean])[]) => {
    if (reply.status !== status)
      wrong.push(`${what}: ${reply.status} instead of ${status} ${reply.text.slice(0, 200)}`);
    else for (const [fact, holds] of facts) if (!holds) wrong.push(`${what}: ${fact}`);
    if (status >= 400 && !reply.headers.get("content-type")?.startsWith("application/problem+json")) {
      wrong.push(`${what}: the error is not application/problem+json`);
    }
  };
  const members = (reply: Reply): string => Object.keys(reply.body).sort().join(" ");
  const has = (reply: Reply, name: string): readonly [string, boolean] => [`no ${name}`, reply.headers.has(name)];

  const address = { street: "Prinsens gate 2", postcode: "0152", country: "NO" };
  const site = await ask("POST", "/sites", keys.operator, { name: `Same work ${stamp}`, address });
  expect("addSite", site, 201, has(site, "location"));
  const at = String(site.body["id"]);
  const locker = await ask("POST", "/lockers", keys.operator, { site: at, door: 1, size: "small" });
  expect("addLocker", locker, 201);
  expect(
    "the same door again",
    await ask("POST", "/lockers", keys.operator, { site: at, door: 1, size: "small" }),
    409,
  );

  const wanted = {
    site: at,
    size: "small",
    trackingNumber: `SW-${stamp}`,
    recipientEmail: "a@mail.example",
    weightKg: 2.5,
    labels: ["fragile"],
  };
  const announce = (body: unknown, more = {}, key = keys.courier) => ask("POST", "/parcels", key, body, more);
  expect("no credential", await announce(wanted, {}, ""), 401);
  expect("wrong role", await announce(wanted, {}, keys.operator), 403);
  expect("text/plain", await announce(JSON.stringify(wanted), { "content-type": "text/plain" }), 415);
  expect("not JSON", await announce("{"), 400);
  expect("a member twice", await announce(`{"size":"small",${JSON.stringify(wanted).slice(1)}`), 400);
  expect("an unknown field", await announce({ ...wanted, colour: "red" }), 422);
  expect("a read-only field", await announce({ ...wanted, pickupCode: "000000" }), 422);
  expect("a number as text", await announce({ ...wanted, weightKg: "2.5" }), 422);
  expect("an unknown site", await announce({ ...wanted, site: `${at.slice(0, -4)}0000` }), 422);
  expect("labels and 25 kg", await announce({ ...wanted, weightKg: 25 }), 422);
  expect("no locker of the size", await announce({ ...wanted, size: "large" }), 409);

  const key = { "idempotency-key": `same-${stamp}-announce` };
  const parcel = await announce(wanted, key);
  expect("announceParcel", parcel, 201, has(parcel, "location"), has(parcel, "etag"));
  if (members(parcel) !== PARCEL) wrong.push(`announceParcel gives ${members(parcel)}`);
  const replay = await announce(wanted, key);
  const replayed = replay.headers.get("idempotent-replayed") === "true";
  expect("a replay", replay, 201, ["not the same bytes", replay.text === parcel.text], ["not marked", replayed]);
  expect("a reused key", await announce({ ...wanted, weightKg: 3 }, key), 422);
  expect("the only locker is held", await announce({ ...wanted, trackingNumber: `SX-${stamp}` }), 409);
  const second = await ask("POST", "/lockers", keys.operator, { site: at, door: 2, size: "small" });
  expect("addLocker", second, 201);
  expect("the same tracking number", await announce(wanted), 409);
  const lockersIn = async (state: string): Promise<number> => {
    const list = await ask("GET", `/lockers?site=${at}&state=${state}`, keys.courier);
    return Array.isArray(list.body["items"]) ? list.body["items"].length : -1;
  };
  if ((await lockersIn("held")) !== 1) wrong.push("announcing does not hold its locker");

  const path = `/parcels/${String(parcel.body["id"])}`;
  const read = await ask("GET", path, keys.courier);
  expect("getParcel", read, 200, has(read, "etag"), ...READ_HEADERS.map((name) => has(read, name)));
  if (read.text !== parcel.text) wrong.push("getParcel differs from what announcing gave");
  const etag = read.headers.get("etag") ?? "";
  expect("If-None-Match", await ask("GET", path, keys.courier, undefined, { "if-none-match": etag }), 304);
  expect("another courier's parcel", await ask("GET", path, keys.otherCourier), 404);
  const asOperator = await ask("GET", path, keys.operator);
  expect("the operator reads", asOperator, 200, ["no pickupCode", "pickupCode" in asOperator.body]);

  const old = await ask("GET", path, keys.courier, undefined, { "lockers-version": "2026-03-01" });
  const before = old.body["reference"] === wanted.trackingNumber && !("trackingNumber" in old.body);
  const tagged = old.headers.get("etag") !== etag;
  expect("the version before", old, 200, ["not in its names", before], ["the same ETag", tagged]);
  expect("the version before", old, 200, ...["deprecation", "sunset"].map((name) => has(old, name)));

  const list = await ask("GET", "/parcels?limit=50", keys.courier);
  const items = list.body["items"];
  const full = Array.isArray(items) && items.length === 50 && typeof list.body["next"] === "string";
  expect("listParcels", list, 200, ["not 50 items and a cursor", full], has(list, "link"));
  const rest = `/parcels?limit=50&cursor=${encodeURIComponent(String(list.body["next"]))}`;
  expect("the next page", await ask("GET", rest, keys.courier), 200);
  expect("another's cursor", await ask("GET", rest, keys.otherCourier), 400);
  expect("limit 201", await ask("GET", "/parcels?limit=201", keys.courier), 400);
  expect("an undeclared filter", await ask("GET", "/parcels?pickupCode=000000", keys.courier), 400);
  const found = await ask("GET", `/parcels?trackingNumber=SW-${stamp}`, keys.courier);
  expect("a filter", found, 200, ["not one item", (found.body["items"] as unknown[] | undefined)?.length === 1]);

  const email = { recipientEmail: "b@mail.example" };
  expect("PATCH without If-Match", await ask("PATCH", path, keys.courier, email), 428);
  const patched = await ask("PATCH", path, keys.courier, email, { "if-match": etag });
  expect("PATCH", patched, 200, ["the ETag did not change", patched.headers.get("etag") !== etag]);
  expect("PATCH with the old ETag", await ask("PATCH", path, keys.courier, email, { "if-match": etag }), 412);
  expect("another's drop-off", await ask("POST", `${path}/drop-off`, keys.otherCourier), 404);
  const stored = await ask("POST", `${path}/drop-off`, keys.courier);
  const moved = stored.body["state"] === "stored" && typeof stored.body["collectBy"] === "string";
  expect("dropOff", stored, 200, ["not stored with a collectBy", moved]);
  if ((await lockersIn("occupied")) !== 1) wrong.push("dropping off does not occupy the locker");
  expect("dropOff again", await ask("POST", `${path}/drop-off`, keys.courier), 409);
  expect("a method that is not there", await ask("DELETE", "/parcels", keys.courier), 405);
  expect("a path that is not there", await ask("GET", "/parcel", keys.courier), 404);
  return wrong;
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
