import { create } from 'zustand';
import { pageLimits } from '@/lib/page-limits';

/** Id of the open tooltip; there is at most one. */
const useTooltips = create<{ openId: string | null }>(() => ({ openId: null }));

/** The tooltip that `openSoon` opens after its delay, and the timer of the delay. */
let delayedOpening: { id: string; timer: ReturnType<typeof setTimeout> } | undefined;
/** When a tooltip was last closed, in ms of `performance.now()`. */
let lastClosedAt = -Infinity;

export const useIsTooltipOpen = (id: string): boolean => useTooltips(({ openId }) => openId === id);

const cancelDelayedOpening = (): void => {
  clearTimeout(delayedOpening?.timer);
  delayedOpening = undefined;
};

export const tooltips = {
  open: (id: string): void => {
    cancelDelayedOpening();
    useTooltips.setState({ openId: id });
  },
  /** Opens the tooltip after a delay, or immediately if another tooltip is open or has just closed. */
  openSoon: (id: string): void => {
    cancelDelayedOpening();
    const { openId } = useTooltips.getState();
    if (openId !== null || performance.now() - lastClosedAt < pageLimits.tooltipSkipDelayMs)
      tooltips.open(id);
    else delayedOpening = { id, timer: setTimeout(() => tooltips.open(id), pageLimits.tooltipOpenDelayMs) };
  },
  /** Closes the tooltip if it is open, and cancels its delayed opening. */
  close: (id: string): void => {
    if (delayedOpening?.id === id) cancelDelayedOpening();
    if (useTooltips.getState().openId !== id) return;
    lastClosedAt = performance.now();
    useTooltips.setState({ openId: null });
  },
};
