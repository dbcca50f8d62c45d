// The login link of the running product: who gets it, and that the token appears nowhere else.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '#src/http/openapi/document.ts';
import { judgeBy } from '../../../harness/open-api-judge.ts';
import { until } from '../../../harness/ports.ts';
import { openHome, type RunningProduct } from '../../../harness/product.ts';
import { openedOnce } from '../../../harness/opened.ts';

const home = openedOnce(() => openHome());
let product: RunningProduct;
beforeAll(async () => {
  product = await home.open('start');
});

const token = (): string => home.settings['ADMIN_TOKEN'] as string;

// Guesses make wrong tokens wait.
describe('the login link', { shuffle: false }, () => {
  it('is not printed for a process that takes another token, nor where none runs', async () => {
    const other = await home.run(['status', '--login'], { ADMIN_TOKEN: 'another-token-of-sixteen-bytes' });
    expect([other.code, other.out, other.err]).toEqual([1, '', expect.stringContaining('ADMIN_TOKEN')]);
    await using empty = await openHome();
    const none = await empty.run(['status', '--login']);
    expect([none.out, none.err]).toEqual(['', expect.stringContaining('bin/slotstream start')]);
    expect(none.code).not.toBe(0);
  });

  it('is printed by `status --login`, and in no log, though the log says that it was used', async () => {
    await product.admin('/api/status');
    const { code, out } = await home.run(['status', '--login']);
    expect([code, out]).toEqual([0, expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\?login=[\w-]{22}\n$/)]);
    expect((await fetch(out.trim(), { redirect: 'manual' })).status).toBe(303);
    await Promise.all(Array.from({ length: 20 }, () => fetch(new URL('/?login=guess', out))));
    await until(() => product.output().includes('a browser logged in'), 'the login is in the log');
    expect(product.output().split('rejected a request')).toHaveLength(2);
    expect(product.output()).not.toContain(token());
    expect(product.output()).not.toContain('login=');
  });

  it('is used, and wrong tokens are sent, from an address that the log names (N12)', () => {
    const lines = product
      .output()
      .split('\n')
      .filter((line) => /rejected a request|a browser logged in/.test(line));
    const address = '127.0.0.1';
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { msg: 'the admin listener rejected a request', cause: 'wrong', address },
      { msg: 'a browser logged in to the admin listener', address },
    ]);
  });

  it.runIf(existsSync('/usr/bin/script'))('is shown to a person at a terminal', async () => {
    await using own = await openHome();
    const main = fileURLToPath(new URL('../../../../bin/slotstream.js', import.meta.url));
    const command = `exec '${process.execPath}' '${main}' start`;
    const child = spawn('/usr/bin/script', ['-qfec', command, '/dev/null'], {
      env: { ...own.settings, SHELL: '/bin/sh', PORT: '0' },
      cwd: own.dataDir,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let seen = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (seen += chunk));
    const ended = once(child, 'close');
    const link = /Dashboard: (http:\S+)/;
    await until(() => link.test(seen), 'the link is shown');
    const followed = await fetch(link.exec(seen)?.[1] ?? '', { redirect: 'manual' });
    expect([followed.status, seen.includes(own.settings['ADMIN_TOKEN'] as string)]).toEqual([303, false]);
    const [address = ''] = globSync('admin-address-*', { cwd: own.dataDir });
    process.kill(Number(readFileSync(join(own.dataDir, address), 'utf8').split('\n')[1]));
    expect(await ended).toEqual([0, null]);
  });
});

describe('the document of the running process', () => {
  it('promises what its status and its metrics say', async () => {
    const document = (await (await product.admin('/openapi.json')).json()) as OpenApiDocument;
    const answers = document.paths['/api/status']?.['get']?.responses['200'] as {
      content: { 'application/json': { schema: object } };
    };
    const status = (await (await product.admin('/api/status')).json()) as object;
    expect(judgeBy(document)(answers.content['application/json'].schema, status)).toEqual([]);
    expect(Object.keys(status)).toEqual(expect.arrayContaining(['roles', 'queue', 'disk_log', 'store', 'reconcile']));
    await fetch(document.servers[0]?.url ?? '', { headers: { authorization: 'Bearer wrong' } });
    const metrics = await (await product.admin('/metrics')).text();
    expect(metrics).toMatch(/^slotstream_admin_refused_total\{cause="wrong"\} [1-9]/m);
  });
});

describe('the public listener', () => {
  it('knows none of the admin listener’s paths, token or not', async () => {
    const paths = ['/', '/openapi.json', '/metrics', '/api/status', '/api/deliveries', '/api/feed'];
    for (const path of [...paths, `/openapi.json?login=${token()}`, '/webhooks/../api/status', '//api/status']) {
      const answer = await fetch(`${product.url}${path}`, { headers: { authorization: `Bearer ${token()}` } });
      expect([path, answer.status, answer.headers.get('set-cookie')]).toEqual([path, 404, null]);
    }
  });
});
