// Opens pages in headless Chromium and prints, one line of JSON a page, what a reader would find: faults of axe-core in
// both themes, requests, errors, text that is cut off, what fits on the first screen, and whether the buttons work.
//
//   node look.mjs FOLDER PAGE...      pictures and prints are written to FOLDER
//
// The libraries are those beside package.json in $PEERS/browser.
import { readFileSync, writeFileSync, mkdtempSync, readdirSync, existsSync } from "node:fs";
import { join, basename } from "node:path";
import { pathToFileURL } from "node:url";

const modules = join(process.env.PEERS, "browser", "node_modules");
const { default: puppeteer } = await import(pathToFileURL(join(modules, "puppeteer-core/lib/esm/puppeteer/puppeteer-core.js")));
const axe = readFileSync(join(modules, "axe-core/axe.min.js"), "utf8");
const [,, folder, ...pages] = process.argv;
const screen = { width: 1280, height: 720 };
const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"], headless: true });

// open is a tab that notes everything it asks for and every error.
async function open(page, found, script = true, bypass = false) {
  const tab = await browser.newPage();
  const url = String(pathToFileURL(page));
  tab.on("request", r => { if (r.url() !== url && !r.url().startsWith("blob:")) found.requests.push(r.url()); });
  tab.on("console", m => { if (["error", "warn"].includes(m.type())) found.errors.push(m.text()); });
  tab.on("pageerror", e => found.errors.push(String(e)));
  await tab.setOfflineMode(true);
  await tab.setJavaScriptEnabled(script);
  await tab.setBypassCSP(bypass);
  await tab.setViewport(screen);
  return { tab, url };
}

async function faults(page, theme, found) {
  const { tab, url } = await open(page, found, true, true);
  await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
  await tab.goto(url);
  await tab.screenshot({ path: join(folder, basename(page, ".html") + "-" + theme + ".png") });
  await tab.evaluate(() => { for (const d of document.querySelectorAll("details")) d.open = true; });
  await tab.evaluate(axe);
  const violations = await tab.evaluate(async () => (await window.axe.run()).violations.map(v => ({
    impact: v.impact, id: v.id, nodes: v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)) })));
  found.faults.push(...violations.map(v => ({ theme, ...v })));
  await tab.close();
}

// fit finds text that leaves its drawing, and pages that scroll sideways.
async function fit(tab, found) {
  for (const width of [1280, 800, 420]) {
    await tab.setViewport({ width, height: 720 });
    const wide = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (wide > 0) found.cut.push(`at width ${width} the page is ${wide} px too wide`);
  }
  await tab.setViewport(screen);
  found.cut.push(...await tab.evaluate(() => {
    const cut = [];
    for (const svg of document.querySelectorAll("figure svg")) {
      const box = svg.viewBox.baseVal;
      for (const text of svg.querySelectorAll("text")) {
        const b = text.getBBox();
        if (b.width > 0 && (b.x < -1 || b.x + b.width > box.width + 1 || b.y + b.height > box.height + 2))
          cut.push(`${svg.querySelector("title").textContent}: "${text.textContent}" ends at ${Math.round(b.x + b.width)} of ${box.width}`);
      }
    }
    return cut;
  }));
}

async function buttons(tab, found) {
  const background = () => tab.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const before = await background();
  await tab.click("#tools button");
  found.themeSwitches = before !== await background();
  await tab.click("#tools button");
  const sort = await tab.$("table th button.sort");
  if (sort) {
    await sort.evaluate(b => b.click());
    found.sorted = await tab.evaluate(() => document.querySelectorAll('th[aria-sort="ascending"]').length);
  }
  const downloads = mkdtempSync(join(folder, "download-"));
  const client = await tab.createCDPSession();
  await client.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads });
  for (const name of ["JSON", "CSV"]) await tab.evaluate(n => {
    for (const b of document.querySelectorAll("#tools button")) if (b.textContent === n) b.click();
  }, name);
  const file = join(downloads, "wiregauge-result.json"), table = join(downloads, "wiregauge-result.csv");
  for (let i = 0; i < 100 && !(existsSync(file) && existsSync(table)); i++) await new Promise(done => setTimeout(done, 50));
  found.json = existsSync(file) ? file : "";
  found.csv = existsSync(table) ? table : "";
}

for (const page of pages) {
  const found = { page: basename(page, ".html"), faults: [], requests: [], errors: [], cut: [] };
  for (const theme of ["light", "dark"]) await faults(page, theme, found);
  const { tab, url } = await open(page, found);
  await tab.goto(url);
  // The first screen ends with the command that measures again, or with the drawings where there is none.
  found.firstScreen = await tab.evaluate(() => {
    const last = document.querySelector(".rerun") || document.querySelector(".lead") || document.querySelector(".verdict");
    return Math.round(last.getBoundingClientRect().bottom);
  });
  found.last = await tab.evaluate(() => (document.querySelector(".rerun") || document.querySelector("figcaption:last-of-type")).textContent.slice(0, 12));
  await fit(tab, found);
  await buttons(tab, found);
  await tab.close();
  const plain = await open(page, found, false);
  await plain.tab.goto(plain.url);
  await plain.tab.pdf({ path: join(folder, found.page + ".pdf"), format: "A4" });
  await plain.tab.screenshot({ path: join(folder, found.page + "-plain.png"), fullPage: true });
  await plain.tab.close();
  console.log(JSON.stringify(found));
}
await browser.close();
