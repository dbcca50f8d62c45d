// `slotstream export … --out s3://…` against an S3 server: what readers see, when they see it, and what remains after a failure.
import { createServer, type IncomingMessage } from 'node:http';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStore } from '#src/store/open-store.ts';
import { query } from '../../../harness/duckdb.ts';
import { openHome, type Home, type Settings } from '../../../harness/product.ts';
import { openS3Server, refuse, s3Account, type S3Server } from '../../../harness/s3-server.ts';
import { ingestBodies } from '../../../harness/stores.ts';
import { freePort, until } from '../../../harness/ports.ts';

let home: Home;
let server: S3Server;
beforeAll(async () => {
  home = await openHome();
  await using store = await openStore({ report: () => {} }, home.store);
  await ingestBodies(store, [
    contact('1', 'Ada', '2026-11-14T23:59:59.999999Z'),
    contact('2', 'Bo', '2026-11-15T00:00:00Z'),
    contact('3', 'Zoë', '2026-11-15T12:00:00Z'),
  ]);
});
beforeEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = await openS3Server();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

const contact = (id: string, name: string, at: string) =>
  JSON.stringify({
    event: 'contact.created',
    created_at: '2026-11-16T11:43:10Z',
    payload: { uri: `https://api.example.test/contacts/${id}`, name, updated_at: at },
  });
const exporting = (args: readonly string[], more: Settings = {}) =>
  home.run(['export', ...args], { ...server.settings, ...more });
const keys = () => server.keys();
const withoutRun = (key: string) => key.replace(/run=\d{8}T\d{9}Z-[0-9a-f]{8}/, 'run=RUN');

