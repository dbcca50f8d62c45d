// The labels of the options of custom fields, for values that name an option by its UUID.
import { optionLabelsOf, type OptionLabels } from '#src/base/changed-items.ts';
import type { Readable } from '#src/store/contract.ts';

export async function readOptionLabels({ db, engine }: Readable): Promise<OptionLabels> {
  const rows = await db.selectFrom('custom_field_definitions').select('options').execute();
  return optionLabelsOf(rows.map(({ options }) => ({ options: engine.decode('json', options) })));
}
