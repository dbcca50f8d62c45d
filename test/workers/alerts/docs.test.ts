// What docs/alerts.md says of the rules is what the rules are: every kind, option and default, and an example that loads.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { settings } from '#src/config/variables.ts';
import { channelNames } from '#workers/alerts/channels/channel-name.ts';
import { conditionKinds } from '#workers/alerts/conditions/conditions.ts';
import { filter } from '#workers/alerts/rules/filter.ts';
import { rulesFile } from '#workers/alerts/rules/rules-file.ts';
import { loadRules } from '#workers/alerts/rules/ruleset.ts';
import { ruleKinds } from '#workers/alerts/rules/rules.ts';
import { templateVariables } from '#workers/alerts/message/template.ts';

const text = readFileSync(join(import.meta.dirname, '../../../docs/alerts.md'), 'utf8');
const kinds = [...ruleKinds, ...conditionKinds];

/** What stands beneath a heading, up to the next one. */
function section(heading: string): string {
  const from = text.indexOf(`\n${heading}\n`);
  expect([heading, from > 0]).toEqual([heading, true]);
  const rest = text.slice(from + heading.length + 2);
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

async function loaded(json: string) {
  const dir = await mkdtemp(join(tmpdir(), 'slotstream-rules-'));
  try {
    const file = join(dir, 'alerts.json');
    await writeFile(file, json);
    return await loadRules({ file, graceMs: 0, configured: channelNames });
  } finally {
    await rm(dir, { recursive: true });
  }
}

describe('docs/alerts.md', () => {
  it.each(kinds)('tells of $when and of each of its options with its default', ({ when, about, options }) => {
    const part = section(`### \`${when}\``);
    expect(part.trimStart().split('\n', 1)[0]).toBe(about);
    const rows = rowsIn(part);
    expect(rows.flatMap(({ names }) => names)).toEqual(Object.keys(options));
    for (const { names, cells } of rows) {
      const schema = (options as Readonly<Record<string, z.ZodType>>)[names[0] ?? ''];
      const usual = schema?.safeParse(undefined);
      const said = (cells[1] ?? '').replaceAll('`', '');
      if (!usual?.success) expect([names, said]).toEqual([names, '–']);
      else
        expect([names, [said, parsed(said)].some((one) => same(schema?.safeParse(one), usual))]).toEqual([names, true]);
    }
  });

  it('tells of every field that rules have besides', () => {
    const { options } = rulesFile.shape.rules.element;
    const fields = new Set(options.flatMap(({ shape }) => Object.keys(shape)));
    const own = new Set(kinds.flatMap((kind) => Object.keys(kind.options)));
    expect(namesIn(section('## The rules file')).toSorted()).toEqual(
      [...fields].filter((name) => !own.has(name)).toSorted(),
    );
  });

  it('tells of every filter, channel and variable', () => {
    expect(namesIn(section('### Filters'))).toEqual(Object.keys(filter.shape));
    expect(namesIn(section('## Templates'))).toEqual([...templateVariables]);
    expect(rowsIn(section('## Channels')).map(({ names }) => names[0])).toEqual([...channelNames]);
  });

  it('names every setting of alerts', () => {
    const names = Object.keys(settings).filter((name) => name.startsWith('ALERT'));
    expect(names.filter((name) => !text.includes(`\`${name}`) && !text.includes(`${name}=`))).toEqual([]);
  });

  it('has an example with every kind, that loads', async () => {
    const [, example = ''] = /```json\n(.*?)```/s.exec(section('## The rules file')) ?? [];
    const { bookings, conditions } = await loaded(example);
    expect(new Set([...bookings, ...conditions].map(({ when }) => when))).toEqual(
      new Set(kinds.map(({ when }) => when)),
    );
  });

  it('names the rules there are without a file', async () => {
    const { bookings, conditions } = await loadRules({ file: undefined, graceMs: 0, configured: [] });
    const usual = [...bookings, ...conditions].map(({ name }) => `\`${name}\``);
    expect(text).toContain(`there are these rules: ${usual.slice(0, -1).join(', ')} and ${usual.at(-1)},`);
  });
});

function parsed(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    // Not undefined: that would read as the default itself.
    return null;
  }
}

const same = (a: { readonly data?: unknown } | undefined, b: { readonly data?: unknown }): boolean =>
  a?.data !== undefined && JSON.stringify(a.data) === JSON.stringify(b.data);
