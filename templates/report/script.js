"use strict";
(() => {
  const LEVELS = ["error", "warning", "note"];
  const NEAR = 3; // unchanged lines around edits and findings
  const STEP = 600; // rows put into the page at once
  const PAGE = 25; // kernels a page
  const all = (query, root = document) => [...root.querySelectorAll(query)];
  const make = (name, attributes = {}, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const plural = (n, word) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;

  async function unpack(script) {
    if (!("DecompressionStream" in window)) {
      throw new Error("this browser cannot unpack the view; it needs DecompressionStream "
        + "(Chrome 80, Firefox 113, Safari 16.4)");
    }
    const bytes = Uint8Array.from(atob(script.textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  // Rows of a view: pairs of lines; l and r are line numbers, 0 where a side has none.
  function pair(data) {
    const text = new Map();
    for (const [first, lines] of data.segments) lines.forEach((line, i) => text.set(first + i, line));
    const said = new Map();
    data.findings.forEach((f, i) => said.set(f[0], [...(said.get(f[0]) || []), [i, ...f]]));
    const rows = [];
    let right = 1;
    const same = (from, to) => {
      for (let n = from; n < to; n++, right++) {
        if (text.has(n)) rows.push({ l: n, r: right, a: text.get(n), b: text.get(n), keep: said.has(n) });
        else if (rows.length && rows[rows.length - 1].cut) rows[rows.length - 1].cut++;
        else rows.push({ cut: 1 });
      }
    };
    let at = 1;
    for (const [first, count, removed, added, inserted] of data.hunks) {
      same(at, first);
      const old = [];
      for (let n = first; n < first + count; n++) old.push(text.get(n) || "");
      let head = 0, tail = 0;
      const most = Math.min(old.length, added.length);
      while (head < most && old[head] === added[head]) head++;
      while (tail < most - head && old[old.length - 1 - tail] === added[added.length - 1 - tail]) tail++;
      // Equal lines at the end stay beside each other; the shorter middle is filled up.
      const middle = Math.max(old.length, added.length) - tail;
      for (let i = 0; i < middle + tail; i++) {
        const end = i - middle;
        const li = end >= 0 ? old.length - tail + end : i < old.length - tail ? i : -1;
        const ri = end >= 0 ? added.length - tail + end : i < added.length - tail ? i : -1;
        rows.push({
          l: li < 0 ? 0 : first + li, r: ri < 0 ? 0 : right + ri,
          a: li < 0 ? "" : old[li], b: ri < 0 ? "" : added[ri],
          changed: li < 0 || ri < 0 || old[li] !== added[ri], keep: true,
          removed: removed.filter((m) => m[0] === li), inserted: inserted.filter((m) => m[0] === ri),
        });
      }
      right += added.length;
      at = first + count;
    }
    same(at, data.lines + 1);
    for (const row of rows) row.said = row.l ? said.get(row.l) || [] : [];
    return rows;
  }

  // Groups rows into shown ones and gaps.
  function fold(rows) {
    const near = new Uint8Array(rows.length);
    rows.forEach((row, i) => {
      if (!row.keep) return;
      near.fill(1, Math.max(0, i - NEAR), Math.min(rows.length, i + NEAR + 1));
    });
    const items = [];
    rows.forEach((row, i) => {
      const last = items[items.length - 1];
      if (near[i] || row.cut) items.push(row);
      else if (last && last.gap) last.gap.push(row);
      else items.push({ gap: [row] });
    });
    return items.flatMap((item) => (item.gap && item.gap.length <= NEAR ? item.gap : [item]));
  }

  function code(cell, text, marks) {
    const cuts = new Set([0, text.length]);
    for (const [from, to] of marks) cuts.add(Math.min(from, text.length)).add(Math.min(to, text.length));
    const points = [...cuts].sort((a, b) => a - b);
    for (let i = 0; i + 1 < points.length; i++) {
      let node = document.createTextNode(text.slice(points[i], points[i + 1]));
      for (const [from, to, name, level] of marks) {
        if (from <= points[i] && to >= points[i + 1] && from < to) {
          node = make(name, level ? { class: level } : {}, node);
        }
      }
      cell.append(node);
    }
    return cell;
  }

  class View {
    constructor(details, data) {
      this.details = details;
      this.data = data;
      this.items = fold(pair(data));
      this.next = 0;
      this.current = -1;
      this.two = data.hunks.length > 0;
      const path = details.querySelector(".path").textContent;
      this.body = make("tbody", { role: "rowgroup" });
      const head = make("tr", { role: "row" });
      const columns = make("colgroup");
      for (const name of this.two ? ["original", "translated"] : ["original"]) {
        columns.append(make("col", { class: "ln" }), make("col"));
        head.append(make("th", { scope: "col", role: "columnheader", class: "ln" }, "line"));
        head.append(make("th", { scope: "col", role: "columnheader" }, name));
      }
      const caption = make("caption", { class: "hidden" }, `${path}: ${this.two
        ? "original and translation side by side" : "original; translation changes nothing"}`);
      this.table = make("table", { class: "code", role: "table" }, caption, columns,
        make("thead", { role: "rowgroup" }, head), this.body);
      details.querySelector(".view").replaceChildren(this.steps(), this.table);
      this.more();
    }

    steps() {
      const box = make("div", { class: "steps" });
      this.status = make("span", { class: "soft", role: "status" });
      if (this.data.findings.length > 1) {
        for (const [name, by] of [["Previous finding", -1], ["Next finding", 1]]) {
          const button = make("button", { type: "button" }, name);
          button.addEventListener("click", () => this.go(by));
          box.append(button);
        }
      }
      this.status.textContent = `${plural(this.data.findings.length, "finding")}, `
        + `${plural(this.data.hunks.length, "changed place")}`;
      box.append(this.status);
      return box;
    }

    go(by) {
      const count = this.data.findings.length;
      this.current = this.current < 0 && by < 0 ? count - 1 : (this.current + by + count) % count;
      while (!document.getElementById(this.name(this.current)) && this.next < this.items.length) this.more();
      const target = document.getElementById(this.name(this.current));
      if (!target) return;
      target.scrollIntoView({ block: "center" });
      target.focus({ preventScroll: true });
      this.status.textContent = `finding ${this.current + 1} of ${count}`;
    }

    name(index) {
      return `${this.details.id}-${index + 1}`;
    }

    more() {
      this.body.querySelector(".rest")?.remove();
      const stop = Math.min(this.next + STEP, this.items.length);
      const part = document.createDocumentFragment();
      for (; this.next < stop; this.next++) part.append(this.item(this.items[this.next]));
      if (this.next < this.items.length) {
        part.append(this.button(`Show more (${plural(this.items.length - this.next, "row")} left)`,
          "gap rest", () => this.more()));
      }
      this.body.append(part);
    }

    item(item) {
      if (item.gap) {
        const row = this.button(`Show ${plural(item.gap.length, "unchanged line")}`, "gap", () => {
          const part = document.createDocumentFragment();
          for (const each of item.gap.slice(0, STEP)) part.append(this.row(each));
          if (item.gap.length > STEP) part.append(this.item({ gap: item.gap.slice(STEP) }));
          const first = part.firstElementChild;
          row.replaceWith(part);
          first.tabIndex = -1;
          first.focus({ preventScroll: true });
        });
        return row;
      }
      if (item.cut) return this.wide("gap", `${plural(item.cut, "line")} left out of this report`);
      return this.row(item);
    }

    button(text, name, action) {
      const button = make("button", { type: "button" }, text);
      button.addEventListener("click", action);
      return this.wide(name, button);
    }

    wide(name, content) {
      return make("tr", { class: name, role: "row" },
        make("td", { colspan: this.two ? 4 : 2, role: "cell" }, content));
    }

    row(row) {
      const part = document.createDocumentFragment();
      const line = make("tr", { class: row.changed ? "changed" : "same", role: "row" });
      const marks = (row.removed || []).map((m) => [m[1], m[2], "del"]);
      for (const [, , from, to, level] of row.said) marks.push([from, to, "mark", LEVELS[level]]);
      line.append(...this.side(row.l, row.a, marks));
      if (this.two) {
        line.append(...this.side(row.r, row.b, (row.inserted || []).map((m) => [m[1], m[2], "ins"])));
      }
      part.append(line);
      for (const said of row.said) part.append(this.finding(said));
      return part;
    }

    side(number, text, marks) {
      const empty = number ? "" : " empty";
      return [make("td", { class: `ln${empty}`, role: "cell" }, number ? String(number) : ""),
        code(make("td", { class: `src${empty}`, role: "cell" }), text, marks)];
    }

    finding([index, , , , level, id, message, hint, confidence]) {
      const known = document.getElementById(id);
      const name = known ? make("a", { href: `#${id}` }, id) : id;
      const box = make("div", { class: LEVELS[level], id: this.name(index), tabindex: "-1" },
        make("strong", {}, LEVELS[level]), " ", name, " ", make("span", {}, message));
      if (confidence !== "certain") box.append(" ", make("span", {}, `(${confidence})`));
      if (hint) box.append(make("span", { class: "soft" }, hint));
      return this.wide("said", box);
    }
  }

  const views = new Map();
  function open(details) {
    if (!views.has(details)) {
      const script = details.querySelector("script");
      views.set(details, unpack(script).then((data) => new View(details, data)).catch((error) => {
        details.querySelector(".view").textContent = `The view cannot be shown: ${error.message}`;
      }));
    }
    return views.get(details);
  }
  for (const details of all("details.file")) {
    details.addEventListener("toggle", () => details.open && open(details));
    if (details.open) open(details);
  }

  // Anchors: a closed part opens when a link leads to it. file-12-3 is a finding of file 12.
  async function reveal() {
    const id = decodeURIComponent(location.hash.slice(1));
    const finding = /^(file-\d+)-(\d+)$/.exec(id);
    const target = document.getElementById(finding ? finding[1] : id);
    if (!target) return;
    for (let node = target; node; node = node.parentElement) if (node.matches("details")) node.open = true;
    if (finding) {
      await open(target);
      const view = await views.get(target);
      if (view) { view.current = Number(finding[2]) - 2; view.go(1); }
      return;
    }
    target.scrollIntoView();
    if (target.matches("details")) target.querySelector("summary").focus({ preventScroll: true });
  }
  addEventListener("hashchange", reveal);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && link.getAttribute("href") === location.hash) reveal();
  });

  // Filter of the source list.
  const tools = document.getElementById("file-tools");
  if (tools) {
    const text = document.getElementById("file-filter");
    const level = document.getElementById("file-level");
    const status = document.getElementById("file-status");
    const files = all("details.file").map((node) => ({
      node, words: `${node.querySelector(".path").textContent} ${node.dataset.ids}`.toLowerCase(),
      levels: node.dataset.levels.split(" "),
    }));
    const filter = () => {
      const wanted = text.value.trim().toLowerCase().split(/\s+/);
      let count = 0;
      for (const { node, words, levels } of files) {
        const fits = wanted.every((w) => words.includes(w)) && (!level.value || levels.includes(level.value));
        node.hidden = !fits;
        count += fits;
      }
      for (const group of all("section.group")) group.hidden = !group.querySelector("details.file:not([hidden])");
      status.textContent = count === files.length ? "" : `${count} of ${plural(files.length, "file")}`;
    };
    tools.hidden = false;
    tools.addEventListener("input", filter);
    tools.addEventListener("submit", (event) => event.preventDefault());
    tools.addEventListener("reset", () => setTimeout(filter));
    for (const button of all("button.only")) {
      button.addEventListener("click", () => {
        text.value = button.dataset.id;
        level.value = "";
        filter();
        document.getElementById("files").scrollIntoView();
        text.focus({ preventScroll: true });
      });
    }
  } else {
    for (const button of all("button.only")) button.remove();
  }

  // Sorting: numbers by value, text by the alphabet, rows without a value last.
  const compare = (a, b, down) => {
    const none = (v) => v === null || v === "";
    if (none(a) || none(b)) return none(a) - none(b);
    const order = typeof a === "number" && typeof b === "number" ? a - b
      : String(a).localeCompare(String(b), "en", { numeric: true });
    return down ? -order : order;
  };
  const turn = (head, first) => {
    const now = head.getAttribute("aria-sort");
    for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
    const next = now ? (now === "ascending" ? "descending" : "ascending") : first;
    head.setAttribute("aria-sort", next);
    return next === "descending";
  };
  const value = (cell) => {
    const raw = cell.dataset.sort ?? cell.textContent.trim();
    const number = Number(raw.replace(/\u202f/g, ""));
    return raw !== "" && !Number.isNaN(number) ? number : raw;
  };
  for (const table of all("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (head.classList.contains("fixed")) return;
      const button = make("button", { type: "button" }, ...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = turn(head, head.classList.contains("num") ? "descending" : "ascending");
        const rows = [...table.tBodies[0].rows].map((row) => [value(row.cells[column]), row]);
        rows.sort((a, b) => compare(a[0], b[0], down));
        table.tBodies[0].append(...rows.map((r) => r[1]));
      });
    });
  }

  // The kernel table, a page of rows at a time.
  const packed = document.getElementById("kernel-data");
  if (packed) {
    const table = document.getElementById("kernel-table");
    const name = document.getElementById("kernel-filter");
    const arch = document.getElementById("kernel-arch");
    const status = document.getElementById("kernel-status");
    const back = document.getElementById("kernel-back");
    const next = document.getElementById("kernel-next");
    let rows = [], shown = [], first = 0;
    const draw = () => {
      const part = shown.slice(first, first + PAGE);
      table.tBodies[0].replaceChildren(...part.map((row) => make("tr", {},
        ...row.map((cell, i) => make(i ? "td" : "th", i ? (i >= 2 && i <= 9 ? { class: "num" } : {})
          : { scope: "row", class: "src" }, cell === null ? "" : i === 9 ? `${cell} %` : String(cell))))));
      back.disabled = first === 0;
      next.disabled = first + PAGE >= shown.length;
      status.textContent = shown.length ? `${first + 1} to ${first + part.length} of ${shown.length}` : "none";
    };
    const filter = () => {
      const words = name.value.trim().toLowerCase().split(/\s+/);
      shown = rows.filter((r) => words.every((w) => r[0].toLowerCase().includes(w))
        && (!arch.value || r[1] === arch.value));
      first = 0;
      draw();
    };
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      head.querySelector("button").addEventListener("click", () => {
        const down = turn(head, head.classList.contains("num") ? "descending" : "ascending");
        rows.sort((a, b) => compare(a[column], b[column], down));
        filter();
      });
    });
    back.addEventListener("click", () => { first -= PAGE; draw(); });
    next.addEventListener("click", () => { first += PAGE; draw(); });
    const form = document.getElementById("kernel-tools");
    form.addEventListener("input", filter);
    form.addEventListener("submit", (event) => event.preventDefault());
    unpack(packed).then((data) => {
      rows = data;
      form.hidden = false;
      document.getElementById("kernel-region").hidden = false;
      filter();
    }).catch((error) => {
      packed.before(make("p", { class: "box" }, `The kernel table cannot be shown: ${error.message}`));
    });
  }
  reveal();
})();
