import { cn } from '@/lib/class-names';

/** Two overlapping dots with a narrow gap between them. The left one has the primary colour. */
export const LogoMark = ({ className }: { className?: string }) => (
  <svg viewBox="0 0 34 22" className={cn('h-5 w-auto', className)} aria-hidden="true">
    <path
      className="fill-foreground"
      d="M23 2a9 9 0 1 1-6.02 15.69 11.46 11.46 0 0 0 0-13.38A8.97 8.97 0 0 1 23 2Z"
    />
    <circle className="fill-primary" cx="11" cy="11" r="9" />
  </svg>
);

export const Logo = ({ className }: { className?: string }) => (
  <span className={cn('inline-flex items-center gap-2 text-xl font-extrabold tracking-tight', className)}>
    <LogoMark />
    <span>Thaw</span>
  </span>
);
