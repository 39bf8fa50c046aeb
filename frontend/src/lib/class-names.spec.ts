import { cn } from '@/lib/class-names';

// Some of these utilities are the project's own, such as `text-chat` (a font size) and `from-the-left`.

it.each([
  ['text-sm text-muted-foreground', 'text-foreground', 'text-sm text-foreground'],
  ['size-10 text-sm', 'size-20 text-xl', 'size-20 text-xl'],
  ['h-11 px-4 pl-2', 'px-1', 'h-11 px-1'],
  ['relative after:top-1/2', 'static after:inset-0', 'static after:inset-0'],
  ['hover:bg-raised bg-card', 'hover:bg-card', 'bg-card hover:bg-card'],
  ['border-2 border-input', 'border-5 border-ice', 'border-5 border-ice'],
  ['text-chat', 'text-[2.5rem]', 'text-[2.5rem]'],
])('cn keeps the later of two utilities that set the same property: %s, %s', (first, second, expected) => {
  expect(cn(first, second)).toBe(expected);
});

it.each([
  'px-6 pt-6 pr-16',
  'rounded-card rounded-bl-inner',
  'inset-ring inset-ring-ice',
  'border border-input border-t',
  'text-base md:text-chat',
  'max-w-md w-full min-w-0',
  '[&_svg]:size-5 size-11 @max-2xl:px-2 px-4',
  'from-the-left size-full',
])('cn keeps utilities that do not conflict: %s', (classes) => {
  expect(cn(classes, false, undefined)).toBe(classes);
});
