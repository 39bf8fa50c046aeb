import { clsx, type ClassValue } from 'clsx';

/**
 * Patterns of Tailwind utilities, each with the property that they set; the first match wins. The last patterns name no
 * property: their first group captures it, so that `h-4` sets `h`.
 */
const propertyPatterns: readonly [pattern: RegExp, property?: string][] = [
  [/^(static|relative|absolute|fixed|sticky)$/, 'position'],
  [/^(block|inline|flex|grid|hidden|contents|inline-(block|flex|grid))$/, 'display'],
  [/^font-(normal|medium|semibold|bold|extrabold)$/, 'font-weight'],
  [/^text-(xs|sm|base|chat|md|lg|xl|2xl|hero|\[.+\])$/, 'font-size'],
  [/^text-(left|center|right|start|end)$/, 'text-align'],
  [/^text-(balance|pretty|wrap|nowrap)$/, 'text-wrap'],
  [/^text-/, 'color'],
  [/^bg-/, 'background'],
  [/^border(-\d+)?$/, 'border-width'],
  // Includes `border-transparent`, but not single sides, such as `border-t`, which conflict with no other utility.
  [/^border-(?![xytrbl](-|$))/, 'border-color'],
  [/^rounded-(inner|control|card|sheet|full)$/, 'radius'],
  [/^-?((min-|max-)?[hw]|size)-/],
  [/^-?([mp][xytrbl]?|gap(-[xy])?)-/],
  // Not `inset-ring-…` and `inset-shadow-…`, which are shadows.
  [/^-?(inset(-[xy])?(?!-ring|-shadow)|top|right|bottom|left|translate(-[xy])?)-/],
  [/^-?(z|opacity)-/],
];

/** Further properties that a shorthand sets. */
const propertiesOfShorthand: Partial<Record<string, readonly string[]>> = {
  size: ['h', 'w'],
  p: ['px', 'py', 'pt', 'pr', 'pb', 'pl'],
  px: ['pr', 'pl'],
  py: ['pt', 'pb'],
  m: ['mx', 'my', 'mt', 'mr', 'mb', 'ml'],
  mx: ['mr', 'ml'],
  my: ['mt', 'mb'],
  inset: ['inset-x', 'inset-y', 'top', 'right', 'bottom', 'left'],
  translate: ['translate-x', 'translate-y'],
  gap: ['gap-x', 'gap-y'],
};

const findProperty = (utility: string): string | undefined => {
  for (const [pattern, property] of propertyPatterns) {
    const match = pattern.exec(utility);
    if (match) return property ?? match[1];
  }
  return undefined;
};

/** Cache of `merge`. It stays small, because the components use a limited number of combinations. */
const mergedByInput = new Map<string, string>();

/**
 * The variants, then the utility. Each variant ends with a colon, and may contain a pair of brackets, in which colons
 * separate nothing.
 */
const classPattern = /^((?:[^[\]:]*(?:\[[^\]]*\])?[^[\]:]*:)*)(.+)$/;

/** Splits `md:hover:[&_svg]:size-5` into `md:hover:[&_svg]:` and `size-5`. */
const splitClass = (name: string): { variants: string; utility: string } => {
  const [, variants = '', utility = name] = classPattern.exec(name) ?? [];
  return { variants, utility };
};

/** Removes each utility whose property is set by a later one under the same variants. */
const merge = (classes: string): string => {
  /** The variants and property of each later utility, joined: `md:hover:h` for `md:hover:h-4`. */
  const setLater = new Set<string>();
  const kept: string[] = [];
  for (const name of classes.split(' ').reverse()) {
    const { variants, utility } = splitClass(name);
    const property = findProperty(utility);
    if (property !== undefined) {
      if (setLater.has(variants + property)) continue;
      const setProperties = [property, ...(propertiesOfShorthand[property] ?? [])];
      for (const setProperty of setProperties) setLater.add(variants + setProperty);
    }
    kept.push(name);
  }
  return kept.reverse().join(' ');
};

/**
 * Joins class names; if two set the same property, the later wins. Supports only the utilities that components of this
 * frontend override; tailwind-merge supports all and is 20 times as large.
 */
export const cn = (...classes: ClassValue[]): string => {
  const joined = clsx(classes);
  const cached = mergedByInput.get(joined);
  if (cached !== undefined) return cached;
  const merged = merge(joined);
  mergedByInput.set(joined, merged);
  return merged;
};
