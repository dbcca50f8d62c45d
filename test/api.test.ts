// The types of the package: api.d.ts is what the sources say, and what it says about payloads and tables is what they are.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectTypeOf, it } from 'vitest';
import type { EventKind, PayloadOf } from '#schemas/events.ts';
import type { ColumnKinds } from '#src/store/columns.ts';
import type { MirrorSettings as SourceSettings } from '#src/library/mirror-settings.ts';
import { tables, type TableName, type TableRow } from '#src/store/tables.ts';
import { viewNames } from '#src/store/views/views.ts';
import { apiDeclarations } from '../.ci/api-declarations.ts';
import type { MirrorSettings, Payloads, Tables } from '../api.d.ts';

const text = readFileSync(join(import.meta.dirname, '../api.d.ts'), 'utf8');

it('api.d.ts is current, and needs no package', () => {
  expect(text, 'npm run api').toBe(apiDeclarations());
  expect(text).not.toMatch(/^import|import\(/m);
});

it('has every setting', () => {
  expectTypeOf<MirrorSettings>().toEqualTypeOf<SourceSettings>();
});

it('has the payloads that are read, and every table and view with its columns', () => {
  expectTypeOf<keyof Payloads>().toEqualTypeOf<EventKind>();
  expectTypeOf<{ [Kind in EventKind]: Payloads[Kind] }>().toEqualTypeOf<{ [Kind in EventKind]: PayloadOf<Kind> }>();
  type OwnRows = { [Name in TableName]: { [Column in keyof TableRow<Name>]: TableRow<Name>[Column] } };
  expectTypeOf<{
    [Name in TableName]: { [Column in keyof Tables<ColumnKinds>[Name]]: Tables<ColumnKinds>[Name][Column] };
  }>().toEqualTypeOf<OwnRows>();
  for (const name of [...Object.keys(tables), ...viewNames])
    expect(text).toMatch(new RegExp(`^  ${name}: \\w+Row<Values>;$`, 'm'));
});
