// The value of a custom field in words, by the type of its definition.
import { number } from '#src/base/number-text.ts';

export interface Definition {
  readonly uri: string;
  readonly label: string | null;
  readonly field_type: string | null;
  readonly currency?: string | undefined;
  readonly options?: readonly { readonly uuid: string | null; readonly label: string | null }[] | undefined;
}

/** Empty where there is no value. */
export function customFieldText(value: unknown, definition: Definition | undefined): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((each) => customFieldText(each, undefined)).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number')
    return [number(value), definition?.field_type === 'currency' ? definition.currency : undefined]
      .filter(Boolean)
      .join(' ');
  if (typeof value !== 'string') return JSON.stringify(value);
  const option = definition?.options?.find(({ uuid }) => uuid === value);
  return option?.label ?? value;
}
