import { type FileReport } from '@thaw/contract/safety';
import { create } from 'zustand';
import { type Person } from '@/features/safety/stores/block-dialog.store';

/** The chat that a report is about, and its marked messages. Without `sessionId` and `historyId`, the private chat. */
export type ReportedChat = Pick<FileReport, 'sessionId' | 'historyId' | 'messageIds'>;

export interface ReportTarget {
  person: Person;
  chat: ReportedChat;
}

/** The person whom the dialog reports. A store, because distant parts of the page open the dialog. */
export const useReportDialog = create<{ target: ReportTarget | null }>()(() => ({ target: null }));

export const askToReport = ({ id, username }: Person, chat: ReportedChat): void =>
  useReportDialog.setState({ target: { person: { id, username }, chat } });

export const closeReportDialog = (): void => useReportDialog.setState({ target: null });
