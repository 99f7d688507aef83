/**
 * Questions about a page that only the browser can answer. Run inside every page of page.test.ts before anything else is;
 * apart from that file because the globals of a browser are not those of Node.
 */
globalThis.inspection = {
  /** How much wider the page is than the screen. */
  beyond() {
    return document.documentElement.scrollWidth - document.documentElement.clientWidth;
  },

  /** The words that the keyboard is at, if they are in sight. */
  focused() {
    const { activeElement } = document;
    return activeElement.getBoundingClientRect().top >= 0 ? activeElement.textContent : "out of sight";
  },

  addresses() {
    return [...document.querySelectorAll("a")].map((link) => link.href.replace(/#.*/, ""));
  },

  /** What can be scrolled sideways, but not with the keyboard. */
  stuck() {
    return [...document.querySelectorAll("main *")]
      .filter((element) => element.scrollWidth > element.clientWidth + 1)
      .filter((element) => /auto|scroll/.test(getComputedStyle(element).overflowX) && element.tabIndex < 0)
      .map((element) => element.className || element.tagName);
  },

  /** Texts of a diagram that lie on one another, cross a box, or leave their own box or the picture. */
  textFaults() {
    const faults = [];
    const lies = (one, other) =>
      one.left < other.right - 0.5 &&
      other.left < one.right - 0.5 &&
      one.top < other.bottom - 0.5 &&
      other.top < one.bottom - 0.5;
    const within = (one, other) =>
      one.left >= other.left && one.right <= other.right && one.top >= other.top && one.bottom <= other.bottom;
    for (const svg of document.querySelectorAll("svg")) {
      const outline = svg.getBoundingClientRect();
      const boxed = (selector) =>
        [...svg.querySelectorAll(selector)].map((element) => ({ element, box: element.getBoundingClientRect() }));
      const texts = boxed("text");
      const rects = boxed("rect");
      for (const [at, { element, box }] of texts.entries()) {
        const name = element.textContent;
        if (!within(box, outline)) faults.push(`${name} is outside`);
        for (const other of texts.slice(at + 1)) {
          if (lies(box, other.box)) faults.push(`${name} lies on ${other.element.textContent}`);
        }
        for (const rect of rects) {
          const own = rect.element.parentElement === element.parentElement;
          if (own ? !within(box, rect.box) : lies(box, rect.box)) faults.push(`${name} crosses a box`);
        }
      }
    }
    return faults;
  },

  /** What somebody who hears the page would stumble over. */
  structureFaults() {
    const all = (selector) => [...document.querySelectorAll(selector)];
    const faults = [];
    if (document.documentElement.lang !== "en") faults.push("the page has no language");
    for (const landmark of ["main", "nav"]) if (all(landmark).length !== 1) faults.push(`not one ${landmark}`);
    const levels = all("h1, h2, h3, h4, h5, h6").map((heading) => Number(heading.tagName[1]));
    if (levels.filter((level) => level === 1).length !== 1) faults.push("not one h1");
    for (const [at, level] of levels.entries()) {
      if (level > (levels[at - 1] ?? 0) + 1)
        faults.push(`${all("h1, h2, h3, h4, h5, h6")[at].textContent} skips a level`);
    }
    const ids = all("[id]").map(({ id }) => id);
    for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push(`${id} is there twice`);
    for (const link of all("a")) {
      const target = link.getAttribute("href");
      if (link.textContent.trim() === "") faults.push(`${target} has no words`);
      if (target.startsWith("#") && !ids.includes(target.slice(1))) faults.push(`${target} leads nowhere`);
    }
    for (const region of all("[role=region]"))
      if (!region.getAttribute("aria-label")) faults.push("a region has no name");
    for (const label of all("[aria-labelledby]").flatMap((one) => one.getAttribute("aria-labelledby").split(" "))) {
      if (!ids.includes(label)) faults.push(`${label} labels something and is not there`);
    }
    for (const cell of all("th")) if (cell.scope === "") faults.push(`${cell.textContent} heads nothing`);
    return faults;
  },

  /** Texts whose contrast is below 4.5, or 3 where they are large, with the ratio (WCAG 2.2, 1.4.3). */
  contrastFaults() {
    const channels = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = (color) => {
      const [r, g, b] = channels(color).map((value) =>
        value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const groundOf = (element) => {
      const { backgroundColor } = getComputedStyle(element);
      if (channels(backgroundColor)[3] !== 0) return backgroundColor;
      return element.parentElement === null ? "rgb(255, 255, 255)" : groundOf(element.parentElement);
    };
    const faults = new Set();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const element = node.parentElement;
      const words = node.textContent.trim();
      if (words === "" || element.closest("title, desc, .hidden") !== null) continue;
      const { color, fill, fontSize, fontWeight } = getComputedStyle(element);
      const text = luminance(element.closest("svg") === null ? color : fill);
      const ground = luminance(groundOf(element));
      const ratio = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
      const size = Number.parseFloat(fontSize);
      const large = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700);
      if (!(ratio >= (large ? 3 : 4.5))) faults.add(`${element.tagName} ${words.slice(0, 30)}: ${ratio.toFixed(2)}`);
    }
    return [...faults];
  },
};
