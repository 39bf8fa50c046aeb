import { useRef, useState, type ChangeEvent } from 'react';
import { copy } from '@/features/my-data/receipt/copy';
import { parseReceiptFile, type ReceiptFile } from '@/features/my-data/receipt/receipt-file';
import { Button } from '@/ui/button';

/** Far more than a receipt needs. A larger file is refused without being read. */
const maxFileBytes = 100_000;

const readFile = async (file: File): Promise<ReceiptFile | null> =>
  file.size > maxFileBytes ? null : parseReceiptFile(await file.text());

/** A button that opens a downloaded receipt: the signed record of the deletion of an account. */
export const OpenReceipt = ({ onOpen }: { onOpen: (file: ReceiptFile) => void }) => {
  const input = useRef<HTMLInputElement>(null);
  const [isUnreadable, setUnreadable] = useState(false);
  const open = async ({ target }: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const [chosenFile] = target.files ?? [];
    const receiptFile = chosenFile ? await readFile(chosenFile) : null;
    // Otherwise choosing the same file again would raise no change event.
    target.value = '';
    setUnreadable(chosenFile !== undefined && receiptFile === null);
    if (receiptFile) onOpen(receiptFile);
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
