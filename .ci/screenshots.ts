// `npm run screenshots` takes the pictures of the dashboard in docs/images: it runs the demo with its usual seed, waits until enough has
// happened, and opens the pages in Chromium, in light and in dark colours.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { findChromium } from '../test/harness/chromium.ts';
import { linksIn } from '../test/harness/mirror/every-page.ts';
import { takeAnswerPicture } from './answer-picture.ts';

const root = join(import.meta.dirname, '..');
const images = join(root, 'docs/images');
/** Webhooks of live activity before the pictures are taken. */
const enough = 40;

let booking: string | undefined;

/** The pictures, and the page of each. */
const pictures: Readonly<Record<string, (page: Page, origin: string) => Promise<unknown>>> = {
  now: (page, origin) => page.goto(origin),
  deliveries: (page, origin) => page.goto(`${origin}/deliveries`),
  booking: async (page, origin) => {
    booking ??= await longestTimeline(page, origin);
    await page.goto(origin + booking);
  },
  numbers: (page, origin) => page.goto(`${origin}/numbers`),
};

const executablePath = findChromium();
if (executablePath === undefined) throw new Error('No Chromium here: install it (apt-get install chromium).');
const folder = mkdtempSync(join(tmpdir(), 'slotstream-screenshots-'));
const demo = spawn(join(root, 'bin/slotstream'), ['demo', '--seed', '1', '--rate', '4'], {
  cwd: folder,
  env: { PATH: process.env['PATH'], DATA_DIR: folder, ADMIN_PORT: '0' },
});
let output = '';
for (const stream of [demo.stdout, demo.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  await takeAnswerPicture(browser, images);
  const [login = ''] = await printed(/http:\/\/\S+\?login=\S+/g, 1);
  const session = await browser.newContext();
  const first = await session.newPage();
  await first.goto(login);
  const { origin } = new URL(first.url());
  const storageState = await session.storageState();
  await printed(/^\d\d:\d\d:\d\d  /gm, enough);
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 940 }, colorScheme, storageState });
    const page = await context.newPage();
    for (const [name, open] of Object.entries(pictures)) {
      await open(page, origin);
      await page.screenshot({ path: join(images, `${name}-${colorScheme}.png`) });
    }
    await context.close();
  }
} finally {
  await browser.close();
  demo.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}

/** The booking to which most happened, among the newest no-shows. */
async function longestTimeline(page: Page, origin: string): Promise<string> {
  await page.goto(`${origin}/no-shows`);
  const links = new Set(linksIn(await page.content()).filter((link) => /^\/bookings\/[^?]/.test(link)));
  const found: { readonly link: string; readonly steps: number }[] = [];
  for (const link of [...links].slice(0, 10)) {
    await page.goto(origin + link);
    found.push({ link, steps: await page.locator('.journey > li').count() });
  }
  return found.toSorted((one, other) => other.steps - one.steps)[0]?.link ?? '/bookings';
}

/** Waits until the demo has printed so many of them. */
async function printed(pattern: RegExp, count: number): Promise<readonly string[]> {
  for (;;) {
    const found = output.match(pattern) ?? [];
    if (found.length >= count) return found;
    if (demo.exitCode !== null) throw new Error(`The demo ended by itself:\n${output}`);
    await wait(200);
  }
}
