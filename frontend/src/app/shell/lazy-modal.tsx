import { Suspense, type ReactNode } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { copy } from '@/app/copy';
import { shell, useShell, type ShellModal } from '@/app/shell/shell-store';
import { reportRenderError } from '@/lib/report-error';
import { Button } from '@/ui/button';
import { Modal } from '@/ui/modal';

const BrokenModal = () => (
  <Modal isOpen title={copy.brokenModal.title} description={copy.brokenModal.lead} onDismiss={shell.dismiss}>
    <Button className="mt-6" onClick={shell.dismiss}>
      {copy.brokenModal.close}
    </Button>
  </Modal>
);

/** A modal whose code comes when it is first opened; what fails in it stays in it. */
export const LazyModal = ({ name, children }: { name: ShellModal; children: ReactNode }) =>
  useShell((state) => state.modal === name) ? (
    <ErrorBoundary fallback={<BrokenModal />} onError={reportRenderError}>
      <Suspense fallback={null}>{children}</Suspense>
    </ErrorBoundary>
  ) : null;
