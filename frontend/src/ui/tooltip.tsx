import { limits } from '@thaw/contract/limits';
import * as Radix from 'radix-ui/tooltip';
import { createContext, use, type ReactElement, type ReactNode } from 'react';

const IsProvided = createContext(false);

/** Shares the delays among the tooltips within: 700 ms for the first, none for the next within 300 ms. */
export const TooltipProvider = ({ children }: { children: ReactNode }) => (
  <IsProvided value={true}>
    <Radix.Provider
      delayDuration={limits.tooltipOpenDelayMs}
      skipDelayDuration={limits.tooltipSkipDelayMs}
      disableHoverableContent
    >
      {children}
    </Radix.Provider>
  </IsProvided>
);

export interface TooltipProps {
  /** What the control is called; the control still carries its own accessible name. */
  label: ReactNode;
  side?: 'top' | 'right' | 'bottom' | 'left';
  /** One focusable element. */
  children: ReactElement;
}

/** A word beside a control for whoever points at it or reaches it with the keyboard. */
export const Tooltip = ({ label, side = 'top', children }: TooltipProps) => {
  const isProvided = use(IsProvided);
  const tooltip = (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="tip pointer-events-none z-top max-w-64 rounded-[9px] bg-foreground px-2.5 py-1.5 text-sm font-semibold text-background"
        >
          {label}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
  // Alone, as in a test of one component, it brings its own.
  return isProvided ? tooltip : <TooltipProvider>{tooltip}</TooltipProvider>;
};
