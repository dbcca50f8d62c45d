// Reads the markup of a chart strictly: every element closed in order, every attribute quoted and given once.

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The names of the elements around it, the outermost first. */
  readonly within: readonly string[];
  text: string;
}

const tag = /<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w:-]+(?:="[^"<]*")?)*)\s*(\/?)>/y;
const attribute = /([\w:-]+)(?:="([^"<]*)")?/g;
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

const decoded = (text: string): string =>
  text.replaceAll(/&(#?\w*);?/g, (whole, name: string) => {
    const character = entities[name];
    if (character === undefined || !whole.endsWith(';')) throw new Error(`A bare ampersand: ${text}`);
    return character;
  });

/** All elements in order; throws where the markup is not well-formed. */
export function elementsIn(markup: string): readonly Element[] {
  const elements: Element[] = [];
  const open: Element[] = [];
  for (let at = 0; at < markup.length;) {
    if (markup[at] !== '<') {
      const next = markup.indexOf('<', at);
      const end = next === -1 ? markup.length : next;
      const parent = open.at(-1);
      if (parent) parent.text += decoded(markup.slice(at, end));
      at = end;
      continue;
    }
    tag.lastIndex = at;
    const found = tag.exec(markup);
    if (found === null) throw new Error(`Not an element: ${markup.slice(at, at + 80)}`);
    at = tag.lastIndex;
    const [, closes, name = '', written = '', isEmpty] = found;
    if (closes) {
      const closed = open.pop();
      if (closed?.name !== name) throw new Error(`</${name}> closes <${closed?.name}>.`);
      continue;
    }
    const pairs = [...written.matchAll(attribute)].map(([, key = '', value = '']) => [key, decoded(value)] as const);
    if (new Set(pairs.map(([key]) => key)).size < pairs.length) throw new Error(`An attribute twice: ${found[0]}`);
    const element = { name, attributes: Object.fromEntries(pairs), within: open.map((each) => each.name), text: '' };
    elements.push(element);
    if (!isEmpty) open.push(element);
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)?.name}> is not closed.`);
  return elements;
}

export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const numberOf = ({ attributes }: Element, name: string): number => Number(attributes[name] ?? Number.NaN);

/** The box of a rectangle, a circle, a line or a path of straight lines. */
export function boxOf(element: Element): Box {
  const at = (name: string) => numberOf(element, name);
  if (element.name === 'path')
    return boxAround(
      [...(element.attributes['d'] ?? '').matchAll(/[ML]([^ ]+) ([^ML]+)/g)].map(([, x, y]) => ({
        left: Number(x),
        right: Number(x),
        top: Number(y),
        bottom: Number(y),
      })),
    );
  if (element.name === 'rect')
    return { left: at('x'), right: at('x') + at('width'), top: at('y'), bottom: at('y') + at('height') };
  if (element.name === 'circle') return { left: at('cx'), right: at('cx'), top: at('cy'), bottom: at('cy') };
  return { left: at('x1'), right: at('x2'), top: at('y1'), bottom: at('y2') };
}

/** Whether one box is inside another; a hundredth of a pixel is lost when coordinates are rounded. */
export const isInside = (inner: Box, outer: Box, tolerance = 0.03): boolean =>
  inner.left >= outer.left - tolerance &&
  inner.right <= outer.right + tolerance &&
  inner.top >= outer.top - tolerance &&
  inner.bottom <= outer.bottom + tolerance;

export function boxAround(boxes: readonly Box[]): Box {
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    right: Math.max(...boxes.map(({ right }) => right)),
    top: Math.min(...boxes.map(({ top }) => top)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
}

/** The elements that show data, without the samples of the legend. */
export const marksIn = (elements: readonly Element[]): readonly Element[] =>
  elements.filter(
    ({ attributes, within }) => attributes['class']?.split(' ').includes('mark') && !within.includes('li'),
  );

/** What every chart has to be, whatever its data: no attribute without a number, no style, no script, a name and a table. */
export function faultsOf(markup: string): readonly string[] {
  const elements = elementsIn(markup);
  const svg = elements.find(({ name, within }) => name === 'svg' && !within.includes('li'));
  return [
    ...elements.flatMap(({ name, attributes }) =>
      Object.entries(attributes)
        .filter(([, value]) => /NaN|Infinity|undefined|null/.test(value))
        .filter(([key]) => !['aria-label', 'href'].includes(key))
        .map(([key, value]) => `${name} ${key}="${value}"`),
    ),
    ...elements.filter(({ attributes }) => 'style' in attributes).map(({ name }) => `${name} has a style`),
    ...(svg?.attributes['aria-label'] ? [] : ['no aria-label']),
    ...(['img', 'group'].includes(svg?.attributes['role'] ?? '') ? [] : ['no role']),
    ...(svg?.attributes['viewBox'] ? [] : ['no viewBox']),
    ...marksIn(elements)
      .filter((element) => element.name !== 'path' && !titleOf(elements, element))
      .map(({ name }) => `${name} has no title`),
  ];
}

/** The text of the tooltip: the title in the mark, or the one before it in the same group. */
function titleOf(elements: readonly Element[], mark: Element): string | undefined {
  const index = elements.indexOf(mark);
  const near = elements.slice(Math.max(0, index - 4), index + 2);
  return near.find(({ name }) => name === 'title')?.text;
}
