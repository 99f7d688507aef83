/**
 * Rules over other records (language, section 2): each is true of every record after every write, and no write that keeps all
 * rules true is rejected.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply } from "./client.ts";
import { served } from "./scenario.ts";
import { type SmallDocument, smallDocument } from "./small-document.ts";

/** `$a` in a path or a body is the id of what was made as `a`. */
type Step = readonly [send: string, body: object | undefined, outcome: number | string, as?: string];

interface Table {
  readonly name: string;
  readonly document: SmallDocument;
  readonly steps: readonly Step[];
}

const seats = (rules: string, errors: readonly string[]): SmallDocument => ({
  resources: `
Team: { id: id(team), name: string(1..20) }
Seat: { id: id(seat), team: Team, name: "string(1..20)", vip: "boolean = false", n: "integer = 0" }`,
  rules,
  states: `
Team: { states: [open, closed], start: open, final: none, moves: { open -> closed: by closeTeam } }
Seat: none`,
  endpoints: {
    addTeam: "POST /teams",
    addSeat: "POST /seats",
    renameSeat: "PATCH /seats/{id}",
    dropSeat: "DELETE /seats/{id}",
    closeTeam: "POST /teams/{id}/close",
  },
  errors,
});

const stock = (rule: string): SmallDocument => ({
  resources: `
P: { id: id(p), stock: integer }
L: { id: id(l), p: P, n: integer }`,
  rules: `  L: ${rule}`,
  endpoints: {
    addP: "POST /ps",
    editP: "PATCH /ps/{id}",
    addL: "POST /ls",
    editL: "PATCH /ls/{id}",
    dropL: "DELETE /ls/{id}",
  },
  errors: ["too-much"],
});

