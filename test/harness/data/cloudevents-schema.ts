// A check of events by the JSON schema of a CloudEvent.
import { Ajv2020 } from 'ajv/dist/2020.js';
import schema from './cloudevent.schema.json' with { type: 'json' };

const ajv = new Ajv2020({ allowUnionTypes: true });
ajv.addFormat('uri', (value) => URL.canParse(value));
ajv.addFormat('uri-reference', (value) => /^[\w.~:/?#[\]@!$&'()*+,;=%-]+$/.test(value));
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
const judge = ajv.compile(schema);

/** What is wrong with an event; nothing, as a rule. */
export function flawsOf(event: object): readonly unknown[] {
  if (!judge(event)) return judge.errors ?? [];
  const attributes = Object.entries(event).filter(([name]) => name !== 'data');
  // oxlint-disable-next-line no-control-regex -- the characters that the specification forbids
  return attributes.filter(([, value]) => /[\u0000-\u001f\u007f-\u009f]/.test(String(value)));
}
