// The settings that all processes of a mirror share: they decide what its rows are. One row of `mirror_settings` holds them.
//
//   not settled ──the first worker──▶ settled ──`slotstream settings --apply`──▶ settled, with the next revision
//
// Until they are settled, a process follows its environment. Afterwards the row counts, whatever an environment says.
// `settings-row.ts` reads and writes the row.
import { allEventKinds, type EventKind } from '#schemas/events.ts';
import type { TableRow } from './schema/tables.ts';

export interface SettingValues {
  readonly eraseOnDelete: boolean;
  /** 0: bodies are kept. */
  readonly retentionDays: number;
  readonly events: readonly EventKind[];
  readonly reportTimezone: string;
  readonly currencyFields: 'minor' | 'major';
}

export type SettingName = keyof SettingValues;

/** What the environment of a process says. What it leaves out is the mirror's. */
export type StatedSettings = { readonly [Name in SettingName]?: SettingValues[Name] | undefined };

/** A setting that an environment states with another value than the mirror has. */
export interface SettingConflict {
  readonly variable: string;
  readonly here: string;
  readonly mirror: string;
}

export type SettingsRow = TableRow<'mirror_settings'>;

const defaults: SettingValues = {
  eraseOnDelete: true,
  retentionDays: 0,
  events: allEventKinds,
  reportTimezone: 'UTC',
  currencyFields: 'minor',
};

export const variableOf = {
  eraseOnDelete: 'ERASE_ON_DELETE',
  retentionDays: 'RETENTION_DAYS',
  events: 'EVENTS',
  reportTimezone: 'REPORT_TIMEZONE',
  currencyFields: 'CURRENCY_FIELDS',
} as const satisfies Record<SettingName, string>;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the literal above
export const settingNames = Object.keys(variableOf) as readonly SettingName[];

/** The settings in force. */
export class SharedSettings implements SettingValues {
  readonly #stated: StatedSettings;
  #row: SettingsRow;
  #values: SettingValues;

  constructor(row: SettingsRow, stated: StatedSettings = {}) {
    this.#stated = stated;
    this.#row = row;
    this.#values = valuesOf(row, stated);
  }

  get id(): string {
    return this.#row.id;
  }
  get revision(): number {
    return this.#row.revision;
  }
  get isSettled(): boolean {
    return this.#row.settled_at !== null;
  }
  get eraseOnDelete(): boolean {
    return this.#values.eraseOnDelete;
  }
  get retentionDays(): number {
    return this.#values.retentionDays;
  }
  get events(): readonly EventKind[] {
    return this.#values.events;
  }
  get reportTimezone(): string {
    return this.#values.reportTimezone;
  }
  get currencyFields(): 'minor' | 'major' {
    return this.#values.currencyFields;
  }
  get texts(): Readonly<Record<SettingName, string>> {
    return textsOf(this.#values);
  }

  /** Returns the settings that have other values than before. */
  follow(row: SettingsRow): readonly SettingName[] {
    const before = this.texts;
    this.#row = row;
    this.#values = valuesOf(row, this.#stated);
    return settingNames.filter((name) => before[name] !== this.texts[name]);
  }

  /** None while the mirror has no settings of its own. */
  conflictsWith(stated: StatedSettings, names: readonly SettingName[] = settingNames): readonly SettingConflict[] {
    const here = textsOf(withStated(this.#values, stated));
    return names.flatMap((name) =>
      this.isSettled && here[name] !== this.texts[name]
        ? [{ variable: variableOf[name], here: here[name], mirror: this.texts[name] }]
        : [],
    );
  }
}

export function valuesOf(row: SettingsRow, stated: StatedSettings = {}): SettingValues {
  if (row.settled_at === null) return withStated(defaults, stated);
  return withStated(defaults, {
    eraseOnDelete: row.erase_on_delete ?? undefined,
    retentionDays: row.retention_days ?? undefined,
    events: row.events === null || row.events === 'all' ? undefined : kindsIn(row.events),
    reportTimezone: row.report_timezone ?? undefined,
    currencyFields: row.currency_fields === 'major' ? 'major' : undefined,
  });
}

export const columnsOf = (values: SettingValues): Partial<SettingsRow> => ({
  erase_on_delete: values.eraseOnDelete,
  retention_days: values.retentionDays,
  events: textsOf(values).events,
  report_timezone: values.reportTimezone,
  currency_fields: values.currencyFields,
});

/** As people write them. All kinds are `all`, so that a version with more kinds mirrors those too. */
function textsOf({ eraseOnDelete, retentionDays, events, reportTimezone, currencyFields }: SettingValues) {
  const kinds = allEventKinds.filter((kind) => events.includes(kind));
  return {
    eraseOnDelete: String(eraseOnDelete),
    retentionDays: retentionDays === 0 ? 'off' : String(retentionDays),
    events: kinds.length === allEventKinds.length ? 'all' : kinds.join(),
    reportTimezone,
    currencyFields,
  };
}

/** A newer version may have written kinds that this one does not know. */
const kindsIn = (text: string): readonly EventKind[] => {
  const names = text.split(',');
  return allEventKinds.filter((kind) => names.includes(kind));
};

export const withStated = (values: SettingValues, stated: StatedSettings): SettingValues => ({
  ...values,
  ...Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== undefined)),
});
