import { clsx, type ClassValue } from 'clsx';
import { extendTailwindMerge } from 'tailwind-merge';

const merge = extendTailwindMerge({
  extend: {
    classGroups: {
      'font-size': [{ text: ['xs', 'sm', 'base', 'chat', 'md', 'lg', 'xl', '2xl', 'hero'] }],
      rounded: [{ rounded: ['inner', 'control', 'card', 'sheet', 'full'] }],
    },
  },
});

/** Joins class names; of two that set the same property the later wins. */
export const cn = (...classes: ClassValue[]): string => merge(clsx(classes));
