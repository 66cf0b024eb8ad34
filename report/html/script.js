"use strict";
// The page is complete without this. It adds a theme switch, downloads of the data, tooltips, sorting, a switch for
// each target, and opens folded tables for print. Nothing is kept and nothing leaves the page.
(function () {
  const root = document.documentElement;
  const $ = (selector, in_) => Array.from((in_ || document).querySelectorAll(selector));
  function button(place, text, label, act) {
    const b = document.createElement("button");
    b.type = "button";
    b.append(text);
    b.setAttribute("aria-label", label);
    b.addEventListener("click", () => act(b));
    place.append(b);
    return b;
  }

  const tools = document.getElementById("tools");
  button(tools, "◐", "Switch between light and dark", function () {
    const dark = root.dataset.theme === "dark" ||
      (root.dataset.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
    root.dataset.theme = dark ? "light" : "dark";
  });

  // The data block is gzip in base64.
  async function data() {
    const packed = Uint8Array.from(atob(document.getElementById("wiregauge-data").textContent.trim()), c => c.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }
  function save(text, type, name) {
    const a = document.createElement("a");
    a.href = URL.createObjectURL(new Blob([text], { type }));
    a.download = name;
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 1000);
  }
  // One line a target: its counts, rates and percentiles. Text that a spreadsheet would take for a formula is quoted.
  function csv(json) {
    const field = function (v) {
      const s = v === null || v === undefined ? "" : String(v);
      const safe = typeof v === "string" && /^[=+\-@\t\r]/.test(s) ? "'" + s : s;
      return /[",\r\n]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
    };
    const plain = ["due", "unsent", "sent", "ok", "failed", "timed_out", "unfinished", "window_ns", "asked_rate", "achieved_rate", "goodput"];
    const percentiles = [];
    const files = [].concat(json);
    for (const f of files) for (const a of f.arms) for (const p of a.latency.percentiles) if (!percentiles.includes(p.p)) percentiles.push(p.p);
    const lines = [["id", "arm", "url", "protocol"].concat(plain, ["min_ns", "mean_ns", "max_ns"], percentiles.map(p => "p" + p + "_ns"))];
    for (const f of files) for (const a of f.arms) {
      const told = p => (a.latency.percentiles.find(x => x.p === p) || {}).ns;
      lines.push([f.id, a.name, a.url, a.protocol].concat(plain.map(k => a[k]), [a.latency.min_ns, a.latency.mean_ns, a.latency.max_ns], percentiles.map(told)));
    }
    return lines.map(l => l.map(field).join(",") + "\r\n").join("");
  }
  if (typeof DecompressionStream === "function") {
    button(tools, "JSON", "Download the result as JSON", async () => save(await data(), "application/json", "wiregauge-result.json"));
    button(tools, "CSV", "Download the targets as CSV", async () => save(csv(JSON.parse(await data())), "text/csv", "wiregauge-result.csv"));
  }

  const again = document.querySelector(".rerun code");
  if (again && navigator.clipboard) {
    button(again.parentNode, "Copy", "Copy the command", async function (b) {
      await navigator.clipboard.writeText(again.textContent);
      b.textContent = "Copied";
    });
  }

  // A switch for each target, made of the rows of the summary.
  const rows = $("#summary tbody tr");
  if (rows.length > 1) {
    const names = $("#summary tbody th .icon").map(icon => icon.parentNode);
    names.slice(0, 6).forEach(function (th) {
      const series = /\bs([1-6])\b/.exec(th.querySelector("[class*=fill]").getAttribute("class"));
      if (!series) return;
      const b = button(tools, th.querySelector(".icon").cloneNode(true), "Show or hide " + th.textContent + " in the charts", function (b) {
        const off = document.body.classList.toggle("off" + series[1]);
        b.setAttribute("aria-pressed", String(!off));
      });
      b.setAttribute("aria-pressed", "true");
      b.title = th.textContent;
    });
  }

  // What a drawing says of a point is shown at once instead of after the browser's delay.
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.setAttribute("aria-hidden", "true");
  document.body.append(tip);
  for (const shape of $("figure svg :is(rect, circle, path)")) {
    const title = shape.querySelector("title");
    if (!title) continue;
    const words = title.textContent;
    title.remove();
    shape.addEventListener("pointermove", function (e) {
      tip.textContent = words;
      const right = e.clientX + 14 + tip.offsetWidth > innerWidth;
      tip.style.left = (right ? e.clientX - 14 - tip.offsetWidth : e.clientX + 14) + "px";
      tip.style.top = (e.clientY + 34 > innerHeight ? e.clientY - 34 : e.clientY + 14) + "px";
    });
    shape.addEventListener("pointerleave", () => { tip.textContent = ""; });
  }

  const units = { ns: 1, "µs": 1e3, ms: 1e6, s: 1e9, min: 6e10, h: 3.6e12, kB: 1e3, MB: 1e6, GB: 1e9 };
  function value(cell) {
    const m = /^[~*]?(-?[\d,]*\.?\d+)\s*(\S*)/.exec(cell.textContent.trim());
    return m ? Number(m[1].replaceAll(",", "")) * (units[m[2]] || 1) : null;
  }
  function compare(a, b) {
    const x = value(a), y = value(b);
    if (x !== null && y !== null) return x - y;
    if (x !== null || y !== null) return x === null ? 1 : -1;
    return a.textContent.localeCompare(b.textContent);
  }
  for (const table of $("table")) {
    const body = table.tBodies[0];
    if (body.rows.length < 2) continue;
    const heads = $("thead th", table);
    heads.forEach(function (th, i) {
      const b = document.createElement("button");
      b.type = "button";
      b.className = "sort";
      b.append(...th.childNodes);
      b.addEventListener("click", function () {
        const down = th.getAttribute("aria-sort") === "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        th.setAttribute("aria-sort", down ? "descending" : "ascending");
        const sorted = Array.from(body.rows).sort((x, y) => compare(x.cells[i], y.cells[i]));
        if (down) sorted.reverse();
        body.append(...sorted);
      });
      th.append(b);
    });
  }

  let opened = [];
  addEventListener("beforeprint", function () {
    opened = $("details:not([open])");
    for (const d of opened) d.open = true;
  });
  addEventListener("afterprint", function () {
    for (const d of opened) d.open = false;
  });
})();
