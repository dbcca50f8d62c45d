// What exporting a million contacts to Parquet holds in memory, against a hundred thousand: it must not grow with the table.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openBulk } from './bulk.ts';
import type { Measurement } from './measure.ts';
import { command, peakMbOf, temporaryFolder } from './processes.ts';

const few = 100_000;
const many = 1_000_000;

export const exporting: Measurement = {
  name: 'export',
  about: `${many} contacts to Parquet from SQLite, against ${few}`,
  async run() {
    const small = await exported(few);
    const large = await exported(many);
    return [
      { name: 'export.rss_mb', value: large.peakMb, limit: ['<=', 300], unit: 'MB' },
      { name: 'export.rss_growth', value: large.peakMb / small.peakMb, limit: ['<=', 1.3] },
      { name: 'export.per_second', value: many / large.seconds, unit: 'rows/s' },
    ];
  },
};

async function exported(rows: number): Promise<{ readonly peakMb: number; readonly seconds: number }> {
  using folder = temporaryFolder();
  await fill(join(folder.path, 'mirror.db'), rows);
  const args = ['export', 'contacts', '--format', 'parquet', '--out', join(folder.path, 'contacts.parquet'), '--json'];
  const startedAt = performance.now();
  const child = spawn(command, args, {
    env: { ...process.env, DATA_DIR: folder.path },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  let peakMb = 0;
  const looking = setInterval(() => (peakMb = Math.max(peakMb, peakMbOf(child.pid as number))), 20);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(looking);
  const written = code === 0 ? (JSON.parse(output) as { rows: number }).rows : 0;
  if (written !== rows) throw new Error(`The export wrote ${written} of ${rows} rows (exit code ${code}).`);
  return { peakMb, seconds: (performance.now() - startedAt) / 1000 };
}

/** Contacts as they are: some fields given, lists, other fields of about a kilobyte. */
async function fill(path: string, rows: number): Promise<void> {
  const database = await openBulk(path);
  database.exec('begin');
  database.exec(`
    insert into contacts (uri, name, primary_email, emails, phone_numbers, timezone, job_title, company, city, custom_fields,
      creation_source, created_at, updated_at, as_of, version, extra)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
    select 'https://api.scheduling.test/contacts/' || lower(hex(randomblob(16))), 'Person ' || i, 'person' || i || '@example.test',
      '[{"email":"person' || i || '@example.test","is_primary":true}]', '[{"phone_number":"+1202555' || (i % 10000) || '"}]',
      'Europe/Berlin', case when i % 3 = 0 then 'Founder' end, 'Company ' || (i % 5000), 'Berlin',
      '[{"uri":"https://api.scheduling.test/fields/1","label":"Segment","value":"' || hex(randomblob(8)) || '"}]', 'scheduling',
      '2025-01-01T00:00:00.' || printf('%06d', i % 1000000) || 'Z', '2025-02-01T00:00:00.000000Z', '2025-02-01T00:00:00.000000Z',
      '${'0'.repeat(75)}', '{"name":"Person ' || i || '","noise":"' || hex(randomblob(200)) || '","filler":"${'x'.repeat(400)}"}' from n`);
  database.exec('commit');
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}
