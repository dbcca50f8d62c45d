// A real browser, shown a real listener: what it asked for, what it refused, and what it complained of.
import { chromium, type Browser } from 'playwright-core';
import { inject } from 'vitest';

export type Visit = Awaited<ReturnType<typeof visit>>;

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // An address of plain HTTP that is not this machine: browsers trust 127.0.0.1 as they trust HTTPS.
  '--host-resolver-rules=MAP slotstream.example 127.0.0.1',
];

let launched: Promise<Browser> | undefined;

/** One for all test files of a worker; it ends with the worker's process. */
export const openBrowser = (): Promise<Browser> =>
  (launched ??= chromium.launch({ executablePath: inject('chromiumPath'), args: flags }));

export interface Looks {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly javaScriptEnabled?: boolean;
  readonly timezoneId?: string;
}

/** As one who has never been here. */
export async function visit(browser: Browser, looks: Looks = {}) {
  const { width = 1280, height = 900, ...rest } = looks;
  const context = await browser.newContext({ viewport: { width, height }, ...rest });
  // A busy machine must not fail a test.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const asked: string[] = [];
  /** What it said on its console, and what its scripts threw. */
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, asked, complaints, [Symbol.asyncDispose]: () => context.close() };
}
