// The types of the package: api.d.ts is what the sources say, and what it says about payloads and tables is what they are.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectTypeOf, it } from 'vitest';
import type { EventKind, PayloadOf } from '#schemas/events.ts';
import type { ColumnKinds } from '#src/store/columns.ts';
import type { MirrorSettings as SourceSettings } from '#src/library/mirror-settings.ts';
import { tables, type TableName, type TableRow } from '#src/store/schema/tables.ts';
import { viewNames } from '#src/store/views/views.ts';
import { apiDeclarations } from '../.ci/api-declarations.ts';
import type {
  EventKind as WrittenKind,
  LogEvent,
  MirrorSettings,
  Payloads,
  Tables,
  WebhookResult,
} from '../src/library/api.d.ts';

const text = readFileSync(join(import.meta.dirname, '../src/library/api.d.ts'), 'utf8');

it('api.d.ts is current, and needs no package', () => {
  expect(text, 'npm run api').toBe(apiDeclarations());
  expect(text).not.toMatch(/^import|import\(/m);
});

it('has every setting', () => {
  expectTypeOf<MirrorSettings>().toEqualTypeOf<SourceSettings>();
});

it('the compiler refuses a wrong value of a setting, and a misspelt kind (A24)', () => {
  expectTypeOf<MirrorSettings['port']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<MirrorSettings['answers']>().toEqualTypeOf<'on' | 'off' | undefined>();
  expectTypeOf<'5m'>().toExtend<MirrorSettings['pollEvery']>();
  expectTypeOf<'5 minutes'>().not.toExtend<MirrorSettings['pollEvery']>();
  expectTypeOf<['invitee.created', 'contact.*']>().toExtend<MirrorSettings['events']>();
  expectTypeOf<['invitee.creatd']>().not.toExtend<MirrorSettings['events']>();
  expectTypeOf<
    'invitee.created' | 'invitee.read' | 'contact.gone' | 'attendance.confirmed' | '*'
  >().toExtend<LogEvent>();
  expectTypeOf<'invitee.creatd'>().not.toExtend<LogEvent>();
  expectTypeOf<WrittenKind>().toEqualTypeOf<keyof Payloads>();
});

it('a delivery has its name, also where its kind is none of those that a program handles (A23)', () => {
  const nameOf = (read: WebhookResult): string | null => {
    switch (read.event) {
      case 'invitee.created':
        return read.payload.uri;
      default:
        return read.name;
    }
  };
  expect(nameOf({ ok: true, known: false, id: '1', event: null, name: 'invoice.paid', problem: null })).toBe(
    'invoice.paid',
  );
});

it('has the payloads that are read, and every table and view with its columns', () => {
  expectTypeOf<keyof Payloads>().toEqualTypeOf<EventKind>();
  expectTypeOf<{ [Kind in EventKind]: Payloads[Kind] }>().toEqualTypeOf<{ [Kind in EventKind]: PayloadOf<Kind> }>();
  type OwnRows = { [Name in TableName]: { [Column in keyof TableRow<Name>]: TableRow<Name>[Column] } };
  expectTypeOf<{
    [Name in TableName]: { [Column in keyof Tables<ColumnKinds>[Name]]: Tables<ColumnKinds>[Name][Column] };
  }>().toEqualTypeOf<OwnRows>();
  for (const name of [...Object.keys(tables), ...viewNames()])
    expect(text).toMatch(new RegExp(`^  ${name}: \\w+Row<Values>;$`, 'm'));
});
