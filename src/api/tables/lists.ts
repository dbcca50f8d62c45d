// Lists in brackets, as `in.(…)` and groups of conditions have them. A comma or a bracket in double quotes, which begin where a value begins,
// is part of the value; a backslash in quotes stands before a quote or a backslash that is part of it.

/** The items of `(a,"b,c",or(d,e))`, as written; undefined where brackets or quotes do not close. */
export function itemsIn(text: string): readonly string[] | undefined {
  if (!text.startsWith('(') || !text.endsWith(')')) return undefined;
  const items: string[] = [];
  let from = 1;
  let depth = 0;
  let isQuoted = false;
  for (let at = 1; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted) {
      if (character === '\\') at += 1;
      else if (character === '"') isQuoted = false;
    } else if (character === '"' && /[(,.]/.test(text[at - 1] ?? '')) isQuoted = true;
    else if (character === '(') depth += 1;
    else if (character === ')' && depth > 0) depth -= 1;
    else if (character === ')' || (character === ',' && depth === 0)) {
      items.push(text.slice(from, at));
      from = at + 1;
      // Something follows the bracket that closes the list.
      if (character === ')' && from !== text.length) return undefined;
    }
  }
  if (isQuoted || depth > 0 || from !== text.length) return undefined;
  return items.length === 1 && items[0] === '' ? [] : items;
}

/** The value of an item: without its quotes, where it has any. */
export const unquoted = (item: string): string =>
  item.length > 1 && item.startsWith('"') && item.endsWith('"')
    ? item.slice(1, -1).replaceAll(/\\([\\"])/g, '$1')
    : item;

/** Of `not.or(…)`, `or` with `not.` and the brackets. */
export function groupIn(item: string): { readonly word: string; readonly text: string } | undefined {
  const [, word, text] = /^((?:not\.)?(?:and|or))(\(.*\))$/s.exec(item) ?? [];
  return word === undefined || text === undefined ? undefined : { word, text };
}
