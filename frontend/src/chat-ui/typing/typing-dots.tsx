import { cn } from '@/lib/class-names';

export const TypingDots = ({ className }: { className?: string }) => (
  <span aria-hidden="true" className={cn('typing-dots', className)}>
    <i />
    <i />
    <i />
  </span>
);
