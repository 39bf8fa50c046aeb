import { copy } from '@/app/shortcuts/copy';
import { Modal } from '@/ui/modal';

/** Whether shortcuts use the command key (⌘) in place of Ctrl. */
const hasCommandKey = (): boolean => /Mac|iPhone|iPad/.test(navigator.userAgent);

const Key = ({ children }: { children: string }) => (
  <kbd className="inline-grid h-7 min-w-7 place-items-center rounded-[9px] border border-input bg-raised px-1.5 font-sans text-sm font-semibold">
    {children}
  </kbd>
);

/** Lists the keyboard shortcuts. */
export const ShortcutsList = ({ onDismiss }: { onDismiss: () => void }) => (
  <Modal isOpen title={copy.title} onDismiss={onDismiss}>
    <dl className="mt-4 grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-3 text-base">
      {copy.list.map(({ keys, description }) => (
        <div key={description} className="col-span-2 grid grid-cols-subgrid items-center">
          <dt className="flex gap-1">
            {keys.map((key) => (
              <Key key={key}>{key === 'Ctrl' && hasCommandKey() ? '⌘' : key}</Key>
            ))}
          </dt>
          <dd>{description}</dd>
        </div>
      ))}
    </dl>
  </Modal>
);
