/**
 * The codes of ISO 4217 in use (list one, as of 2026-01-01), including funds and metals, grouped by number of decimal digits.
 * Withdrawn codes (BGN, HRK, …) are omitted.
 */
const codesByDigits: Readonly<Record<number, string>> = {
  0: `
  BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF
  `,
  2: `
  AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE
  CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD
  HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK
  MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD
  RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH
  USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG
  `,
  3: "BHD IQD JOD KWD LYD OMR TND",
  // The standard defines no digits for 13 of these codes; an amount of money has at most four.
  4: `
  CLF UYW XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX
  `,
};

/** The number of decimal digits of an amount, by currency code. */
export const currencyDigits: ReadonlyMap<string, number> = new Map(
  Object.entries(codesByDigits).flatMap(([digits, codes]) =>
    codes
      .trim()
      .split(/\s+/)
      .map((code) => [code, Number(digits)] as const),
  ),
);
