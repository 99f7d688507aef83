// The types of "Courier Rates" for functions beside it, written by `nonet types`: not to be changed by hand.

export interface Day {
  readonly id: string;
  readonly endedAt: string;
  readonly invoices: number;
  readonly amount: {
    readonly amount: string;
    readonly currency: string;
  };
}

export interface DayList {
  readonly items: readonly Day[];
  /** The `cursor` of the next page; null on the last one. */
  readonly next: string | null;
}

/** What `deliver` takes. */
export type DeliverInput = { readonly [name: string]: never };

export interface Invoice {
  readonly id: string;
  readonly state: InvoiceState;
  /** The id of a Order. */
  readonly order: string;
  readonly customer: string;
  readonly amount: {
    readonly amount: string;
    readonly currency: string;
  };
  readonly createdAt: string;
}

export interface InvoiceList {
  readonly items: readonly Invoice[];
  /** The `cursor` of the next page; null on the last one. */
  readonly next: string | null;
}

/**
 * Starts as `draft`. Final: `sent`.
 *
 * - `sendInvoice`: draft → sent
 */
export type InvoiceState = "draft" | "sent";

export interface Order {
  readonly id: string;
  readonly state: OrderState;
  readonly customer: string;
  /** The id of a Quote. */
  readonly quote: string;
  readonly address: string;
  readonly label?: string;
}

/**
 * Starts as `placed`. Final: `delivered`.
 *
 * - `deliver`: placed → delivered
 */
export type OrderState = "placed" | "delivered";

/** What `placeOrder` takes. */
export interface PlaceOrderInput {
  readonly quote: string;
  readonly address: string;
  readonly label?: string;
}

export interface Quote {
  readonly id: string;
  readonly customer: string;
  /** The id of a Rate. */
  readonly zone: string;
  readonly weightKg: number;
  readonly price: {
    readonly amount: string;
    readonly currency: string;
  };
  readonly until: string;
}

/** What `quote` takes. */
export interface QuoteInput {
  readonly zone: string;
  readonly weightKg: number;
}

export interface QuoteList {
  readonly items: readonly Quote[];
  /** The `cursor` of the next page; null on the last one. */
  readonly next: string | null;
}

export interface Rate {
  readonly id: string;
  readonly start: {
    readonly amount: string;
    readonly currency: string;
  };
  readonly perKg: {
    readonly amount: string;
    readonly currency: string;
  };
}

export interface RateList {
  readonly items: readonly Rate[];
  /** The `cursor` of the next page; null on the last one. */
  readonly next: string | null;
}

/** What `sendInvoice` takes. */
export type SendInvoiceInput = { readonly [name: string]: never };

/** What `setRate` takes. */
export interface SetRateInput {
  readonly id?: string;
  readonly start: {
    readonly amount: string;
    readonly currency: string;
  };
  readonly perKg: {
    readonly amount: string;
    readonly currency: string;
  };
}