// The last test changes a contact.
describe('slotstream export to a prefix', { shuffle: false }, () => {
  it.each([
    [[], ['part-00000.parquet']],
    [
      ['--partition', 'day'],
      ['day=2026-11-14/part-00000.parquet', 'day=2026-11-15/part-00001.parquet'],
    ],
  ])('writes Parquet files, a manifest and the list of the latest files (%j: %j)', async (partition, files) => {
    const { code, out, err } = await exporting(['contacts', ...partition, '--out', 's3://exports/crm/', '--json']);
    expect([code, err]).toEqual([0, '']);
    const run = /(?<=\/run=)[^/]+/.exec(keys()[1] ?? '')?.[0] ?? '';
    expect(run).toMatch(/^\d{8}T\d{9}Z-[0-9a-f]{8}$/);
    const folder = `crm/table=contacts/run=${run}`;
    const written = files.map((file) => `${folder}/${file}`);
    const list = 'crm/table=contacts/_latest/files.txt';
    expect(keys()).toEqual([list, `${folder}/_manifest.json`, ...written]);
    expect(String(server.read(list))).toBe(written.map((key) => `s3://exports/${key}\n`).join(''));
    const listed = written.map((key) => ({ uri: `s3://exports/${key}`, bytes: server.read(key).length }));
    const said = { table: 'contacts', format: 'parquet', rows: 3, bytes: listed.reduce((n, one) => n + one.bytes, 0) };
    expect(JSON.parse(out)).toEqual({
      ...said,
      file: 's3://exports/crm/',
      run: `s3://exports/${folder}`,
      objects: files.length,
    });
    const manifest = JSON.parse(String(server.read(`${folder}/_manifest.json`))) as object;
    expect(manifest).toEqual({ ...said, run, exported_at: expect.any(String), files: listed });
  });

  it('is read by the statements for DuckDB in docs/exports.md', async () => {
    for (let time = 0; time < 2; time += 1)
      await exporting(['contacts', '--partition', 'day', '--out', 's3://exports']);
    await exporting(['contacts', '--incremental', 'NAME', '--out', 's3://exports']);
    const folder = await server.download();
    const local = join(folder, 'table=contacts', '_latest', 'files.txt');
    await writeFile(local, (await readFile(local, 'utf8')).replaceAll('s3://exports', folder));
    const guide = await readFile(new URL('../../../../docs/exports.md', import.meta.url), 'utf8');
    const [set, latest, perDay, newest] =
      /(?<=```sql\n)set variable[^`]+/.exec(guide)?.[0].replaceAll('s3://BUCKET/PREFIX', folder).split('\n') ?? [];
    expect(await query(`${set}${perDay}`.replace('day, count(*)', 'day::varchar as day, count(*)::int as n'))).toEqual([
      { day: '2026-11-14', n: 1 },
      { day: '2026-11-15', n: 2 },
    ]);
    expect(await query(`${set}${latest}`)).toHaveLength(3);
    const rows = await query(String(newest));
    expect(rows.map(({ name, table, incremental }) => [name, table, incremental]).toSorted()).toEqual(
      ['Ada', 'Bo', 'Zoë'].map((name) => [name, 'contacts', 'NAME']),
    );
    const all = `select count(*)::int as n, count(distinct run)::int as runs from read_parquet('${folder}/table=contacts/run=*/**/*.parquet', hive_partitioning = true)`;
    expect(await query(all)).toEqual([{ n: 6, runs: 2 }]);
  });

  it.each([
    ['contacts', 'month=2026-11', 3],
    ['bookings', 'month=__HIVE_DEFAULT_PARTITION__', 0],
  ])('writes %s by month, one file where there are no rows', async (name, folder, n) => {
    expect((await exporting([name, '--partition', 'month', '--out', 's3://exports/x'])).code).toBe(0);
    const files = keys().filter((key) => key.endsWith('.parquet'));
    expect(files.map(withoutRun)).toEqual([`x/table=${name}/run=RUN/${folder}/part-00000.parquet`]);
    const count = `select count(*)::int as n from read_parquet('${await server.download()}/${files[0]}')`;
    expect(await query(count)).toEqual([{ n }]);
  });

  it.each([
    ['contact_emails', 's3://exports/x', 'cannot be partitioned by day: its rows have no time'],
    ['bookings_daily', 's3://exports/x', 'cannot be partitioned by day: it has a column called day'],
    ['contacts', 's3://exports/x.parquet', '--partition needs Parquet, a prefix of object storage'],
  ])('refuses to partition %s to %s', async (name, out, reason) => {
    const { code, err } = await exporting([name, '--partition', 'day', '--out', out]);
    expect([code, err]).toEqual([2, expect.stringContaining(reason)]);
  });

  it('gives each incremental run one object of its own, which together are the table', async () => {
    const run = () => exporting(['contacts', '--incremental', 'lake', '--out', 's3://exports/x']);
    expect((await run()).out).toMatch(
      /^3 rows of contacts, \d+ bytes, to s3:\/\/exports\/x\/table=contacts\/incremental=lake\/run=\S+ \(1 object\)/,
    );
    await using store = await openStore({ report: () => {} }, home.store);
    await ingestBodies(store, [contact('2', 'Boris', '2026-11-16T09:00:00Z')]);
    await run();
    expect(keys().map(withoutRun)).toEqual(
      [1, 2].flatMap(() =>
        ['_manifest.json', 'part-00000.parquet'].map((name) => `x/table=contacts/incremental=lake/run=RUN/${name}`),
      ),
    );
    const newest = `select name from read_parquet('${await server.download()}/x/table=contacts/incremental=lake/*/*.parquet', hive_partitioning = true)
      qualify row_number() over (partition by uri order by run desc) = 1 order by uri`;
    expect(await query(newest)).toEqual([{ name: 'Ada' }, { name: 'Boris' }, { name: 'Zoë' }]);
  });
});

