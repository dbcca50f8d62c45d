// Values of custom fields in words, by the type of the field.
import { describe, expect, it } from 'vitest';
import { customFieldText } from '#src/addons/dashboard/pages/people/custom-field-text.ts';

const field = (more: object) => ({ uri: 'uri', label: 'Budget', field_type: 'currency', ...more });

describe('the text of an amount', () => {
  it.each([
    ['cents', 199_900, { currency: 'EUR', amounts_in: 'minor' }, '1,999.00 EUR'],
    ['a currency without minor units', 199_900, { currency: 'JPY', amounts_in: 'minor' }, '199,900 JPY'],
    ['a currency with a thousand minor units', 199_900, { currency: 'KWD', amounts_in: 'minor' }, '199.900 KWD'],
    ['units of the currency', 1_999.5, { currency: 'EUR', amounts_in: 'major' }, '1,999.50 EUR'],
    ['an unknown currency', 199_900, { currency: 'euros', amounts_in: 'minor' }, '199,900'],
    ['no currency', 199_900, { amounts_in: 'minor' }, '199,900'],
  ] as const)('shows %s', (_, value, definition, text) => {
    expect(customFieldText(value, field(definition))).toBe(text);
  });
});
