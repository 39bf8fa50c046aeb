import { useMutation } from '@tanstack/react-query';
import { closeReportDialog, type ReportTarget } from '@/features/safety/stores/report-dialog.store';
import { sendReport, type ReportChoices } from '@/features/safety/stores/send-report';

/** Sends a report. Closes the dialog on success, except after a report of self-harm: the dialog then shows a hint. */
export const useReport = (userId: number, target: ReportTarget) => {
  const { mutate, isPending, isSuccess } = useMutation({
    mutationFn: (choices: ReportChoices) => sendReport(userId, target, choices),
    onSuccess: (_report, { category }) => (category === 'self_harm' ? undefined : closeReportDialog()),
  });
  return { isPending, isSent: isSuccess, send: (choices: ReportChoices): void => mutate(choices) };
};