describe('slotstream export to one object', () => {
  it.each(['csv', 'ndjson', 'parquet'])('writes %s exactly as to a file, and replaces the object', async (format) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'slotstream-out-'));
    const file = join(folder.path, `same.${format}`);
    expect((await exporting(['contacts', '--out', file])).code).toBe(0);
    for (let time = 0; time < 2; time += 1)
      expect((await exporting(['contacts', '--out', `s3://exports/a b/ü+1.${format}`])).code).toBe(0);
    expect(keys()).toEqual([`a b/ü+1.${format}`]);
    expect(server.read(`a b/ü+1.${format}`)).toEqual(await readFile(file));
  });

  it('writes an empty object when there are no rows', async () => {
    await exporting(['alerts', '--out', 's3://exports/none.ndjson']);
    expect(String(server.read('none.ndjson'))).toBe('');
  });
});

describe('a failing service', () => {
  const failing = (times: number, matches: (request: IncomingMessage) => boolean) => {
    let left = times;
    server.hook = (request, response) =>
      matches(request) && left-- > 0 && refuse(response, 503, 'SlowDown', '', { 'retry-after': '0' });
  };
  const isPut = ({ method }: IncomingMessage) => method === 'PUT';

  it('gets again what it did not take', async () => {
    failing(2, isPut);
    expect((await exporting(['contacts', '--out', 's3://exports/x.csv'])).code).toBe(0);
    expect(server.requests.filter((line) => line.startsWith('PUT /exports/x.csv'))).toHaveLength(3);
  });

  it('leaves nothing visible when it keeps failing, and the position stays', async () => {
    server.hook = (request, response) => isPut(request) && refuse(response, 403, 'AccessDenied');
    const { code, err } = await exporting(['contacts', '--incremental', 'again', '--out', 's3://exports/x']);
    expect([code, keys()]).toEqual([1, []]);
    expect(err).toContain('These credentials may not write s3://exports/x/table=contacts/incremental=again/run=');
    server.hook = () => false;
    expect((await exporting(['contacts', '--incremental', 'again', '--out', 's3://exports/x'])).out).toContain(
      'all rows: this is the first run',
    );
  });

  it('removes the objects of a run that cannot be completed, and the list still names the run before', async () => {
    await exporting(['contacts', '--out', 's3://exports']);
    const before = keys();
    let files = 0;
    server.hook = (request, response) => isPut(request) && files++ > 0 && refuse(response, 403, 'AccessDenied');
    expect((await exporting(['contacts', '--partition', 'day', '--out', 's3://exports'])).code).toBe(1);
    expect([files, keys()]).toEqual([2, before]);
  });

  it.each([
    [403, 'InvalidAccessKeyId', '', 'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'],
    [400, 'ExpiredToken', '', 'Get new temporary credentials'],
    [301, 'PermanentRedirect', '<Region>eu-central-1</Region>', 'Set AWS_REGION=eu-central-1.'],
    [400, 'AuthorizationHeaderMalformed', '', 'Set AWS_REGION=REGION, the region of the bucket.'],
    [403, 'RequestTimeTooSkewed', '', 'The clock of this machine is 17 min ahead of that of 127.0.0.1:'],
    [400, 'EntityTooLarge', '', 'answered 400 (EntityTooLarge)'],
  ])('is explained: %i %s', async (status, code, more, reason) => {
    const date = new Date(Date.now() - 17 * 60_000).toUTCString();
    server.hook = (_, response) => refuse(response, status, code, more, { date });
    const { code: exitCode, err } = await exporting(['contacts', '--out', 's3://exports/x']);
    expect(exitCode).toBe(1);
    expect(err).toContain(reason);
    expect(err).not.toContain('canary');
  });

  it.each([
    [{ AWS_SECRET_ACCESS_KEY: '' }, 's3://exports/x', 2, 'only one is set'],
    [{ AWS_SECRET_ACCESS_KEY: 'another' }, 's3://exports/x', 1, 'not accept the credentials (SignatureDoesNotMatch)'],
    [{}, 's3://other/x', 1, 'There is no bucket called other'],
    [{ AWS_ENDPOINT_URL: 'http://127.0.0.1:1' }, 's3://exports/x', 1, 'cannot be reached (ECONNREFUSED 127.0.0.1:1)'],
    [{}, 's3://X', 2, '"s3://X" is not an address of object storage'],
    [{}, 's3://exports/../other/x.csv', 2, '“..”, which names no folder of a bucket'],
    [{ AWS_ENDPOINT_URL_S3: 'http://me:word@host' }, 's3://exports/x', 2, 'must be an address without a user name'],
  ])('%j %s is rejected with the reason', async (settings, out, exitCode, reason) => {
    const { code, err } = await exporting(['contacts', '--out', out], settings);
    expect([code, err]).toEqual([exitCode, expect.stringContaining(reason)]);
  });
});

