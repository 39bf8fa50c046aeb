import { create } from 'zustand';
import { pageLimits } from '@/lib/page-limits';

/** Id of the open tooltip; there is at most one. */
const useTooltips = create<{ openId: string | null }>(() => ({ openId: null }));

/** The delayed opening of a tooltip. */
let opening: { id: string; timer: ReturnType<typeof setTimeout> } | undefined;
/** Time at which a tooltip was last closed, by `performance.now()`. */
let lastClosedAt = -Infinity;

export const useIsTooltipOpen = (id: string): boolean => useTooltips(({ openId }) => openId === id);

const cancelOpening = (): void => {
  clearTimeout(opening?.timer);
  opening = undefined;
};

export const tooltips = {
  open: (id: string): void => {
    cancelOpening();
    useTooltips.setState({ openId: id });
  },
  /** Opens the tooltip after a delay, or immediately if another tooltip is open or has just closed. */
  openSoon: (id: string): void => {
    cancelOpening();
    const { openId } = useTooltips.getState();
    if (openId !== null || performance.now() - lastClosedAt < pageLimits.tooltipSkipDelayMs)
      tooltips.open(id);
    else opening = { id, timer: setTimeout(() => tooltips.open(id), pageLimits.tooltipOpenDelayMs) };
  },
  /** Closes the tooltip if it is open, and cancels its delayed opening. */
  close: (id: string): void => {
    if (opening?.id === id) cancelOpening();
    if (useTooltips.getState().openId !== id) return;
    lastClosedAt = performance.now();
    useTooltips.setState({ openId: null });
  },
};
