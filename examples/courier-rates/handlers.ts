/** What no table holds: prices, what completes an order, and the invoices and days that follow from it. */
import type { Handlers } from "nonet";
import type { CourierRates } from "./types.ts";

const quarterOfAnHour = 15 * 60_000;

const functions: Handlers<CourierRates> = {
  /** The price holds for a quarter of an hour; each kilogram that has begun counts. */
  async quote({ input, records, caller, fail, now }) {
    const rate = (await records.Rate.get(input.zone)) ?? fail("not-found");
    const cents = centsOf(rate.start) + Math.ceil(input.weightKg) * centsOf(rate.perKg);
    return records.system.Quote.create({
      zone: rate.id,
      weightKg: input.weightKg,
      customer: caller.id ?? fail("unauthenticated"),
      price: euros(cents),
      until: new Date(now.getTime() + quarterOfAnHour).toISOString(),
    });
  },

  before: {
    /** Refuses what cannot be delivered or was named too long ago, and labels what has no label. */
    async placeOrder({ input, records, fail, now }) {
      if (/\bp\.? ?o\.? box\b/i.test(input.address)) fail("not-delivered-there", { detail: input.address });
      // By what the caller may see: the prices of others are not there.
      const quote = (await records.Quote.get(input.quote)) ?? fail("not-found");
      if (new Date(quote.until) < now) fail("quote-over", { detail: `It was good until ${quote.until}` });
      return { label: `${quote.zone}, ${quote.weightKg} kg`, ...input };
    },
  },

  after: {
    /** In the transaction of the order: there is never one without the other. */
    async placeOrder({ answer: order, records, fail }) {
      const quote = (await records.Quote.get(order.quote)) ?? fail("not-found");
      await records.system.Invoice.create({ order: order.id, customer: order.customer, amount: quote.price });
    },
  },

  on: {
    /** At least once, so that it asks first whether that was done before. */
    async "order.delivered"({ record, records, log }) {
      const invoice = await records.Invoice.find({ order: record.id });
      if (invoice?.state !== "draft") return;
      await records.Invoice.move.sendInvoice(invoice.id);
      log("invoice sent", { invoice: invoice.id });
    },
  },

  every: {
    "1d": {
      async closeDay({ records, now }) {
        // From where the last one ended, since an interval may begin late: nothing is counted twice or left out.
        const last = await records.Day.find({});
        const where = { createdAt: { lt: now, ...(last === undefined ? {} : { gte: last.endedAt }) } };
        let [invoices, cents] = [0, 0];
        let after: string | null = null;
        do {
          const page = await records.Invoice.list({ where, after });
          for (const { amount } of page.items) cents += centsOf(amount);
          invoices += page.items.length;
          after = page.next;
        } while (after !== null);
        await records.Day.create({ endedAt: now.toISOString(), invoices, amount: euros(cents) });
      },
    },
  },
};

export default functions;

interface Money {
  readonly amount: string;
  readonly currency: string;
}

function centsOf({ amount }: Money): number {
  return Math.round(Number(amount) * 100);
}

function euros(cents: number): Money {
  return { amount: (cents / 100).toFixed(2), currency: "EUR" };
}
