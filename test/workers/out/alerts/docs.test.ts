// docs/alerts.md is complete and true: every kind of rule, option and default, and an example that loads.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { settings } from '#src/config/variables.ts';
import { channelNames } from '#src/store/alerts/channel-names.ts';
import { conditionKinds } from '#workers/out/alerts/conditions/conditions.ts';
import { filter } from '#workers/out/alerts/rules/filter.ts';
import {
  bookingFields,
  bookingKinds,
  commonFields,
  submissionKinds,
  summaryKinds,
} from '#workers/out/alerts/rules/rules-file.ts';
import { loadRules } from '#workers/out/alerts/rules/ruleset.ts';
import { submissionFilter } from '#workers/out/alerts/submissions/form-without-booking.ts';
import { templateVariables } from '#workers/out/alerts/message/template.ts';
import { rulesIn } from '../../../harness/alerts/watched-rules.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/alerts.md'), 'utf8');
const kinds = [...bookingKinds, ...submissionKinds, ...summaryKinds, ...conditionKinds];

/** The text below a heading, up to the next one. */
function section(heading: string): string {
  const from = page.indexOf(`\n${heading}\n`);
  expect([heading, from > 0]).toEqual([heading, true]);
  const rest = page.slice(from + heading.length + 2);
  const end = rest.search(/^#{2,3} /m);
  return end < 0 ? rest : rest.slice(0, end);
}

/** The names in the first cells, and the whole rows. */
function rowsIn(part: string): readonly { readonly names: readonly string[]; readonly cells: readonly string[] }[] {
  const lines = part.split('\n').filter((line) => line.startsWith('| `'));
  return lines.map((line) => {
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    return { names: [...(cells[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name), cells };
  });
}
const namesIn = (part: string) => rowsIn(part).flatMap(({ names }) => names);

const loaded = (json: string) => rulesIn(json, { configured: channelNames });

describe('docs/alerts.md', () => {
  it.each(kinds)('describes $when and each of its options with its default', ({ when, about, options }) => {
    const part = section(`### \`${when}\``);
    expect(part.trimStart().split('\n', 1)[0]).toBe(about);
    const rows = rowsIn(part);
    expect(rows.flatMap(({ names }) => names)).toEqual(Object.keys(options));
    for (const { names, cells } of rows) {
      const name = names[0] ?? '';
      const { [name]: schema } = z.object(options).shape as Readonly<Record<string, z.ZodType>>;
      const usual = schema?.safeParse(undefined);
      const documented = (cells[1] ?? '').replaceAll('`', '');
      if (!usual?.success) expect([names, documented]).toEqual([names, '–']);
      else
        expect([names, [documented, parsed(documented)].some((one) => same(schema?.safeParse(one), usual))]).toEqual([
          names,
          true,
        ]);
    }
  });

  it('describes every other field of rules', () => {
    const fields = Object.keys({ ...commonFields, ...bookingFields });
    expect(namesIn(section('## Write a rules file')).toSorted()).toEqual(fields.toSorted());
  });

  it('describes every filter, channel and variable', () => {
    expect(namesIn(section('### Filters'))).toEqual(Object.keys(filter.shape));
    expect(namesIn(section('### Filters of submissions'))).toEqual(Object.keys(submissionFilter.shape));
    expect(namesIn(section('## Change the text with a template'))).toEqual([...templateVariables]);
    expect(rowsIn(section('## Set up channels')).map(({ names }) => names[0])).toEqual([...channelNames]);
  });

  it('names every setting of alerts', () => {
    const names = Object.keys(settings).filter((name) => name.startsWith('ALERT'));
    expect(names.filter((name) => !page.includes(`\`${name}`) && !page.includes(`${name}=`))).toEqual([]);
  });

  it('has an example with every kind of rule, which loads', async () => {
    const [, example = ''] = /```json\n(.*?)```/s.exec(section('## Write a rules file')) ?? [];
    const { byName } = await loaded(example);
    expect(new Set([...byName.values()].map(({ when }) => when))).toEqual(new Set(kinds.map(({ when }) => when)));
  });

  it('has examples of single rules, which load', async () => {
    const blocks = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text = '']) => text);
    const rules = blocks.filter((text) => text.startsWith('{ "name"'));
    expect(rules.length).toBeGreaterThan(8);
    for (const rule of rules) expect((await loaded(`{ "rules": [${rule}] }`)).byName.size).toBeGreaterThan(0);
    const whole = blocks.filter((text) => text.includes('"rules"'));
    for (const file of whole) expect((await loaded(file)).byName.size).toBeGreaterThan(0);
  });

  it('names the default rules', async () => {
    const { byName } = await loadRules({ file: undefined, graceMs: 0, configured: [] });
    const usual = [...byName.keys()].map((name) => `\`${name}\``);
    expect(page).toContain(`The default rules are ${usual.slice(0, -1).join(', ')} and ${usual.at(-1)}.`);
  });
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not undefined: that would read as the default itself.
    return null;
  }
}

const same = (a: { readonly data?: unknown } | undefined, b: { readonly data?: unknown }): boolean =>
  a?.data !== undefined && JSON.stringify(a.data) === JSON.stringify(b.data);
