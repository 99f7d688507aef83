/** A document whose responses have ids, or the records if a request asks for them. */

export const ledger = `# Ledger

## What the service does
Customers pay with cards; responses have ids, or the records if a request asks for them.
\`\`\`yaml
nonet: 1
service: ledger
purpose: Ask for records in place of their ids.
users:
  clerk: runs the ledger
  customer: pays
operations:
  addTeam: Open a team
  getTeam: Look at a team
  addCustomer: Add a customer
  getCustomer: Look at a customer
  listCustomers: List customers
  changeCustomer: Change a customer
  addCharge: Pay
  getCharge: Look at a charge
  peekCharge: Look at a charge, with its payer on request
  listCharges: List charges
  changeCharge: Change a charge
  refund: Give the money back
  addRefund: Record a refund
  getRefund: Look at a refund
  listRefunds: List refunds
\`\`\`

## Resources and their fields
\`\`\`yaml
Team:
  id: id(tea)
  name: string(1..40)
  budget: integer = 0
Customer:
  id: id(cus)
  name: string(1..40)
  owner: user = caller, read-only
  email?: email
  team?: Team, expand
  latest?: Charge, expand
Charge:
  id: id(cha)
  amount: integer(1..1000000), filter
  customer: Customer, filter, expand
  note?: string(..40)
Refund:
  id: id(ref)
  charge: Charge, filter
  other?: Charge
views:
  ChargeOut:
    of: Charge
    fields: [id, amount]
    customer: CustomerOut, expand
  CustomerOut:
    of: Customer
    fields: [id, name, email]
    "latest_charge?": ChargeOut := latest, expand
    team: TeamOut
    "charges": ChargeOut[] := Charge.filter(c, c.customer == id), on request
  TeamOut: { of: Team, fields: [name, budget] }
  ChargeWith:
    of: Charge
    fields: [id, customer]
    payer: CustomerOut := customer, on request
    payers: CustomerOut[] := Customer.filter(c, c.id == customer), on request
  RefundOut:
    of: Refund
    fields: [id]
    charge: ChargeOut, expand
    "other?": ChargeOut
\`\`\`

## States and transitions
\`\`\`yaml
Team: none
Customer: none
Refund: none
Charge:
  states: [paid, refunded]
  start: paid
  final: [refunded]
  moves:
    paid -> refunded: by refund
\`\`\`

## Endpoints
\`\`\`yaml
expand: { name: expand, depth: 3 }
endpoints:
  addTeam: POST /teams
  getTeam: GET /teams/{id}
  addCustomer: POST /customers
  getCustomer: GET /customers/{id}
  listCustomers: GET /customers
  changeCustomer: PATCH /customers/{id}
  addCharge: POST /charges
  getCharge: GET /charges/{id}
  peekCharge: { at: "GET /charges/{id}/short", gives: ChargeWith }
  listCharges: GET /charges
  changeCharge: PATCH /charges/{id}
  refund: POST /charges/{id}/refund
  addRefund:
    at: POST /refunds
    gives: RefundOut
    expand: { name: "expand[]", depth: 4, from: response }
  getRefund:
    at: GET /refunds/{id}
    gives: RefundOut
    expand: { name: "expand[]", depth: 4, from: response }
  listRefunds:
    at: GET /refunds
    gives: { object: "'list'", data: "RefundOut[]", has_more: next != null }
    expand: { name: "expand[]", depth: 4, from: response }
\`\`\`

## Authentication
\`\`\`yaml
credentials: { key: { kind: api-key, prefix: lg_, lasts: 365d } }
roles: [clerk, customer]
own:
  Customer: owner == caller.id
allow:
  addTeam, changeCustomer, addCharge, changeCharge, refund, addRefund: clerk
  addCustomer: clerk | customer
  getTeam: clerk
  getCustomer, listCustomers: clerk | customer if own
  getCharge, peekCharge, listCharges, getRefund, listRefunds: clerk | customer
show:
  Customer.email: clerk
\`\`\`

## Events
none

## Errors
\`\`\`yaml
standard: all
errors: none
\`\`\`

## Limits
none

## Versioning
none
`;