/** Name a price for a parcel and keep to it. */
export interface CourierRates {
  readonly resources: {
    readonly Rate: {
      readonly id: string;
      readonly record: Rate;
      readonly full: {
        readonly id: string;
        readonly start: {
          readonly amount: string;
          readonly currency: string;
        };
        readonly perKg: {
          readonly amount: string;
          readonly currency: string;
        };
      };
      readonly create: never;
      readonly update: Partial<SetRateInput>;
      readonly delete: false;
      readonly made: {
        readonly id: string;
        readonly start: {
          readonly amount: string;
          readonly currency: string;
        };
        readonly perKg: {
          readonly amount: string;
          readonly currency: string;
        };
      };
      readonly changed: Partial<{
        readonly id?: string;
        readonly start?: {
          readonly amount: string;
          readonly currency: string;
        };
        readonly perKg?: {
          readonly amount: string;
          readonly currency: string;
        };
      }>;
      readonly moves: {};
      readonly creates: {};
      readonly fields: {
        readonly id: string;
      };
    };
    readonly Quote: {
      readonly id: string;
      readonly record: Quote;
      readonly full: {
        readonly id: string;
        readonly customer: string;
        readonly zone: string;
        readonly weightKg: number;
        readonly price: {
          readonly amount: string;
          readonly currency: string;
        };
        readonly until: string;
      };
      readonly create: never;
      readonly update: never;
      readonly delete: false;
      readonly made: {
        readonly customer?: string;
        readonly zone: string;
        readonly weightKg: number;
        readonly price: {
          readonly amount: string;
          readonly currency: string;
        };
        readonly until: string;
      };
      readonly changed: Partial<{
        readonly customer?: string;
        readonly zone?: string;
        readonly weightKg?: number;
        readonly price?: {
          readonly amount: string;
          readonly currency: string;
        };
        readonly until?: string;
      }>;
      readonly moves: {};
      readonly creates: {};
      readonly fields: {
        readonly id: string;
        readonly customer: string;
        readonly zone: string;
        readonly weightKg: number;
        readonly until: string | Date;
      };
    };
    readonly Order: {
      readonly id: string;
      readonly record: Order;
      readonly full: {
        readonly id: string;
        readonly state: "placed" | "delivered";
        readonly customer: string;
        readonly quote: string;
        readonly address: string;
        readonly label?: string;
      };
      readonly create: PlaceOrderInput;
      readonly update: never;
      readonly delete: false;
      readonly made: {
        readonly customer?: string;
        readonly quote: string;
        readonly address: string;
        readonly label?: string | null;
      };
      readonly changed: Partial<{
        readonly customer?: string;
        readonly quote?: string;
        readonly address?: string;
        readonly label?: string | null;
      }>;
      readonly moves: {
        readonly deliver: DeliverInput;
      };
      readonly creates: {
        readonly placeOrder: PlaceOrderInput;
      };
      readonly fields: {
        readonly id: string;
        readonly state: "placed" | "delivered";
        readonly customer: string;
        readonly quote: string;
        readonly address: string;
        readonly label: string;
      };
    };
    readonly Invoice: {
      readonly id: string;
      readonly record: Invoice;
      readonly full: {
        readonly id: string;
        readonly state: "draft" | "sent";
        readonly order: string;
        readonly customer: string;
        readonly amount: {
          readonly amount: string;
          readonly currency: string;
        };
        readonly createdAt: string;
      };
      readonly create: never;
      readonly update: never;
      readonly delete: false;
      readonly made: {
        readonly order: string;
        readonly customer: string;
        readonly amount: {
          readonly amount: string;
          readonly currency: string;
        };
        readonly createdAt?: string;
      };
      readonly changed: Partial<{
        readonly order?: string;
        readonly customer?: string;
        readonly amount?: {
          readonly amount: string;
          readonly currency: string;
        };
        readonly createdAt?: string;
      }>;
      readonly moves: {
        readonly sendInvoice: SendInvoiceInput;
      };
      readonly creates: {};
      readonly fields: {
        readonly id: string;
        readonly state: "draft" | "sent";
        readonly order: string;
        readonly customer: string;
        readonly createdAt: string | Date;
      };
    };
    readonly Day: {
      readonly id: string;
      readonly record: Day;
      readonly full: {
        readonly id: string;
        readonly endedAt: string;
        readonly invoices: number;
        readonly amount: {
          readonly amount: string;
          readonly currency: string;
        };
      };
      readonly create: never;
      readonly update: never;
      readonly delete: false;
      readonly made: {
        readonly endedAt: string;
        readonly invoices: number;
        readonly amount: {
          readonly amount: string;
          readonly currency: string;
        };
      };
      readonly changed: Partial<{
        readonly endedAt?: string;
        readonly invoices?: number;
        readonly amount?: {
          readonly amount: string;
          readonly currency: string;
        };
      }>;
      readonly moves: {};
      readonly creates: {};
      readonly fields: {
        readonly id: string;
        readonly endedAt: string | Date;
        readonly invoices: number;
      };
    };
  };
  readonly operations: {
    /** Set what a zone costs */
    readonly setRate: {
      readonly does: "replace";
      readonly input: SetRateInput;
      readonly record: Rate;
      readonly answer: Rate;
      readonly gives: never;
      readonly params: "id";
    };
    /** See the rates */
    readonly listRates: {
      readonly does: "list";
      readonly input: {};
      readonly record: undefined;
      readonly answer: RateList;
      readonly gives: never;
      readonly params: never;
    };
    /** See the prices that were asked for */
    readonly listQuotes: {
      readonly does: "list";
      readonly input: {};
      readonly record: undefined;
      readonly answer: QuoteList;
      readonly gives: never;
      readonly params: never;
    };
    /** Send a parcel at a price that was named */
    readonly placeOrder: {
      readonly does: "create";
      readonly input: PlaceOrderInput;
      readonly record: undefined;
      readonly answer: Order;
      readonly gives: never;
      readonly params: never;
    };
    /** Look at one order */
    readonly getOrder: {
      readonly does: "read";
      readonly input: {};
      readonly record: Order;
      readonly answer: Order;
      readonly gives: never;
      readonly params: "id";
    };
    /** Say that the parcel has arrived */
    readonly deliver: {
      readonly does: "move";
      readonly input: DeliverInput;
      readonly record: Order;
      readonly answer: Order;
      readonly gives: never;
      readonly params: "id";
    };
    /** See the invoices */
    readonly listInvoices: {
      readonly does: "list";
      readonly input: {};
      readonly record: undefined;
      readonly answer: InvoiceList;
      readonly gives: never;
      readonly params: never;
    };
    /** Ask for the money */
    readonly sendInvoice: {
      readonly does: "move";
      readonly input: SendInvoiceInput;
      readonly record: Invoice;
      readonly answer: Invoice;
      readonly gives: never;
      readonly params: "id";
    };
    /** See what was earned, day by day */
    readonly listDays: {
      readonly does: "list";
      readonly input: {};
      readonly record: undefined;
      readonly answer: DayList;
      readonly gives: never;
      readonly params: never;
    };
    /** Ask what a parcel would cost */
    readonly quote: {
      readonly does: "handler";
      readonly input: QuoteInput;
      readonly record: undefined;
      readonly answer: Quote;
      readonly gives: string | number | { readonly id: string | number };
      readonly params: never;
    };
  };
  readonly events: {
    readonly "order.delivered": {
      readonly id: string;
      readonly state: "placed" | "delivered";
      readonly customer: string;
      readonly quote: string;
      readonly address: string;
      readonly label?: string;
    };
  };
  readonly errors:
    | "invalid-request"
    | "unauthenticated"
    | "forbidden"
    | "not-found"
    | "method-not-allowed"
    | "not-acceptable"
    | "state-conflict"
    | "already-exists"
    | "still-referenced"
    | "version-gone"
    | "stale"
    | "too-large"
    | "unsupported-media"
    | "precondition-needed"
    | "rate-limited"
    | "quota-exceeded"
    | "internal"
    | "overloaded"
    | "timed-out"
    | "quote-over"
    | "not-delivered-there";
  readonly roles: "operator";
}
