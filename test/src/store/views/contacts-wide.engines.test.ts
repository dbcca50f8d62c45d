// The view of contacts with a column for each custom field, on each store. What a value becomes: contacts-wide-property.engines.test.ts.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '#src/store/columns.ts';
import { readFieldColumns } from '#src/store/views/views.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { contactBody, contactUri, fieldUri, readDefinitions } from '../../../harness/data/custom-fields.ts';
import { emptyTables, ingestBodies, availableEngines } from '../../../harness/stores.ts';
import { viewRows } from '../../../harness/mirror/view-rows.ts';

const options = [
  { uuid: 'o1', label: 'Small' },
  { uuid: 'o2', label: 'Large' },
];
for (const engine of availableEngines)
  describe(`contacts_wide on ${engine.name}`, () => {
    const opened = openedOnce(engine.fresh);
    beforeEach(async () => {
      await emptyTables(opened.store);
      await opened.store.refreshViews();
    });
    const rows = () => viewRows(opened.store, 'contacts_wide');

    it('takes labels however hostile, and three hundred of them', async () => {
      const labels = [
        '"; drop table contacts; --',
        "'); drop table contacts; --",
        '🐎',
        '',
        'x'.repeat(1_000),
        'uri',
        'Select',
        '\\',
        // PostgreSQL has them in comments, without the addresses of links.
        '['.repeat(100_000),
        '[a]('.repeat(100_000),
      ];
      const definitions = Array.from({ length: 300 }, (_, n) => ({
        uri: fieldUri(`${n}';"\\--`),
        label: labels[n] ?? `Field ${n % 100}`,
        field_type: ['text', 'date', 'single_select', 'tags'][n % 4] as string,
        options,
      }));
      await readDefinitions(opened.store, definitions);
      const values = ['word', '2025-01-01', 'o1', ['tag']];
      await ingestBodies(opened.store, [
        contactBody(1, Object.fromEntries(definitions.map(({ uri }, n) => [uri, values[n % 4] as Json]))),
      ]);
      const [row = {}] = await rows();
      const own = Object.keys(row).length - 300;
      expect(
        Object.values(row)
          .slice(own)
          .map((value) => JSON.stringify(value))
          .toSorted(),
      ).toEqual(definitions.map((_, n) => JSON.stringify(n % 4 === 2 ? 'Small' : values[n % 4])).toSorted());
      expect(row).toMatchObject({ uri: contactUri(1), custom_uri: expect.any(String), select: expect.anything() });
    });

    it('gets a column with each new definition, which keeps its name whatever its label becomes', async () => {
      const column = async (name: string) => ((await rows())[0] ?? {})[name];
      await readDefinitions(opened.store, [
        { uri: fieldUri(1), label: 'Budget', field_type: 'currency', currency: 'EUR' },
      ]);
      await ingestBodies(opened.store, [contactBody(1, { [fieldUri(1)]: 500, [fieldUri(2)]: 'blue' })]);
      expect(await column('budget')).toBe(500);
      await readDefinitions(opened.store, [{ uri: fieldUri(2), label: 'Colour', field_type: 'text' }]);
      expect([await column('budget'), await column('colour')]).toEqual([500, 'blue']);
      const updated_at = '2025-02-01T00:00:00.000000Z';
      await readDefinitions(opened.store, [{ uri: fieldUri(1), label: 'Spend', field_type: 'currency', updated_at }]);
      expect([await column('budget'), await column('spend'), await column('colour')]).toEqual([500, undefined, 'blue']);
      // A field that takes over the former label gets another name.
      await readDefinitions(opened.store, [{ uri: fieldUri(3), label: 'Budget', field_type: 'number' }]);
      expect(await readFieldColumns(opened.store)).toMatchObject([
        { field_uri: fieldUri(1), column_name: 'budget', label: 'Spend', field_type: 'currency' },
        { field_uri: fieldUri(2), column_name: 'colour', label: 'Colour' },
        { field_uri: fieldUri(3), column_name: expect.stringMatching(/^budget_[0-9a-f]{8}$/), label: 'Budget' },
      ]);
      expect(await column('budget')).toBe(500);
    });

    it('shows an option by its label of today', async () => {
      const size = { uri: fieldUri(1), label: 'Size', field_type: 'single_select', options };
      await readDefinitions(opened.store, [size]);
      await ingestBodies(opened.store, [contactBody(1, { [fieldUri(1)]: 'o1' })]);
      const renamed = { ...size, options: [{ uuid: 'o1', label: 'Tiny' }], updated_at: '2025-02-01T00:00:00.000000Z' };
      await readDefinitions(opened.store, [renamed]);
      expect(await rows()).toMatchObject([{ size: 'Tiny' }]);
    });
  });