describe('a large export', () => {
  it('sends parts of 8 MiB, at most three at a time, and counts as complete when only the response was lost; nothing is visible while it runs, nor when it is refused or stopped', async () => {
    await using full = await openHome(server.settings);
    await (await openStore({ report: () => {} }, full.store)).close();
    const database = new Sqlite(join(full.dataDir, 'mirror.db'));
    database.pragma('synchronous = OFF');
    database.exec(`insert into contacts (uri, linkedin, updated_at) with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
      select 'https://api.example.test/contacts/' || i, hex(randomblob(5000)), '2026-11-' || (10 + i % 3) || 'T00:00:00.000000Z' from n`);
    database.close();
    let atOnce = 0;
    let most = 0;
    const sizes: number[] = [];
    server.hook = ({ method, url = '', headers }, response) => {
      if (method !== 'PUT' || !url.includes('partNumber')) return false;
      sizes.push(Number(headers['content-length']));
      most = Math.max(most, (atOnce += 1));
      response.once('close', () => (atOnce -= 1));
      return false;
    };
    expect((await full.run(['export', 'contacts', '--out', 's3://exports/all.ndjson'])).code).toBe(0);
    const part = 8 * 1024 * 1024;
    expect([most, sizes.filter((size) => size !== part).length]).toEqual([3, 1]);
    let lost = 0;
    server.hook = ({ method, url = '' }, response) => {
      if (method !== 'POST' || !url.includes('uploadId') || lost++ > 1) return false;
      // The first is carried out, but the connection breaks; the second finds no upload any more.
      if (lost === 2) return refuse(response, 404, 'NoSuchUpload');
      response.writeHead = () => response.destroy();
      return false;
    };
    expect((await full.run(['export', 'contacts', '--out', 's3://exports/lost.ndjson'])).code).toBe(0);
    expect([lost, server.read('lost.ndjson').equals(server.read('all.ndjson'))]).toEqual([2, true]);
    const before = keys();
    for (const [refused, out] of [
      ['partNumber=2', 's3://exports/refused.ndjson'],
      ['uploadId', 's3://exports/crm'],
    ] as const) {
      server.hook = ({ url = '', method }, response) =>
        method !== 'DELETE' && url.includes(refused) && refuse(response, 403, 'AccessDenied');
      expect((await full.run(['export', 'contacts', '--out', out])).err).toContain('may not write');
      expect([keys(), server.openUploads()]).toEqual([before, 0]);
    }
    let isHeld = false;
    // Parts get no answer.
    server.hook = ({ url = '' }) => url.includes('partNumber=') && (isHeld = true);
    await using running = full.openVerb(['export', 'contacts', '--out', 's3://exports/no.ndjson']);
    await until(() => isHeld, 'a part is being sent');
    expect([keys(), server.openUploads()]).toEqual([before, 1]);
    expect(await running.signal('SIGTERM')).toBe(1);
    expect(running.err()).toContain('Stopped before the export was complete.');
    expect([keys(), server.openUploads()]).toEqual([before, 0]);
  });
});

