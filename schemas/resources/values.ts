// How values look in what the service answers: exact where the sandbox promises, while reading elsewhere stays tolerant.
import { z } from 'zod';
import { uri } from '#schemas/wire.ts';

/** UTC with six fractional digits, as the specification's example. */
export const instant = z.iso.datetime({ precision: 6 }).meta({ description: 'UTC, six fractional digits' });

/** Some times of a contact carry no or three fractional digits. */
export const contactInstant = z.iso.datetime().meta({ description: 'UTC, with none, three or six fractional digits' });

export const nullableText = z.string().nullable();
export const nullableUri = uri.nullable();
