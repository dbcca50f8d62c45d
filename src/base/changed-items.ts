// What differs between two values of a column: lists item by item and objects field by field, each with a name that people know.
import { canonicalJson, isObject, propertyOf } from '#schemas/wire.ts';

/** A difference within a column. `item` is empty where an item was added or removed that says everything itself. */
export interface ItemChange {
  readonly item: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Whether the changes of a table say that the row was created: they have no columns then. */
export const isCreated = (columns: unknown): boolean => isObject(columns) && Object.keys(columns).length === 0;

/** The labels of the options of custom fields, by their UUID. */
export type OptionLabels = ReadonlyMap<string, string>;

export function optionLabelsOf(definitions: Iterable<{ readonly options?: unknown }>): OptionLabels {
  const options = [...definitions].flatMap((each) =>
    Array.isArray(each.options) ? each.options.filter(isObject) : [],
  );
  return new Map(options.map(({ uuid, label }) => [String(uuid), String(label)]));
}

/** The key of the items of a list, the field that people know them by, and the one field that matters. */
interface ItemShape {
  readonly key: string;
  readonly name?: string;
  readonly value?: string;
}

const shapes: Readonly<Record<string, ItemShape>> = {
  attendees: { key: 'email', name: 'name' },
  custom_fields: { key: 'uri', name: 'label', value: 'value' },
  custom_questions: { key: 'name' },
  emails: { key: 'email' },
  guests: { key: 'email' },
  hosts: { key: 'user', name: 'user_name' },
  options: { key: 'uuid', name: 'label' },
  phone_numbers: { key: 'phone_number' },
  questions: { key: 'uuid', name: 'name' },
  questions_and_answers: { key: 'question', value: 'answer' },
};

/** Values that differ have at least one difference. An item or a field without a value is as good as absent. */
export function changedItems(
  column: string,
  [before, after]: readonly [before?: unknown, after?: unknown, ...rest: unknown[]],
  options: OptionLabels = new Map(),
): readonly ItemChange[] {
  const found = differences(column, before ?? null, after ?? null).filter(
    (each) => !isNone(each.before) || !isNone(each.after),
  );
  if (found.length === 0) return [{ item: '', before, after }];
  const labelled = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(labelled) : typeof value === 'string' ? (options.get(value) ?? value) : value;
  return column === 'custom_fields'
    ? found.map((each) => ({ ...each, before: labelled(each.before), after: labelled(each.after) }))
    : found;
}

function differences(column: string, before: unknown, after: unknown): readonly ItemChange[] {
  if (isObject(before ?? after) && isObject(after ?? before)) return changedFields(before, after);
  if (!Array.isArray(before ?? after) || !Array.isArray(after ?? before)) return [];
  const shape = shapes[column] ?? { key: '' };
  const [one, other] = [listOf(before), listOf(after)];
  const [removed, added] = [without(one, other), without(other, one)];
  if (removed.length > 0 || added.length > 0) return changedIn(removed, added, shape);
  const nameIn = (item: unknown): unknown => nameOf(item, shape) ?? item;
  return [{ item: 'order', before: one.map(nameIn), after: other.map(nameIn) }];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isNone = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** The items of a list that another one does not have, or not as often. */
function without(list: readonly unknown[], other: readonly unknown[]): readonly unknown[] {
  const counts = new Map<string, number>();
  for (const text of other.map(canonicalJson)) counts.set(text, (counts.get(text) ?? 0) + 1);
  return list.filter((item) => {
    const text = canonicalJson(item);
    const count = counts.get(text) ?? 0;
    counts.set(text, count - 1);
    return count <= 0;
  });
}

/** Items with the same key are one item that changed; where a key occurs several times, in the order of the lists. */
function changedIn(removed: readonly unknown[], added: readonly unknown[], shape: ItemShape): readonly ItemChange[] {
  const keyOf = (item: unknown): string => textAt(item, shape.key) ?? canonicalJson(item);
  const [before, after] = [Map.groupBy(removed, keyOf), Map.groupBy(added, keyOf)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const [old = [], recent = []] = [before.get(key), after.get(key)];
    const pairs = Array.from(
      { length: Math.max(old.length, recent.length) },
      (_, at) => [old[at], recent[at]] as const,
    );
    return pairs.flatMap(([one, other]) => changedItem(one, other, shape));
  });
}

function changedItem(before: unknown, after: unknown, shape: ItemShape): readonly ItemChange[] {
  const name = nameOf(after ?? before, shape);
  if (name !== undefined && before !== undefined && after !== undefined)
    return changedFields(before, after).map(({ item, ...values }) => ({
      item: item === shape.value ? name : `${name}, ${item}`,
      ...values,
    }));
  if (name !== undefined && shape.value !== undefined)
    return [{ item: name, before: propertyOf(before, shape.value), after: propertyOf(after, shape.value) }];
  return [{ item: '', before: itemText(before, shape), after: itemText(after, shape) }];
}

function changedFields(before: unknown, after: unknown): readonly ItemChange[] {
  const names = new Set([before, after].flatMap((each) => (isObject(each) ? Object.keys(each) : [])));
  return [...names]
    .toSorted()
    .map((name) => ({ item: wordsOf(name), before: propertyOf(before, name), after: propertyOf(after, name) }))
    .filter((each) => canonicalJson(each.before ?? null) !== canonicalJson(each.after ?? null));
}

const textAt = (item: unknown, key: string | undefined): string | undefined => {
  const text = key === undefined ? undefined : propertyOf(item, key);
  return typeof text === 'string' && text !== '' ? text : undefined;
};

const nameOf = (item: unknown, { key, name }: ItemShape): string | undefined => textAt(item, name) ?? textAt(item, key);

/** `ada@example.com (is primary)`; an item without a name as it is. */
function itemText(item: unknown, shape: ItemShape): unknown {
  const name = nameOf(item, shape);
  if (name === undefined || !isObject(item)) return item;
  const details = Object.keys(item)
    .toSorted()
    .flatMap((field) => {
      const value = item[field];
      if (field === shape.key || field === shape.name || isNone(value) || value === false) return [];
      return value === true
        ? wordsOf(field)
        : `${wordsOf(field)}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
    });
  return details.length === 0 ? name : `${name} (${details.join(', ')})`;
}

/** `is_primary` as `is primary` */
export const wordsOf = (name: string): string => name.replaceAll('_', ' ');
