// The admin token: configured, or made once and kept in the data folder. Whoever can read that folder may administer.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function openAdminToken({ adminToken, dataDir }: { adminToken?: string | undefined; dataDir: string }): string {
  if (adminToken !== undefined) return adminToken;
  const path = join(dataDir, 'admin-token');
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(path, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8').trim();
}
