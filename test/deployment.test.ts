// docs/deploy.md, docs/monitoring.md and their examples (without Kubernetes) agree with the program: metrics, commands, settings, paths and ports.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { verbs } from '#src/cli/verbs.ts';
import { settings } from '#src/config/variables.ts';
import { createMetrics } from '#src/observability/metrics/registry.ts';

const docs = join(import.meta.dirname, '../docs');
const read = (path: string): string => readFileSync(join(docs, path), 'utf8');
const knownVerbs = new Set(verbs.map(({ name }) => name));

/** Every metric that a process exports, with its type. */
const exported = new Map(
  [...(await createMetrics().read()).text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [
    name,
    type,
  ]),
);
const own = [...exported].filter(([name]) => name.startsWith('slotstream_'));

/** The metrics that queries use, without the suffixes of histograms. */
const metricsIn = (text: string): readonly string[] =>
  [...text.matchAll(/\b(?:slotstream|process|nodejs)_\w+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''));

describe('docs/monitoring.md', () => {
  it('explains every metric with its type, and no other', () => {
    const rows = [...read('monitoring.md').matchAll(/^\| `(slotstream_\w+)` \| (\w+) \|/gm)];
    const documented = rows.map(([, name = '', type = '']) => [name, type]);
    expect(documented.toSorted()).toEqual(own.toSorted());
  });

  it('shows a scrape configuration with the job name that the rules expect', () => {
    const block = /```yaml\n([^]*?)```/.exec(read('monitoring.md'))?.[1] ?? '';
    expect(parse(block)).toMatchObject({ scrape_configs: [{ job_name: 'slotstream' }] });
    expect(read('examples/prometheus-rules.yml')).toContain('up{job="slotstream"}');
  });
});

describe('the rules of Prometheus', () => {
  const text = read('examples/prometheus-rules.yml');
  const { groups } = parse(text) as { groups: { rules: Record<string, unknown>[] }[] };

  it('query only metrics that exist', () => {
    const used = groups.flatMap(({ rules }) => rules.flatMap(({ expr }) => metricsIn(String(expr))));
    expect(used.length).toBeGreaterThan(20);
    expect(used.filter((name) => !exported.has(name))).toEqual([]);
  });

  it('have limits that follow the defaults of the settings', () => {
    expect(text).toContain(`0.8 * ${settings.DISK_LOG_MAX_MB.default} * 1024 * 1024`);
    expect(text).toContain(`8 * ${settings.MIN_FREE_DISK_MB.default} * 1024 * 1024`);
    expect(text).toContain(`RECONCILE_EVERY (${settings.RECONCILE_EVERY.default})`);
  });

  it('name only commands that exist', () => {
    const named = [...text.matchAll(/slotstream ([a-z]+)\b(?= -|$|')/gm)].map(([, verb = '']) => verb);
    expect(named.filter((verb) => !knownVerbs.has(verb))).toEqual([]);
  });
});

describe('the dashboard of Grafana', () => {
  const { panels } = JSON.parse(read('examples/grafana-dashboard.json')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  const used = panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr)));

  it('queries only metrics that exist, and shows all of ours', () => {
    expect(used.filter((name) => !exported.has(name))).toEqual([]);
    expect(own.map(([name]) => name).filter((name) => !used.includes(name))).toEqual([]);
  });
});

describe.each(globSync('examples/systemd/*.service', { cwd: docs }))('%s', (path) => {
  it('starts a command that exists as a user of its own, and again after two seconds, but not after a mistake in the configuration', () => {
    const unit = read(path);
    expect(knownVerbs).toContain(/^ExecStart=\/opt\/slotstream\/bin\/slotstream (\w+)$/m.exec(unit)?.[1]);
    const restarts = ['Restart=always', 'RestartSec=2', 'RestartPreventExitStatus=2'];
    for (const line of ['User=slotstream', 'StateDirectory=slotstream', 'UMask=0077', 'LimitCORE=0', ...restarts])
      expect(unit.split('\n')).toContain(line);
  });

  it('has an admin port that stays, and that no other unit has', () => {
    const verb = /^ExecStart=.* (\w+)$/m.exec(read(path))?.[1];
    const port = /^Environment=ADMIN_PORT=(.+)$/m.exec(read(path))?.[1];
    expect([verb, port]).toEqual(
      { start: ['start', undefined], receive: ['receive', '8100'], work: ['work', '808%i'] }[verb ?? ''],
    );
  });
});

it('examples/nginx.conf sends to another receiver what one could not take, within seconds, and falls back to any of them', () => {
  const text = read('examples/nginx.conf');
  const servers = [...text.matchAll(/^ *server (127\.0\.0\.1:\d+) (.*);$/gm)].map(([, address, how]) => [how, address]);
  const [first, second] = ['127.0.0.1:8080', '127.0.0.1:8180'];
  const [usual, last] = ['max_fails=1 fail_timeout=10s', 'max_fails=0 backup'];
  expect(servers).toEqual([
    [usual, first],
    [usual, second],
    [last, first],
    [last, second],
  ]);
  expect(text).toContain('proxy_next_upstream error timeout http_502 http_503 non_idempotent;');
  expect(text).toContain('proxy_read_timeout 4s;');
});

describe.each(['nginx.conf', 'Caddyfile'])('examples/%s', (name) => {
  it('passes on the paths of the public listener and no other', () => {
    const text = read(`examples/${name}`);
    expect(text).toContain(`127.0.0.1:${settings.PORT.default}`);
    expect(text).not.toContain('8081');
    for (const path of ['/webhooks', 'healthz', 'readyz', '404']) expect(text).toContain(path);
  });
});
