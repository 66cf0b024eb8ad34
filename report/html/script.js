"use strict";
// The page is complete without this: it adds a theme switch, a download of the data, sorting, and opens folded
// tables for print.
(function () {
  const root = document.documentElement;
  const tools = document.getElementById("tools");
  function button(text, label, act) {
    const b = document.createElement("button");
    b.type = "button";
    b.textContent = text;
    b.setAttribute("aria-label", label);
    b.addEventListener("click", act);
    tools.append(b);
  }

  button("◐", "Switch between light and dark", function () {
    const dark = root.dataset.theme === "dark" ||
      (root.dataset.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
    root.dataset.theme = dark ? "light" : "dark";
  });

  if (typeof DecompressionStream === "function") {
    button("JSON", "Download the data as JSON", async function () {
      const packed = Uint8Array.from(atob(document.getElementById("wiregauge-data").textContent.trim()), c => c.charCodeAt(0));
      const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
      const a = document.createElement("a");
      a.href = URL.createObjectURL(new Blob([await new Response(stream).arrayBuffer()], { type: "application/json" }));
      a.download = "wiregauge-result.json";
      a.click();
      URL.revokeObjectURL(a.href);
    });
  }

  const units = { ns: 1, "µs": 1e3, ms: 1e6, s: 1e9, min: 6e10, h: 3.6e12, kB: 1e3, MB: 1e6, GB: 1e9 };
  function value(cell) {
    const m = /^[~*]?(-?[\d,]*\.?\d+)\s*(\S*)/.exec(cell.textContent);
    return m ? Number(m[1].replaceAll(",", "")) * (units[m[2]] || 1) : null;
  }
  function compare(a, b) {
    const x = value(a), y = value(b);
    if (x !== null && y !== null) return x - y;
    if (x !== null || y !== null) return x === null ? 1 : -1;
    return a.textContent.localeCompare(b.textContent);
  }
  for (const table of document.querySelectorAll("table")) {
    const body = table.tBodies[0];
    if (body.rows.length < 2) continue;
    table.querySelectorAll("thead th").forEach(function (th, i) {
      th.classList.add("sortable");
      th.tabIndex = 0;
      const sort = function () {
        const down = th.getAttribute("aria-sort") === "ascending";
        for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
        th.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = Array.from(body.rows).sort((a, b) => compare(a.cells[i], b.cells[i]));
        if (down) rows.reverse();
        body.append(...rows);
      };
      th.addEventListener("click", sort);
      th.addEventListener("keydown", function (e) {
        if (e.key === "Enter" || e.key === " ") { e.preventDefault(); sort(); }
      });
    });
  }

  let opened = [];
  addEventListener("beforeprint", function () {
    opened = Array.from(document.querySelectorAll("details:not([open])"));
    for (const d of opened) d.open = true;
  });
  addEventListener("afterprint", function () {
    for (const d of opened) d.open = false;
  });
})();
