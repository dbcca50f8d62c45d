// The payloads of deliveries as plain interfaces, from the schemas that read them.
import type { z } from 'zod';
import { contact, deletedContact } from '../schemas/contact.ts';
import { eventType } from '../schemas/event-type.ts';
import { eventKinds } from '../schemas/events.ts';
import { invitee, scheduledEvent } from '../schemas/invitee.ts';
import { meetingRecap } from '../schemas/meeting-recap.ts';
import { routingFormSubmission } from '../schemas/routing-form.ts';
import { amount, integer, timestamp } from '../schemas/wire.ts';

type Schema = z.core.$ZodType;

const interfaces = new Map<Schema, string>([
  [invitee, 'InviteePayload'],
  [scheduledEvent, 'ScheduledEventPayload'],
  [contact, 'ContactPayload'],
  [deletedContact, 'DeletedContactPayload'],
  [eventType, 'EventTypePayload'],
  [meetingRecap, 'MeetingRecapPayload'],
  [routingFormSubmission, 'RoutingFormSubmissionPayload'],
]);

/** What a transform makes cannot be read from its schema. */
const transformed = new Map<Schema, string>([
  [timestamp, 'string'],
  [integer, 'number'],
  [amount, 'number | string'],
]);

export function payloadTypes(): string {
  const written = [...interfaces].map(([schema, name]) => `export interface ${name} ${fieldsOf(schema, '')}`);
  const kinds = Object.entries(eventKinds).map(([kind, { schema }]) => `  '${kind}': ${typeOf(schema, '  ')};`);
  return [
    '/** The payload of each kind. Fields that the service adds later are there too, as unknown. */',
    `export interface Payloads {\n${kinds.join('\n')}\n}`,
    // Not `keyof Payloads`: the compiler lists them, where a name is misspelt.
    `export type EventKind =\n${Object.keys(eventKinds)
      .map((kind) => `  | '${kind}'`)
      .join('\n')};`,
    'export type PayloadOf<Kind extends EventKind> = Payloads[Kind];',
    ...written,
  ].join('\n');
}

function typeOf(schema: Schema, indent: string): string {
  const named = interfaces.get(schema) ?? transformed.get(schema);
  if (named !== undefined) return named;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
    case 'boolean':
    case 'unknown':
      return def.type;
    case 'nullable':
      return `${typeOf(def.innerType, indent)} | null`;
    case 'array':
      return `Array<${typeOf(def.element, indent)}>`;
    case 'object':
      return fieldsOf(schema, indent);
    case 'union': {
      const types = def.options.map((option) => typeOf(option, indent));
      return types.includes('unknown') ? 'unknown' : types.join(' | ');
    }
    case 'optional':
      return `${typeOf(def.innerType, indent)} | undefined`;
    default:
      throw new Error(`There is no type for a schema of the type ${def.type}.`);
  }
}

function fieldsOf(schema: Schema, indent: string): string {
  const { def } = (schema as z.core.$ZodObject)._zod;
  const fields = Object.entries(def.shape).map(([name, field]) => {
    const type = typeOf(field, `${indent}  `);
    const mark = field._zod.optout === 'optional' ? '?' : '';
    return `${indent}  ${name}${mark}: ${type.replace('unknown | undefined', 'unknown')};`;
  });
  return `{\n${[...fields, `${indent}  [field: string]: unknown;`].join('\n')}\n${indent}}`;
}
