import { type ComponentType, type ReactNode } from 'react';
import { copy } from '@/app/copy';
import { shell, useShell, type ShellModal } from '@/app/shell/shell-store';
import { Button } from '@/ui/button';
import { Delayed } from '@/ui/delayed';
import { LoadedPart, type Part } from '@/ui/loaded-part';
import { Modal } from '@/ui/modal';
import { Skeleton } from '@/ui/skeleton';

export interface BrokenModalProps {
  retry: () => void;
  /** If absent, the modal stays open until a retry succeeds. */
  onDismiss?: () => void;
}

/** Shown instead of a modal whose code failed to load or to render. */
export const BrokenModal = ({ retry, onDismiss }: BrokenModalProps) => (
  <Modal isOpen title={copy.brokenPart.title} description={copy.brokenPart.lead} onDismiss={onDismiss}>
    <div className="mt-6 flex flex-wrap gap-3">
      <Button onClick={retry}>{copy.brokenPart.retry}</Button>
      {onDismiss ? (
        <Button variant="ghost" onClick={onDismiss}>
          {copy.brokenPart.close}
        </Button>
      ) : null}
    </div>
  </Modal>
);

/** Shown after a short delay while the code of a modal loads. */
export const PendingModal = ({ title, onDismiss }: { title: string; onDismiss: () => void }) => (
  <Delayed>
    <Modal isOpen title={title} onDismiss={onDismiss}>
      <Skeleton label={copy.loading} bars={['h-14', 'h-14', 'h-14']} className="mt-6" />
    </Modal>
  </Delayed>
);

export interface LazyModalProps<P> {
  name: ShellModal;
  /** Title to show until the modal's code is loaded. */
  title: string;
  /** The component of the modal, whose code is loaded separately. */
  part: Part<P>;
  /** Renders the loaded component. */
  children: (Component: ComponentType<P>) => ReactNode;
}

/** A modal whose code is loaded when it is first opened. Errors are confined to the modal, which offers a retry. */
export const LazyModal = <P extends object>({ name, title, part, children }: LazyModalProps<P>) => {
  const isOpen = useShell((state) => state.modal === name);
  if (!isOpen) return null;
  return (
    <LoadedPart
      part={part}
      pending={<PendingModal title={title} onDismiss={shell.dismiss} />}
      renderFailure={({ retry }) => <BrokenModal retry={retry} onDismiss={shell.dismiss} />}
    >
      {children}
    </LoadedPart>
  );
};
