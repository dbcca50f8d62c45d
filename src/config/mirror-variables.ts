// The settings that decide what the mirror is. They are stored with it (`mirror_settings`), so unset means the mirror's.
import { z } from 'zod';
import { daysOrOff, kinds, timeZone, yesOrNoOrUnset, type Setting } from './readers.ts';

const mirrors = "the mirror's; at first";

export const mirrorSettings = {
  EVENTS: {
    reads: kinds,
    default: `${mirrors} all`,
    meaning: 'Event kinds to mirror, comma-separated; `invitee.*` is every kind that begins so, `all` is every kind.',
  },
  ERASE_ON_DELETE: {
    reads: yesOrNoOrUnset,
    default: `${mirrors} true`,
    meaning: 'Redact deleted contacts: their values are removed from the tables and the log.',
  },
  RETENTION_DAYS: {
    reads: daysOrOff,
    default: `${mirrors} off`,
    meaning:
      'Prune log bodies older than this many days, unless a current row still uses a value from them; `off` keeps them.',
  },
  REPORT_TIMEZONE: {
    reads: timeZone.optional(),
    default: `${mirrors} UTC`,
    meaning: 'The time zone in which the views and the dashboard count days and months.',
  },
  CURRENCY_FIELDS: {
    reads: z.enum(['minor', 'major'], 'minor or major').optional(),
    default: `${mirrors} minor`,
    meaning:
      'Unit in which the service sends the amounts of custom fields of the type `currency`: `minor` (cents), as its specification says, or `major` (units of the currency). `contacts_wide` and the dashboard follow it.',
  },
} as const satisfies Record<string, Setting>;
