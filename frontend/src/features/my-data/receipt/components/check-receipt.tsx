import { useEffect, useState } from 'react';
import { fetchKeys } from '@/features/my-data/receipt/api/receipts';
import { copy } from '@/features/my-data/receipt/copy';
import { matchesSignedContent, type ReceiptFile } from '@/features/my-data/receipt/receipt-file';
import { canVerify, verifyReceipt, type Verdict } from '@/features/my-data/receipt/verify-receipt';
import { cn } from '@/lib/class-names';
import { Button } from '@/ui/button';

type Result = Verdict | 'otherReceipt' | 'failed';

interface CheckProps {
  file: ReceiptFile;
  /** The id that the receipt must have, from the address of the page or from the opened file. */
  receiptId: string;
}

const checkReceipt = async ({ file, receiptId }: CheckProps): Promise<Result> => {
  try {
    const verdict = await verifyReceipt(file.receipt, await fetchKeys());
    if (verdict !== 'genuine') return verdict;
    if (!matchesSignedContent(file)) return 'altered';
    return file.content.receiptId === receiptId ? 'genuine' : 'otherReceipt';
  } catch (error) {
    console.warn('The receipt was not checked', error);
    return 'failed';
  }
};

/** A button that verifies the signature of a receipt. It is hidden in browsers that cannot verify Ed25519. */
export const CheckReceipt = (props: CheckProps) => {
  const [canCheck, setCanCheck] = useState(false);
  const [isChecking, setChecking] = useState(false);
  const [lastCheck, setLastCheck] = useState<{ receipt: string; result: Result }>();
  useEffect(() => {
    let isMounted = true;
    void canVerify().then((isSupported) => {
      if (isMounted) setCanCheck(isSupported);
    });
    return () => {
      isMounted = false;
    };
  }, []);
  const { receipt } = props.file;
  // The result of an earlier check is not shown for another receipt.
  const result = lastCheck?.receipt === receipt && !isChecking ? lastCheck.result : undefined;
  const start = async (): Promise<void> => {
    setChecking(true);
    setLastCheck({ receipt, result: await checkReceipt(props) });
    setChecking(false);
  };
  return (
    <>
      {canCheck ? (
        <Button variant="outline" disabled={isChecking} onClick={() => void start()}>
          {isChecking ? copy.check.checking : copy.check.button}
        </Button>
      ) : null}
      <p
        role="status"
        className={cn(
          'basis-full text-base empty:sr-only',
          result && 'border-l-3 pl-3',
          result === 'genuine' ? 'border-primary' : 'border-destructive',
        )}
      >
        {result ? copy.check[result] : ''}
      </p>
    </>
  );
};
