import { type ReactNode } from 'react';
import { cn } from '@/lib/class-names';

export interface EmptyStateProps {
  text: string;
  /** SVG shapes of the drawing, which is 96 units wide. */
  children: ReactNode;
  /** Height of the drawing in the same units. */
  height: number;
  /** Shows a smaller drawing, and hides the text visually, but not from screen readers. */
  isCompact?: boolean;
}

/** A drawing and a sentence for an empty list. */
export const EmptyState = ({ text, children, height, isCompact = false }: EmptyStateProps) => (
  <div className={cn('grid justify-items-center gap-4 text-center', isCompact ? 'pt-2' : 'px-4 py-8')}>
    <svg
      viewBox={`0 0 96 ${height}`}
      fill="none"
      strokeWidth="2.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={isCompact ? 'w-10' : 'w-28'}
    >
      {children}
    </svg>
    <p className={isCompact ? 'sr-only' : 'text-base text-balance text-muted-foreground'}>{text}</p>
  </div>
);
