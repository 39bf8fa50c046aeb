import { copy } from '@/features/moderation/copy';
import { Modal } from '@/ui/modal';

/** Lists the keyboard shortcuts of the moderation tool. */
export const ShortcutsDialog = ({ onDismiss }: { onDismiss: () => void }) => (
  <Modal isOpen title={copy.shortcuts.title} onDismiss={onDismiss}>
    <dl className="mt-4 grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-3 text-base">
      {copy.shortcuts.list.map(({ keys, what }) => (
        <div key={what} className="col-span-2 grid grid-cols-subgrid items-center">
          <dt className="flex gap-1">
            {keys.map((key) => (
              <kbd
                key={key}
                className="inline-grid h-7 min-w-7 place-items-center rounded-[9px] border border-input bg-raised px-1.5 font-sans text-sm font-semibold"
              >
                {key}
              </kbd>
            ))}
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  </Modal>
);
