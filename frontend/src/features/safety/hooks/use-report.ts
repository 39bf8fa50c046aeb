import { useMutation } from '@tanstack/react-query';
import { closeReportDialog, type ReportTarget } from '@/features/safety/stores/report-dialog.store';
import { sendReport, type ReportChoices } from '@/features/safety/stores/send-report';

/** Sends a report. Closes the dialog on success, unless it has something to say after this report. */
export const useReport = (userId: number, target: ReportTarget) => {
  const { mutate, isPending, isSuccess } = useMutation({
    mutationFn: (choices: ReportChoices) => sendReport(userId, target, choices),
    onSuccess: (_report, { category }) => (category === 'self_harm' ? undefined : closeReportDialog()),
  });
  return { isPending, isSent: isSuccess, send: (choices: ReportChoices): void => mutate(choices) };
};
