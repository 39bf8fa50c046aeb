import { useEffect, useState } from 'react';
import { fetchKeys } from '@/features/my-data/receipt/api/receipts';
import { copy } from '@/features/my-data/receipt/copy';
import { isConsistent, type ReceiptFile } from '@/features/my-data/receipt/receipt-file';
import { canVerify, verifyReceipt, type Verdict } from '@/features/my-data/receipt/verify-receipt';
import { cn } from '@/lib/class-names';
import { Button } from '@/ui/button';

type Result = Verdict | 'otherReceipt' | 'failed';

interface CheckProps {
  file: ReceiptFile;
  /** The id of the address. */
  receiptId: string;
}

const check = async ({ file, receiptId }: CheckProps): Promise<Result> => {
  try {
    const verdict = await verifyReceipt(file.receipt, await fetchKeys());
    if (verdict !== 'genuine') return verdict;
    if (!isConsistent(file)) return 'altered';
    return file.content.receiptId === receiptId ? 'genuine' : 'otherReceipt';
  } catch (error) {
    console.warn('The receipt was not checked', error);
    return 'failed';
  }
};

/** Verifies the signature of a receipt in the page. Absent in browsers that cannot do that. */
export const CheckReceipt = (props: CheckProps) => {
  const [isPossible, setPossible] = useState(false);
  const [isChecking, setChecking] = useState(false);
  const [checked, setChecked] = useState<{ receipt: string; result: Result }>();
  useEffect(() => {
    let isShown = true;
    void canVerify().then((isAble) => {
      if (isShown) setPossible(isAble);
    });
    return () => {
      isShown = false;
    };
  }, []);
  const { receipt } = props.file;
  const result = checked?.receipt === receipt && !isChecking ? checked.result : undefined;
  const start = async (): Promise<void> => {
    setChecking(true);
    setChecked({ receipt, result: await check(props) });
    setChecking(false);
  };
  return (
    <>
      {isPossible ? (
        <Button variant="outline" disabled={isChecking} onClick={() => void start()}>
          {isChecking ? copy.check.checking : copy.check.button}
        </Button>
      ) : null}
      <p
        role="status"
        className={cn(
          'basis-full text-base empty:hidden',
          result && 'border-l-3 pl-3',
          result === 'genuine' ? 'border-primary' : 'border-destructive',
        )}
      >
        {result ? copy.check[result] : ''}
      </p>
    </>
  );
};
