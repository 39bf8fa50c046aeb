import { create } from 'zustand';

export interface ToastAction {
  label: string;
  /**
   * For screen readers: another way to perform the action, because the toast closes by itself after a few seconds.
   * Defaults to `label`.
   */
  altText?: string;
  run: () => void;
}

export interface ToastContent {
  title: string;
  description?: string;
  tone?: 'neutral' | 'destructive';
  /** Pressing it closes the toast. */
  action?: ToastAction;
}

export interface ShownToast extends ToastContent {
  id: number;
  /** False once the toast is closed; it remains in the store for its closing animation. */
  isOpen: boolean;
}

/** There is at most one toast; a new one replaces the old one (docs/product-decisions.md, A168). */
export const useToasts = create<{ shown: ShownToast | null }>()(() => ({ shown: null }));

let nextId = 1;

/** Shows a toast in place of the current one. */
export const toast = (content: ToastContent): void =>
  useToasts.setState({ shown: { ...content, id: nextId++, isOpen: true } });

/** Closes the toast with this id if it is still shown. */
export const closeToast = (id: number): void =>
  useToasts.setState(({ shown }) => (shown?.id === id ? { shown: { ...shown, isOpen: false } } : { shown }));
