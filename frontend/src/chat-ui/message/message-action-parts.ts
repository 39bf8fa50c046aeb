import { createPart } from '@/ui/loaded-part';

export const rowActionsPart = createPart(
  async () => (await import('@/chat-ui/message/row-actions')).RowActions,
);
export const actionSheetPart = createPart(
  async () => (await import('@/chat-ui/message/action-sheet')).ActionSheet,
);

/** Preloaded while a conversation is idle: no message has actions before it is hovered, focused or pressed. */
export const messageActionParts = [rowActionsPart, actionSheetPart];
