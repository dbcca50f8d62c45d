// Where Chromium is on this machine.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first one has no windows, and needs a third of the processor time. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

export function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}
