import { type FileReport } from '@thaw/contract/safety';
import { create } from 'zustand';
import { type Person } from '@/features/safety/stores/block-dialog.store';

/**
 * The chat that a report is about, and its marked messages: a random chat (`sessionId`), an entry of the chat history
 * (`historyId`), or, without either, the private chat with the person.
 */
export type ReportedChat = Pick<FileReport, 'sessionId' | 'historyId' | 'messageIds'>;

/** A private chat has no id of its own: the user and the reported person have only one. */
export const privateChatWithPerson: ReportedChat = {};

export interface ReportTarget {
  person: Person;
  chat: ReportedChat;
}

/** What the open dialog reports; null while closed. A store, because distant parts of the page open the dialog. */
export const useReportDialog = create<{ target: ReportTarget | null }>()(() => ({ target: null }));

export const openReportDialog = ({ id, username }: Person, chat: ReportedChat): void =>
  useReportDialog.setState({ target: { person: { id, username }, chat } });

export const closeReportDialog = (): void => useReportDialog.setState({ target: null });
