// What a validator that knows nothing of our schemas but a published document says against a body: its errors, or nothing.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { OpenApiDocument } from '#src/http/openapi/document.ts';

export type Judge = (schema: unknown, body: unknown) => unknown;

export function judgeBy({ components }: OpenApiDocument): Judge {
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({ $id: 'document', components });
  const compiled = new Map<string, ValidateFunction>();
  return (schema, body) => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as object);
    compiled.set(text, validate);
    return validate(body) ? [] : validate.errors;
  };
}
