import { useEffect, useState } from 'react';
import { useAddress } from '@/features/moderation/address';
import { Header } from '@/features/moderation/components/header';
import { ShortcutsDialog } from '@/features/moderation/components/shortcuts-dialog';
import { WorkbenchView } from '@/features/moderation/components/workbench-view';
import { copy } from '@/features/moderation/copy';
import { AuditView } from '@/features/moderation/records/audit-view';
import { FiguresView } from '@/features/moderation/records/figures-view';
import { ImagesView } from '@/features/moderation/records/images-view';
import { useWorkbench, workbench } from '@/features/moderation/stores/workbench.store';
import { useDocumentTitle } from '@/product/document-title';

export interface ModerationProps {
  /** Id of the signed-in moderator. */
  myId: number;
  /** Called when the server has refused a request because the user is no longer a moderator. */
  onForbidden: () => void;
}

/** The moderation tool: the queue with the open case, or one of the views of records. */
export const Moderation = ({ myId, onForbidden }: ModerationProps) => {
  const { address, changeAddress } = useAddress();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const announcement = useWorkbench((state) => state.announcement);
  useDocumentTitle(copy.title);
  // Drafts quote evidence, so they are cleared when the user changes or the page is left.
  useEffect(() => () => workbench.reset(), [myId]);
  // The filter selects the rows of the queue only; a case that it excludes opens too.
  const openCase = (caseId: number): void => changeAddress({ view: 'queue', filter: 'open', caseId });
  return (
    <div className="flex h-(--app-height) flex-col overflow-hidden">
      <Header view={address.view} announcement={announcement} onHelp={() => setHelpOpen(true)} />
      {address.view === 'queue' ? (
        <WorkbenchView
          myId={myId}
          address={address}
          changeAddress={changeAddress}
          onHelp={() => setHelpOpen(true)}
          onForbidden={onForbidden}
        />
      ) : (
        // Focusable, so that the keyboard can scroll a view without controls.
        <main tabIndex={0} className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
          <div className="mx-auto grid max-w-4xl gap-6 p-4">
            {address.view === 'audit' ? <AuditView myId={myId} onOpenCase={openCase} /> : null}
            {address.view === 'images' ? <ImagesView onOpenCase={openCase} /> : null}
            {address.view === 'figures' ? <FiguresView /> : null}
          </div>
        </main>
      )}
      {isHelpOpen ? <ShortcutsDialog onDismiss={() => setHelpOpen(false)} /> : null}
    </div>
  );
};
