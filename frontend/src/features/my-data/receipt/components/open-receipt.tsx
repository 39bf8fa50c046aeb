import { useRef, useState, type ChangeEvent } from 'react';
import { copy } from '@/features/my-data/receipt/copy';
import { parseReceiptFile, type ReceiptFile } from '@/features/my-data/receipt/receipt-file';
import { Button } from '@/ui/button';

const maxBytes = 100_000;

const readFile = async (file: File): Promise<ReceiptFile | null> =>
  file.size > maxBytes ? null : parseReceiptFile(await file.text());

/** Opens a receipt that was downloaded. */
export const OpenReceipt = ({ onOpen }: { onOpen: (file: ReceiptFile) => void }) => {
  const input = useRef<HTMLInputElement>(null);
  const [isUnreadable, setUnreadable] = useState(false);
  const open = async ({ target }: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const [chosen] = target.files ?? [];
    const file = chosen ? await readFile(chosen) : null;
    // The same file can be chosen again.
    target.value = '';
    setUnreadable(chosen !== undefined && file === null);
    if (file) onOpen(file);
  };
  return (
    <>
      <p className="mt-2 text-md text-muted-foreground">{copy.fromFile.lead}</p>
      <Button className="mt-6" onClick={() => input.current?.click()}>
        {copy.fromFile.button}
      </Button>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        aria-label={copy.fromFile.button}
        hidden
        onChange={(event) => void open(event)}
      />
      {isUnreadable ? (
        <p role="alert" className="mt-3 text-base text-destructive">
          {copy.fromFile.unreadable}
        </p>
      ) : null}
    </>
  );
};
