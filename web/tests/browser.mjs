// Debian's Chromium, without a window, on the viewer's page from its folder.
import assert from 'node:assert/strict';
import {existsSync, mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

export const web = join(fileURLToPath(import.meta.url), '../..');
export const viewer = join(web, 'viewer/dist/index.html');
export const data = process.env.CUTIS_DATA ?? join(web, '../../shared/data');
export const program = process.env.CUTIS;
const kChromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
// Of starting and binding on a busy machine.
export const kPatience = 240_000;

export async function launch(more = []) {
  assert.ok(kChromium, 'there is no Chromium; scripts/install-deps web installs it');
  return await chromium.launch({
    executablePath: kChromium,
    // Root has no sandbox in a container; pictures are drawn by the processor, the same everywhere.
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--use-angle=swiftshader', '--enable-unsafe-swiftshader', ...more],
  });
}

/** The page, opened and ready; `faults` has what the console complained of. */
export async function openPage(browser, {builtin = 'cylinder', file = viewer, light = false, touch = false, size = {width: 1280, height: 800}} = {}) {
  const page = await browser.newPage({viewport: size, colorScheme: light ? 'light' : 'dark', hasTouch: touch, acceptDownloads: true});
  page.setDefaultTimeout(kPatience);
  const faults = [];
  page.on('console', (message) => {
    // SwiftShader tells how slow it is.
    if (['error', 'warning'].includes(message.type()) && !/GPU stall|WebGL/.test(message.text())) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  await page.goto(`${pathToFileURL(file)}${builtin ? `#builtin=${builtin}` : ''}`);
  await ready(page);
  return {page, faults};
}

export async function ready(page) {
  await page.waitForFunction(() => {
    const message = document.getElementById('message');
    return /ready in/.test(message.textContent) || message.classList.contains('failed');
  });
  const failed = await page.locator('#message.failed').count();
  assert.equal(failed, 0, await page.textContent('#message'));
}

/** Until everything that was asked for is made and counted. */
export async function settled(page) {
  await page.waitForFunction(() => !window.cutis.session.busy && window.cutis.session.shown.every((s) => s.measured));
  await page.waitForTimeout(400);
  await page.waitForFunction(() => !window.cutis.session.busy && !window.cutis.field.busy);
}

/** A number of a method of the last count. */
export async function counted(page, method, name) {
  // Counts come some time after the last frame.
  const before = await page.evaluate((m) => window.cutis.session.shown.find((s) => s.method.key === m).measured, method);
  await page.waitForTimeout(300);
  await settled(page);
  assert.ok(before !== undefined);
  return await page.evaluate(([m, n]) => window.cutis.session.shown.find((s) => s.method.key === m).measured.numbers[n], [method, name]);
}

/** A test with pages of its own, and pictures of them in CUTIS_PICTURES where that is set. */
export const pictures = process.env.CUTIS_PICTURES;
if (pictures) mkdirSync(pictures, {recursive: true});
export const picture = async (page, name) => pictures && (await page.screenshot({path: join(pictures, `${name}.png`)}));
export function eachIn(browser) {
  const make = (skip) => (name, body) => test(name, {timeout: 2 * kPatience, skip}, async (t) => {
    const opened = [];
    try {
      await body(async (options) => {
        const made = await openPage(browser(), options);
        opened.push(made.page);
        return made;
      }, t);
    } finally {
      for (const page of opened) await page.close();
    }
  });
  // Those of more use than time they take are in `make test`, all of them in `make test-slow`.
  return Object.assign(make(false), {slow: make(!process.env.CUTIS_ALL && 'CUTIS_ALL=1 runs it')});
}

/** What a person's input would wait for, p95 in milliseconds: how late the page's own clock is. The best of three: what else runs here is not the page's. */
export const kMostDelay = 50;
export async function inputDelay(page) {
  let best = Infinity;
  for (let tries = 0; tries < 3 && best > kMostDelay; ++tries)
    best = Math.min(best, await page.evaluate(async () => {
      const late = [];
      for (let i = 0; i < 60; ++i) {
        const at = performance.now();
        await new Promise((resolve) => setTimeout(resolve, 20));
        late.push(performance.now() - at - 20);
      }
      return late.sort((a, b) => a - b)[57];
    }));
  return best;
}

/** Moves a slider as a person does, and lets it go. */
export async function slide(page, selector, value) {
  await page.fill(selector, String(value));
  await page.dispatchEvent(selector, 'change');
}

export const choose = (page, joint) => page.selectOption('#joint', {label: joint});
