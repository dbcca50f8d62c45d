// Every rule of docs/examples/prometheus-rules.yml fires in Prometheus on the series that its fault makes, with the words that a person reads.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';

const file = join(import.meta.dirname, '../../../docs/examples/prometheus-rules.yml');

interface Rule {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: { readonly summary: string; readonly description?: string };
}

/**
 * A rule, the minute at which it is asked and the labels of its alert; its series, one value a minute in the notation of promtool
 * (`0x5` is six times 0, `0+2x5` counts up by 2, `_x5` is absent); and what it says, unless it must be silent.
 */
const table = readFileSync(join(import.meta.dirname, 'prometheus-rules.txt'), 'utf8');

const labelsIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]));

const cases = table.split(/^(?=\w)/m).map((text) => {
  const [, rule = '', at = '', labels = ''] = /^(\w+) at (\d+)(.*)$/m.exec(text) ?? [];
  const series = [...text.matchAll(/^ {2}(\w+\{.*\}) (.+)$/gm)].map(([, name, values]) => ({ series: name, values }));
  return { rule, at, labels: labelsIn(labels), series, summary: /^ {2}→ (.*)$/m.exec(text)?.[1] };
});

const { groups } = parse(readFileSync(file, 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = new Map(groups.flatMap((group) => group.rules).map((rule) => [rule.alert, rule]));

/** A test of promtool. It compares every label and every text of the alerts that fire. */
function promtoolTest({ rule: alertname, series, at, labels, summary }: (typeof cases)[number]) {
  const rule = rules.get(alertname);
  const alert = {
    exp_labels: { ...rule?.labels, ...labels },
    exp_annotations: { ...rule?.annotations, summary },
  };
  return {
    interval: '1m',
    input_series: series,
    alert_rule_test: [{ eval_time: `${at}m`, alertname, exp_alerts: summary === undefined ? [] : [alert] }],
  };
}

describe('the rules of Prometheus', () => {
  it('have a case each in which they fire', () => {
    const firing = cases.flatMap(({ rule, summary }) => (summary === undefined ? [] : [rule]));
    expect(new Set(firing)).toEqual(new Set(rules.keys()));
  });

  it.runIf(inject('promtoolPath'))('fire on the fault that they are for, and say what happened', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slotstream-rules-'));
    try {
      const tests = join(folder, 'tests.yml');
      const content = { rule_files: [file], evaluation_interval: '1m', tests: cases.map(promtoolTest) };
      await writeFile(tests, JSON.stringify(content));
      expect(promtool('test', 'rules', tests)).toContain('SUCCESS');
      expect(promtool('check', 'rules', file)).toContain(`SUCCESS: ${rules.size} rules found`);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

/** What it printed: the exit code alone does not say which alert is missing. */
function promtool(...args: readonly string[]): string {
  try {
    // It ends before its garbage is worth collecting.
    const env = { ...process.env, GOGC: '1000', GOMAXPROCS: '1' };
    return execFileSync(inject('promtoolPath'), args, { encoding: 'utf8', stdio: 'pipe', env });
  } catch (error) {
    return error instanceof Error && 'stderr' in error && 'stdout' in error ? `${error.stdout}${error.stderr}` : '';
  }
}
