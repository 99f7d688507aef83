/** The character references that documents use; HTML's whole list of 2,125 is a fortieth of the page. Others stay as written. */
export const characterEntities: Readonly<Record<string, string>> = {
  ...{
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    nbsp: "\u00a0",
    shy: "\u00ad",
    ensp: "\u2002",
    emsp: "\u2003",
  },
  ...{ ndash: "–", mdash: "—", hellip: "…", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", laquo: "«", raquo: "»" },
  ...{ copy: "©", reg: "®", trade: "™", deg: "°", middot: "·", bull: "•", sect: "§", para: "¶", euro: "€", pound: "£" },
  ...{
    times: "×",
    divide: "÷",
    plusmn: "±",
    minus: "−",
    le: "≤",
    ge: "≥",
    ne: "≠",
    asymp: "≈",
    infin: "∞",
    frac12: "½",
  },
  ...{ larr: "←", rarr: "→", uarr: "↑", darr: "↓", harr: "↔", rArr: "⇒", check: "✓", cross: "✗" },
};
