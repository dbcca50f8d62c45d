// The JSON schema of a CloudEvent, as version 1.0 of its specification has it, and a check of events by it.
import { Ajv2020 } from 'ajv/dist/2020.js';

const text = { type: 'string', minLength: 1 };
const optional = { type: ['string', 'null'], minLength: 1 };
const schema = {
  type: 'object',
  required: ['id', 'source', 'specversion', 'type'],
  properties: {
    id: text,
    source: { ...text, format: 'uri-reference' },
    specversion: text,
    type: text,
    datacontenttype: optional,
    dataschema: { ...optional, format: 'uri' },
    subject: optional,
    time: { ...optional, format: 'date-time' },
    data: { type: ['object', 'string', 'number', 'array', 'boolean', 'null'] },
    data_base64: { type: ['string', 'null'], contentEncoding: 'base64' },
  },
  // The rest of the specification's rules: names of attributes, simple values of extensions, and no control characters.
  propertyNames: { pattern: '^[a-z0-9]{1,20}$|^data_base64$' },
  additionalProperties: { type: ['string', 'integer', 'boolean'] },
  not: { required: ['data', 'data_base64'] },
};

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
