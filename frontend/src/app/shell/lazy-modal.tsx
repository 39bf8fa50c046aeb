import { type ComponentType, type ReactNode } from 'react';
import { copy } from '@/app/copy';
import { shell, useShell, type ShellModal } from '@/app/shell/shell-store';
import { Button } from '@/ui/button';
import { Late } from '@/ui/late';
import { LoadedPart, type Part } from '@/ui/loaded-part';
import { Modal } from '@/ui/modal';
import { Skeleton } from '@/ui/skeleton';

const BrokenModal = ({ retry }: { retry: () => void }) => (
  <Modal isOpen title={copy.brokenPart.title} description={copy.brokenPart.lead} onDismiss={shell.dismiss}>
    <div className="mt-6 flex flex-wrap gap-3">
      <Button onClick={retry}>{copy.brokenPart.retry}</Button>
      <Button variant="ghost" onClick={shell.dismiss}>
        {copy.brokenPart.close}
      </Button>
    </div>
  </Modal>
);

export interface LazyModalProps<P> {
  name: ShellModal;
  /** Its title, before its own code is there. */
  title: string;
  part: Part<P>;
  children: (Loaded: ComponentType<P>) => ReactNode;
}

/** A modal whose code comes when it is first opened; what fails in it stays in it, and can be tried again. */
export const LazyModal = <P extends object>({ name, title, part, children }: LazyModalProps<P>) =>
  useShell((state) => state.modal === name) ? (
    <LoadedPart
      part={part}
      pending={
        <Late>
          <Modal isOpen title={title} onDismiss={shell.dismiss}>
            <Skeleton label={copy.loading} bars={['h-14', 'h-14', 'h-14']} className="mt-6" />
          </Modal>
        </Late>
      }
      broken={({ retry }) => <BrokenModal retry={retry} />}
    >
      {children}
    </LoadedPart>
  ) : null;
