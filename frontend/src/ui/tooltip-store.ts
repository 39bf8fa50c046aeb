import { create } from 'zustand';
import { pageLimits } from '@/lib/page-limits';

/** Id of the open tooltip; there is at most one. */
const useTooltips = create<{ openId: string | null }>(() => ({ openId: null }));

let openingTimer: ReturnType<typeof setTimeout> | undefined;
/** Time at which a tooltip was last closed, by `performance.now()`. */
let lastClosedAt = -Infinity;

export const useIsTooltipOpen = (id: string): boolean => useTooltips(({ openId }) => openId === id);

export const tooltips = {
  open: (id: string): void => {
    clearTimeout(openingTimer);
    useTooltips.setState({ openId: id });
  },
  /** Opens the tooltip after a delay, or immediately if another tooltip is open or has just closed. */
  openSoon: (id: string): void => {
    clearTimeout(openingTimer);
    const { openId } = useTooltips.getState();
    if (openId !== null || performance.now() - lastClosedAt < pageLimits.tooltipSkipDelayMs)
      tooltips.open(id);
    else openingTimer = setTimeout(() => tooltips.open(id), pageLimits.tooltipOpenDelayMs);
  },
  /** Closes the tooltip if it is open, and cancels a delayed opening of any tooltip. */
  close: (id: string): void => {
    clearTimeout(openingTimer);
    if (useTooltips.getState().openId !== id) return;
    lastClosedAt = performance.now();
    useTooltips.setState({ openId: null });
  },
};
