import { cva, type VariantProps } from 'class-variance-authority';
import { type ComponentProps } from 'react';
import { cn } from '@/lib/class-names';

const styles = cva(
  [
    'relative inline-flex shrink-0 items-center justify-center gap-2 rounded-control font-semibold whitespace-nowrap select-none',
    'transition-[transform,opacity,background-color,border-color,color] duration-150 ease-out active:scale-[0.98]',
    'disabled:pointer-events-none disabled:opacity-50 [&_svg]:size-[1.15em] [&_svg]:shrink-0',
    // A hit area of at least 44 × 44 px, even for a smaller button.
    'after:absolute after:top-1/2 after:left-1/2 after:size-full after:min-h-11 after:min-w-11 after:-translate-x-1/2 after:-translate-y-1/2',
  ],
  {
    variants: {
      variant: {
        default: 'bg-primary text-primary-foreground hover:bg-primary-hover',
        destructive: 'bg-destructive-fill text-destructive-foreground hover:bg-destructive-hover',
        outline: 'border border-input bg-transparent text-foreground hover:bg-raised',
        secondary: 'bg-raised text-foreground hover:bg-raised-hover',
        ghost: 'bg-transparent text-foreground hover:bg-raised',
        link: 'text-primary underline-offset-4 hover:underline',
      },
      size: {
        default: 'h-11 px-4 text-base',
        sm: 'h-9 px-3 text-sm',
        lg: 'h-13 px-6 text-md',
        icon: 'size-11',
      },
    },
    defaultVariants: { variant: 'default', size: 'default' },
  },
);

type ButtonStyle = VariantProps<typeof styles>;

/** Returns the classes of a button, for elements that look like one, such as links. */
export const buttonClass = (style: ButtonStyle, className?: string): string => cn(styles(style), className);

export type ButtonProps = ComponentProps<'button'> & ButtonStyle;

export const Button = ({ variant, size, className, type = 'button', ...rest }: ButtonProps) => (
  <button type={type} className={buttonClass({ variant, size }, className)} {...rest} />
);
