import { type FileReport, type ReportCategory } from '@thaw/contract/safety';
import { fileReport } from '@/features/safety/api/reports';
import { copy } from '@/features/safety/report/copy';
import { applyBlockToThisPage, toastFailure } from '@/features/safety/stores/change-block';
import { type ReportTarget } from '@/features/safety/stores/report-dialog.store';
import { toast } from '@/ui/toast-store';

export interface ReportChoices {
  category: ReportCategory;
  words: string;
  alsoBlock: boolean;
}

const buildRequest = (
  reporterId: number,
  { person, chat }: ReportTarget,
  { category, words, alsoBlock }: ReportChoices,
): FileReport => ({
  reporterId,
  targetId: person.id,
  category,
  ...(words.trim() === '' ? {} : { words }),
  ...chat,
  alsoBlock,
});

/**
 * Reports a person, blocks them if wanted, and shows a toast for either outcome.
 * @throws the error of the request, after the toast.
 */
export const sendReport = async (
  userId: number,
  target: ReportTarget,
  choices: ReportChoices,
): Promise<void> => {
  const { sent, failed } = copy;
  try {
    const report = await fileReport(buildRequest(userId, target, choices));
    if (choices.alsoBlock && report.blocked) {
      applyBlockToThisPage(userId, { personId: target.person.id, isBlocked: true });
    }
    const hasBlockFailed = choices.alsoBlock && !report.blocked;
    toast({
      title: sent.title,
      description: hasBlockFailed ? sent.notBlocked(target.person.username) : sent.description,
    });
  } catch (error) {
    console.warn('The report was not sent', error);
    toastFailure(error, failed);
    throw error;
  }
};
