// The value of a custom field in words, by the type of its definition.
import { number } from '#src/base/number-text.ts';

export interface Definition {
  readonly uri: string;
  readonly label: string | null;
  readonly field_type: string | null;
  readonly currency?: string | undefined;
  readonly amounts_in?: 'minor' | 'major' | undefined;
  readonly options?: readonly { readonly uuid: string | null; readonly label: string | null }[] | undefined;
}

/** Empty where there is no value. */
export function customFieldText(value: unknown, definition: Definition | undefined): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((each) => customFieldText(each, undefined)).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number')
    return definition?.field_type === 'currency' ? amount(value, definition) : number(value);
  if (typeof value !== 'string') return JSON.stringify(value);
  const option = definition?.options?.find(({ uuid }) => uuid === value);
  return option?.label ?? value;
}

/** `1,999.00 EUR`. A currency says how many minor units it has; without one the amount is shown as the service sends it. */
function amount(value: number, { currency = '', amounts_in: unit }: Definition): string {
  if (!/^[A-Z]{3}$/.test(currency)) return number(value);
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  const format = new Intl.NumberFormat('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${format.format(unit === 'major' ? value : value / 10 ** digits)} ${currency}`;
}