const tables: readonly Table[] = [
  {
    name: "a count of its own resource has the record in it",
    document: seats("  Seat: Seat.filter(s, s.team == team).size() <= 2 else full", ["full"]),
    steps: [
      ["POST /teams", { name: "a" }, 201, "a"],
      ["POST /teams", { name: "b" }, 201, "b"],
      ["POST /seats", { team: "$a", name: "1" }, 201, "one"],
      ["POST /seats", { team: "$a", name: "2" }, 201, "two"],
      ["POST /seats", { team: "$a", name: "3" }, "full"],
      ["POST /seats", { team: "$b", name: "4" }, 201, "four"],
      ["PATCH /seats/$one", { name: "uno" }, 200],
      ["PATCH /seats/$four", { team: "$a" }, "full"],
      ["PATCH /seats/$one", { team: "$b" }, 200],
      ["PATCH /seats/$four", { team: "$a" }, 200],
      ["DELETE /seats/$four", undefined, 204],
      ["POST /seats", { team: "$a", name: "5" }, 201],
    ],
  },
  {
    name: "what takes a record out of a count is held to it, too",
    document: seats("  Seat: vip || Seat.exists(s, s.team == team && s.vip) else no-vip", ["no-vip"]),
    steps: [
      ["POST /teams", { name: "a" }, 201, "a"],
      ["POST /teams", { name: "b" }, 201, "b"],
      ["POST /seats", { team: "$a", name: "1" }, "no-vip"],
      ["POST /seats", { team: "$a", name: "1", vip: true }, 201, "vip"],
      ["POST /seats", { team: "$a", name: "2" }, 201, "two"],
      ["PATCH /seats/$vip", { vip: false }, "no-vip"],
      ["PATCH /seats/$vip", { team: "$b" }, "no-vip"],
      ["DELETE /seats/$vip", undefined, "no-vip"],
      ["PATCH /seats/$two", { team: "$b" }, "no-vip"],
      ["DELETE /seats/$two", undefined, 204],
      ["DELETE /seats/$vip", undefined, 204],
    ],
  },
  {
    name: "a change that makes a record count is refused; what a closed team would leave is, too",
    document: seats(
      `  Seat:
    - Seat.filter(s, s.team == team && s.vip).size() <= 1 else full
    - Seat.filter(s, s.team == team).map(s, s.n).sum() <= 10 else too-much
    - team.state == 'open' else shut`,
      ["full", "too-much", "shut"],
    ),
    steps: [
      ["POST /teams", { name: "a" }, 201, "a"],
      ["POST /teams", { name: "b" }, 201, "b"],
      ["POST /seats", { team: "$a", name: "1", vip: true }, 201, "one"],
      ["POST /seats", { team: "$a", name: "2" }, 201, "two"],
      ["PATCH /seats/$two", { vip: true }, "full"],
      ["PATCH /seats/$two", { n: 11 }, "too-much"],
      ["PATCH /seats/$two", { n: 10 }, 200],
      ["PATCH /seats/$one", { n: 1 }, "too-much"],
      ["POST /teams/$a/close", undefined, "shut"],
      ["PATCH /seats/$one", { name: "uno" }, 200],
      ["POST /teams/$b/close", undefined, 200],
      ["PATCH /seats/$one", { team: "$b" }, "shut"],
      ["DELETE /seats/$one", undefined, 204],
      ["DELETE /seats/$two", undefined, 204],
      ["POST /teams/$a/close", undefined, 200],
    ],
  },
  {
    name: "a sum of all records",
    document: {
      resources: "B: { id: id(b), n: integer }",
      rules: "  B: B.map(b, b.n).sum() <= 10 else too-much",
      endpoints: { addB: "POST /bs", editB: "PATCH /bs/{id}", dropB: "DELETE /bs/{id}" },
      errors: ["too-much"],
    },
    steps: [
      ["POST /bs", { n: 11 }, "too-much"],
      ["POST /bs", { n: 4 }, 201, "four"],
      ["PATCH /bs/$four", { n: 50 }, "too-much"],
      ["POST /bs", { n: 6 }, 201, "six"],
      ["POST /bs", { n: 1 }, "too-much"],
      ["POST /bs", { n: -3 }, 201, "less"],
      ["PATCH /bs/$four", { n: 7 }, 200],
      ["DELETE /bs/$less", undefined, "too-much"],
      ["DELETE /bs/$four", undefined, 204],
      ["DELETE /bs/$less", undefined, 204],
    ],
  },
  {
    name: "what a record refers to is held to the rule of what refers to it",
    document: stock("n <= p.stock else too-much"),
    steps: [
      ["POST /ps", { stock: 5 }, 201, "p"],
      ["POST /ps", { stock: 1 }, 201, "q"],
      ["POST /ls", { p: "$p", n: 6 }, "too-much"],
      ["POST /ls", { p: "$p", n: 3 }, 201, "l"],
      ["PATCH /ps/$p", { stock: 0 }, "too-much"],
      ["PATCH /ps/$p", { stock: 3 }, 200],
      ["PATCH /ps/$q", { stock: 0 }, 200],
      ["PATCH /ls/$l", { n: 4 }, "too-much"],
      ["PATCH /ls/$l", { p: "$q" }, "too-much"],
      ["DELETE /ls/$l", undefined, 204],
      ["PATCH /ps/$p", { stock: 0 }, 200],
    ],
  },
  {
    name: "so is what SQL cannot say",
    document: {
      ...stock(""),
      resources: `
P: { id: id(p), code: string(1..9), stock: "integer = 0" }
L: { id: id(l), p: P, n: "integer = 0" }`,
      rules: "  L: p.code.matches('^[a-c]+$') else too-much",
    },
    steps: [
      ["POST /ps", { code: "abc" }, 201, "p"],
      ["POST /ps", { code: "xyz" }, 201, "q"],
      ["POST /ls", { p: "$q" }, "too-much"],
      ["POST /ls", { p: "$p" }, 201],
      ["PATCH /ps/$p", { code: "abd" }, "too-much"],
      ["PATCH /ps/$p", { code: "aa" }, 200],
      ["PATCH /ps/$q", { code: "xy" }, 200],
    ],
  },
  {
    name: "a ledger, with numbers for ids",
    document: {
      resources: `
Account: { id: id(counter), limit: "integer = 0" }
Entry: { id: id(counter), account: Account, amount: integer }`,
      rules: `  Account: Entry.filter(e, e.account == id).map(e, e.amount).sum() >= limit else overdrawn
  Entry: Entry.filter(e, e.account == account).size() <= 3 else too-many`,
      endpoints: {
        addAccount: "POST /accounts",
        editAccount: "PATCH /accounts/{id}",
        addEntry: "POST /entries",
        editEntry: "PATCH /entries/{id}",
        dropEntry: "DELETE /entries/{id}",
      },
      errors: ["overdrawn", "too-many"],
    },
    steps: [
      ["POST /accounts", { limit: 1 }, "overdrawn"],
      ["POST /accounts", {}, 201, "a"],
      ["POST /accounts", { limit: -100 }, 201, "b"],
      ["POST /entries", { account: "$a", amount: -1 }, "overdrawn"],
      ["POST /entries", { account: "$a", amount: 1000 }, 201, "in"],
      ["POST /entries", { account: "$a", amount: -1001 }, "overdrawn"],
      ["POST /entries", { account: "$a", amount: -1000 }, 201, "out"],
      ["PATCH /entries/$in", { amount: 999 }, "overdrawn"],
      ["PATCH /entries/$in", { account: "$b" }, "overdrawn"],
      ["DELETE /entries/$in", undefined, "overdrawn"],
      ["PATCH /accounts/$a", { limit: 1 }, "overdrawn"],
      ["PATCH /entries/$out", { account: "$b" }, "overdrawn"],
      ["PATCH /accounts/$b", { limit: -1000 }, 200],
      ["PATCH /entries/$out", { account: "$b" }, 200],
      ["PATCH /accounts/$b", { limit: -999 }, "overdrawn"],
      ["POST /entries", { account: "$a", amount: 1 }, 201],
      ["POST /entries", { account: "$a", amount: 1 }, 201],
      ["POST /entries", { account: "$a", amount: 1 }, "too-many"],
    ],
  },
  {
    name: "two references away, and through a record of a list",
    document: {
      resources: `
Shelf: { id: id(shelf), open: "boolean = true" }
Item: { id: id(item), shelf: Shelf, active: "boolean = true" }
Basket: { id: id(basket), name: string(1..9) }
Line: { id: id(line), basket: Basket, item: Item }`,
      rules: `  Line: item.shelf.open else shut
  Basket: Line.filter(l, l.basket == id).all(l, l.item.active) else gone`,
      endpoints: {
        addShelf: "POST /shelves",
        editShelf: "PATCH /shelves/{id}",
        addItem: "POST /items",
        editItem: "PATCH /items/{id}",
        addBasket: "POST /baskets",
        addLine: "POST /lines",
        dropLine: "DELETE /lines/{id}",
      },
      errors: ["shut", "gone"],
    },
    steps: [
      ["POST /shelves", {}, 201, "s"],
      ["POST /shelves", {}, 201, "t"],
      ["POST /items", { shelf: "$s" }, 201, "i"],
      ["POST /items", { shelf: "$t", active: false }, 201, "j"],
      ["POST /baskets", { name: "b" }, 201, "b"],
      ["POST /lines", { basket: "$b", item: "$j" }, "gone"],
      ["POST /lines", { basket: "$b", item: "$i" }, 201, "l"],
      ["PATCH /shelves/$s", { open: false }, "shut"],
      ["PATCH /shelves/$t", { open: false }, 200],
      ["PATCH /items/$i", { shelf: "$t" }, "shut"],
      ["PATCH /items/$i", { active: false }, "gone"],
      ["PATCH /items/$j", { shelf: "$s" }, 200],
      ["DELETE /lines/$l", undefined, 204],
      ["PATCH /items/$i", { active: false }, 200],
      ["PATCH /shelves/$s", { open: false }, 200],
    ],
  },
  {
    name: "an absent reference is like another absent one, where the rule says so",
    document: {
      resources: `
Team: { id: id(team), name: string(1..9) }
Seat: { id: id(seat), team?: Team, name: string(1..9) }`,
      rules: "  Seat: Seat.filter(s, s.team == team && s.name == name).size() <= 1 else taken",
      endpoints: {
        addTeam: "POST /teams",
        addSeat: "POST /seats",
        editSeat: "PATCH /seats/{id}",
        dropSeat: "DELETE /seats/{id}",
      },
      errors: ["taken"],
    },
    steps: [
      ["POST /teams", { name: "a" }, 201, "a"],
      ["POST /seats", { name: "1" }, 201, "one"],
      ["POST /seats", { name: "1" }, "taken"],
      ["POST /seats", { name: "2" }, 201, "two"],
      ["PATCH /seats/$two", { name: "1" }, "taken"],
      ["POST /seats", { name: "1", team: "$a" }, 201, "three"],
      ["PATCH /seats/$three", { team: null }, "taken"],
      ["PATCH /seats/$one", { team: "$a" }, "taken"],
      ["DELETE /seats/$one", undefined, 204],
      ["PATCH /seats/$three", { team: null }, 200],
    ],
  },
  {
    name: "a deletion that deletes others, or clears what refers to it",
    document: {
      resources: `
Club: { id: id(club), name: string(1..9) }
Room: { id: id(room), club: "Club, delete with" }
Desk: { id: id(desk), room: "Room, delete with", owner?: "Member, clear" }
Member: { id: id(person), name: string(1..9) }
Board: { id: id(board), least: integer }`,
      rules: `  Desk: owner != null || Desk.filter(d, d.owner == null).size() <= 1 else unowned
  Board: Desk.size() >= least else too-few`,
      endpoints: {
        addClub: "POST /clubs",
        dropClub: "DELETE /clubs/{id}",
        addRoom: "POST /rooms",
        addDesk: "POST /desks",
        addMember: "POST /members",
        dropMember: "DELETE /members/{id}",
        addBoard: "POST /boards",
        editBoard: "PATCH /boards/{id}",
      },
      errors: ["unowned", "too-few"],
    },
    steps: [
      ["POST /clubs", { name: "c" }, 201, "c"],
      ["POST /rooms", { club: "$c" }, 201, "r"],
      ["POST /members", { name: "p" }, 201, "p"],
      ["POST /members", { name: "q" }, 201, "q"],
      ["POST /boards", { least: 1 }, "too-few"],
      ["POST /desks", { room: "$r", owner: "$p" }, 201],
      ["POST /desks", { room: "$r", owner: "$q" }, 201],
      ["POST /boards", { least: 1 }, 201, "board"],
      ["DELETE /members/$p", undefined, 204],
      ["DELETE /members/$q", undefined, "unowned"],
      ["DELETE /clubs/$c", undefined, "too-few"],
      ["PATCH /boards/$board", { least: 0 }, 200],
      ["DELETE /clubs/$c", undefined, 204],
    ],
  },
  {
    name: "a deletion clears a reference that a rule over the record alone reads",
    document: {
      resources: `
Member: { id: id(person), name: string(1..9) }
Desk:
  id: id(desk)
  owner?: Member, clear
  spare: boolean = false
  state2: "string(..9) := owner == null ? 'free' : 'taken', filter"
  before?: Member, clear`,
      rules: `  Desk:
    - owner != null || spare else unowned
    - state2 != 'free' || spare else unowned
    - before == null || spare || owner != null else unowned`,
      endpoints: {
        addMember: "POST /members",
        dropMember: "DELETE /members/{id}",
        addDesk: "POST /desks",
        editDesk: "PATCH /desks/{id}",
      },
      errors: ["unowned"],
    },
    steps: [
      ["POST /members", { name: "p" }, 201, "p"],
      ["POST /members", { name: "q" }, 201, "q"],
      ["POST /desks", {}, "unowned"],
      ["POST /desks", { owner: "$p", before: "$q" }, 201, "desk"],
      ["DELETE /members/$p", undefined, "unowned"],
      ["DELETE /members/$q", undefined, 204],
      ["PATCH /desks/$desk", { spare: true }, 200],
      ["DELETE /members/$p", undefined, 204],
    ],
  },
  {
    name: "a rule about the write is evaluated for what was written alone",
    document: seats("  Seat: old != null || team.state == 'open' else shut", ["shut"]),
    steps: [
      ["POST /teams", { name: "a" }, 201, "a"],
      ["POST /seats", { team: "$a", name: "1" }, 201, "one"],
      ["POST /teams/$a/close", undefined, 200],
      ["POST /seats", { team: "$a", name: "2" }, "shut"],
      ["PATCH /seats/$one", { name: "uno" }, 200],
    ],
  },
];

for (const { document, name, steps } of tables) {
  served(name, smallDocument(document), (subject) => {
    test("each write is accepted or refused as the rule says, and what is refused leaves nothing", async () => {
      const made = new Map<string, unknown>();
      const put = (value: unknown): unknown =>
        typeof value === "string" && value.startsWith("$") ? made.get(value.slice(1)) : value;
      for (const [send, body, outcome, as] of steps) {
        const [method = "", path = ""] = send.split(" ");
        const reply: Reply = await subject.client.send({
          method,
          path: path.replace(/\$\w+/, (found) => String(put(found))),
          ...(body === undefined
            ? {}
            : { body: Object.fromEntries(Object.entries(body).map(([key, value]) => [key, put(value)])) }),
        });
        const said = `${send} ${JSON.stringify(body)}: ${reply.text}`;
        assert.equal(reply.status, typeof outcome === "string" ? 409 : outcome, said);
        if (typeof outcome === "string") assert.equal((reply.json as { code: string }).code, outcome, said);
        if (as !== undefined) made.set(as, (reply.json as { id: unknown }).id);
      }
    });
  });
}