describe('credentials', () => {
  const expiration = new Date(Date.now() + 3_600_000).toISOString();
  const { accessKeyId: id, secretAccessKey: secret } = s3Account;
  const credentials = { AccessKeyId: id, SecretAccessKey: secret, Expiration: expiration };
  /** Answers as the places do where AWS gives credentials to a role, each with a token of its own. */
  async function openRoles() {
    const asked: string[] = [];
    const port = await freePort();
    const listener = createServer((request, response) => {
      const { method, url = '' } = request;
      asked.push(`${method} ${url}`);
      if (url === '/container') response.end(JSON.stringify({ ...credentials, Token: 'container' }));
      else if (url === '/latest/api/token') response.end('v2');
      else if (url.endsWith('/security-credentials/')) response.end('role');
      else if (url.endsWith('/role'))
        response.end(JSON.stringify({ ...credentials, Code: 'Success', Token: 'instance' }));
      else
        response.end(`<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials>
          <AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey><SessionToken>web identity</SessionToken><Expiration>${expiration}</Expiration>
          </Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`);
    }).listen(port, '127.0.0.1');
    return { asked, url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void listener.close() };
  }
  const filed = async (name: string, text: string) => {
    await writeFile(join(home.dataDir, name), text);
    return join(home.dataDir, name);
  };
  /** AWS's client reads the environment of the process by itself. */
  const exportingAs = (settings: Settings) => {
    vi.unstubAllEnvs();
    for (const [name, value] of Object.entries({ HOME: home.dataDir, ...settings })) vi.stubEnv(name, value);
    return home.run(['export', 'contacts', '--out', 's3://exports/x.csv'], {
      AWS_ENDPOINT_URL_S3: server.url,
      ...settings,
    });
  };
  afterEach(() => void vi.unstubAllEnvs());

  it('come from the settings, a profile, web identity, a container or an instance, and no other place is asked', async () => {
    using roles = await openRoles();
    const keysOfProfile = `aws_access_key_id=${id}\naws_secret_access_key=${secret}\naws_session_token=profile`;
    const sources: readonly [string, Settings, string, readonly string[]][] = [
      [
        'settings',
        {
          AWS_ACCESS_KEY_ID: id,
          AWS_SECRET_ACCESS_KEY: secret,
          AWS_SESSION_TOKEN: 'settings',
          AWS_REGION: 'eu-central-1',
        },
        'eu-central-1',
        [],
      ],
      [
        'profile',
        {
          AWS_PROFILE: 'exports',
          AWS_SHARED_CREDENTIALS_FILE: await filed('credentials', `[exports]\n${keysOfProfile}\n`),
          AWS_CONFIG_FILE: await filed('config', '[profile exports]\nregion=eu-west-3\n'),
        },
        'eu-west-3',
        [],
      ],
      [
        'web identity',
        {
          AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/exports',
          AWS_WEB_IDENTITY_TOKEN_FILE: await filed('token', 'a token'),
          AWS_ENDPOINT_URL_STS: roles.url,
          AWS_REGION: 'eu-west-1',
        },
        'eu-west-1',
        ['POST /'],
      ],
      ['container', { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${roles.url}/container` }, 'us-east-1', ['GET /container']],
      [
        'instance',
        {},
        'us-east-1',
        [
          'PUT /latest/api/token',
          'GET /latest/meta-data/iam/security-credentials/',
          'GET /latest/meta-data/iam/security-credentials/role',
        ],
      ],
    ];
    for (const [token, settings, region, asks] of sources) {
      const tokens = new Set<string>();
      roles.asked.length = 0;
      server.hook = ({ headers }) => {
        const { authorization = '', 'x-amz-security-token': sent = '' } = headers;
        tokens.add(`${String(sent)} in ${authorization.split('/')[2]}`);
        return false;
      };
      const { code, out, err } = await exportingAs({ AWS_EC2_METADATA_SERVICE_ENDPOINT: roles.url, ...settings });
      expect([code, [...tokens], roles.asked]).toEqual([0, [`${token} in ${region}`], asks]);
      expect(out + err).not.toContain('canary');
    }
  });

  it('that are nowhere are missed at once', async () => {
    const { code, err } = await exportingAs({ AWS_EC2_METADATA_DISABLED: 'true' });
    expect([code, err]).toEqual([2, expect.stringContaining('There are no credentials for s3://exports')]);
    expect(server.requests).toEqual([]);
  });
});
