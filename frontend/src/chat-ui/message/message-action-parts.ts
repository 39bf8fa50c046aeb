import { createPart } from '@/ui/loaded-part';

export const rowActionsPart = createPart(
  async () => (await import('@/chat-ui/message/row-actions')).RowActions,
);
export const actionSheetPart = createPart(
  async () => (await import('@/chat-ui/message/action-sheet')).ActionSheet,
);

/** A conversation preloads these parts while it is idle. They are first needed when a message is hovered or pressed. */
export const messageActionParts = [rowActionsPart, actionSheetPart];
